#ifndef COSY_TESTS_COUNT_H
#define COSY_TESTS_COUNT_H

/* Counts the calls of malloc, calloc and realloc by COSY's code, which the
   linker sends through here (--wrap; see meson.build). */

unsigned long count_allocations(void);

#endif
