#include "cli/setting.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/dimension.h"
#include "check/symbol.h"
#include "syntax/token.h"

/* ---- Cutting ----------------------------------------------------------------- */

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

/* The text without the blanks around it. */
static char *trim(char *text)
{
    while (is_blank(*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && is_blank(end[-1]))
        *--end = '\0';
    return text;
}

/* Cuts "100 [kW]" after its number. */
static bool split_unit(char *value, const char **unit)
{
    char *open = strchr(value, '[');
    size_t n = strlen(value);
    *unit = NULL;
    if (!open)
        return true;
    if (open == value || value[n - 1] != ']')
        return false;
    value[n - 1] = *open = '\0';
    *unit = trim(open + 1);
    return (*unit)[0] != '\0';
}

bool setting_split(char *text, KernelSetting *s, const char **unit)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return false;
    *equals = '\0';
    char *name = trim(text), *value = trim(equals + 1);
    bool right = name[0] && value[0] && split_unit(value, unit);
    *s = (KernelSetting){name, trim(value)};
    return right;
}

/* ---- The variable ------------------------------------------------------------ */

static bool is_meant(const Node *n, const char *name, size_t length)
{
    char head[128];
    if ((n->kind != NODE_CONST_ITEM && n->kind != NODE_VARIABLE) ||
        !n->symbol || length >= sizeof head)
        return false;
    memcpy(head, name, length);
    head[length] = '\0';
    return name_same(n->text, head);
}

/* The declaration of P, for P and for P[3]; NULL: the program has none. */
static const Node *find_declaration(const Unit *u, const char *name)
{
    size_t length = strcspn(name, "[ \t");
    for (const Node *n = u->program->last->first; n; n = n->next) {
        const Node *k = n->kind == NODE_VAR_PART ? n->first->first : NULL;
        if (is_meant(n, name, length))
            return n;
        for (; k; k = k->next)
            if (is_meant(k, name, length))
                return k;
    }
    return NULL;
}

/* The unit of a name as declared, or as it was found. */
static void put_unit(Buffer *b, const Node *n)
{
    if (n->first && n->first->kind == NODE_UNIT)
        buffer_text(b, n->first->text);
    else
        dimension_print(b, n->symbol->dimension);
}

/* ---- Converting -------------------------------------------------------------- */

static Status bad_unit(const KernelSetting *s, const char *unit, uint32_t wrong,
                       const char *why, Fault *f)
{
    Buffer meant = {0};
    uint32_t length = dimension_wrong_length(unit, wrong);
    bool near = !why && dimension_meant(unit, wrong, &meant);
    Status status =
        fault_set(f, STATUS_USAGE, "--set %.100s: `%.*s` %s%s%s%s", s->name,
                  (int)length, unit + wrong, why ? why : "is not a unit",
                  near ? ": did you mean " : "",
                  near ? buffer_string(&meant) : "", near ? "?" : "");
    buffer_free(&meant);
    return status;
}

static Status no_unit(const KernelSetting *s, const char *unit, Fault *f)
{
    return fault_set(f, STATUS_USAGE,
                     "--set %.100s: %s has no unit, so %s [%.100s] cannot be "
                     "converted to it: declare %.*s with one, or omit [%.100s]",
                     s->name, s->name, s->value, unit,
                     (int)strcspn(s->name, "[ \t"), s->name, unit);
}

static Status other_dimension(const KernelSetting *s, const char *unit,
                              const Node *n, Fault *f)
{
    Buffer own = {0};
    put_unit(&own, n);
    Status status =
        fault_set(f, STATUS_USAGE,
                  "--set %.100s: %s [%.100s] cannot be converted: "
                  "%s is in [%.100s], a unit of something else",
                  s->name, s->value, unit, s->name, buffer_string(&own));
    buffer_free(&own);
    return status;
}

/* True for a decimal number; anything else is left to the code that reports
   what is wrong with it. */
static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0' &&
           text[strspn(text, "0123456789+-.eE")] == '\0';
}

static const char *keep(const Buffer *text, Arena *a)
{
    char *copy = NEW_ARRAY(a, char, text->v.used + 1);
    if (copy && !text->broken)
        memcpy(copy, text->v.bytes, text->v.used);
    return text->broken ? NULL : copy;
}

static Status convert(const Node *n, KernelSetting *s, const char *unit,
                      Arena *a, Fault *f)
{
    Dimension from;
    uint32_t wrong;
    const char *why;
    Buffer text = {0};
    assert(n->symbol);
    if (!dimension_read(unit, &from, &wrong, &why))
        return bad_unit(s, unit, wrong, why, f);
    if (!n->symbol->dimension.known)
        return no_unit(s, unit, f);
    if (!is_number(s->value))
        return STATUS_OK;
    if (!dimension_convert(from, n->symbol->dimension, s->value, &text)) {
        buffer_free(&text);
        return other_dimension(s, unit, n, f);
    }
    s->value = keep(&text, a);
    buffer_free(&text);
    return s->value ? STATUS_OK
                    : fault_set(f, STATUS_MEMORY, "no memory for --set");
}

Status settings_convert(const Unit *u, RunCommand *r, Arena *a, Fault *f)
{
    for (uint32_t k = 0; k < r->kernel.sets; k++) {
        const Node *n = r->unit[k] ? find_declaration(u, r->set[k].name) : NULL;
        if (n)
            TRY(convert(n, &r->set[k], r->unit[k], a, f));
    }
    return STATUS_OK;
}

Status settings_without_text(const RunCommand *r, Fault *f)
{
    for (uint32_t k = 0; k < r->kernel.sets; k++)
        if (r->unit[k])
            return fault_set(f, STATUS_USAGE,
                             "--set %.100s: a unit is understood only for a "
                             "program in text form (.cosy): give the value in "
                             "the unit of %.100s, without [%.100s]",
                             r->set[k].name, r->set[k].name, r->unit[k]);
    return STATUS_OK;
}
