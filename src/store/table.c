#include "store/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum {
    CHUNK = 1 << 20, // bytes read at once
    CELLS = 1 << 20, // of a block
    ROWS_MOST = 1 << 16,
    ROWS_LEAST = 16
};

static Status memory_fault(const Table *t, Fault *f)
{
    return fault_set(f, STATUS_MEMORY, "%s: no memory to read it", t->name);
}

/* ---- Names ---------------------------------------------------------------- */

/* The end of a cell: a comma or a line feed outside quotation marks, or the end
   of the text. */
static const char *cell_end(const char *at, const char *end)
{
    bool quoted = false;
    for (; at < end; at++)
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && (*at == ',' || *at == '\n'))
            break;
    return at;
}

/* Without its quotation marks. */
static const char *plain_cell(Arena *a, const char *at, const char *end)
{
    char *text = arena_text(a, at, (size_t)(end - at));
    size_t n = 0;
    if (!text || text[0] != '"')
        return text;
    for (const char *s = text + 1; *s; s++) {
        if (*s == '"' && s[1] != '"')
            break;
        s += *s == '"';
        text[n++] = *s;
    }
    text[n] = '\0';
    return text;
}

static uint32_t count_cells(const char *at, const char *end)
{
    uint32_t n = 1;
    while ((at = cell_end(at, end)) < end) {
        at++;
        n++;
    }
    return n;
}

Status table_begin(Table *t, const char *name, const char *head, size_t length,
                   Fault *f)
{
    *t = (Table){.name = name};
    t->columns = count_cells(head, head + length);
    t->most = CELLS / t->columns;
    t->most = t->most > ROWS_MOST ? ROWS_MOST : t->most;
    t->most = t->most < ROWS_LEAST ? ROWS_LEAST : t->most;
    t->head = arena_text(&t->arena, head, length);
    t->column = NEW_ARRAY(&t->arena, TableColumn, t->columns);
    if (!t->head || !t->column) {
        table_close(t);
        return memory_fault(t, f);
    }
    const char *at = t->head, *end = t->head + length;
    for (uint32_t k = 0; k < t->columns; k++) {
        const char *stop = cell_end(at, end);
        t->column[k].name = plain_cell(&t->arena, at, stop);
        if (!t->column[k].name) {
            table_close(t);
            return memory_fault(t, f);
        }
        at = stop + (stop < end);
    }
    return STATUS_OK;
}

/* True if the brackets hold an index: digits after a name without a blank. */
static bool is_index(const char *name, const char *open, const char *close)
{
    return open == name ||
           (open[-1] != ' ' &&
            open + 1 + strspn(open + 1, "0123456789,- ") == close);
}

void table_split_name(const char *name, char *plain, char *unit)
{
    size_t n = strlen(name);
    const char *open = n > 0 && name[n - 1] == ']' ? strrchr(name, '[') : NULL;
    strcpy(plain, name);
    unit[0] = '\0';
    if (!open || is_index(name, open, name + n - 1))
        return;
    memcpy(unit, open + 1, (size_t)(name + n - 1 - open) - 1);
    unit[name + n - 1 - open - 1] = '\0';
    size_t length = (size_t)(open - name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    plain[length] = '\0';
}

/* ---- Reading -------------------------------------------------------------- */

/* Makes sure that a whole line is there, if the file has one. *end is the
   position of its line feed; false: there is no further line. */
static bool find_line(Table *t, size_t *end, Status *s, Fault *f)
{
    size_t from = t->at;
    for (;;) {
        bool quoted = false;
        const char *text = (const char *)t->text.bytes;
        for (size_t k = from; k < t->text.used; k++) {
            quoted ^= text[k] == '"';
            if (text[k] == '\n' && !quoted) {
                *end = k;
                return true;
            }
        }
        if (t->at > 0) { // gives back the lines that are done
            memmove(t->text.bytes, t->text.bytes + t->at, t->text.used - t->at);
            t->text.used -= t->at;
            t->at = from = 0;
        }
        size_t before = t->text.used;
        if (!vector_append(&t->text, NULL, CHUNK)) {
            *s = memory_fault(t, f);
            return false;
        }
        size_t n = fread(t->text.bytes + before, 1, CHUNK, t->file);
        t->text.used = before + n;
        if (n == 0 && ferror(t->file))
            *s = fault_set(f, STATUS_FILE, "%s: cannot be read: %s", t->name,
                           strerror(errno));
        else if (n == 0 && before > 0)
            *s = fault_set(f, STATUS_FILE,
                           "%s ends in the middle of line %zu: it was cut off "
                           "when it was written or copied; run the model again",
                           t->name, t->line + 1);
        if (n == 0)
            return false;
    }
}

Status table_open(Table *t, const char *path, const char *name, Fault *f)
{
    Table file = {.name = name, .file = fopen(path, "rb")};
    Status s = STATUS_OK;
    size_t end = 0;
    *t = (Table){.name = name};
    if (!file.file)
        return fault_set(f, STATUS_FILE, "%s: cannot be opened: %s", path,
                         strerror(errno));
    if (find_line(&file, &end, &s, f))
        s = table_begin(t, name, (const char *)file.text.bytes, end, f);
    else if (s == STATUS_OK)
        s = fault_set(f, STATUS_FILE,
                      "%s is empty: it was cut off when it was written or "
                      "copied; run the model again",
                      name);
    if (s != STATUS_OK) {
        table_close(&file);
        return s;
    }
    t->file = file.file;
    t->text = file.text;
    t->at = end + 1;
    t->line = 1;
    return STATUS_OK;
}

/* The double that COSY writes as this text; false: there is none. The cell is
   followed by a comma or a line feed, which ends the number. */
static bool read_number(const char *cell, size_t n, double *value)
{
    char text[DECIMAL_LENGTH], *end;
    *value = NAN;
    if (n == 0 || n >= DECIMAL_LENGTH || !strchr("-0123456789in", cell[0]))
        return false;
    *value = strtod(cell, &end);
    if (end != cell + n) {
        *value = NAN;
        return false;
    }
    return decimal_print(text, *value) == n && memcmp(text, cell, n) == 0;
}

static bool take_cell(TableColumn *c, const char *cell, size_t n)
{
    double value;
    c->exact = read_number(cell, n, &value) && c->exact;
    buffer_bytes(&c->cells, cell, n);
    buffer_char(&c->cells, '\0');
    return vector_append(&c->value, &value, sizeof value) && !c->cells.broken;
}

static Status take_line(Table *t, const char *at, const char *end, Fault *f)
{
    uint32_t k = 0;
    bool more = !memchr(at, '\0', (size_t)(end - at));
    for (; more && k < t->columns; k++) {
        const char *stop = cell_end(at, end);
        if (!take_cell(&t->column[k], at, (size_t)(stop - at)))
            return memory_fault(t, f);
        more = stop < end;
        at = stop + more;
    }
    if (k == t->columns && !more)
        return STATUS_OK;
    return fault_set(f, STATUS_FILE,
                     "line %zu of %s has not as many cells as its first line, "
                     "%u: cosy run did not write it so",
                     t->line, t->name, t->columns);
}

void table_clear(Table *t)
{
    t->begin += t->rows;
    t->rows = 0;
    for (uint32_t k = 0; k < t->columns; k++) {
        t->column[k].value.used = 0;
        t->column[k].cells.v.used = 0;
        t->column[k].exact = true;
    }
}

Status table_next(Table *t, Fault *f)
{
    Status s = STATUS_OK;
    size_t end;
    table_clear(t);
    while (t->rows < t->most && find_line(t, &end, &s, f)) {
        const char *text = (const char *)t->text.bytes;
        t->line++;
        TRY(take_line(t, text + t->at, text + end, f));
        t->at = end + 1;
        t->rows++;
    }
    for (uint32_t k = 0; k < t->columns; k++)
        if (t->column[k].exact)
            t->column[k].cells.v.used = 0;
    return s;
}

void table_close(Table *t)
{
    for (uint32_t k = 0; t->column && k < t->columns; k++) {
        vector_free(&t->column[k].value);
        buffer_free(&t->column[k].cells);
    }
    if (t->file)
        fclose(t->file);
    vector_free(&t->text);
    arena_free(&t->arena);
    t->column = NULL;
    t->columns = 0;
    t->file = NULL;
}

/* ---- Writing -------------------------------------------------------------- */

void table_print(Buffer *b, const Table *t)
{
    size_t *at = NULL, none = 0;
    Vector positions = {0};
    bool room = vector_append(&positions, NULL, t->columns * sizeof *at);
    at = room ? (size_t *)(void *)positions.bytes : &none;
    b->broken = b->broken || !room;
    for (uint32_t row = 0; row < t->rows && !b->broken; row++)
        for (uint32_t k = 0; k < t->columns; k++) {
            const TableColumn *c = &t->column[k];
            char text[DECIMAL_LENGTH];
            if (k > 0)
                buffer_char(b, ',');
            if (c->exact) {
                size_t n = decimal_print(text, table_values(t, k)[row]);
                buffer_bytes(b, text, n);
            } else {
                const char *cell = (const char *)c->cells.v.bytes + at[k];
                size_t n = strlen(cell);
                buffer_bytes(b, cell, n);
                at[k] += n + 1;
            }
            if (k + 1 == t->columns)
                buffer_char(b, '\n');
        }
    vector_free(&positions);
}
