#include "emit/writer.h"

/* MINIMIZE, MAXIMIZE and SOLVE. Their statements are a function of their own, which the
   host calls with instances of its own; what INTEGRAT and the like have set before is
   handed to it. */

static const char *real_text(Emit *e, const Expr *x)
{
    return emit_checked(e, x, EXPR_TYPE_REAL, e->code.statement->row);
}

/* A loop around the search counts in a C variable; its declared variable has the
   same value. */
static void hand_over_counters(Emit *e, const Vector *loops)
{
    const Statement *const *loop =
        (const Statement *const *)(const void *)loops->bytes;
    for (size_t k = 0; k < loops->used / sizeof *loop; k++) {
        const char *name = e->name->variable[loop[k]->which];
        const Expr *target = loop[k]->target;
        if (target)
            emit_line(e, "const int64_t %s = %s;", name,
                      emit_checked(e, target, EXPR_TYPE_INTEGER, loop[k]->row));
    }
}

static void write_body(Emit *e, const Statement *s, const Vector *loops)
{
    static const char *const parameters[] = {"settings", "result", NULL};
    const Quest *q = s->quest;
    emit_begin_body(e);
    e->code.in_experiment = true;
    emit_line(e, "CosySimulate s = *settings;");
    hand_over_counters(e, loops);
    emit_code(e, &s->body);
    e->code.statement = s;
    for (uint32_t k = 0; k < q->results; k++) {
        emit_line(e, "result[%u] = %s;", k,
                  real_text(e, s->list[4 * q->n + k]));
        emit_check(e, q->row[k]);
    }
    emit_line(e, "(void)s;");
    e->code.in_experiment = false;
    emit_end(e,
             emit_format(e,
                         "CosyStatus search_%u(Cosy *c, const CosySimulate "
                         "*settings, real *result)",
                         q->number + 1),
             parameters, NULL);
}

static void write_bodies(Emit *e, const Code *code, Vector *loops)
{
    for (const Statement *s = code->first; s; s = s->next) {
        size_t before = loops->used;
        if (s->kind == STATEMENT_FOR && !vector_append(loops, &s, sizeof s))
            e->broken = true;
        write_bodies(e, &s->body, loops);
        write_bodies(e, &s->other, loops);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            write_bodies(e, &s->arm[k].code, loops);
        loops->used = before;
        if (s->kind == STATEMENT_SEARCH)
            write_body(e, s, loops);
    }
}

void emit_searches(Emit *e)
{
    Vector loops = {0};
    if (e->m->searches)
        write_bodies(e, &e->m->experiment, &loops);
    vector_free(&loops);
}

static const char *bound(Emit *e, const Expr *x, const char *none)
{
    return x ? real_text(e, x) : none;
}

static void write_parameters(Emit *e, const Statement *s)
{
    const Quest *q = s->quest;
    emit_line(e, "const CosyWanted wanted[] = {");
    for (uint32_t k = 0; k < q->n; k++) {
        const Expr *at = s->list[k];
        const char *index =
            at ? emit_format(e, "(uint32_t)(%s)",
                             emit_checked(e, at, EXPR_TYPE_INTEGER, s->row))
               : "COSY_NONE";
        const char *start = real_text(e, s->list[q->n + k]);
        const char *low = bound(e, s->list[2 * q->n + k], "-COSY_INFINITY");
        const char *high = bound(e, s->list[3 * q->n + k], "COSY_INFINITY");
        emit_line(e, "    {v_%s, %s, %s, %s, %s, %s},",
                  e->name->variable[q->variable[k]], index, start, low, high,
                  q->log[k] ? "true" : "false");
    }
    emit_line(e, "};");
    emit_check(e, s->row);
}

static void write_results(Emit *e, const Quest *q)
{
    static const char *const sense[] = {[SENSE_VALUE] = "VALUE",
                                        [SENSE_ZERO] = "ZERO",
                                        [SENSE_BELOW] = "BELOW"};
    Buffer senses = {0}, rows = {0};
    for (uint32_t k = 0; k < q->results; k++) {
        const char *between = k ? ", " : "";
        buffer_format(&senses, "%sCOSY_SENSE_%s", between, sense[q->sense[k]]);
        buffer_format(&rows, "%s%s", between, emit_row(e, q->row[k]));
    }
    emit_line(e, "static const CosySense sense[] = {%s};",
              buffer_string(&senses));
    emit_line(e, "static const uint32_t row[] = {%s};", buffer_string(&rows));
    buffer_free(&senses);
    buffer_free(&rows);
}

void emit_search_statement(Emit *e, const Statement *s)
{
    static const char *const kind[] = {[SEARCH_MINIMIZE] = "MINIMIZE",
                                       [SEARCH_MAXIMIZE] = "MAXIMIZE",
                                       [SEARCH_SOLVE] = "SOLVE"};
    const Quest *q = s->quest;
    const Expr *tol = s->list[s->n - 2], *most = s->list[s->n - 1];
    emit_line(e, "{");
    e->depth++;
    write_results(e, q);
    write_parameters(e, s);
    emit_line(e, "const CosySearch search = {");
    emit_line(e, "    .kind = COSY_%s,", kind[q->kind]);
    if (q->global)
        emit_line(e, "    .global = true,");
    if (q->method)
        emit_line(e, "    .method = %s,", emit_string(e, q->method));
    emit_line(e, "    .n = %u,", q->n);
    emit_line(e, "    .parameter = wanted,");
    emit_line(e, "    .results = %u,", q->results);
    emit_line(e, "    .sense = sense,");
    emit_line(e, "    .row = row,");
    if (tol)
        emit_line(e, "    .tol = %s,", real_text(e, tol));
    if (most)
        emit_line(e, "    .most = (int64_t)(%s),", real_text(e, most));
    emit_line(e, "    .frame = s.frame,");
    emit_line(e, "    .line = %u,", s->line);
    emit_line(e, "    .body = search_%u,", q->number + 1);
    emit_line(e, "    .settings = &s,");
    emit_line(e, "};");
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->search(c, &search), %s);",
              emit_row(e, s->row));
    emit_close(e, "");
}
