#ifndef COSY_GRAPH_SVG_H
#define COSY_GRAPH_SVG_H

/* What the pictures of a model share: how an SVG begins, its colours in light and
   dark, texts. A picture needs no other file, and does not change the page it may
   stand in: its styles are those of class "graph". Colours of curves are classes
   "c0" to "c6"; they set `color`. */

#include <stdbool.h>

#include "base/buffer.h"

typedef struct SvgSize {
    int wide, high;
} SvgSize;

/* `name` is read to those who cannot see the picture. Ends with svg_end. */
void svg_begin(Buffer *b, SvgSize size, const char *name);
void svg_end(Buffer *b);
/* In a page that has the style of all its pictures. */
void svg_begin_styled(Buffer *b, SvgSize size, const char *name);
void svg_style(Buffer *b);
/* A text, escaped, at the left end of its base line. `kind`: classes. */
void svg_text(Buffer *b, double x, double y, const char *kind,
              const char *text);
/* As much of it as fits, with dots for the rest. */
void svg_text_cut(Buffer *b, double x, double y, const char *kind,
                  const char *text, double size, double room);
/* <title>: shown when the pointer rests on what it is in. */
void svg_hint(Buffer *b, const char *text);
/* Width of a text in pixels, with what other fonts than Helvetica need. */
double svg_wide(const char *text, double size);

#endif
