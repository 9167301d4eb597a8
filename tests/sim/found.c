#include "found.h"

#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *found_file(Arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    char *text = size < 0 ? NULL : NEW_ARRAY(a, char, (size_t)size + 1);
    if (text != NULL) {
        rewind(f);
        text[fread(text, 1, (size_t)size, f)] = '\0';
    }
    fclose(f);
    return text;
}

/* ---- JSON ------------------------------------------------------------------ */

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p)
{
    for (p++; *p != '\0' && *p != '"'; p++)
        if (*p == '\\' && p[1] != '\0')
            p++;
    return *p == '"' ? p + 1 : p;
}

static const char *skip_value(const char *p)
{
    int depth = 0;
    for (p = skip_space(p); *p != '\0';) {
        if (*p == '"') {
            p = skip_string(p);
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            if (depth == 0)
                return p;
            depth--;
            p++;
        } else if (*p == ',' && depth == 0) {
            return p;
        } else {
            p++;
            continue;
        }
        if (depth == 0)
            return p;
    }
    return p;
}

/* The value of a key of the object at p, or NULL. */
static const char *member(const char *p, const char *key, size_t length)
{
    for (p = skip_space(p + 1); *p == '"'; p = skip_space(p + 1)) {
        const char *name = p + 1;
        const char *end = skip_string(p);
        const char *value = skip_space(end);
        if (*value != ':')
            return NULL;
        value = skip_space(value + 1);
        if ((size_t)(end - 1 - name) == length &&
            memcmp(name, key, length) == 0)
            return value;
        p = skip_space(skip_value(value));
        if (*p != ',')
            return NULL;
    }
    return NULL;
}

static const char *element(const char *p, size_t position)
{
    for (p = skip_space(p + 1); *p != ']' && *p != '\0';
         p = skip_space(p + 1)) {
        if (position-- == 0)
            return p;
        p = skip_space(skip_value(p));
        if (*p != ',')
            return NULL;
    }
    return NULL;
}

/* The member whose name is the longest beginning of the path: "dX/dP" before "dX". */
static const char *longest_member(const char *p, const char *path,
                                  size_t *length)
{
    size_t first = *length;
    for (*length = strlen(path); *length > first; --*length) {
        bool ends = path[*length] == '/' || path[*length] == '\0';
        const char *value = ends ? member(p, path, *length) : NULL;
        if (value)
            return value;
    }
    return member(p, path, first);
}

bool found_json(const char *text, const char *path, char *value, size_t size)
{
    const char *p = skip_space(text);
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (*p == '{')
            p = longest_member(p, path, &length);
        else if (*p == '[')
            p = element(p, strtoul(path, NULL, 10));
        else
            return false;
        if (p == NULL)
            return false;
        path += length + (path[length] == '/');
    }
    const char *end = skip_value(p);
    if (*p == '"') {
        p++;
        end--;
    }
    while (end > p && strchr(" \r\n\t", end[-1]) != NULL)
        end--;
    snprintf(value, size, "%.*s", (int)(end - p), p);
    return true;
}

/* ---- CSV ------------------------------------------------------------------- */

/* Ends the field at *p in place and moves *p after it; *last says whether the
   row ends with it. */
static char *next_field(char **p, bool *last)
{
    char *start = *p, *from = *p, *to = *p;
    bool quoted = *from == '"';
    if (quoted)
        from++;
    while (*from != '\0') {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            from++;
            continue;
        }
        if (!quoted && (*from == ',' || *from == '\n'))
            break;
        if (quoted && *from == '"')
            from++;
        *to++ = *from++;
    }
    *last = *from != ',';
    *p = *from == '\0' ? from : from + 1;
    *to = '\0';
    return start;
}

/* At least as many as there are fields. */
static size_t count_fields(const char *text)
{
    size_t n = 1;
    for (; *text != '\0'; text++)
        n += *text == ',' || *text == '\n';
    return n;
}

bool found_table(Arena *a, const char *path, Table *table)
{
    char *p = found_file(a, path);
    size_t count = 0, in_row = 0;
    *table = (Table){0};
    if (p == NULL)
        return false;
    table->cells = NEW_ARRAY(a, char *, count_fields(p));
    while (table->cells != NULL && *p != '\0') {
        bool last;
        table->cells[count++] = next_field(&p, &last);
        in_row++;
        if (!last)
            continue;
        if (table->columns == 0)
            table->columns = in_row;
        if (in_row != table->columns)
            return false;
        table->rows++;
        in_row = 0;
    }
    if (table->rows == 0)
        return false;
    table->rows--;
    return true;
}

/* "X" is the column X and the column "X [km]". */
static bool is_column(const char *head, const char *name)
{
    size_t n = strlen(name);
    return strncmp(head, name, n) == 0 &&
           (head[n] == '\0' || strncmp(head + n, " [", 2) == 0);
}

size_t found_column(const Table *table, const char *name)
{
    size_t i = 0;
    while (i < table->columns && !is_column(table->cells[i], name))
        i++;
    return i;
}

const char *found_cell(const Table *table, size_t row, size_t column)
{
    return table->cells[row * table->columns + column];
}

/* ---- Numbers --------------------------------------------------------------- */

bool found_number(const char *text, Number *number)
{
    char *end;
    *number = strtoflt128(text, &end);
    return end != text && *end == '\0' && finiteq(*number);
}

void found_show(Number number, char *text, size_t size)
{
    quadmath_snprintf(text, size, "%.34Qg", number);
}
