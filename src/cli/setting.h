#ifndef COSY_CLI_SETTING_H
#define COSY_CLI_SETTING_H

/* --set "P = 100 [kW]": the value in the unit of P. There may be blanks around
   the name, the value and the unit. Without a unit the value is already in the
   unit of P. */

#include "base/arena.h"
#include "base/status.h"
#include "cli/options.h"
#include "syntax/unit.h"

/* Cuts NAME = VALUE [UNIT] into its parts, in place; *unit is NULL where there
   is none. False: it is something else. */
bool setting_split(char *text, KernelSetting *s, const char **unit);
/* Values with a unit become values in the unit of their variable, in the arena.
   Needs: checked without errors. Names that the program does not have are left
   to the run, which knows what was meant. */
Status settings_convert(const Unit *u, RunCommand *r, Arena *a, Fault *f);
/* For a model without its text, whose units are not known: a fault if a unit is
   given. */
Status settings_without_text(const RunCommand *r, Fault *f);

#endif
