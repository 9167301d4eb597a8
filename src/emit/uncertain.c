#include "emit/writer.h"

#include "base/distribution.h"

/* UNCERTAIN: a table of its parameters, whose distributions are found when the
   statement is carried out, and one call of the host. */

static void write_values(Emit *e, const Sampling *sampling)
{
    for (uint32_t k = 0; k < sampling->n; k++)
        emit_generator_values(e, &sampling->item[k], k);
}

static void write_parameters(Emit *e, const Statement *s, uint32_t k, Buffer *b)
{
    const Expr *const *list = s->list + 2 + 4 * (size_t)k;
    for (uint32_t i = 0; i < 3 && list[1 + i]; i++)
        buffer_format(b, "%s(double)(%s)", i ? ", " : "",
                      emit_checked(e, list[1 + i], EXPR_TYPE_REAL, s->row));
    if (!list[1])
        buffer_text(b, "0.0");
}

static void write_item(Emit *e, const Statement *s, uint32_t k, Buffer *b)
{
    const Generator *g = &s->sampling->item[k];
    const Expr *at = s->list[2 + 4 * (size_t)k];
    const char *index =
        at ? emit_format(e, "(uint32_t)(%s)",
                         emit_checked(e, at, EXPR_TYPE_INTEGER, s->row))
           : "COSY_NONE";
    buffer_format(b,
                  "    {.variable = v_%s, .index = %s, .distribution = "
                  "COSY_%s, .parameter = {",
                  e->name->variable[s->sampling->variable[k]], index,
                  distribution_at(g->distribution)->name);
    write_parameters(e, s, k, b);
    buffer_text(b, "}");
    if (g->values)
        buffer_format(b, ", .value = value_%u, .values = %u", k + 1, g->values);
    if (g->values && g->weight)
        buffer_format(b, ", .weight = weight_%u", k + 1);
    buffer_format(b, ", .line = %u},", g->line);
}

/* What expressions need stands before the table. */
static void write_items(Emit *e, const Statement *s)
{
    uint32_t n = s->sampling->n;
    Buffer *row = emit_alloc(e, n, sizeof *row);
    for (uint32_t k = 0; row && k < n; k++)
        write_item(e, s, k, &row[k]);
    emit_check(e, s->row);
    emit_line(e, "const CosyUncertain item[] = {");
    for (uint32_t k = 0; row && k < n; k++)
        emit_buffer(e, &row[k]);
    emit_line(e, "};");
}

static const char *whole_text(Emit *e, const Expr *x, const Statement *s)
{
    return x ? emit_checked(e, x, EXPR_TYPE_INTEGER, s->row) : "0";
}

void emit_uncertain(Emit *e, const Statement *s)
{
    static const char *const kind[] = {[SAMPLING_SOBOL] = "SOBOL",
                                       [SAMPLING_LATIN] = "LATIN",
                                       [SAMPLING_PLAIN] = "PLAIN"};
    const Sampling *sampling = s->sampling;
    emit_line(e, "{");
    e->depth++;
    write_values(e, sampling);
    write_items(e, s);
    const char *points = whole_text(e, s->list[0], s);
    const char *seed = whole_text(e, s->list[1], s);
    emit_check(e, s->row);
    emit_line(e, "const CosySample sample = {");
    emit_line(e, "    .points = %s,", points);
    emit_line(e, "    .kind = COSY_SAMPLING_%s,", kind[sampling->kind]);
    if (sampling->indices)
        emit_line(e, "    .indices = true,");
    if (s->list[1])
        emit_line(e, "    .seed = %s,", seed);
    emit_line(e, "    .n = %u,", sampling->n);
    emit_line(e, "    .item = item,");
    emit_line(e, "    .frame = s.frame,");
    emit_line(e, "    .line = %u,", s->line);
    emit_line(e, "};");
    emit_line(e, "COSY_TRY_ROW(c->host->uncertain(c, &sample), %s);",
              emit_row(e, s->row));
    emit_close(e, "");
}
