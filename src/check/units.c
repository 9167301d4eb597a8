#include "check/units.h"

#include <string.h>

#include "check/convert.h"
#include "check/measure.h"

static void visit(Units *c, Node *n);

/* ---- Units as written ---------------------------------------------------- */

/* The place in the source of the k-th character of the unit, whose own text has
   no blanks or comments. */
static Span place_inside(const Units *c, const Node *n, uint32_t k,
                         uint32_t length)
{
    size_t at = (size_t)n->at.start + 1,
           end = (size_t)n->at.start + n->at.length;
    if (n->at.length == strlen(n->text) + 2)
        return (Span){n->at.file, (uint32_t)at + k, length};
    if (n->at.file != c->unit->file || end > c->unit->length)
        return n->at;
    for (uint32_t i = 0; at < end; at++) {
        if (c->unit->text[at] != n->text[i])
            continue;
        if (i == k)
            return (Span){n->at.file, (uint32_t)at, length};
        i++;
    }
    return n->at;
}

static void report_unit(Units *c, const Node *n, uint32_t wrong,
                        const char *why)
{
    Buffer near = {0};
    uint32_t length = dimension_wrong_length(n->text, wrong);
    Span at = place_inside(c, n, wrong, length);
    if (why != NULL)
        unit_error(c->unit, at, n->origin, "%s", why);
    else if (dimension_meant(n->text, wrong, &near))
        unit_error(c->unit, at, n->origin,
                   "`%.*s` is not a unit: did you mean `%s`?", (int)length,
                   n->text + wrong, buffer_string(&near));
    else
        unit_error(c->unit, at, n->origin, "`%.*s` is not a unit", (int)length,
                   n->text + wrong);
    buffer_free(&near);
}

/* The extents of ARRAY [...] OF REAL A, B, C are those of A, B and C. */
static bool is_shared(Units *c, const Node *n, const Node *child)
{
    bool shared = child == c->extents;
    if (n->kind == NODE_VARIABLE && child->kind == NODE_LIST)
        c->extents = child;
    return shared;
}

/* Reads all units before anything is compared: those of declared names and of
   TIME, and whether any of them contains time. */
static void read_unit(Units *c, Node *n, Node *unit)
{
    Dimension d;
    uint32_t wrong;
    const char *why;
    c->any = c->any || n->kind != NODE_TIMEUNIT;
    unit->integer = dimension_read(unit->text, &d, &wrong, &why);
    if (!unit->integer && unit->text[0] != '\0') // the parser has told of ""
        report_unit(c, unit, wrong, why);
    if (d.known && d.power[BASE_SECOND] != 0)
        c->timed = true;
    if (n->kind == NODE_TIMEUNIT) {
        if (!d.known || !dimension_same(d, dimension_second()))
            return;
        c->time_text = unit->text;
        c->time =
            (Measure){.sort = SORT_UNIT, .unit = d, .written = unit->text};
    } else if (!is_literal(n) && n->kind != NODE_NAME && n->symbol != NULL) {
        n->symbol->dimension = d;
    }
}

static void read_units(Units *c, Node *n)
{
    for (Node *child = n->first; child != NULL; child = child->next) {
        if (child->kind == NODE_UNIT)
            read_unit(c, n, child);
        else if (!is_shared(c, n, child))
            read_units(c, child);
    }
}

/* Without TIMEUNIT, TIME is in s if any unit contains time. */
static void find_time(Units *c)
{
    if (c->time_text != NULL)
        return;
    c->time =
        (Measure){.sort = SORT_UNIT,
                  .unit = c->timed ? dimension_second() : dimension_none()};
    if (c->timed)
        c->time_text = c->time.written = "s";
    else
        c->time.terms =
            terms_one(&c->unknowns, unknown_new(&c->unknowns, "TIME", NULL));
}

/* Keeps the units that were found for names without units: `--set` may use
   them. */
static void keep_found(Units *c)
{
    for (uint32_t k = 0; k < unknowns_count(&c->unknowns); k++) {
        const Unknown *x = unknown_at(&c->unknowns, k);
        Dimension d = x->unit;
        Terms rest = x->rest;
        if (x->symbol == NULL || !x->found || x->blamed ||
            !unknowns_resolve(&c->unknowns, &rest, &d) || rest.count > 0)
            continue;
        x->symbol->dimension = d;
    }
}

/* ---- Declarations -------------------------------------------------------- */

/* The measure of what the text of the node names, not a NAME below it. */
static Measure of_text(Units *c, const Node *n)
{
    return measure_symbol(c, n->symbol);
}

/* A value for a variable. */
static void fit(Units *c, Node *variable, Measure m, Node *value,
                const char *verb)
{
    if (!is_none(value))
        agree(c, variable, m, value, measure(c, value), MEET_EQUAL, verb);
}

/* A distance on the axis of a variable: tolerance, width, increment. */
static void fit_step(Units *c, Node *variable, Measure m, Node *value,
                     const char *verb)
{
    m.unit = dimension_step(m.unit);
    fit(c, variable, m, value, verb);
}

/* Computes it again if something in it was converted. */
static void compute_constant(Units *c, Node *n)
{
    Symbol *s = n->symbol;
    Constant v;
    if (s == NULL || s->kind != SYMBOL_CONST || !s->has_value ||
        !c->converted || !constant_fold(&c->checker, n->last, &v))
        return;
    s->value = v.real;
    s->integer = v.integer;
}

static void compute_constants(Units *c, Node *n)
{
    if (n->kind == NODE_CONST_ITEM)
        compute_constant(c, n);
    else if (c->later.used > 0)
        for (Node *child = n->first; child != NULL; child = child->next)
            compute_constants(c, child);
}

/* A CONST without a unit takes that of its value. */
static void constant_item(Units *c, Node *n)
{
    Symbol *s = n->symbol;
    Measure m;
    if (s == NULL || s->kind != SYMBOL_CONST ||
        (n->flags & FLAG_CONVERTED) != 0)
        return;
    m = measure(c, n->last);
    if (is_none(n->first) && m.sort == SORT_UNIT && m.terms.count == 0)
        s->dimension = m.unit;
    else
        agree(c, n, measure_symbol(c, s), n->last, m, MEET_EQUAL,
              "cannot be the value of");
    compute_constant(c, n);
}

/* Nothing is kept about names without units: that needs the whole program. */
void check_constant_units(Unit *u, Node *item)
{
    Units c = {.checker = {.unit = u},
               .unit = u,
               .early = true,
               .unknowns = {.arena = u->arena}};
    uint32_t errors = u->diags->errors;
    Node *unit = item->first;
    const char *why;
    uint32_t wrong;
    if (unit->kind == NODE_UNIT)
        dimension_read(unit->text, &item->symbol->dimension, &wrong, &why);
    constant_item(&c, item);
    if (c.converted || u->diags->errors != errors)
        item->flags |= FLAG_CONVERTED;
    unknowns_free(&c.unknowns);
    vector_free(&c.elements);
    vector_free(&c.later);
    vector_free(&c.scaled);
}

static void variable(Units *c, Node *n)
{
    Node *range = node_child(n, 1), *extents = n->last;
    Measure m = of_text(c, n);
    if (range->kind == NODE_RANGE) {
        fit(c, n, m, range->first, "cannot be a bound of");
        fit(c, n, m, range->last, "cannot be a bound of");
    }
    if (extents->kind != NODE_LIST || is_shared(c, n, extents))
        return;
    for (Node *e = extents->first; e != NULL; e = e->next) {
        measure_count_wanted(c, e->first, "an extent");
        measure_count_wanted(c, e->last, "an extent");
    }
}

/* A coordinate takes the unit of its bounds. */
static void coordinate(Units *c, Node *n)
{
    Node *from = n->first, *grid = node_child(n, 2);
    Measure m = measure(c, from);
    for (Node *to = from->next->first; to != NULL; to = to->next)
        m = agree(c, from, m, to, measure(c, to), MEET_EQUAL,
                  "cannot be the end of what begins at");
    for (Node *k = grid->first; k != NULL; k = k->next)
        if (grid->word == WORD_AUTO && k == grid->first->next)
            measure_number_wanted(c, k, "TOL of a GRID");
        else
            measure_count_wanted(c, k, "GRID");
    if (!is_none(n->last))
        measure_number_wanted(c, n->last->first, "STRETCH");
    if (n->symbol != NULL && m.sort == SORT_UNIT && m.terms.count == 0)
        n->symbol->dimension = m.unit;
}

static double signed_number(const Node *n)
{
    return n->kind != NODE_UNARY   ? n->number
           : n->word == WORD_MINUS ? -n->first->number
                                   : n->first->number;
}

/* Compares the points in the unit of the first, to which they have been
   converted. */
static void check_order(Units *c, const Node *first)
{
    for (const Node *p = first; p->next != NULL; p = p->next) {
        const Node *x = p->next->first;
        if (signed_number(x) > signed_number(p->first))
            continue;
        unit_error(c->unit, x->at, x->origin,
                   "the points of a table must be in order: in the unit of the "
                   "first this is %.10g, and the point before it is at %.10g",
                   signed_number(x), signed_number(p->first));
        return;
    }
}

static void table(Units *c, Node *n)
{
    Node *list = n->first, *first = list->first;
    bool before = c->converted;
    uint32_t errors = c->unit->diags->errors;
    if (list->kind != NODE_LIST || first == NULL)
        return;
    c->converted = false;
    for (Node *point = first->next; point != NULL; point = point->next) {
        fit(c, first->first, measure_point(n, 0), point->first,
            "cannot be in one table with");
        fit(c, first->last, measure_point(n, 1), point->last,
            "cannot be in one table with");
    }
    if (c->converted && c->unit->diags->errors == errors)
        check_order(c, first);
    c->converted = c->converted || before;
}

/* ---- Statements ---------------------------------------------------------- */

static void pair(Units *c, Node *a, Node *b, const char *verb)
{
    Measure ma, mb;
    if (is_none(a) || is_none(b))
        return;
    ma = measure(c, a);
    mb = measure(c, b);
    agree(c, a, ma, b, mb, MEET_EQUAL, verb);
}

static void condit(Units *c, Node *n)
{
    Node *a = node_child(n, 1), *b = a->next, *tolerance = b->next;
    Measure m = measure(c, a);
    if (!is_none(b))
        m = agree(c, a, m, b, measure(c, b), MEET_EQUAL,
                  "cannot be crossed by");
    fit_step(c, a, m, tolerance, "cannot be the tolerance of");
    if (!is_none(n->last))
        measure(c, n->last);
}

static void tolerances_of(Units *c, Node *list)
{
    for (Node *n = list->first; n != NULL; n = n->next)
        fit_step(c, n->first, measure(c, n->first), n->last,
                 "cannot be the tolerance of");
}

static void starts_of(Units *c, Node *list)
{
    for (Node *n = list->first; n != NULL; n = n->next)
        pair(c, n->first, n->last, "cannot be the start of");
}

static void implicit(Units *c, Node *n)
{
    Node *most = n->first->next, *tolerances = most->next;
    measure_count_wanted(c, most, "MAX");
    tolerances_of(c, tolerances);
    starts_of(c, tolerances->next);
    visit(c, n->last);
}

static void loop(Units *c, Node *n)
{
    Node *from = n->first, *to = from->next, *by = to->next;
    measure_count_wanted(c, from, "FOR");
    measure_count_wanted(c, to, "FOR");
    measure_count_wanted(c, by, "BY");
    visit(c, n->last);
}

/* Elements of PARAMETER, INITCOND, SWEEP: expression or LIST, [count],
   [increment]. */
static void values(Units *c, Node *variable_node, Measure m, Node *list)
{
    for (Node *e = list->first->first; e != NULL; e = e->next) {
        if (e->first->kind == NODE_LIST) {
            for (Node *x = e->first->first; x != NULL; x = x->next)
                fit(c, variable_node, m, x, "cannot be a value of");
        } else {
            fit(c, variable_node, m, e->first, "cannot be a value of");
        }
        fit_step(c, variable_node, m, e->last, "cannot be an increment of");
    }
}

static void setting(Units *c, Node *n)
{
    Measure m = measure(c, n->first);
    if (n->last->kind == NODE_VALUES)
        values(c, n->first, m, n->last);
    else
        fit(c, n->first, m, n->last, "cannot be a value of");
}

static void sweep_item(Units *c, Node *n)
{
    Node *from = n->first->next;
    Measure m = measure(c, n->first);
    if (from->kind == NODE_VALUES) {
        values(c, n->first, m, from);
        return;
    }
    fit(c, n->first, m, from, "cannot be a value of");
    fit(c, n->first, m, from->next, "cannot be a value of");
    measure_count_wanted(c, n->last, "POINTS");
}

/* That of a parameter which is searched by its logarithm has the SD of the
   logarithm. */
static void prior(Units *c, Node *n, Measure m)
{
    Node *prior = n->first->next->next;
    if (prior->kind != NODE_PRIOR)
        return;
    fit(c, n->first, m, prior->first, "cannot be the PRIOR of");
    if (n->flags & FLAG_LOG)
        measure_number_wanted(c, prior->last, "SD");
    else
        fit_step(c, n->first, m, prior->last, "cannot be the SD of");
}

static void start_value(Units *c, Node *n)
{
    Measure m = measure(c, n->first);
    fit(c, n->first, m, n->first->next, "cannot be the start of");
    if (n->last->kind == NODE_RANGE) {
        fit(c, n->first, m, n->last->first, "cannot be a bound of");
        fit(c, n->first, m, n->last->last, "cannot be a bound of");
    }
    prior(c, n, m);
}

static void integrat_option(Units *c, Node *n)
{
    if (n->first == NULL)
        return;
    switch (n->word) {
    case WORD_DTMIN:
    case WORD_DTMAX:
    case WORD_STEP: measure_time_wanted(c, n->first, word_text(n->word)); break;
    case WORD_RELERR: measure_number_wanted(c, n->first, "RELERR"); break;
    default: visit(c, n->first);
    }
}

/* Options of a distribution: those that lie on the axis of the variable have
   its unit. */
static void distribution(Units *c, Node *n, Measure m, Node *options)
{
    Node *of = n->kind == NODE_UNCERTAIN_ITEM ? n->first : n;
    for (Node *o = options->first; o != NULL; o = o->next) {
        if (o->first == NULL)
            continue;
        switch (o->word) {
        case WORD_AVTIM:
        case WORD_MEAN:
        case WORD_MIN:
        case WORD_MAX:
        case WORD_MODE:
            fit(c, of, m, o->first, "cannot be a parameter of");
            break;
        case WORD_SD:
        case WORD_SCALE:
            fit_step(c, of, m, o->first, "cannot be a parameter of");
            break;
        default: measure_number_wanted(c, o->first, word_text(o->word));
        }
    }
    if (n->last->kind != NODE_LIST)
        return;
    for (Node *point = n->last->first; point != NULL; point = point->next) {
        if (point->kind == NODE_POINT)
            fit(c, of, m, point->first, "cannot be a value of");
    }
}

static void random_item(Units *c, Node *n)
{
    distribution(c, n, of_text(c, n), node_child(n, 1));
}

static void uncertain_item(Units *c, Node *n)
{
    distribution(c, n, measure(c, n->first), node_child(n, 2));
}

static void uncertain(Units *c, Node *n)
{
    measure_count_wanted(c, n->first, "the number of points");
    measure_count_wanted(c, node_child(n, 1), "SEED");
    for (Node *k = n->last->first; k != NULL; k = k->next)
        uncertain_item(c, k);
}

static void histogram_item(Units *c, Node *n)
{
    Measure m = of_text(c, n);
    measure_count_wanted(c, n->first, "CELLS");
    fit_step(c, n, m, n->first->next, "cannot be the width of cells for");
    fit(c, n, m, n->last, "cannot be the first limit for");
}

static void simulate(Units *c, Node *n)
{
    Node *to = n->first->next, *comint = to->next;
    measure_time_wanted(c, n->first, "FROM");
    if (is_literal(to) && (to->first == NULL || to->first->kind != NODE_UNIT))
        c->plain_end = to; // before it gets the unit of TIME
    measure_time_wanted(c, to, "TO");
    if ((n->flags & FLAG_LOG) != 0)
        measure_number_wanted(c, comint, "LOG");
    else
        measure_time_wanted(c, comint, "COMINT");
    measure_number_wanted(c, n->last, "FACTOR");
}

static void replicate(Units *c, Node *n)
{
    Node *second = n->first->next;
    measure_count_wanted(c, n->last, "BASE");
    if (n->word == WORD_WITHIN) {
        pair(c, second, n->first, "cannot be the half width of");
        measure_count_wanted(c, second->next, "MAX");
    } else if (n->word == WORD_MIN || n->word == WORD_MAX) {
        pair(c, n->first, second, "cannot be a difference of");
        measure_number_wanted(c, second->next, "CONFIDENCE");
        measure_count_wanted(c, node_child(n, 3), "FIRST");
        measure_count_wanted(c, node_child(n, 4), "MAX");
    } else {
        measure_count_wanted(c, n->first, "REPLICATE");
    }
}

/* ---- Output -------------------------------------------------------------- */

static Measure shown(Units *c, Node *n)
{
    Shown one = {n, measure(c, n->first)};
    if (!vector_append(&c->shown, &one, sizeof one))
        c->unknowns.broken = true;
    return one.m;
}

/* Noise is a difference of what is measured, or of its logarithm. */
static void observed(Units *c, Node *n)
{
    Measure m = shown(c, n->first);
    if (n->last->kind == NODE_NONE)
        return;
    if (n->flags & FLAG_LOG)
        measure_number_wanted(c, n->last->first, "NOISE");
    else
        fit_step(c, n->first->first, m, n->last->first,
                 "cannot be the NOISE of");
}

/* A quantity with a unit is shown in that unit. */
static void name_shown(Units *c, const Shown *s)
{
    Dimension d = s->m.unit;
    Terms rest = s->m.terms;
    Buffer text = {0};
    if (s->m.sort != SORT_UNIT || !unknowns_resolve(&c->unknowns, &rest, &d) ||
        rest.count > 0 ||
        (dimension_is_none(d) && dimension_same_scale(d, dimension_none())))
        return;
    agree_print_unit(c, &text, &s->m);
    s->n->text = convert_keep(c, &text);
}

static void name_all_shown(Units *c)
{
    const Shown *s = (const Shown *)(const void *)c->shown.bytes;
    for (size_t k = 0; k < c->shown.used / sizeof *s; k++)
        name_shown(c, &s[k]);
}

/* The variable that a designator is part of. */
static const Symbol *assigned(const Node *n)
{
    while (n->kind == NODE_INDEX)
        n = n->first;
    return n->symbol;
}

/* ---- All ----------------------------------------------------------------- */

static void children(Units *c, Node *n)
{
    for (Node *child = n->first; child != NULL; child = child->next)
        visit(c, child);
}

/* A statement whose last child is the time after TIMEOUT. */
static void visit_timeout(Units *c, Node *n)
{
    for (Node *k = n->first; k != n->last; k = k->next)
        visit(c, k);
    measure_time_wanted(c, n->last, "TIMEOUT");
}

static bool visit_patient(Units *c, Node *n)
{
    bool waits = n->word == WORD_ENTER || n->word == WORD_PASS ||
                 n->word == WORD_WAITSIG;
    if (waits)
        visit_timeout(c, n);
    return waits;
}

/* Checks the times of the statement, then everything else in it. */
static bool visit_timed(Units *c, Node *n)
{
    switch (n->kind) {
    case NODE_SCHEDULE: measure_time_wanted(c, n->first->next, "AT"); break;
    case NODE_GENERATE: measure_time_wanted(c, node_child(n, 2), "AT"); break;
    case NODE_CLEAR:
        if (n->word == WORD_AUTO)
            visit(c, n->first);
        else
            measure_time_wanted(c, n->first, "AT");
        return true;
    case NODE_ADVANCE: measure_time_wanted(c, n->first, "ADVANCE"); return true;
    case NODE_WAIT: visit_timeout(c, n); return true;
    case NODE_SEIZE:
    case NODE_SEIZE_ANY: visit_timeout(c, n); return true;
    case NODE_STORAGE_USE:
    case NODE_RESOURCE: return visit_patient(c, n);
    case NODE_SAMPLE_BODY:
        measure_time_wanted(c, n->first, "EVERY");
        measure_time_wanted(c, n->first->next, "OFFSET");
        visit(c, n->last);
        return true;
    case NODE_SIMULATE: simulate(c, n); return true;
    case NODE_LINEARIZE:
        measure_time_wanted(c, n->first, "EVERY");
        if (node_child(n, 3))
            visit(c, node_child(n, 3));
        return true;
    default: return false;
    }
    visit(c, n->first);
    visit(c, n->last);
    if (n->kind == NODE_GENERATE)
        visit(c, node_child(n, 3));
    else
        visit(c, node_child(n, 2));
    return true;
}

/* A LAG is a time; what is shown follows it. */
static void show(Units *c, Node *n)
{
    bool lags = n->word == WORD_AUTOCORR || n->word == WORD_CROSSCORR;
    if (lags)
        measure_time_wanted(c, node_child(n, 3), "LAG");
    for (Node *k = n->first; k != NULL; k = k->next)
        if (!lags || k == n->last)
            visit(c, k);
}

/* What is shown over its index, at which times. */
static void show_field(Units *c, Node *n)
{
    Node *times = node_child(n, 4);
    visit(c, n->last);
    if (is_none(times))
        return;
    for (Node *k = times->first->first; k != NULL; k = k->next) {
        if (k->first->kind != NODE_LIST)
            measure_time_wanted(c, k->first, "AT TIME");
        else
            for (Node *e = k->first->first; e != NULL; e = e->next)
                measure_time_wanted(c, e, "AT TIME");
        measure_time_wanted(c, k->last, "AT TIME");
    }
}

static bool visit_experiment(Units *c, Node *n)
{
    switch (n->kind) {
    case NODE_SETTING: setting(c, n); break;
    case NODE_SWEEP_ITEM: sweep_item(c, n); break;
    case NODE_START_VALUE: start_value(c, n); break;
    case NODE_OPTION: integrat_option(c, n); break;
    case NODE_RANDOM_ITEM: random_item(c, n); break;
    case NODE_UNCERTAIN: uncertain(c, n); break;
    case NODE_HISTOGRAM_ITEM: histogram_item(c, n); break;
    case NODE_TIMEPERS_ITEM:
        fit(c, n, of_text(c, n), n->first, "cannot be the start of");
        break;
    case NODE_REPLICATE: replicate(c, n); break;
    case NODE_SHOW: show(c, n); break;
    case NODE_SHOW_FIELD: show_field(c, n); break;
    case NODE_OBSERVED: observed(c, n); break;
    default: return false;
    }
    return true;
}

static bool visit_declaration(Units *c, Node *n)
{
    switch (n->kind) {
    case NODE_CONST_ITEM: constant_item(c, n); break;
    case NODE_VARIABLE: variable(c, n); break;
    case NODE_COORDINATE: coordinate(c, n); break;
    case NODE_FUNCTABLE: table(c, n); break;
    default: return false;
    }
    return true;
}

static void visit(Units *c, Node *n)
{
    c->elements.used = 0;
    switch (n->kind) {
    case NODE_NONE:
    case NODE_UNIT: break;
    case NODE_EQUATION: pair(c, n->first, n->last, "cannot equal"); break;
    case NODE_ASSIGN:
        c->target = assigned(n->first);
        pair(c, n->first, n->last, "cannot be assigned to");
        c->target = NULL;
        break;
    case NODE_CONDIT: condit(c, n); break;
    case NODE_IMPLICIT: implicit(c, n); break;
    case NODE_FOR: loop(c, n); break;
    case NODE_EACH: visit(c, n->last); break;
    case NODE_SHOWN: (void)shown(c, n); break;
    case NODE_CALL:
    case NODE_BINARY:
    case NODE_UNARY:
    case NODE_CHOOSE:
    case NODE_INDEX:
    case NODE_SELECT:
    case NODE_FIELD_AT:
    case NODE_SERIES:
    case NODE_GATHER: measure(c, n); break;
    default:
        if (!visit_declaration(c, n) && !visit_timed(c, n) &&
            !visit_experiment(c, n))
            children(c, n);
    }
}

/* ADVANCE 5 [min] makes TIME count seconds, and SIMULATE FROM 0 TO 480 then ends
   after eight minutes; most likely eight hours were meant. */
static void warn_of_seconds(Units *c, bool implied)
{
    const Node *to = c->plain_end, *time = c->long_time;
    if (!implied || to == NULL || time == NULL)
        return;
    unit_warning(c->unit, to->at, to->origin,
                 "without TIMEUNIT this is in seconds, since times with units "
                 "stand in the program: write TIMEUNIT [%s]; before VAR, or "
                 "[s] after this number",
                 c->long_unit);
    unit_note(c->unit, time->at, "such a time is here");
}

bool check_units(Unit *u, Scope *program)
{
    Units c = {.checker = {.unit = u, .program = program},
               .unit = u,
               .unknowns = {.arena = u->arena}};
    uint32_t errors = u->diags->errors;
    if (u->program == NULL)
        return true;
    read_units(&c, u->program);
    c.extents = NULL;
    if (c.any) {
        bool implied = c.time_text == NULL;
        find_time(&c);
        visit(&c, u->program);
        warn_of_seconds(&c, implied && u->diags->errors == errors);
        agree_rest(&c);
        compute_constants(&c, u->program);
        keep_found(&c);
        name_all_shown(&c);
    }
    u->time_unit = c.time_text == NULL ? "" : c.time_text;
    unknowns_free(&c.unknowns);
    vector_free(&c.elements);
    vector_free(&c.later);
    vector_free(&c.scaled);
    vector_free(&c.shown);
    return u->diags->errors == errors && !c.unknowns.broken;
}
