#include "check/checker.h"

#include <string.h>

/* Headings of functions, procedures, processes and modules, with what is
   declared inside them; and the program's other segments. */

static Scope *open_inside(Checker *c, Symbol *s, Node *n)
{
    Scope *inside = scope_new(c->unit->arena, c->program, n);
    if (inside == NULL)
        c->broken = true;
    if (s != NULL) {
        s->inside = inside;
        s->body = n;
    }
    return inside;
}

/* ---- Formals ------------------------------------------------------------- */

static void declare_formal(Checker *c, Scope *s, Node *n)
{
    Symbol *f = name_declare(c, s, SYMBOL_FORMAL, n->word, n);
    if (f == NULL)
        return;
    f->assigned = true;
    f->equated = true;
}

static void declare_formals(Checker *c, Scope *s, Node *formals)
{
    for (Node *k = formals->first->first; k != NULL; k = k->next)
        declare_formal(c, s, k);
    for (Node *k = formals->last->first; k != NULL; k = k->next)
        declare_formal(c, s, k);
}

/* External code takes and returns only numbers and truth values. */
static void check_plain_formals(Checker *c, Node *formals)
{
    if ((formals->flags & FLAG_ARROW) != 0)
        ERROR(c, formals, "the formals of a FUNCTION are not divided by `<-`");
    for (Node *k = formals->first->first; k != NULL; k = k->next) {
        if (k->word != WORD_REAL && k->word != WORD_INTEGER &&
            k->word != WORD_BOOLEAN && k->word != WORD_RANDOM)
            ERROR(
                c, k,
                "a FUNCTION works on values: formal `%s` can be REAL, INTEGER "
                "or BOOLEAN",
                k->text);
    }
}

/* ---- Routines ------------------------------------------------------------ */

static void declare_inside(Checker *c, Scope *inside, Node *formals, Node *list)
{
    Layer layer;
    Scope *home = c->home;
    if (inside == NULL)
        return;
    layer_push(c, &layer, inside);
    c->home = inside;
    if (formals != NULL)
        declare_formals(c, inside, formals);
    if (list != NULL)
        declare_list(c, inside, list);
    c->home = home;
    layer_pop(c);
}

/* A program that is only read, or comes from elsewhere, must not decide which
   file of this machine is executed: it names the library, and the user decides
   where it is. */
static void check_library(Checker *c, const Node *library)
{
    const char *name = library->text, *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    if (!slash && name[0])
        return;
    if (strncmp(last, "lib", 3) == 0)
        last += 3;
    size_t n = strcspn(last, ".");
    unit_error(c->unit, library->at, library->origin,
               "a library is named without its path%s%.*s%s: cosy looks for it "
               "in the folder in which it is started, and where the system "
               "looks for libraries (LD_LIBRARY_PATH adds a folder)",
               n ? ", as \"" : "", n ? (int)n : 0, last, n ? "\"" : "");
}

static void declare_function(Checker *c, Node *n)
{
    Symbol *s = name_declare(c, c->home, SYMBOL_FUNCTION, n->word, n);
    bool external = n->kind == NODE_EXTERNAL_FUNCTION;
    if (external)
        check_library(c, node_child(n, 1));
    check_plain_formals(c, n->first);
    declare_inside(c, open_inside(c, s, n), n->first,
                   external ? NULL : node_child(n, 1));
}

static void declare_procedure(Checker *c, Node *n)
{
    Symbol *s = name_declare(c, c->home, SYMBOL_PROCEDURE, WORD_NONE, n);
    declare_inside(c, open_inside(c, s, n), n->first, node_child(n, 1));
}

/* ---- Processes ----------------------------------------------------------- */

static Symbol *process_symbol(Checker *c, Node *n)
{
    Symbol *s = scope_own(c->program, n->text);
    if (s == NULL || s->kind != SYMBOL_PROCESS)
        return name_declare(c, c->program, SYMBOL_PROCESS, WORD_PROCESS, n);
    n->symbol = s;
    if (s->body == NULL)
        return s;
    unit_error(c->unit, name_span(c, n), n->origin,
               "PROCESS `%s` is already described", n->text);
    unit_note(c->unit, name_span(c, s->body), "its first description is here");
    return NULL;
}

static void declare_process(Checker *c, Node *n)
{
    Symbol *s = process_symbol(c, n);
    bool external = n->kind == NODE_EXTERNAL_PROCESS;
    if (external)
        check_library(c, node_child(n, 1));
    declare_inside(c, open_inside(c, s, n), n->first,
                   external ? NULL : node_child(n, 1));
}

/* ---- Segments ------------------------------------------------------------ */

void declare_segment(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_FUNCTION:
    case NODE_EXTERNAL_FUNCTION: declare_function(c, n); break;
    case NODE_PROCEDURE: declare_procedure(c, n); break;
    case NODE_DISCRETE_PROCESS:
    case NODE_CONTINUOUS_PROCESS:
    case NODE_EXTERNAL_PROCESS: declare_process(c, n); break;
    default: declare_one(c, c->program, n); break;
    }
}

static void late_inside(Checker *c, const Node *n, uint32_t list)
{
    Layer layer;
    Scope *home = c->home;
    Scope *inside = n->symbol == NULL ? NULL : n->symbol->inside;
    if (inside == NULL || n->symbol->body != n)
        return;
    layer_push(c, &layer, inside);
    c->home = inside;
    declare_late(c, node_child(n, list));
    c->home = home;
    layer_pop(c);
}

static void late_derivative(Checker *c, Node *n)
{
    Symbol *s;
    if (is_none(n->last))
        return;
    s = name_resolve(c, n->last);
    symbol_use(s);
    if (!symbol_unknown(s) && s->kind != SYMBOL_FUNCTION)
        ERROR(c, n->last,
              "the DERIVATIVE of `%s` must be a FUNCTION, but `%s` is %s",
              n->text, s->shown, symbol_words(s));
}

void declare_segment_late(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_FUNCTION:
    case NODE_PROCEDURE:
    case NODE_DISCRETE_PROCESS:
    case NODE_CONTINUOUS_PROCESS: late_inside(c, n, 1); break;
    case NODE_EXTERNAL_FUNCTION: late_derivative(c, n); break;
    default: declare_one_late(c, n); break;
    }
}

/* ---- Functions of processes ---------------------------------------------- */

/* A name for what each transaction or copy of the process has for itself. */
static bool is_own(const Symbol *s, const Symbol *process)
{
    const Symbol *record = symbol_record(process);
    if (s->kind == SYMBOL_ATTRIBUTE)
        return record != NULL && s->scope == record->inside;
    return s->kind == SYMBOL_VARIABLE && s->scope == process->inside &&
           (s->own || symbol_is_copied(s));
}

/* The first such name in n; names after a dot belong to an entry that is named,
   and those in WITH to the one that is opened. */
static Node *find_own(Node *n, const Symbol *process)
{
    if (n->kind == NODE_NAME)
        return n->symbol != NULL && is_own(n->symbol, process) ? n : NULL;
    for (Node *k = n->first; k != NULL; k = k->next) {
        if ((n->kind == NODE_SELECT && k != n->first) ||
            (n->kind == NODE_WITH && k == n->last))
            continue;
        Node *found = find_own(k, process);
        if (found != NULL)
            return found;
    }
    return NULL;
}

void check_own_function(Checker *c, Node *n, const Node *process)
{
    if (process->symbol == NULL)
        return;
    Node *own = find_own(n->last, process->symbol);
    if (own == NULL)
        return;
    bool copies = process->kind == NODE_CONTINUOUS_PROCESS;
    ERROR(c, own,
          "each %s has a `%s` of its own, and a FUNCTION does not know which "
          "%s calls it: hand it over, as in %s(%s), or write a PROCEDURE",
          copies ? "copy" : "transaction", own->symbol->shown,
          copies ? "copy" : "transaction", n->text, own->symbol->shown);
}
