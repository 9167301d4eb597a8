#include "stats/selected.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "stats/json.h"
#include "stats/report.h"
#include "stats/tables.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

static uint32_t selections(const Replications *r)
{
    return (uint32_t)(r->selections.used / sizeof(Selected));
}

static Selected *selected_at(const Replications *r, uint32_t k)
{
    return SECTION(r->selections, Selected) + k;
}

bool selected_begin(Replications *r, const CosySimulate *s, uint32_t elements)
{
    Selected one = {.first_group = r->first_group,
                    .quantity = replicate_find(r, s->of, s->of_at)};
    assert(one.quantity < r->width);
    select_begin(&one.s, elements,
                 s->has_first ? (uint32_t)s->first : SELECT_FIRST, s->delta,
                 s->has_confidence ? s->confidence : R(0.95), s->highest);
    return vector_append(&r->selections, &one, sizeof one);
}

Selected *selected_last(const Replications *r)
{
    assert(selected_any(r));
    return selected_at(r, selections(r) - 1);
}

bool selected_any(const Replications *r)
{
    return r->selections.used > 0;
}

static const ReplicateGroup *group_of(const Replications *r, const Selected *t,
                                      uint32_t k)
{
    return SECTION(r->groups, const ReplicateGroup) + t->first_group + k;
}

static const Quantity *quantity_of(const Replications *r, const Selected *t)
{
    uint32_t first, end;
    replicate_span(r, group_of(r, t, 0), &first, &end);
    return replicate_quantity(r, first + t->quantity);
}

static real mean_of(const Selection *s, uint32_t k)
{
    const SelectOne *o = &s->one[k];
    return o->n == 0 ? (real)NAN : s->highest ? -o->mean : o->mean;
}

static real deviation_of(const SelectOne *o)
{
    return o->n > 1 ? cosy_sqrt(o->square / (real)(o->n - 1)) : (real)NAN;
}

/* ---- summary.json ------------------------------------------------------------- */

static void put_alternative(Buffer *b, const Replications *r, const Selected *t,
                            uint32_t k)
{
    const SelectOne *o = &t->s.one[k];
    JsonObject one = json_open(b);
    json_key(&one, "parameters");
    replicate_put_parameters(b, r, group_of(r, t, k));
    json_count(&one, "n", o->n);
    json_number(&one, "mean", mean_of(&t->s, k));
    json_number(&one, "sd", deviation_of(o));
    json_number(&one, "left_out", o->left ? (real)o->left : (real)NAN);
    json_close(&one);
}

static void put_selection(Buffer *b, const Replications *r, const Selected *t)
{
    const Selection *s = &t->s;
    uint32_t best = select_best(s);
    JsonObject o = json_open(b);
    json_count(&o, "frame", group_of(r, t, 0)->frame);
    json_text(&o, "of", quantity_of(r, t)->name);
    json_text(&o, "goal", s->highest ? "max" : "min");
    json_number(&o, "delta", s->delta);
    json_number(&o, "confidence", s->confidence);
    json_count(&o, "first", s->first);
    json_count(&o, "replications", s->round);
    json_key(&o, "decided");
    buffer_text(b, s->decided ? "true" : "false");
    json_key(&o, "selected");
    if (best == COSY_NONE)
        buffer_text(b, "null");
    else
        replicate_put_parameters(b, r, group_of(r, t, best));
    json_key(&o, "alternatives");
    for (uint32_t k = 0; k < s->count; k++) {
        buffer_text(b, k == 0 ? "[" : ",\n   ");
        put_alternative(b, r, t, k);
    }
    buffer_char(b, ']');
    json_close(&o);
}

void selected_json(Buffer *b, const Replications *r)
{
    for (uint32_t k = 0; k < selections(r); k++) {
        buffer_text(b, k == 0 ? "[" : ",\n  ");
        put_selection(b, r, selected_at(r, k));
    }
    buffer_char(b, ']');
}

/* ---- The table -------------------------------------------------------------------- */

static void put_group(Buffer *b, const Replications *r, const ReplicateGroup *g,
                      size_t room)
{
    Buffer text = {0};
    report_parameters(&text, r->model,
                      SECTION(r->parameters, const RunSetting) + g->parameter,
                      g->parameters, room);
    const char *words = buffer_string(&text);
    while (*words == ' ')
        words++;
    buffer_format(b, "%-*s", (int)room, words);
    buffer_free(&text);
}

static void put_row(Buffer *b, const Replications *r, const Selected *t,
                    uint32_t k, size_t room)
{
    const SelectOne *o = &t->s.one[k];
    buffer_text(b, "  ");
    put_group(b, r, group_of(r, t, k), room);
    buffer_format(b, "%7u", o->n);
    tables_cell(b, mean_of(&t->s, k), 12);
    tables_cell(b, deviation_of(o), 11);
    if (o->failed)
        buffer_format(b, "%18s\n", "no value");
    else if (o->left)
        buffer_format(b, "%18u\n", o->left);
    else
        buffer_format(b, "%18s\n", k == select_best(&t->s) ? "best" : "-");
}

void selected_table(Buffer *b, const Replications *r, uint32_t wide)
{
    enum { CELLS = 2 + 7 + 12 + 11 + 18 };
    assert(wide > CELLS);
    for (uint32_t i = 0; i < selections(r); i++) {
        const Selected *t = selected_at(r, i);
        const Selection *s = &t->s;
        buffer_format(b,
                      "\n  %s %s of %u alternatives, DELTA %.6g, CONFIDENCE "
                      "%.6g%s\n",
                      s->highest ? "highest" : "lowest",
                      quantity_of(r, t)->name, s->count, (double)s->delta,
                      (double)s->confidence, s->decided ? "" : ": not decided");
        buffer_format(b, "  %*s%7s%12s%11s%18s\n", (int)(wide - CELLS), "", "n",
                      "mean", "sd", "left out after");
        for (uint32_t k = 0; k < s->count; k++)
            put_row(b, r, t, k, wide - CELLS);
    }
}
