#include "emit/writer.h"

#include "base/whole.h"

/* One of n: a Select as switch or if, and lists of things that stand in its
   branches. */

/* ---- Select ---------------------------------------------------------------------- */

#define LABELS_MOST 16 // most labels of one range that a switch spells out

static bool is_switch(const Select *s)
{
    for (uint32_t k = 0; k < s->branches; k++)
        for (uint32_t i = 0; i < s->n_labels[k]; i++)
            if (whole_apart(s->labels[k][i].low, s->labels[k][i].high) >=
                LABELS_MOST)
                return false;
    return true;
}

static bool is_else(const Select *s, uint32_t k)
{
    return s->is_case && s->has_else && s->n_labels[k] == 0;
}

/* Writes "case 1: case 2:" for all labels of a branch; opens a block after the
   last one. */
static void put_labels(Buffer *b, const Select *s, uint32_t k)
{
    for (uint32_t i = 0; i < s->n_labels[k]; i++) {
        Label l = s->labels[k][i];
        assert(l.low <= l.high);
        buffer_format(b, "case %lld: ", (long long)l.low);
        while (l.low < l.high)
            buffer_format(b, "case %lld: ", (long long)++l.low);
    }
    if (is_else(s, k))
        buffer_text(b, "default: ");
}

static void case_labels(Emit *e, const Select *s, uint32_t k)
{
    Buffer b = {0};
    put_labels(&b, s, k);
    buffer_char(&b, '{');
    emit_buffer(e, &b);
    e->depth++;
}

/* A selector outside its labels is refused if `strict`. */
static void close_switch(Emit *e, const Select *s, bool strict)
{
    if (strict && !s->has_else)
        emit_line(e, "default: return COSY_FAIL(COSY_SELECTOR, %s);",
                  emit_row(e, s->row));
    emit_line(e, "}");
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
    close_switch(e, s, strict);
}

#define BRANCHES_MOST 64 // most branches in one function

static bool is_wide(const Emit *e, const Select *s, const bool *has)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->branches; k++)
        n += has[k];
    return e->plan->facts.big && n > 2 * BRANCHES_MOST;
}

/* Branches first .. end - 1 as a function of their own. */
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
        if (has[k])
            put_labels(&labels, s, k);
    }
    buffer_char(&labels, '{');
    emit_buffer(e, &labels);
    e->depth++;
    bool is = emit_piece_begin(e, &p, true);
    Buffer selector = {0}; // constants of the enclosing function are not known
    emit_value(e, &selector, s->selector, 0);
    select_switch(e, s, buffer_string(&selector), false, own, write, user);
    buffer_free(&selector);
    if (is)
        emit_piece_end(e, &p);
    emit_line(e, "break;");
    emit_close(e, "");
    return true;
}

/* A switch with very many branches becomes groups of them. */
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
    close_switch(e, s, strict);
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

/* ---- Things under guards ------------------------------------------------------------------ */

typedef struct Cluster { // items of a list that stand in branches of one Select
    const Guarded *list;
    const uint32_t *item;      // numbers in the list, branch by branch
    const uint32_t *first;     // start of each branch in `item`; one more at
                               // the end
    const Guard *const *guard; // for each branch
    uint32_t open;             // enclosing loops
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

#define ITEMS_MOST 100 // most items in one function

void emit_in_pieces(Emit *e, uint32_t n, PieceItem count, PieceItem write,
                    void *user)
{
    bool cut = n > 2 * ITEMS_MOST;
    for (uint32_t k = 0, end; k < n; k = end) {
        Piece p;
        Scope s;
        end = cut && n - k > ITEMS_MOST ? k + ITEMS_MOST : n;
        bool is = cut && emit_piece_begin(e, &p, false);
        if (is) {
            scope_open(e, &s);
            for (uint32_t i = k; count && i < end; i++)
                count(e, i, user);
        }
        for (uint32_t i = k; i < end; i++)
            write(e, i, user);
        if (is) {
            scope_close(e, &s);
            emit_piece_end(e, &p);
        }
    }
}

/* Writes items from k on that stand under no guard and in no branch as a
   function of their own; returns the next item. */
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
