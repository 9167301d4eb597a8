#ifndef COSY_REPORT_REPORT_H
#define COSY_REPORT_REPORT_H

/* report.html: one page that needs no other file. It shows the results (the answer
   of a study first, intervals over replications, graphs, statistics, final values), what was run
   (parameters), the messages (with links to their lines; first of all if a run
   did not finish), how it was computed, and the text of the model.

       report_message    as messages come
       report_graph      as graphs are made; the Plot may end then
       report_write      DIR/report.html
       report_free

   The page can be read without its script, which only makes graphs zoomable;
   its style alone adapts it to paper, dark mode and narrow screens. The same
   results give the same bytes, except for lines with class="wall": wall times,
   each in a line of its own. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "plot/plot.h"

/* The first bytes of every report. */
#define REPORT_HEAD "<!DOCTYPE html>\n<!-- COSY report -->\n"

/* How a figure begins and ends; its number follows. */
#define REPORT_FIGURE     "<figure><figcaption id=\"g"
#define REPORT_FIGURE_END "</figure>\n"

/* What is gathered along the way. To be initialized with zeros. */
typedef struct Report {
    Buffer graphs;   // as they appear in the page
    Buffer answers;  // those that a study is about
    Buffer messages; // each begins with the letter of its class and ends with
                     // NUL
    uint32_t drawn, told;
    bool output; // messages that come now are about OUTPUT
    /* What is taken over from an earlier report. */
    Buffer figures,
        notes;       // as in the page, figures in the order of their numbers
    Buffer answered; // those of the figures that a study is about
    Vector taken;    // uint32_t: these numbers
    uint32_t noted;  // how many messages
} Report;

/* A variable of the model, for the tables of final values. */
typedef struct ReportName {
    const char *name, *unit, *comment;
    uint32_t line;
    bool truth; // BOOLEAN or LOGIC: 1 is TRUE
} ReportName;

typedef struct ReportFacts {
    const char *program, *release, *hash;
    const char *author;     // from PROJECT, or NULL
    uint64_t project;       // its number
    const char *source;     // file that messages name
    const char *text;       // of the model; NULL: not known
    size_t length;          // of it
    const char *remarks;    // what the compiler said, or NULL
    const char *pictures;   // of the model's structure, as HTML, or NULL
    const char *provenance; // of summary.json, or NULL
    const Buffer *runs;     // objects of summary.json, or several with commas
    uint32_t buffers;       // how many buffers
    uint32_t count;         // runs in all
    uint32_t failed;        // runs that did not finish
    const char *uncertain;  // stats/uncertain.h as JSON, or NULL
    const char *swept;      // studies as JSON, see stats/sweep.h, or NULL
    const char *optimum;    // "optimum" as JSON, or NULL
    const char *together;   // "replications" as JSON, or NULL
    const char *compared;   // "comparisons", or NULL
    const char *selected;   // "selections", or NULL
    const char *units;      // the same of summary.json, or NULL
    const char *verified;   // "verify" as JSON, or NULL
    const ReportName *name;
    uint32_t names;
} ReportFacts;

void report_message(Report *r, const char *text);
void report_graph(Report *r, const Plot *p);
/* Takes over, from the report of the same runs, its messages. */
void report_inherit(Report *r, const char *page);
/* And a figure, by its number. */
void report_keep(Report *r, const char *page, uint32_t number);
/* The number of the next figure: one that no figure has. */
uint32_t report_next(Report *r);
Status report_write(const Report *r, const ReportFacts *facts, const char *dir,
                    Fault *f);
void report_free(Report *r);

#endif
