#ifndef COSY_EVENTS_TRANSACTION_H
#define COSY_EVENTS_TRANSACTION_H

/* Transactions by their number (TRANSNBR). For every number modulo its length,
   c->numbered has the place of the last transaction with such a number. If
   another transaction is found there, the pool is searched. The table is not
   part of the instance: it may be missing or out of date. */

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
/* Counts the transactions, including those still to begin. */
uint32_t transactions_alive(const Cosy *c);

#endif
