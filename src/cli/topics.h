#ifndef COSY_CLI_TOPICS_H
#define COSY_CLI_TOPICS_H

/* The pages of `cosy doc`, as a table. tools/topics writes its rows when COSY is
   built, from docs/topics and the diagrams of grammar/cosy.ebnf. */

#include <stddef.h>

typedef struct Topic {
    const char *group, *title;
    const char *const *name; // the topic's own first, then others that find it
    const char *const *line; // the page; these lists end with NULL
    const char *const *diagram;
} Topic;

extern const Topic topics[]; // those of one group together
extern const size_t topic_count;

#endif
