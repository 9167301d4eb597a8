#include "lower/lowerer.h"

#include "base/whole.h"

#include <inttypes.h>
#include <string.h>

/* FOR in parallel code. A loop stays a loop: its equations are written once,
   with the index in them. Two things take it apart:

   - IF and CASE that depend on nothing but the index (the ends of a rod). The
     range is cut where their outcome changes, and each piece is lowered with
     the branch that holds in it.
   - whatever must exist once per element: functions with a memory, IMPLICIT; a
     step other than 1; conditions on two indices at once. Then every value of the
     index is lowered separately. */

#define UNROLL_MOST 100000 // most values of one loop
#define CUTS_MOST   8      // most conditions on one index

typedef struct Cuts {
    const Node *condition[CUTS_MOST];
    uint32_t n;
    bool unroll; // too many of them, or on two indices
} Cuts;

/* ---- What depends on indices only ------------------------------------------------------ */

typedef struct Names {
    bool other;     // something that is neither index nor INTEGER CONST
    bool mentioned; // the index in question
    bool another;   // an index of an inner loop
} Names;

static void look(Lowerer *l, const Node *n, const Symbol *index, Names *names)
{
    if (n->kind == NODE_NAME && n->symbol) {
        const Symbol *s = n->symbol;
        if (s == index)
            names->mentioned = true;
        else if (s->kind == SYMBOL_LOOP &&
                 meaning_of(l, s)->kind != MEANS_VALUE)
            names->another = true;
        else if (s->kind != SYMBOL_LOOP &&
                 !(s->kind == SYMBOL_CONST && s->type == WORD_INTEGER))
            names->other = true;
    }
    if (n->kind == NODE_CALL)
        n = n->last; // predefined functions of indices are known as well
    for (const Node *k = n->first; k; k = k->next)
        look(l, k, index, names);
}

static void add_cut(Lowerer *l, Cuts *c, const Node *condition,
                    const Symbol *index)
{
    Names names = {0};
    look(l, condition, index, &names);
    if (names.other || !names.mentioned)
        return;
    if (names.another || c->n == CUTS_MOST)
        c->unroll = true;
    else
        c->condition[c->n++] = condition;
}

static void find_cuts(Lowerer *l, const Node *n, const Symbol *index, Cuts *c)
{
    if (n->kind == NODE_EQUATION || n->kind == NODE_CONDIT)
        return;
    if (n->kind == NODE_IF || n->kind == NODE_CASE)
        add_cut(l, c, n->first, index);
    if (n->kind == NODE_IMPLICIT || n->kind == NODE_PROCEDURAL)
        c->unroll = true;
    for (const Node *k = n->first; k; k = k->next)
        find_cuts(l, k, index, c);
}

/* The value of a condition, with the index as a number. */
static int64_t outcome(Lowerer *l, const Node *condition)
{
    const Expr *e = lower_expression(l, condition, IN_EQUATION);
    double v = 0.0;
    if (!expr_is_constant(e))
        expr_value(l, e, &v);
    return expr_is_constant(e) ? e->integer : (int64_t)v;
}

const Expr *loops_decide(Lowerer *l, const Node *condition)
{
    Names names = {0};
    look(l, condition, NULL, &names);
    if (names.other || !names.another)
        return NULL; // numbers alone fold by themselves
    for (uint32_t k = 0; k < l->n_loops; k++) {
        if (!l->index[k])
            continue; // over copies
        Meaning *index = meaning_of(l, l->index[k]);
        index->kind = MEANS_VALUE;
        index->value = expr_integer(l->m, model_loop(l->m, l->loops[k])->low);
    }
    const Expr *e = lower_expression(l, condition, IN_EQUATION);
    double v;
    if (!expr_is_constant(e) && expr_value(l, e, &v))
        e = e->type == EXPR_TYPE_BOOLEAN ? expr_truth(l->m, v != 0.0)
                                         : expr_integer(l->m, (int64_t)v);
    for (uint32_t k = 0; k < l->n_loops; k++) {
        if (!l->index[k])
            continue;
        Meaning *index = meaning_of(l, l->index[k]);
        index->kind = MEANS_LOOP;
        index->number = l->loops[k];
    }
    return expr_is_constant(e) ? e : NULL;
}

/* ---- Lowering -------------------------------------------------------------------------------- */

static void lower_value(Lowerer *l, const Node *n, int64_t v, LowerOne body)
{
    Meaning *index = meaning_of(l, n->symbol), before = *index;
    index->kind = MEANS_VALUE;
    index->value = expr_integer(l->m, v);
    body(l, n->last);
    *index = before;
}

/* Loops over an array of parts are called I@C, which is a name of their own while
   names are looked up; I is what is shown. */
static const char *shown_name(Lowerer *l, const char *name)
{
    size_t n = strcspn(name, "@");
    char *shown = name[n] ? NEW_ARRAY(l->m->arena, char, n + 1) : NULL;
    if (!shown)
        return name;
    memcpy(shown, name, n);
    shown[n] = '\0';
    return shown;
}

static void lower_piece(Lowerer *l, const Node *n, int64_t low, int64_t high,
                        LowerOne body)
{
    Loop loop = {.name = shown_name(l, n->text),
                 .low = low,
                 .high = high,
                 .step = 1,
                 .line = lower_line(l, n->at, n->origin)};
    Meaning *index = meaning_of(l, n->symbol), before = *index;
    if (l->n_loops == LOOPS_MOST) {
        LOWER_ERROR(l, n, "loops of equations can be nested at most %d deep",
                    LOOPS_MOST);
        return;
    }
    index->kind = MEANS_LOOP;
    index->number = model_add_loop(l->m, &loop);
    l->index[l->n_loops] = n->symbol;
    l->loops[l->n_loops++] = index->number;
    body(l, n->last);
    l->n_loops--;
    *index = before;
}

/* The last value, from `low` on, for which all conditions have the same
   outcome. */
static int64_t piece_end(Lowerer *l, const Node *n, const Cuts *c, int64_t low,
                         int64_t high)
{
    Meaning *index = meaning_of(l, n->symbol), before = *index;
    int64_t first[CUTS_MOST], end = low;
    for (int64_t v = low; v <= high; v++) {
        bool same = true;
        index->kind = MEANS_VALUE;
        index->value = expr_integer(l->m, v);
        for (uint32_t k = 0; k < c->n; k++) {
            int64_t now = outcome(l, c->condition[k]);
            if (v == low)
                first[k] = now;
            same = same && now == first[k];
        }
        if (!same)
            break;
        end = v;
    }
    *index = before;
    return end;
}

static void lower_pieces(Lowerer *l, const Node *n, const Cuts *c, int64_t low,
                         int64_t high, LowerOne body)
{
    assert(whole_is_bound(low) && whole_is_bound(high));
    while (low <= high) {
        int64_t end = c->n == 0 ? high : piece_end(l, n, c, low, high);
        if (end == low)
            lower_value(l, n, low, body);
        else
            lower_piece(l, n, low, end, body);
        low = end + 1;
    }
}

static void unroll(Lowerer *l, const Node *n, int64_t low, int64_t high,
                   int64_t by, LowerOne body)
{
    assert(whole_is_bound(low) && whole_is_bound(high));
    if ((high - low) / by >= UNROLL_MOST) {
        LOWER_ERROR(l, n,
                    "what stands in this loop exists once for every value of "
                    "`%s`, and at most %d values are allowed",
                    n->text, UNROLL_MOST);
        return;
    }
    for (int64_t v = low; v <= high; v = whole_reach(v, by))
        lower_value(l, n, v, body);
}

void lower_for(Lowerer *l, const Node *n, LowerOne body)
{
    const Node *step = node_child(n, 2);
    int64_t from, to, by = 1;
    Cuts cuts = {0};
    bool down = n->word == WORD_DOWNTO;
    bool known = lower_constant(l, n->first,
                                "the first value of a loop of "
                                "equations",
                                &from);
    known = lower_constant(l, node_child(n, 1),
                           "the last value of a loop of equations", &to) &&
            known;
    if (!node_absent(step))
        known = lower_constant(l, step, "the step of a loop", &by) && known;
    if (!known || !n->symbol || by < 1)
        return;
    if (!whole_is_bound(from) || !whole_is_bound(to)) {
        LOWER_ERROR(l, whole_is_bound(from) ? node_child(n, 1) : n->first,
                    "%" PRId64 " is too large for the index of a loop of "
                    "equations, which lies between %" PRId64 " and %" PRId64,
                    whole_is_bound(from) ? to : from, -WHOLE_BOUND,
                    WHOLE_BOUND);
        return;
    }
    int64_t low = from, high = to;
    if (down) { // the order of equations does not matter
        low = from - (from - to) / by * by;
        high = from;
    }
    if (low > high || (down && from < to))
        return;
    find_cuts(l, n->last, n->symbol, &cuts);
    if (by != 1 || cuts.unroll || has_memory(n->last))
        unroll(l, n, low, high, by, body);
    else
        lower_pieces(l, n, &cuts, low, high, body);
}
