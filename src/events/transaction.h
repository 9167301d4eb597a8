#ifndef COSY_EVENTS_TRANSACTION_H
#define COSY_EVENTS_TRANSACTION_H

/* Transactions by their number (TRANSNBR). c->numbered has, for every number
   modulo its length, the place where the last transaction with such a number
   was put; what is found there is looked at, and if it is another one the pool
   is searched. The table is no part of the instance: it may be missing or
   old. */

#include "base/buffer.h"
#include "cosy/model.h"

#define transaction_name      COSY_NAME(transaction_name)
#define transaction_find      COSY_NAME(transaction_find)
#define transactions_renumber COSY_NAME(transactions_renumber)
#define transactions_alive    COSY_NAME(transactions_alive)

/* host->transaction, with the table if there is one. */
CosyStatus transaction_find(Cosy *c, uint32_t process, int64_t number,
                            uint32_t *id);
/* "TRUCK 7". */
void transaction_name(Buffer *b, const Cosy *c, uint32_t id);
/* Fills the table anew. */
void transactions_renumber(Cosy *c);
/* How many there are, with those that are still to begin. */
uint32_t transactions_alive(const Cosy *c);

#endif
