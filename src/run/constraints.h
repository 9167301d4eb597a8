#ifndef COSY_RUN_CONSTRAINTS_H
#define COSY_RUN_CONSTRAINTS_H

/* How a run keeps to the constraints of its model (solve/project.h).

       constraints_keep    after a step: restores what it has drifted from. A
                           step that drifts far is made again, and shorter.
                           Multi-step methods begin anew when x is moved, so
                           they may drift by a few tolerances before that
       constraints_enter   before the integrator starts at the present point:
                           restores the constraints of the mode that is entered,
                           or fails with an impulse

   Without constraints both do nothing. */

#include "base/status.h"
#include "cosy/model.h"
#include "solve/project.h"

#define Run                 COSY_NAME(Run)
#define constraints_keep    COSY_NAME(constraints_keep)
#define constraints_enter   COSY_NAME(constraints_enter)
#define constraints_set     COSY_NAME(constraints_set)
#define constraints_same    COSY_NAME(constraints_same)
#define constraints_normals COSY_NAME(constraints_normals)

typedef struct Run Run;

Status constraints_keep(Run *r);
/* `before` has the states before the events of this instant, NULL: not known.
   States that the events have changed stay as they are, if that is possible. */
Status constraints_enter(Run *r, const real *before);
/* Points at boundaries of FIELDs that have to have certain values get them, whatever an
   event or the start has left there. Leaves what project_look finds at x. */
Status constraints_set(Run *r, const ProjectAt *at, real *x, bool *moved);
/* Whether the rows that are active at the present point are those of the last
   step, and hold there: no other mode has been entered. */
bool constraints_same(Run *r);
/* Directions that leave the constraints: project_normals. */
Status constraints_normals(Run *r, real t, const real *x, const real *size,
                           real *normal, real *off, uint32_t *count);

#endif
