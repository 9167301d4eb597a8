#ifndef COSY_CLI_SETTING_H
#define COSY_CLI_SETTING_H

/* --set "P = 100 [kW]": the value in the unit of P. Blanks may stand around the
   name, the value and the unit, which may be missing: then the value is in the
   unit of P already. */

#include "base/arena.h"
#include "base/status.h"
#include "cli/options.h"
#include "syntax/unit.h"

/* Cuts NAME = VALUE [UNIT] into its parts, in place; *unit is NULL where there
   is none. False: it is something else. */
bool setting_split(char *text, KernelSetting *s, const char **unit);
/* Values with a unit become values in the unit of their variable, in the arena.
   Needs: check() was content. Names that the program does not have are left to
   the run, which knows what was meant. */
Status settings_convert(const Unit *u, RunCommand *r, Arena *a, Fault *f);
/* For a model without its text, whose units nobody can read: a fault if there
   is a unit. */
Status settings_without_text(const RunCommand *r, Fault *f);

#endif
