#ifndef COSY_CHECK_CONVERT_H
#define COSY_CHECK_CONVERT_H

/* Writes conversions of units into the tree, so that no later pass knows of
   them. Numbers are converted where they stand; anything else is multiplied by a
   factor, divided by one where that has the shorter text (X/3.6), and shifted if
   it is a point of temperature. Private to the check of units (units.h). */

#include "check/agree.h"

/* What n is in one unit it is in the other afterwards. Needs: one dimension. */
void convert_node(Units *c, Node *n, Dimension from, Dimension to);
/* Whether n is INTEGER, and whether it would still be in the other unit. */
bool convert_is_whole(const Node *n);
bool convert_stays_whole(const Node *n, Dimension from, Dimension to);
/* The text of b, which is freed, for the tree. */
const char *convert_keep(Units *c, Buffer *b);

#endif
