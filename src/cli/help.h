#ifndef COSY_CLI_HELP_H
#define COSY_CLI_HELP_H

/* Prints cosy --help: commands.def as a text of at most 80 columns. */

#include <stdio.h>

void help_print(FILE *to);

#endif
