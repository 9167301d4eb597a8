#ifndef COSY_GRAMMAR_DIAGRAM_H
#define COSY_GRAMMAR_DIAGRAM_H

/* Syntax diagrams on paper: as SVG, as a page of all of them, as text. */

#include "grammar/ebnf.h"

/* One rule as a file of its own, with links to RULE.svg of the others. */
void diagram_svg(Buffer *b, const Grammar *g, const Rule *rule);

/* All rules, in the sections of the grammar, as one HTML page. */
void diagram_page(Buffer *b, const Grammar *g);

/* At most TEXT_WIDTH columns wide, in box-drawing characters. Words appear as
   they are, signs in quotes, rules and classes of tokens in lower case. */
#define TEXT_WIDTH 80
void diagram_text(Buffer *b, const Grammar *g, const Rule *rule);

#endif
