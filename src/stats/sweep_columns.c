#include "stats/sweep_columns.h"

#include <string.h>

#include "stats/value.h"

static const char *const part_names[SWEEP_PARTS] = {"",    ".n",   ".mean",
                                                    ".sd", ".low", ".high"};

static void put_heading(Buffer *b, const char *name, const char *part,
                        const char *unit)
{
    buffer_format(b, "%s%s", name, part);
    value_put_unit(b, unit);
}

/* COSY_NONE: there is none. */
static uint32_t find_heading(const SweepNames *all, const char *wanted)
{
    const char *at = (const char *)all->text.v.bytes;
    for (uint32_t k = 0; k < all->n; k++, at += strlen(at) + 1)
        if (strcmp(at, wanted) == 0)
            return k;
    return COSY_NONE;
}

/* The column with that heading, which is made if it is not there yet. */
static uint32_t column_of(SweepNames *all, const char *name, const char *part,
                          const char *unit)
{
    Buffer own = {0};
    put_heading(&own, name, part, unit);
    const char *wanted = buffer_string(&own);
    uint32_t k = find_heading(all, wanted);
    if (k == COSY_NONE) {
        buffer_bytes(&all->text, wanted, strlen(wanted) + 1);
        k = all->n++;
    }
    all->text.broken = all->text.broken || own.broken;
    buffer_free(&own);
    return k;
}

static uint32_t parameter_column(SweepNames *all, const SweepTable *t,
                                 uint32_t k)
{
    Buffer name = {0};
    sweep_put_name(&name, t, k);
    const CosyVariable *v =
        &t->model->variables[sweep_parameter(t, k)->variable];
    uint32_t column =
        column_of(all, buffer_string(&name), "", value_shown_unit(v->unit));
    buffer_free(&name);
    return column;
}

/* What varies in another study of the experiment has ".final" here. */
static uint32_t quantity_column(SweepColumns *c, const SweepTable *t,
                                uint32_t k, SweepPart part)
{
    const Quantity *q = sweep_quantity(t, k);
    const char *unit = value_shown_unit(quantity_unit(t->model, q));
    Buffer name = {0}, heading = {0};
    put_heading(&heading, q->name, "", unit);
    bool varies =
        find_heading(&c->parameters, buffer_string(&heading)) != COSY_NONE;
    buffer_format(&name, "%s%s", q->name, varies ? ".final" : "");
    uint32_t column = column_of(&c->quantities, buffer_string(&name),
                                part_names[part], part == SWEEP_N ? "" : unit);
    buffer_free(&name);
    buffer_free(&heading);
    return column;
}

bool sweep_columns_open(SweepColumns *c, const Sweep *s)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n);
    *c = (SweepColumns){0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].parameters; k++)
            parameter_column(&c->parameters, &t[i], k);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < t[i].width; k++)
            for (SweepPart p = sweep_first(&t[i]); p <= sweep_last(&t[i]); p++)
                quantity_column(c, &t[i], k, p);
    return !c->parameters.text.broken && !c->quantities.text.broken;
}

bool sweep_places(SweepPlaces *p, Arena *a, const SweepTable *t,
                  SweepColumns *c)
{
    size_t parts = (size_t)(sweep_last(t) - sweep_first(t)) + 1;
    uint32_t at = 0;
    p->parameter = NEW_ARRAY(a, uint32_t, t->parameters + 1);
    p->quantity = NEW_ARRAY(a, uint32_t, t->width * parts + 1);
    if (!p->parameter || !p->quantity)
        return false;
    for (uint32_t k = 0; k < t->parameters; k++)
        p->parameter[k] = parameter_column(&c->parameters, t, k);
    for (uint32_t k = 0; k < t->width; k++)
        for (SweepPart part = sweep_first(t); part <= sweep_last(t); part++)
            p->quantity[at++] = quantity_column(c, t, k, part);
    return true;
}

const char *sweep_heading(const SweepNames *all, uint32_t k)
{
    const char *at = (const char *)all->text.v.bytes;
    while (k-- > 0)
        at += strlen(at) + 1;
    return at;
}

void sweep_columns_free(SweepColumns *c)
{
    buffer_free(&c->parameters.text);
    buffer_free(&c->quantities.text);
}
