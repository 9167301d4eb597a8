#ifndef COSY_BASE_TREE_H
#define COSY_BASE_TREE_H

/* A JSON text as a tree, for reading what runs have written about themselves
   (stats/summary.h). A tree lies wholly in the arena.

       tree_read       a whole text; NULL: it is not JSON, or no memory
       tree_read_part  the value at the beginning of a text
       tree_get        a member of an object, NULL if there is none
       tree_number     number of a member; NaN if it is missing or not a number
       tree_text       text of a member; "" if it is missing or not a text */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum TreeKind {
    TREE_NULL,
    TREE_FALSE,
    TREE_TRUE,
    TREE_NUMBER,
    TREE_TEXT, // may consist of digits, as EXTENDED and QUAD write numbers
    TREE_LIST,
    TREE_OBJECT
} TreeKind;

typedef struct Tree Tree;

struct Tree {
    TreeKind kind;
    const char *name; // name of a member; else NULL
    const char *text; // NULL unless a TEXT
    double number;    // also the value of a TEXT that is a number; else NaN
    uint32_t count;   // number of members or elements
    const Tree *first, *next;
};

const Tree *tree_read(Arena *a, const char *text);
/* *used: how much of the text was read. */
const Tree *tree_read_part(Arena *a, const char *text, size_t length,
                           size_t *used);
/* These accept NULL as a tree without members. */
const Tree *tree_get(const Tree *t, const char *name);
double tree_number(const Tree *t, const char *name);
const char *tree_text(const Tree *t, const char *name);

#endif
