#ifndef COSY_STUDY_ERRORBAR_TELL_H
#define COSY_STUDY_ERRORBAR_TELL_H

/* What an error bar says (errorbar.h): as the member "grid" of a run in summary.json,
   as lines for the terminal, as errors-NNNN.csv and norms-NNNN.csv, and as warnings
   (docs/results.md, docs/topics/gridcheck.txt). */

#include "study/errorbar.h"

#define ErrorBarMore  COSY_NAME(ErrorBarMore)
#define errorbar_json COSY_NAME(errorbar_json)
#define errorbar_text COSY_NAME(errorbar_text)
#define errorbar_file COSY_NAME(errorbar_file)
#define errorbar_bell COSY_NAME(errorbar_bell)
#define errorbar_none COSY_NAME(errorbar_none)

/* What was done before the run. */
typedef struct ErrorBarMore {
    real share; // of the tolerance that the program asks for; 1: all of it
    const char *refined; // what GRID AUTO did, in words; "": nothing
} ErrorBarMore;

void errorbar_json(Buffer *b, const ErrorBar *e, const ErrorBarMore *more);
/* Of a run without an error bar. */
void errorbar_none(Buffer *b, const CosyModel *m, const char *why);
void errorbar_text(Buffer *b, const ErrorBar *e, const ErrorBarMore *more);
/* DIR/errors-NNNN.csv and DIR/norms-NNNN.csv, if the run has rows. */
Status errorbar_file(const ErrorBar *e, const char *dir, uint32_t run,
                     Fault *f);
/* Calls `ring` with every warning. */
void errorbar_bell(const ErrorBar *e,
                   void (*ring)(void *user, uint32_t line, const char *text),
                   void *user);

#endif
