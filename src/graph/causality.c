#include "graph/causality.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/index.h"

typedef struct Finding {
    Causality *c;
    Arena *arena;
    Model *m;
    const UnitParts *parts;
    uint32_t *circle; // of each portion, or NONE
    bool *seen;       // each portion
    uint32_t *order;  // portions
    uint32_t ordered;
    uint32_t *group_of;  // each in the order
    uint32_t *row_of;    // each portion, or NONE
    uint32_t *state_row; // each variable: row of the STATE, or NONE
    Box *box;            // what each portion gives
    bool broken;
} Finding;

static const char *keep(Finding *f, Buffer *b)
{
    const char *all = buffer_string(b);
    const char *text = b->broken ? NULL : arena_text(f->arena, all, b->v.used);
    buffer_free(b);
    f->broken = f->broken || !text;
    return text ? text : "";
}

/* ---- In which order ---------------------------------------------------------- */

static void add_portion(Finding *f, uint32_t portion)
{
    if (portion == NONE || f->seen[portion])
        return;
    uint32_t circle = f->circle[portion];
    if (circle == NONE) {
        f->seen[portion] = true;
        f->order[f->ordered++] = portion;
        return;
    }
    const Circle *c = system_circle(&f->m->simulation, circle);
    for (uint32_t k = 0; k < c->portions; k++)
        if (!f->seen[c->portion[k]]) {
            f->seen[c->portion[k]] = true;
            f->order[f->ordered++] = c->portion[k];
        }
}

static void add_steps(Finding *f, const Steps *steps)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (s->kind == STEP_ASSIGN)
            add_portion(f, s->portion);
        add_steps(f, &s->body);
        for (uint32_t k = 0; s->select && k < s->select->branches; k++)
            add_steps(f, &s->branch[k]);
        if (s->kind != STEP_SOLVE)
            continue;
        const Block *b = model_block(f->m, s->block);
        for (uint32_t k = 0; k < b->parts; k++)
            add_portion(f, b->part[k].portion);
        add_steps(f, &b->inner);
    }
}

static void find_order(Finding *f)
{
    const System *s = &f->m->simulation;
    for (uint32_t k = 0; k < system_portions(s); k++)
        f->circle[k] = f->row_of[k] = NONE;
    for (uint32_t k = 0; k < system_circles(s); k++) {
        const Circle *c = system_circle(s, k);
        for (uint32_t i = 0; i < c->portions; i++)
            f->circle[c->portion[i]] = k;
    }
    add_steps(f, &s->program);
}

/* ---- Where they come from ------------------------------------------------------ */

/* Whether a name is below a path, whatever the elements of arrays are:
   C[3].SOC is below C. */
static bool is_below(const char *name, const char *path)
{
    for (; *path; name++, path++) {
        if (*name == '[' && *path != '[')
            name += strcspn(name, "]") + (strchr(name, ']') != NULL);
        if (*name != *path)
            return false;
    }
    return *name == '.' || *name == '[';
}

/* The innermost part that a variable belongs to; NO_PART: the program. */
static uint32_t part_of(const UnitParts *p, const char *name)
{
    uint32_t best = NO_PART;
    size_t length = 0;
    for (uint32_t k = 0; p && k < p->parts; k++)
        if (strlen(p->part[k].path) > length &&
            is_below(name, p->part[k].path)) {
            best = k;
            length = strlen(p->part[k].path);
        }
    return best;
}

/* What a path leads to, without elements of arrays: "C" of "C[3].SOC". */
static const char *prefix_of(Finding *f, const char *name)
{
    Buffer b = {0};
    const char *end = strrchr(name, '.');
    for (const char *s = name; end && s < end; s++)
        if (*s == '[')
            s += strcspn(s, "]") < (size_t)(end - s) ? strcspn(s, "]") : 0;
        else
            buffer_char(&b, *s);
    return keep(f, &b);
}

static CausalityGroup source_of(Finding *f, uint32_t portion)
{
    const Portion *p = system_portion(&f->m->simulation, portion);
    const char *name = model_variable(f->m, p->target->which)->name;
    uint32_t model = model_equation(f->m, p->equation)->model;
    uint32_t part = part_of(f->parts, name);
    CausalityGroup g = {.kind = CAUSALITY_SOURCE, .name = "", .note = ""};
    if (part != NO_PART) {
        g.name = f->parts->part[part].path;
        g.note = f->parts->part[part].module;
    } else if (strchr(name, '.')) {
        g.name = prefix_of(f, name);
    } else if (model != NONE) {
        g.name = model_model_block(f->m, model)->name;
        g.note = "MODEL";
    }
    return g;
}

/* "3 unknowns, linear: in one step, by elimination" */
static CausalityGroup loop_of(Finding *f, uint32_t circle)
{
    const Circle *c = system_circle(&f->m->simulation, circle);
    Buffer name = {0}, note = {0};
    bool alone = c->portions == 1 && !c->sparse;
    if (!alone)
        buffer_format(&name, "Algebraic loop %" PRIu32, circle + 1);
    buffer_format(&note, "%" PRIu64 " unknown%s%s, %s", c->unknowns,
                  c->unknowns == 1 ? "" : "s",
                  alone                     ? " on both sides"
                  : c->how == CIRCLE_NEWTON ? ", nonlinear"
                                            : ", linear",
                  c->how == CIRCLE_CLOSED   ? "by a formula"
                  : c->how == CIRCLE_LINEAR ? "by elimination"
                                            : "by Newton's method");
    if (c->sparse)
        buffer_text(&note, ", sparse");
    CausalityGroup g = {.kind = CAUSALITY_LOOP,
                        .name = alone ? "Equation without a formula"
                                      : keep(f, &name),
                        .note = keep(f, &note)};
    return g;
}

/* What belongs to no part continues in a group of its own after a loop, so that
   it stays in order. */
static uint32_t find_group(Finding *f, const CausalityGroup *g)
{
    Causality *c = f->c;
    for (uint32_t k = c->groups; k > 0 && g->kind == CAUSALITY_SOURCE; k--) {
        const CausalityGroup *old = &c->group[k - 1];
        if (old->kind == CAUSALITY_SOURCE && strcmp(old->name, g->name) == 0)
            return k - 1;
        if (old->kind == CAUSALITY_LOOP && !g->name[0])
            break;
    }
    c->group[c->groups] = *g;
    return c->groups++;
}

/* Groups in the order of their first rows. */
static void find_groups(Finding *f)
{
    uint32_t circle = NONE, group = 0;
    for (uint32_t k = 0; k < f->ordered; k++) {
        uint32_t own = f->circle[f->order[k]];
        CausalityGroup g;
        if (own != NONE && own == circle) {
            f->group_of[k] = group;
            continue;
        }
        circle = own;
        g = own == NONE ? source_of(f, f->order[k]) : loop_of(f, own);
        group = f->group_of[k] = find_group(f, &g);
    }
}

/* ---- Rows ------------------------------------------------------------------------ */

static void put_guard(Finding *f, Buffer *b, const Guard *g)
{
    if (!g)
        return;
    put_guard(f, b, g->select->around);
    buffer_text(b, b->v.used ? ", " : "");
    if (!g->select->is_case && g->branch)
        buffer_text(b, "ELSE of ");
    buffer_text(b, g->select->is_case ? "CASE " : "IF ");
    expr_print_short(f->m, g->select->selector, b);
    if (!g->select->is_case)
        return;
    const Label *label = g->select->labels[g->branch];
    uint32_t n = g->select->n_labels[g->branch];
    buffer_text(b, n ? " = " : ", ELSE");
    for (uint32_t k = 0; k < n; k++) {
        buffer_format(b, "%s%" PRId64, k ? ", " : "", label[k].low);
        if (label[k].high != label[k].low)
            buffer_format(b, "..%" PRId64, label[k].high);
    }
}

static const char *where_of(Finding *f, const uint32_t *loops, uint32_t n,
                            const Guard *g)
{
    Buffer b = {0};
    for (uint32_t k = 0; k < n; k++) {
        const Loop *l = model_loop(f->m, loops[k]);
        buffer_format(&b, "%s%s = %" PRId64 " TO %" PRId64, k ? ", " : "FOR ",
                      l->name, l->low, l->high);
    }
    put_guard(f, &b, g);
    return keep(f, &b);
}

static const char *tag_of(const Finding *f, uint32_t portion)
{
    const Portion *p = system_portion(&f->m->simulation, portion);
    uint32_t circle = f->circle[portion];
    if (circle != NONE) {
        const Circle *c = system_circle(&f->m->simulation, circle);
        for (uint32_t k = 0; k < c->torn && c->torn < c->portions; k++)
            if (c->portion[k] == portion)
                return "torn";
    }
    if (p->target->op == EXPR_RATE)
        return "rate";
    return p->target == p->left && p->value == p->right ? "" : "solved for";
}

/* The equation as it was written; where half of it is in a macro and half in a
   call of that, so that a row has no more than its left side, as it was read. */
static const char *text_of(Finding *f, const Portion *p)
{
    const Row *row = model_row(f->m, p->row);
    Buffer b = {0};
    if (strchr(row->text, '='))
        return row->text;
    expr_print_short(f->m, p->left, &b);
    buffer_text(&b, " = ");
    expr_print_short(f->m, p->right, &b);
    return keep(f, &b);
}

static void add_row(Finding *f, uint32_t k)
{
    const Portion *p = system_portion(&f->m->simulation, f->order[k]);
    const Row *row = model_row(f->m, p->row);
    Buffer name = {0};
    expr_print(f->m, p->target, &name);
    f->row_of[f->order[k]] = f->c->rows;
    f->box[f->order[k]] = box_around(f->m, p->target);
    f->c->row[f->c->rows++] =
        (CausalityRow){.number = k + 1,
                       .unknown = keep(f, &name),
                       .text = text_of(f, p),
                       .where = where_of(f, p->loops, p->n_loops, p->guard),
                       .tag = tag_of(f, f->order[k]),
                       .line = row->line};
}

static void add_rows(Finding *f)
{
    for (uint32_t g = 0; g < f->c->groups; g++) {
        if (f->c->group[g].kind == CAUSALITY_STATES)
            continue;
        f->c->group[g].first = f->c->rows;
        for (uint32_t k = 0; k < f->ordered; k++)
            if (f->group_of[k] == g)
                add_row(f, k);
        f->c->group[g].count = f->c->rows - f->c->group[g].first;
    }
}

/* ---- STATEs and constraints --------------------------------------------------------- */

static const char *state_name(Finding *f, const Variable *v)
{
    Buffer b = {0};
    buffer_text(&b, v->name);
    for (uint32_t k = 0; k < v->rank; k++)
        buffer_format(&b, "%s%" PRId64 "..%" PRId64 "%s", k ? ", " : "[",
                      v->low[k], v->high[k], k + 1 == v->rank ? "]" : "");
    return keep(f, &b);
}

static void add_states(Finding *f)
{
    Causality *c = f->c;
    for (uint32_t k = 0; k < model_variables(f->m); k++) {
        const Variable *v = model_variable(f->m, k);
        Buffer text = {0};
        f->state_row[k] = NONE;
        if (v->kind != VARIABLE_STATE)
            continue;
        if (v->elements > 1)
            buffer_format(&text, "%" PRIu64 " STATEs", v->elements);
        if (v->unit[0])
            buffer_format(&text, "%s[%s]", text.v.used ? " " : "", v->unit);
        f->state_row[k] = c->rows;
        c->row[c->rows++] = (CausalityRow){.unknown = state_name(f, v),
                                           .text = keep(f, &text),
                                           .where = "",
                                           .tag = "state",
                                           .line = v->line};
    }
    if (c->rows)
        c->group[c->groups++] =
            (CausalityGroup){.kind = CAUSALITY_STATES,
                             .name = "STATEs",
                             .note = "integrated: known before anything else",
                             .count = c->rows};
}

static void add_constraints(Finding *f)
{
    Causality *c = f->c;
    uint32_t first = c->rows;
    for (uint32_t k = 0; k < model_constraints(f->m); k++) {
        const Constraint *own = model_constraint(f->m, k);
        uint32_t times = index_times(f->m, k);
        const Row *row = model_row(f->m, own->row);
        Buffer tag = {0};
        if (times == 0) // a derivative of the one before it
            continue;
        buffer_format(&tag, "differentiated %s", index_words(times));
        c->row[c->rows++] = (CausalityRow){
            .unknown = "",
            .text = row->text,
            .where = where_of(f, own->loops, own->n_loops, own->guard),
            .tag = keep(f, &tag),
            .line = row->line};
    }
    if (c->rows > first)
        c->group[c->groups++] =
            (CausalityGroup){.kind = CAUSALITY_CONSTRAINTS,
                             .name = "Constraints",
                             .note = "STATEs are put back on them",
                             .first = first,
                             .count = c->rows - first};
}

/* ---- What rows read ------------------------------------------------------------------- */

typedef struct Reading {
    Finding *f;
    uint32_t own;   // row
    uint32_t *list; // rows
    uint32_t n;
    bool *listed; // each row
} Reading;

static void read_row(Reading *r, uint32_t row)
{
    if (row == NONE || row == r->own || r->listed[row])
        return;
    r->listed[row] = true;
    r->list[r->n++] = row;
}

static bool read_node(void *user, const Expr *e)
{
    Reading *r = user;
    Finding *f = r->f;
    if (e->op == EXPR_VARIABLE)
        read_row(r, f->state_row[e->which]);
    if (!is_unknown(f->m, e))
        return true;
    Box box = box_around(f->m, e);
    for (uint32_t k = 0; k < f->ordered; k++)
        if (f->box[f->order[k]].which == e->which &&
            f->box[f->order[k]].op == e->op &&
            box_meets(&box, &f->box[f->order[k]]))
            read_row(r, f->row_of[f->order[k]]);
    return true;
}

/* Rows that this one reads: in its value, or on both sides if it stays implicit,
   and in the selectors of its branches. */
static bool find_reads(Finding *f, Reading *r, uint32_t portion)
{
    const Portion *p = system_portion(&f->m->simulation, portion);
    CausalityRow *row = &f->c->row[f->row_of[portion]];
    r->own = f->row_of[portion];
    r->n = 0;
    if (p->value) {
        expr_visit(f->m, p->value, read_node, r);
    } else {
        expr_visit(f->m, p->left, read_node, r);
        expr_visit(f->m, p->right, read_node, r);
    }
    for (const Guard *g = p->guard; g; g = g->select->around)
        expr_visit(f->m, g->select->selector, read_node, r);
    row->reads = NEW_ARRAY(f->arena, uint32_t, r->n + 1);
    if (!row->reads)
        return false;
    row->n_reads = r->n;
    for (uint32_t k = 0; k < r->n; k++) {
        row->reads[k] = r->list[k];
        r->listed[r->list[k]] = false;
    }
    return true;
}

static bool find_all_reads(Finding *f)
{
    Reading r = {.f = f,
                 .list = NEW_ARRAY(f->arena, uint32_t, f->c->rows + 1),
                 .listed = NEW_ARRAY(f->arena, bool, f->c->rows + 1)};
    if (!r.list || !r.listed)
        return false;
    for (uint32_t k = 0; k < f->ordered; k++)
        if (!find_reads(f, &r, f->order[k]))
            return false;
    return true;
}

/* ---- The whole ------------------------------------------------------------------------- */

static bool find_begin(Finding *f)
{
    uint32_t n = system_portions(&f->m->simulation) + 1;
    uint32_t variables = model_variables(f->m) + 1;
    uint32_t rows = n + variables + model_constraints(f->m);
    f->circle = NEW_ARRAY(f->arena, uint32_t, n);
    f->seen = NEW_ARRAY(f->arena, bool, n);
    f->order = NEW_ARRAY(f->arena, uint32_t, n);
    f->group_of = NEW_ARRAY(f->arena, uint32_t, n);
    f->row_of = NEW_ARRAY(f->arena, uint32_t, n);
    f->box = NEW_ARRAY(f->arena, Box, n);
    f->state_row = NEW_ARRAY(f->arena, uint32_t, variables);
    f->c->row = NEW_ARRAY(f->arena, CausalityRow, rows);
    f->c->group = NEW_ARRAY(f->arena, CausalityGroup, n + 2);
    return f->circle && f->seen && f->order && f->group_of && f->row_of &&
           f->box && f->state_row && f->c->row && f->c->group;
}

bool causality_find(Causality *c, Arena *a, Model *m, const UnitParts *p)
{
    Finding f = {.c = c, .arena = a, .m = m, .parts = p};
    *c = (Causality){0};
    if (!find_begin(&f))
        return false;
    find_order(&f);
    add_states(&f);
    find_groups(&f);
    add_rows(&f);
    add_constraints(&f);
    return find_all_reads(&f) && !f.broken && !m->broken;
}
