#ifndef COSY_EVENTS_REFUSAL_H
#define COSY_EVENTS_REFUSAL_H

/* What the model may not do. host->refuse keeps what was refused; it is put into
   words when the failure has arrived where the statement is known:

       time 12.5, TRUCK 7: RELEASE RAMP: the facility is held by TRUCK 3

   Behind the time and the transaction stands the statement as it was written, or
   what it must have been, then what is wrong with it. */

#include "base/buffer.h"
#include "cosy/model.h"

#define Refusal       COSY_NAME(Refusal)
#define refusal_keep  COSY_NAME(refusal_keep)
#define refusal_words COSY_NAME(refusal_words)
#define refusal_line  COSY_NAME(refusal_line)

/* As host->refuse was told. */
typedef struct Refusal {
    bool kept;
    CosyRefusal what;
    uint32_t which, who;
    real value;
} Refusal;

/* Keeps the first one; returns COSY_REFUSED. */
CosyStatus refusal_keep(Refusal *r, CosyRefusal what, uint32_t which,
                        uint32_t who, real value);
/* `body`: the event, "INITIAL" ... where it is no transaction, or ""; `statement`:
   its text, or NULL. */
void refusal_words(Buffer *b, const Cosy *c, const Refusal *r, const char *body,
                   const char *statement);
/* Line of what it is about, 0 if there is none: for where the statement is not
   known. */
uint32_t refusal_line(const Cosy *c, const Refusal *r);

#endif
