#ifndef COSY_PICTURE_GALLERY_H
#define COSY_PICTURE_GALLERY_H

/* What an experiment keeps of its runs for OUTPUT, and everything that is drawn of
   it. A gallery knows the model and the records of runs, and nothing of how these
   were made: the experiment fills it (study/series.c).

       gallery_wants      whether records of a run are to be kept
       gallery_find_rows  what a line of OUTPUT shows
       gallery_show       OUTPUT as text
       graphs_make        all pictures, in Gallery.plots (graphs.h)
       graphs_draw        their files
       gallery_clear */

#include "base/buffer.h"
#include "picture/film.h"
#include "plot/plots.h"
#include "run/kernel.h"
#include "run/run.h"
#include "stats/envelope.h"
#include "stats/replicate.h"
#include "stats/show.h"
#include "stats/sweep.h"

#define Gallery           COSY_NAME(Gallery)
#define Shown             COSY_NAME(Shown)
#define Signals           COSY_NAME(Signals)
#define GalleryKept       COSY_NAME(GalleryKept)
#define gallery_wants     COSY_NAME(gallery_wants)
#define gallery_shown     COSY_NAME(gallery_shown)
#define gallery_find      COSY_NAME(gallery_find)
#define gallery_find_rows COSY_NAME(gallery_find_rows)
#define gallery_rows      COSY_NAME(gallery_rows)
#define gallery_show      COSY_NAME(gallery_show)
#define gallery_all       COSY_NAME(gallery_all)
#define gallery_nth       COSY_NAME(gallery_nth)
#define gallery_clear     COSY_NAME(gallery_clear)
#define gallery_json      COSY_NAME(gallery_json)
#define shown_free        COSY_NAME(shown_free)
#define graphs_wanted     COSY_NAME(graphs_wanted)
#define graphs_keep       COSY_NAME(graphs_keep)
#define graphs_bars       COSY_NAME(graphs_bars)
#define graphs_make       COSY_NAME(graphs_make)
#define graphs_draw       COSY_NAME(graphs_draw)

/* Records of a run that OUTPUT may want. */
typedef struct Shown {
    uint32_t run;
    uint32_t group;  // of replications, from 1; 0: it stands for itself
    uint32_t family; // of the study number `family`, from 1; 0: of none
    bool valued;     // one parameter varies in it, and this is its value
    double value;
    bool saved;
    bool
        pooled; // its histograms were those of all replications: see Gallery.again
    Vector rows;
    Vector histograms; // CosyHistogram, as in the model's table
    Vector active;     // a byte per TIMEPERS: the frame wanted it
    Vector marks;      // real: times of state events, unless there are many
    Vector spans;      // RunSpan: sliding and rest
    Buffer parameters; // "A=1, B=2", or empty
    Course course;     // without its columns
    Film film;         // arrays over their index
} Shown;

/* A picture that a run has drawn, of results that are shown again. */
typedef struct GalleryKept {
    uint32_t number;
    const char *asked; // Plot.asked; "": OUTPUT has no say in it
    bool stays;
} GalleryKept;

typedef struct Gallery {
    const CosyModel *model;
    const KernelOptions *options;
    Outlet *outlet;      // of messages about what cannot be shown
    Arena *arena;        // of texts that live as long as the gallery
    Fault *fault;        // why a picture could not be written
    const Fault *failed; // of the first run that failed
    uint32_t runs;       // made so far, kept or not
    Vector shown;        // Shown, in the order of the runs
    Vector cross;        // rows of CROSSPLOT
    Replications replications;
    Sweep sweep;         // what varied, and what came of it
    Vector uncertain;    // Uncertainty: what UNCERTAIN has found
    Envelopes envelopes; // means of the curves of replications
    Plots plots;         // once graphs_make has run
    bool plots_full;
    Plots pictures; // of what LINEARIZE has found, for `plots`
    Vector saves; // uint32_t: numbers of the runs that were SAVEd, kept or not
    bool again;   // results that are there are shown again (study/replay.h),
    Vector kept;  // GalleryKept: and these pictures of them may stay
    const struct Signals *signals; // see signals.h; NULL: not asked for yet
} Gallery;

/* Whether OUTPUT may want the records of this run; `place` is its element of the
   lists. */
bool gallery_wants(const Gallery *g, uint32_t run, uint32_t place, bool saved,
                   bool last);
Shown *gallery_shown(const Gallery *g, size_t *count);
/* The run that a line of OUTPUT means, NULL if there is none. */
const Shown *gallery_find(const Gallery *g, const CosyShow *line);
/* The rows that a line of OUTPUT shows; false if there are none. */
bool gallery_find_rows(const Gallery *g, const CosyShow *line,
                       ShowSource *from);
/* The same, with a warning if there are none. */
bool gallery_rows(Gallery *g, const CosyShow *line, ShowSource *from);
/* How many runs (ALL) shows: the SAVEd ones, or all if none was; and CosyShow.run
   for one of them, counted from 0. */
uint32_t gallery_all(const Gallery *g, bool *saved);
int32_t gallery_nth(const Gallery *g, uint32_t k, bool saved);
/* OUTPUT as text: tables, curves in characters. */
void gallery_show(Gallery *g);
/* Members of summary.json: "saved", the numbers of the runs that were SAVEd, and
   "signals" (signals.h), each if there are any, separated by commas. */
void gallery_json(Buffer *b, Gallery *g);
/* Frees all that it has kept. */
void gallery_clear(Gallery *g);
void shown_free(Shown *s);

/* graphs.c */

/* Whether the model has something that is drawn without being asked for. */
bool graphs_wanted(const Gallery *g);
/* Takes from a finished run what its graphs need. */
Status graphs_keep(Shown *s, Run *r);
/* BARS as text, with the run if there are several; `missing` gets the first
   name that has no HISTOGRAM. */
void graphs_bars(const Gallery *g, Buffer *b, Buffer *missing,
                 const CosyShow *line, const Shown *s);
/* Fills g->plots. */
Status graphs_make(Gallery *g);
/* DIR/plots: the scripts, and the pictures that gnuplot makes of them. */
Status graphs_draw(Gallery *g, const char *dir);

#endif
