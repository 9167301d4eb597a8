#ifndef COSY_CLI_TERMINAL_H
#define COSY_CLI_TERMINAL_H

/* What a file descriptor can show. Colour and a line that changes are for
   terminals alone; NO_COLOR (with any value) and TERM=dumb are heeded. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "run/kernel.h"

/* In colour. */
bool terminal_colour(int fd);
/* A line can be written over. */
bool terminal_moves(int fd);
/* Columns of it; 80 if that is not known. */
uint32_t terminal_wide(int fd);

/* How far a run is: time, runs, speed, what remains; at most `room` characters.
   `now` in seconds of CLOCK_MONOTONIC. */
void terminal_progress(Buffer *b, const KernelProgress *p, double now,
                       uint32_t room);

#endif
