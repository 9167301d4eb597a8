#include "lower/lowerer.h"

#include <string.h>

/* OUTPUT: what is shown, with the TITLE, FACTOR and SCALE in force. */

typedef struct Style {
    const char *title;
    double xfak, yfak;
    bool logx, logy;
} Style;

/* ---- Columns ----------------------------------------------------------------- */

bool lower_computes_only(Lowerer *l, const Expr *e);

static bool code_computes_only(Lowerer *l, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        const Expr *const part[] = {s->target, s->a, s->b, s->c};
        for (size_t k = 0; k < LENGTH(part); k++)
            if (part[k] && !lower_computes_only(l, part[k]))
                return false;
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            if (!code_computes_only(l, &s->arm[k].code))
                return false;
        if (!code_computes_only(l, &s->body) ||
            !code_computes_only(l, &s->other))
            return false;
    }
    return true;
}

static bool find_effect(void *user, const Expr *e)
{
    Lowerer *l = user;
    if (e->op == EXPR_DRAW)
        return false;
    return e->op != EXPR_CALL ||
           (!model_routine(l->m, e->which)->writes &&
            code_computes_only(l, &model_routine(l->m, e->which)->code));
}

/* Nothing is drawn, printed or scheduled when it is computed. What FUNCTIONs
   assign besides is put back afterwards. */
bool lower_computes_only(Lowerer *l, const Expr *e)
{
    return !(e->reads & READS_CALL) || expr_visit(l->m, e, find_effect, l);
}

/* Expressions that are the same have one column. */
static uint32_t find_column(const Lowerer *l, const Expr *e)
{
    for (const Statement *s = l->m->columns.first; s; s = s->next)
        if (s->a == e)
            return s->target->which;
    return NONE;
}

static const char *column_name(Lowerer *l, const Node *n, uint32_t variable,
                               uint32_t element)
{
    if (element == NONE)
        return lower_text(l, n);
    const Variable *v = model_variable(l->m, variable);
    int64_t width = v->rank > 1 ? v->high[1] - v->low[1] + 1 : 1;
    long long row = (long long)(v->low[0] + (int64_t)element / width);
    if (v->rank < 2)
        return model_format(l->m, "%s[%lld]", v->name, row);
    return model_format(l->m, "%s[%lld,%lld]", v->name, row,
                        (long long)(v->low[1] + (int64_t)element % width));
}

static bool is_no_copy(void *user, const Expr *e)
{
    (void)user;
    return e->op != EXPR_FOUND;
}

/* Whole numbers are REAL in a column: then what has no value is nan. So are truth
   values of a copy, which may not be there. */
static uint32_t add_column(Lowerer *l, const Node *n, const Expr *e,
                           const char *name, const char *unit)
{
    Model *m = l->m;
    if (e->type == EXPR_TYPE_BOOLEAN && !expr_visit(m, e, is_no_copy, NULL))
        e = expr_choose(m, e, expr_integer(m, 1), expr_integer(m, 0));
    bool truth = e->type == EXPR_TYPE_BOOLEAN,
         whole = e->type == EXPR_TYPE_INTEGER;
    const Expr *value = truth ? e : expr_float(m, e);
    uint32_t column = find_column(l, value);
    if (column != NONE)
        return column;
    if (!lower_computes_only(l, e)) {
        LOWER_ERROR(l, n,
                    "this calls a FUNCTION that draws, prints or does "
                    "something else besides computing, so it cannot be shown: "
                    "assign its value at an event, and show that");
        return NONE;
    }
    column = lower_hidden(l, VARIABLE_DISCRETE,
                          truth ? EXPR_TYPE_BOOLEAN : EXPR_TYPE_REAL, name, n);
    Variable *v = model_variable(m, column);
    v->c_name = model_c_name(m, "COLUMN");
    v->column = true;
    v->moves = !truth && !whole && (e->reads & (READS_CONTINUOUS | READS_CALL));
    v->unit = unit ? unit : "";
    Statement *s = code_add(m, &m->columns, STATEMENT_ASSIGN, n->at,
                            lower_line(l, n->at, n->origin));
    s->target = expr_variable(m, column, NULL, 0);
    s->a = value;
    s->row = lower_row(l, n, NONE, true);
    return column;
}

/* ---- What is shown ------------------------------------------------------------- */

/* One thing that is shown: a variable or a column, and which element of it. */
typedef struct Item {
    uint32_t variable, element;
} Item;

static bool has_values(const Variable *v)
{
    return !v->hidden && v->kind <= VARIABLE_MEMORY;
}

/* A variable of the results or a constant element of one; anything else has to
   be computed. */
static bool is_plain(Lowerer *l, const Node *n, Item *item)
{
    int64_t at;
    if (n->kind != NODE_NAME && n->kind != NODE_INDEX)
        return false;
    *item = (Item){lower_designated(l, n), NONE};
    if (item->variable == NONE ||
        !has_values(model_variable(l->m, item->variable)))
        return false;
    const Expr *position = lower_position(l, n, IN_VALUE);
    if (!position)
        return true;
    if (!expr_whole(l, position, &at) || at < 0)
        return false;
    item->element = (uint32_t)at;
    return true;
}

static bool is_time(const Node *n)
{
    return n->kind == NODE_NAME && n->symbol && n->symbol->node == NULL &&
           name_same(n->symbol->name, "TIME");
}

/* The unit of a variable that is read, of this model or of a copy. */
static const char *unit_of(Lowerer *l, const Node *n, const Expr *e)
{
    uint32_t k = e->op == EXPR_VARIABLE ? e->which : lower_designated(l, n);
    return k != NONE ? model_variable(l->m, k)->unit : NULL;
}

static bool is_sens(const Node *n)
{
    const Symbol *s = n->kind == NODE_SHOWN && n->first->kind == NODE_CALL
                          ? n->first->first->symbol
                          : NULL;
    return s && s->takes && s->takes[0] == 'D';
}

/* SENS (X, P) alone is the derivative itself, whose variable is found later; one stands
   for it until then. */
static Item lower_sensed(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    uint32_t pair = lower_sens_pair(l, n);
    if (pair == NONE)
        return (Item){NONE, NONE};
    const Sensed s = *model_sensed(m, pair);
    Item item = {s.shown, NONE};
    int64_t at;
    if (s.shown == NONE) {
        item.variable = lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL,
                                     lower_text(l, n), n);
        variable_shaped(model_variable(m, item.variable),
                        model_variable(m, s.variable));
        model_sensed(m, pair)->shown = item.variable;
    }
    const Expr *position = lower_position(l, call_actual(n, 0), IN_VALUE);
    if (position && expr_whole(l, position, &at) && at >= 0)
        item.element = (uint32_t)at;
    return item;
}

/* An element of an array that is not STOREd as a whole is a column. */
static Item lower_item(Lowerer *l, const Node *n, bool cross)
{
    Item item;
    if (is_sens(n))
        return lower_sensed(l, n->first);
    if (is_plain(l, n, &item)) {
        if (item.element == NONE ||
            (l->shown_whole && l->shown_whole[item.variable]) ||
            model_is_stored(l->m, item.variable)) {
            model_store_shown(l->m, item.variable, cross);
            return item;
        }
    } else {
        item = (Item){NONE, NONE};
    }
    bool computed = n->kind == NODE_SHOWN;
    const char *name = column_name(l, n, item.variable, item.element);
    const Expr *e = lower_in_code(l, computed ? n->first : n, IN_CODE);
    const char *unit = computed ? n->text : unit_of(l, n, e);
    item.variable = add_column(l, n, e, name, unit);
    item.element = NONE;
    if (item.variable != NONE)
        model_store_shown(l->m, item.variable, cross);
    return item;
}

uint32_t lower_item_of(Lowerer *l, const Node *n, bool stored,
                       uint32_t *element)
{
    const Node *of = n->first;
    bool named = of->kind == NODE_NAME || of->kind == NODE_INDEX ||
                 of->kind == NODE_SELECT;
    Item item;
    *element = NONE;
    if (named && is_plain(l, of, &item)) {
        *element = item.element;
        if (stored && item.element == NONE)
            model_store_shown(l->m, item.variable, false);
        lower_mark_read(l, item.variable, IN_CODE);
        return item.variable;
    }
    const Expr *e = lower_in_code(l, of, IN_CODE);
    item.variable = add_column(l, of, e, lower_text(l, of), n->text);
    if (stored && item.variable != NONE)
        model_store_shown(l->m, item.variable, false);
    return item.variable;
}

void lower_stored_elements(Lowerer *l, const Node *segments)
{
    Item item;
    for (const Node *n = segments->first; n; n = n->next) {
        if (n->kind != NODE_STORE_PART)
            continue;
        for (const Node *k = n->first->first; k; k = k->next) {
            if (k->kind == NODE_SELECT)
                lower_item(l, k, false);
            if (k->kind != NODE_INDEX)
                continue;
            if (is_plain(l, k, &item) && item.element != NONE)
                lower_item(l, k, false);
            else if (lower_designated(l, k) != NONE)
                model_store(l->m, lower_designated(l, k));
        }
    }
}

/* BARS shows no records. */
static Item lower_bars(Lowerer *l, const Node *n)
{
    Item item;
    if (!is_plain(l, n, &item))
        item = (Item){lower_designated(l, n), NONE};
    return item;
}

/* Arrays that some line shows as a whole. */
static void find_whole(Lowerer *l, const Node *n)
{
    Item item;
    if (n->kind == NODE_NAME && is_plain(l, n, &item))
        l->shown_whole[item.variable] = true;
}

static ShowKind show_kind(Word word)
{
    switch (word) {
    case WORD_PLOT: return SHOW_PLOT;
    case WORD_GRAPH: return SHOW_GRAPH;
    case WORD_OVERPLOT: return SHOW_OVERPLOT;
    case WORD_BARS: return SHOW_BARS;
    case WORD_SPECTRUM: return SHOW_SPECTRUM;
    case WORD_AUTOCORR: return SHOW_AUTOCORR;
    case WORD_CROSSCORR: return SHOW_CROSSCORR;
    case WORD_COMPARE: return SHOW_COMPARE;
    default: return SHOW_LIST;
    }
}

static int32_t show_run(const Node *run)
{
    if (node_absent(run))
        return 0;
    if (run->word == WORD_ALL)
        return -2;
    if (run->word == WORD_MEAN)
        return -3;
    if (run->kind == NODE_NAME)
        return run->word == WORD_CROSSF ? -1 : 0;
    return (int32_t)run->integer;
}

/* ---- Operations on data --------------------------------------------------------- */

/* The unit of what is shown; not known if it has none. */
Dimension lower_dimension(const char *unit)
{
    Dimension d = {0};
    uint32_t wrong;
    const char *why;
    if (!unit || !unit[0] || !dimension_read(unit, &d, &wrong, &why))
        d.known = false;
    return d;
}

/* A column of values belongs to one curve. */
static bool is_scalar(Lowerer *l, const Node *n, Item item)
{
    if (item.element != NONE || model_variable(l->m, item.variable)->rank == 0)
        return true;
    LOWER_ERROR(l, n,
                "a column of the data is compared with one curve: name an "
                "element of this array");
    return false;
}

static void warn_unit(Lowerer *l, const Node *column, const char *what)
{
    unit_warning(l->unit, column->at, column->origin,
                 "column `%s` is in [%s], but %s has no unit: its numbers are "
                 "taken as they are",
                 column->text, column->first->text, what);
}

/* The data after WITH, in the units of what they are compared with. */
static void lower_compared(Lowerer *l, const Node *n, Show *s)
{
    const Node *file = node_child(n, 4), *shown = n->last->first;
    const Node *column;
    if (node_absent(file))
        return;
    column = file->first->first;
    Dimension *to = MODEL_ARRAY(l->m, Dimension, s->n + 1);
    double **data = MODEL_ARRAY(l->m, double *, s->n + 1);
    if (!to || !data || node_count(file->first) != s->n + 1)
        return;
    to[0] = lower_dimension(l->unit->time_unit);
    if (column->first && !to[0].known)
        warn_unit(l, column, "TIME");
    for (uint32_t k = 0; k < s->n; k++, shown = shown->next) {
        Item item = {s->variable[k], s->element[k]};
        const Variable *v = model_variable(l->m, item.variable);
        column = column->next;
        to[k + 1] = lower_dimension(v->unit);
        if (!is_scalar(l, shown, item))
            return;
        if (column->first && !to[k + 1].known)
            warn_unit(l, column, v->name);
    }
    if (lower_columns(l, file, to, data, s->n + 1, &s->points))
        s->data = (const double **)data;
}

static void lower_signal(Lowerer *l, const Node *n, Show *s)
{
    const Node *other = node_child(n, 2), *lag = node_child(n, 3);
    s->hann = (n->flags & FLAG_HANN) != 0;
    s->density = (n->flags & FLAG_DENSITY) != 0;
    if (!node_absent(other))
        s->other = (int32_t)other->integer;
    if (!node_absent(lag) &&
        !expr_value(l, lower_expression(l, lag, IN_VALUE), &s->lag))
        LOWER_ERROR(l, lag, "a LAG is a constant");
    if (s->n < node_count(n->last))
        return; // after a message
    if (s->kind == SHOW_CROSSCORR && s->n < 2 &&
        (s->element[0] != NONE ||
         model_variable(l->m, s->variable[0])->rank == 0))
        LOWER_ERROR(l, n, "CROSSCORR needs two variables: CROSSCORR: X, Y");
    lower_compared(l, n, s);
}

static void lower_show(Lowerer *l, const Node *n, const Style *style)
{
    const Node *versus = node_child(n, 1), *along = node_child(n, 2),
               *list = n->last;
    uint32_t count = node_count(list), k = 0;
    bool bars = n->word == WORD_BARS, cross = show_run(n->first) == -1;
    uint32_t *variable = MODEL_ARRAY(l->m, uint32_t, count + 1);
    uint32_t *element = MODEL_ARRAY(l->m, uint32_t, count + 1);
    Show s = {.kind = show_kind(n->word),
              .run = show_run(n->first),
              .title = style->title,
              .versus = NONE,
              .versus_at = NONE,
              .along = NONE,
              .along_at = NONE,
              .variable = variable,
              .element = element,
              .xfak = style->xfak,
              .yfak = style->yfak,
              .logx = style->logx,
              .logy = style->logy,
              .line = lower_line(l, n->at, n->origin)};
    if (!node_absent(versus) && !is_time(versus)) {
        Item item = bars ? lower_bars(l, versus) : lower_item(l, versus, cross);
        s.versus = item.variable;
        s.versus_at = item.element;
    }
    if (s.kind < SHOW_SPECTRUM && !node_absent(along)) {
        Item item = bars ? lower_bars(l, along) : lower_item(l, along, cross);
        s.along = item.variable;
        s.along_at = item.element;
    }
    for (const Node *v = list->first; variable && element && v; v = v->next) {
        if (is_time(v) && s.kind >= SHOW_SPECTRUM)
            LOWER_ERROR(l, v, "%s is about curves over TIME",
                        word_text(n->word));
        if (is_time(v))
            continue; // it is there anyway
        Item item = bars ? lower_bars(l, v) : lower_item(l, v, cross);
        if (item.variable == NONE)
            continue;
        variable[k] = item.variable;
        element[k++] = item.element;
    }
    s.n = k;
    if (s.kind >= SHOW_SPECTRUM)
        lower_signal(l, n, &s);
    model_add_show(l->m, &s);
}

/* ---- Arrays over their index ---------------------------------------------------- */

static ShowKind field_kind(const Node *n)
{
    switch (n->word) {
    case WORD_CONTOUR: return SHOW_CONTOUR;
    case WORD_SURFACE: return SHOW_SURFACE;
    case WORD_GRAPH: return SHOW_PROFILES;
    case WORD_LIST: return SHOW_TABULATED;
    case WORD_PLOT:
        return node_absent(node_child(n, 1)) ? SHOW_PRINTED : SHOW_SHADED;
    default: return SHOW_SHADE;
    }
}

static double constant_of(Lowerer *l, const Node *n, const char *what)
{
    double v = 0.0;
    if (!expr_value(l, lower_expression(l, n, IN_VALUE), &v))
        LOWER_ERROR(l, n, "%s is a constant", what);
    return v;
}

enum { TIMES_MOST = 1000 };

/* value * count % increment, from the k-th time on; returns how many there are. */
static uint32_t lower_times(Lowerer *l, const Node *element, double *at,
                            uint32_t k)
{
    const Node *value = element->first, *count = node_child(element, 1);
    const Node *increment = element->last;
    if (value->kind == NODE_LIST)
        value = value->first;
    double t = constant_of(l, value, "a time of AT TIME");
    double by = node_absent(increment)
                    ? 0.0
                    : constant_of(l, increment, "the increment after %");
    int64_t n = node_absent(count) ? 1 : count->integer;
    if (n > TIMES_MOST - (int64_t)k) {
        LOWER_ERROR(l, element, "these are more than %d times", TIMES_MOST);
        n = TIMES_MOST - (int64_t)k;
    }
    for (int64_t i = 0; i < n; i++)
        at[k++] = t + (double)i * by;
    return k;
}

/* What a line can show of an array with so many indices. */
static void check_rank(Lowerer *l, const Node *line, const Node *n,
                       const Show *s, uint32_t rank)
{
    bool curve = s->kind == SHOW_PROFILES || s->kind == SHOW_PRINTED;
    const char *name = lower_text(l, n);
    if (curve && rank == 2)
        LOWER_ERROR(l, n,
                    "`%s` has two indices, and %s draws curves over one: write "
                    "%s %s",
                    name, word_text(line->word),
                    s->kind == SHOW_PRINTED ? "PLOT SHADE" : "SHADE", name);
    else if (!curve && s->kind != SHOW_TABULATED && rank == 1 && s->times)
        LOWER_ERROR(l, n,
                    "`%s` has one index: %s shows it over index and TIME, from "
                    "beginning to end; GRAPH %s AT TIME = (...) shows chosen "
                    "times",
                    name, word_text(line->word), name);
}

static void lower_show_field(Lowerer *l, const Node *n, const Style *style)
{
    const Node *times = node_child(n, 4), *azimuth = node_child(n, 2);
    uint32_t count = node_count(n->last);
    Show s = {.kind = field_kind(n),
              .run = show_run(n->first),
              .title = style->title,
              .versus = NONE,
              .versus_at = NONE,
              .along = NONE,
              .along_at = NONE,
              .variable = MODEL_ARRAY(l->m, uint32_t, count + 1),
              .element = MODEL_ARRAY(l->m, uint32_t, count + 1),
              .xfak = style->xfak,
              .yfak = style->yfak,
              .logx = style->logx,
              .logy = style->logy,
              .line = lower_line(l, n->at, n->origin),
              .at = MODEL_ARRAY(l->m, double, TIMES_MOST),
              .view = !node_absent(azimuth)};
    if (!s.variable || !s.element || !s.at)
        return;
    for (const Node *k = node_absent(times) ? NULL : times->first->first; k;
         k = k->next)
        s.times = lower_times(l, k, s.at, s.times);
    if (s.view) {
        s.azimuth = constant_of(l, azimuth, "an angle of VIEW");
        s.elevation = constant_of(l, node_child(n, 3), "an angle of VIEW");
    }
    for (const Node *v = n->last->first; v; v = v->next) {
        uint32_t k = lower_designated(l, v);
        if (k == NONE || !has_values(model_variable(l->m, k))) {
            if (!lower_refused(l, v))
                LOWER_ERROR(l, v, "`%s` cannot be shown over its index",
                            lower_text(l, v));
            continue;
        }
        check_rank(l, n, v, &s, model_variable(l->m, k)->rank);
        lower_mark_read(l, k, IN_CODE);
        s.variable[s.n] = k;
        s.element[s.n++] = NONE;
    }
    model_add_show(l->m, &s);
}

static void lower_factor(Lowerer *l, const Node *n, Style *style)
{
    for (const Node *o = n->first->first; o; o = o->next) {
        double *value = o->word == WORD_XFAK ? &style->xfak : &style->yfak;
        if (!expr_value(l, lower_expression(l, o->first, IN_VALUE), value))
            LOWER_ERROR(l, o, "a FACTOR is a constant");
    }
}

void lower_output(Lowerer *l, const Node *n)
{
    Style style = {.title = "", .xfak = 1.0, .yfak = 1.0};
    l->shown_whole = MODEL_ARRAY(l->m, bool, model_variables(l->m) + 1);
    if (!l->shown_whole)
        return;
    memset(l->shown_whole, 0, model_variables(l->m) + 1);
    for (const Node *k = n->first->first; k; k = k->next)
        for (const Node *v = k->kind == NODE_SHOW ? k->last->first : NULL; v;
             v = v->next)
            find_whole(l, v);
    for (const Node *k = n->first->first; k; k = k->next)
        switch (k->kind) {
        case NODE_TITLE: style.title = k->text; break;
        case NODE_FACTOR: lower_factor(l, k, &style); break;
        case NODE_SCALE:
            style.logx = (k->flags & FLAG_LOGX) != 0;
            style.logy = (k->flags & FLAG_LOGY) != 0;
            break;
        case NODE_SHOW: lower_show(l, k, &style); break;
        case NODE_SHOW_FIELD: lower_show_field(l, k, &style); break;
        default: refuse(l, k, node_words(k->kind));
        }
}
