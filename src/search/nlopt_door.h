#ifndef COSY_SEARCH_NLOPT_DOOR_H
#define COSY_SEARCH_NLOPT_DOOR_H

/* NLopt, loaded when it is first needed: Debian has it as a shared library only, and
   most starts of the program do not optimise. Private to src/search. */

#include <nlopt.h>

#include "base/status.h"
#include "cosy/real.h"

#define NloptDoor  COSY_NAME(NloptDoor)
#define nlopt_door COSY_NAME(nlopt_door)

/* The functions that are used: result, name, arguments. */
#define NLOPT_LIST(F)                                                          \
    F(nlopt_opt, create, (nlopt_algorithm, unsigned))                          \
    F(void, destroy, (nlopt_opt))                                              \
    F(nlopt_result, optimize, (nlopt_opt, double *, double *))                 \
    F(nlopt_result, set_min_objective, (nlopt_opt, nlopt_func, void *))        \
    F(nlopt_result, set_lower_bounds, (nlopt_opt, const double *))             \
    F(nlopt_result, set_upper_bounds, (nlopt_opt, const double *))             \
    F(nlopt_result, add_inequality_mconstraint,                                \
      (nlopt_opt, unsigned, nlopt_mfunc, void *, const double *))              \
    F(nlopt_result, add_equality_mconstraint,                                  \
      (nlopt_opt, unsigned, nlopt_mfunc, void *, const double *))              \
    F(nlopt_result, set_xtol_abs1, (nlopt_opt, double))                        \
    F(nlopt_result, set_maxeval, (nlopt_opt, int))                             \
    F(nlopt_result, force_stop, (nlopt_opt))                                   \
    F(nlopt_result, set_local_optimizer, (nlopt_opt, const nlopt_opt))         \
    F(nlopt_result, set_initial_step, (nlopt_opt, const double *))             \
    F(void, srand, (unsigned long))                                            \
    F(void, version, (int *, int *, int *))

typedef struct NloptDoor {
    void *library;
#define NLOPT_MEMBER(result, name, arguments) result(*name) arguments;
    NLOPT_LIST(NLOPT_MEMBER)
#undef NLOPT_MEMBER
} NloptDoor;

/* Finds the functions. The library stays loaded until the process ends. */
Status nlopt_door(NloptDoor *door, Fault *f);

#endif
