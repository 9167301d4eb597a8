#ifndef COSY_EXPAND_STANDARD_H
#define COSY_EXPAND_STANDARD_H

/* The standard library: texts of lib/, which tools/embed makes part of the
   program. Each is a list of TYPEs and MODULEs that INVOKE puts where it stands,
   under the name of the text or of one of its MODULEs. */

#include <stdbool.h>
#include <stddef.h>

typedef struct StandardText {
    const char *name; // "electrical"
    const char *text;
    size_t length;
} StandardText;

extern const StandardText standard_texts[];
extern const size_t standard_text_count;

/* The text of that name, or the one that holds that MODULE; NULL: none. */
const StandardText *standard_find(const char *name);
/* The definition of a MODULE in it with the comment before it: where it begins and
   how long it is. False if there is no such MODULE. */
bool standard_module(const StandardText *t, const char *name,
                     const char **begin, size_t *length);
/* The name of the k-th MODULE of a text, in the text; NULL after the last. */
const char *standard_name(const StandardText *t, size_t k, size_t *length);

#endif
