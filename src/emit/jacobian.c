#include "emit/writer.h"

/* The Jacobian: its pattern, its entries, and its product with a direction.
   Entry k of the Model has as many places as its loops have elements, the first
   at base[k]. */

/* One for each copy. */
static bool is_dynamic(const Emit *e, const Entry *j)
{
    return emit_has_pools(e, j->loops, j->n_loops);
}

static uint64_t *entry_bases(Emit *e, uint64_t *total)
{
    uint32_t n = model_entries(e->m);
    uint64_t *base = EMIT_ARRAY(e, uint64_t, n);
    *total = 0;
    for (uint32_t k = 0; base && k < n; k++) {
        const Entry *j = model_entry(e->m, k);
        base[k] = *total;
        if (!is_dynamic(e, j))
            *total += loops_elements(e->m, j->loops, j->n_loops);
    }
    return base;
}

/* Where the places of dynamic entries begin: base_3 follows all that have a fixed
   number, and those that are dynamic and come before it. Returns how many places
   there are. */
static const char *dynamic_bases(Emit *e, uint64_t total)
{
    const char *at = emit_format(e, "%llu", (unsigned long long)total);
    for (uint32_t k = 0; k < model_entries(e->m); k++) {
        const Entry *j = model_entry(e->m, k);
        if (!is_dynamic(e, j))
            continue;
        emit_line(e, "const uint32_t base_%u = %s;", k, at);
        at = emit_format(e, "base_%u + %s", k,
                         emit_loops_count(e, j->loops, j->n_loops));
    }
    return at;
}

/* Place of a RATE or STATE in x, without the array. */
static void put_state(Emit *e, Buffer *b, const Expr *x)
{
    Buffer place = {0};
    if (model_variable(e->m, x->which)->pool) {
        buffer_char(b, '(');
        emit_pooled_place(e, b, x->which, x->arg);
        buffer_char(b, ')');
        return;
    }
    emit_place(e, &place, x->which, false, x->arg, x->count);
    const char *text = buffer_string(&place);
    size_t n = place.v.used;
    if (n > 3 && text[0] == 'x' && text[1] == '[')
        buffer_bytes(b, text + 2, n - 3);
    buffer_free(&place);
}

static const char *state_text(Emit *e, const Expr *x)
{
    Buffer b = {0};
    put_state(e, &b, x);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* The text "X1' by X2" for a comment after the code. */
static const char *entry_text(Emit *e, const Entry *j)
{
    Buffer b = {0};
    expr_print(e->m, j->row, &b);
    buffer_text(&b, " by ");
    expr_print(e->m, j->column, &b);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* ---- Pattern --------------------------------------------------------------------------- */

static void plain_table(Emit *e, uint32_t first, uint32_t end, bool rows)
{
    Buffer b = {0};
    buffer_format(&b, "static const uint32_t %s_%u[] = {",
                  rows ? "rows" : "columns", first);
    for (uint32_t k = first; k < end; k++) {
        const Entry *j = model_entry(e->m, k);
        buffer_text(&b, k > first ? ", " : "");
        put_state(e, &b, rows ? j->row : j->column);
    }
    buffer_text(&b, "};");
    emit_buffer(e, &b);
}

/* Entries first .. end - 1 are plain. */
static void plain_entries(Emit *e, uint32_t first, uint32_t end, uint64_t base)
{
    emit_open(e, "for (uint32_t k = 0; k < %u; k++)", end - first);
    const char *at =
        base ? emit_format(e, "%llu + k", (unsigned long long)base) : "k";
    emit_line(e, "row[%s] = rows_%u[k];", at, first);
    emit_line(e, "column[%s] = columns_%u[k];", at, first);
    emit_close(e, "");
}

static void loop_entries(Emit *e, uint32_t number, uint64_t base)
{
    const Entry *j = model_entry(e->m, number);
    emit_line(e, "// %s", emit_plain(e, entry_text(e, j)));
    if (is_dynamic(e, j))
        emit_line(e, "k = base_%u;", number);
    else
        emit_line(e, "k = %llu;", (unsigned long long)base);
    for (uint32_t i = 0; i < j->n_loops; i++)
        emit_loop_open(e, j->loops[i], false);
    Scope s;
    scope_open(e, &s);
    emit_line(e, "row[k] = (uint32_t)%s;", state_text(e, j->row));
    emit_line(e, "column[k++] = (uint32_t)%s;", state_text(e, j->column));
    scope_close(e, &s);
    for (uint32_t i = j->n_loops; i > 0; i--)
        emit_loop_close(e, j->loops[i - 1]);
}

/* Whether the place of an entry is known now: it stands in no loop and is not
   that of a copy, which is looked up. */
static bool is_plain(const Model *m, const Entry *j)
{
    return j->n_loops == 0 && !model_variable(m, j->row->which)->pool &&
           !model_variable(m, j->column->which)->pool;
}

/* The end of the plain entries from k on. */
static uint32_t plain_end(const Model *m, uint32_t k)
{
    while (k < model_entries(m) && is_plain(m, model_entry(m, k)))
        k++;
    return k;
}

static void write_pattern(Emit *e, const uint64_t *base, uint64_t total)
{
    static const char *const parameters[] = {"column", NULL};
    const Model *m = e->m;
    uint32_t n = model_entries(m);
    bool counted = false;
    emit_begin(e, &e->plan->function[PART_JACOBIAN]);
    e->in_pattern = true;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t end = plain_end(m, k);
        counted = counted || end == k;
        if (end > k) {
            plain_table(e, k, end, true);
            plain_table(e, k, end, false);
            k = end - 1;
        }
    }
    if (counted)
        emit_line(e, "uint32_t k;");
    emit_line(e, "*count = %s;", dynamic_bases(e, total));
    emit_line(e, "if (row == NULL)");
    emit_line(e, "    return COSY_OK;");
    for (uint32_t k = 0; k < n; k++) {
        uint32_t end = plain_end(m, k);
        if (end > k) {
            plain_entries(e, k, end, base[k]);
            k = end - 1;
        } else {
            loop_entries(e, k, base[k]);
        }
    }
    emit_end(e,
             "CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column, "
             "uint32_t *count)",
             parameters, NULL);
    e->in_pattern = false;
}

/* ---- Entries ------------------------------------------------------------------------------ */

static void count_entry(Emit *e, const Guarded *g)
{
    const Entry *j = g->item;
    emit_count(e, j->value);
}

/* value[I + 98 */
static void put_position(Emit *e, Buffer *b, const Entry *j, uint32_t number)
{
    uint64_t base = e->entry_base[number];
    buffer_text(b, "value[");
    if (is_dynamic(e, j)) {
        buffer_format(b, "base_%u + ", number);
        emit_loop_position(e, b, j->loops, j->n_loops);
        return;
    }
    if (j->n_loops == 1) {
        const Loop *l = model_loop(e->m, j->loops[0]);
        long long offset = (long long)base - (long long)l->low;
        buffer_text(b, e->loops.name[j->loops[0]]);
        if (offset)
            buffer_format(b, " %c %lld", offset < 0 ? '-' : '+',
                          offset < 0 ? -offset : offset);
        return;
    }
    buffer_format(b, "%llu", (unsigned long long)base);
    if (j->n_loops) {
        buffer_text(b, " + ");
        emit_loop_position(e, b, j->loops, j->n_loops);
    }
}

/* Nothing depends on the STATEs of a copy that sleeps: they stand still. NULL: the
   column is always there. */
static const char *column_awake(Emit *e, const Entry *j)
{
    const Variable *v = model_variable(e->m, j->column->which);
    if (!v->pool || j->column->arg[0]->op == EXPR_LOOP)
        return NULL;
    return emit_format(e, "%s < %s", emit_looked_up(e, j->column->arg[0]),
                       emit_active(e, v->pool - 1));
}

static void write_entry(Emit *e, const Guarded *g)
{
    const Entry *j = g->item;
    Buffer b = {0}, value = {0};
    emit_real(e, &value, j->value, 0);
    if (e->m->nneqd != NONE)
        emit_line(e, "if ((int64_t)%s < d->%s)", state_text(e, j->row),
                  e->name->variable[e->m->nneqd]);
    put_position(e, &b, j, g->number);
    const char *awake = column_awake(e, j);
    if (awake)
        buffer_format(&b, "] = %s ? %s : R(0.0);", awake,
                      buffer_string(&value));
    else
        buffer_format(&b, "] = %s;", buffer_string(&value));
    buffer_free(&value);
    emit_line(e, "// %s", emit_plain(e, entry_text(e, j)));
    e->depth += e->m->nneqd != NONE;
    emit_buffer(e, &b);
    e->depth -= e->m->nneqd != NONE;
    emit_check(e, NONE);
}

/* A number as it stands, always in force. */
static bool is_constant(const Emit *e, const Entry *j)
{
    const Expr *x = j->value;
    if (x->op == EXPR_NEG)
        x = x->arg[0];
    return e->m->nneqd == NONE && is_plain(e->m, j) && !j->guard &&
           x->op == EXPR_NUMBER;
}

#define CONSTANTS_FEW 100 // so many may be assigned one by one

/* Whether a large model has so many constant entries that the values begin as a
   copy of a table. */
static bool has_constants(const Emit *e, uint64_t total)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < model_entries(e->m); k++)
        n += is_constant(e, model_entry(e->m, k));
    return e->plan->facts.big && n > CONSTANTS_FEW && n >= total / 4;
}

static void constant_table(Emit *e, uint64_t total)
{
    Buffer b = {0};
    uint64_t next = 0;
    buffer_format(&b, "static const real constant[%llu] = {",
                  (unsigned long long)total);
    for (uint32_t k = 0; k < model_entries(e->m); k++) {
        const Entry *j = model_entry(e->m, k);
        if (!is_constant(e, j))
            continue;
        for (; next < e->entry_base[k]; next++)
            buffer_text(&b, "0, ");
        emit_static(e, &b, j->value);
        buffer_text(&b, ", ");
        next++;
    }
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_line(e, "memcpy(value, constant, sizeof constant);");
}

/* The entries that are computed one by one. */
static Guarded *entry_list(Emit *e, bool constants, uint32_t *count)
{
    uint32_t n = model_entries(e->m);
    Guarded *list = EMIT_ARRAY(e, Guarded, n);
    *count = 0;
    for (uint32_t k = 0; list && k < n; k++) {
        const Entry *j = model_entry(e->m, k);
        if (!constants || !is_constant(e, j))
            list[(*count)++] = (Guarded){j->guard, j->loops, j->n_loops, j, k};
    }
    return list;
}

static void write_entries(Emit *e, uint64_t total)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const Model *m = e->m;
    uint32_t n;
    bool guards = m->nneqd != NONE, constants = has_constants(e, total);
    Guarded *list = entry_list(e, constants, &n);
    const FunctionPlan *f = &e->plan->function[PART_JACOBIAN];
    Scope s;
    if (!list)
        return;
    emit_function(e, f, &s);
    for (uint32_t k = 0; k < n; k++)
        guards = guards || list[k].guard;
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    emit_steps(e, f->steps[1]);
    if (constants)
        constant_table(e, total);
    const char *all = dynamic_bases(e, total);
    if (!constants && guards)
        emit_line(e, "memset(value, 0, (%s) * sizeof *value);", all);
    emit_guarded(e, list, n, count_entry, write_entry);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)",
             parameters, NULL);
}

bool emit_pattern_moves(const Emit *e)
{
    for (uint32_t k = 0; e->written.pattern && k < model_entries(e->m); k++) {
        const Expr *column = model_entry(e->m, k)->column;
        if (model_variable(e->m, column->which)->pool &&
            column->arg[0]->op == EXPR_FOUND)
            return true;
    }
    return false;
}

void emit_jacobian(Emit *e)
{
    const Model *m = e->m;
    uint64_t total;
    if (!model_integrates(m))
        return;
    if (model_entries(m) == 0 && !m->has_jacobian)
        return;
    uint64_t *base = entry_bases(e, &total);
    e->entry_base = base;
    if (!base)
        return;
    emit_title(e, "Jacobian");
    e->written.pattern = true;
    write_pattern(e, base, total);
    e->written.jacobian = m->has_jacobian && model_entries(m) > 0;
    if (e->written.jacobian)
        write_entries(e, total);
}

/* ---- Direction ------------------------------------------------------------------------------ */

void emit_still(Emit *e)
{
    if (e->m->nneqd == NONE)
        return;
    const char *name = e->name->variable[e->m->nneqd];
    emit_line(e, "for (int64_t k = d->%s < 0 ? 0 : d->%s; k < STATES; k++)",
              name, name);
    emit_line(e, "    df[k] = R(0.0);");
}

void emit_tangent(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "vx", "vp", NULL};
    const FunctionPlan *f = &e->plan->function[PART_TANGENT];
    Scope s;
    if (!f->exists)
        return;
    emit_function(e, f, &s);
    emit_line(e, "for (uint32_t k = 0; k < %s; k++)", emit_length(e));
    emit_line(e, "    df[k] = R(0.0);");
    emit_block_directions(e, false);
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    emit_steps(e, f->steps[1]);
    emit_still(e);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus tangent(Cosy *c, real t, const real *x, const real "
             "*vx, const real *vp, real *df)",
             parameters, NULL);
}
