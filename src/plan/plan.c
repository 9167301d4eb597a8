#include "plan/plan.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* The order of decisions: storage, waits, rows, names, functions. */

void *plan_alloc(Plan *p, size_t n, size_t size)
{
    void *memory =
        arena_array(&p->arena, n ? n : 1, size, _Alignof(max_align_t));
    if (!memory)
        p->broken = true;
    return memory;
}

const char *plan_format(Plan *p, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text =
        length < 0 ? NULL : arena_alloc(&p->arena, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, list);
    else
        p->broken = true;
    va_end(list);
    return text ? text : "";
}

bool plan_is_computed(const Variable *v)
{
    return v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_LOGIC ||
           v->kind == VARIABLE_MEMORY;
}

const char *plan_vector_name(const Model *m, uint32_t k)
{
    return k == NONE              ? NULL
           : k == m->seed         ? "vx"
           : k == m->tangent_rate ? "df"
           : k == m->input_seed   ? "vu"
           : k == m->output_rate  ? "dy"
                                  : NULL;
}

uint32_t plan_part_at(const Block *b, uint32_t position)
{
    uint32_t low = 0, high = b->parts;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (b->part[middle].first <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void plan_make(Plan *p, const Model *m)
{
    static void (*const all[])(Plan * p) = {plan_storage,   plan_waits,
                                            plan_rows,      plan_names,
                                            plan_functions, plan_initial};
    *p = (Plan){.m = m};
    for (size_t k = 0; k < LENGTH(all) && !p->broken; k++)
        all[k](p);
}

void plan_free(Plan *p)
{
    vector_free(&p->names.taken.slots);
    for (uint32_t k = 0; p->wait && k < model_waits(p->m); k++)
        vector_free(&p->wait[k].room);
    arena_free(&p->arena);
}
