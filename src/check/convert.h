#ifndef COSY_CHECK_CONVERT_H
#define COSY_CHECK_CONVERT_H

/* Writes conversions of units into the tree, so that no later pass knows about
   them. Numbers are converted in place; anything else is multiplied by a
   factor, divided by one where that has the shorter text (X/3.6), and shifted
   if it is a point of temperature. Private to the check of units (units.h). */

#include "check/agree.h"

/* Converts n from one unit to the other. Needs: one dimension. */
void convert_node(Units *c, Node *n, Dimension from, Dimension to);
/* True if n is INTEGER; true if it would still be whole in the other unit. */
bool convert_is_whole(const Node *n);
bool convert_stays_whole(const Node *n, Dimension from, Dimension to);
/* Keeps the text of b for the tree, and frees b. */
const char *convert_keep(Units *c, Buffer *b);

#endif
