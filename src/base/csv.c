#include "base/csv.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"

enum { SHOWN = 40 }; // characters of a cell in a message

/* ---- Cells --------------------------------------------------------------- */

typedef struct Cell {
    const char *text; // inside its blanks, or inside its quotes
    size_t length;
    bool last; // the last of its line
} Cell;

static Status cell_fault(const Csv *c, uint32_t line, const char *what,
                         Fault *f)
{
    return fault_set(f, STATUS_FILE, "line %u of \"%.200s\" %s", (unsigned)line,
                     c->name, what);
}

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

static bool is_line_end(const Csv *c)
{
    return c->at == c->end || *c->at == '\n' || *c->at == '\r';
}

static void skip_line_end(Csv *c)
{
    assert(is_line_end(c));
    if (c->at == c->end)
        return;
    if (*c->at == '\r' && c->end - c->at > 1 && c->at[1] == '\n')
        c->at++;
    c->at++;
    c->line++;
}

static bool is_separator(const Csv *c, char ch)
{
    return c->separator && ch == c->separator;
}

static void skip_blanks(Csv *c)
{
    while (c->at < c->end && is_blank(*c->at) && !is_separator(c, *c->at))
        c->at++;
}

/* Leaves the reader after the closing quote. */
static Status read_quoted(Csv *c, Cell *cell, Fault *f)
{
    uint32_t line = c->line;
    cell->text = ++c->at;
    for (; c->at < c->end; c->at++) {
        if (*c->at == '"' && !(c->end - c->at > 1 && c->at[1] == '"')) {
            cell->length = (size_t)(c->at++ - cell->text);
            skip_blanks(c);
            if (is_line_end(c) || is_separator(c, *c->at))
                return STATUS_OK;
            return cell_fault(c, line,
                              "has text after a closing quote: inside quotes a "
                              "quote is written twice",
                              f);
        }
        if (*c->at == '"')
            c->at++; // the first of two quotes
        else if (*c->at == '\n')
            c->line++;
    }
    return cell_fault(c, line, "opens a quote that is never closed", f);
}

static void read_plain(Csv *c, Cell *cell)
{
    cell->text = c->at;
    while (!is_line_end(c) && !is_separator(c, *c->at))
        c->at++;
    const char *end = c->at;
    while (end > cell->text && is_blank(end[-1]))
        end--;
    cell->length = (size_t)(end - cell->text);
}

/* Leaves the reader at the next cell, or, after the last one, at the next
   line. */
static Status next_cell(Csv *c, Cell *cell, Fault *f)
{
    skip_blanks(c);
    if (c->at < c->end && *c->at == '"')
        TRY(read_quoted(c, cell, f));
    else
        read_plain(c, cell);
    cell->last = is_line_end(c);
    if (cell->last)
        skip_line_end(c);
    else
        c->at++;
    return STATUS_OK;
}

/* False at the end of the file. */
static bool skip_empty_lines(Csv *c)
{
    while (c->at < c->end) {
        Csv ahead = *c;
        while (ahead.at < ahead.end && is_blank(*ahead.at))
            ahead.at++;
        if (!is_line_end(&ahead))
            return true;
        skip_line_end(&ahead);
        *c = ahead;
    }
    return false;
}

/* ---- How a file is written ------------------------------------------------ */

static Status check_bytes(Csv *c, Fault *f)
{
    size_t n = (size_t)(c->end - c->at);
    if (n >= 2 && (memcmp(c->at, "\xFF\xFE", 2) == 0 ||
                   memcmp(c->at, "\xFE\xFF", 2) == 0))
        return fault_set(
            f, STATUS_FILE,
            "\"%.200s\" is written in UTF-16: save it as UTF-8, or "
            "as plain text",
            c->name);
    if (n >= 3 && memcmp(c->at, "\xEF\xBB\xBF", 3) == 0)
        c->at += 3;
    const char *nul = memchr(c->at, '\0', (size_t)(c->end - c->at));
    if (!nul)
        return STATUS_OK;
    Csv before = *c;
    for (; before.at < nul; before.at++)
        before.line += *before.at == '\n';
    return cell_fault(c, before.line,
                      "holds a NUL byte: it is not a text, or it is damaged",
                      f);
}

/* Finds the separator from the characters outside quotes in the line of
   names. */
static char find_separator(const Csv *c)
{
    bool quoted = false;
    char found = '\0';
    for (const char *p = c->at;
         p < c->end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (*p == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (*p == ';' || (*p == '\t' && found != ';') || (*p == ',' && !found))
            found = *p;
    }
    return found;
}

static size_t skip_digits(const Cell *cell, size_t k)
{
    while (k < cell->length && cell->text[k] >= '0' && cell->text[k] <= '9')
        k++;
    return k;
}

/* True if a cell is a number in any common notation; *mark is its decimal mark,
   or NUL. */
static bool is_number(const Cell *cell, char *mark)
{
    const char *t = cell->text;
    size_t n = cell->length;
    size_t k = n > 0 && (t[0] == '+' || t[0] == '-');
    size_t whole = skip_digits(cell, k), digits = whole - k;
    *mark = '\0';
    k = whole;
    if (k < n && (t[k] == '.' || t[k] == ',')) {
        *mark = t[k++];
        whole = skip_digits(cell, k);
        digits += whole - k;
        k = whole;
    }
    if (digits == 0)
        return false;
    if (k < n && (t[k] == 'e' || t[k] == 'E')) {
        k++;
        k += k < n && (t[k] == '+' || t[k] == '-');
        whole = skip_digits(cell, k);
        if (whole == k)
            return false;
        k = whole;
    }
    return k == n;
}

/* The first number with a mark decides; a file without any uses points. */
static Status find_mark(Csv *c, Fault *f)
{
    Csv ahead = *c;
    c->mark = '.';
    while (skip_empty_lines(&ahead)) {
        Cell cell = {.last = false};
        while (!cell.last) {
            char mark;
            uint32_t line = ahead.line;
            TRY(next_cell(&ahead, &cell, f));
            if (!is_number(&cell, &mark) || !mark)
                continue;
            c->mark = mark;
            c->mark_line = line;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

Status csv_open(Csv *c, const char *name, const char *bytes, size_t length,
                Fault *f)
{
    Cell cell = {.last = false};
    *c = (Csv){.name = name, .at = bytes, .end = bytes + length, .line = 1};
    TRY(check_bytes(c, f));
    if (!skip_empty_lines(c))
        return fault_set(f, STATUS_FILE, "\"%.200s\" is empty", name);
    c->head = c->at;
    c->head_line = c->line;
    c->separator = find_separator(c);
    for (; !cell.last; c->columns++)
        TRY(next_cell(c, &cell, f));
    assert(c->columns >= 1);
    return find_mark(c, f);
}

bool csv_describe(const Csv *c, char *text, size_t size)
{
    const char *separator = c->separator == ';'    ? "semicolons"
                            : c->separator == '\t' ? "tabs"
                                                   : NULL;
    bool comma = c->mark == ',';
    snprintf(text, size, "\"%.200s\" is read with %s%s%s%s", c->name,
             separator ? separator : "",
             separator ? " between its columns" : "",
             separator && comma ? " and " : "", comma ? "decimal commas" : "");
    return separator || comma;
}

/* ---- Columns -------------------------------------------------------------- */

static const char *skip_blank(const char *name)
{
    while (is_blank(*name))
        name++;
    return name;
}

/* Compares names by what stands before a bracket, and without their blanks. */
static bool is_name(const Cell *cell, const char *name)
{
    size_t k = 0;
    name = skip_blank(name);
    for (; k < cell->length && !strchr("[(", cell->text[k]); k++) {
        if (is_blank(cell->text[k]))
            continue;
        if (!*name || strncasecmp(&cell->text[k], name, 1) != 0)
            return false;
        name = skip_blank(name + 1);
    }
    return !*name;
}

Status csv_find(const Csv *c, CsvWanted *w, Fault *f)
{
    Csv head = *c;
    Cell cell = {.last = false};
    uint32_t found = 0;
    head.at = c->head;
    head.line = c->head_line;
    for (uint32_t k = 0; !cell.last; k++) {
        TRY(next_cell(&head, &cell, f));
        if (is_name(&cell, w->name) && found++ == 0)
            w->column = k;
    }
    if (found == 1)
        return STATUS_OK;
    if (found == 0)
        return fault_set(f, STATUS_FILE,
                         "the first line of \"%.200s\" names no column `%s`",
                         c->name, w->name);
    return fault_set(f, STATUS_FILE,
                     "the first line of \"%.200s\" names %u columns `%s`: give "
                     "them different names",
                     c->name, (unsigned)found, w->name);
}

/* True if an index, made of digits, follows its name immediately. */
static bool is_index(const char *text, const char *open, const char *close)
{
    if (open == text || is_blank(open[-1]))
        return false;
    for (const char *p = open + 1; p < close; p++)
        if (!strchr("0123456789,- ", *p))
            return false;
    return true;
}

bool csv_unit(const Csv *c, const CsvWanted *w, char *unit, size_t size)
{
    Csv head = *c;
    Cell cell = {.last = false};
    Fault unused = {0};
    head.at = c->head;
    head.line = c->head_line;
    for (uint32_t k = 0; k <= w->column && !cell.last; k++)
        if (next_cell(&head, &cell, &unused) != STATUS_OK)
            return false;
    if (cell.length == 0 || cell.text[cell.length - 1] != ']')
        return false;
    const char *close = cell.text + cell.length - 1, *open = close;
    while (open > cell.text && *open != '[')
        open--;
    size_t n = (size_t)(close - open) - 1;
    if (*open != '[' || n == 0 || n >= size || is_index(cell.text, open, close))
        return false;
    memcpy(unit, open + 1, n);
    unit[n] = '\0';
    return true;
}

/* ---- Rows ----------------------------------------------------------------- */

static Status number_fault(const Csv *c, const CsvWanted *w, const Cell *cell,
                           uint32_t line, const char *why, Fault *f)
{
    int n = cell->length > SHOWN ? SHOWN : (int)cell->length;
    return fault_set(f, STATUS_FILE,
                     "line %u of \"%.200s\", column %.60s: `%.*s%s` %s",
                     (unsigned)line, c->name, w->name, n, cell->text,
                     cell->length > SHOWN ? "..." : "", why);
}

static Status wrong_mark(const Csv *c, const CsvWanted *w, const Cell *cell,
                         uint32_t line, Fault *f)
{
    char why[160];
    snprintf(why, sizeof why,
             "has a decimal %s, but the file uses decimal %ss from line %u on",
             c->mark == ',' ? "point" : "comma",
             c->mark == ',' ? "comma" : "point", (unsigned)c->mark_line);
    return number_fault(c, w, cell, line, why, f);
}

static Status take_number(const Csv *c, CsvWanted *w, const Cell *cell,
                          uint32_t line, Fault *f)
{
    char mark = '\0';
    bool plus = cell->length > 0 && cell->text[0] == '+';
    if (cell->length == 0)
        return fault_set(f, STATUS_FILE,
                         "line %u of \"%.200s\" has nothing in column %.60s, "
                         "where a number is expected",
                         (unsigned)line, c->name, w->name);
    if (!is_number(cell, &mark))
        return number_fault(c, w, cell, line, "is not a number", f);
    if (mark && mark != c->mark)
        return wrong_mark(c, w, cell, line, f);
    if (cell->length - plus >= CSV_NUMBER)
        return number_fault(c, w, cell, line, "has too many digits", f);
    memcpy(w->text, cell->text + plus, cell->length - plus);
    w->text[cell->length - plus] = '\0';
    if (mark == ',')
        *strchr(w->text, ',') = '.';
    if (!isfinite(strtod(w->text, NULL)))
        return number_fault(c, w, cell, line, "is too large", f);
    return STATUS_OK;
}

/* A text that is too long ends early: nobody compares it with one as long. */
static void take_text(CsvWanted *w, const Cell *cell)
{
    size_t n =
        cell->length < CSV_NUMBER - 1 ? cell->length : (size_t)CSV_NUMBER - 1;
    memcpy(w->text, cell->text, n);
    w->text[n] = '\0';
}

static Status take_cell(const Csv *c, CsvWanted *w, const Cell *cell,
                        uint32_t line, Fault *f)
{
    char unused;
    if (w->kind == CSV_IS_TEXT || (w->kind == CSV_OR_EMPTY && !cell->length)) {
        take_text(w, cell);
        return STATUS_OK;
    }
    if (w->kind == CSV_OR_EMPTY && !is_number(cell, &unused))
        return number_fault(c, w, cell, line,
                            "is not a number: leave a cell empty where there "
                            "is none",
                            f);
    return take_number(c, w, cell, line, f);
}

/* Cells at the end may be missing if their columns have no names, and extra
   cells are allowed if they are empty: spreadsheets write both. */
static Status check_count(const Csv *c, uint32_t count, uint32_t line, Fault *f)
{
    char what[240];
    if (count == c->columns)
        return STATUS_OK;
    snprintf(what, sizeof what,
             "has %u cell%s, but the first line names %u column%s%s",
             (unsigned)count, count == 1 ? "" : "s", (unsigned)c->columns,
             c->columns == 1 ? "" : "s",
             c->separator == ',' && count > c->columns
                 ? ": numbers with decimal commas need another separator "
                   "between the columns, such as ;"
                 : "");
    return cell_fault(c, line, what, f);
}

/* Counts the columns up to the last one that has a name. */
static Status named_columns(const Csv *c, uint32_t *named, Fault *f)
{
    Csv head = *c;
    Cell cell = {.last = false};
    head.at = c->head;
    for (uint32_t k = 1; !cell.last; k++) {
        TRY(next_cell(&head, &cell, f));
        if (cell.length)
            *named = k;
    }
    return STATUS_OK;
}

Status csv_row(Csv *c, CsvWanted *w, uint32_t wanted, uint32_t *line, Fault *f)
{
    Cell cell = {.last = false};
    uint32_t count = 0, full = 0, named = c->columns, found = 0;
    *line = 0;
    if (!skip_empty_lines(c))
        return STATUS_OK;
    *line = c->line;
    while (!cell.last) {
        uint32_t here = c->line;
        TRY(next_cell(c, &cell, f));
        for (uint32_t k = 0; k < wanted; k++)
            if (w[k].column == count) {
                TRY(take_cell(c, &w[k], &cell, here, f));
                found++;
            }
        count++;
        if (cell.length)
            full = count;
    }
    if (full > c->columns)
        return check_count(c, full, *line, f);
    if (count < c->columns)
        TRY(named_columns(c, &named, f));
    if (count < named)
        return check_count(c, count, *line, f);
    assert(found == wanted);
    return STATUS_OK;
}
