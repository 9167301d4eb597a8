#ifndef COSY_REPORT_UNCERTAIN_H
#define COSY_REPORT_UNCERTAIN_H

#include "report/tables.h"

/* What UNCERTAIN has found (stats/uncertain.h), without a heading: tables for the
   beginning of the report. */
void uncertain_tables(Buffer *b, const Tree *list);

#endif
