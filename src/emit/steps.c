#include "emit/writer.h"

#include <string.h>

/* Sorted equations as statements, and the functions that consist of nothing
   else: derivatives and outputs. */

/* ---- Select ---------------------------------------------------------------------- */

#define LABELS_MOST 16 // of one range that a switch spells out

static bool is_switch(const Select *s)
{
    for (uint32_t k = 0; k < s->branches; k++)
        for (uint32_t i = 0; i < s->n_labels[k]; i++)
            if (s->labels[k][i].high - s->labels[k][i].low >= LABELS_MOST)
                return false;
    return true;
}

static bool is_else(const Select *s, uint32_t k)
{
    return s->is_case && s->has_else && s->n_labels[k] == 0;
}

/* "case 1: case 2:" of all labels of a branch; the last one is opened. */
static void case_labels(Emit *e, const Select *s, uint32_t k)
{
    Buffer b = {0};
    for (uint32_t i = 0; i < s->n_labels[k]; i++)
        for (int64_t n = s->labels[k][i].low; n <= s->labels[k][i].high; n++)
            buffer_format(&b, "case %lld: ", (long long)n);
    if (is_else(s, k))
        buffer_text(&b, "default: ");
    buffer_char(&b, '{');
    emit_buffer(e, &b);
    e->depth++;
}

static void select_switch(Emit *e, const Select *s, const char *selector,
                          bool strict, const bool *has, BranchWrite write,
                          void *user)
{
    emit_line(e, "switch (%s) {", selector);
    for (uint32_t k = 0; k < s->branches; k++) {
        if (!has[k] && !strict)
            continue;
        if (s->n_labels[k] == 0 && !is_else(s, k))
            continue;
        case_labels(e, s, k);
        if (has[k])
            write(e, k, user);
        emit_line(e, "break;");
        emit_close(e, "");
    }
    if (strict && !s->has_else)
        emit_line(e, "default: return COSY_FAIL(COSY_SELECTOR, %s);",
                  emit_row(e, s->row));
    emit_line(e, "}");
}

#define BRANCHES_MOST 64 // of one function

static bool is_wide(const Emit *e, const Select *s, const bool *has)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->branches; k++)
        n += has[k];
    return e->big && n > 2 * BRANCHES_MOST;
}

/* Branches first .. end - 1 in a function of their own. */
static bool wide_piece(Emit *e, const Select *s, const bool *has,
                       uint32_t first, uint32_t end, BranchWrite write,
                       void *user)
{
    bool *own = EMIT_ARRAY(e, bool, s->branches);
    Buffer labels = {0};
    Piece p;
    if (!own)
        return false;
    for (uint32_t k = first; k < end; k++) {
        own[k] = has[k];
        for (uint32_t i = 0; has[k] && i < s->n_labels[k]; i++)
            for (int64_t n = s->labels[k][i].low; n <= s->labels[k][i].high;
                 n++)
                buffer_format(&labels, "case %lld: ", (long long)n);
        if (has[k] && is_else(s, k))
            buffer_text(&labels, "default: ");
    }
    buffer_char(&labels, '{');
    emit_buffer(e, &labels);
    e->depth++;
    bool is = emit_piece_begin(e, &p, true);
    Buffer selector = {0}; // constants of the function around are not known
    emit_value(e, &selector, s->selector, 0);
    select_switch(e, s, buffer_string(&selector), false, own, write, user);
    buffer_free(&selector);
    if (is)
        emit_piece_end(e, &p);
    emit_line(e, "break;");
    emit_close(e, "");
    return true;
}

/* A switch with very many branches: groups of them. */
static void select_wide(Emit *e, const Select *s, const char *selector,
                        bool strict, const bool *has, BranchWrite write,
                        void *user)
{
    emit_line(e, "switch (%s) {", selector);
    for (uint32_t first = 0; first < s->branches;) {
        uint32_t end = first, n = 0;
        while (end < s->branches && n < BRANCHES_MOST)
            n += has[end++];
        if (n && !wide_piece(e, s, has, first, end, write, user))
            return;
        first = end;
    }
    if (strict)
        for (uint32_t k = 0; k < s->branches; k++)
            if (!has[k] && (s->n_labels[k] || is_else(s, k))) {
                case_labels(e, s, k);
                emit_line(e, "break;");
                emit_close(e, "");
            }
    if (strict && !s->has_else)
        emit_line(e, "default: return COSY_FAIL(COSY_SELECTOR, %s);",
                  emit_row(e, s->row));
    emit_line(e, "}");
}

/* s == 1 || (s >= 3 && s <= 99) */
static void label_test(Buffer *b, const Select *s, uint32_t k, const char *name)
{
    for (uint32_t i = 0; i < s->n_labels[k]; i++) {
        Label l = s->labels[k][i];
        if (i)
            buffer_text(b, " || ");
        if (l.low == l.high)
            buffer_format(b, "%s == %lld", name, (long long)l.low);
        else
            buffer_format(b, "(%s >= %lld && %s <= %lld)", name,
                          (long long)l.low, name, (long long)l.high);
    }
}

static void select_chain(Emit *e, const Select *s, const char *selector,
                         bool strict, const bool *has, BranchWrite write,
                         void *user)
{
    const char *name = emit_temp(e), *head = "if (";
    uint32_t other = NONE;
    emit_line(e, "const int64_t %s = %s;", name, selector);
    for (uint32_t k = 0; k < s->branches; k++) {
        if (s->n_labels[k] == 0) {
            other = k;
            continue;
        }
        Buffer b = {0};
        buffer_text(&b, head);
        label_test(&b, s, k, name);
        buffer_text(&b, ") {");
        emit_buffer(e, &b);
        e->depth++;
        if (has[k])
            write(e, k, user);
        e->depth--;
        head = "} else if (";
    }
    if (s->has_else || strict) {
        emit_line(e, "} else {");
        e->depth++;
        if (other != NONE && s->has_else && has[other])
            write(e, other, user);
        else if (!s->has_else)
            emit_line(e, "return COSY_FAIL(COSY_SELECTOR, %s);",
                      emit_row(e, s->row));
        e->depth--;
    }
    emit_line(e, "}");
}

static void select_if(Emit *e, const char *selector, const bool *has,
                      uint32_t branches, BranchWrite write, void *user)
{
    bool other = branches > 1 && has[1];
    if (!has[0] && !other)
        return;
    if (has[0])
        emit_open(e, "if (%s)", selector);
    else
        emit_open(e, "if (!(%s))", selector);
    write(e, has[0] ? 0 : 1, user);
    if (has[0] && other) {
        e->depth--;
        emit_line(e, "} else {");
        e->depth++;
        write(e, 1, user);
    }
    emit_close(e, "");
}

void emit_select(Emit *e, const Select *s, bool strict, const bool *has,
                 BranchWrite write, void *user)
{
    Buffer b = {0};
    emit_row_source(e, s->row);
    emit_value(e, &b, s->selector, 0);
    bool sure = !e->trouble;
    if (!sure) {
        const char *name = emit_temp(e);
        emit_line(e, "const %s %s = %s;", emit_type(s->selector->type), name,
                  buffer_string(&b));
        b.v.used = 0;
        buffer_text(&b, name);
        emit_check(e, s->row);
    }
    const char *selector = buffer_string(&b);
    if (!s->is_case)
        select_if(e, selector, has, s->branches, write, user);
    else if (is_switch(s) && sure && is_wide(e, s, has))
        select_wide(e, s, selector, strict, has, write, user);
    else if (is_switch(s))
        select_switch(e, s, selector, strict, has, write, user);
    else
        select_chain(e, s, selector, strict, has, write, user);
    buffer_free(&b);
}

/* ---- Assignments ------------------------------------------------------------------- */

static bool is_local(const Emit *e, uint32_t v)
{
    const Variable *var = model_variable(e->m, v);
    if (var->rank || v == e->m->seed || v == e->m->tangent_rate)
        return false;
    if (e->part == PART_BLOCK)
        return e->local[v];
    return !e->in_work[v] && !(e->part == PART_OUTPUTS && e->in_data[v]);
}

/* Behind an assignment in outputs: the check, and the value for event bodies. */
static void after_output(Emit *e, const Expr *target, const char *place,
                         uint32_t row)
{
    uint32_t v = target->which;
    if (target->type == TYPE_REAL)
        emit_line(e, "COSY_FINITE(%s, %s);", place, emit_row(e, row));
    if (target->op == EXPR_VARIABLE && e->work_outputs[v] && e->in_data[v]) {
        Buffer b = {0};
        emit_data_place(e, &b, v, target->arg, target->count);
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
    if (target->op == EXPR_RATE && e->rate_kept[v]) {
        Buffer b = {0};
        Part part = e->part;
        e->part = PART_BODY; // there it is read
        emit_place(e, &b, v, true, target->arg, target->count);
        e->part = part;
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
}

/* place = value, with what the part of the model wants before and behind. */
static void assign(Emit *e, const Expr *target, const char *value, uint32_t row)
{
    uint32_t v = target->which;
    bool rate = target->op == EXPR_RATE;
    if (rate && e->part == PART_CONDITIONS) // dx is given
        return;
    if (rate && e->part == PART_OUTPUTS && !e->rate_here[v]) {
        emit_check(e, row);
        emit_line(e, "COSY_FINITE(%s, %s);", value, emit_row(e, row));
        return;
    }
    bool own = e->part == PART_BLOCK && rate && e->rate_local[v];
    bool declares = (rate ? own : is_local(e, v)) && !e->nested[v];
    Buffer b = {0};
    emit_target(e, &b, target);
    const char *place = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    if (declares)
        emit_line(e, "const %s %s = %s;", emit_type(target->type), place,
                  value);
    else
        emit_line(e, "%s = %s;", place, value);
    emit_check(e, row);
    if (e->part == PART_OUTPUTS)
        after_output(e, target, place, row);
}

static uint32_t row_of(const Emit *e, uint32_t equation)
{
    return equation < model_equations(e->m)
               ? model_equation(e->m, equation)->row
               : NONE;
}

static bool is_unread(const Emit *e, const Expr *target)
{
    return target->op == EXPR_VARIABLE && e->unread[target->which];
}

static void step_assign(Emit *e, const Step *s)
{
    uint32_t row = row_of(e, s->equation);
    if (is_unread(e, s->target) ||
        (s->target->op == EXPR_RATE && e->part == PART_CONDITIONS))
        return;
    emit_row_source(e, row);
    Buffer b = {0};
    if (s->target->type == TYPE_REAL)
        emit_real(e, &b, s->value, 0);
    else
        emit_value(e, &b, s->value, 0);
    assign(e, s->target, buffer_string(&b), row);
    buffer_free(&b);
}

/* ---- Blocks --------------------------------------------------------------------------- */

#define UNKNOWNS_ON_STACK 64

bool emit_unknowns_in_work(const Block *b)
{
    return b->n > UNKNOWNS_ON_STACK;
}

const char *emit_unknowns(Emit *e, uint32_t block)
{
    return emit_format(e, "u_%u", block + 1);
}

/* d->u_1, of one element of the loops: d->u_1[I - 1] */
static const char *start_place(Emit *e, uint32_t block)
{
    Buffer b = {0};
    buffer_format(&b, "d->%s", emit_unknowns(e, block));
    if (e->block_n_loops[block]) {
        buffer_char(&b, '[');
        emit_loop_position(e, &b, e->block_loops[block],
                           e->block_n_loops[block]);
        buffer_char(&b, ']');
    }
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static void step_solve(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    const char *start = start_place(e, block);
    bool work = emit_unknowns_in_work(b);
    const char *u = emit_unknowns(e, block);
    for (uint32_t k = 0; k < b->n; k++)
        emit_row_source(e, b->equation ? row_of(e, b->equation[k]) : b->row);
    if (work)
        u = emit_format(e, "w->%s", u);
    else
        emit_line(e, "real %s[%u];", u, b->n);
    emit_line(e, "memcpy(%s, %s, sizeof %s);", u, start, u);
    for (uint32_t k = 0; k < e->block_n_loops[block]; k++)
        emit_line(e, "w->loop_%u = %s;", e->block_loops[block][k],
                  e->loop[e->block_loops[block][k]]);
    emit_line(e, "COSY_TRY(c->host->solve(c, &blocks[%s], t, x, %s, %s));",
              e->block[block], e->has_work ? "w" : "NULL", u);
    for (uint32_t k = 0; k < b->n; k++)
        if (!is_unread(e, b->unknown[k]))
            assign(e, b->unknown[k], emit_format(e, "%s[%u]", u, k),
                   e->block_row[block] + k);
    if (e->part == PART_OUTPUTS)
        emit_line(e, "memcpy(%s, %s, sizeof %s);", start, u, u);
    uint32_t needs = e->needs;
    e->needs = 0;
    emit_steps(e, &b->inner);
    e->needs = needs;
}

/* ---- Steps ------------------------------------------------------------------------------ */

static bool is_wanted(const Emit *e, const Steps *steps)
{
    for (const Step *s = steps->first; s; s = s->next)
        if (!e->needs || (s->needs & e->needs))
            return true;
    return false;
}

static void steps_scoped(Emit *e, const Steps *steps)
{
    Scope s;
    scope_open(e, &s);
    emit_count_steps(e, steps);
    emit_steps(e, steps);
    scope_close(e, &s);
}

static void branch_steps(Emit *e, uint32_t k, void *user)
{
    const Step *s = user;
    steps_scoped(e, &s->branch[k]);
}

static void step_select(Emit *e, Step *s)
{
    bool *has = EMIT_ARRAY(e, bool, s->select->branches);
    bool any = e->part == PART_OUTPUTS;
    for (uint32_t k = 0; has && k < s->select->branches; k++) {
        has[k] = is_wanted(e, &s->branch[k]);
        any = any || has[k];
    }
    if (has && any)
        emit_select(e, s->select, true, has, branch_steps, s);
}

#define STEPS_MOST 200 // of one function

/* Steps from *s on, as one function; *s is what comes then. */
static bool steps_piece(Emit *e, Step **s)
{
    Steps some = {.first = *s};
    Piece p;
    Scope scope;
    uint32_t n = 0;
    for (Step *k = *s; k && n < STEPS_MOST; k = k->next, n++)
        some.last = k;
    if (n < STEPS_MOST || !some.last->next || !emit_piece_begin(e, &p, false))
        return false;
    *s = some.last->next;
    some.last->next = NULL; // for a moment
    scope_open(e, &scope);
    emit_count_steps(e, &some);
    e->in_piece = true;
    emit_steps(e, &some);
    e->in_piece = false;
    scope_close(e, &scope);
    some.last->next = *s;
    emit_piece_end(e, &p);
    return true;
}

void emit_steps(Emit *e, const Steps *steps)
{
    for (Step *s = steps->first; s; s = s->next) {
        while (!e->in_piece && steps_piece(e, &s))
            ;
        if (e->needs && !(s->needs & e->needs))
            continue;
        switch (s->kind) {
        case STEP_ASSIGN: step_assign(e, s); break;
        case STEP_LOOP:
            emit_loop_open(e, s->loop, s->down);
            steps_scoped(e, &s->body);
            emit_loop_close(e, s->loop);
            break;
        case STEP_SELECT: step_select(e, s); break;
        case STEP_SOLVE: step_solve(e, s->block); break;
        }
    }
}

/* ---- Things under guards ------------------------------------------------------------------ */

typedef struct Cluster { // those of a list that stand in branches of one Select
    const Guarded *list;
    const uint32_t *item;      // numbers in the list, branch by branch
    const uint32_t *first;     // of each branch, in `item`; one more at the end
    const Guard *const *guard; // of each branch
    uint32_t open;             // loops around
    GuardedCount count;
    GuardedWrite write;
} Cluster;

static void guarded_level(Emit *e, const Cluster *c, const uint32_t *item,
                          uint32_t n, const Guard *around);

static bool is_at(const Guard *g, const Guard *around)
{
    return g == around || (g && around && g->select == around->select &&
                           g->branch == around->branch);
}

/* The outermost guard of g inside `around`; NULL if g is not inside. */
static const Guard *next_guard(const Guard *g, const Guard *around)
{
    if (is_at(g, around))
        return NULL;
    while (g && !is_at(g->select->around, around))
        g = g->select->around;
    return g;
}

static void write_item(Emit *e, const Cluster *c, uint32_t k)
{
    const Guarded *g = &c->list[k];
    Scope s;
    for (uint32_t i = c->open; i < g->n_loops; i++)
        emit_loop_open(e, g->loops[i], false);
    bool loops = c->open < g->n_loops;
    if (loops) {
        scope_open(e, &s);
        c->count(e, g);
    }
    c->write(e, g);
    if (loops)
        scope_close(e, &s);
    for (uint32_t i = g->n_loops; i > c->open; i--)
        emit_loop_close(e, g->loops[i - 1]);
}

static void branch_items(Emit *e, uint32_t branch, void *user)
{
    const Cluster *c = user;
    const uint32_t *item = c->item + c->first[branch];
    uint32_t n = c->first[branch + 1] - c->first[branch];
    Scope s;
    scope_open(e, &s);
    for (uint32_t k = 0; k < n; k++)
        c->count(e, &c->list[item[k]]);
    guarded_level(e, c, item, n, c->guard[branch]);
    scope_close(e, &s);
}

/* Sorts the items that stand under Select s by branch; `done` marks them. */
static bool cluster_make(Emit *e, Cluster *c, const Select *s,
                         const uint32_t *item, uint32_t n, const Guard *around,
                         bool *done, bool *has)
{
    uint32_t *first = EMIT_ARRAY(e, uint32_t, s->branches + 2);
    uint32_t *sorted = EMIT_ARRAY(e, uint32_t, n);
    const Guard **guard = EMIT_ARRAY(e, const Guard *, s->branches);
    if (e->broken)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < n; k++) {
            const Guard *g = next_guard(c->list[item[k]].guard, around);
            if (!g || g->select != s)
                continue;
            if (pass == 0)
                first[g->branch + 2]++;
            else
                sorted[first[g->branch + 1]++] = item[k];
            guard[g->branch] = g;
            done[k] = has[g->branch] = true;
        }
        for (uint32_t k = 0; pass == 0 && k <= s->branches; k++)
            first[k + 1] += first[k];
    }
    c->item = sorted;
    c->first = first;
    c->guard = guard;
    return true;
}

static void write_cluster(Emit *e, const Cluster *around_cluster,
                          const Select *s, const uint32_t *item, uint32_t n,
                          const Guard *around, bool *done)
{
    Cluster c = *around_cluster;
    uint32_t open = c.open;
    bool *has = EMIT_ARRAY(e, bool, s->branches);
    if (!has || !cluster_make(e, &c, s, item, n, around, done, has))
        return;
    for (uint32_t i = open; i < s->n_loops; i++)
        emit_loop_open(e, s->loops[i], false);
    c.open = s->n_loops > open ? s->n_loops : open;
    emit_select(e, s, false, has, branch_items, &c);
    for (uint32_t i = s->n_loops; i > open; i--)
        emit_loop_close(e, s->loops[i - 1]);
}

#define ITEMS_MOST 200 // of one function

/* Items that stand under no guard and in no branch, from k on, as a function of
   their own; returns what comes then. */
static uint32_t items_piece(Emit *e, const Cluster *c, const uint32_t *item,
                            uint32_t n, uint32_t k)
{
    uint32_t end = k;
    Piece p;
    Scope s;
    while (end < n && end - k < ITEMS_MOST && !c->list[item[end]].guard)
        end++;
    if (end - k < ITEMS_MOST || !emit_piece_begin(e, &p, true))
        return k;
    scope_open(e, &s);
    for (uint32_t i = k; i < end; i++)
        if (c->list[item[i]].n_loops == 0)
            c->count(e, &c->list[item[i]]);
    for (uint32_t i = k; i < end; i++)
        write_item(e, c, item[i]);
    scope_close(e, &s);
    emit_piece_end(e, &p);
    return end;
}

static void guarded_level(Emit *e, const Cluster *c, const uint32_t *item,
                          uint32_t n, const Guard *around)
{
    bool *done = EMIT_ARRAY(e, bool, n);
    for (uint32_t k = 0; !e->broken && k < n; k++) {
        if (!around && n > 2 * ITEMS_MOST)
            k = items_piece(e, c, item, n, k);
        if (k == n)
            return;
        const Guard *g = next_guard(c->list[item[k]].guard, around);
        if (done[k])
            continue;
        if (g)
            write_cluster(e, c, g->select, item + k, n - k, around, done + k);
        else
            write_item(e, c, item[k]);
    }
}

void emit_guarded(Emit *e, const Guarded *list, uint32_t n, GuardedCount count,
                  GuardedWrite write)
{
    Cluster c = {.list = list, .count = count, .write = write};
    uint32_t *item = EMIT_ARRAY(e, uint32_t, n);
    for (uint32_t k = 0; !e->broken && k < n; k++)
        item[k] = k;
    if (!e->broken)
        guarded_level(e, &c, item, n, NULL);
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* A value that may be left out keeps what it has. */
static void keep_value(Emit *e, uint32_t v)
{
    const Variable *var = model_variable(e->m, v);
    const char *name = e->variable[v];
    if (var->rank == 0)
        emit_line(e, e->in_data[v] ? "w->%s = d->%s;" : "w->%s = R(0.0);", name,
                  name);
    else if (e->in_data[v])
        emit_line(e, "memcpy(w->%s, d->%s, sizeof w->%s);", name, name, name);
    else
        emit_line(e, "memset(w->%s, 0, sizeof w->%s);", name, name);
}

static void prologue_variable(Emit *e, uint32_t v)
{
    const Node *n = &e->node[e->target[v]];
    bool read = n->serial == e->serial && n->uses > 0;
    bool local = is_local(e, v);
    if (!e->here[v]) {
        if (e->solves && e->work_outputs[v] && e->in_data[v])
            keep_value(e, v);
        return;
    }
    if (local && !read) {
        e->unread[v] = true;
    } else if (local && e->nested[v]) {
        const char *type = emit_type(model_variable(e->m, v)->type);
        if (e->in_data[v])
            emit_line(e, "%s %s = d->%s;", type, e->variable[v],
                      e->variable[v]);
        else
            emit_line(e, "%s %s = 0;", type, e->variable[v]);
    } else if (!local && e->partial[v] && e->in_work[v] &&
               (e->part != PART_OUTPUTS || e->work_outputs[v])) {
        keep_value(e, v);
    }
}

void emit_prologue(Emit *e)
{
    for (uint32_t v = 0; v < model_variables(e->m); v++)
        if (emit_is_computed(model_variable(e->m, v)) && v != e->m->seed &&
            v != e->m->tangent_rate)
            prologue_variable(e, v);
    if (!e->solves || !e->block_rates)
        return;
    if (e->part == PART_CONDITIONS) {
        e->uses_rate = true;
        emit_line(e, "memcpy(w->rate, dx, sizeof w->rate);");
        emit_line(e, "w->dx = w->rate;");
    } else {
        emit_line(e, "w->dx = dx;");
    }
}

static void zero_rates(Emit *e, const char *from)
{
    emit_line(e, "for (int64_t k = %s; k < STATES; k++)", from);
    emit_line(e, "    dx[k] = R(0.0);");
}

/* The first NNEQD states are integrated. */
static void inactive_rates(Emit *e)
{
    if (e->m->nneqd == NONE)
        return;
    const char *name = e->variable[e->m->nneqd];
    emit_line(e, "// NNEQD: the states behind stand still");
    zero_rates(e, emit_format(e, "d->%s < 0 ? 0 : d->%s", name, name));
}

void emit_derivatives(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "dx", NULL};
    const Model *m = e->m;
    Scope s;
    if (m->states == 0)
        return;
    emit_begin(e, PART_DERIVATIVES, NEED_RATES);
    emit_forget_here(e);
    emit_mark_here(e, &m->program);
    scope_open(e, &s);
    emit_count_steps(e, &m->program);
    if (e->rates_partial)
        zero_rates(e, "0");
    emit_prologue(e);
    emit_steps(e, &m->program);
    inactive_rates(e);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)",
             parameters, NULL);
}

static void rate_read(Emit *e, const Expr *x, void *user)
{
    (void)user;
    if (e->mark[x->id] == e->marks)
        return;
    e->mark[x->id] = e->marks;
    if (x->op == EXPR_RATE)
        e->rate_here[x->which] = true;
    for (uint32_t k = 0; k < x->count; k++)
        rate_read(e, x->arg[k], user);
}

/* New values of holds and hystereses: all are found before one is changed. */
static void update_memories(Emit *e)
{
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_memorys(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind == MEMORY_DELAY || !h->input || !h->when)
            continue;
        emit_source(e, h->line, h->name);
        bool always = h->when->op == EXPR_TRUTH && h->when->integer;
        Buffer b = {0};
        buffer_format(&b, "const real held_%u = ", k);
        if (always) {
            emit_real(e, &b, h->input, 0);
            buffer_char(&b, ';');
            emit_buffer(e, &b);
        } else {
            const Expr *arms[] = {h->when, h->input};
            buffer_free(&b);
            emit_line(e, "real held_%u = d->%s;", k, e->memory[k]);
            Buffer test = {0};
            emit_value(e, &test, arms[0], 0);
            emit_open(e, "if (%s)", buffer_string(&test));
            buffer_free(&test);
            Scope s;
            scope_open(e, &s);
            emit_count(e, arms[1]);
            buffer_format(&b, "held_%u = ", k);
            emit_real(e, &b, arms[1], 0);
            buffer_char(&b, ';');
            emit_buffer(e, &b);
            scope_close(e, &s);
            emit_close(e, "");
        }
        emit_check(e, h->row);
        emit_line(e, "COSY_FINITE(held_%u, %s);", k, emit_row(e, h->row));
    }
    for (uint32_t k = 0; k < model_memorys(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind != MEMORY_DELAY && h->input && h->when)
            emit_line(e, "d->%s = held_%u;", e->memory[k], k);
    }
}

static void count_memories(Emit *e)
{
    for (uint32_t k = 0; k < model_memorys(e->m); k++) {
        const Memory *h = model_memory(e->m, k);
        if (h->kind == MEMORY_DELAY || !h->input || !h->when)
            continue;
        emit_count(e, h->when);
        emit_count(e, h->input);
    }
}

void emit_outputs(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const Model *m = e->m;
    Scope s;
    emit_begin(e, PART_OUTPUTS, 0);
    emit_forget_here(e);
    emit_mark_here(e, &m->program);
    e->marks++;
    memcpy(e->rate_here, e->rate_kept, model_variables(m) * sizeof(bool));
    emit_each_step(e, &m->program, 0, rate_read, NULL);
    for (uint32_t k = 0; k < model_memorys(m); k++)
        if (model_memory(m, k)->input)
            rate_read(e, model_memory(m, k)->input, NULL);
    if (e->solves && e->block_rates)
        memset(e->rate_here, 1, model_variables(m) * sizeof(bool));
    scope_open(e, &s);
    emit_count_steps(e, &m->program);
    count_memories(e);
    if (e->rates_partial)
        for (uint32_t v = 0; v < model_variables(m); v++)
            if (e->rate_here[v] && m->states) {
                zero_rates(e, "0");
                break;
            }
    emit_prologue(e);
    emit_steps(e, &m->program);
    update_memories(e);
    scope_close(e, &s);
    e->has_outputs = e->body.v.used > 0;
    if (e->has_outputs)
        emit_end(e, "CosyStatus outputs(Cosy *c, real t, const real *x)",
                 parameters, NULL);
    e->out = e->file;
}
