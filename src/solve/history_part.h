#ifndef COSY_SOLVE_HISTORY_PART_H
#define COSY_SOLVE_HISTORY_PART_H

/* Shared by the files of the history: its tables (history_piece.c), and how a
   step is examined and repeated (history_turn.c). */

#include "solve/history.h"
#include "solve/linear.h"

#define history_delays    COSY_NAME(history_delays)
#define history_breaks    COSY_NAME(history_breaks)
#define history_pieces    COSY_NAME(history_pieces)
#define history_piece     COSY_NAME(history_piece)
#define history_inputs    COSY_NAME(history_inputs)
#define history_lags      COSY_NAME(history_lags)
#define history_nodes     COSY_NAME(history_nodes)
#define history_slack     COSY_NAME(history_slack)
#define history_scratch   COSY_NAME(history_scratch)
#define history_curve     COSY_NAME(history_curve)
#define history_slope     COSY_NAME(history_slope)
#define history_ask       COSY_NAME(history_ask)
#define history_ask_dense COSY_NAME(history_ask_dense)
#define history_write     COSY_NAME(history_write)
#define history_cut_back  COSY_NAME(history_cut_back)
#define history_shorten   COSY_NAME(history_shorten)
#define history_forget    COSY_NAME(history_forget)
#define history_allowed   COSY_NAME(history_allowed)
#define history_read      COSY_NAME(history_read)

/* Bytes kept beyond the longest lag so far, for lags that may vary. */
#define HISTORY_ROOM ((size_t)16 << 20)
/* How often a step may be cut; and how often if the previous step was cut that
   many times, because its inputs are noise. */
#define HISTORY_CUTS       1024
#define HISTORY_CUTS_NOISE 32
/* Consecutive steps that end because of a lag before a longer one is tried. */
#define HISTORY_PATIENCE 32

HistoryDelay *history_delays(const History *h);
HistoryBreak *history_breaks(const History *h, size_t *count);
size_t history_pieces(const History *h); // how many there are
real *history_piece(const History *h, size_t k);

/* Inputs and lags that were evaluated last; the positions of the points of a
   piece, from 0 to 1. */
real *history_inputs(const History *h);
real *history_lags(const History *h);
real *history_nodes(const History *h);
Status history_scratch(History *h);

/* Rounding error of a time computed as a sum of these. */
real history_slack(real t, real tau);

/* A row of a piece at a position, from 0 to 1 and a little beyond; its slope,
   in units of the piece's length. */
real history_curve(const History *h, const real *piece, uint32_t row, real u);
real history_slope(const History *h, const real *piece, uint32_t row, real u);
/* How far a row may be off. */
real history_allowed(const History *h, const real *piece, uint32_t row,
                     real relerr);
/* Input of a delay at time t, from the pieces of its era; *rate too, if wanted.
   */
CosyStatus history_read(History *h, uint32_t delay, real t, real *value,
                        real *rate);

/* Evaluates inputs and lags at a point; at a time of the last step. */
Status history_ask(History *h, real t, const real *x);
Status history_ask_dense(History *h, Solver *s, real t);

/* Writes the last step as pieces after the settled ones, replacing those that
   are there. *change is how far they differ, as a multiple of the error
   allowed; COSY_REAL_MAX if there were none, or if the step was cut so often
   that it would not end. */
Status history_write(History *h, Solver *s, real *change);
/* Removes what was written after the settled pieces. */
void history_cut_back(History *h);
/* Removes what is settled after t, which lies in the last step. */
Status history_shorten(History *h, real t);
/* Forgets what no point of a step from t on can read. */
void history_forget(History *h, real t);

#endif
