#include "check/checker.h"

#include <assert.h>

/* Locals of a DISCRETE PROCESS are shared by its transactions. One that is
   assigned before a wait and read after it, with no assignment between, may
   have been changed by another transaction in the meantime: most likely VAR OWN
   was meant.

   A variable of the program that no other part of it uses is the same mistake.

   A warning must be worth reading. There is none for a local that counts (N :=
   N + 1) or is only ever given constants, which is shared on purpose; for one
   that is assigned and read while the transaction holds a FACILITY all the
   time, which keeps the others out; or for a process that has one
   transaction. */

#define LOCALS_MOST 64 // most locals of a process that are checked

typedef struct Local {
    Symbol *symbol;
    Node *assigned;  // where it got its value, or NULL
    Node *waited;    // the first wait since then, or NULL
    uint32_t inside; // facilities held since before it was assigned
    bool apart;      // shared on purpose, or reported already
} Local;

typedef struct Shared {
    Checker *c;
    Node *process;
    Node *segments;                    // of the program
    const Symbol *common[LOCALS_MOST]; // of the program, used elsewhere too
    uint32_t n_common;
    Local local[LOCALS_MOST];
    uint32_t n;
    uint32_t held; // facilities
} Shared;

static void follow(Shared *s, Node *n);

static Local *local_of(Shared *s, const Symbol *symbol)
{
    for (uint32_t k = 0; symbol != NULL && k < s->n; k++)
        if (s->local[k].symbol == symbol)
            return &s->local[k];
    return NULL;
}

/* ---- Which locals ------------------------------------------------------------ */

static bool mentions(const Node *n, const Symbol *symbol)
{
    if (n->kind == NODE_NAME && n->symbol == symbol)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (mentions(k, symbol))
            return true;
    return false;
}

/* True if all transactions compute the same value: literals and CONSTs. */
static bool is_constant(const Node *n)
{
    if (n->kind == NODE_NAME &&
        (n->symbol == NULL || n->symbol->kind != SYMBOL_CONST))
        return false;
    if (n->kind == NODE_CALL)
        return false;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (!is_constant(k))
            return false;
    return true;
}

/* Whether something uses it outside of the process: observing and showing it
   does not count, and neither does its first value in INITIAL. */
static bool is_used_elsewhere(const Node *n, const Symbol *symbol,
                              const Node *process)
{
    switch (n->kind) {
    case NODE_COLLECT:
    case NODE_TIMEPERS:
    case NODE_HISTOGRAM:
    case NODE_STORE_PART:
    case NODE_OUTPUT:
    case NODE_INITIAL: return false;
    default: break;
    }
    if (n == process)
        return false;
    if (n->kind == NODE_NAME && n->symbol == symbol)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (is_used_elsewhere(k, symbol, process))
            return true;
    return false;
}

/* A variable of the program that this process alone uses. After so many that
   others use too, no more are looked for. */
static bool is_alone_here(Shared *s, const Symbol *symbol)
{
    if (symbol->scope != s->c->program || s->c->has_ccode ||
        s->n_common == LOCALS_MOST)
        return false;
    for (uint32_t k = 0; k < s->n_common; k++)
        if (s->common[k] == symbol)
            return false;
    if (!is_used_elsewhere(s->segments, symbol, s->process))
        return true;
    s->common[s->n_common++] = symbol;
    return false;
}

static bool is_shared_local(Shared *s, const Symbol *symbol)
{
    if (symbol == NULL || symbol->kind != SYMBOL_VARIABLE || symbol->own ||
        symbol->rank != 0 || symbol->node == NULL ||
        s->process->symbol == NULL ||
        (symbol->type != WORD_REAL && symbol->type != WORD_INTEGER &&
         symbol->type != WORD_BOOLEAN))
        return false;
    return symbol->scope == s->process->symbol->inside ||
           is_alone_here(s, symbol);
}

static void find_locals(Shared *s, Node *n)
{
    if (n->kind == NODE_ASSIGN && n->first->kind == NODE_NAME &&
        (local_of(s, n->first->symbol) != NULL ||
         is_shared_local(s, n->first->symbol))) {
        Local *local = local_of(s, n->first->symbol);
        if (local == NULL && s->n < LOCALS_MOST) {
            local = &s->local[s->n++];
            *local = (Local){.symbol = n->first->symbol};
        }
        if (local != NULL && mentions(n->last, local->symbol))
            local->apart = true;
    }
    for (Node *k = n->first; k != NULL; k = k->next)
        find_locals(s, k);
}

/* ---- Transactions --------------------------------------------------------------- */

/* Counts GENERATEs of the process; those in loops and bodies count as many. */
static uint32_t generated(const Node *n, const Symbol *process, bool once)
{
    uint32_t count = 0;
    if (n->kind == NODE_GENERATE && node_child(n, 1)->symbol == process)
        count += once ? 1 : 2;
    bool again = n->kind == NODE_FOR || n->kind == NODE_WHILE ||
                 n->kind == NODE_REPEAT || n->kind == NODE_DISCRETE ||
                 n->kind == NODE_DISCRETE_PROCESS ||
                 n->kind == NODE_PROCEDURE || n->kind == NODE_FUNCTION;
    for (const Node *k = n->first; k != NULL && count < 2; k = k->next)
        count += generated(k, process, once && !again);
    return count;
}

static bool splits(const Node *n)
{
    if (n->kind == NODE_SPLIT)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (splits(k))
            return true;
    return false;
}

static bool has_many(const Shared *s, const Node *segments)
{
    return splits(s->process) ||
           generated(segments, s->process->symbol, true) > 1;
}

/* ---- Following a transaction ----------------------------------------------------- */

static bool is_wait(const Node *n)
{
    switch (n->kind) {
    case NODE_ADVANCE:
    case NODE_SEIZE:
    case NODE_SEIZE_ANY:
    case NODE_WAIT:
    case NODE_JOIN: return true;
    case NODE_STORAGE_USE: return n->word == WORD_ENTER;
    case NODE_RESOURCE: return n->word == WORD_PASS || n->word == WORD_WAITSIG;
    default: return false;
    }
}

static void wait_at(Shared *s, Node *n)
{
    for (uint32_t k = 0; k < s->n; k++) {
        Local *local = &s->local[k];
        if (local->assigned != NULL && local->inside == 0 &&
            local->waited == NULL)
            local->waited = n;
    }
    if (n->kind == NODE_SEIZE && n->first->kind == NODE_NAME)
        s->held++;
}

static void release(Shared *s)
{
    s->held -= s->held > 0;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->local[k].inside > s->held)
            s->local[k].inside = s->held;
}

static void read_name(Shared *s, Node *n)
{
    Local *local = local_of(s, n->symbol);
    if (local == NULL || local->apart || local->waited == NULL)
        return;
    local->apart = true;
    WARNING(s->c, n,
            "`%s` is shared by all transactions of `%s`: another one may have "
            "changed it while this one waited. Declare it with VAR OWN%s",
            local->symbol->shown, s->process->symbol->shown,
            local->symbol->scope == s->c->program ? " in the process" : "");
    unit_note(s->c->unit, local->assigned->at, "it got its value here");
    unit_note(s->c->unit, local->waited->at, "and the transaction waits here");
}

static void assign(Shared *s, Node *n)
{
    Local *local =
        n->first->kind == NODE_NAME ? local_of(s, n->first->symbol) : NULL;
    follow(s, n->last);
    if (local == NULL) {
        for (Node *k = n->first->first; k != NULL; k = k->next)
            follow(s, k);
        return;
    }
    local->assigned = is_constant(n->last) ? NULL : n;
    local->waited = NULL;
    local->inside = s->held;
}

static bool has_else(const Node *n)
{
    const Node *then = n->first->next;
    return then != NULL && then->next != NULL && !is_none(then->next);
}

static void follow_children(Shared *s, Node *n)
{
    for (Node *k = n->first; k != NULL; k = k->next)
        follow(s, k);
}

/* All alternatives begin with the same state; after them a local has waited if
   it has in any of them. */
static void follow_any(Shared *s, Node *first, bool complete)
{
    const Shared before = *s;
    Shared after = before;
    for (Node *k = first; k != NULL; k = k->next) {
        Shared one = before;
        for (uint32_t i = 0; i < s->n; i++)
            one.local[i].apart = after.local[i].apart;
        follow(&one, k);
        for (uint32_t i = 0; i < s->n; i++) {
            bool taken =
                (k == first && complete) ||
                (one.local[i].waited != NULL && after.local[i].waited == NULL);
            bool apart = one.local[i].apart;
            if (taken)
                after.local[i] = one.local[i];
            after.local[i].apart = apart;
        }
        after.held = one.held < after.held ? one.held : after.held;
    }
    *s = after;
}

/* Loops are followed twice, because a value assigned late in a turn is read
   early in the next. */
static void follow(Shared *s, Node *n)
{
    bool loop =
        n->kind == NODE_FOR || n->kind == NODE_WHILE || n->kind == NODE_REPEAT;
    switch (n->kind) {
    case NODE_NAME: read_name(s, n); return;
    case NODE_ASSIGN: assign(s, n); return;
    case NODE_IF:
        follow(s, n->first);
        follow_any(s, n->first->next, has_else(n));
        return;
    case NODE_CASE:
        follow(s, n->first);
        follow_any(s, n->last->first, true);
        return;
    case NODE_RESOURCE:
        if (n->word == WORD_RELEASE)
            release(s);
        break;
    default: break;
    }
    uint32_t held = s->held;
    follow_children(s, n);
    if (is_wait(n))
        wait_at(s, n);
    if (!loop)
        return;
    s->held = held;
    follow_children(s, n);
}

void check_shared(Checker *c, Node *segments)
{
    for (Node *n = segments->first; n != NULL; n = n->next) {
        if (n->kind != NODE_DISCRETE_PROCESS || n->symbol == NULL)
            continue;
        Shared s = {.c = c, .process = n, .segments = segments};
        find_locals(&s, n->last);
        assert(s.n <= LOCALS_MOST);
        if (s.n > 0 && has_many(&s, segments))
            follow(&s, n->last);
    }
}
