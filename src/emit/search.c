#include "emit/writer.h"

#include <string.h>

/* MINIMIZE, MAXIMIZE, SOLVE and FIT. Their statements are a function of their own, which the
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

/* Derivatives of the results by all parameters. */
static void write_slopes(Emit *e, const Statement *s)
{
    const Quest *q = s->quest;
    uint32_t all = q->results * q->n;
    for (uint32_t k = 0; k < all; k++) {
        emit_line(e, "slope[%u] = %s;", k,
                  real_text(e, s->list[s->n - all + k]));
        emit_check(e, q->row[k / q->n]);
    }
}

static void write_body(Emit *e, const Statement *s, const Vector *loops)
{
    static const char *const parameters[] = {"settings", "result", "slope",
                                             NULL};
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
    if (q->slopes)
        write_slopes(e, s);
    else
        emit_line(e, "(void)slope;");
    emit_line(e, "(void)s;");
    if (q->results == 0)
        emit_line(e, "(void)result;");
    e->code.in_experiment = false;
    emit_end(e,
             emit_format(e,
                         "CosyStatus search_%u(Cosy *c, const CosySimulate "
                         "*settings, real *result, real *slope)",
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

/* ---- FIT ------------------------------------------------------------------------ */

static void put_item(Emit *e, Buffer *b, const FitItem *item)
{
    if (item->variable == NONE)
        buffer_text(b, "{COSY_NONE, COSY_NONE, \"\"}");
    else
        buffer_format(
            b, "{%s, %s, %s}", emit_variable_number(e, item->variable),
            item->element == NONE ? "COSY_NONE"
                                  : emit_format(e, "%u", item->element),
            emit_string(e, item->column ? item->column : ""));
}

static void write_keys(Emit *e, const FitData *d, uint32_t k)
{
    Buffer b = {0};
    if (d->keys == 0)
        return;
    buffer_format(&b, "static const CosyItemOf key_%u[] = {", k);
    for (uint32_t i = 0; i < d->keys; i++) {
        buffer_text(&b, i ? ", " : "");
        put_item(e, &b, &d->key[i]);
    }
    buffer_text(&b, "};");
    emit_buffer(e, &b);
}

static void write_observed(Emit *e, const FitData *d, uint32_t k)
{
    emit_line(e, "static const CosyObserved observe_%u[] = {", k);
    for (uint32_t i = 0; i < d->observed; i++) {
        const FitObserved *o = &d->observe[i];
        Buffer b = {0};
        buffer_text(&b, "    {");
        put_item(e, &b, &o->item);
        buffer_text(&b, ", ");
        put_item(e, &b, &o->noise);
        buffer_format(&b, ", %s, %s, %s, %s},", o->log ? "true" : "false",
                      o->known ? "true" : "false", emit_string(e, o->text),
                      emit_string(e, o->unit));
        emit_buffer(e, &b);
    }
    emit_line(e, "};");
}

/* One line for each row of the file. */
static void write_rows(Emit *e, const FitData *d, uint32_t k)
{
    size_t width = 1 + d->keys + 2 * (size_t)d->observed;
    emit_line(e, "static const real number_%u[] = {", k);
    for (uint32_t i = 0; i < d->rows; i++) {
        Buffer b = {0};
        buffer_text(&b, "   ");
        for (size_t at = 0; at < width; at++) {
            const char *text = d->number[i * width + at];
            if (text)
                buffer_format(&b, " R(%s%s),", text,
                              strpbrk(text, ".eE") ? "" : ".0");
            else
                buffer_text(&b, " COSY_NAN,");
        }
        emit_buffer(e, &b);
    }
    emit_line(e, "};");
    emit_line(e, "static const uint32_t line_%u[] = {", k);
    for (uint32_t i = 0; i < d->rows; i++)
        emit_line(e, "    %u,", d->row_line[i]);
    emit_line(e, "};");
}

static void write_data(Emit *e, const Fit *f)
{
    for (uint32_t k = 0; k < f->n; k++) {
        write_keys(e, &f->data[k], k);
        write_observed(e, &f->data[k], k);
        write_rows(e, &f->data[k], k);
    }
    emit_line(e, "static const CosyData data[] = {");
    for (uint32_t k = 0; k < f->n; k++) {
        const FitData *d = &f->data[k];
        emit_line(e,
                  "    {%s, %u, %u, %u, %u, %u, %s, observe_%u, number_%u, "
                  "line_%u},",
                  emit_string(e, d->file), d->line, d->run, d->keys,
                  d->observed, d->rows,
                  d->keys ? emit_format(e, "key_%u", k) : "NULL", k, k, k);
    }
    emit_line(e, "};");
}

/* The data of a FIT, its priors, and what is told of them. */
static void write_fit(Emit *e, const Statement *s)
{
    const Quest *q = s->quest;
    const Expr *const *after = s->list + 4 * (size_t)q->n + 2;
    write_data(e, q->fit);
    emit_line(e, "const CosyPrior prior[] = {");
    for (uint32_t k = 0; k < q->n; k++) {
        const Expr *mean = after[1 + 2 * k], *sd = after[2 + 2 * k];
        emit_line(e, "    {%s, %s},", mean ? real_text(e, mean) : "R(0.0)",
                  sd ? real_text(e, sd) : "R(0.0)");
    }
    emit_line(e, "};");
    emit_line(e, "const CosyFit fit = {");
    emit_line(e, "    .n_data = %u,", q->fit->n);
    emit_line(e, "    .data = data,");
    emit_line(e, "    .prior = prior,");
    if (after[0])
        emit_line(e, "    .starts = (int64_t)(%s),", real_text(e, after[0]));
    if (q->fit->profile)
        emit_line(e, "    .profile = true,");
    emit_line(e, "};");
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
                                       [SEARCH_SOLVE] = "SOLVE",
                                       [SEARCH_FIT] = "FIT"};
    const Quest *q = s->quest;
    const Expr *const *options = s->list + 4 * (size_t)q->n + q->results;
    const Expr *tol = options[0], *most = options[1];
    emit_line(e, "{");
    e->depth++;
    if (q->fit)
        write_fit(e, s);
    else
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
    if (q->fit) {
        emit_line(e, "    .fit = &fit,");
    } else {
        emit_line(e, "    .sense = sense,");
        emit_line(e, "    .row = row,");
        if (q->slopes)
            emit_line(e, "    .slopes = true,");
    }
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
