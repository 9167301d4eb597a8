#include "syntax/ast.h"

#include <inttypes.h>

static const char *const kind_name[NODE_KINDS] = {
#define NODE(name, words) #name,
#include "syntax/ast.def"
#undef NODE
};

static const char *const kind_words[NODE_KINDS] = {
#define NODE(name, words) words,
#include "syntax/ast.def"
#undef NODE
};

Node *node_new(Arena *a, NodeKind kind, Span at)
{
    Node *n = NEW(a, Node);
    if (n != NULL) {
        n->kind = kind;
        n->at = at;
    }
    return n;
}

void node_add(Node *parent, Node *child)
{
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    if (child->height >= parent->height)
        parent->height = child->height + 1;
}

Node *node_child(const Node *n, uint32_t k)
{
    Node *child = n->first;
    while (child != NULL && k-- > 0)
        child = child->next;
    return child;
}

uint32_t node_count(const Node *n)
{
    uint32_t count = 0;
    for (const Node *child = n->first; child != NULL; child = child->next)
        count++;
    return count;
}

const char *node_words(NodeKind kind)
{
    return kind_words[kind];
}

/* ---- Statements of an EXPERIMENT ----------------------------------------- */

/* LINEARIZE EVERY belongs to the SIMULATE after it. */
static bool is_along(const Node *n)
{
    return n->kind == NODE_LINEARIZE && n->first->kind != NODE_NONE;
}

static bool is_run(const Node *n)
{
    switch (n->kind) {
    case NODE_FIT:
    case NODE_SEARCH:
    case NODE_SENSITIVITY:
    case NODE_SIMULATE:
    case NODE_STEADYSTATE: return true;
    case NODE_LINEARIZE: return !is_along(n);
    default: return false;
    }
}

static bool is_prepared(const Node *n)
{
    switch (n->kind) {
    case NODE_SETTINGS:
    case NODE_SWEEP:
    case NODE_REPLICATE:
    case NODE_INTEGRAT:
    case NODE_COLLECT:
    case NODE_TIMEPERS:
    case NODE_HISTOGRAM:
    case NODE_RANDOMGEN:
    case NODE_UNCERTAIN:
    case NODE_CLEAR:
    case NODE_GRIDCHECK:
    case NODE_FEATURES: return true;
    case NODE_LINEARIZE: return is_along(n);
    default: return false;
    }
}

static bool node_has(const Node *n, bool (*is)(const Node *n))
{
    if (is(n))
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (node_has(k, is))
            return true;
    }
    return false;
}

bool node_simulates(const Node *n)
{
    return node_has(n, is_run);
}

bool node_prepares(const Node *n)
{
    return node_has(n, is_prepared);
}

/* ---- Printing ------------------------------------------------------------ */

/* Keeps to one line: line ends and control characters become \n, \x01. */
static void print_spelling(Buffer *b, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '\n')
            buffer_text(b, "\\n");
        else if ((unsigned char)*s < ' ')
            buffer_format(b, "\\x%02X", (unsigned)(unsigned char)*s);
        else
            buffer_char(b, *s);
    }
}

static void print_flags(Buffer *b, uint32_t flags)
{
    static const char *const name[] = {
        "INPUT",    "OUTPUT",  "VAR",        "COLLECT", "HISTOGRAM",
        "TIMEPERS", "ARROW",   "CONTINUOUS", "TIMED",   "POS",
        "NEG",      "LOG",     "REALTIME",   "LOGX",    "LOGY",
        "PAREN",    "RESTART", "ANTITHETIC", "COMMON"};
    for (uint32_t k = 0; k < LENGTH(name); k++) {
        if ((flags >> k & 1u) != 0)
            buffer_format(b, " +%s", name[k]);
    }
    if (flags & FLAG_QUANTILES)
        buffer_text(b, " +QUANTILES");
    if (flags & FLAG_HANN)
        buffer_text(b, " +HANN");
    if (flags & FLAG_DENSITY)
        buffer_text(b, " +DENSITY");
}

/* The spelling of a number is enough; these other nodes have a count. */
static void print_value(Buffer *b, const Node *n)
{
    switch (n->kind) {
    case NODE_BOOLEAN:
    case NODE_DERIVATIVE:
    case NODE_PROJECT:
    case NODE_SCHEME: buffer_format(b, " %" PRId64, n->integer); break;
    default: break;
    }
}

static void print_text(Buffer *b, const Node *n)
{
    bool quoted = n->kind != NODE_INTEGER && n->kind != NODE_NUMBER;
    if (n->text == NULL)
        return;
    buffer_text(b, quoted ? " \"" : " ");
    print_spelling(b, n->text);
    if (quoted)
        buffer_char(b, '"');
}

static void print_node(const Node *n, Buffer *b, int indent)
{
    buffer_format(b, "%*s%s", indent, "", kind_name[n->kind]);
    if (n->word != WORD_NONE)
        buffer_format(b, " %s", word_text(n->word));
    print_text(b, n);
    print_value(b, n);
    print_flags(b, n->flags);
    buffer_char(b, '\n');
    for (const Node *child = n->first; child != NULL; child = child->next)
        print_node(child, b, indent + 2);
}

void ast_print(const Node *n, Buffer *b)
{
    print_node(n, b, 0);
}

static void print_token(const Token *t, Buffer *b)
{
    static const char *const kind[] = {"end",    "name",    "word",
                                       "symbol", "integer", "number",
                                       "string", "raw",     "insert"};
    buffer_format(b, "%-8s%s", kind[t->kind], t->touches ? "+" : " ");
    if (t->kind != TOKEN_END)
        print_spelling(b, t->text);
    if (t->kind == TOKEN_NAME && t->word != WORD_NONE)
        buffer_text(b, "  (option)");
    if (t->kind == TOKEN_INTEGER)
        buffer_format(b, "  %" PRId64, t->integer);
    if (t->kind == TOKEN_NUMBER)
        buffer_format(b, "  %.17g", t->number);
    if (t->origin != 0)
        buffer_format(b, "  from %u", (unsigned)t->origin);
    buffer_char(b, '\n');
}

void tokens_print(const Tokens *t, Buffer *b)
{
    for (uint32_t k = 0; k < t->count; k++)
        print_token(&t->token[k], b);
}
