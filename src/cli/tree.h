#ifndef COSY_CLI_TREE_H
#define COSY_CLI_TREE_H

/* A JSON text as a tree: of what cosy run has written, for those who read it.

       tree_read    NULL when it is not JSON, or without memory
       tree_get     a member of an object, NULL if there is none
       tree_number  of a member; NaN if it is missing or not a number */

#include <stdint.h>

#include "base/arena.h"

typedef enum TreeKind {
    TREE_NULL,
    TREE_FALSE,
    TREE_TRUE,
    TREE_NUMBER, // also a text of digits, as EXTENDED and QUAD write them
    TREE_TEXT,
    TREE_LIST,
    TREE_OBJECT
} TreeKind;

typedef struct Tree Tree;
struct Tree {
    TreeKind kind;
    const char *name; // of a member
    const char *text; // of a TEXT
    double number;    // NaN if it is none
    uint32_t count;   // members or elements
    const Tree *first, *next;
};

const Tree *tree_read(Arena *a, const char *text);
const Tree *tree_get(const Tree *t, const char *name);
double tree_number(const Tree *t, const char *name);
/* "" if it is missing or not a text */
const char *tree_text(const Tree *t, const char *name);

#endif
