#ifndef COSY_STATS_VALUE_H
#define COSY_STATS_VALUE_H

/* Reading the variables of an instance by their description, and the names that
   result files give them. Variables of a CONTINUOUS PROCESS exist once per copy
   and are not covered, nor is an X' that only INITCOND names, nor derivatives that
   nobody has asked for: value_is_global tells them apart. */

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "cosy/unit.h"

/* Arrays with more elements go to a file of their own. */
#define VALUE_INLINE_LIMIT 1000

static inline bool value_is_global(const CosyVariable *v)
{
    bool rate = v->kind == COSY_ALGEBR && v->derivative != COSY_NONE;
    return v->process == COSY_NONE && !rate && v->causality != COSY_CARRIED;
}

static inline uint32_t value_count(const CosyVariable *v)
{
    return v->rows * v->columns;
}

static inline bool value_is_long(const CosyVariable *v)
{
    return value_is_global(v) && value_count(v) > VALUE_INLINE_LIMIT;
}

static inline int64_t value_integer(const Cosy *c, const CosyVariable *v,
                                    uint32_t k)
{
    const void *at = (const unsigned char *)c->data + v->place;
    return v->type == COSY_TYPE_BOOLEAN ? ((const uint8_t *)at)[k]
                                        : ((const int64_t *)at)[k];
}

/* Element k of a variable, counted from 0 with columns fastest. */
static inline real value_real(const Cosy *c, const CosyVariable *v, uint32_t k)
{
    const void *at = (const unsigned char *)c->data + v->place;
    if (v->kind == COSY_STATE)
        return c->x[v->place + k];
    if (v->type != COSY_TYPE_REAL)
        return (real)value_integer(c, v, k);
    return ((const real *)at)[k];
}

/* Whether it is an attribute of the copies of a CONTINUOUS PROCESS. */
static inline bool value_is_attribute(const CosyVariable *v, uint32_t process)
{
    return v->process == process &&
           (v->kind == COSY_STATE || v->derivative == COSY_NONE);
}

/* Element k of an attribute of the copy at a position; whole numbers of it are
   exact up to the digits of a real. */
static inline real value_of_copy(const Cosy *c, const CosyVariable *v,
                                 uint32_t position, uint32_t k)
{
    const unsigned char *copy =
        (const unsigned char *)cosy_copy(c, v->process, position);
    const void *at = copy + v->place;
    if (v->kind == COSY_STATE)
        return cosy_copy_states(c, v->process, position, c->x)[v->place + k];
    if (v->type == COSY_TYPE_BOOLEAN)
        return (real)((const uint8_t *)at)[k];
    if (v->type == COSY_TYPE_INTEGER)
        return (real)((const int64_t *)at)[k];
    return ((const real *)at)[k];
}

/* Whether the attributes of the copies that are there go to a file of their
   own. */
static inline bool value_is_many(const Cosy *c, const CosyVariable *v)
{
    return (uint64_t)c->copy[v->process].count * value_count(v) >
           VALUE_INLINE_LIMIT;
}

/* The first index of an array, and the second. */
static inline int64_t value_first(const CosyVariable *v)
{
    return 1 + (int64_t)(v->rows > 1 ? v->row_shift : v->column_shift);
}

static inline int64_t value_second(const CosyVariable *v)
{
    return 1 + (int64_t)v->column_shift;
}

/* X, A[3] or B[1,2]: one index if either side of the array is 1. */
static inline void value_name(Buffer *b, const CosyVariable *v, uint32_t k)
{
    buffer_text(b, v->name);
    if (v->rows > 1 && v->columns > 1)
        buffer_format(b, "[%" PRId64 ",%" PRId64 "]",
                      k / v->columns + value_first(v),
                      k % v->columns + value_second(v));
    else if (value_count(v) > 1)
        buffer_format(b, "[%" PRId64 "]", k + value_first(v));
}

/* Elements `from` to end - 1 of a variable. */
typedef struct ValueSpan {
    uint32_t from, end;
} ValueSpan;

/* What a line of OUTPUT names: one element, or with COSY_NONE all. */
static inline ValueSpan value_span(const CosyVariable *v, uint32_t at)
{
    return at == COSY_NONE ? (ValueSpan){0, value_count(v)}
                           : (ValueSpan){at, at + 1};
}

/* ---- Units ----------------------------------------------------------------- */

/* A unit as people read it: a plain number, [1], shows none. */
static inline const char *value_shown_unit(const char *unit)
{
    return strcmp(unit, "1") == 0 ? "" : unit;
}

/* The unit of a variable or of one of its elements (X, A[3]), by its name. */
static inline const char *value_unit(const CosyModel *m, const char *name)
{
    size_t n = strcspn(name, "[");
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (strlen(m->variables[k].name) == n &&
            strncmp(m->variables[k].name, name, n) == 0)
            return m->variables[k].unit;
    return "";
}

/* " [km]" after a name, or nothing. */
static inline void value_put_unit(Buffer *b, const char *unit)
{
    if (unit[0])
        buffer_format(b, " [%s]", unit);
}

#endif
