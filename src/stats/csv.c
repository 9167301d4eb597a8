#include "stats/csv.h"

#include <stdlib.h>
#include <string.h>

#include "cosy/model.h"
#include "stats/number.h"

Status csv_broken(const Csv *c, const char *what)
{
    return fault_set(c->fault, STATUS_FILE,
                     "line %u of %s %s: it is not as cosy run has written it",
                     c->line, c->name, what);
}

/* Cuts the next cell off, out of its quotes; *last: the line ends after it. */
static char *next_cell(Csv *c, bool *last)
{
    char *from = c->at, *to = from, *cell = from;
    bool quoted = from < c->end && *from == '"';
    from += quoted;
    while (from < c->end &&
           (quoted || (*from != ',' && *from != '\n' && *from != '\r'))) {
        if (quoted && *from == '"' && !(c->end - from > 1 && from[1] == '"')) {
            quoted = false;
            from++;
            continue;
        }
        from += quoted && *from == '"';
        *to++ = *from++;
    }
    if (from < c->end && *from == '\r')
        from++;
    *last = from >= c->end || *from == '\n';
    c->at = from < c->end ? from + 1 : from;
    *to = '\0';
    return cell;
}

static Status read_head(Csv *c, const char *first)
{
    uint32_t room = 1;
    bool last = false;
    for (const char *p = c->at; p < c->end && *p != '\n'; p++)
        room += *p == ',';
    c->head = NEW_ARRAY(&c->arena, char *, room);
    c->cell = NEW_ARRAY(&c->arena, char *, room);
    if (!c->head || !c->cell)
        return fault_set(c->fault, STATUS_MEMORY, "no memory for %s", c->name);
    while (!last && c->columns < room)
        c->head[c->columns++] = next_cell(c, &last);
    c->line++;
    if (strncmp(c->head[0], first, strlen(first)) == 0)
        return STATUS_OK;
    return fault_set(c->fault, STATUS_FILE,
                     "line 1 of %s does not begin with %s: it is not as cosy "
                     "run has written it",
                     c->name, first);
}

Status csv_open(Csv *c, char *text, size_t n, const char *name,
                const char *first, Fault *f)
{
    *c = (Csv){.name = name, .at = text, .end = text + n, .fault = f};
    return read_head(c, first);
}

uint32_t csv_find(const Csv *c, const char *name, uint32_t guess)
{
    for (uint32_t k = 0; k < c->columns; k++) {
        uint32_t i = (guess + k) % c->columns;
        if (strcmp(c->head[i], name) == 0)
            return i;
    }
    return COSY_NONE;
}

bool csv_next(const Csv *c)
{
    return c->at < c->end;
}

Status csv_line(Csv *c)
{
    uint32_t n = 0;
    bool last = false;
    c->line++;
    while (!last) {
        char *one = next_cell(c, &last);
        if (n < c->columns)
            c->cell[n] = one;
        n++;
    }
    return n == c->columns
               ? STATUS_OK
               : csv_broken(c, "does not have as many cells as its first line");
}

Status csv_number(const Csv *c, uint32_t column, real *value)
{
    const char *text = c->cell[column];
    if (number_read(text, value))
        return STATUS_OK;
    if (strcmp(text, "nan") == 0 || strcmp(text, "-nan") == 0)
        *value = COSY_NAN;
    else if (strcmp(text, "inf") == 0)
        *value = COSY_INFINITY;
    else if (strcmp(text, "-inf") == 0)
        *value = -COSY_INFINITY;
    else
        return csv_broken(c, "has a cell that is not a number");
    return STATUS_OK;
}

Status csv_count(const Csv *c, uint32_t column, uint64_t *value)
{
    const char *text = c->cell[column];
    size_t digits = strspn(text, "0123456789");
    *value = strtoull(text, NULL, 10);
    return digits > 0 && digits < 19 && text[digits] == '\0'
               ? STATUS_OK
               : csv_broken(c, "has a cell that is not a whole number");
}

void csv_close(Csv *c)
{
    arena_free(&c->arena);
}
