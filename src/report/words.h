#ifndef COSY_REPORT_WORDS_H
#define COSY_REPORT_WORDS_H

/* What a run tells of itself, in words, for the report and for cosy explain. A
   line is a paragraph; one that begins with "- " belongs to the list begun by
   the line above. `run` is an object of "runs" in summary.json. */

#include "base/buffer.h"
#include "base/tree.h"

/* FEATURES; nothing if the run has none. */
void words_features(Buffer *b, const Tree *run);
/* When variables were outside of their RANGE. */
void words_ranges(Buffer *b, const Tree *run);
/* Slides and rests. */
void words_sliding(Buffer *b, const Tree *run);

#endif
