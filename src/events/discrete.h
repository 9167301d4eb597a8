#ifndef COSY_EVENTS_DISCRETE_H
#define COSY_EVENTS_DISCRETE_H

/* The discrete part of a run at its start. */

#include "cosy/model.h"

#define discrete_reset COSY_NAME(discrete_reset)

/* Empties calendar and pools and resets resources, files and streams as
   declared (statistics: stats/observe.h). Reads head->t (where the run begins),
   run, replication and seed; leaves the rest of the head alone. COSY_REFUSED: a
   stream has impossible parameters. */
CosyStatus discrete_reset(Cosy *c);

#endif
