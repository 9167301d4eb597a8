#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lower/lowerer.h"

/* FIT: what is compared with the data, and the data themselves, which are read here and
   become part of the program. */

/* ---- Columns --------------------------------------------------------------------- */

/* What is known of the columns of one TO, in their order: time, keys, then value and
   error of each that is observed, then weight. */
typedef struct Reader {
    const Node *n, *file;
    FitData *d;
    CsvWanted *w;
    uint32_t columns;
    Dimension *to;           // of each column
    const Node **name;       // the same
    bool *step;              // it is a difference
    uint32_t *value, *error; // columns of each that is observed; NONE: no error
    uint32_t weight;         // NONE: there is none
    const char **text;       // of each key that is a text
    const char **wants;      // of each key that is a constant number
    uint32_t matching;       // rows that the constants of WITH have left
    double *last;            // times of experiments so far, by `first`
    bool weighed;            // a weight above zero was seen
} Reader;

static const char *unit_text(Lowerer *l, const Node *shown, FitItem item)
{
    if (item.variable == NONE)
        return "";
    const Variable *v = model_variable(l->m, item.variable);
    return v->column && shown->text ? shown->text : v->unit ? v->unit : "";
}

static FitItem item_of(Lowerer *l, const Node *shown, bool stored,
                       const char *column)
{
    FitItem item = {.variable = NONE, .element = NONE, .column = column};
    if (!node_absent(shown))
        item.variable = lower_item_of(l, shown, stored, &item.element);
    return item;
}

/* A value or a difference that a column has to fit; a unit that nothing can be done
   with draws a warning. */
static void wants(Lowerer *l, Reader *r, uint32_t k, const char *unit,
                  bool step, const char *what)
{
    r->to[k] = lower_dimension(unit);
    r->step[k] = step;
    if (r->name[k]->first && !r->to[k].known)
        LOWER_WARNING(l, r->name[k],
                      "column `%s` is in [%s], but %s has no unit: its numbers "
                      "are taken as they are",
                      r->name[k]->text, r->name[k]->first->text, what);
}

static void take_keys(Lowerer *l, Reader *r, FitItem *key)
{
    const Node *k = node_child(r->n, 2)->first;
    for (uint32_t i = 0, column = 1; k; k = k->next, i++, column++) {
        double unused;
        r->text[i] = r->wants[i] = NULL;
        if (k->first->kind == NODE_STRING) {
            r->text[i] = k->first->text;
            continue;
        }
        const Expr *e = lower_in_code(l, k->first->first, IN_CODE);
        if (expr_value(l, e, &unused)) {
            r->wants[i] = model_format(l->m, "%.17g", unused);
            wants(l, r, column, k->first->text, false, "this number");
            continue;
        }
        FitItem item = item_of(l, k->first, false, r->name[column]->text);
        wants(l, r, column, unit_text(l, k->first, item), false,
              lower_text(l, k->first));
        if (item.variable != NONE)
            key[r->d->keys++] = item;
    }
}

static uint32_t take_observed(Lowerer *l, Reader *r, FitObserved *o)
{
    uint32_t column = 1 + node_count(node_child(r->n, 2)), i = 0;
    for (const Node *k = node_child(r->n, 1)->first; k; k = k->next, i++) {
        const Node *shown = k->first;
        bool log = (k->flags & FLAG_LOG) != 0;
        FitItem item = item_of(l, shown, true, r->name[column]->text);
        const char *unit = unit_text(l, shown, item), *text;
        text = lower_text(l, shown);
        o[i] = (FitObserved){.item = item,
                             .noise = item_of(l, k->last, false, NULL),
                             .log = log,
                             .known = k->word == WORD_ERROR,
                             .text = text,
                             .unit = unit};
        wants(l, r, column, unit, false, text);
        r->value[i] = column++;
        r->error[i] = NONE;
        if (k->word != WORD_ERROR)
            continue;
        r->error[i] = column;
        wants(l, r, column++, log ? "1" : unit, true, text);
    }
    return column;
}

/* ---- Rows ------------------------------------------------------------------------- */

/* The number of a cell in the unit of its variable; NULL after a message. */
static const char *number_of(Lowerer *l, const Reader *r, uint32_t k)
{
    Buffer b = {0};
    const char *text = NULL;
    if (lower_convert(r->name[k], r->to[k], r->step[k], r->w[k].text, &b))
        text = model_format(l->m, "%s", buffer_string(&b));
    else
        lower_refuse_column(l, r->name[k], r->to[k]);
    buffer_free(&b);
    return text;
}

/* Whether the constants after WITH are those of the present line. */
static bool matches(Lowerer *l, const Reader *r, bool *right)
{
    for (uint32_t k = 0; k < node_count(node_child(r->n, 2)); k++) {
        const CsvWanted *w = &r->w[1 + k];
        if (r->text[k] && strcmp(r->text[k], w->text) != 0)
            return false;
        if (!r->wants[k])
            continue;
        const char *number = number_of(l, r, 1 + k);
        double is = number ? strtod(number, NULL) : 0.0;
        double want = strtod(r->wants[k], NULL);
        *right = *right && number;
        if (fabs(is - want) > 1e-9 * fabs(want))
            return false;
    }
    return true;
}

static void bad_cell(Lowerer *l, const Reader *r, uint32_t k, uint32_t line,
                     const char *why)
{
    const char *cell = r->w[k].text;
    LOWER_ERROR(l, r->file, "line %u of \"%s\", column %s: %s%s%s",
                (unsigned)line, r->file->text, r->name[k]->text, cell,
                cell[0] ? " " : "", why);
}

/* The share that a datum has of the standard deviation: its own one, or 1, by the root
   of its weight. NULL after a message; *counts: it has a weight. */
static const char *share_of(Lowerer *l, Reader *r, uint32_t i, uint32_t line,
                            bool *counts)
{
    uint32_t e = r->error[i], w = r->weight;
    double sd = 1.0, weight = 1.0;
    *counts = true;
    if (e != NONE) {
        const char *text = r->w[e].text[0] ? number_of(l, r, e) : "0";
        if (!text)
            return NULL;
        sd = strtod(text, NULL);
        if (!(sd > 0.0)) {
            bad_cell(l, r, e, line,
                     r->w[e].text[0]
                         ? "is no standard deviation, which is positive"
                         : "there is no standard deviation for the value "
                           "measured");
            return NULL;
        }
    }
    if (w != NONE) {
        weight = strtod(r->w[w].text, NULL);
        if (weight < 0.0) {
            bad_cell(l, r, w, line,
                     "is no weight: it is positive, or 0 for a row that does "
                     "not count");
            return NULL;
        }
        *counts = weight > 0.0;
        r->weighed = r->weighed || *counts;
        sd /= *counts ? sqrt(weight) : 1.0;
    }
    return model_format(l->m, "%.17g", sd);
}

static bool take_values(Lowerer *l, Reader *r, const char **to, uint32_t line)
{
    for (uint32_t i = 0; i < r->d->observed; i++) {
        bool counts;
        const char *value = NULL, *share = NULL;
        if (r->w[r->value[i]].text[0]) {
            value = number_of(l, r, r->value[i]);
            share = share_of(l, r, i, line, &counts);
            if (!value || !share)
                return false;
            if (r->d->observe[i].log && !(strtod(value, NULL) > 0.0)) {
                bad_cell(l, r, r->value[i], line,
                         "has no logarithm, and LOG compares logarithms");
                return false;
            }
            if (!counts)
                value = share = NULL;
        }
        to[2 * (size_t)i] = value;
        to[2 * (size_t)i + 1] = share;
    }
    return true;
}

static size_t width_of(const FitData *d)
{
    return 1 + d->keys + 2 * (size_t)d->observed;
}

/* Within one experiment, which the keys tell apart, times do not go back. */
static bool in_order(Lowerer *l, const Reader *r, const char *const *row)
{
    const FitData *d = r->d;
    for (uint32_t k = d->rows; k-- > 0;) {
        const char *const *before = d->number + k * width_of(d);
        bool same = true;
        for (uint32_t i = 0; i < d->keys && same; i++)
            same = strcmp(before[1 + i], row[1 + i]) == 0;
        if (!same)
            continue;
        if (strtod(row[0], NULL) >= strtod(before[0], NULL))
            return true;
        LOWER_ERROR(l, r->file,
                    "the time goes back: in line %u of \"%s\", %s comes after "
                    "%s in line %u: sort the rows by time, and tell "
                    "experiments apart by WITH column = parameter",
                    (unsigned)d->row_line[d->rows], d->file, row[0], before[0],
                    (unsigned)d->row_line[k]);
        return false;
    }
    return true;
}

/* One line that the constants of WITH have left. */
static bool take_row(Lowerer *l, Reader *r, uint32_t line)
{
    FitData *d = r->d;
    const char **row = d->number + d->rows * width_of(d);
    uint32_t key = 1;
    row[0] = number_of(l, r, 0);
    if (!row[0])
        return false;
    for (uint32_t k = 0; k < node_count(node_child(r->n, 2)); k++) {
        if (r->text[k] || r->wants[k])
            continue;
        row[key] = number_of(l, r, 1 + k);
        if (!row[key++])
            return false;
    }
    d->row_line[d->rows] = line;
    if (!take_values(l, r, row + key, line) || !in_order(l, r, row))
        return false;
    d->rows++;
    return true;
}

static bool take_rows(Lowerer *l, Reader *r, Csv *c)
{
    uint32_t line;
    bool right = true;
    for (;;) {
        if (!lower_next_row(l, r->file, c, r->w, r->columns, &line))
            return false;
        if (!line)
            return true;
        bool match = matches(l, r, &right);
        if (!right)
            return false;
        r->matching += match;
        if (match && !take_row(l, r, line))
            return false;
    }
}

static bool is_any(const FitData *d)
{
    for (size_t k = 0; k < d->rows * width_of(d); k++)
        if (k % width_of(d) > d->keys && d->number[k])
            return true;
    return false;
}

/* What is left of the file has to say something. */
static bool says_something(Lowerer *l, const Reader *r)
{
    const FitData *d = r->d;
    if (r->matching == 0 && node_child(r->n, 2)->first)
        LOWER_ERROR(l, r->n, "no row of \"%s\" has the values after WITH",
                    d->file);
    else if (r->matching == 0)
        LOWER_ERROR(l, r->file, "\"%s\" has no line of numbers", d->file);
    else if (r->weight != NONE && !r->weighed)
        LOWER_ERROR(l, r->name[r->weight],
                    "all weights are 0, so no row of \"%s\" counts", d->file);
    else if (!is_any(d))
        LOWER_ERROR(l, r->file,
                    "no value is measured in \"%s\": all cells of "
                    "the columns after WHERE are empty",
                    d->file);
    else
        return true;
    return false;
}

/* ---- A file ------------------------------------------------------------------------ */

/* Cells without a number are allowed for values and their errors; texts are compared
   with texts. */
static void choose_kinds(const Reader *r)
{
    for (uint32_t k = 0; k < node_count(node_child(r->n, 2)); k++)
        if (r->text[k])
            r->w[1 + k].kind = CSV_IS_TEXT;
    for (uint32_t k = 0; k < r->d->observed; k++) {
        r->w[r->value[k]].kind = CSV_OR_EMPTY;
        if (r->error[k] != NONE)
            r->w[r->error[k]].kind = CSV_OR_EMPTY;
    }
}

static bool read_data(Lowerer *l, Reader *r)
{
    Buffer text = {0};
    Csv c;
    FitData *d = r->d;
    bool right = lower_read_data(l, r->file, "data", &text) &&
                 lower_open_csv(l, r->file, &text, &c) &&
                 lower_find_columns(l, &c, r->file->first, r->w, r->columns);
    if (right) {
        size_t room = lower_count_lines(&c);
        choose_kinds(r);
        d->number = MODEL_ARRAY(l->m, const char *, room *width_of(d));
        d->row_line = MODEL_ARRAY(l->m, uint32_t, room);
        right = d->number && d->row_line && take_rows(l, r, &c) &&
                says_something(l, r);
    }
    buffer_free(&text);
    return right;
}

/* Room for what is known of each column; false: there is no memory. */
static bool open_reader(Lowerer *l, Reader *r, const Node *n, FitData *d)
{
    uint32_t columns = node_count(n->first->first), k = 0,
             keys = node_count(node_child(n, 2)),
             observed = node_count(node_child(n, 1));
    *r = (Reader){.n = n,
                  .file = n->first,
                  .d = d,
                  .columns = columns,
                  .w = MODEL_ARRAY(l->m, CsvWanted, columns),
                  .to = MODEL_ARRAY(l->m, Dimension, columns),
                  .name = MODEL_ARRAY(l->m, const Node *, columns),
                  .step = MODEL_ARRAY(l->m, bool, columns),
                  .value = MODEL_ARRAY(l->m, uint32_t, observed + 1),
                  .error = MODEL_ARRAY(l->m, uint32_t, observed + 1),
                  .text = MODEL_ARRAY(l->m, const char *, keys + 1),
                  .wants = MODEL_ARRAY(l->m, const char *, keys + 1),
                  .weight = NONE};
    if (!r->w || !r->to || !r->name || !r->step || !r->value || !r->error ||
        !r->text || !r->wants)
        return false;
    for (const Node *c = n->first->first->first; c; c = c->next, k++) {
        r->name[k] = c;
        r->to[k] = (Dimension){.known = false};
        r->step[k] = false;
    }
    return true;
}

/* A weight makes standard deviations of its own, unless they are to be multiplied by
   a NOISE. */
static void take_weight(Reader *r, FitObserved *observe, uint32_t column)
{
    if (r->n->word != WORD_WEIGHT)
        return;
    r->weight = column;
    for (uint32_t k = 0; k < r->d->observed; k++)
        if (observe[k].noise.variable == NONE)
            observe[k].known = true;
}

static void lower_data(Lowerer *l, const Node *n, FitData *d)
{
    int64_t run = 0;
    uint32_t observed = node_count(node_child(n, 1));
    FitItem *key = MODEL_ARRAY(l->m, FitItem, node_count(node_child(n, 2)) + 1);
    FitObserved *observe = MODEL_ARRAY(l->m, FitObserved, observed + 1);
    Reader r;
    if (!key || !observe || !open_reader(l, &r, n, d))
        return;
    if (!node_absent(n->last) && !lower_constant(l, n->last, "RUN", &run))
        return;
    *d = (FitData){.file = n->first->text,
                   .line = lower_line(l, n->at, n->origin),
                   .run = (uint32_t)run,
                   .observed = observed,
                   .key = key,
                   .observe = observe};
    wants(l, &r, 0, l->unit->time_unit, false, "TIME");
    take_keys(l, &r, key);
    take_weight(&r, observe, take_observed(l, &r, observe));
    read_data(l, &r);
}

/* ---- The statement ------------------------------------------------------------------- */

static const Fit *lower_all_data(Lowerer *l, const Node *n)
{
    const Node *list = node_child(n, 1);
    uint32_t count = node_count(list), k = 0;
    Fit *fit = MODEL_NEW(l->m, Fit);
    FitData *data = MODEL_ARRAY(l->m, FitData, count + 1);
    if (!fit || !data)
        return NULL;
    memset(data, 0, (count + 1) * sizeof *data);
    for (const Node *d = list->first; d; d = d->next)
        lower_data(l, d, &data[k++]);
    *fit = (Fit){.n = count, .data = data};
    for (const Node *o = node_child(n, 2)->first; o; o = o->next)
        fit->profile = fit->profile || o->word == WORD_PROFILE;
    return fit;
}

static const Expr *real_in(Lowerer *l, const Node *n)
{
    return lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT), EXPR_TYPE_REAL);
}

static void lower_prior(Lowerer *l, const Node *n, const Expr **mean,
                        const Expr **sd)
{
    const Node *prior = node_child(n, 2);
    *mean = *sd = NULL;
    if (prior->kind != NODE_PRIOR)
        return;
    *mean = real_in(l, prior->first);
    *sd = real_in(l, prior->last);
}

static bool has_option(const Node *options, Word word)
{
    for (const Node *o = options->first; o; o = o->next)
        if (o->word == word)
            return true;
    return false;
}

void lower_fit_statement(Lowerer *l, const Node *n, Code *code)
{
    const Node *options = node_child(n, 2);
    uint32_t count = node_count(n->first), k = 0;
    size_t listed = 6 * (size_t)count + 3, after = 4 * (size_t)count + 3;
    Statement *s = code_add(l->m, code, STATEMENT_SEARCH, n->at,
                            lower_line(l, n->at, n->origin));
    Quest *quest = MODEL_NEW(l->m, Quest);
    uint32_t *variable = MODEL_ARRAY(l->m, uint32_t, count);
    bool *log = MODEL_ARRAY(l->m, bool, count);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, listed);
    const Fit *fit = lower_all_data(l, n);
    if (!quest || !variable || !log || !list || !fit)
        return;
    for (const Node *p = n->first->first; p; p = p->next, k++) {
        lower_search_parameter(l, p, k, count, list, variable, log);
        lower_prior(l, p, &list[after + 2 * (size_t)k],
                    &list[after + 2 * (size_t)k + 1]);
    }
    list[after - 3] = lower_search_option(l, options, WORD_TOL);
    list[after - 2] = lower_search_option(l, options, WORD_MAX);
    list[after - 1] = lower_search_option(l, options, WORD_STARTS);
    *quest = (Quest){.kind = SEARCH_FIT,
                     .fit = fit,
                     .number = l->m->searches++,
                     .global = has_option(options, WORD_GLOBAL),
                     .n = count,
                     .variable = variable,
                     .log = log};
    s->quest = quest;
    s->list = list;
    s->n = (uint32_t)listed;
    s->row = lower_row(l, n, NONE, true);
    lower_fit_senses(l, n, quest, list);
    lower_code(l, n->last, &s->body, IN_EXPERIMENT);
}
