#ifndef COSY_TOPICS_PAGE_H
#define COSY_TOPICS_PAGE_H

/* A page of docs/topics. Head lines, an empty line, the text:

       topic: sweep
       group: Experiment
       title: all combinations of several values
       also: points, lin
       rules: sweep, sweep_item

       Text, in lines of at most PAGE_WIDTH characters. Three backquotes
       open and close a part that is shown indented, as it is; with the word
       cosy after the first three it is a complete program.

       See also: parameter, replicate

   `also` (other names of the topic) and `rules` (of the grammar) may be omitted
   or repeated, with names separated by commas; `status` says how much of it
   works, if not all. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"

enum {
    PAGE_WIDTH = 78,
    PAGE_INDENT = 4, // indentation of what stands between backquotes
    PAGE_LEAST = 20, // fewest lines of text
    PAGE_MOST = 60
};

typedef struct Line Line;

struct Line {
    Line *next;
    const char *text;
    int number;  // line in the file
    bool set_in; // stands between backquotes
    int program; // number of the program it belongs to, or 0
};

typedef struct Name Name;

struct Name {
    Name *next;
    const char *text;
    int number; // line in which it stands
};

typedef struct Page {
    const char *path;
    const char *group, *title;
    const char *status; // what part of it works, or NULL
    Name *name;         // the topic, then `also`
    Name *rule;
    Name *see; // also
    Line *line;
    int lines, programs;
} Page;

/* False if the page has a mistake, or cannot be read; standard error says
   which. The page lives as long as the arena. */
bool page_read(Page *p, Arena *a, const char *path);

/* path:line: error: ...; always false. */
bool page_error(const Page *p, int line, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
