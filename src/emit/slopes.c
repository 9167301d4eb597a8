#include "emit/writer.h"

/* Sparse Jacobians, of large blocks and of constraints: their entries, and where
   these stand.
   Slope k has as many places as its loops have elements. */

const char *emit_part_open(Emit *e, const BlockPart *p, const char *array)
{
    Buffer b = {0};
    for (uint32_t k = 0; k < p->n_loops; k++)
        emit_loop_open(e, p->loops[k], false);
    buffer_format(&b, "%s[", array);
    if (p->n_loops) {
        buffer_format(&b, "%u + ", p->first);
        emit_loop_position(e, &b, p->loops, p->n_loops);
        buffer_char(&b, ']');
    } else {
        buffer_format(&b, "%u]", p->first);
    }
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

void emit_part_close(Emit *e, const BlockPart *p)
{
    for (uint32_t k = p->n_loops; k > 0; k--)
        emit_loop_close(e, p->loops[k - 1]);
}

typedef struct SlopeCode {
    const Slope *slope;
    uint32_t n;
    uint64_t *base; // first place of each slope
    uint32_t row;
} SlopeCode;

static uint64_t slope_bases(Emit *e, SlopeCode *code)
{
    uint64_t total = 0;
    code->base = EMIT_ARRAY(e, uint64_t, code->n);
    for (uint32_t k = 0; code->base && k < code->n; k++) {
        code->base[k] = total;
        total +=
            loops_elements(e->m, code->slope[k].loops, code->slope[k].n_loops);
    }
    return total;
}

static void open_loops(Emit *e, const Slope *s)
{
    for (uint32_t k = 0; k < s->n_loops; k++)
        emit_loop_open(e, s->loops[k], false);
}

static void close_loops(Emit *e, const Slope *s)
{
    for (uint32_t k = s->n_loops; k > 0; k--)
        emit_loop_close(e, s->loops[k - 1]);
}

static void put_position(Emit *e, Buffer *b, const SlopeCode *code, uint32_t k)
{
    const Slope *s = &code->slope[k];
    buffer_format(b, "%llu", (unsigned long long)code->base[k]);
    if (s->n_loops) {
        buffer_text(b, " + ");
        emit_loop_position(e, b, s->loops, s->n_loops);
    }
}

/* ---- Values ----------------------------------------------------------------------------- */

static void count_slope(Emit *e, uint32_t k, void *user)
{
    const SlopeCode *code = user;
    if (code->slope[k].n_loops == 0)
        emit_count(e, code->slope[k].value);
}

static void write_slope(Emit *e, uint32_t k, void *user)
{
    const SlopeCode *code = user;
    const Slope *s = &code->slope[k];
    Buffer text = {0};
    Scope scope;
    open_loops(e, s);
    if (s->n_loops) {
        scope_open(e, &scope);
        emit_count(e, s->value);
    }
    buffer_text(&text, "j[");
    put_position(e, &text, code, k);
    buffer_text(&text, "] = ");
    emit_real(e, &text, s->value, 0);
    buffer_char(&text, ';');
    emit_buffer(e, &text);
    emit_check(e, code->row);
    if (s->n_loops)
        scope_close(e, &scope);
    close_loops(e, s);
}

void emit_slopes(Emit *e, const Slope *slope, uint32_t n, uint32_t row)
{
    SlopeCode code = {.slope = slope, .n = n, .row = row};
    slope_bases(e, &code);
    if (code.base)
        emit_in_pieces(e, n, count_slope, write_slope, &code);
}

/* ---- Places ------------------------------------------------------------------------------ */

/* Slopes from k on that stand in no loop. */
static uint32_t plain_end(const SlopeCode *code, uint32_t k)
{
    while (k < code->n && code->slope[k].n_loops == 0)
        k++;
    return k;
}

static void plain_table(Emit *e, const SlopeCode *code, uint32_t first,
                        uint32_t end, bool rows)
{
    Buffer text = {0};
    buffer_format(&text, "static const uint32_t %s_%u[] = {",
                  rows ? "rows" : "columns", first);
    for (uint32_t k = first; k < end; k++) {
        const Expr *at = rows ? code->slope[k].row : code->slope[k].column;
        buffer_text(&text, k > first ? ", " : "");
        emit_value(e, &text, at, 0);
    }
    buffer_text(&text, "};");
    emit_buffer(e, &text);
}

static void plain_places(Emit *e, const SlopeCode *code, uint32_t k,
                         uint32_t end)
{
    emit_open(e, "for (uint32_t k = 0; k < %u; k++)", end - k);
    emit_line(e, "row[%llu + k] = rows_%u[k];",
              (unsigned long long)code->base[k], k);
    emit_line(e, "column[%llu + k] = columns_%u[k];",
              (unsigned long long)code->base[k], k);
    emit_close(e, "");
}

static void put_place(Emit *e, const SlopeCode *code, uint32_t k, bool row)
{
    const Slope *s = &code->slope[k];
    Buffer text = {0};
    buffer_text(&text, row ? "row[" : "column[");
    put_position(e, &text, code, k);
    buffer_text(&text, "] = (uint32_t)(");
    emit_value(e, &text, row ? s->row : s->column, 0);
    buffer_text(&text, ");");
    emit_buffer(e, &text);
}

static void loop_places(Emit *e, const SlopeCode *code, uint32_t k)
{
    open_loops(e, &code->slope[k]);
    put_place(e, code, k, true);
    put_place(e, code, k, false);
    close_loops(e, &code->slope[k]);
}

void emit_slope_places(Emit *e, const Slope *slope, uint32_t n,
                       const char *name)
{
    static const char *const parameters[] = {"column", NULL};
    SlopeCode code = {.slope = slope, .n = n};
    unsigned long long total = slope_bases(e, &code);
    if (!code.base)
        return;
    emit_begin(e, &e->plan->function[PART_JACOBIAN]);
    e->in_pattern = true;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t end = plain_end(&code, k);
        if (end == k)
            continue;
        plain_table(e, &code, k, end, true);
        plain_table(e, &code, k, end, false);
        k = end - 1;
    }
    emit_line(e, "*count = %llu;", total);
    emit_line(e, "if (row == NULL)");
    emit_line(e, "    return COSY_OK;");
    for (uint32_t k = 0, end; k<n; k = end> k ? end : k + 1) {
        end = plain_end(&code, k);
        if (end > k)
            plain_places(e, &code, k, end);
        else
            loop_places(e, &code, k);
    }
    emit_end(e,
             emit_format(e,
                         "CosyStatus %s(Cosy *c, uint32_t *row, "
                         "uint32_t *column, uint32_t *count)",
                         name),
             parameters, NULL);
    e->in_pattern = false;
}
