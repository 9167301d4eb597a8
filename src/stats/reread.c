#include "stats/reread.h"

#include <string.h>

#include "stats/csv.h"
#include "stats/record.h"
#include "stats/value.h"

/* ---- Names ----------------------------------------------------------------------- */

bool reread_variable(const CosyModel *m, const char *name, RunSetting *found)
{
    size_t n = strcspn(name, "[");
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (strncmp(v->name, name, n) != 0)
            continue;
        *found = (RunSetting){.variable = k, .index = COSY_NONE};
        if (strcmp(v->name, name) == 0)
            return true;
        for (uint32_t i = 0; name[n] && !v->name[n] && i < value_count(v);
             i++) {
            Buffer b = {0};
            value_name(&b, v, i);
            found->index = i;
            bool same = strcmp(buffer_string(&b), name) == 0;
            buffer_free(&b);
            if (same)
                return true;
        }
    }
    return false;
}

/* ---- Rows ------------------------------------------------------------------------ */

typedef struct Reader {
    Csv csv;
    const CosyModel *m;
    uint32_t *from; // column of the file for each of a row; COSY_NONE: none
    uint32_t width;
} Reader;

/* The columns of one variable, from `at` on. */
static void find_column(Reader *r, uint32_t stored, uint32_t at, bool spare,
                        Buffer *missing)
{
    const CosyVariable *v = &r->m->variables[r->m->stored[stored]];
    for (uint32_t e = 0; e < value_count(v); e++, at++) {
        Buffer name = {0};
        value_name(&name, v, e);
        value_put_unit(&name, v->unit);
        r->from[at] = csv_find(&r->csv, buffer_string(&name), at);
        if (r->from[at] == COSY_NONE && !spare)
            buffer_format(missing, "%s%s", missing->v.used ? ", " : "",
                          buffer_string(&name));
        buffer_free(&name);
    }
}

static Status find_columns(Reader *r, bool cross, const bool *spare,
                           Buffer *missing)
{
    const CosyModel *m = r->m;
    uint32_t at = 1;
    r->width = record_width(m, cross);
    r->from = NEW_ARRAY(&r->csv.arena, uint32_t, r->width);
    if (!r->from)
        return STATUS_MEMORY;
    uint32_t entries = cross && m->n_crossed ? m->n_crossed : m->n_stored;
    for (uint32_t k = 0; k < entries; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        if (!value_is_global(v))
            continue;
        find_column(r, k, at, spare && spare[k], missing);
        at += value_count(v);
    }
    return STATUS_OK;
}

static Status read_row(Reader *r, Vector *rows)
{
    TRY(csv_line(&r->csv));
    if (!vector_append(rows, NULL, r->width * sizeof(real)))
        return STATUS_MEMORY;
    real *row = (real *)(void *)(rows->bytes + rows->used) - r->width;
    for (uint32_t k = 0; k < r->width; k++)
        if (r->from[k] == COSY_NONE)
            row[k] = COSY_NAN;
        else
            TRY(csv_number(&r->csv, r->from[k], &row[k]));
    return STATUS_OK;
}

static Status read_all(Reader *r, bool cross, const bool *spare, Vector *rows,
                       Buffer *missing)
{
    TRY(find_columns(r, cross, spare, missing));
    while (missing->v.used == 0 && csv_next(&r->csv))
        TRY(read_row(r, rows));
    return STATUS_OK;
}

Status reread_rows(Vector *rows, const CosyModel *m, bool cross,
                   const bool *spare, char *text, size_t n, const char *name,
                   Buffer *missing, Fault *f)
{
    Reader r = {.m = m};
    Status s = csv_open(&r.csv, text, n, name, "TIME", f);
    if (s == STATUS_OK)
        s = read_all(&r, cross, spare, rows, missing);
    if (s == STATUS_MEMORY)
        fault_set(f, s, "no memory for the rows of %s", name);
    csv_close(&r.csv);
    return s;
}
