#include "emit/writer.h"

#include "base/distribution.h"

/* Random streams and statistics: their tables, the parameters of RANDOMGEN's
   items, the observations after assignments, and the statements of the
   EXPERIMENT about them. */

/* ---- Names ----------------------------------------------------------------------- */

void emit_random_enumerations(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_streams(m);
    Buffer b = {0};
    if (n + model_statistics(m) == 0)
        return;
    buffer_text(&b, "enum { ");
    for (uint32_t k = 0; k < n; k++)
        buffer_format(&b, "%s%s = %u", k ? ", " : "", e->name->stream[k],
                      model_stream(m, k)->number);
    for (uint32_t k = 0; k < model_statistics(m); k++)
        buffer_format(&b, "%s%s = %u", n + k ? ", " : "", e->name->statistic[k],
                      model_statistic(m, k)->number);
    buffer_text(&b, " };");
    emit_buffer(e, &b);
    emit_blank(e);
}

/* ---- Tables ---------------------------------------------------------------------- */

static const char *element_name(Emit *e, const Variable *v, uint64_t k)
{
    return emit_element(e, v->name, v->rank, v->low, v->high, k);
}

static void stream_table(Emit *e)
{
    const Model *m = e->m;
    if (model_streams(m) == 0)
        return;
    emit_open(e, "static const CosyStreamInfo streams[] =");
    for (uint32_t k = 0; k < model_streams(m); k++) {
        const Stream *s = model_stream(m, k);
        for (uint64_t i = 0; i < s->elements; i++) {
            const char *name = s->elements > 1
                                   ? emit_format(e, "%s[%llu]", s->name,
                                                 (unsigned long long)i + 1)
                                   : s->name;
            emit_line(e, "{.name = %s, .distribution = %s, .line = %u},",
                      emit_string(e, name),
                      s->uniform ? "COSY_UNIFORMD, .b = 1.0"
                                 : "COSY_NO_DISTRIBUTION",
                      s->line);
        }
    }
    emit_close(e, ";");
    emit_blank(e);
}

static void put_doubles(Emit *e, const char *what, uint32_t g, const double *x,
                        uint32_t n)
{
    Buffer b = {0};
    buffer_format(&b, "static const double %s_%u[] = {", what, g + 1);
    for (uint32_t k = 0; k < n; k++)
        buffer_format(&b, "%s%.17g", k ? ", " : "", x[k]);
    buffer_text(&b, "};");
    emit_buffer(e, &b);
}

void emit_generator_values(Emit *e, const Generator *g, uint32_t k)
{
    if (g->values)
        put_doubles(e, "value", k, g->value, g->values);
    if (g->values && g->weight)
        put_doubles(e, "weight", k, g->weight, g->values);
}

static void generator_row(Emit *e, uint32_t k)
{
    const Generator *g = model_generator(e->m, k);
    const Stream *s = model_stream(e->m, g->stream);
    Buffer b = {0};
    buffer_format(&b, "{.first = %s, .count = %llu, .distribution = COSY_%s, ",
                  e->name->stream[g->stream], (unsigned long long)s->elements,
                  distribution_at(g->distribution)->name);
    buffer_format(&b, ".seed = UINT64_C(%llu), ", (unsigned long long)g->seed);
    if (g->antithetic)
        buffer_text(&b, ".antithetic = true, ");
    if (g->common)
        buffer_text(&b, ".common = true, ");
    if (g->values)
        buffer_format(&b, ".value = value_%u, .values = %u, ", k + 1,
                      g->values);
    if (g->weight)
        buffer_format(&b, ".weight = weight_%u, ", k + 1);
    buffer_format(&b, ".line = %u},", g->line);
    emit_buffer(e, &b);
}

static void generator_table(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_generators(m);
    if (n == 0)
        return;
    for (uint32_t k = 0; k < n; k++)
        emit_generator_values(e, model_generator(m, k), k);
    emit_open(e, "static const CosyGenerator generators[] =");
    for (uint32_t k = 0; k < n; k++)
        generator_row(e, k);
    emit_close(e, ";");
    emit_blank(e);
}

static bool has_kind(const Model *m, StatisticKind kind)
{
    for (uint32_t k = 0; k < model_statistics(m); k++)
        if (model_statistic(m, k)->kind == kind)
            return true;
    return false;
}

static void statistic_table(Emit *e, StatisticKind kind, const char *head)
{
    const Model *m = e->m;
    if (!has_kind(m, kind))
        return;
    emit_open(e, "static const %s =", head);
    for (uint32_t k = 0; k < model_statistics(m); k++) {
        const Statistic *s = model_statistic(m, k);
        const Variable *v = model_variable(m, s->variable);
        for (uint64_t i = 0; s->kind == kind && i < v->elements; i++)
            emit_line(e, "{.name = %s, .line = %u},",
                      emit_string(e, element_name(e, v, i)), s->line);
    }
    emit_close(e, ";");
    emit_blank(e);
}

void emit_random_tables(Emit *e)
{
    stream_table(e);
    generator_table(e);
    statistic_table(e, STATISTIC_COLLECT, "CosyNamed collects[]");
    statistic_table(e, STATISTIC_TIMEPERS, "CosyNamed timepers[]");
    statistic_table(e, STATISTIC_HISTOGRAM, "CosyHistogramInfo histograms[]");
}

void emit_random_description(Emit *e)
{
    const Model *m = e->m;
    if (model_streams(m))
        emit_line(e, "table_of(streams),");
    if (model_generators(m))
        emit_line(e, "table_of(generators),");
    if (has_kind(m, STATISTIC_COLLECT))
        emit_line(e, "table_of(collects),");
    if (has_kind(m, STATISTIC_TIMEPERS))
        emit_line(e, "table_of(timepers),");
    if (has_kind(m, STATISTIC_HISTOGRAM))
        emit_line(e, "table_of(histograms),");
    if (model_generators(m))
        emit_line(e, ".generator = generator,");
}

/* ---- Parameters ------------------------------------------------------------------- */

static void generator_case(Emit *e, uint32_t k)
{
    const Generator *g = model_generator(e->m, k);
    emit_row_source(e, g->row);
    emit_open(e, "case %u:", k);
    for (uint32_t i = 0; i < 3 && g->parameter[i]; i++) {
        const char *value =
            emit_text(e, g->parameter[i], EXPR_TYPE_REAL, LEVEL_CHOOSE);
        emit_line(e, "parameter[%u] = (double)(%s);", i, value);
        emit_check(e, g->row);
    }
    emit_line(e, "return COSY_OK;");
    emit_close(e, "");
}

void emit_generator(Emit *e)
{
    static const char *const unused[] = {"parameter", NULL};
    uint32_t n = model_generators(e->m);
    if (n == 0)
        return;
    emit_title(e, "Random variables");
    emit_begin_body(e);
    emit_line(e, "switch (g) {");
    for (uint32_t k = 0; k < n; k++)
        generator_case(e, k);
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, g);");
    emit_line(e, "}");
    emit_end(e,
             "CosyStatus generator(Cosy *c, uint32_t g, double parameter[3])",
             unused, "");
}

/* ---- Draws -------------------------------------------------------------------------- */

/* The stream of a DRAW as an expression of C. */
static const char *stream_text(Emit *e, const Expr *x)
{
    const Expr *element = x->arg[0];
    const char *at = emit_text(e, element, EXPR_TYPE_INTEGER, LEVEL_CHOOSE);
    if (x->which == NONE) // a formal: the number itself
        return emit_format(e, "(uint32_t)%s", at);
    const Stream *s = model_stream(e->m, x->which);
    if (element->op == EXPR_INTEGER && element->integer == 0)
        return e->name->stream[x->which];
    Known k = emit_bounds(e, element);
    int64_t last = (int64_t)s->elements - 1;
    if (!k.known || k.low < 0 || k.high > last) {
        at = emit_format(e, "cosy_index(c, %s, 0, %lld)", at, (long long)last);
        e->trouble = true;
    }
    return emit_format(e, "%s + (uint32_t)(%s)", e->name->stream[x->which], at);
}

const char *emit_draw(Emit *e, const Expr *x)
{
    const char *name = emit_temp(e);
    uint32_t row = e->code.statement ? e->code.statement->row : NONE;
    const char *stream = stream_text(e, x);
    if (e->trouble) {
        const char *which = emit_temp(e);
        emit_line(e, "const uint32_t %s = %s;", which, stream);
        stream = which;
    }
    emit_check(e, row);
    emit_line(e, "real %s;", name);
    emit_line(e, "COSY_TRY_ROW(cosy_draw_to(c, %s, &%s), %s);", stream, name,
              emit_row(e, row));
    return name;
}

/* ---- Observations -------------------------------------------------------------------- */

static const char *const calls[] = {[STATISTIC_COLLECT] = "cosy_collect",
                                    [STATISTIC_TIMEPERS] = "cosy_timepers",
                                    [STATISTIC_HISTOGRAM] = "cosy_histogram"};

/* Position from 0 of the element that was assigned, or NULL. */
static const char *target_position(Emit *e, const Expr *target)
{
    const Variable *v = model_variable(e->m, target->which);
    if (target->count == 0)
        return NULL;
    const char *i =
        emit_text(e, target->arg[0], EXPR_TYPE_INTEGER, LEVEL_CHOOSE);
    if (target->count == 1)
        return emit_format(e, "(%s) - %lld", i, (long long)v->low[0]);
    return emit_format(
        e, "((%s) - %lld) * %lld + (%s) - %lld", i, (long long)v->low[0],
        (long long)(v->high[1] - v->low[1] + 1),
        emit_text(e, target->arg[1], EXPR_TYPE_INTEGER, LEVEL_CHOOSE),
        (long long)v->low[1]);
}

static void observe(Emit *e, uint32_t statistic, const Expr *target,
                    uint32_t row)
{
    const Statistic *s = model_statistic(e->m, statistic);
    const char *number = e->name->statistic[statistic];
    const char *position = target_position(e, target);
    if (position)
        number = emit_format(e, "%s + (uint32_t)(%s)", number, position);
    Buffer b = {0};
    emit_target(e, &b, target);
    emit_line(e, "COSY_TRY_ROW(%s(c, %s, %s%s), %s);", calls[s->kind], number,
              target->type == EXPR_TYPE_REAL ? "" : "(real)", buffer_string(&b),
              emit_row(e, row));
    buffer_free(&b);
    emit_check(e, row);
}

/* All elements of an array that was passed to a procedure as a whole. */
static void observe_whole(Emit *e, uint32_t statistic, const Expr *target,
                          uint32_t row)
{
    const Variable *v = model_variable(e->m, target->which);
    Buffer b = {0};
    emit_address(e, &b, target);
    emit_line(e, "for (uint32_t k = 0; k < %llu; k++)",
              (unsigned long long)v->elements);
    emit_line(e, "    COSY_TRY_ROW(%s(c, %s + k, %s(%s)[k]), %s);",
              calls[model_statistic(e->m, statistic)->kind],
              e->name->statistic[statistic],
              target->type == EXPR_TYPE_REAL ? "" : "(real)", buffer_string(&b),
              emit_row(e, row));
    buffer_free(&b);
}

void emit_observed(Emit *e, const Expr *target, uint32_t row)
{
    if (!target || e->code.in_experiment)
        return;
    if (target->op == EXPR_ENTRY || target->op == EXPR_ENTRY_AT)
        emit_entry_changed(e, target);
    if (target->op != EXPR_VARIABLE)
        return;
    const Variable *v = model_variable(e->m, target->which);
    emit_mark_variable(e, target->which,
                       target->reads & READS_CALL ? NULL
                                                  : target_position(e, target));
    e->trouble = false; // the index has been checked
    for (uint32_t k = 0; k < model_statistics(e->m); k++) {
        if (model_statistic(e->m, k)->variable != target->which)
            continue;
        if (v->rank > 0 && target->count == 0)
            observe_whole(e, k, target, row);
        else
            observe(e, k, target, row);
    }
}

/* A TIMEPERS begins with the value of the variable at the start of a run:
   START, what the lists have set, or what it was. */
void emit_timepers_begin(Emit *e)
{
    for (uint32_t k = 0; k < model_statistics(e->m); k++) {
        const Statistic *s = model_statistic(e->m, k);
        const Variable *v = model_variable(e->m, s->variable);
        if (s->kind != STATISTIC_TIMEPERS)
            continue;
        Expr whole = {
            .op = EXPR_VARIABLE, .type = v->type, .which = s->variable};
        Buffer b = {0};
        emit_address(e, &b, &whole);
        emit_line(e, "for (uint32_t k = 0; k < %llu; k++)",
                  (unsigned long long)v->elements);
        emit_line(e, "    cosy_timepers_begin(c, %s + k, (real)(%s)[k]);",
                  e->name->statistic[k], buffer_string(&b));
        buffer_free(&b);
    }
}

/* ---- Statements of the EXPERIMENT ------------------------------------------------------ */

void emit_observe_none(Emit *e)
{
    if (model_statistics(e->m))
        emit_line(e, "COSY_TRY(c->host->observe(c, COSY_STATISTIC_COLLECT, 0, "
                     "0, R(0.0), R(0.0), R(0.0)));");
}

static const char *optional_real(Emit *e, const Expr *x)
{
    return x ? emit_checked(e, x, EXPR_TYPE_REAL, e->code.statement->row)
             : "(real)NAN";
}

static void write_observe(Emit *e, const Statement *s)
{
    static const char *const kinds[] = {
        [STATISTIC_COLLECT] = "COSY_STATISTIC_COLLECT",
        [STATISTIC_TIMEPERS] = "COSY_STATISTIC_TIMEPERS",
        [STATISTIC_HISTOGRAM] = "COSY_STATISTIC_HISTOGRAM"};
    const Statistic *st = model_statistic(e->m, s->which);
    const Variable *v = model_variable(e->m, st->variable);
    const char *a = "R(0.0)", *b = "R(0.0)", *w = "R(0.0)";
    if (st->kind == STATISTIC_COLLECT && s->flags) {
        a = "R(1.0)";
    } else if (st->kind == STATISTIC_TIMEPERS && s->a) {
        a = emit_checked(e, s->a, s->a->type, s->row);
        if (s->a->type != EXPR_TYPE_REAL)
            a = emit_format(e, "(real)(%s)", a);
    } else if (st->kind == STATISTIC_HISTOGRAM) {
        a = emit_format(e, "(real)(%s)",
                        emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row));
        b = optional_real(e, s->b);
        w = optional_real(e, s->c);
    }
    emit_check(e, s->row);
    emit_line(
        e, "COSY_TRY_ROW(c->host->observe(c, %s, %s, %llu, %s, %s, %s), %s);",
        kinds[st->kind], e->name->statistic[s->which],
        (unsigned long long)v->elements, a, b, w, emit_row(e, s->row));
}

static const char *position_text(Emit *e, const Expr *x)
{
    return x ? emit_format(e, "(uint32_t)(%s)",
                           emit_checked(e, x, EXPR_TYPE_INTEGER,
                                        e->code.statement->row))
             : "COSY_NONE";
}

static void write_sweep(Emit *e, const Statement *s)
{
    const char *index = position_text(e, s->a);
    emit_check(e, s->row);
    emit_line(e,
              "COSY_TRY_ROW(c->host->list(c, COSY_LIST_SWEEP, v_%s, %s), %s);",
              e->name->variable[s->which], index, emit_row(e, s->row));
    emit_code(e, &s->body);
}

static void write_span(Emit *e, const Statement *s)
{
    const char *from = emit_checked(e, s->a, EXPR_TYPE_REAL, s->row);
    const char *to = emit_checked(e, s->b, EXPR_TYPE_REAL, s->row);
    const char *points = emit_checked(e, s->c, EXPR_TYPE_INTEGER, s->row);
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->span(c, %s, %s, %s, %s), %s);", from,
              to, points, s->flags & 1 ? "true" : "false", emit_row(e, s->row));
}

static const char *number_or_none(Emit *e, const Expr *x, ExprType type)
{
    const char *none = type == EXPR_TYPE_REAL ? "R(0.0)" : "0";
    return x ? emit_checked(e, x, type, e->code.statement->row) : none;
}

/* BASE, DELTA, CONFIDENCE and FIRST, as `list` has them. */
static void write_chosen(Emit *e, const Statement *s)
{
    const char *base = number_or_none(e, s->list[0], EXPR_TYPE_INTEGER);
    const char *delta = number_or_none(e, s->list[1], EXPR_TYPE_REAL);
    const char *confidence = number_or_none(e, s->list[2], EXPR_TYPE_REAL);
    const char *first = number_or_none(e, s->list[3], EXPR_TYPE_INTEGER);
    emit_check(e, s->row);
    emit_line(e, "s.has_base = %s;", s->list[0] ? "true" : "false");
    emit_line(e, "s.base = %s;", base);
    emit_line(e, "s.is_best = %s;", s->flags & 4 ? "true" : "false");
    if (!(s->flags & 4))
        return;
    emit_line(e, "s.highest = %s;", s->flags & 8 ? "true" : "false");
    emit_line(e, "s.delta = %s;", delta);
    emit_line(e, "s.has_confidence = %s;", s->list[2] ? "true" : "false");
    emit_line(e, "s.confidence = %s;", confidence);
    emit_line(e, "s.has_first = %s;", s->list[3] ? "true" : "false");
    emit_line(e, "s.first = %s;", first);
}

static void write_replicate(Emit *e, const Statement *s)
{
    const Expr *most = s->a ? s->a : s->c;
    const char *count = number_or_none(e, most, EXPR_TYPE_INTEGER);
    const char *within = number_or_none(e, s->b, EXPR_TYPE_REAL);
    const char *at = s->target ? position_text(e, s->target) : "0";
    bool follows = s->which != NONE;
    emit_check(e, s->row);
    emit_line(e, "s.replicates = %s;", most ? "true" : "false");
    emit_line(e, "s.replicate = %s;", count);
    emit_line(e, "s.is_within = %s;", s->b ? "true" : "false");
    emit_line(e, "s.within = %s;", within);
    if (follows)
        emit_line(e, "s.of = v_%s;", e->name->variable[s->which]);
    if (follows)
        emit_line(e, "s.of_at = %s;", at);
    emit_line(e, "s.antithetic = %s;", s->flags & 1 ? "true" : "false");
    emit_line(e, "s.common = %s;", s->flags & 2 ? "true" : "false");
    if (s->list && (s->list[0] || s->flags & 4))
        write_chosen(e, s);
    else
        emit_line(e, "s.has_base = s.is_best = false;");
}

static void write_clear(Emit *e, const Statement *s)
{
    if (s->a) {
        emit_line(e, "s.clear_at = %s;",
                  emit_checked(e, s->a, EXPR_TYPE_REAL, s->row));
        emit_check(e, s->row);
    } else {
        const char *at = s->target ? position_text(e, s->target) : "0";
        emit_check(e, s->row);
        emit_line(e, "s.warm_of = v_%s;", e->name->variable[s->which]);
        emit_line(e, "s.warm_at = %s;", at);
    }
    emit_line(e, "s.clears = %s;", s->a ? "true" : "false");
    emit_line(e, "s.warms = %s;", s->a ? "false" : "true");
}

bool emit_random_statement(Emit *e, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_RANDOMGEN:
        emit_line(e, "COSY_TRY_ROW(c->host->randomgen(c, %u), %s);", s->which,
                  emit_row(e, s->row));
        return true;
    case STATEMENT_OBSERVE: write_observe(e, s); return true;
    case STATEMENT_SWEEP: write_sweep(e, s); return true;
    case STATEMENT_SPAN: write_span(e, s); return true;
    case STATEMENT_REPLICATE: write_replicate(e, s); return true;
    case STATEMENT_CLEAR: write_clear(e, s); return true;
    default: return false;
    }
}
