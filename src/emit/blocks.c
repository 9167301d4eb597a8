#include "emit/writer.h"

/* Blocks: the residuals of equations that remained implicit, and their
   Jacobians. Both begin with the unknowns under their names and with the inner
   equations; values computed before the block lie in Work. */

static void count_block(Emit *e, const Block *b, bool jacobian)
{
    emit_count_steps(e, &b->inner);
    for (uint32_t k = 0; !jacobian && k < b->n; k++)
        emit_count(e, b->part[k].residual);
    for (uint32_t k = 0; jacobian && k < b->n * b->n; k++)
        if (b->jacobian[k])
            emit_count(e, b->jacobian[k]);
}

/* const real A = u[0]; */
static void write_unknowns(Emit *e, const Block *b)
{
    for (uint32_t k = 0; k < b->n; k++) {
        const Expr *u = b->part[k].unknown;
        const ExprUse *n = &e->node[u->id];
        Buffer text = {0};
        if (u->count == 0) {
            if (n->serial != e->serial || n->uses == 0)
                continue;
            buffer_text(&text, "const real ");
        }
        emit_target(e, &text, u);
        buffer_format(&text, " = u[%u];", k);
        emit_buffer(e, &text);
    }
}

/* Indices of the loops around, as the caller left them. */
static void write_indices(Emit *e, uint32_t block, bool begin)
{
    for (uint32_t k = 0; k < e->block_n_loops[block]; k++) {
        uint32_t loop = e->block_loops[block][k];
        const Loop *l = model_loop(e->m, loop);
        if (!begin) {
            emit_index_end(e, loop);
            continue;
        }
        const char *name =
            emit_index_begin(e, loop, (Known){l->low, l->high, true});
        emit_line(e, "const int64_t %s = w->loop_%u;", name, loop);
    }
}

static void write_residuals(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    for (uint32_t k = 0; k < b->n; k++) {
        Buffer text = {0};
        uint32_t q = b->part[k].equation;
        if (q < model_equations(e->m))
            emit_row_source(e, model_equation(e->m, q)->row);
        buffer_format(&text, "r[%u] = ", k);
        emit_real(e, &text, b->part[k].residual, 0);
        buffer_char(&text, ';');
        emit_buffer(e, &text);
        emit_check(e, e->block_row[block] + k);
    }
}

static void write_entries(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    bool zeros = false;
    for (uint32_t k = 0; k < b->n * b->n; k++)
        zeros = zeros || !b->jacobian[k] || expr_is_zero(b->jacobian[k]);
    if (zeros)
        emit_line(e, "memset(j, 0, %u * sizeof *j);", b->n * b->n);
    for (uint32_t k = 0; k < b->n * b->n; k++) {
        Buffer text = {0};
        if (!b->jacobian[k] || expr_is_zero(b->jacobian[k]))
            continue;
        buffer_format(&text, "j[%u] = ", k);
        emit_real(e, &text, b->jacobian[k], 0);
        buffer_char(&text, ';');
        emit_buffer(e, &text);
        emit_check(e, e->block_row[block] + k / b->n);
    }
}

static void write_function(Emit *e, uint32_t block, bool jacobian)
{
    static const char *const parameters[] = {"t", "x", "point", "u", NULL};
    const Block *b = model_block(e->m, block);
    Scope s;
    emit_begin(e, PART_BLOCK, 0);
    emit_forget_here(e);
    emit_mark_here(e, &b->inner);
    emit_block_own(e, b, true);
    scope_open(e, &s);
    count_block(e, b, jacobian);
    write_indices(e, block, true);
    write_unknowns(e, b);
    emit_prologue(e);
    emit_steps(e, &b->inner);
    if (jacobian)
        write_entries(e, block);
    else
        write_residuals(e, block);
    write_indices(e, block, false);
    scope_close(e, &s);
    emit_block_own(e, b, false);
    emit_end(e,
             emit_format(e,
                         "CosyStatus %s_%u(Cosy *c, real t, const real *x, "
                         "const void *point, const real *u, real *%s)",
                         jacobian ? "slopes" : "residual", block + 1,
                         jacobian ? "j" : "r"),
             parameters, NULL);
}

/* Tolerances as a constant table; false if none is given. */
static bool write_tolerances(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    bool given = false;
    Buffer list = {0};
    for (uint32_t k = 0; k < b->n; k++) {
        Buffer one = {0};
        bool is = b->part[k].tol && emit_static(e, &one, b->part[k].tol);
        buffer_format(&list, "%s%s", k ? ", " : "",
                      is ? buffer_string(&one) : "R(0.0)");
        given = given || is;
        buffer_free(&one);
    }
    if (given)
        emit_line(e, "static const real tolerance_%u[] = {%s};", block + 1,
                  buffer_string(&list));
    buffer_free(&list);
    return given;
}

static void write_row(Emit *e, uint32_t block, bool tolerance)
{
    const Block *b = model_block(e->m, block);
    Buffer row = {0};
    buffer_format(&row, "[%s] = {%u, %s, offsetof(Data, %s), %s, %u, ",
                  e->block[block], b->n, b->linear ? "true" : "false",
                  emit_unknowns(e, block), emit_row(e, e->block_row[block]),
                  b->most);
    if (tolerance)
        buffer_format(&row, "tolerance_%u, ", block + 1);
    else
        buffer_text(&row, "NULL, ");
    buffer_format(&row, "residual_%u, ", block + 1);
    if (b->jacobian)
        buffer_format(&row, "slopes_%u},", block + 1);
    else
        buffer_text(&row, "NULL},");
    emit_buffer(e, &row);
}

void emit_blocks(Emit *e)
{
    uint32_t n = model_blocks(e->m);
    bool *tolerance = EMIT_ARRAY(e, bool, n);
    if (n == 0 || !tolerance)
        return;
    emit_title(e, "Equations that remained implicit");
    for (uint32_t k = 0; k < n; k++) {
        write_function(e, k, false);
        if (model_block(e->m, k)->jacobian)
            write_function(e, k, true);
        tolerance[k] = write_tolerances(e, k);
    }
    emit_open(e, "static const CosyBlock blocks[BLOCKS] =");
    for (uint32_t k = 0; k < n; k++)
        write_row(e, k, tolerance[k]);
    emit_close(e, ";");
    emit_blank(e);
}
