#ifndef COSY_REPORT_WORDS_H
#define COSY_REPORT_WORDS_H

/* What a run says about itself, in words, for the report and for cosy explain.
   A line is a paragraph; one that begins with "- " belongs to the list begun by
   the line above. `run` is an object of "runs" in summary.json, `units` its
   object of that name, or NULL. */

#include "base/buffer.h"
#include "base/tree.h"

/* The unit of TIME, of a variable or one of its elements, or of a quantity of
   "replications"; "" if it has none, or is a plain number, [1]. */
const char *words_unit(const Tree *units, const char *name);
/* " min" after a time or " km" after a value; nothing if it has no unit. */
void words_put_unit(Buffer *b, const Tree *units, const char *name);

/* FEATURES; nothing if the run has none. */
void words_features(Buffer *b, const Tree *run, const Tree *units);
/* When variables were outside their RANGE. */
void words_ranges(Buffer *b, const Tree *run, const Tree *units);
/* The error bar of a run with FIELDs. */
void words_grid(Buffer *b, const Tree *run, const Tree *units);
/* Slides and rests. */
void words_sliding(Buffer *b, const Tree *run, const Tree *units);
/* Whether the run is a STEADYSTATE or LINEARIZE, and what such a statement has
   found. */
bool words_is_point(const Tree *run);
void words_point(Buffer *b, const Tree *run);
/* What LINEARIZE REDUCE has made of a linear model: "linear" of a run. */
void words_reduced(Buffer *b, const Tree *linear);
/* What data do not support of a model, each on a line: parameters by FITs ("optimum"
   of summary.json), motions by FEATURES of a run; then the statement made of such
   lines, nothing if there are none. */
void words_unsupported_fits(Buffer *b, const Tree *optima);
void words_unsupported_run(Buffer *b, const Tree *run);
void words_richer(Buffer *b, Buffer *lines);
/* The lines of a text as paragraphs and lists of a page. */
void words_page(Buffer *b, const char *text);

#endif
