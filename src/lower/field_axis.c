#include "lower/field_formula.h"

#include <inttypes.h>

#define AUTO_FROM 33 // points of the first grid of GRID AUTO

/* The coordinates of FIELDs: where their points are, and what a point counts in an
   integral. Places and weights are hidden arrays, filled before a run begins. */

/* ---- The same coordinate ------------------------------------------------------------ */

/* True for two texts that mean the same; names and numbers are compared, not values. */
static bool same_tree(const Node *a, const Node *b)
{
    if (a->kind != b->kind || a->word != b->word || a->symbol != b->symbol ||
        a->integer != b->integer || a->number != b->number)
        return false;
    const Node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!same_tree(x, y))
            return false;
    return !x && !y;
}

static bool same_axis(const Node *a, const Node *b)
{
    if (!name_same(a->text, b->text) || a->word != b->word)
        return false;
    const Node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!same_tree(x, y))
            return false;
    return !x && !y;
}

static FieldAxis *find_axis(Lowerer *l, const Node *n)
{
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++)
        for (uint32_t i = 0; i < list[k]->axes; i++)
            if (same_axis(list[k]->axis[i]->node, n))
                return list[k]->axis[i];
    return NULL;
}

/* ---- Arrays ------------------------------------------------------------------------- */

static const Expr *whole(Lowerer *l, int64_t v)
{
    return expr_float(l->m, expr_integer(l->m, v));
}

/* A hidden REAL array with `count` elements, which setup fills. */
static uint32_t hidden_array(Lowerer *l, const FieldAxis *a, const char *name,
                             int64_t count)
{
    uint32_t k =
        lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL, name, a->node);
    Variable *v = model_variable(l->m, k);
    v->rank = 1;
    v->low[0] = 1;
    v->high[0] = count;
    v->elements = (uint64_t)count;
    return k;
}

static Statement *setup_add(Lowerer *l, const FieldAxis *a, Code *code,
                            StatementKind kind)
{
    Statement *s = code_add(l->m, code, kind, a->node->at,
                            lower_line(l, a->node->at, a->node->origin));
    s->row = lower_row(l, a->node, NONE, true);
    return s;
}

/* A loop from `low` to `high`; *i is its counter. */
static Code *setup_loop(Lowerer *l, const FieldAxis *a, int64_t low,
                        int64_t high, const Expr **i)
{
    Statement *s = setup_add(l, a, &l->m->setup, STATEMENT_FOR);
    s->which =
        lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER, "I", a->node);
    s->a = expr_integer(l->m, low);
    s->b = expr_integer(l->m, high);
    *i = expr_variable(l->m, s->which, NULL, 0);
    return &s->body;
}

static void setup_set(Lowerer *l, const FieldAxis *a, Code *code,
                      uint32_t array, const Expr *i, const Expr *value)
{
    Statement *s = setup_add(l, a, code, STATEMENT_ASSIGN);
    s->target = expr_variable(l->m, array, &i, 1);
    s->a = value;
}

/* Calls `value` for each of the elements low to high. */
static void
setup_fill(Lowerer *l, FieldAxis *a, uint32_t array, int64_t low, int64_t high,
           const Expr *(*value)(Lowerer *l, FieldAxis *a, const Expr *i))
{
    const Expr *i;
    if (low > high)
        return;
    Code *code = setup_loop(l, a, low, high, &i);
    setup_set(l, a, code, array, i, value(l, a, i));
}

/* ---- Places ------------------------------------------------------------------------- */

/* As many intervals as are written, or half as many once or several times, or twice. */
static int64_t intervals_of(const Lowerer *l, int64_t written)
{
    int32_t level = l->o ? l->o->grid_level : 0;
    for (; level < 0; level++)
        written = (written + 1) / 2;
    for (; level > 0 && written < LIMIT_ARRAY; level--)
        written *= 2;
    return written < 2 ? 2 : written;
}

static uint32_t hidden_const(Lowerer *l, const Node *n, const char *name,
                             const Expr *value)
{
    uint32_t k = lower_hidden(l, VARIABLE_CONST, EXPR_TYPE_REAL, name, n);
    model_variable(l->m, k)->value = value;
    return k;
}

/* Where piece p begins, from 0; that after the last piece is the end. */
static const Expr *bound(Lowerer *l, const FieldAxis *a, uint32_t p)
{
    const Node *n = p == 0 ? a->node->first : node_child(a->node, 1)->first;
    for (uint32_t k = 1; k < p; k++)
        n = n->next;
    return lower_real(l, n, IN_VALUE);
}

/* i - k + off, as REAL, over the number of intervals. */
static const Expr *share_of(Lowerer *l, const Expr *i, int64_t k,
                            const char *off, int64_t intervals)
{
    Model *m = l->m;
    const Expr *x = expr_float(m, expr_2(m, EXPR_SUB, i, expr_integer(m, k)));
    if (off)
        x = expr_2(m, EXPR_ADD, x, expr_number(m, off));
    return expr_2(m, EXPR_DIV, x, whole(l, intervals));
}

/* c (2s - 1) */
static const Expr *from_middle(Lowerer *l, const FieldAxis *a, const Expr *s)
{
    Model *m = l->m;
    return expr_2(
        m, EXPR_MUL, expr_variable(m, a->bend, NULL, 0),
        expr_2(m, EXPR_SUB, expr_2(m, EXPR_ADD, s, s), expr_number(m, "1.0")));
}

/* Where the share s of the points of a stretched coordinate lies, as a share of its
   length: (e^(cs) - 1) / (e^c - 1), written so that it is exact for small c, and for BOTH
   (1 + tanh(c (2s - 1)) / tanh c) / 2. */
static const Expr *stretched(Lowerer *l, const FieldAxis *a, const Expr *s)
{
    Model *m = l->m;
    const Expr *c = expr_variable(m, a->bend, NULL, 0);
    const Expr *half = expr_number(m, "0.5"), *one = expr_number(m, "1.0");
    if (a->node->last->word == WORD_BOTH)
        return expr_2(m, EXPR_MUL, half,
                      expr_2(m, EXPR_ADD, one,
                             expr_2(m, EXPR_DIV,
                                    expr_1(m, EXPR_TANH, from_middle(l, a, s)),
                                    expr_1(m, EXPR_TANH, c))));
    c = expr_2(m, EXPR_MUL, half, c);
    return expr_2(
        m, EXPR_DIV,
        expr_2(m, EXPR_MUL,
               expr_1(m, EXPR_EXP,
                      expr_2(m, EXPR_MUL, c, expr_2(m, EXPR_SUB, s, one))),
               expr_1(m, EXPR_SINH, expr_2(m, EXPR_MUL, c, s))),
        expr_1(m, EXPR_SINH, c));
}

/* The share of the length of piece p that lies before point i; `off` is added to i. */
static const Expr *part_before(Lowerer *l, const FieldAxis *a, uint32_t p,
                               const Expr *i, const char *off)
{
    Model *m = l->m;
    const FieldPiece *piece = &a->piece[p];
    const Expr *s = share_of(l, i, piece->first, off, piece->intervals);
    if (a->grid == GRID_STRETCHED)
        return stretched(l, a, s);
    if (a->grid != GRID_SPECTRAL)
        return s;
    const Expr *angle = expr_2(
        m, EXPR_MUL,
        expr_2(m, EXPR_DIV, expr_system(m, SYSTEM_PI), expr_number(m, "2.0")),
        s);
    const Expr *sine = expr_1(m, EXPR_SIN, angle);
    return expr_2(m, EXPR_MUL, sine, sine);
}

/* The place of point i, which lies in piece p. */
static const Expr *place_in(Lowerer *l, const FieldAxis *a, uint32_t p,
                            const Expr *i, const char *off)
{
    Model *m = l->m;
    const Expr *from = bound(l, a, p), *to = bound(l, a, p + 1);
    return expr_2(m, EXPR_ADD, from,
                  expr_2(m, EXPR_MUL, expr_2(m, EXPR_SUB, to, from),
                         part_before(l, a, p, i, off)));
}

static void fill_places(Lowerer *l, FieldAxis *a)
{
    for (uint32_t p = 0; p < a->pieces; p++) {
        const FieldPiece *piece = &a->piece[p];
        int64_t last = piece->first + piece->intervals;
        const Expr *i;
        if (p + 1 < a->pieces || a->periodic)
            last--;
        Code *code = setup_loop(l, a, piece->first, last, &i);
        setup_set(l, a, code, a->place, i, place_in(l, a, p, i, NULL));
    }
}

const Expr *field_place(Lowerer *l, const FieldAxis *a, int64_t i)
{
    uint32_t p = a->pieces - 1;
    while (p > 0 && i < a->piece[p].first)
        p--;
    return place_in(l, a, p, expr_integer(l->m, i), NULL);
}

/* ---- Pieces ------------------------------------------------------------------------- */

/* The number of points as written. */
static bool points_of(Lowerer *l, const Node *n, int64_t *points)
{
    const Node *grid = node_child(n, 2), *written = grid->first;
    *points = n->word == WORD_PERIODIC ? AUTO_FROM - 1 : AUTO_FROM;
    if (node_absent(written))
        return true;
    if (!lower_constant(l, written, "the number of points of a GRID", points))
        return false;
    if (*points >= 3 && *points <= LIMIT_ARRAY)
        return true;
    LOWER_ERROR(l, written, "a GRID has 3 to %d points, not %" PRId64,
                LIMIT_ARRAY, *points);
    return false;
}

/* Shares units of intervals out among the pieces, in proportion to their lengths: each
   time the piece whose intervals are widest gets one. */
static void share_out(FieldAxis *a, const double *length, int64_t units)
{
    for (uint32_t p = 0; p < a->pieces; p++, units--)
        a->piece[p].intervals = 1;
    for (; units > 0; units--) {
        uint32_t widest = 0;
        for (uint32_t p = 1; p < a->pieces; p++)
            if (length[p] / (double)a->piece[p].intervals >
                length[widest] / (double)a->piece[widest].intervals)
                widest = p;
        a->piece[widest].intervals++;
    }
}

/* Intervals are shared out four by four or two by two where that is possible, so that
   the points of the grids with half and a quarter of them are points of this one. */
static bool make_pieces(Lowerer *l, FieldAxis *a, int64_t written)
{
    double length[FIELD_PIECES], from = 0.0, to = 0.0;
    int64_t size = 4, first = 1;
    for (uint32_t p = 0; p < a->pieces; p++) {
        length[p] = expr_value(l, bound(l, a, p), &from) &&
                            expr_value(l, bound(l, a, p + 1), &to)
                        ? to - from
                        : 1.0;
        if (!(length[p] > 0.0)) {
            LOWER_ERROR(l, a->node,
                        "the bounds of coordinate `%s` must rise, but %g comes "
                        "after %g",
                        a->name, to, from);
            return false;
        }
    }
    while (size > 1 &&
           (written % size != 0 || written / size < 2 * (int64_t)a->pieces))
        size /= 2;
    if (a->pieces == 1)
        a->piece[0].intervals = written;
    else
        share_out(a, length, written / size);
    for (uint32_t p = 0; p < a->pieces; p++) {
        FieldPiece *piece = &a->piece[p];
        if (a->pieces > 1)
            piece->intervals *= size;
        piece->intervals = intervals_of(l, piece->intervals);
        piece->first = first;
        first += piece->intervals;
    }
    a->intervals = first - 1;
    a->points = a->periodic ? first - 1 : first;
    return true;
}

/* ---- Kinds -------------------------------------------------------------------------- */

static FieldGrid grid_of(Lowerer *l, const FieldAxis *a)
{
    const Node *n = a->node;
    double ratio;
    if (node_child(n, 2)->word == WORD_CHEBYSHEV)
        return GRID_SPECTRAL;
    if (a->pieces > 1)
        return GRID_PIECES;
    if (node_absent(n->last) ||
        (expr_value(l, lower_real(l, n->last->first, IN_VALUE), &ratio) &&
         !(ratio > 1.0)))
        return GRID_EVEN;
    return GRID_STRETCHED;
}

/* c of `stretched`, so that of the intervals as they are written the widest is `ratio`
   times as long as the narrowest; for BOTH the steps in the limit of many intervals. */
static const Expr *bend_of(Lowerer *l, const FieldAxis *a, int64_t written)
{
    Model *m = l->m;
    const Expr *ratio = lower_real(l, a->node->last->first, IN_VALUE);
    Word side = a->node->last->word;
    if (side == WORD_BOTH)
        return expr_1(m, EXPR_ACOSH, expr_1(m, EXPR_SQRT, ratio));
    const Expr *c =
        expr_2(m, EXPR_MUL, expr_1(m, EXPR_LOG, ratio),
               expr_2(m, EXPR_DIV, whole(l, written), whole(l, written - 1)));
    return side == WORD_RIGHT || side == WORD_TOP ? expr_1(m, EXPR_NEG, c) : c;
}

/* GRID AUTO */
static void find_target(Lowerer *l, FieldAxis *a)
{
    const Node *grid = node_child(a->node, 2);
    if (grid->word != WORD_AUTO)
        return;
    if (!expr_value(l, lower_real(l, grid->first->next, IN_VALUE), &a->tol))
        a->tol = 0.0;
    if (!node_absent(grid->last))
        lower_constant(l, grid->last, "the MAX of a GRID", &a->most);
}

static bool begins_at_centre(Lowerer *l, const FieldAxis *a)
{
    double from;
    return a->round > 0 && expr_value(l, bound(l, a, 0), &from) && from == 0.0;
}

static const char *unit_of(Lowerer *l, const Node *n)
{
    Buffer b = {0};
    if (!n->symbol || !n->symbol->dimension.known ||
        dimension_is_none(n->symbol->dimension))
        return "";
    dimension_print(&b, n->symbol->dimension);
    const char *text = model_format(l->m, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static FieldAxis *begin_axis(Lowerer *l, const Node *n, int64_t *written)
{
    FieldAxis *a = MODEL_NEW(l->m, FieldAxis);
    if (!a || !points_of(l, n, written))
        return NULL;
    *a = (FieldAxis){.node = n,
                     .name = n->text,
                     .periodic = n->word == WORD_PERIODIC,
                     .pieces = node_count(node_child(n, 1))};
    assert(a->pieces <= FIELD_PIECES);
    a->round = n->word == WORD_CYLINDRICAL ? 1
               : n->word == WORD_SPHERICAL ? 2
                                           : 0;
    a->centre = begins_at_centre(l, a);
    a->grid = grid_of(l, a);
    for (uint32_t k = 0; k < LENGTH(a->weight); k++)
        a->weight[k] = NONE;
    a->matrix[0] = a->matrix[1] = NONE;
    for (uint32_t k = 0; k < LENGTH(a->array); k++)
        a->array[k] = NONE;
    return a;
}

static FieldAxis *new_axis(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    int64_t written;
    FieldAxis *a = begin_axis(l, n, &written);
    if (!a)
        return NULL;
    written -= a->periodic ? 0 : 1;
    if (!make_pieces(l, a, written))
        return NULL;
    find_target(l, a);
    const Expr *length =
        expr_2(m, EXPR_SUB, bound(l, a, a->pieces), bound(l, a, 0));
    a->place = hidden_array(l, a, n->text, a->points);
    model_variable(m, a->place)->carried = true;
    a->step = hidden_const(l, n, model_format(m, "%s step", n->text),
                           expr_2(m, EXPR_DIV, length, whole(l, a->intervals)));
    if (a->grid == GRID_STRETCHED)
        a->bend = hidden_const(l, n, model_format(m, "%s stretch", n->text),
                               bend_of(l, a, written));
    fill_places(l, a);
    Coordinate row = {.name = n->text,
                      .unit = unit_of(l, n),
                      .variable = a->place,
                      .points = (uint32_t)a->points,
                      .periodic = a->periodic,
                      .line = lower_line(l, n->at, n->origin)};
    a->number = model_add_axis(m, &row);
    return a;
}

FieldAxis *field_axis_for(Lowerer *l, const Node *n)
{
    FieldAxis *a = find_axis(l, n);
    return a ? a : new_axis(l, n);
}

/* ---- Hidden arrays ------------------------------------------------------------------ */

/* Element i + off of an array of the axis. */
static const Expr *element(Lowerer *l, uint32_t array, const Expr *i,
                           int64_t off)
{
    Model *m = l->m;
    if (off)
        i = expr_2(m, off < 0 ? EXPR_SUB : EXPR_ADD, i,
                   expr_integer(m, off < 0 ? -off : off));
    return expr_variable(m, array, &i, 1);
}

/* The end of the coordinate, which a periodic one does not have as a point. */
static const Expr *after_last(Lowerer *l, const FieldAxis *a)
{
    return bound(l, a, a->pieces);
}

/* Half way between two places. */
static const Expr *middle(Lowerer *l, const Expr *a, const Expr *b)
{
    Model *m = l->m;
    return expr_2(m, EXPR_MUL, expr_number(m, "0.5"),
                  expr_2(m, EXPR_ADD, a, b));
}

static const Expr *inverse_of(Lowerer *l, const Expr *x)
{
    return expr_2(l->m, EXPR_DIV, expr_number(l->m, "1.0"), x);
}

static const Expr *power_of(Lowerer *l, const Expr *x, uint32_t n)
{
    const Expr *product = expr_number(l->m, "1.0");
    for (uint32_t k = 0; k < n; k++)
        product = expr_times(l->m, product, x);
    return product;
}

/* The face after point i, between it and the next. */
static const Expr *face_at(Lowerer *l, FieldAxis *a, const Expr *i)
{
    if (a->grid == GRID_STRETCHED)
        return place_in(l, a, 0, i, "0.5");
    return middle(l, element(l, a->place, i, 0), element(l, a->place, i, 1));
}

static const Expr *last_face(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return middle(l, element(l, a->place, i, 0), after_last(l, a));
}

static const Expr *inverse_gap(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return inverse_of(l, expr_2(l->m, EXPR_SUB, element(l, a->place, i, 1),
                                element(l, a->place, i, 0)));
}

static const Expr *last_inverse_gap(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return inverse_of(l, expr_2(l->m, EXPR_SUB, after_last(l, a),
                                element(l, a->place, i, 0)));
}

static const Expr *area_of_face(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return power_of(l, element(l, field_array(l, a, AXIS_FACE), i, 0),
                    a->round);
}

/* The integral of the area from one place to another, written as a difference times a
   mean. */
static const Expr *volume_between(Lowerer *l, const FieldAxis *a,
                                  const Expr *from, const Expr *to)
{
    Model *m = l->m;
    const Expr *width = expr_2(m, EXPR_SUB, to, from), *mean;
    if (a->round == 0)
        return width;
    if (a->round == 1)
        mean = middle(l, from, to);
    else
        mean =
            expr_2(m, EXPR_DIV,
                   expr_2(m, EXPR_ADD,
                          expr_2(m, EXPR_ADD, expr_2(m, EXPR_MUL, from, from),
                                 expr_2(m, EXPR_MUL, from, to)),
                          expr_2(m, EXPR_MUL, to, to)),
                   expr_number(m, "3.0"));
    return expr_2(m, EXPR_MUL, width, mean);
}

static const Expr *volume_inside(Lowerer *l, FieldAxis *a, const Expr *i)
{
    uint32_t face = field_array(l, a, AXIS_FACE);
    return volume_between(l, a, element(l, face, i, -1),
                          element(l, face, i, 0));
}

/* That of the first point, or of the last: half of it lies at either end if the
   coordinate is periodic. */
static const Expr *volume_at_end(Lowerer *l, FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    uint32_t face = field_array(l, a, AXIS_FACE);
    const Expr *first = expr_integer(m, 1), *last = expr_integer(m, a->points);
    if (i == first) {
        const Expr *v = volume_between(l, a, element(l, a->place, first, 0),
                                       element(l, face, first, 0));
        return !a->periodic
                   ? v
                   : expr_2(m, EXPR_ADD, v,
                            volume_between(l, a, element(l, face, last, 0),
                                           after_last(l, a)));
    }
    return a->periodic ? volume_inside(l, a, i)
                       : volume_between(l, a, element(l, face, last, -1),
                                        element(l, a->place, last, 0));
}

static const Expr *inverse_volume(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return inverse_of(l, element(l, field_array(l, a, AXIS_VOLUME), i, 0));
}

static const Expr *inverse_radius(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return inverse_of(l, element(l, a->place, i, 0));
}

/* The step before a point over those on both its sides. */
static const Expr *share_inside(Lowerer *l, FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    const Expr *before = element(l, a->place, i, -1);
    return expr_2(m, EXPR_DIV,
                  expr_2(m, EXPR_SUB, element(l, a->place, i, 0), before),
                  expr_2(m, EXPR_SUB, element(l, a->place, i, 1), before));
}

/* The same at the end of a periodic coordinate; others do not use it there. */
static const Expr *share_at_end(Lowerer *l, FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    if (!a->periodic)
        return expr_number(m, "0.5");
    uint32_t gap = field_array(l, a, AXIS_INVERSE_GAP);
    const Expr *after = element(l, gap, i, 0);
    const Expr *before = i == expr_integer(m, 1)
                             ? element(l, gap, expr_integer(m, a->points), 0)
                             : element(l, gap, i, -1);
    return expr_2(m, EXPR_DIV, after, expr_2(m, EXPR_ADD, before, after));
}

/* x', the derivative of the place as a share of the length by the share of the points:
   see `stretched`. */
static const Expr *density(Lowerer *l, FieldAxis *a, const Expr *s)
{
    Model *m = l->m;
    const Expr *c = expr_variable(m, a->bend, NULL, 0);
    const Expr *half = expr_number(m, "0.5");
    if (a->node->last->word == WORD_BOTH) {
        const Expr *cosh = expr_1(m, EXPR_COSH, from_middle(l, a, s));
        return expr_2(m, EXPR_DIV, c,
                      expr_2(m, EXPR_MUL, expr_1(m, EXPR_TANH, c),
                             expr_2(m, EXPR_MUL, cosh, cosh)));
    }
    const Expr *part = expr_2(m, EXPR_MUL, half, c);
    return expr_2(
        m, EXPR_DIV,
        expr_2(m, EXPR_MUL, part,
               expr_1(m, EXPR_EXP,
                      expr_2(m, EXPR_MUL, c, expr_2(m, EXPR_SUB, s, half)))),
        expr_1(m, EXPR_SINH, part));
}

/* x'' / x' */
static const Expr *bending(Lowerer *l, FieldAxis *a, const Expr *s)
{
    Model *m = l->m;
    const Expr *c = expr_variable(m, a->bend, NULL, 0);
    if (a->node->last->word != WORD_BOTH)
        return c;
    return expr_2(m, EXPR_MUL, expr_2(m, EXPR_MUL, expr_number(m, "-4.0"), c),
                  expr_1(m, EXPR_TANH, from_middle(l, a, s)));
}

static const Expr *share_at(Lowerer *l, const FieldAxis *a, const Expr *i)
{
    return share_of(l, i, 1, NULL, a->intervals);
}

static const Expr *share_after(Lowerer *l, const FieldAxis *a, const Expr *i)
{
    return share_of(l, i, 1, "0.5", a->intervals);
}

/* In pieces, the length that belongs to a point is that between its faces. */
static const Expr *inverse_width(Lowerer *l, FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    uint32_t gap = field_array(l, a, AXIS_INVERSE_GAP);
    const Expr *first = expr_integer(m, 1), *last = expr_integer(m, a->points);
    const Expr *before =
        element(l, gap, i == first ? last : i, i == first ? 0 : -1);
    const Expr *after = element(l, gap, i, 0);
    const Expr *sum;
    if (!a->periodic && (i == first || i == last))
        return expr_2(m, EXPR_MUL, expr_variable(m, a->step, NULL, 0),
                      i == first ? after : before);
    sum = expr_2(m, EXPR_ADD, inverse_of(l, before), inverse_of(l, after));
    return expr_2(m, EXPR_DIV,
                  expr_2(m, EXPR_MUL, expr_number(m, "2.0"),
                         expr_variable(m, a->step, NULL, 0)),
                  sum);
}

static const Expr *inverse_at(Lowerer *l, FieldAxis *a, const Expr *i)
{
    if (a->grid == GRID_PIECES)
        return inverse_width(l, a, i);
    return inverse_of(l, density(l, a, share_at(l, a, i)));
}

static const Expr *inverse_after(Lowerer *l, FieldAxis *a, const Expr *i)
{
    if (a->grid == GRID_PIECES)
        return expr_2(l->m, EXPR_MUL, expr_variable(l->m, a->step, NULL, 0),
                      element(l, field_array(l, a, AXIS_INVERSE_GAP), i, 0));
    return inverse_of(l, density(l, a, share_after(l, a, i)));
}

static const Expr *bend_of_share(Lowerer *l, FieldAxis *a, const Expr *s)
{
    Model *m = l->m;
    const Expr *length = expr_2(m, EXPR_MUL, whole(l, a->intervals),
                                expr_variable(m, a->step, NULL, 0));
    return expr_2(m, EXPR_DIV, bending(l, a, s),
                  expr_2(m, EXPR_MUL, length, density(l, a, s)));
}

static const Expr *bend_at(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return bend_of_share(l, a, share_at(l, a, i));
}

static const Expr *bend_after(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return bend_of_share(l, a, share_after(l, a, i));
}

/* Which array: its name, whether it has an element for each face instead of each point,
   another array that must be there before it, and its elements. `first` and `last` are
   those of the ends where these differ; a face has a last one, at the end of a periodic
   coordinate. */
typedef const Expr *(*Element)(Lowerer *l, FieldAxis *a, const Expr *i);
static const struct ArrayRule {
    const char *name;
    bool faces;
    uint32_t needs;
    Element inside, first, last;
} array_rules[AXIS_ARRAYS] = {
    [AXIS_FACE] = {"face", true, NONE, face_at, NULL, last_face},
    [AXIS_INVERSE_GAP] = {"gap", true, NONE, inverse_gap, NULL,
                          last_inverse_gap},
    [AXIS_AREA] = {"area", true, AXIS_FACE, area_of_face, NULL, area_of_face},
    [AXIS_VOLUME] = {"volume", false, AXIS_FACE, volume_inside, volume_at_end,
                     volume_at_end},
    [AXIS_INVERSE_VOLUME] = {"per volume", false, AXIS_VOLUME, inverse_volume,
                             inverse_volume, inverse_volume},
    [AXIS_INVERSE_RADIUS] = {"per radius", false, NONE, inverse_radius,
                             inverse_radius, inverse_radius},
    [AXIS_SHARE] = {"share", false, AXIS_INVERSE_GAP, share_inside,
                    share_at_end, share_at_end},
    [AXIS_DENSITY] = {"density", false, AXIS_INVERSE_GAP, inverse_at,
                      inverse_at, inverse_at},
    [AXIS_FACE_DENSITY] = {"density at faces", true, AXIS_INVERSE_GAP,
                           inverse_after, NULL, inverse_after},
    [AXIS_BEND] = {"bend", false, NONE, bend_at, bend_at, bend_at},
    [AXIS_FACE_BEND] = {"bend at faces", true, NONE, bend_after, NULL,
                        bend_after},
};

static void fill_array(Lowerer *l, FieldAxis *a, uint32_t array,
                       const struct ArrayRule *rule)
{
    Model *m = l->m;
    int64_t low = rule->first ? 2 : 1;
    int64_t high = rule->faces && !a->periodic ? a->intervals : a->points - 1;
    const Expr *first = expr_integer(m, 1), *last = expr_integer(m, a->points);
    if (rule->first)
        setup_set(l, a, &m->setup, array, first,
                  rule->first == inverse_radius && a->centre
                      ? expr_number(m, "0.0")
                      : rule->first(l, a, first));
    setup_fill(l, a, array, low, high, rule->inside);
    if (high < a->points && !(rule->faces && !a->periodic))
        setup_set(l, a, &m->setup, array, last, rule->last(l, a, last));
}

uint32_t field_array(Lowerer *l, FieldAxis *a, FieldArray which)
{
    const struct ArrayRule *rule = &array_rules[which];
    if (a->array[which] != NONE)
        return a->array[which];
    if (rule->needs != NONE)
        field_array(l, a, rule->needs);
    a->array[which] =
        hidden_array(l, a, model_format(l->m, "%s %s", a->name, rule->name),
                     rule->faces ? a->intervals : a->points);
    fill_array(l, a, a->array[which], rule);
    return a->array[which];
}

/* ---- Weights of integrals ----------------------------------------------------------- */

#define END_MOST 5 // points at an end whose weights are not 1

/* By how much the weights at an end differ from 1, for the error to fall with the second,
   fourth or sixth power of the step: the trapezoid rule, and Gregory's corrections of it
   with two and with four differences. */
static const struct EndWeights {
    int64_t above[END_MOST], below;
    int64_t points;
} end_weights[FIELD_WEIGHTS] = {
    {{-1}, 2, 1},
    {{-15, 4, -1}, 24, 3},
    {{-965, 462, -336, 146, -27}, 1440, 5},
};

/* The length between points in the middle of the grid that an even one has there. */
static const Expr *step_at(Lowerer *l, FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    const Expr *step = expr_variable(m, a->step, NULL, 0);
    if (a->grid == GRID_STRETCHED)
        step = expr_2(m, EXPR_DIV, step,
                      element(l, field_array(l, a, AXIS_DENSITY), i, 0));
    return step;
}

/* What an integral over a coordinate counts for each length: the circle, or the sphere,
   around the centre. */
static const Expr *around(Lowerer *l, const FieldAxis *a, const Expr *length)
{
    Model *m = l->m;
    const Expr *circle =
        expr_2(m, EXPR_MUL, expr_number(m, a->round == 2 ? "4.0" : "2.0"),
               expr_system(m, SYSTEM_PI));
    return a->round ? expr_2(m, EXPR_MUL, circle, length) : length;
}

static const Expr *weight_by_volume(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return around(l, a, element(l, field_array(l, a, AXIS_VOLUME), i, 0));
}

static const Expr *weight_by_step(Lowerer *l, FieldAxis *a, const Expr *i)
{
    return around(l, a,
                  expr_times(l->m,
                             power_of(l, element(l, a->place, i, 0), a->round),
                             step_at(l, a, i)));
}

/* The first point and the last differ from the others by these shares of their weights.
   Corrections of both ends add up where they meet. */
static void correct_ends(Lowerer *l, FieldAxis *a, uint32_t array,
                         const struct EndWeights *w)
{
    Model *m = l->m;
    for (int64_t k = 0; k < w->points; k++)
        for (int end = 0; end < 2; end++) {
            const Expr *i = expr_integer(m, end ? a->points - k : 1 + k);
            int64_t above = w->above[k];
            const Expr *part =
                expr_2(m, EXPR_DIV, whole(l, above < 0 ? -above : above),
                       whole(l, w->below));
            setup_set(
                l, a, &m->setup, array, i,
                expr_2(m, above < 0 ? EXPR_SUB : EXPR_ADD,
                       element(l, array, i, 0),
                       expr_2(m, EXPR_MUL, part, weight_by_step(l, a, i))));
        }
}

static uint32_t make_weights(Lowerer *l, FieldAxis *a, uint32_t k)
{
    bool volumes = k == 0 && (a->round || a->grid != GRID_EVEN);
    const char *name =
        k ? model_format(l->m, "%s weight %u", a->name, 2 * (unsigned)k + 2)
          : model_format(l->m, "%s weight", a->name);
    if (volumes)
        field_array(l, a, AXIS_VOLUME);
    else if (a->grid == GRID_STRETCHED)
        field_array(l, a, AXIS_DENSITY);
    uint32_t array = hidden_array(l, a, name, a->points);
    setup_fill(l, a, array, 1, a->points,
               volumes ? weight_by_volume : weight_by_step);
    if (!volumes && !a->periodic)
        correct_ends(l, a, array, &end_weights[k]);
    return array;
}

uint32_t field_weights(Lowerer *l, FieldAxis *a, uint32_t order)
{
    uint32_t k = order > 4 ? 2 : order > 2 ? 1 : 0;
    if (a->periodic || a->grid == GRID_PIECES)
        k = 0; // the former is exact for every wave that the grid shows
    while (k > 0 && a->points < end_weights[k].points)
        k--;
    if (a->grid == GRID_SPECTRAL)
        k = 0;
    if (a->weight[k] == NONE)
        a->weight[k] = a->grid == GRID_SPECTRAL ? spectral_weights(l, a)
                                                : make_weights(l, a, k);
    return a->weight[k];
}
