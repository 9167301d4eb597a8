#ifndef COSY_FORMAT_ITEMS_H
#define COSY_FORMAT_ITEMS_H

/* Private to the formatter: the data passed from pass to pass.

       items       text -> tokens and comments in one sequence, with what lies
                   between them in the source
       structure   which gaps between tokens belong to which group, and how far
                   a line that begins there is indented
       place       which gaps become line ends, and the column of every item
       print       the text

   A gap is what comes before a token. A group is a piece of the program that
   either stands on one line or is open: as soon as one of its gaps becomes a
   line end, so do all its CONSISTENT ones, and the enclosing groups are open
   too. */

#include "syntax/unit.h"

#define LINE_WIDTH 80
#define NO_GROUP   UINT32_MAX
#define NO_ROOM    "there is no memory left to lay out this program"

typedef enum GapKind {
    GAP_SOFT,       // a line ends here if it did before, or if necessary
    GAP_JOIN,       // no line ends here
    GAP_CONSISTENT, // a line ends here if the group is open
    GAP_BETWEEN,    // between two parts of the group, `left` and `right`: if it
                    // did before, or if one of them is open, or if necessary
    GAP_MUST        // a line ends here
} GapKind;

typedef struct Group {
    uint32_t parent, depth;
    bool open;
} Group;

typedef struct Item {
    const Token *token; // NULL: a comment
    const char *text;   // as written
    uint32_t length;
    uint32_t lines;      // line ends before it in the source
    uint32_t was_column; // in the source, from 0
    uint32_t column;     // in the output
    uint32_t below;      // column that it would have at the head of a line
    bool tall;           // extends over several lines
    bool upper;          // to be printed in upper case
    bool blank;          // a blank precedes it, if no line end does
    bool user;           // the gap has a line end in the source
    bool forced;         // a comment in the gap makes it a line end
    bool needed;         // the line would be too long
    bool breaks;         // the gap is a line end
    bool first;          // the first of its line
    bool closes;         // END and the like: comments before it belong inside
    bool begins;         // BEGIN after THEN, DO, ELSE: indented if closed
    GapKind gap;
    uint32_t group;       // group that the gap belongs to
    uint32_t own;         // group of a BEGIN after THEN, DO, ELSE
    uint32_t left, right; // parts of GAP_BETWEEN
    uint32_t indent;
    uint32_t inside; // enclosing brackets
} Item;

typedef struct Items {
    Unit *u;
    Item *item;
    uint32_t count;
    uint32_t *of_token; // number of each token's item
    uint32_t tokens;    // not counting TOKEN_END
    Group *group;
    uint32_t groups, room;
    bool failed; // no memory, or nested too deeply; with a message
} Items;

bool items_read(Items *s, Unit *u);
void items_structure(Items *s);
void items_place(Items *s);
void items_print(Items *s, Buffer *b);

/* One more group; NO_GROUP if there is no memory. */
uint32_t items_group(Items *s, uint32_t parent);
/* Opens a group and all groups around it; true if that is new. */
bool items_open(Items *s, uint32_t group);
/* The column after an item that stands at i->column. */
uint32_t item_end(const Item *i);
/* Column of the first character of the line of i that begins at `at`, and its
   place. */
uint32_t item_margin(const Item *i, uint32_t at, uint32_t *past);
/* The new column of a further line of comment i if i moves to `to`. */
uint32_t item_moved(const Item *i, uint32_t column, uint32_t to);
/* Reports once. */
void items_fail(Items *s, const char *message);

#endif
