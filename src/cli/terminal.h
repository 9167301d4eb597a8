#ifndef COSY_CLI_TERMINAL_H
#define COSY_CLI_TERMINAL_H

/* Finds out what a file descriptor can show. Only terminals get colour and a
   line that changes; NO_COLOR (with any value) and TERM=dumb are respected. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "run/kernel.h"

/* True if it can show colour. */
bool terminal_colour(int fd);
/* True if a line can be overwritten. */
bool terminal_moves(int fd);
/* Its width in columns; 80 if that is not known. */
uint32_t terminal_wide(int fd);

/* Writes how far a run is: time, runs, speed, what remains; at most `room`
   characters. `now` in seconds of CLOCK_MONOTONIC. */
void terminal_progress(Buffer *b, const KernelProgress *p, double now,
                       uint32_t room);

#endif
