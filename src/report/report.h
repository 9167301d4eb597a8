#ifndef COSY_REPORT_REPORT_H
#define COSY_REPORT_REPORT_H

/* report.html: one page that needs nothing beside it. It says what came out
   (intervals over replications, graphs, statistics, final values), what was run
   (parameters), what was said meanwhile (messages that lead to their line; first,
   if a run did not finish), how it was computed, and the text of the model.

       report_message    as messages come
       report_graph      as graphs are made; the Plot may end then
       report_write      DIR/report.html
       report_free

   The page can be read without its script, which only lets graphs be zoomed; on
   paper, in the dark and on a narrow screen it looks different by its style
   alone. Same results give the same bytes, but for lines that hold
   class="wall": wall times, each in a line of its own. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "plot/plot.h"

/* The first bytes of every report. */
#define REPORT_HEAD "<!DOCTYPE html>\n<!-- COSY report -->\n"

/* What is gathered on the way. Zero to begin with. */
typedef struct Report {
    Buffer graphs;   // as they stand in the page
    Buffer messages; // each ended by NUL
    uint32_t drawn, told;
} Report;

/* A variable of the model, as final values name it. */
typedef struct ReportName {
    const char *name, *unit, *comment;
    uint32_t line;
    bool truth; // BOOLEAN or LOGIC: 1 is TRUE
} ReportName;

typedef struct ReportFacts {
    const char *program, *release, *hash;
    const char *author;     // of PROJECT, or NULL
    uint64_t project;       // its number
    const char *source;     // file that messages name
    const char *text;       // of the model; NULL: not known
    size_t length;          // of it
    const char *remarks;    // what the compiler said, or NULL
    const char *provenance; // of summary.json, or NULL
    const Buffer *runs;     // objects of summary.json, or several with commas
    uint32_t buffers;       // of them
    uint32_t count;         // runs in all
    uint32_t failed;        // of them
    const char *together;   // "replications" as JSON, or NULL
    const char *units;      // the same of summary.json, or NULL
    const char *verified;   // "verify" as JSON, or NULL
    const ReportName *name;
    uint32_t names;
} ReportFacts;

void report_message(Report *r, const char *text);
void report_graph(Report *r, const Plot *p);
Status report_write(const Report *r, const ReportFacts *facts, const char *dir,
                    Fault *f);
void report_free(Report *r);

#endif
