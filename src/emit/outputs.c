#include "emit/writer.h"

#include <string.h>

/* outputs: every equation at an accepted point, with its check, and what
   memories keep from it. */

/* ---- After derivatives --------------------------------------------------------- */

/* True if the value of v is copied from Work to Data. */
static bool is_copied(const Emit *e, const bool *from_rates, uint32_t v)
{
    return from_rates[v] && e->store->in_data[v] && e->store->in_work[v];
}

/* Copies values that lie side by side in both structs: variables first .. last,
   and whatever has no place in either. */
static void copy_span(Emit *e, uint32_t first, uint32_t last)
{
    const char *a = e->name->variable[first], *z = e->name->variable[last];
    const char *from = emit_format(e, "COSY_AT(d, Data, %s)", a);
    const char *size = emit_format(e, "COSY_SPAN(Data, %s, %s)", a, z);
    emit_line(e, "memcpy(%s, COSY_AT(w, Work, %s), %s);", from, a, size);
    if (model_variable(e->m, first)->type == EXPR_TYPE_REAL)
        emit_line(e, "finite &= cosy_all_finite(%s, %s);", from, size);
}

static void copy_values(Emit *e, const bool *from_rates)
{
    uint32_t n = model_variables(e->m), first = NONE, last = NONE;
    for (uint32_t v = 0; v <= n; v++) {
        if (v < n && !e->store->in_data[v] && !e->store->in_work[v])
            continue;
        bool is = v < n && is_copied(e, from_rates, v);
        if (first != NONE && (!is || model_variable(e->m, v)->type !=
                                         model_variable(e->m, first)->type)) {
            copy_span(e, first, last);
            first = NONE;
        }
        if (is) {
            first = first == NONE ? v : first;
            last = v;
        }
    }
}

static void checked_rows(Emit *e)
{
    Buffer b = {0};
    uint32_t n = 0;
    buffer_text(&b, "static const uint32_t checked[] = {");
    for (const Step *s = e->m->simulation.program.first; s; s = s->next)
        if ((s->needs & NEED_RATES) && s->target->type == EXPR_TYPE_REAL &&
            plan_is_found(e->plan, s))
            buffer_format(&b, "%s%s", n++ ? ", " : "",
                          emit_row(e, model_equation(e->m, s->equation)->row));
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_line(e, "if (COSY_RARELY(!finite))");
    emit_line(e, "    return cosy_first_bad(c, dx, checked, %u);", n);
}

/* What derivatives has computed: checked, and kept for event bodies. */
static void take_values(Emit *e)
{
    const Model *m = e->m;
    bool *from_rates = EMIT_ARRAY(e, bool, model_variables(m));
    if (!from_rates)
        return;
    for (const Step *s = m->simulation.program.first; s; s = s->next)
        if ((s->needs & NEED_RATES) && s->target->op == EXPR_VARIABLE)
            from_rates[s->target->which] = true;
    emit_line(e, "COSY_TRY(derivatives(c, t, x, dx));");
    emit_line(e, "bool finite = cosy_all_finite(dx, STATES * sizeof(real));");
    copy_values(e, from_rates);
    checked_rows(e);
    for (const Step *s = m->simulation.program.first; s; s = s->next) {
        if (!(s->needs & NEED_RATES))
            continue;
        uint32_t v = s->target->which;
        bool rate = s->target->op == EXPR_RATE;
        if (!rate && s->target->type == EXPR_TYPE_REAL &&
            !plan_is_found(e->plan, s))
            emit_line(e, "COSY_FINITE(d->%s, %s);", e->name->variable[v],
                      emit_row(e, model_equation(m, s->equation)->row));
        if (rate && e->store->rate_kept[v])
            emit_line(e, "d->rate_%s = dx[%s];", e->name->variable[v],
                      e->name->variable[v]);
    }
}

/* ---- Memories -------------------------------------------------------------------- */

static const char *memory_place(Emit *e, uint32_t k)
{
    const Memory *h = model_memory(e->m, k);
    return emit_format(e, "%s%s",
                       h->pool ? emit_pool_member(e, &h->loop, 1) : "d->",
                       e->name->memory[k]);
}

/* New values of holds and hystereses of the fixed part or of the copies of a
   pool: all are computed before any is changed. */
static void update_those(Emit *e, uint32_t pool)
{
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind == MEMORY_DELAY || !h->input || !h->when || h->pool != pool)
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
            emit_line(e, "real held_%u = %s;", k, memory_place(e, k));
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
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind != MEMORY_DELAY && h->input && h->when && h->pool == pool)
            emit_line(e, "%s = held_%u;", memory_place(e, k), k);
    }
}

static bool any_kept(const Model *m, uint32_t pool)
{
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind != MEMORY_DELAY && h->input && h->when && h->pool == pool)
            return true;
    }
    return false;
}

static void update_memories(Emit *e)
{
    const Model *m = e->m;
    update_those(e, 0);
    for (uint32_t p = 0; p < model_pools(m); p++) {
        uint32_t self = model_pool(m, p)->self;
        Scope s;
        if (!any_kept(m, p + 1))
            continue;
        emit_loop_open(e, self, false);
        scope_open(e, &s);
        for (uint32_t k = 0; k < model_memories(m); k++) {
            const Memory *h = model_memory(m, k);
            if (h->kind == MEMORY_DELAY || !h->input || h->pool != p + 1)
                continue;
            emit_count(e, h->input);
            emit_count(e, h->when);
        }
        update_those(e, p + 1);
        scope_close(e, &s);
        emit_loop_close(e, self);
    }
}

/* ---- The function ------------------------------------------------------------------ */

void emit_outputs(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const Model *m = e->m;
    const FunctionPlan *f = &e->plan->function[PART_OUTPUTS];
    Scope s;
    emit_function(e, f, &s);
    if (f->follows)
        take_values(e);
    if (e->plan->facts.rates_partial)
        for (uint32_t v = 0; v < model_variables(m); v++)
            if (e->plan->facts.rate_read[v] && model_integrates(m)) {
                emit_zero_rates(e, "0");
                break;
            }
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    update_memories(e);
    scope_close(e, &s);
    e->written.outputs = e->body.v.used > 0;
    if (e->written.outputs)
        emit_end(e, "CosyStatus outputs(Cosy *c, real t, const real *x)",
                 parameters, NULL);
    e->out = e->file;
}
