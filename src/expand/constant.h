#ifndef COSY_EXPAND_CONSTANT_H
#define COSY_EXPAND_CONSTANT_H

/* Values that are known before the program is parsed: those of CONSTs, CONST
   formals, MACFOR variables, and expressions of them.

   An expression is read from tokens and evaluated as it is read; it ends where
   the next token cannot continue it. Whole numbers stay whole under + - * **
   DIV MOD, and / gives a number with a point, as everywhere in the language. */

#include <stdbool.h>
#include <stdint.h>

#include "syntax/unit.h"

typedef enum ValueKind {
    VALUE_NONE,
    VALUE_INTEGER,
    VALUE_REAL,
    VALUE_BOOLEAN // integer is 0 or 1
} ValueKind;

typedef struct Value {
    ValueKind kind;
    int64_t integer;
    double real;
} Value;

typedef enum Finding {
    FINDING_VALUE,
    FINDING_UNKNOWN, // no such name here
    FINDING_FORMAL,  // a formal, but not a CONST one
    FINDING_LATE     // a CONST whose value is not known here
} Finding;

typedef struct Evaluation {
    Unit *unit;
    bool quiet;      // no messages
    uint32_t origin; // for messages
    Finding (*find)(void *user, const char *name, Value *v);
    /* A name that may have been meant instead, or NULL; may be NULL itself. */
    const char *(*near)(void *user, const char *name);
    void *user;
    const Token *token; // what is read; `at` ends up after it
    uint32_t count, at;
    uint32_t depth; // 0
    bool by_value;  // result: it failed because of values, not text
} Evaluation;

/* False, with a message unless quiet, if there is no value. */
bool constant_read(Evaluation *e, Value *v);
/* The same, and nothing may follow. */
bool constant_read_all(Evaluation *e, Value *v);

/* Writes it as a number or word of the language; needs at least 40 characters
   of room. */
void value_print(const Value *v, char *text, size_t room);
double value_real(const Value *v);

#endif
