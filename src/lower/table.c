#include "lower/lowerer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FUNCTABLE: points with their literals as text, from the program or from a file
   of comma-separated values beside it. */

#define CELL_MOST 400 // characters of a number in a file

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
    return model_format(l->m, "%s%s", minus ? "-" : "",
                        real_text(l, decimal_literal(l, n)));
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

typedef struct Csv {
    Lowerer *l;
    const Node *n; // FROM_FILE
    const char *path, *at, *end;
    uint32_t line;
} Csv;

/* The file lies beside the program. */
static const char *beside(Lowerer *l, const char *name)
{
    const char *program = l->unit->name ? l->unit->name : "";
    const char *slash = strrchr(program, '/');
    if (name[0] == '/' || !slash)
        return name;
    return model_format(l->m, "%.*s/%s", (int)(slash - program), program, name);
}

/* The next cell of the line into text; false at the end of the line. */
static bool next_cell(Csv *c, char *text, size_t room)
{
    size_t n = 0;
    bool quoted = false;
    if (c->at >= c->end || *c->at == '\n' || *c->at == '\r')
        return false;
    for (; c->at < c->end; c->at++) {
        char ch = *c->at;
        if (ch == '"') {
            quoted = !quoted;
            continue;
        }
        if (!quoted && (ch == ',' || ch == ';' || ch == '\n' || ch == '\r'))
            break;
        if ((ch == ' ' || ch == '\t') && !quoted)
            continue;
        if (n + 1 < room)
            text[n++] = ch;
    }
    if (c->at < c->end && (*c->at == ',' || *c->at == ';'))
        c->at++;
    text[n] = '\0';
    return true;
}

static void end_line(Csv *c)
{
    while (c->at < c->end && *c->at != '\n')
        c->at++;
    if (c->at < c->end)
        c->at++;
    c->line++;
}

/* "T [s]": the name ends before a bracket. */
static void cut_unit(char *name)
{
    char *bracket = strpbrk(name, "[(");
    if (bracket)
        *bracket = '\0';
}

static bool find_columns(Csv *c, const Node *names, uint32_t *column)
{
    char text[CELL_MOST];
    uint32_t k = 0;
    column[0] = column[1] = NONE;
    for (; next_cell(c, text, sizeof text); k++) {
        cut_unit(text);
        if (name_same(text, names->first->text))
            column[0] = k;
        if (name_same(text, names->last->text))
            column[1] = k;
    }
    end_line(c);
    for (int j = 0; j < 2; j++) {
        const Node *name = j == 0 ? names->first : names->last;
        if (column[j] == NONE) {
            LOWER_ERROR(c->l, name,
                        "the first line of \"%s\" names no column `%s`",
                        c->n->text, name->text);
            return false;
        }
    }
    return true;
}

static bool is_number(const char *text)
{
    char *end;
    double v = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(v) &&
           text[strcspn(text, "xXnN")] == '\0';
}

/* One line of numbers; false at the end of the file or after a message. */
static bool read_line(Csv *c, const uint32_t *column, const char **xy)
{
    char text[CELL_MOST];
    uint32_t k = 0, found = 0;
    for (; next_cell(c, text, sizeof text); k++)
        for (int j = 0; j < 2; j++) {
            if (k != column[j])
                continue;
            if (!is_number(text)) {
                LOWER_ERROR(c->l, c->n,
                            "line %u of \"%s\" has `%s` where a number is "
                            "expected",
                            (unsigned)c->line, c->n->text, text);
                return false;
            }
            xy[j] = real_text(c->l, text[0] == '+' ? text + 1 : text);
            found++;
        }
    if (found < 2 && k > 0) {
        LOWER_ERROR(c->l, c->n, "line %u of \"%s\" is too short",
                    (unsigned)c->line, c->n->text);
        return false;
    }
    end_line(c);
    if (k == 0) // an empty line
        xy[0] = NULL;
    return true;
}

static uint32_t count_lines(const Csv *c)
{
    uint32_t n = 1;
    for (const char *p = c->at; p < c->end; p++)
        n += *p == '\n';
    return n;
}

static bool in_order(Csv *c, const char *before, const char *x, uint32_t line)
{
    if (!before || strtod(x, NULL) > strtod(before, NULL))
        return true;
    LOWER_ERROR(c->l, c->n,
                "the points of a table stand in order: in line %u of \"%s\", "
                "%s does not come behind %s",
                (unsigned)line, c->n->text, x, before);
    return false;
}

static bool read_lines(Csv *c, const Node *names, Table *t)
{
    Model *m = c->l->m;
    uint32_t column[2], room, n = 0;
    if (!find_columns(c, names, column))
        return false;
    room = count_lines(c);
    const char **x = MODEL_ARRAY(m, const char *, room);
    const char **y = MODEL_ARRAY(m, const char *, room);
    while (x && y && c->at < c->end) {
        const char *xy[2] = {NULL, NULL};
        uint32_t line = c->line;
        if (!read_line(c, column, xy))
            return false;
        if (!xy[0])
            continue;
        if (!in_order(c, n ? x[n - 1] : NULL, xy[0], line))
            return false;
        x[n] = xy[0];
        y[n++] = xy[1];
    }
    t->points = n;
    t->x = x;
    t->y = y;
    if (n < 2)
        LOWER_ERROR(c->l, c->n,
                    "a table has at least two points, and \"%s\" "
                    "has %u",
                    c->n->text, (unsigned)n);
    return n >= 2;
}

static bool read_file(Lowerer *l, const Node *n, Table *t)
{
    Buffer text = {0};
    Fault fault = {0};
    const char *path = beside(l, n->text);
    bool right = false;
    if (file_read(path, &text, &fault) != STATUS_OK) {
        LOWER_ERROR(l, n, "the points of this table cannot be read: %s",
                    fault.text);
    } else {
        const char *bytes = buffer_string(&text);
        Csv c = {l, n, path, bytes, bytes + strlen(bytes), 1};
        right = read_lines(&c, n->first, t);
    }
    buffer_free(&text);
    return right;
}

/* ---- One column ------------------------------------------------------------------------- */

static double *read_column(Csv *c, const Node *names, uint32_t *count)
{
    uint32_t column[2];
    if (!find_columns(c, names, column))
        return NULL;
    double *value = MODEL_ARRAY(c->l->m, double, count_lines(c));
    while (value && c->at < c->end) {
        const char *xy[2] = {NULL, NULL};
        if (!read_line(c, column, xy))
            return NULL;
        if (xy[0])
            value[(*count)++] = strtod(xy[0], NULL);
    }
    if (*count == 0)
        LOWER_ERROR(c->l, c->n, "\"%s\" has no line of numbers", c->n->text);
    return value;
}

double *lower_column(Lowerer *l, const Node *from_file, uint32_t *count)
{
    Buffer text = {0};
    Fault fault = {0};
    const char *path = beside(l, from_file->text);
    double *value = NULL;
    *count = 0;
    if (file_read(path, &text, &fault) != STATUS_OK) {
        LOWER_ERROR(l, from_file,
                    "the values of this column cannot be read: %s", fault.text);
    } else {
        const char *bytes = buffer_string(&text);
        Csv c = {l, from_file, path, bytes, bytes + strlen(bytes), 1};
        value = read_column(&c, from_file->first, count);
    }
    buffer_free(&text);
    return value;
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
