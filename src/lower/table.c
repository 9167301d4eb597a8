#include "lower/lowerer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "check/dimension.h"
#include "check/header.h"

/* FUNCTABLE: points with their literals as text, from the program or from a
   file of comma-separated values next to it. */

/* ---- Points of the text -------------------------------------------------------------- */

/* A whole number gets a point. */
static const char *real_text(Lowerer *l, const char *text)
{
    return model_format(l->m, strpbrk(text, ".eE") ? "%s" : "%s.0", text);
}

static const char *signed_text(Lowerer *l, const Node *n)
{
    bool minus = false;
    for (; n->kind == NODE_UNARY; n = n->first)
        minus = minus != (n->word == WORD_MINUS);
    if (n->kind == NODE_INTEGER)
        return model_format(l->m, "%s%lld.0", minus ? "-" : "",
                            (long long)n->integer);
    return model_format(l->m, "%s%s", minus ? "-" : "", n->text);
}

static bool read_points(Lowerer *l, const Node *list, Table *t)
{
    uint32_t n = node_count(list), k = 0;
    const char **x = MODEL_ARRAY(l->m, const char *, n);
    const char **y = MODEL_ARRAY(l->m, const char *, n);
    if (!x || !y)
        return false;
    for (const Node *p = list->first; p; p = p->next, k++) {
        x[k] = signed_text(l, p->first);
        y[k] = signed_text(l, p->last);
    }
    t->points = n;
    t->x = x;
    t->y = y;
    return true;
}

/* ---- Points of a file ------------------------------------------------------------------ */

/* Reads into the buffer; mistakes are reported. */
bool lower_read_data(Lowerer *l, const Node *n, const char *what, Buffer *text)
{
    Fault fault = {0};
    const char *path = data_path(l->unit, n->text);
    if (!path) {
        l->m->broken = true;
        return false;
    }
    const LowerOptions *o = l->o;
    Status status = o && o->read ? o->read(o->user, n->text, path, text, &fault)
                                 : file_read_data(path, text, &fault);
    if (status == STATUS_OK)
        return true;
    LOWER_ERROR(l, n, "the %s cannot be read: %s", what, fault.text);
    return false;
}

/* Mistakes in a file are reported at its name; so is its notation if it is
   unusual, because a comma may be a separator or a decimal mark. */
bool lower_open_csv(Lowerer *l, const Node *n, const Buffer *text, Csv *c)
{
    char how[300];
    Fault f = {0};
    if (csv_open(c, n->text, (const char *)text->v.bytes, text->v.used, &f) !=
        STATUS_OK) {
        LOWER_ERROR(l, n, "%s", f.text);
        return false;
    }
    if (csv_describe(c, how, sizeof how))
        unit_note(l->unit, n->at, "%s", how);
    return true;
}

bool lower_find_columns(Lowerer *l, const Csv *c, const Node *names,
                        CsvWanted *w, uint32_t wanted)
{
    bool right = true;
    const Node *name = names->first;
    for (uint32_t k = 0; k < wanted; k++, name = name->next) {
        Fault f = {0};
        w[k].name = name->text;
        w[k].kind = CSV_IS_NUMBER;
        if (csv_find(c, &w[k], &f) == STATUS_OK)
            continue;
        LOWER_ERROR(l, name, "%s", f.text);
        right = false;
    }
    return right;
}

/* The next line; *line is 0 at the end. */
bool lower_next_row(Lowerer *l, const Node *n, Csv *c, CsvWanted *w,
                    uint32_t wanted, uint32_t *line)
{
    Fault f = {0};
    if (csv_row(c, w, wanted, line, &f) == STATUS_OK)
        return true;
    LOWER_ERROR(l, n, "%s", f.text);
    return false;
}

/* At most that many rows are left. */
uint32_t lower_count_lines(const Csv *c)
{
    uint32_t n = 1;
    for (const char *p = c->at; p < c->end; p++)
        n += *p == '\n' || *p == '\r';
    return n;
}

static bool in_order(Lowerer *l, const Node *n, const char *before,
                     const char *x, uint32_t line)
{
    if (!before || strtod(x, NULL) > strtod(before, NULL))
        return true;
    LOWER_ERROR(l, n,
                "the points of a table must be in rising order: in line %u of "
                "\"%s\", %s does not come after %s",
                (unsigned)line, n->text, x, before);
    return false;
}

static bool read_rows(Lowerer *l, const Node *n, Csv *c, Table *t)
{
    CsvWanted w[2];
    uint32_t line, count = 0, room = lower_count_lines(c);
    const char **x = MODEL_ARRAY(l->m, const char *, room);
    const char **y = MODEL_ARRAY(l->m, const char *, room);
    if (!x || !y || !lower_find_columns(l, c, n->first, w, 2))
        return false;
    for (;;) {
        if (!lower_next_row(l, n, c, w, 2, &line))
            return false;
        if (!line)
            break;
        assert(count < room);
        x[count] = real_text(l, w[0].text);
        y[count] = real_text(l, w[1].text);
        if (!in_order(l, n, count ? x[count - 1] : NULL, x[count], line))
            return false;
        count++;
    }
    t->points = count;
    t->x = x;
    t->y = y;
    if (count < 2)
        LOWER_ERROR(l, n,
                    "a table needs at least two points, but \"%s\" has %u",
                    n->text, (unsigned)count);
    return count >= 2;
}

static bool read_file(Lowerer *l, const Node *n, Table *t)
{
    Buffer text = {0};
    Csv c;
    bool right = lower_read_data(l, n, "points of this table", &text) &&
                 lower_open_csv(l, n, &text, &c) && read_rows(l, n, &c, t);
    buffer_free(&text);
    return right;
}

/* ---- One column ------------------------------------------------------------------------- */

bool lower_convert(const Node *column, Dimension to, bool step,
                   const char *text, Buffer *b)
{
    Dimension from;
    uint32_t wrong;
    const char *why;
    if (!column->first || !to.known ||
        !dimension_read(column->first->text, &from, &wrong, &why)) {
        buffer_text(b, text);
        return true;
    }
    return step ? dimension_convert(dimension_step(from), dimension_step(to),
                                    text, b)
                : dimension_convert(from, to, text, b);
}

static bool fit_value(const Node *column, Dimension to, const char *text,
                      double *value)
{
    Buffer b = {0};
    bool fits = lower_convert(column, to, false, text, &b) && !b.broken;
    *value = fits ? strtod(buffer_string(&b), NULL) : 0.0;
    buffer_free(&b);
    return fits;
}

void lower_refuse_column(Lowerer *l, const Node *column, Dimension to)
{
    Buffer unit = {0};
    dimension_print(&unit, to);
    LOWER_ERROR(
        l, column,
        "the values of column `%s` are in [%s], but their variable is in [%s]",
        column->text, column->first->text, buffer_string(&unit));
    buffer_free(&unit);
}

/* Columns of a file that are wanted, each with its unit and its values. */
typedef struct Wanted {
    const Node *file;
    const Dimension *to;
    double **value;
    CsvWanted *w;
    uint32_t columns;
    bool times; // the first has times
} Wanted;

/* Row k, in that line. */
static bool take_row(Lowerer *l, const Wanted *o, uint32_t k, uint32_t line)
{
    const Node *column = o->file->first->first;
    for (uint32_t i = 0; i < o->columns; i++, column = column->next)
        if (!fit_value(column, o->to[i], o->w[i].text, &o->value[i][k])) {
            lower_refuse_column(l, column, o->to[i]);
            return false;
        }
    if (!o->times || k == 0 || o->value[0][k] >= o->value[0][k - 1])
        return true;
    LOWER_ERROR(l, o->file,
                "the time goes back: in line %u of \"%s\", %s comes after a "
                "later time",
                (unsigned)line, o->file->text, o->w[0].text);
    return false;
}

static bool read_columns(Lowerer *l, const Wanted *o, Csv *c, uint32_t *count)
{
    uint32_t line;
    bool room = o->w != NULL;
    for (uint32_t i = 0; i < o->columns; i++) {
        o->value[i] = MODEL_ARRAY(l->m, double, lower_count_lines(c));
        room = room && o->value[i];
    }
    if (!room || !lower_find_columns(l, c, o->file->first, o->w, o->columns))
        return false;
    for (;;) {
        if (!lower_next_row(l, o->file, c, o->w, o->columns, &line))
            return false;
        if (!line)
            break;
        if (!take_row(l, o, (*count)++, line))
            return false;
    }
    if (*count == 0)
        LOWER_ERROR(l, o->file, "\"%s\" has no line of numbers", o->file->text);
    return *count > 0;
}

static bool read_wanted(Lowerer *l, const Wanted *o, uint32_t *count)
{
    Buffer text = {0};
    Csv c;
    *count = 0;
    bool right =
        lower_read_data(l, o->file, o->times ? "data" : "values of this column",
                        &text) &&
        lower_open_csv(l, o->file, &text, &c) && read_columns(l, o, &c, count);
    buffer_free(&text);
    return right;
}

double *lower_column(Lowerer *l, const Node *from_file, Dimension to,
                     uint32_t *count)
{
    double *value = NULL;
    CsvWanted w;
    const Wanted o = {from_file, &to, &value, &w, 1, false};
    return read_wanted(l, &o, count) ? value : NULL;
}

bool lower_columns(Lowerer *l, const Node *from_file, const Dimension *to,
                   double **value, uint32_t columns, uint32_t *count)
{
    CsvWanted *w = MODEL_ARRAY(l->m, CsvWanted, columns);
    const Wanted o = {from_file, to, value, w, columns, true};
    return read_wanted(l, &o, count);
}

/* ---- Tables ----------------------------------------------------------------------------- */

void lower_table(Lowerer *l, const Node *n)
{
    Table t = {.name = n->text,
               .c_name = model_c_name(l->m, n->text),
               .kind = n->word == WORD_SPLINE ? TABLE_SPLINE
                       : n->word == WORD_STEP ? TABLE_STEP
                                              : TABLE_LINEAR,
               .line = lower_line(l, n->at, n->origin)};
    if (!n->symbol || meaning_of(l, n->symbol)->kind != MEANS_NOTHING)
        return;
    bool right = n->last->kind == NODE_FROM_FILE ? read_file(l, n->last, &t)
                                                 : read_points(l, n->last, &t);
    Meaning *meaning = meaning_of(l, n->symbol);
    meaning->kind = right ? MEANS_TABLE : MEANS_REFUSED;
    meaning->number = right ? model_add_table(l->m, &t) : NONE;
}
