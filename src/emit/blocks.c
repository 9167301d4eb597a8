#include "emit/writer.h"

/* Blocks: the residuals of equations that remained implicit, and their
   Jacobians. Both begin with the unknowns under their names and with the inner
   equations; values computed before the block lie in Work. In a large block the
   unknowns and what follows from them lie there too, so that its functions can
   be cut into pieces. */

typedef struct BlockCode { // a function of a block
    const Block *b;
    uint32_t row;          // of its first equation
    bool large;            // it may have pieces
    const uint32_t *entry; // numbers of the entries that are written
} BlockCode;

/* const real A = u[0]; */
static void write_unknown(Emit *e, uint32_t k, void *user)
{
    const BlockCode *part = user;
    const Expr *u = part->b->part[k].unknown;
    const ExprUse *n = &e->sharing.node[u->id];
    Buffer text = {0};
    if (u->count == 0 && !part->large) {
        if (n->serial != e->sharing.serial || n->uses == 0)
            return;
        buffer_text(&text, "const real ");
    }
    const char *place = emit_part_open(e, &part->b->part[k], "u");
    emit_target(e, &text, u);
    buffer_format(&text, " = %s;", place);
    emit_buffer(e, &text);
    emit_part_close(e, &part->b->part[k]);
}

static void write_unknowns(Emit *e, uint32_t block, BlockCode *part)
{
    if (e->plan->block[block].scattered)
        emit_line(e, "cosy_scatter(w, in_work_%u, u, %u);", block + 1,
                  part->b->n);
    else
        emit_in_pieces(e, part->b->parts, NULL, write_unknown, part);
}

/* static const uint32_t in_work_1[] = {offsetof(Work, A), ...}; */
static void place_table(Emit *e, uint32_t block, const char *name,
                        const char *type)
{
    const Block *b = model_block(e->m, block);
    Buffer text = {0};
    buffer_format(&text, "static const uint32_t %s_%u[] = {", name, block + 1);
    for (uint32_t k = 0; k < b->n; k++)
        buffer_format(&text, "%soffsetof(%s, %s)", k ? ", " : "", type,
                      e->name->variable[b->part[k].unknown->which]);
    buffer_text(&text, "};");
    emit_buffer(e, &text);
    emit_blank(e);
}

/* Indices of the loops around, as the caller left them. */
static void write_indices(Emit *e, uint32_t block, bool begin)
{
    for (uint32_t k = 0; k < e->plan->block[block].n_loops; k++) {
        uint32_t loop = e->plan->block[block].loops[k];
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

static void count_residual(Emit *e, uint32_t k, void *user)
{
    const BlockCode *part = user;
    if (part->b->part[k].n_loops == 0)
        emit_count(e, part->b->part[k].residual);
}

static void write_residual(Emit *e, uint32_t k, void *user)
{
    const BlockCode *part = user;
    const Block *b = part->b;
    Buffer text = {0};
    uint32_t q = b->part[k].equation;
    if (q < model_equations(e->m))
        emit_row_source(e, model_equation(e->m, q)->row);
    const char *place = emit_part_open(e, &b->part[k], "r");
    Scope s;
    if (b->part[k].n_loops) {
        scope_open(e, &s);
        emit_count(e, b->part[k].residual);
    }
    buffer_format(&text, "%s = ", place);
    emit_real(e, &text, b->part[k].residual, 0);
    buffer_char(&text, ';');
    emit_buffer(e, &text);
    emit_check(e, part->row + b->part[k].first);
    if (b->part[k].n_loops)
        scope_close(e, &s);
    emit_part_close(e, &b->part[k]);
}

static void count_entry(Emit *e, uint32_t k, void *user)
{
    const BlockCode *part = user;
    emit_count(e, part->b->jacobian[part->entry[k]]);
}

static void write_entry(Emit *e, uint32_t k, void *user)
{
    const BlockCode *part = user;
    uint32_t at = part->entry[k];
    Buffer text = {0};
    buffer_format(&text, "j[%u] = ", at);
    emit_real(e, &text, part->b->jacobian[at], 0);
    buffer_char(&text, ';');
    emit_buffer(e, &text);
    emit_check(e, part->row + at / part->b->n);
}

static void write_entries(Emit *e, BlockCode *part)
{
    const Block *b = part->b;
    uint32_t all = b->n * b->n, n = 0;
    for (uint32_t k = 0; k < all; k++)
        n += b->jacobian[k] && !expr_is_zero(b->jacobian[k]);
    uint32_t *entry = EMIT_ARRAY(e, uint32_t, n);
    if (!entry)
        return;
    if (n < all)
        emit_line(e, "memset(j, 0, %u * sizeof *j);", all);
    n = 0;
    for (uint32_t k = 0; k < all; k++)
        if (b->jacobian[k] && !expr_is_zero(b->jacobian[k]))
            entry[n++] = k;
    part->entry = entry;
    emit_in_pieces(e, n, count_entry, write_entry, part);
}

static void write_function(Emit *e, uint32_t block, bool jacobian)
{
    static const char *const parameters[] = {"t", "x", "point", "u", NULL};
    const Block *b = model_block(e->m, block);
    const FunctionPlan *f = &e->plan->of_block[2 * block + jacobian];
    bool large = e->plan->block[block].large;
    BlockCode part = {b, e->plan->block[block].row, large, NULL};
    const char *name =
        emit_format(e, "%s_%u", jacobian ? "slopes" : "residual", block + 1);
    Scope s;
    emit_function(e, f, &s);
    e->block_name = large ? name : NULL;
    write_indices(e, block, true);
    write_unknowns(e, block, &part);
    emit_prologue(e);
    emit_steps(e, &b->inner);
    if (jacobian && b->large)
        emit_slopes(e, b->slope, b->slopes, part.row);
    else if (jacobian)
        write_entries(e, &part);
    else
        emit_in_pieces(e, b->parts, count_residual, write_residual, &part);
    write_indices(e, block, false);
    scope_close(e, &s);
    emit_end(e,
             emit_format(e,
                         "CosyStatus %s(Cosy *c, real t, const real *x, "
                         "const void *point, const real *u, real *%s)",
                         name, jacobian ? "j" : "r"),
             parameters, NULL);
}

/* Tolerances as a constant table; false if none is given. */
static bool write_tolerances(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    bool given = false;
    Buffer list = {0};
    for (uint32_t k = 0; k < b->parts && !b->large; k++) {
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
    const BlockPlan *plan = &e->plan->block[block];
    bool pooled = loops_pool(e->m, plan->loops, plan->n_loops) != 0;
    buffer_format(
        &row, "[%s] = {%u, %s, %s, %s, %u, ", e->name->block[block], b->n,
        b->linear ? "true" : "false",
        pooled ? "0"
               : emit_format(e, "offsetof(Data, %s)", emit_unknowns(e, block)),
        emit_row(e, plan->row), b->most);
    if (tolerance)
        buffer_format(&row, "tolerance_%u, ", block + 1);
    else
        buffer_text(&row, "NULL, ");
    buffer_format(&row, "residual_%u, ", block + 1);
    if (b->slopes)
        buffer_format(&row, "slopes_%u, places_%u", block + 1, block + 1);
    else if (b->jacobian)
        buffer_format(&row, "slopes_%u, NULL", block + 1);
    else
        buffer_text(&row, "NULL, NULL");
    buffer_text(&row, b->modal ? ", true}," : ", false},");
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
        if (e->plan->block[k].scattered) {
            place_table(e, k, "in_work", "Work");
            if (e->store->in_data[model_block(e->m, k)->part[0].unknown->which])
                place_table(e, k, "in_data", "Data");
        }
        write_function(e, k, false);
        if (model_block(e->m, k)->jacobian || model_block(e->m, k)->slopes)
            write_function(e, k, true);
        const Block *b = model_block(e->m, k);
        if (b->slopes)
            emit_slope_places(e, b->slope, b->slopes,
                              emit_format(e, "places_%u", k + 1));
        tolerance[k] = write_tolerances(e, k);
    }
    emit_open(e, "static const CosyBlock blocks[BLOCKS] =");
    for (uint32_t k = 0; k < n; k++)
        write_row(e, k, tolerance[k]);
    emit_close(e, ";");
    emit_blank(e);
}
