#ifndef COSY_RUN_COPIES_H
#define COSY_RUN_COPIES_H

/* Copies of CONTINUOUS PROCESSes: how they come, sleep and go.

       copies_create   memory for them, all of it in the image but scratch
       copies_begin    a new run: none is there
       copies_new      host->create: a copy joins the attributes; it has no place
                       in x before the body has finished
       copies_settle   after each body and after INITIAL: TERMINAL sections of the
                       copies that leave, until none is left to leave; then x,
                       branch and attributes are laid out as the contract wants
       copies_attach   after an image was loaded
       copies_free

   What has moved is a list of Moves, in order of `to`. Whatever has one item per
   state (branch, DELAY) follows with moves_apply. Nothing before the first move
   has changed its place. */

#include "run/instance.h"
#include "solve/moves.h"

#define copies_create   COSY_NAME(copies_create)
#define copies_begin    COSY_NAME(copies_begin)
#define copies_new      COSY_NAME(copies_new)
#define copies_settle   COSY_NAME(copies_settle)
#define copies_attach   COSY_NAME(copies_attach)
#define copies_computed COSY_NAME(copies_computed)
#define copies_moved    COSY_NAME(copies_moved)
#define copies_free     COSY_NAME(copies_free)

Status copies_create(Instance *i, Arena *a, Image *image);
void copies_begin(Instance *i);
CosyStatus copies_new(Cosy *c, uint32_t process, uint32_t n,
                      uint32_t *position);
/* *changed: c->head->structure has grown, and i->moves says how. */
CosyStatus copies_settle(Instance *i, bool *changed);
Status copies_attach(Instance *i);
/* Algebraic values of all active copies are known now. */
void copies_computed(Instance *i);
/* The position to which the last change of structure has moved an active copy;
   COSY_NONE: it is not active any more. */
uint32_t copies_moved(const Instance *i, uint32_t process, uint32_t position);
void copies_free(Instance *i);

#endif
