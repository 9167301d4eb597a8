#include "search/space.h"

#include <assert.h>
#include <stdarg.h>

real space_size(const Space *s, uint32_t i)
{
    real low = space_low(s, i), high = space_high(s, i);
    if (s->scale != NULL && s->scale[i] > R(0.0))
        return s->scale[i];
    if (cosy_finite(high - low) && high > low)
        return high - low;
    if (s->start != NULL && s->start[i] != R(0.0))
        return cosy_abs(s->start[i]);
    return R(1.0);
}

real space_clamp(const Space *s, uint32_t i, real p)
{
    return cosy_min(cosy_max(p, space_low(s, i)), space_high(s, i));
}

signed char space_at(const Space *s, uint32_t i, real p)
{
    if (p <= space_low(s, i))
        return -1;
    return p >= space_high(s, i) ? 1 : 0;
}

const char *space_name(const Space *s, uint32_t i, char text[NUMBER_ROOM])
{
    if (s->name != NULL)
        return s->name[i];
    snprintf(text, NUMBER_ROOM, "parameter %u", (unsigned)i + 1);
    return text;
}

const char *search_number(real x, char text[NUMBER_ROOM])
{
    snprintf(text, NUMBER_ROOM, "%.7g", (double)x);
    return text;
}

void search_say(char *words, size_t room, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(words);
    assert(used < room);
    va_start(arguments, format);
    vsnprintf(words + used, room - used, format, arguments);
    va_end(arguments);
}

void search_say_point(const Space *s, const real *p, char *words, size_t room)
{
    enum { SHOWN = 8 };
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    for (uint32_t i = 0; i < s->n && i < SHOWN; i++)
        search_say(words, room, "%s%s = %s", i == 0 ? "" : ", ",
                   space_name(s, i, name), search_number(p[i], number));
    if (s->n > SHOWN)
        search_say(words, room, " and %u more", (unsigned)s->n - SHOWN);
}

static const char *bounds_fault(const Space *s, uint32_t i, char *text,
                                size_t room)
{
    char name[NUMBER_ROOM], low[NUMBER_ROOM], high[NUMBER_ROOM];
    real from = space_low(s, i), to = space_high(s, i);
    if (from < to)
        return NULL;
    snprintf(text, room,
             "the bounds of %s leave nothing between them: %s .. %s",
             space_name(s, i, name), search_number(from, low),
             search_number(to, high));
    return text;
}

static const char *start_fault(const Space *s, uint32_t i, char *text,
                               size_t room)
{
    char name[NUMBER_ROOM], start[NUMBER_ROOM], low[NUMBER_ROOM],
        high[NUMBER_ROOM];
    real p = s->start[i];
    if (p >= space_low(s, i) && p <= space_high(s, i) && cosy_finite(p))
        return NULL;
    snprintf(text, room, "the start %s of %s is outside of its bounds %s .. %s",
             search_number(p, start), space_name(s, i, name),
             search_number(space_low(s, i), low),
             search_number(space_high(s, i), high));
    return text;
}

const char *space_fault(const Space *s, bool start_needed, char *text,
                        size_t room)
{
    if (s->n == 0)
        return "there is no parameter to vary";
    if (s->start == NULL && start_needed)
        return "there is no start, and not every parameter has two bounds";
    for (uint32_t i = 0; i < s->n; i++) {
        const char *fault = bounds_fault(s, i, text, room);
        if (fault == NULL && s->start != NULL)
            fault = start_fault(s, i, text, room);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}
