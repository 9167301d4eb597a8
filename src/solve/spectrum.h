#ifndef COSY_SOLVE_SPECTRUM_H
#define COSY_SOLVE_SPECTRUM_H

/* The features that a model's Jacobian shows at a point (chapter VI of the 1979
   text): how fast its motions are, whether some of them grow, how many
   oscillate rather than decay, and how many are too slow to be supported by the
   model's data.

       spectrum_create   once
       spectrum_find     any number of times; checks the number of states
                         itself
       spectrum_glance   what the entries show without an eigenvalue; then
       spectrum_more     for the same Jacobian, the eigenvalues or their estimate
       spectrum_estimate what is known about the largest without the others
       spectrum_free

   Up to SPECTRUM_MOST states all eigenvalues are found, by LAPACK and in double
   precision whatever the precision of the run; those of J - lambda M where the
   model has a mass matrix. For more states a power iteration estimates the
   largest one.

   A find leaves out derivatives by parameters that are integrated with the model
   (SENSITIVITY, FIT): their motions are those of the model once more.

   A find evaluates the Jacobian and counts it, but it leaves the states, the
   step and everything else in the solver alone. */

#include "solve/jacobian.h"
#include "solve/method.h"
#include "solve/modes.h"

#define Spectrum          COSY_NAME(Spectrum)
#define Features          COSY_NAME(Features)
#define spectrum_create   COSY_NAME(spectrum_create)
#define spectrum_find     COSY_NAME(spectrum_find)
#define spectrum_jacobian COSY_NAME(spectrum_jacobian)
#define Glance            COSY_NAME(Glance)
#define spectrum_glance   COSY_NAME(spectrum_glance)
#define spectrum_more     COSY_NAME(spectrum_more)
#define spectrum_estimate COSY_NAME(spectrum_estimate)
#define spectrum_modes    COSY_NAME(spectrum_modes)
#define spectrum_state    COSY_NAME(spectrum_state)
#define spectrum_free     COSY_NAME(spectrum_free)

enum { SPECTRUM_MOST = 200 };

/* All rates are per unit of time. An eigenvalue counts as zero below 1e-10 of
   the largest. */
typedef struct Features {
    double size;        // largest |lambda|
    double fastest;     // largest -Re lambda, 0 if nothing decays
    double slowest;     // smallest |Re lambda| that is not zero; 0: none
    double growth;      // largest Re lambda, 0 if it counts as zero; NaN: not
                        // known
    double edge;        // largest Re lambda, whatever its sign; 0 if it counts
                        // as zero
    double oscillation; // among those with at least half of `size`, the share
                        // with |Re lambda| below a tenth of |lambda|
    double invalid;     // share of |lambda| <= sigma e^(1/n), NaN: not known
    bool complete;      // from all eigenvalues
} Features;

/* Sums over the entries bound the eigenvalues: all |lambda| <= bound and all
   Re lambda within [low, high] (Gershgorin); the means are those of Re lambda
   and of (Re lambda)^2 - (Im lambda)^2, from the traces of J and J J. */
typedef struct Glance {
    double bound, low, high;
    double mean, mean_square;
} Glance;

typedef struct Spectrum {
    Jacobian jacobian;
    bool there;         // has been created
    uint32_t structure; // of the model, when it was shaped
    bool shaped;        // for n states
    uint32_t n;
    Vector own;    // uint32_t: states that are no derivatives by parameters
    uint32_t owns; // how many
    Vector weight; // reals
    Vector work;   // doubles
} Spectrum;

Status spectrum_create(Spectrum *p, Solver *s);
/* Finds only the Jacobian: p->jacobian. */
Status spectrum_jacobian(Spectrum *p, Solver *s, real t, const real *x,
                         const real *dx);
/* Examines (t, x), where the derivatives are dx. `accuracy` is that of the
   model's data; 0: that of the numbers. STATUS_NUMBER and others: there is no
   Jacobian. */
Status spectrum_find(Spectrum *p, Solver *s, real t, const real *x,
                     const real *dx, double accuracy, Features *f);
/* For a model without a mass matrix. */
Status spectrum_glance(Spectrum *p, Solver *s, real t, const real *x,
                       const real *dx, Glance *g);
/* For the Jacobian of the last glance: all eigenvalues, or the estimate. */
Status spectrum_more(Spectrum *p, bool all, Features *f);
/* Finds the estimate, for any number of states. */
Status spectrum_estimate(Spectrum *p, Solver *s, real t, const real *x,
                         const real *dx, Features *f);
/* The modes of the Jacobian that was found last, and up to which size data of this
   accuracy say nothing about an eigenvalue. Up to SPECTRUM_MOST states. */
uint32_t spectrum_state(const Spectrum *p, size_t k); // state k of the modes
Status spectrum_modes(Spectrum *p, double accuracy, Modes *m, double *border,
                      Arena *a);
void spectrum_free(Spectrum *p);

#endif
