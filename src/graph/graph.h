#ifndef COSY_GRAPH_GRAPH_H
#define COSY_GRAPH_GRAPH_H

/* Pictures of a model, as SVG.

       graph_parts       the parts of a program, and what joins them (diagram.h)
       graph_causality   which equation gives which unknown, in the order in which
                         they are carried out (causality.h)
       graph_page        both, as folded sections of a page

   They are for people who look at a model: nothing reads them. The same model
   gives the same bytes. A buffer that is broken afterwards: no memory. */

#include "base/buffer.h"
#include "model/model.h"
#include "syntax/parts.h"

/* `heading`: above it; NULL: it stands in a page, which has the style (svg.h). A
   program without parts has no such picture: then it is false, and nothing is
   written. */
bool graph_parts(Buffer *b, const UnitParts *p, const char *heading);
/* Needs: sorted. `p`: names its parts, or has none. False: a model without
   equations. */
bool graph_causality(Buffer *b, Model *m, const UnitParts *p,
                     const char *heading);
/* Nothing if a model has neither. */
void graph_page(Buffer *b, Model *m, const UnitParts *p);

#endif
