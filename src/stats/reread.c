#include "stats/reread.h"

#include <string.h>

#include "stats/number.h"
#include "stats/record.h"
#include "stats/value.h"

typedef struct Reader {
    const CosyModel *m;
    const char *name;
    char *at, *end;
    uint32_t line;
    Arena arena;
    char **head; // names of the columns
    uint32_t columns;
    uint32_t *from; // column of the file for each of a row
    uint32_t width;
    Fault *fault;
} Reader;

static Status broken(const Reader *r, const char *what)
{
    return fault_set(r->fault, STATUS_FILE,
                     "line %u of %s %s: it is not as cosy run has written it",
                     r->line, r->name, what);
}

/* Cuts the next field off, out of its quotes; *last: the line ends after it. */
static char *next_field(Reader *r, bool *last)
{
    char *from = r->at, *to = from, *field = from;
    bool quoted = from < r->end && *from == '"';
    from += quoted;
    while (from < r->end &&
           (quoted || (*from != ',' && *from != '\n' && *from != '\r'))) {
        if (quoted && *from == '"' && !(r->end - from > 1 && from[1] == '"')) {
            quoted = false;
            from++;
            continue;
        }
        from += quoted && *from == '"';
        *to++ = *from++;
    }
    if (from < r->end && *from == '\r')
        from++;
    *last = from >= r->end || *from == '\n';
    r->at = from < r->end ? from + 1 : from;
    *to = '\0';
    return field;
}

/* ---- The header ------------------------------------------------------------------ */

static Status read_head(Reader *r)
{
    uint32_t room = 1;
    bool last = false;
    for (const char *p = r->at; p < r->end && *p != '\n'; p++)
        room += *p == ',';
    r->head = NEW_ARRAY(&r->arena, char *, room);
    if (!r->head)
        return STATUS_MEMORY;
    while (!last && r->columns < room)
        r->head[r->columns++] = next_field(r, &last);
    r->line++;
    return strncmp(r->head[0], "TIME", 4) == 0
               ? STATUS_OK
               : broken(r, "does not begin with TIME");
}

/* The columns of a model are mostly those of the file, in their order. */
static uint32_t find_head(const Reader *r, const char *name, uint32_t guess)
{
    for (uint32_t k = 0; k < r->columns; k++) {
        uint32_t i = (guess + k) % r->columns;
        if (strcmp(r->head[i], name) == 0)
            return i;
    }
    return COSY_NONE;
}

static Status find_columns(Reader *r, bool cross, Buffer *missing)
{
    const CosyModel *m = r->m;
    uint32_t at = 1;
    r->width = record_width(m, cross);
    r->from = NEW_ARRAY(&r->arena, uint32_t, r->width);
    if (!r->from)
        return STATUS_MEMORY;
    uint32_t entries = cross && m->n_crossed ? m->n_crossed : m->n_stored;
    for (uint32_t k = 0; k < entries; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        uint32_t n = value_is_global(v) ? value_count(v) : 0;
        for (uint32_t e = 0; e < n; e++, at++) {
            Buffer name = {0};
            value_name(&name, v, e);
            value_put_unit(&name, v->unit);
            r->from[at] = find_head(r, buffer_string(&name), at);
            if (r->from[at] == COSY_NONE)
                buffer_format(missing, "%s%s", missing->v.used ? ", " : "",
                              buffer_string(&name));
            buffer_free(&name);
        }
    }
    return STATUS_OK;
}

/* ---- Rows ------------------------------------------------------------------------ */

static bool read_value(const char *text, real *v)
{
    if (number_read(text, v))
        return true;
    if (strcmp(text, "nan") == 0 || strcmp(text, "-nan") == 0)
        *v = COSY_NAN;
    else if (strcmp(text, "inf") == 0)
        *v = COSY_INFINITY;
    else if (strcmp(text, "-inf") == 0)
        *v = -COSY_INFINITY;
    else
        return false;
    return true;
}

static Status read_row(Reader *r, char **field, Vector *rows)
{
    uint32_t n = 0;
    bool last = false;
    r->line++;
    while (!last) {
        char *one = next_field(r, &last);
        if (n < r->columns)
            field[n] = one;
        n++;
    }
    if (n != r->columns)
        return broken(r, "does not have as many cells as its first line");
    if (!vector_append(rows, NULL, r->width * sizeof(real)))
        return STATUS_MEMORY;
    real *row = (real *)(void *)(rows->bytes + rows->used) - r->width;
    for (uint32_t k = 0; k < r->width; k++)
        if (!read_value(field[r->from[k]], &row[k]))
            return broken(r, "has a cell that is not a number");
    return STATUS_OK;
}

static Status read_all(Reader *r, bool cross, Vector *rows, Buffer *missing)
{
    TRY(read_head(r));
    TRY(find_columns(r, cross, missing));
    char **field = NEW_ARRAY(&r->arena, char *, r->columns);
    if (!field)
        return STATUS_MEMORY;
    while (missing->v.used == 0 && r->at < r->end)
        TRY(read_row(r, field, rows));
    return STATUS_OK;
}

Status reread_rows(Vector *rows, const CosyModel *m, bool cross, char *text,
                   size_t n, const char *name, Buffer *missing, Fault *f)
{
    Reader r = {.m = m, .name = name, .at = text, .end = text + n, .fault = f};
    Status s = read_all(&r, cross, rows, missing);
    if (s == STATUS_MEMORY)
        fault_set(f, s, "no memory for the rows of %s", name);
    arena_free(&r.arena);
    return s;
}
