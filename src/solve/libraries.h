#ifndef COSY_SOLVE_LIBRARIES_H
#define COSY_SOLVE_LIBRARIES_H

/* The libraries that compute numbers, and their versions. */

#include <stddef.h>

enum { LIBRARIES = 3 };

const char *libraries_name(unsigned which);
void libraries_version(unsigned which, char *text, size_t size);

#endif
