#include "emit/writer.h"

#include <assert.h>

/* WAIT UNTIL: its lists, the conditions, and the marks that assignments and
   statements with resources leave for those that wait (cosy/until.h). */

static const WaitPlan *wait_plan(const Emit *e, uint32_t k)
{
    return &e->plan->wait[k];
}

/* ---- Tables --------------------------------------------------------------------------- */

void emit_wait_table(Emit *e)
{
    uint32_t n = model_waits(e->m);
    if (n == 0)
        return;
    emit_open(e, "static const CosyWaitInfo waits[%u] =", n);
    for (uint32_t k = 0; k < n; k++) {
        const WaitPlan *w = wait_plan(e, k);
        emit_line(e, "{%u, %u, %s, %s},", w->first, w->lists,
                  w->always ? "true" : "false", w->alike ? "true" : "false");
    }
    emit_close(e, ";");
    emit_blank(e);
}

uint32_t emit_waits_most(const Model *m)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < model_waits(m); k++)
        if (model_wait(m, k)->relations > most)
            most = model_wait(m, k)->relations;
    return most;
}

bool emit_crossing(Emit *e, Buffer *b, const Expr *x,
                   void (*plain)(Emit *e, Buffer *b, const Expr *x))
{
    uint32_t r = 0;
    if (!e->code.wait)
        return false;
    while (r < e->code.wait->relations && e->code.wait->relation[r] != x)
        r++;
    if (r == e->code.wait->relations || (x->op != EXPR_EQ && x->op != EXPR_NE))
        return false;
    const char *truth = x->op == EXPR_EQ ? "true" : "false";
    buffer_format(b, "(crossed == %u ? %s : ", r, truth);
    plain(e, b, x);
    buffer_char(b, ')');
    return true;
}

static void until_body(Emit *e, uint32_t k)
{
    static const char *const parameters[] = {"self", "crossed", NULL};
    const Wait *w = model_wait(e->m, k);
    emit_begin_body(e);
    e->code.process = w->process;
    e->code.wait = w;
    emit_now_begin(e, &model_process(e->m, w->process)->code, NONE);
    emit_row_source(e, w->row);
    e->equation_row = w->row;
    const char *holds = emit_checked(e, w->holds, EXPR_TYPE_BOOLEAN, w->row);
    e->equation_row = NONE;
    emit_line(e, "*over = %s;", holds);
    emit_end(e,
             emit_format(e,
                         "CosyStatus until_%u(Cosy *c, uint32_t self, "
                         "uint32_t crossed, bool *over)",
                         k + 1),
             parameters, NULL);
}

void emit_until(Emit *e)
{
    static const char *const parameters[] = {NULL};
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_waits(m); k++)
        until_body(e, k);
    emit_begin_body(e);
    emit_line(e, "switch (c->until[cosy_transaction(c, self)->list].wait) {");
    for (uint32_t k = 0; k < model_waits(m); k++)
        emit_line(e, "case %u: return until_%u(c, self, crossed, over);", k,
                  k + 1);
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, COSY_NOWHERE);");
    emit_line(e, "}");
    emit_end(e,
             "CosyStatus until(Cosy *c, uint32_t self, uint32_t crossed, "
             "bool *over)",
             parameters, "");
}

/* ---- The statement -------------------------------------------------------------------------- */

/* The list into which a transaction goes. */
const char *emit_wait_list(Emit *e, const Statement *s)
{
    const WaitPlan *w = wait_plan(e, s->which);
    if (!w->index)
        return emit_format(e, "%u", w->first);
    return emit_format(e, "cosy_until_place(%u, %u, (%s) - %lld)", w->first,
                       w->elements,
                       emit_checked(e, w->index, EXPR_TYPE_INTEGER, s->row),
                       (long long)w->low);
}

/* ---- Marks ------------------------------------------------------------------------------------- */

/* One list if `position` is that of the element that has changed, counted from
   0; NULL: any. */
static void put_mark(Emit *e, uint32_t wait, bool divided, const char *position)
{
    const WaitPlan *w = wait_plan(e, wait);
    if (!w->index)
        emit_line(e, "cosy_until_mark(c, %u);", w->first);
    else if (divided && position)
        emit_line(e, "cosy_until_mark(c, %u + (uint32_t)(%s));", w->first + 1,
                  position);
    else
        emit_line(e, "cosy_until_mark_all(c, %u);", w->first);
}

static void mark_readers(Emit *e, uint32_t which, bool resource,
                         const char *position)
{
    for (uint32_t k = 0; k < model_waits(e->m); k++) {
        const WaitPlan *w = wait_plan(e, k);
        for (uint32_t i = 0; !w->always && i < w->reads; i++)
            if (w->read[i].which == which && w->read[i].resource == resource)
                put_mark(e, k, w->read[i].divided, position);
    }
}

void emit_mark_variable(Emit *e, uint32_t variable, const char *position)
{
    mark_readers(e, variable, false, position);
}

/* `number`: that of the element in the contract; NULL: any. */
void emit_mark_resource(Emit *e, uint32_t which, const char *number)
{
    const Resource *r = model_resource(e->m, which);
    const char *position =
        number ? emit_format(e, "(%s) - %s", number, e->name->resource[which])
               : NULL;
    mark_readers(e, which, true, position);
    if (r->kind == RESOURCE_FACILITY && r->pool != NONE)
        mark_readers(e, r->pool, true, NULL);
}

/* The statement may change any resource. */
void emit_mark_resources(Emit *e)
{
    for (uint32_t k = 0; k < model_waits(e->m); k++) {
        const WaitPlan *w = wait_plan(e, k);
        bool any = false;
        for (uint32_t i = 0; !w->always && i < w->reads; i++)
            any = any || w->read[i].resource;
        if (any)
            put_mark(e, k, false, NULL);
    }
}

bool emit_waits_on_attributes(const Emit *e, uint32_t process)
{
    for (uint32_t k = 0; k < model_waits(e->m); k++)
        if (model_wait(e->m, k)->process == process &&
            wait_plan(e, k)->attributes)
            return true;
    return false;
}

/* An attribute of some transaction of the process has changed. */
void emit_mark_attributes(Emit *e, uint32_t process)
{
    for (uint32_t k = 0; k < model_waits(e->m); k++)
        if (model_wait(e->m, k)->process == process &&
            wait_plan(e, k)->attributes)
            put_mark(e, k, false, NULL);
}
