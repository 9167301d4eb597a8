#ifndef COSY_STATS_REDUCED_H
#define COSY_STATS_REDUCED_H

/* What LINEARIZE REDUCE has found, for summary.json and the terminal: a part of
   stats/analysis.h. */

#include "stats/analysis.h"

#define reduced_json COSY_NAME(reduced_json)
#define reduced_text COSY_NAME(reduced_text)

void reduced_json(Buffer *b, const CosyModel *m, const RunLinear *l);
void reduced_text(Buffer *b, const CosyModel *m, const RunLinear *l);

#endif
