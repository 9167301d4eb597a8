#ifndef COSY_SYNTAX_AST_H
#define COSY_SYNTAX_AST_H

/* The syntax tree: nodes of one shape, whose kinds and children ast.def lists.

   The parser makes it, the checker and the lowering read it; it is open on
   purpose. Children start at `first` and are linked by `next`; node_child
   counts them from 0. Everything lies in the arena of the unit. */

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "syntax/token.h"

typedef enum NodeKind {
#define NODE(name, words) NODE_##name,
#include "syntax/ast.def"
#undef NODE
    NODE_KINDS
} NodeKind;

enum {
    FLAG_INPUT = 1,
    FLAG_OUTPUT = 2,
    FLAG_VAR = 4,
    FLAG_COLLECT = 8,
    FLAG_HISTOGRAM = 16,
    FLAG_TIMEPERS = 32,
    FLAG_ARROW = 64,
    FLAG_CONTINUOUS = 128,
    FLAG_TIMED = 256,
    FLAG_POS = 512,
    FLAG_NEG = 1024,
    FLAG_LOG = 2048,
    FLAG_REALTIME = 4096,
    FLAG_LOGX = 8192,
    FLAG_LOGY = 16384,
    FLAG_PAREN = 32768, // the expression stood in parentheses
    FLAG_RESTART = 65536,
    FLAG_ANTITHETIC = 131072,
    FLAG_COMMON = 262144,
    /* An operation that the checks added to convert a unit; a CONST whose value
       has been converted to its unit. */
    FLAG_CONVERTED = 524288,
    FLAG_PART =
        1048576, // an equation or a loop of parts or nodes; a variable that
                 // is THROUGH a port
    FLAG_READ = 2097152, // a CONST that was read before the checks; a variable
                         // that is there to be read only
    FLAG_PATH = 4194304, // text is the beginning of a path, which is the last
                         // child until parts become equations; a variable of a
                         // port that is neither connected nor closed
    FLAG_LONGEST = 8388608,   // BY LONGESTIDLE
    FLAG_RANDOMLY = 16777216, // BY RANDOM
    FLAG_PREEMPT = 33554432,  // a LIST of actuals: PREEMPT is among them
    FLAG_QUANTILES = 67108864,
    FLAG_ATTRIBUTE = 134217728, // a name in WHERE: an attribute, nothing else
    FLAG_HANN = 268435456,      // SPECTRUM HANN
    FLAG_DENSITY = 536870912,   // SPECTRUM DENSITY
    FLAG_INDICES = 1073741824   // of UNCERTAIN
};

typedef struct Node Node;
struct Symbol; // in src/check

struct Node {
    NodeKind kind;
    Word word; // the word, operator or type, or WORD_NONE
    uint32_t flags;
    uint32_t origin; // expansion it came from (token.h), 0: none
    Span at;         // the text it stands for
    uint32_t height; // height of the tree below it; node_add updates it
    const char *text;
    double number;
    int64_t integer;
    Node *first, *last, *next;
    struct Symbol *symbol; // what a name means; set by check
};

Node *node_new(Arena *a, NodeKind kind, Span at);
void node_add(Node *parent, Node *child);
Node *node_child(const Node *n, uint32_t k);
uint32_t node_count(const Node *n);
/* For a statement of an EXPERIMENT and everything inside it: true if something
   makes runs; true if something says which runs there are, how they are
   computed or what they observe. */
bool node_simulates(const Node *n);
bool node_prepares(const Node *n);
const char *node_words(NodeKind kind);
/* One line per node, indented: kind, word, text, number. */
void ast_print(const Node *n, Buffer *b);
/* One line per token: kind, + if it touches the one before, spelling, value. */
void tokens_print(const Tokens *t, Buffer *b);

#endif
