#ifndef COSY_REPORT_TEXTS_H
#define COSY_REPORT_TEXTS_H

/* Style and script of a report; tools/embed makes them part of the program. */

#include <stddef.h>

extern const char report_style[], report_script[];
extern const size_t report_style_length, report_script_length;

#endif
