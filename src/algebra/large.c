#include "algebra/large.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/isolate.h"
#include "algebra/partial.h"
#include "model/walk.h"

#define SLOPES_MOST 4000000

typedef struct Large {
    Model *m;
    System *s;
    Differ differ;
    BlockPart *part;
    uint32_t parts;
    uint64_t unknowns;
    ExprMap fixed;   // unknown without loops -> integer: its part
    uint32_t *first; // for each slot: last part with loops, or NONE
    uint32_t *next;  // for each part: the one before with that slot
    Vector slopes;   // Slope
    bool linear, modal;
} Large;

static uint32_t slot_of(const Expr *e)
{
    return 2 * e->which + (e->op == EXPR_RATE);
}

static bool is_quantity(const Expr *e)
{
    return e->op == EXPR_VARIABLE || e->op == EXPR_RATE;
}

static bool is_fixed(const Expr *e)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (e->arg[k]->op != EXPR_INTEGER)
            return false;
    return true;
}

/* ---- Parts -------------------------------------------------------------------------------- */

static BlockPart part_of(const Large *l, uint32_t portion)
{
    const Portion *p = system_portion(l->s, portion);
    BlockPart part = {.unknown = p->target,
                      .residual = expr_minus(l->m, p->left, p->right),
                      .first = (uint32_t)l->unknowns,
                      .n_loops = p->n_loops,
                      .equation = p->equation,
                      .portion = portion};
    memcpy(part.loops, p->loops, sizeof part.loops);
    return part;
}

static void add_part(Large *l, uint32_t portion)
{
    Model *m = l->m;
    uint32_t k = l->parts++;
    l->part[k] = part_of(l, portion);
    l->modal = l->modal || model_equation(m, l->part[k].equation)->modal;
    const Expr *unknown = l->part[k].unknown;
    l->unknowns += loops_elements(m, l->part[k].loops, l->part[k].n_loops);
    l->next[k] = NONE;
    if (is_fixed(unknown)) {
        if (!expr_map_put(&l->fixed, unknown, expr_integer(m, k)))
            m->broken = true;
        return;
    }
    l->next[k] = l->first[slot_of(unknown)];
    l->first[slot_of(unknown)] = k;
}

static bool prepare(Large *l, const uint32_t *portion, uint32_t n)
{
    Model *m = l->m;
    uint32_t slots = 2 * model_variables(m) + 2;
    l->part = MODEL_ARRAY(m, BlockPart, n);
    l->next = MODEL_ARRAY(m, uint32_t, n);
    l->first = MODEL_ARRAY(m, uint32_t, slots);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < slots; k++)
        l->first[k] = NONE;
    for (uint32_t k = 0; k < n; k++)
        add_part(l, portion[k]);
    return !m->broken;
}

/* ---- Which part an unknown belongs to ---------------------------------------------------------- */

/* The position of an element of the part, given the indices of its unknown. */
static const Expr *position(const Large *l, const BlockPart *p,
                            const Expr *element)
{
    Model *m = l->m;
    const Expr *at = expr_integer(m, 0);
    for (uint32_t j = 0; j < p->n_loops; j++) {
        const Loop *loop = model_loop(m, p->loops[j]);
        const Expr *value = NULL;
        for (uint32_t k = 0; k < element->count; k++) {
            uint32_t which;
            int64_t offset;
            if (expr_affine(p->unknown->arg[k], &which, &offset) &&
                which == p->loops[j])
                value = expr_2(m, EXPR_SUB, element->arg[k],
                               expr_integer(m, offset + loop->low));
        }
        assert(value); // box_exact: every loop runs along one index
        if (j > 0)
            at = expr_2(m, EXPR_MUL, at,
                        expr_integer(m, loop->high - loop->low + 1));
        at = expr_2(m, EXPR_ADD, at, value);
    }
    return index_plain(m, expr_2(m, EXPR_ADD, at, expr_integer(m, p->first)));
}

static void add_slope(Large *l, const BlockPart *row, const BlockPart *column,
                      const Partial *p)
{
    Slope s = {.row = position(l, row, p->row),
               .column = position(l, column, p->column),
               .value = p->value,
               .n_loops = p->n_loops};
    memcpy(s.loops, p->loops, sizeof s.loops);
    if (l->slopes.used / sizeof s > SLOPES_MOST ||
        !vector_append(&l->slopes, &s, sizeof s))
        l->differ.failed = true;
}

/* The derivative belongs to those elements of a part that it may be. */
static void add_where(Large *l, const BlockPart *row, uint32_t column,
                      Partial p)
{
    const BlockPart *c = &l->part[column];
    for (uint32_t k = 0; k < c->unknown->count; k++)
        if (!partial_agree(&l->differ, &p, c->unknown, k))
            return;
    add_slope(l, row, c, &p);
}

static void add_by_leaf(Large *l, uint32_t row, const Expr *leaf)
{
    const BlockPart *r = &l->part[row];
    Partial p = {.row = r->unknown, .n_loops = r->n_loops};
    const Expr *own = is_fixed(leaf) ? expr_map_get(&l->fixed, leaf) : NULL;
    memcpy(p.loops, r->loops, sizeof r->loops);
    if (!partial_by_leaf(&l->differ, r->residual, leaf, &p))
        return;
    if (own) {
        add_slope(l, r, &l->part[own->integer], &p);
        return;
    }
    for (uint32_t k = l->first[slot_of(leaf)]; k != NONE; k = l->next[k])
        add_where(l, r, k, p);
    /* X[I] in a loop may be an element that is a part of its own. */
    for (uint32_t k = 0; !is_fixed(leaf) && k < l->parts; k++) {
        const Expr *u = l->part[k].unknown;
        if (is_fixed(u) && slot_of(u) == slot_of(leaf))
            add_where(l, r, k, p);
    }
}

/* ---- Leaves ------------------------------------------------------------------------------------- */

static bool may_be_unknown(const void *user, const Expr *e)
{
    const Large *l = user;
    if (!is_quantity(e))
        return false;
    if (is_fixed(e) && expr_map_get(&l->fixed, e))
        return true;
    if (l->first[slot_of(e)] != NONE)
        return true;
    for (uint32_t k = 0; !is_fixed(e) && k < l->parts; k++)
        if (slot_of(l->part[k].unknown) == slot_of(e))
            return true;
    return false;
}

typedef struct Leaves {
    const Large *l;
    Vector list; // const Expr *
} Leaves;

static bool collect(void *user, const Expr *e)
{
    Leaves *v = user;
    if (may_be_unknown(v->l, e) && !vector_append(&v->list, &e, sizeof e))
        v->l->m->broken = true;
    return true;
}

static bool is_known(void *user, const Expr *e)
{
    return !may_be_unknown(user, e);
}

static void differentiate_part(Large *l, uint32_t k)
{
    Leaves v = {.l = l};
    size_t before = l->slopes.used / sizeof(Slope);
    expr_visit(l->m, l->part[k].residual, collect, &v);
    for (size_t i = 0; i < v.list.used / sizeof(Expr *); i++)
        if (!l->differ.failed)
            add_by_leaf(l, k, ((const Expr **)(void *)v.list.bytes)[i]);
    l->linear = l->linear && is_smooth(l->part[k].residual, may_be_unknown, l);
    const Slope *s = (const Slope *)(const void *)l->slopes.bytes;
    for (size_t i = before; i < l->slopes.used / sizeof *s; i++)
        l->linear = l->linear && expr_visit(NULL, s[i].value, is_known, l);
    vector_free(&v.list);
}

/* ---- The block ------------------------------------------------------------------------------------ */

static void set_starts(Large *l)
{
    for (uint32_t k = 0; k < l->parts && !l->linear; k++) {
        BlockPart *p = &l->part[k];
        if (p->unknown->op != EXPR_VARIABLE)
            continue;
        Variable *v = model_variable(l->m, p->unknown->which);
        v->iterated = true;
        if (v->guessed)
            p->start = p->unknown; // it has its INITCOND at the start
    }
}

static void put_block(Large *l, Steps *out)
{
    Model *m = l->m;
    Block b = {.n = (uint32_t)l->unknowns,
               .part = l->part,
               .parts = l->parts,
               .large = true,
               .linear = l->linear,
               .modal = l->modal,
               .row = system_portion(l->s, l->part[0].portion)->row};
    if (!l->differ.failed) {
        b.slopes = (uint32_t)(l->slopes.used / sizeof(Slope));
        b.slope = MODEL_ARRAY(m, Slope, b.slopes + 1);
        if (b.slope && b.slopes)
            memcpy(b.slope, l->slopes.bytes, l->slopes.used);
    }
    uint32_t *portion = MODEL_ARRAY(m, uint32_t, l->parts);
    Circle c = {.how = l->linear ? CIRCLE_LINEAR : CIRCLE_NEWTON,
                .sparse = true,
                .unknowns = l->unknowns,
                .portion = portion,
                .portions = l->parts,
                .torn = l->parts};
    for (uint32_t k = 0; portion && k < l->parts; k++)
        portion[k] = l->part[k].portion;
    if (portion)
        system_add_circle(m, l->s, &c);
    Step *s = steps_add(m, out, STEP_SOLVE);
    s->block = model_add_block(m, &b);
    s->equation = b.part[0].equation;
}

static void tell(const Large *l)
{
    Buffer names = {0};
    uint32_t shown = l->parts < 8 ? l->parts : 8;
    bool joined = false;
    for (uint32_t k = 0; k < l->parts; k++)
        joined = joined ||
                 model_row(l->m, system_portion(l->s, l->part[k].portion)->row)
                     ->joined;
    if (joined && l->linear) // as in tear.c
        return;
    for (uint32_t k = 0; k < shown; k++) {
        buffer_text(&names, k ? ", " : "");
        expr_print(l->m, l->part[k].unknown, &names);
    }
    if (l->parts > shown)
        buffer_format(&names, " and %" PRIu32 " more", l->parts - shown);
    diag_remark(l->m->diags, system_portion(l->s, l->part[0].portion)->at,
                "algebraic loop of %s: %" PRIu64 " unknowns, %s",
                buffer_string(&names), l->unknowns,
                l->linear
                    ? "linear, solved by sparse elimination"
                    : "solved by Newton's method with sparse elimination");
    buffer_free(&names);
}

bool large_loop(Model *m, System *s, const uint32_t *portion, uint32_t n,
                Steps *out)
{
    Large l = {.m = m, .s = s, .differ = differ_begin(m), .linear = true};
    bool right = prepare(&l, portion, n);
    if (right && l.unknowns > UINT32_MAX / 2) {
        diag_error(m->diags, system_portion(s, portion[0])->at,
                   "this loop of equations has too many unknowns");
        right = false;
    }
    for (uint32_t k = 0; right && k < l.parts && !l.differ.failed; k++)
        differentiate_part(&l, k);
    l.linear = l.linear && !l.differ.failed;
    if (right) {
        set_starts(&l);
        put_block(&l, out);
        tell(&l);
    }
    expr_map_free(&l.fixed);
    vector_free(&l.slopes);
    return right && !m->broken;
}
