#ifndef COSY_STATS_SELECTED_H
#define COSY_STATS_SELECTED_H

/* What REPLICATE BEST has selected, for summary.json and the terminal. The
   alternatives of a Selection are the groups of its SIMULATE. */

#include "stats/replicate.h"
#include "stats/select.h"

#define Selected       COSY_NAME(Selected)
#define selected_begin COSY_NAME(selected_begin)
#define selected_last  COSY_NAME(selected_last)
#define selected_any   COSY_NAME(selected_any)
#define selected_json  COSY_NAME(selected_json)
#define selected_table COSY_NAME(selected_table)

typedef struct Selected {
    uint32_t first_group;
    uint32_t quantity; // among those of its SIMULATE
    Selection s;
} Selected;

/* For the SIMULATE that has just begun; false: there is no memory. */
bool selected_begin(Replications *r, const CosySimulate *s, uint32_t elements);
/* That of the present SIMULATE. */
Selected *selected_last(const Replications *r);
bool selected_any(const Replications *r);
/* The value of "selections": a list of objects. */
void selected_json(Buffer *b, const Replications *r);
void selected_table(Buffer *b, const Replications *r, uint32_t wide);

#endif
