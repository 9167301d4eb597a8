#ifndef COSY_PICTURE_SIGNALS_H
#define COSY_PICTURE_SIGNALS_H

/* Operations on data: the lines SPECTRUM, AUTOCORR, CROSSCORR and COMPARE of
   OUTPUT. What they find is computed once, when it is first asked for, and then
   shown in four ways: a table, a picture, a member of summary.json, and a file with
   the whole curves.

       signals_find     computes it, with messages about what cannot be computed
       signals_text     the table of a line
       signals_plot     its picture
       signals_json     the member "signals" with its name; nothing if there are no such lines
       signals_write    DIR/spectrum-NNNN.csv and the like

   signals.c computes, signal_words.c writes, signal_plots.c draws. */

#include "picture/gallery.h"
#include "stats/curve.h"
#include "stats/differ.h"
#include "stats/fourier.h"

#define Signal        COSY_NAME(Signal)
#define SignalRow     COSY_NAME(SignalRow)
#define signals_find  COSY_NAME(signals_find)
#define signals_text  COSY_NAME(signals_text)
#define signals_plot  COSY_NAME(signals_plot)
#define signals_json  COSY_NAME(signals_json)
#define signals_write COSY_NAME(signals_write)
#define signals_name  COSY_NAME(signals_name)
#define signals_title COSY_NAME(signals_title)
#define signals_unit  COSY_NAME(signals_unit)

enum { SIGNAL_PEAKS = 5 };

/* A curve of a line: of a variable (and a second one) in a run. */
typedef struct SignalRow {
    ShowColumn what, with; // with: CROSSCORR only
    const Shown *run;
    Curve curve;
    CurveAxis axis; // of the values it is made from
    real mean;      // of the curve
    /* SPECTRUM and the correlations: y at x0 + k dx. */
    real x0, dx;
    const real *y;
    size_t n;
    /* SPECTRUM */
    FourierPeak peak[SIGNAL_PEAKS]; // `at` in frequencies
    uint32_t peaks;
    real highest; // frequency
    real edge;    // see fourier_edge
    uint32_t pieces;
    /* AUTOCORR: where r falls to 1/e, and its next maximum after having been below
       0; CROSSCORR: the largest |r|. Lags that there are not are NaN. */
    real falls, lag, value;
    /* COMPARE */
    const Shown *other; // or NULL: data
    Curve reference;    // of the other run
    const real *times, *values;
    size_t points; // of the data
    Difference d;
} SignalRow;

typedef struct Signal {
    const CosyShow *line;
    uint32_t number; // from 1
    SignalRow *row;
    uint32_t n;
    bool several; // its curves are of several runs
} Signal;

typedef struct Signals {
    Signal *signal;
    uint32_t n;
} Signals;

static inline bool signals_has(const CosyShow *line)
{
    return line->kind >= COSY_SPECTRUM;
}

/* One Signal for each such line, in their order. NULL: no memory. */
const Signals *signals_find(Gallery *g);
void signals_text(Buffer *b, Gallery *g, const Signal *s);
Status signals_plot(Gallery *g, const Signal *s);
void signals_json(Buffer *b, Gallery *g);
Status signals_write(Gallery *g, const char *dir);

/* Shared by signal_words.c and signal_plots.c. "X [m], run 3", "X, Y". */
void signals_name(Buffer *b, const Gallery *g, const Signal *s,
                  const SignalRow *r, bool unit);
/* TITLE, or what it is. */
const char *signals_title(const Signal *s);
/* "Hz", "1/min", or "". */
const char *signals_unit(Buffer *b, const CosyModel *m);

#endif
