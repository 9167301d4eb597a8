#include "check/header.h"

#include <assert.h>
#include <string.h>

#include "base/csv.h"
#include "check/dimension.h"

enum { UNIT_MOST = 80 }; // most characters of a unit

/* Adds the unit below the NAME, with the place of the NAME, since text in the
   data file has no place. */
static void add_unit(Unit *u, Node *name, const char *unit)
{
    size_t length = strlen(unit);
    char *copy = NEW_ARRAY(u->arena, char, length + 1);
    Node *n = NEW(u->arena, Node);
    if (copy == NULL || n == NULL)
        return;
    memcpy(copy, unit, length);
    n->kind = NODE_UNIT;
    n->text = copy;
    n->at = name->at;
    n->origin = name->origin;
    node_add(name, n);
}

/* Removes the blanks, so that the unit looks as in a program. */
static void squeeze(char *unit)
{
    char *to = unit;
    for (const char *s = unit; *s != '\0'; s++)
        if (*s != ' ' && *s != '\t')
            *to++ = *s;
    *to = '\0';
}

static void column_unit(Unit *u, const Csv *c, Node *name, const char *file)
{
    CsvWanted w = {.name = name->text};
    Fault unused = {0};
    char unit[UNIT_MOST];
    Dimension d;
    uint32_t wrong;
    const char *why;
    if (name->first != NULL || csv_find(c, &w, &unused) != STATUS_OK ||
        !csv_unit(c, &w, unit, sizeof unit))
        return;
    squeeze(unit);
    if (dimension_read(unit, &d, &wrong, &why))
        add_unit(u, name, unit);
    else
        unit_warning(u, name->at, name->origin,
                     "column `%s` of \"%s\" is in [%s], which is not a unit: "
                     "it is read as if it had none",
                     name->text, file, unit);
}

void header_read(Unit *u, Node *from_file)
{
    const char *path = data_path(u, from_file->text);
    Buffer text = {0};
    Fault unused = {0};
    Csv c;
    assert(from_file->kind == NODE_FROM_FILE && from_file->first != NULL);
    if (path != NULL && file_read_data(path, &text, &unused) == STATUS_OK &&
        csv_open(&c, from_file->text, (const char *)text.v.bytes, text.v.used,
                 &unused) == STATUS_OK)
        for (Node *k = from_file->first->first; k != NULL; k = k->next)
            column_unit(u, &c, k, from_file->text);
    buffer_free(&text);
}
