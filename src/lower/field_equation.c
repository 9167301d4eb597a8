#include "lower/field_flow.h"

/* Equations of FIELDs, and what holds at their boundaries. */

/* ---- How far formulas reach --------------------------------------------------------- */

static uint32_t order_of(const FieldInfo *f, Lowerer *l, const Node *n)
{
    const FieldInfo *in = field_in(l, n);
    return in ? in->order : f->order;
}

int64_t field_reach(Lowerer *l, const FieldInfo *f, const Node *n,
                    uint32_t axis)
{
    uint32_t at, order = field_operator(n, &at);
    int64_t most = 0;
    if (n->kind == NODE_FIELD_AT || f->axis[axis]->grid == GRID_SPECTRAL)
        return 0;
    for (const Node *k = n->first; k; k = k->next) {
        int64_t reach = field_reach(l, f, k, axis);
        most = reach > most ? reach : most;
    }
    if (order == 0 || at != axis)
        return most;
    int64_t own = order_of(f, l, n);
    if (order == 1 && field_derives(n->last, axis))
        own--; // between the points
    return most + own;
}

/* ---- Patches ------------------------------------------------------------------------ */

typedef struct Patches Patches;

struct Patches {
    FieldInfo *f;
    const Node *n;
    int64_t margin[2]; // points at either end that stand alone
    uint32_t skip;     // an axis whose index is given, or NONE
    FieldPoint point;
    void (*body)(Lowerer *l, Patches *p);
    int64_t less[2]; // so many indices less than points
    FieldFace face;
    void *user;
};

static void go_through(Lowerer *l, Patches *p, uint32_t k);

static void at_fixed(Lowerer *l, Patches *p, uint32_t k, int64_t i)
{
    p->point.fixed[k] = i;
    p->point.index[k] = expr_integer(l->m, i);
    go_through(l, p, k + 1);
}

static void at_loop(Lowerer *l, Patches *p, uint32_t k, int64_t low,
                    int64_t high)
{
    Loop loop = {.name = k == 0 ? "I" : "J",
                 .low = low,
                 .high = high,
                 .step = 1,
                 .line = lower_line(l, p->n->at, p->n->origin)};
    if (l->n_loops == LOOPS_MOST) {
        LOWER_ERROR(l, p->n, "loops of equations can be nested at most %d deep",
                    LOOPS_MOST);
        return;
    }
    uint32_t number = model_add_loop(l->m, &loop);
    p->point.fixed[k] = 0;
    p->point.index[k] = expr_loop(l->m, number);
    l->index[l->n_loops] = NULL;
    l->loops[l->n_loops++] = number;
    go_through(l, p, k + 1);
    l->n_loops--;
}

static void go_through(Lowerer *l, Patches *p, uint32_t k)
{
    const FieldPoint *before = l->point;
    if (k == p->f->axes) {
        l->point = &p->point;
        p->body(l, p);
        l->point = before;
        return;
    }
    if (k == p->skip) {
        go_through(l, p, k + 1);
        return;
    }
    int64_t n = p->f->axis[k]->points - p->less[k], margin = p->margin[k];
    int64_t low = margin + 1, high = n - margin;
    if (low >= high)
        low = high = n + 1; // all alone
    for (int64_t i = 1; i < low && i <= n; i++)
        at_fixed(l, p, k, i);
    if (low < high)
        at_loop(l, p, k, low, high);
    for (int64_t i = high + 1; i <= n; i++)
        at_fixed(l, p, k, i);
}

static Patches new_patches(FieldInfo *f, const Node *n,
                           void (*body)(Lowerer *l, Patches *p))
{
    Patches p = {.f = f, .n = n, .skip = NONE, .body = body};
    p.point.axes = f->axes;
    for (uint32_t k = 0; k < f->axes; k++) {
        p.point.axis[k] = f->axis[k];
        p.margin[k] = f->axis[k]->periodic ? 0 : 1;
    }
    return p;
}

static void widen(Lowerer *l, Patches *p, const Node *n)
{
    for (uint32_t k = 0; k < p->f->axes; k++) {
        int64_t steps = (field_reach(l, p->f, n, k) + 1) / 2;
        if (steps > p->margin[k])
            p->margin[k] = steps;
    }
}

static void at_a_face(Lowerer *l, Patches *p)
{
    p->face(l, &p->point, p->user);
}

void field_each_face(Lowerer *l, FieldInfo *f, const Node *n, uint32_t axis,
                     int64_t margin, FieldFace body, void *user)
{
    Patches p = new_patches(f, n, at_a_face);
    p.margin[axis] = margin;
    p.less[axis] = f->axis[axis]->periodic ? 0 : 1;
    p.face = body;
    p.user = user;
    go_through(l, &p, 0);
}

void field_each_point_of(Lowerer *l, const FieldInfo *f, const Node *n,
                         FieldFace body, void *user)
{
    FieldInfo copy = *f;
    Patches p = new_patches(&copy, n, at_a_face);
    Lowerer before = *l;
    widen(l, &p, n);
    p.face = body;
    p.user = user;
    l->guard = NULL;
    l->side = NULL;
    l->flow = NULL;
    l->n_loops = l->chosen = l->series = l->unwatched = 0;
    go_through(l, &p, 0);
    l->guard = before.guard;
    l->side = before.side;
    l->flow = before.flow;
    l->n_loops = before.n_loops;
    l->chosen = before.chosen;
    l->series = before.series;
    l->unwatched = before.unwatched;
    for (uint32_t k = 0; k < before.n_loops; k++) {
        l->loops[k] = before.loops[k];
        l->index[k] = before.index[k];
    }
}

/* ---- Equations ---------------------------------------------------------------------- */

/* The side whose conditions are being lowered. */
typedef struct FieldSide {
    FieldInfo *f;
    uint32_t side;
} FieldSide;

static uint32_t emit(Lowerer *l, const Node *n)
{
    const Expr *left = lower_expression(l, n->first, IN_EQUATION);
    return lower_equation(l, n, left,
                          lower_expression(l, n->last, IN_EQUATION));
}

/* True if values of the FIELD count, and not its derivatives alone. */
static bool counts(const Node *n, const Symbol *s)
{
    uint32_t axis;
    if (n->kind == NODE_NAME)
        return n->symbol == s;
    if (n->kind == NODE_FIELD_AT || field_is_integral(n) ||
        (field_operator(n, &axis) && call_actual(n, 0)->kind == NODE_NAME))
        return false;
    for (const Node *k = n->first; k; k = k->next)
        if (counts(k, s))
            return true;
    return false;
}

/* A FIELD without P' whose equation and conditions hold for P + c as well is determined by
   its mean, INTEGRAL(P) = e. Its equations are not independent then, and get a common
   unknown: what the right sides are short of, which is 0 if they agree. */
static bool ask_for_mean(Lowerer *l, FieldInfo *f, const Node *n)
{
    bool slopes = meaning_of(l, f->symbol)->order == 0 && !counts(n, f->symbol);
    for (uint32_t side = 0; side < 2 * f->axes; side++)
        slopes = slopes && (f->axis[side / 2]->periodic ||
                            (f->kind[side] == SIDE_SLOPE &&
                             !counts(f->condition[side], f->symbol)));
    if (!slopes)
        return true;
    if (!f->mean) {
        LOWER_ERROR(l, n,
                    "only slopes of FIELD `%s` are given, so it is determined "
                    "but for a constant: give its mean, as INTEGRAL(%s) = 0, "
                    "or its value at a side",
                    f->symbol->shown, f->symbol->shown);
        return false;
    }
    if (f->excess == NONE)
        f->excess = lower_hidden(
            l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
            model_format(l->m, "excess of %s", f->symbol->name), n);
    return true;
}

/* The equation of a FIELD. */
static void emit_own(Lowerer *l, FieldInfo *f, const Node *n)
{
    if (f->excess != NONE) {
        const Expr *left = lower_real(l, n->first, IN_EQUATION);
        left = expr_2(l->m, EXPR_ADD, left,
                      expr_variable(l->m, f->excess, NULL, 0));
        lower_equation(l, n, left, lower_real(l, n->last, IN_EQUATION));
    } else if (f->recon)
        flow_equation(l, f, n);
    else
        emit(l, n);
}

/* The side that a point lies at along an axis, or NONE. */
static uint32_t side_of(const FieldPoint *p, uint32_t k)
{
    if (!p->fixed[k] || p->axis[k]->periodic)
        return NONE;
    if (p->fixed[k] == 1)
        return 2 * k;
    return p->fixed[k] == p->axis[k]->points ? 2 * k + 1 : NONE;
}

/* The side whose condition says what becomes of the equation at a point: one with a
   value before one that has it at times, the first coordinate before the second. NONE:
   the equation holds. */
static uint32_t ruling_side(const FieldInfo *f, const FieldPoint *p)
{
    static const SideKind kinds[] = {SIDE_VALUE, SIDE_MIXED};
    for (uint32_t i = 0; i < LENGTH(kinds); i++)
        for (uint32_t k = 0; k < p->axes; k++) {
            uint32_t side = side_of(p, k);
            if (side != NONE && f->kind[side] == kinds[i])
                return side;
        }
    return NONE;
}

/* Where the condition of a side changes its kind, the equation stands in the branches of
   that. */
static void at_patch(Lowerer *l, Patches *p)
{
    if (ruling_side(p->f, &p->point) == NONE)
        emit_own(l, p->f, p->n);
}

bool field_second(const Node *n, uint32_t axis)
{
    uint32_t at, order = field_operator(n, &at);
    if (order && at == axis && (order == 2 || field_derives(n->last, axis)))
        return true;
    if (n->kind == NODE_FIELD_AT)
        return false;
    for (const Node *k = n->first; k; k = k->next)
        if (field_second(k, axis))
            return true;
    return false;
}

/* A second derivative asks for a condition at both ends. */
static void ask_for_conditions(Lowerer *l, const FieldInfo *f, const Node *n)
{
    static const char *const names[] = {"LEFT", "RIGHT", "BOTTOM", "TOP"};
    for (uint32_t side = 0; side < 2 * f->axes; side++)
        if (f->kind[side] == SIDE_FREE && !f->axis[side / 2]->periodic &&
            !(f->axis[side / 2]->centre && side % 2 == 0) &&
            field_second(n, side / 2))
            LOWER_ERROR(l, n,
                        "FIELD `%s` needs a condition AT %s, since its "
                        "equation has a second derivative: BOUNDARY %s AT %s: "
                        "%s = ... END, or %s(%s) = ...",
                        f->symbol->shown, names[side], f->symbol->shown,
                        names[side], f->symbol->shown, side / 2 ? "DY" : "DX",
                        f->symbol->shown);
}

FieldInfo *field_owner(Lowerer *l, const Node *n)
{
    const Node *left = n->first;
    FieldInfo *any = NULL;
    if (left->kind == NODE_DERIVATIVE)
        left = left->first;
    if (left->kind == NODE_NAME && left->symbol && field_of(l, left->symbol))
        return field_of(l, left->symbol);
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    any = field_in(l, n);
    for (size_t k = 0; any && k < l->fields.used / sizeof *list; k++)
        if (!list[k]->explicit_ && field_mentions(n, list[k]->symbol))
            return list[k];
    return any;
}

/* ---- Boundaries --------------------------------------------------------------------- */

/* DX(U) at a side whose condition is on the value: from inside. */
static void define_slope(Lowerer *l, const FieldSide *s, const Node *n)
{
    const FieldInfo *f = s->f;
    const Expr *index[1];
    uint32_t other = 1 - s->side / 2;
    if (f->slope[s->side] == NONE)
        return;
    if (f->axes > 1)
        index[0] = l->point->index[other];
    const Expr *left =
        expr_variable(l->m, f->slope[s->side], index, f->axes > 1 ? 1 : 0);
    lower_equation(l, n, left, field_slope_inside(l, f, s->side, l->point));
}

/* The point that a condition is for takes the value whatever it had before. */
static void set_by(Lowerer *l, uint32_t equation)
{
    const FieldInfo *f = l->side->f;
    if (model_variable(l->m, f->variable)->kind == VARIABLE_STATE)
        model_equation(l->m, equation)->sets =
            expr_variable(l->m, f->variable, l->point->index, f->axes);
}

/* One condition. That on a slope leaves the equation of the FIELD in force, which stands
   beside it if there are branches without it. */
static void at_side(Lowerer *l, const Node *n)
{
    const FieldSide *s = l->side;
    FieldInfo *f = s->f;
    bool rules = ruling_side(f, l->point) == s->side;
    if (field_derives(n, s->side / 2)) {
        emit(l, n);
        if (rules && f->kind[s->side] == SIDE_MIXED && f->equation)
            emit_own(l, f, f->equation);
        return;
    }
    define_slope(l, s, n);
    if (rules)
        set_by(l, emit(l, n));
}

static void condition_at(Lowerer *l, Patches *p)
{
    uint32_t side = p->skip == 0 ? (p->point.fixed[0] == 1 ? 0 : 1)
                                 : (p->point.fixed[1] == 1 ? 2 : 3);
    const FieldSide *before = l->side;
    FieldSide now = {p->f, side};
    l->side = &now;
    if (p->n->first->kind == NODE_LIST)
        lower_parallel(l, p->n->first);
    else
        lower_parallel_one(l, p->n->first);
    l->side = before;
}

static void lower_side(Lowerer *l, FieldInfo *f, uint32_t side)
{
    uint32_t k = side / 2;
    Patches p = new_patches(f, f->condition[side], condition_at);
    widen(l, &p, p.n);
    if (f->kind[side] == SIDE_MIXED && f->equation)
        widen(l, &p, f->equation);
    else if (f->kind[side] == SIDE_MIXED)
        LOWER_ERROR(l, p.n,
                    "the equation of FIELD `%s` stands in branches, and so do "
                    "conditions of different kinds at this side: write the "
                    "equation once, with IF ... THEN ... ELSE in it",
                    f->symbol->shown);
    p.skip = k;
    p.point.fixed[k] = side % 2 ? f->axis[k]->points : 1;
    p.point.index[k] = expr_integer(l->m, p.point.fixed[k]);
    go_through(l, &p, 0);
}

void lower_boundary(Lowerer *l, const Node *n)
{
    FieldInfo *f = n->symbol ? field_of(l, n->symbol) : NULL;
    if (!f)
        return;
    if (l->guard || l->n_loops)
        LOWER_ERROR(l, n,
                    "BOUNDARY must stand outside branches and loops: put CASE "
                    "or IF inside it, after AT ...:");
    for (const Node *k = n->first->first; k; k = k->next)
        for (uint32_t side = 0; side < 2 * f->axes; side++)
            if (f->condition[side] == k)
                lower_side(l, f, side);
}

bool lower_field_equation(Lowerer *l, const Node *n)
{
    if (l->fields.used == 0)
        return false;
    if (l->side) {
        at_side(l, n);
        return true;
    }
    FieldInfo *f = field_owner(l, n);
    if (!f)
        return false;
    const Node *left = designator_name(n->first);
    if (left->kind == NODE_NAME && left->symbol && !field_in(l, n->first) &&
        left->symbol->kind == SYMBOL_VARIABLE) {
        LOWER_ERROR(l, n->last,
                    "`%s` has one value, but FIELD `%s` in its equation has "
                    "one at each point: write %s AT a place, or INTEGRAL(%s)",
                    left->symbol->shown, f->symbol->shown, f->symbol->shown,
                    f->symbol->shown);
        return true;
    }
    ask_for_conditions(l, f, n);
    if (!ask_for_mean(l, f, n))
        return true;
    flow_check_sides(l, f, n);
    Patches p = new_patches(f, n, at_patch);
    widen(l, &p, n->first);
    widen(l, &p, n->last);
    if (f->recon && !flow_prepare(l, f, n) && f->recon)
        return true; // after a message
    go_through(l, &p, 0);
    return true;
}
