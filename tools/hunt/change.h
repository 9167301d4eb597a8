#ifndef COSY_HUNT_CHANGE_H
#define COSY_HUNT_CHANGE_H

/* Changes of a program that leave its answer the same. Each takes a program
   that was read without errors and returns another text, or NULL with the
   reason why it does not apply. */

#include "hunt/program.h"

/* A user's name, and what it is called after change_names. */
typedef struct Renamed {
    const char *old, *new;
} Renamed;

typedef struct Change {
    const Program *program;
    Arena *arena;
    Hunt *hunt; // for random numbers
    const char *why;
    /* What the comparison has to undo. */
    Renamed *names; // sorted by their new names
    uint32_t name_count;
    double shift, factor; // TIME of the changed program: TIME/factor + shift
} Change;

/* CHANGE(name): const char *change_NAME(Change *). */
#define CHANGES                                                                \
    CHANGE(store_all)     /* STORE has everything */                           \
    CHANGE(store_nothing) /* no STORE, no OUTPUT */                            \
    CHANGE(features)      /* FEATURES at every SIMULATE, or at none */         \
    CHANGE(names)         /* another name for everything that has one */       \
    CHANGE(c_names)       /* names that C has too */                           \
    CHANGE(comint)        /* communication points elsewhere */                 \
    CHANGE(shuffle)       /* equations in another order */                     \
    CHANGE(model)         /* some equations in a MODEL */                      \
    CHANGE(macro)         /* some equations in a MACRO */                      \
    CHANGE(shift)         /* the run begins later, or earlier */               \
    CHANGE(scale)         /* time goes faster */                               \
    CHANGE(extended)      /* PRECISION EXTENDED */                             \
    CHANGE(units)         /* other units */

#define CHANGE(name) const char *change_##name(Change *c);
CHANGES
#undef CHANGE

/* For changes: returns NULL and notes the reason; and returns the edited text,
   NULL if there are no edits. */
const char *change_refuse(Change *c, const char *why);
const char *change_apply(Change *c, Edits *e);

/* Replaces new names by the old ones everywhere, including the name of the
   file. */
#define CHANGE_BEFORE "model.cosy"
#define CHANGE_BEHIND "changed.cosy"
const char *change_undo(const Change *c, Arena *a, const char *text);

#endif
