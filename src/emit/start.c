#include "emit/writer.h"

/* The start of a run: conditions that it fulfils, and what INITIAL assigns. */

/* *r = left - right */
static void write_start(Emit *e, uint32_t k)
{
    static const char *const parameters[] = {"r", NULL};
    const StartCondition *s = model_start(e->m, k);
    emit_begin_body(e);
    emit_line(e, "// %u: %s", s->line,
              emit_plain(e, model_row(e->m, s->row)->text));
    const char *left = emit_checked(e, s->left, EXPR_TYPE_REAL, s->row);
    const char *right = emit_checked(e, s->right, EXPR_TYPE_REAL, s->row);
    emit_line(e, "*r = (%s) - (%s);", left, right);
    emit_check(e, s->row);
    emit_end(e, emit_format(e, "CosyStatus start_%u(Cosy *c, real *r)", k + 1),
             parameters, NULL);
}

/* switch (k) { case 0: return start_1(c, r); } */
void emit_starts(Emit *e)
{
    static const char *const parameters[] = {NULL};
    uint32_t n = model_starts(e->m);
    if (n == 0)
        return;
    emit_title(e, "Conditions of the start");
    for (uint32_t k = 0; k < n; k++)
        write_start(e, k);
    emit_begin_body(e);
    emit_line(e, "switch (k) {");
    for (uint32_t k = 0; k < n; k++)
        emit_line(e, "case %u: return start_%u(c, r);", k, k + 1);
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, k);");
    emit_line(e, "}");
    emit_end(e, "CosyStatus start(Cosy *c, uint32_t k, real *r)", parameters,
             "");
}

void emit_start_statement(Emit *e, const Statement *s)
{
    emit_line(e, "COSY_TRY_ROW(c->host->condition(c, %u), %s);", s->which,
              emit_row(e, s->row));
}

static void initial_states(Emit *e)
{
    Buffer b = {0};
    bool more = false;
    buffer_text(&b, "static const uint32_t initial_states[] = {");
    for (uint32_t k = 0; k < model_variables(e->m); k++) {
        if (!e->store->initial[k])
            continue;
        buffer_format(&b, "%sv_%s", more ? ", " : "", e->name->variable[k]);
        more = true;
    }
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_blank(e);
}

void emit_start_tables(Emit *e)
{
    uint32_t n = model_starts(e->m);
    if (n > 0) {
        emit_open(e, "static const CosyStart starts[] =");
        for (uint32_t k = 0; k < n; k++)
            emit_line(e, "{%s, %u},", emit_row(e, model_start(e->m, k)->row),
                      model_start(e->m, k)->line);
        emit_close(e, ";");
        emit_blank(e);
    }
    if (e->store->initials > 0)
        initial_states(e);
}
