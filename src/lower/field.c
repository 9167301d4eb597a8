#include "lower/field.h"

#include <inttypes.h>
#include <string.h>

/* Declarations of FIELDs, and what their equations and boundaries are like. */

/* ---- Finding them ------------------------------------------------------------------- */

FieldInfo *field_of(Lowerer *l, const Symbol *s)
{
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++)
        if (list[k]->symbol == s)
            return list[k];
    return NULL;
}

FieldAxis *field_axis(Lowerer *l, const Symbol *s)
{
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++) {
        const Node *x = node_child(list[k]->symbol->node, 1)->first;
        for (uint32_t i = 0; i < list[k]->axes; i++, x = x->next)
            if (x->symbol == s)
                return list[k]->axis[i];
    }
    return NULL;
}

uint32_t field_operator(const Node *n, uint32_t *axis)
{
    static const struct {
        const char *name;
        uint32_t axis, order;
    } table[] = {{"DX", 0, 1}, {"DXX", 0, 2}, {"DY", 1, 1}, {"DYY", 1, 2}};
    const Symbol *s = n->kind == NODE_CALL && n->first->kind == NODE_NAME
                          ? n->first->symbol
                          : NULL;
    if (!s || s->node || s->kind != SYMBOL_FUNCTION)
        return 0;
    for (size_t k = 0; k < LENGTH(table); k++)
        if (name_same(s->name, table[k].name)) {
            *axis = table[k].axis;
            return table[k].order;
        }
    return 0;
}

bool field_is_integral(const Node *n)
{
    const Symbol *s = n->kind == NODE_CALL && n->first->kind == NODE_NAME
                          ? n->first->symbol
                          : NULL;
    return s && !s->node && s->kind == SYMBOL_FUNCTION &&
           name_same(s->name, "INTEGRAL");
}

FieldInfo *field_in(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->symbol ? field_of(l, n->symbol) : NULL;
    if (n->kind == NODE_FIELD_AT || field_is_integral(n))
        return NULL;
    for (const Node *k = n->first; k; k = k->next) {
        FieldInfo *f = field_in(l, k);
        if (f)
            return f;
    }
    return NULL;
}

bool field_mentions(const Node *n, const Symbol *s)
{
    if (n->kind == NODE_NAME)
        return n->symbol == s;
    if (n->kind == NODE_FIELD_AT || field_is_integral(n))
        return false;
    for (const Node *k = n->first; k; k = k->next)
        if (field_mentions(k, s))
            return true;
    return false;
}

bool field_derives(const Node *n, uint32_t axis)
{
    uint32_t along = 0;
    if (n->kind == NODE_FIELD_AT || field_is_integral(n))
        return false;
    if (field_operator(n, &along) && along == axis)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (field_derives(k, axis))
            return true;
    return false;
}

/* ---- Declarations ------------------------------------------------------------------- */

static const char *unit_of(Lowerer *l, const Node *n)
{
    return n->first->kind == NODE_UNIT ? n->first->text
                                       : lower_found_unit(l, n->symbol);
}

static void shape(Variable *v, const FieldInfo *f)
{
    v->rank = f->axes;
    v->elements = 1;
    for (uint32_t k = 0; k < f->axes; k++) {
        v->low[k] = 1;
        v->high[k] = f->axis[k]->points;
        v->elements *= (uint64_t)f->axis[k]->points;
    }
}

/* U, and U' where U'' occurs. */
static void add_variables(Lowerer *l, const Node *n, FieldInfo *f)
{
    Meaning *meaning = meaning_of(l, n->symbol);
    Variable v = {.name = n->symbol->name,
                  .c_name = model_c_name(l->m, n->symbol->name),
                  .kind = meaning->order ? VARIABLE_STATE : VARIABLE_ALGEBR,
                  .unit = unit_of(l, n),
                  .rate_of = NONE,
                  .routine = NONE,
                  .record = NONE,
                  .wished = true,
                  .at = n->at,
                  .line = lower_line(l, n->at, n->origin)};
    shape(&v, f);
    if (v.elements > LIMIT_ARRAY) {
        LOWER_ERROR(l, n, "a FIELD has at most %d points", LIMIT_ARRAY);
        return;
    }
    f->variable = model_add_variable(l->m, &v);
    meaning->kind = MEANS_VARIABLE;
    meaning->number = f->variable;
    if (meaning->order == 2)
        meaning->rate = lower_second(l, n, f->variable);
}

void field_set_scheme(Lowerer *l, FieldInfo *f, const char *name,
                      int64_t number)
{
    Field *row = model_field(l->m, f->number);
    row->scheme = model_format(l->m, "%s %" PRId64, name, number);
    row->order = f->order = (uint32_t)number;
    f->weno = name_same(name, "WENO");
    if (f->weno || name_same(name, "UPWIND"))
        f->recon = f->order++; // formulas beside transport are central
    else
        row->order = --f->order;
}

/* Formulas of an order need as many points and one more. */
static void ask_for_points(Lowerer *l, const Node *n, const FieldInfo *f,
                           const Node *scheme)
{
    int64_t least =
        scheme->integer + (name_same(scheme->text, "CENTRAL") ? 0 : 2);
    for (uint32_t k = 0; k < f->axes; k++)
        if (f->axis[k]->points < least)
            LOWER_ERROR(l, n,
                        "SCHEME %s %" PRId64 " needs at least %" PRId64
                        " points, but the GRID of `%s` has %" PRId64,
                        scheme->text, scheme->integer, least, f->axis[k]->name,
                        f->axis[k]->points);
}

/* The least TOL and the fewest points that the coordinates of a FIELD ask for. */
static void add_grids(const FieldInfo *f, Field *row)
{
    for (uint32_t k = 0; k < f->axes; k++) {
        const FieldAxis *a = f->axis[k];
        row->axis[k] = a->number;
        if (a->tol > 0.0 && (row->tolerance == 0.0 || a->tol < row->tolerance))
            row->tolerance = a->tol;
        if (a->most && (row->most == 0 || a->most < row->most))
            row->most = (uint32_t)a->most;
    }
}

/* Where all coordinates are spectral there is no order. */
static void forget_order(Lowerer *l, const FieldInfo *f)
{
    for (uint32_t k = 0; k < f->axes; k++)
        if (f->axis[k]->grid != GRID_SPECTRAL)
            return;
    model_field(l->m, f->number)->scheme = "CHEBYSHEV";
    model_field(l->m, f->number)->order = 0;
}

static void add_row(Lowerer *l, const Node *n, FieldInfo *f)
{
    const Node *scheme = n->last;
    Field row = {.variable = f->variable,
                 .axes = f->axes,
                 .line = lower_line(l, n->at, n->origin)};
    add_grids(f, &row);
    f->number = model_add_field(l->m, &row);
    if (!node_absent(scheme) && !(l->o && l->o->grid_level < 0))
        ask_for_points(l, n, f, scheme);
    if (node_absent(scheme))
        field_set_scheme(l, f, "CENTRAL", 3);
    else
        field_set_scheme(l, f, scheme->text, scheme->integer);
    forget_order(l, f);
}

void lower_field(Lowerer *l, const Node *n)
{
    FieldInfo *f = MODEL_NEW(l->m, FieldInfo);
    if (!f || !n->symbol)
        return;
    *f = (FieldInfo){.symbol = n->symbol, .start = NONE, .excess = NONE};
    for (uint32_t k = 0; k < SIDES; k++)
        f->slope[k] = NONE;
    for (const Node *x = node_child(n, 1)->first; x && f->axes < 2;
         x = x->next) {
        f->axis[f->axes] = field_axis_for(l, x);
        if (!f->axis[f->axes++]) {
            meaning_of(l, n->symbol)->kind = MEANS_REFUSED;
            return;
        }
    }
    add_variables(l, n, f);
    add_row(l, n, f);
    if (!vector_append(&l->fields, &f, sizeof f))
        l->m->broken = true;
}

/* ---- Before any equation ------------------------------------------------------------ */

static SideNumber side_number(Word word)
{
    switch (word) {
    case WORD_LEFT: return SIDE_LEFT;
    case WORD_RIGHT: return SIDE_RIGHT;
    case WORD_BOTTOM: return SIDE_BOTTOM;
    default: return SIDE_TOP;
    }
}

/* What the equations of a side determine. */
static void look_at_side(const Node *n, uint32_t axis, bool *value, bool *slope)
{
    if (n->kind == NODE_EQUATION) {
        *(field_derives(n, axis) ? slope : value) = true;
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        look_at_side(k, axis, value, slope);
}

static void add_slope(Lowerer *l, FieldInfo *f, uint32_t side, const Node *n)
{
    static const char *const names[] = {"LEFT", "RIGHT", "BOTTOM", "TOP"};
    uint32_t other = side / 2 == 0 ? 1 : 0;
    f->slope[side] =
        lower_hidden(l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                     model_format(l->m, "%s(%s) AT %s", side / 2 ? "DY" : "DX",
                                  f->symbol->name, names[side]),
                     n);
    Variable *v = model_variable(l->m, f->slope[side]);
    if (f->axes < 2)
        return;
    v->rank = 1;
    v->low[0] = 1;
    v->high[0] = f->axis[other]->points;
    v->elements = (uint64_t)v->high[0];
}

static bool is_nothing(const Node *n)
{
    return (n->kind == NODE_INTEGER || n->kind == NODE_NUMBER) &&
           n->number == 0.0;
}

/* Where the radius is 0, all that can be said is that the slope is 0. */
static void check_centre(Lowerer *l, const FieldInfo *f, const Node *n)
{
    uint32_t axis;
    if (n->kind == NODE_EQUATION) {
        bool slope = (field_operator(n->first, &axis) == 1 && axis == 0 &&
                      is_nothing(n->last)) ||
                     (field_operator(n->last, &axis) == 1 && axis == 0 &&
                      is_nothing(n->first));
        if (!slope)
            LOWER_ERROR(l, n,
                        "`%s` = 0 is the middle of what FIELD `%s` is in and "
                        "no boundary: nothing but DX(%s) = 0 holds there, by "
                        "symmetry, so AT LEFT can be left out",
                        f->axis[0]->name, f->symbol->shown, f->symbol->shown);
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        check_centre(l, f, k);
}

/* The first derivative of the FIELD along an axis, or NULL. */
static const Node *slope_along(const Node *n, const Symbol *own, uint32_t axis)
{
    uint32_t at;
    if (n->kind == NODE_FIELD_AT)
        return NULL;
    if (field_operator(n, &at) == 1 && at == axis &&
        field_mentions(n->last, own))
        return n;
    for (const Node *k = n->first; k; k = k->next) {
        const Node *found = slope_along(k, own, axis);
        if (found)
            return found;
    }
    return NULL;
}

/* What says how the FIELD changes along a side says nothing of what crosses it. */
static void check_along(Lowerer *l, const FieldInfo *f, const Node *n,
                        uint32_t axis)
{
    static const char *const names[] = {"DX", "DY"};
    if (n->kind == NODE_EQUATION) {
        const Node *along = slope_along(n, f->symbol, 1 - axis);
        if (along && !field_derives(n, axis))
            LOWER_ERROR(l, along,
                        "%s(%s) goes along this side: the slope across it is "
                        "%s(%s)",
                        names[1 - axis], f->symbol->shown, names[axis],
                        f->symbol->shown);
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        check_along(l, f, k, axis);
}

static void note_boundary(Lowerer *l, const Node *n)
{
    FieldInfo *f = n->symbol ? field_of(l, n->symbol) : NULL;
    if (!f)
        return;
    for (const Node *k = n->first->first; k; k = k->next) {
        bool value = false, slope = false;
        SideNumber side = side_number(k->word);
        if (side / 2 >= f->axes)
            continue;
        if (f->condition[side]) {
            LOWER_ERROR(l, k,
                        "FIELD `%s` has a condition AT %s already: put CASE or "
                        "IF inside that, if it changes",
                        f->symbol->shown, word_text(k->word));
            continue;
        }
        f->condition[side] = k;
        if (side == SIDE_LEFT && f->axis[0]->centre)
            check_centre(l, f, k);
        if (f->axes > 1)
            check_along(l, f, k, side / 2);
        look_at_side(k, side / 2, &value, &slope);
        f->kind[side] = value && slope ? SIDE_MIXED
                        : value        ? SIDE_VALUE
                        : slope        ? SIDE_SLOPE
                                       : SIDE_FREE;
        if (slope)
            add_slope(l, f, side, k);
    }
}

/* INTEGRAL(P) = e gives the mean of a FIELD. */
static void note_mean(Lowerer *l, const Node *n)
{
    const Node *left = n->first;
    const Node *of = field_is_integral(left) ? call_actual(left, 0) : NULL;
    FieldInfo *f = of && of->kind == NODE_NAME && of->symbol
                       ? field_of(l, of->symbol)
                       : NULL;
    if (f)
        f->mean = n;
}

static void look(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_BOUNDARY) {
        note_boundary(l, n);
        return;
    }
    if (n->kind == NODE_EQUATION) {
        const Node *left = n->first;
        if (left->kind == NODE_DERIVATIVE)
            left = left->first;
        FieldInfo *f = left->kind == NODE_NAME && left->symbol
                           ? field_of(l, left->symbol)
                           : NULL;
        if (f)
            f->explicit_ = true;
        note_mean(l, n);
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        look(l, k);
}

/* Which equations are for which FIELD; in branches there may be several. */
static void share_out(Lowerer *l, const Node *n, bool inside)
{
    if (n->kind == NODE_BOUNDARY)
        return;
    if (n->kind == NODE_EQUATION) {
        FieldInfo *f = field_owner(l, n);
        if (f && !inside && !f->equation)
            f->equation = n;
        return;
    }
    inside = inside || n->kind == NODE_IF || n->kind == NODE_CASE;
    for (const Node *k = n->first; k; k = k->next)
        share_out(l, k, inside);
}

/* First derivatives of the FIELD that are not those of a flux with a derivative in it, and
   second ones. */
static void look_at_terms(const Node *n, const Symbol *own, bool *first,
                          bool *second)
{
    uint32_t axis, order = field_operator(n, &axis);
    if (n->kind == NODE_FIELD_AT)
        return;
    if (order == 2 || (order && field_derives(n->last, axis)))
        *second = true;
    else if (order)
        *first = *first || field_mentions(n->last, own);
    for (const Node *k = n->first; k && !order; k = k->next)
        look_at_terms(k, own, first, second);
}

/* Without SCHEME the equation decides. Where something is only carried along, jumps
   stay jumps: WENO. Where it is carried and spreads, UPWIND; elsewhere central
   formulas. */
static void choose_scheme(Lowerer *l, FieldInfo *f)
{
    bool first = false, second = false, right = true;
    if (!f->equation || !node_absent(f->symbol->node->last) ||
        meaning_of(l, f->symbol)->order != 1)
        return;
    for (uint32_t k = 0; k < f->axes; k++)
        right = right && f->axis[k]->grid != GRID_SPECTRAL &&
                f->axis[k]->grid != GRID_PIECES;
    look_at_terms(f->equation, f->symbol, &first, &second);
    if (!first || !right)
        return;
    f->chosen = true;
    if (second)
        field_set_scheme(l, f, "UPWIND", 3);
    else
        field_set_scheme(l, f, "WENO", 5);
}

void lower_fields(Lowerer *l, const Node *segments)
{
    if (l->fields.used == 0)
        return;
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_SYSTEM)
            look(l, n);
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_SYSTEM)
            share_out(l, n, false);
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++)
        choose_scheme(l, list[k]);
}
