#ifndef COSY_EVENTS_REFUSAL_H
#define COSY_EVENTS_REFUSAL_H

/* What a model must not do. host->refuse keeps what was refused; it is put into
   words once the failure has been passed up to where the statement is known:

       time 12.5, TRUCK 7: RELEASE RAMP: the facility is held by TRUCK 3

   Time and transaction are followed by the statement as it was written, or as
   it must have been, and by what is wrong with it. */

#include "base/buffer.h"
#include "cosy/model.h"

#define Refusal       COSY_NAME(Refusal)
#define refusal_keep  COSY_NAME(refusal_keep)
#define refusal_words COSY_NAME(refusal_words)
#define refusal_line  COSY_NAME(refusal_line)

/* The arguments of host->refuse. */
typedef struct Refusal {
    bool kept;
    CosyRefusal what;
    uint32_t which, who;
    real value;
} Refusal;

/* Keeps the first one; returns COSY_REFUSED. */
CosyStatus refusal_keep(Refusal *r, CosyRefusal what, uint32_t which,
                        uint32_t who, real value);
/* `body`: the event, "INITIAL" ... if no transaction is concerned, or "";
   `statement`: its text, or NULL. */
void refusal_words(Buffer *b, const Cosy *c, const Refusal *r, const char *body,
                   const char *statement);
/* Line of what the refusal is about, 0 if there is none; used if the statement
   is not known. */
uint32_t refusal_line(const Cosy *c, const Refusal *r);

#endif
