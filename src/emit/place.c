#include "emit/writer.h"

#include <string.h>

/* Where variables lie: a member of Data or Work, a place in x or dx, a local. */

/* ---- Indices -------------------------------------------------------------------- */

/* An index that is known to be within its bounds, or is checked. */
static void index_text(Emit *e, Buffer *b, const Expr *x, int64_t low,
                       int64_t high, int level)
{
    Known k = emit_bounds(e, x);
    if (k.known && k.low >= low && k.high <= high) {
        emit_value(e, b, x, level);
        return;
    }
    buffer_text(b, e->in_pattern ? "cosy_nearest(" : "cosy_index(c, ");
    emit_value(e, b, x, 0);
    buffer_format(b, ", %lld, %lld)", (long long)low, (long long)high);
    e->trouble = !e->in_pattern;
}

static void add_offset(Buffer *b, int64_t offset)
{
    if (offset)
        buffer_format(b, " %c %lld", offset < 0 ? '-' : '+',
                      (long long)(offset < 0 ? -offset : offset));
}

/* The position from 0 in one dimension; constants are combined. */
static void position(Emit *e, Buffer *b, const Expr *x, int64_t low,
                     int64_t high)
{
    uint32_t loop;
    int64_t offset;
    Known k = emit_bounds(e, x);
    bool inside = k.known && k.low >= low && k.high <= high;
    if (inside && expr_affine(x, &loop, &offset)) {
        if (loop == NONE) {
            buffer_format(b, "%lld", (long long)(offset - low));
            return;
        }
        buffer_text(b, e->loops.name[loop]);
        add_offset(b, offset - low);
        return;
    }
    index_text(e, b, x, low, high, LEVEL_ADD);
    add_offset(b, -low);
}

void emit_index_position(Emit *e, Buffer *b, const Expr *x, int64_t low,
                         int64_t high)
{
    position(e, b, x, low, high);
}

/* [i - 1][j - 1] */
static void member_index(Emit *e, Buffer *b, const Variable *v,
                         const Expr *const *index, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        buffer_char(b, '[');
        position(e, b, index[k], v->low[k], v->high[k]);
        buffer_char(b, ']');
    }
}

/* The same for an array that is known by its first element. */
static void flat_index(Emit *e, Buffer *b, const Variable *v,
                       const Expr *const *index, uint32_t count)
{
    if (count < 2) {
        member_index(e, b, v, index, count);
        return;
    }
    buffer_text(b, "[(");
    position(e, b, index[0], v->low[0], v->high[0]);
    buffer_format(b, ") * %lld + ", (long long)(v->high[1] - v->low[1] + 1));
    position(e, b, index[1], v->low[1], v->high[1]);
    buffer_char(b, ']');
}

/* Place in x: X, or U(I, J). */
static void state_index(Emit *e, Buffer *b, uint32_t k,
                        const Expr *const *index, uint32_t count)
{
    const Variable *v = model_variable(e->m, k);
    buffer_text(b, e->name->variable[k]);
    if (v->rank == 0)
        return;
    buffer_char(b, '(');
    for (uint32_t i = 0; i < v->rank; i++) {
        if (i)
            buffer_text(b, ", ");
        if (i < count)
            index_text(e, b, index[i], v->low[i], v->high[i], 0);
        else
            buffer_format(b, "%lld", (long long)v->low[i]);
    }
    buffer_char(b, ')');
}

/* ---- Variables ------------------------------------------------------------------- */

void emit_kept_rate(Emit *e, Buffer *b, uint32_t k, const Expr *const *index,
                    uint32_t count)
{
    assert(!model_variable(e->m, k)->pool); // bodies read an ALGEBR instead
    buffer_format(b, "d->rate_%s", e->name->variable[k]);
    member_index(e, b, model_variable(e->m, k), index, count);
}

static void rate_place(Emit *e, Buffer *b, uint32_t k, const Expr *const *index,
                       uint32_t count)
{
    if (model_variable(e->m, k)->pool) {
        emit_pooled_state(e, b, k, e->f->part == PART_BLOCK ? "w->dx" : "dx",
                          index);
        return;
    }
    if (e->f->part == PART_BODY) {
        emit_kept_rate(e, b, k, index, count);
        return;
    }
    if (e->flag[k] & IS_OWN_RATE) {
        buffer_format(b, "rate_%s", e->name->variable[k]);
        return;
    }
    buffer_text(b, e->f->part == PART_BLOCK ? "w->dx[" : "dx[");
    state_index(e, b, k, index, count);
    buffer_char(b, ']');
}

static const char *computed_home(const Emit *e, uint32_t k)
{
    if (e->f->part == PART_BODY)
        return "d->";
    if (e->flag[k] & IS_LOCAL)
        return "";
    if (e->f->part != PART_BLOCK && !(e->flag[k] & IS_HERE))
        return "d->";
    if (e->f->part == PART_OUTPUTS && e->store->in_data[k] &&
        !e->store->work_outputs[k])
        return "d->";
    return e->store->in_work[k] ? "w->" : "d->";
}

void emit_data_place(Emit *e, Buffer *b, uint32_t k, const Expr *const *index,
                     uint32_t count)
{
    if (model_variable(e->m, k)->pool) {
        emit_kept_pooled(e, b, k, index);
        return;
    }
    buffer_format(b, "d->%s", e->name->variable[k]);
    member_index(e, b, model_variable(e->m, k), index, count);
}

static void formal_place(Emit *e, Buffer *b, uint32_t k,
                         const Expr *const *index, uint32_t count)
{
    const Variable *v = model_variable(e->m, k);
    if (v->rank == 0 && v->by_reference)
        buffer_format(b, "*%s", e->name->variable[k]);
    else
        buffer_text(b, e->name->variable[k]);
    flat_index(e, b, v, index, count);
}

static bool vector_place(Emit *e, Buffer *b, uint32_t k,
                         const Expr *const *index, uint32_t count)
{
    const char *name = plan_vector_name(e->m, k);
    if (!name)
        return false;
    if (count == 1 && index[0]->op == EXPR_PLACE) {
        const char *vector =
            emit_format(e, "%s%s", e->f->part == PART_BLOCK ? "w->" : "", name);
        emit_pooled_state(e, b, index[0]->which, vector, index[0]->arg);
        return true;
    }
    buffer_format(b, "%s%s", e->f->part == PART_BLOCK ? "w->" : "", name);
    member_index(e, b, model_variable(e->m, k), index, count);
    return true;
}

void emit_place(Emit *e, Buffer *b, uint32_t k, bool rate,
                const Expr *const *index, uint32_t count)
{
    const Variable *v = model_variable(e->m, k);
    if (rate) {
        rate_place(e, b, k, index, count);
        return;
    }
    if (vector_place(e, b, k, index, count))
        return;
    if (v->pool && v->kind == VARIABLE_STATE) {
        emit_pooled_state(e, b, k, "x", index);
        return;
    }
    if (v->pool) {
        emit_pooled_value(e, b, k, index);
        return;
    }
    switch (v->kind) {
    case VARIABLE_STATE:
        buffer_text(b, e->f->part == PART_BODY ? "c->x[" : "x[");
        state_index(e, b, k, index, count);
        buffer_char(b, ']');
        return;
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY:
        buffer_format(b, "%s%s", computed_home(e, k), e->name->variable[k]);
        break;
    case VARIABLE_FORMAL: formal_place(e, b, k, index, count); return;
    case VARIABLE_COUNTER: buffer_text(b, e->name->variable[k]); return;
    case VARIABLE_OWN: emit_own(e, b, v->process, k, "self"); break;
    case VARIABLE_ATTRIBUTE: emit_attribute(e, b, k); return;
    case VARIABLE_LOCAL:
    case VARIABLE_CONST:
    case VARIABLE_DISCRETE:
    case VARIABLE_DSTATE:
        buffer_format(b, "%s%s", e->store->in_data[k] ? "d->" : "",
                      e->name->variable[k]);
        break;
    }
    member_index(e, b, v, index, count);
}

/* ---- Branches ----------------------------------------------------------------------- */

void emit_branch(Emit *e, Buffer *b, uint32_t r, const Expr *const *index,
                 uint32_t count)
{
    const Relation *rel = model_relation(e->m, r);
    uint32_t pool = loops_pool(e->m, rel->loops, rel->n_loops);
    if (pool) {
        const char *name = e->name->pool[pool - 1];
        buffer_format(b, "c->copy[%s].branch + (uint32_t)", name);
        emit_value(e, b, index[0], LEVEL_UNARY);
        buffer_format(b, " * %s_BRANCHES + ", name);
    }
    buffer_text(b, e->name->relation[r]);
    for (uint32_t k = pool ? 1 : 0; k < count && k < rel->n_loops; k++) {
        const Loop *l = model_loop(e->m, rel->loops[k]);
        uint64_t inner =
            loops_elements(e->m, rel->loops + k + 1, rel->n_loops - k - 1);
        buffer_text(b, inner > 1 ? " + (" : " + ");
        position(e, b, index[k], l->low, l->high);
        if (inner > 1)
            buffer_format(b, ") * %llu", (unsigned long long)inner);
    }
}

bool emit_has_pools(const Emit *e, const uint32_t *loops, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (model_loop(e->m, loops[k])->pool)
            return true;
    return false;
}

const char *emit_loops_count(Emit *e, const uint32_t *loops, uint32_t n)
{
    const char *text = "1";
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pool = model_loop(e->m, loops[k])->pool;
        const char *one = pool ? emit_active(e, pool - 1)
                               : emit_format(e, "%llu",
                                             (unsigned long long)loops_elements(
                                                 e->m, loops + k, 1));
        text = k ? emit_format(e, "%s * %s", text, one) : one;
    }
    return text;
}

void emit_loop_position(Emit *e, Buffer *b, const uint32_t *loops, uint32_t n)
{
    if (n > 1 && emit_has_pools(e, loops + 1, n - 1)) {
        for (uint32_t k = 0; k < n; k++)
            buffer_format(b, "%s%s * (%s)", k ? " + " : "",
                          e->loops.name[loops[k]],
                          emit_loops_count(e, loops + k + 1, n - k - 1));
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        const Loop *l = model_loop(e->m, loops[k]);
        uint64_t inner = loops_elements(e->m, loops + k + 1, n - k - 1);
        if (k)
            buffer_text(b, " + ");
        if (inner > 1)
            buffer_char(b, '(');
        buffer_text(b, e->loops.name[loops[k]]);
        add_offset(b, -l->low);
        if (inner > 1)
            buffer_format(b, ") * %llu", (unsigned long long)inner);
    }
}

/* ---- Loops ------------------------------------------------------------------------------ */

static bool index_taken(const Emit *e, const char *name)
{
    for (uint32_t k = 0; k < e->loops.indices && k < LENGTH(e->loops.index);
         k++)
        if (strcmp(e->loops.index[k], name) == 0)
            return true;
    return plan_taken(e->plan, name);
}

void emit_index_push(Emit *e, const char *name)
{
    if (e->loops.indices < LENGTH(e->loops.index))
        e->loops.index[e->loops.indices] = name;
    e->loops.indices++;
}

const char *emit_index_begin(Emit *e, uint32_t loop, Known range)
{
    const char *name = plan_unreserved(
        e->plan, plan_upper(e->plan, model_loop(e->m, loop)->name));
    while (index_taken(e, name) && !e->broken)
        name = emit_format(e, "%s_", name);
    emit_index_push(e, name);
    e->loops.name[loop] = name;
    e->loops.range[loop] = range;
    return name;
}

void emit_index_end(Emit *e, uint32_t loop)
{
    e->loops.indices--;
    e->loops.range[loop].known = false;
}

void emit_loop_open(Emit *e, uint32_t loop, bool down)
{
    const Loop *l = model_loop(e->m, loop);
    const char *i = emit_index_begin(e, loop, (Known){l->low, l->high, true});
    if (l->pool)
        emit_copies_open(e, l->pool - 1, i);
    else if (down)
        emit_open(e, "for (int64_t %s = %lld; %s >= %lld; %s--)", i,
                  (long long)l->high, i, (long long)l->low, i);
    else
        emit_open(e, "for (int64_t %s = %lld; %s <= %lld; %s++)", i,
                  (long long)l->low, i, (long long)l->high, i);
}

void emit_loop_close(Emit *e, uint32_t loop)
{
    emit_index_end(e, loop);
    emit_close(e, "");
}
