#ifndef COSY_CLI_LIBRARY_PAGES_H
#define COSY_CLI_LIBRARY_PAGES_H

/* Pages of the standard library for `cosy doc`: what the comments of its texts
   say. */

#include <stdbool.h>
#include <stddef.h>

/* The page of a text ("electrical"), of a MODULE in it ("electrical.resistor") or of
   a MODULE alone; false if there is none of that name. */
bool library_page(const char *name);
/* A line for each text, for the list of topics. */
void library_page_list(void);
/* Appends names for "did you mean"; returns how many there are now. */
size_t library_names(const char **known, size_t n, size_t most);

#endif
