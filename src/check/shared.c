#include "check/checker.h"

#include <assert.h>

/* Locals of a DISCRETE PROCESS are shared by its transactions. One that is
   assigned before a wait and read after it, with no assignment between, may
   have been changed by another transaction in the meantime: most likely VAR OWN
   was meant.

   A variable of the program that no other part of it uses is the same mistake.
   Routines that the process calls are followed where it calls them.

   A warning must be worth reading. There is none for a local that counts (N :=
   N + 1), keeps the best value so far (IF X > BEST THEN BEST := X), or is only
   ever given constants, which is shared on purpose; for one that is assigned
   and read while the transaction holds a FACILITY all the time, which keeps the
   others out; or for a process that has one transaction. */

#define LOCALS_MOST   64   // most locals of a process that are checked
#define ROUTINES_MOST 32   // most routines that only it calls
#define CALLS_MOST    5000 // most calls that are followed

typedef struct Local {
    Symbol *symbol;
    Node *assigned;  // where it got its value, or NULL
    Node *waited;    // the first wait since then, or NULL
    uint32_t inside; // facilities held since before it was assigned
    bool apart;      // shared on purpose, or reported already
} Local;

/* A call that is being followed. */
typedef struct Frame {
    const Node *call;
    const Symbol *routine;
    const struct Frame *around;
} Frame;

/* A condition around what is looked at. */
typedef struct Given {
    const Node *condition;
    const struct Given *around;
} Given;

typedef struct Shared {
    Checker *c;
    Node *process;
    Node *segments; // of the program
    const Frame *frame;
    uint32_t *calls;                      // that may still be followed
    const Symbol *routine[ROUTINES_MOST]; // called by this process only
    uint32_t n_routines;
    const Symbol *common[LOCALS_MOST]; // of the program, used elsewhere too
    uint32_t n_common;
    Local local[LOCALS_MOST];
    uint32_t n;
    uint32_t held; // facilities
} Shared;

static void follow(Shared *s, Node *n);

/* ---- Calls ----------------------------------------------------------------- */

/* The routine of the program or the process that is called, or NULL. */
static Symbol *called(const Node *n)
{
    Symbol *s = n->kind == NODE_CALL && n->first->kind == NODE_NAME
                    ? n->first->symbol
                    : NULL;
    return s != NULL && s->body != NULL &&
                   (s->body->kind == NODE_PROCEDURE ||
                    s->body->kind == NODE_FUNCTION)
               ? s
               : NULL;
}

static Node *of_two_lists(const Node *lists, uint32_t k)
{
    uint32_t first = node_count(lists->first);
    if (k < first)
        return node_child(lists->first, k);
    k -= first;
    return lists->last != lists->first && k < node_count(lists->last)
               ? node_child(lists->last, k)
               : NULL;
}

/* The expression that a call gives for formal k, or NULL. */
static Node *actual_of(const Node *call, uint32_t k)
{
    Node *actual =
        call->last->kind == NODE_ACTUALS ? of_two_lists(call->last, k) : NULL;
    return actual != NULL && actual->kind == NODE_ACTUAL ? actual->first : NULL;
}

/* The actual of a formal of the routine that is followed, or NULL. */
static Node *given_for(const Frame *frame, const Symbol *formal)
{
    const Node *f;
    for (uint32_t k = 0; (f = of_two_lists(frame->routine->body->first, k));
         k++)
        if (f->symbol == formal)
            return actual_of(frame->call, k);
    return NULL;
}

/* What a name means in the process: a VAR formal is its actual. */
static Symbol *meant(const Frame *frame, Symbol *symbol)
{
    while (frame != NULL && symbol != NULL && symbol->kind == SYMBOL_FORMAL &&
           symbol->node != NULL && (symbol->node->flags & FLAG_VAR) != 0 &&
           symbol->scope == frame->routine->inside) {
        Node *actual = given_for(frame, symbol);
        symbol =
            actual != NULL && actual->kind == NODE_NAME ? actual->symbol : NULL;
        frame = frame->around;
    }
    return symbol;
}

/* False if it is one call too many, or in a circle. */
static bool may_follow(const Shared *s, const Symbol *routine)
{
    if (*s->calls == 0)
        return false;
    for (const Frame *f = s->frame; f != NULL; f = f->around)
        if (f->routine == routine)
            return false;
    --*s->calls;
    return true;
}

static Local *local_of(Shared *s, Symbol *symbol)
{
    symbol = meant(s->frame, symbol);
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

/* True if all transactions compute the same value: literals and CONSTs, also
   where they are handed over. */
static bool is_constant(const Frame *frame, const Node *n)
{
    if (n->kind == NODE_NAME && frame != NULL && n->symbol != NULL &&
        n->symbol->kind == SYMBOL_FORMAL) {
        const Node *actual = given_for(frame, n->symbol);
        return actual != NULL && is_constant(frame->around, actual);
    }
    if (n->kind == NODE_NAME &&
        (n->symbol == NULL || n->symbol->kind != SYMBOL_CONST))
        return false;
    if (n->kind == NODE_CALL)
        return false;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (!is_constant(frame, k))
            return false;
    return true;
}

/* The process, and the routines that only it calls. */
static bool is_inside(const Shared *s, const Node *n)
{
    if (n == s->process)
        return true;
    if (n->kind != NODE_PROCEDURE && n->kind != NODE_FUNCTION)
        return false;
    for (uint32_t k = 0; k < s->n_routines; k++)
        if (s->routine[k]->body == n)
            return true;
    return false;
}

static void find_routines(Shared *s, const Node *n)
{
    const Symbol *r = called(n);
    if (r != NULL && !is_inside(s, r->body) && s->n_routines < ROUTINES_MOST) {
        s->routine[s->n_routines++] = r;
        find_routines(s, r->body);
    }
    for (const Node *k = n->first; k != NULL; k = k->next)
        find_routines(s, k);
}

static bool is_called_elsewhere(const Shared *s, const Node *n,
                                const Symbol *routine)
{
    if (is_inside(s, n))
        return false;
    if (called(n) == routine)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (is_called_elsewhere(s, k, routine))
            return true;
    return false;
}

/* Those that something else calls leave the list, and so may leave others. */
static void keep_own_routines(Shared *s)
{
    for (uint32_t k = 0; k < s->n_routines;) {
        if (!is_called_elsewhere(s, s->segments, s->routine[k])) {
            k++;
            continue;
        }
        s->routine[k] = s->routine[--s->n_routines];
        k = 0;
    }
}

/* Whether something uses it outside of the process: observing and showing it
   does not count, and neither does its first value in INITIAL. */
static bool is_used_elsewhere(const Shared *s, const Node *n,
                              const Symbol *symbol)
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
    if (is_inside(s, n))
        return false;
    if (n->kind == NODE_NAME && n->symbol == symbol)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (is_used_elsewhere(s, k, symbol))
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
    if (!is_used_elsewhere(s, s->segments, symbol))
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

static bool is_given(const Given *given, const Symbol *symbol)
{
    for (; given != NULL; given = given->around)
        if (mentions(given->condition, symbol))
            return true;
    return false;
}

/* The variable that a statement sets, or NULL. */
static Node *set_by(const Node *n)
{
    bool sets = n->kind == NODE_ASSIGN || n->kind == NODE_SEIZE_ANY ||
                n->kind == NODE_FIND || n->kind == NODE_GENERATE;
    return sets && n->first->kind == NODE_NAME ? n->first : NULL;
}

static void find_local(Shared *s, const Node *n, Symbol *written,
                       const Given *given)
{
    Symbol *symbol = meant(s->frame, written);
    Local *local = local_of(s, symbol);
    if (local == NULL && is_shared_local(s, symbol) && s->n < LOCALS_MOST) {
        local = &s->local[s->n++];
        *local = (Local){.symbol = symbol};
    }
    if (local != NULL && n->kind == NODE_ASSIGN &&
        (mentions(n->last, written) || is_given(given, written)))
        local->apart = true;
}

static void find_locals(Shared *s, Node *n, const Given *given)
{
    Given inner = {n->first, given};
    if (set_by(n) != NULL)
        find_local(s, n, set_by(n)->symbol, given);
    if (called(n) != NULL && may_follow(s, called(n))) {
        Frame frame = {n, called(n), s->frame};
        s->frame = &frame;
        find_locals(s, frame.routine->body->last, NULL);
        s->frame = frame.around;
    }
    for (Node *k = n->first; k != NULL; k = k->next)
        find_locals(s, k, n->kind == NODE_IF && k != n->first ? &inner : given);
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

static void set(const Shared *s, Local *local, Node *at)
{
    local->assigned = at;
    local->waited = NULL;
    local->inside = s->held;
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
    set(s, local, is_constant(s->frame, n->last) ? NULL : n);
}

/* By-value formals are read at the call, VAR formals where the routine does. */
static void follow_call(Shared *s, Node *n)
{
    const Symbol *routine = called(n);
    const Node *f;
    for (uint32_t k = 0; (f = of_two_lists(routine->body->first, k)); k++) {
        Node *actual = actual_of(n, k);
        if (actual != NULL &&
            ((f->flags & FLAG_VAR) == 0 || actual->kind != NODE_NAME))
            follow(s, actual);
    }
    if (!may_follow(s, routine))
        return;
    Frame frame = {n, routine, s->frame};
    s->frame = &frame;
    follow(s, frame.routine->body->last);
    s->frame = frame.around;
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
    case NODE_CALL:
        if (called(n) == NULL)
            break;
        follow_call(s, n);
        return;
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
    Node *target = set_by(n);
    for (Node *k = n->first; k != NULL; k = k->next)
        if (k != target)
            follow(s, k);
    if (is_wait(n))
        wait_at(s, n);
    if (target != NULL && local_of(s, target->symbol) != NULL)
        set(s, local_of(s, target->symbol), n);
    if (!loop)
        return;
    s->held = held;
    follow_children(s, n);
}

static void check_process(Checker *c, Node *segments, Node *process)
{
    uint32_t calls = CALLS_MOST;
    Shared s = {
        .c = c, .process = process, .segments = segments, .calls = &calls};
    find_routines(&s, process->last);
    keep_own_routines(&s);
    find_locals(&s, process->last, NULL);
    assert(s.n <= LOCALS_MOST && s.frame == NULL);
    if (s.n > 0 && has_many(&s, segments))
        follow(&s, process->last);
}

void check_shared(Checker *c, Node *segments)
{
    for (Node *n = segments->first; n != NULL; n = n->next)
        if (n->kind == NODE_DISCRETE_PROCESS && n->symbol != NULL)
            check_process(c, segments, n);
}
