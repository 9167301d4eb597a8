#include "stats/uncertain.h"

#include <stdio.h>
#include <string.h>

#include "stats/json.h"
#include "stats/number.h"
#include "stats/value.h"

const uint32_t uncertain_shares[UNCERTAIN_SHARES] = {5, 25, 50, 75, 95};

const Uncertainty *uncertain_list(const Vector *all, uint32_t *n)
{
    *n = (uint32_t)(all->used / sizeof(Uncertainty));
    return (const Uncertainty *)(const void *)all->bytes;
}

void uncertain_free(Vector *all)
{
    Uncertainty *u = (Uncertainty *)(void *)all->bytes;
    for (size_t k = 0; k < all->used / sizeof *u; k++) {
        vector_free(&u[k].inputs);
        vector_free(&u[k].quantities);
        vector_free(&u[k].index);
        vector_free(&u[k].fixed);
    }
    vector_free(all);
}

/* Quantities stand in the order of the table. */
uint32_t uncertain_chosen(const Uncertainty *u, const SweepTable *t,
                          const UncertainQuantity **chosen, uint32_t most)
{
    const UncertainQuantity *q =
        (const UncertainQuantity *)(const void *)u->quantities.bytes;
    uint32_t which[SWEEP_QUANTITIES], left;
    uint32_t n = sweep_choose(t, which, most, &left);
    for (uint32_t k = 0; k < n; k++)
        chosen[k] = &q[which[k]];
    return n;
}

/* ---- JSON ------------------------------------------------------------------- */

static void put_inputs(JsonObject *o, const Uncertainty *u, const SweepTable *t)
{
    Buffer *b = o->b;
    json_key(o, "parameters");
    buffer_char(b, '[');
    for (uint32_t k = 0; k < uncertain_inputs(u); k++) {
        const UncertainInput *in = uncertain_input(u, k);
        const RunSetting *s = sweep_parameter(t, k);
        Buffer name = {0};
        buffer_text(b, k ? ", " : "");
        JsonObject p = json_open(b);
        sweep_put_name(&name, t, k);
        json_text(&p, "name", buffer_string(&name));
        json_text(&p, "unit",
                  value_shown_unit(t->model->variables[s->variable].unit));
        json_text(&p, "distribution", in->words);
        if (u->indices) {
            json_key(&p, "idle");
            buffer_text(b, in->idle ? "true" : "false");
        }
        json_close(&p);
        buffer_free(&name);
    }
    buffer_char(b, ']');
}

static void put_quantiles(JsonObject *o, const UncertainQuantity *q)
{
    json_key(o, "quantiles");
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; k < UNCERTAIN_SHARES; k++) {
        char name[8];
        snprintf(name, sizeof name, "q%u", uncertain_shares[k]);
        json_number(&p, name, q->quantile[k]);
    }
    json_close(&p);
}

static void put_indices(JsonObject *o, const Uncertainty *u,
                        const SweepTable *t, const UncertainQuantity *q)
{
    json_key(o, "indices");
    JsonObject all = json_open(o->b);
    for (uint32_t k = 0; k < uncertain_inputs(u); k++) {
        const UncertainIndex *i = uncertain_index(u, q, k);
        Buffer name = {0};
        sweep_put_name(&name, t, k);
        json_key(&all, buffer_string(&name));
        JsonObject p = json_open(o->b);
        json_number(&p, "first", i->first);
        json_number(&p, "first_half", i->first_half);
        json_number(&p, "total", i->total);
        json_number(&p, "total_half", i->total_half);
        json_close(&p);
        buffer_free(&name);
    }
    json_close(&all);
}

static void put_quantity(JsonObject *all, const Uncertainty *u,
                         const SweepTable *t, const UncertainQuantity *q)
{
    const Quantity *named = sweep_quantity(t, q->quantity);
    json_line_key(all, named->name);
    JsonObject o = json_open(all->b);
    json_text(&o, "unit", value_shown_unit(quantity_unit(t->model, named)));
    json_count(&o, "n", q->n);
    json_count(&o, "left_out", q->left_out);
    json_number(&o, "mean", q->mean);
    json_number(&o, "error", q->error);
    json_number(&o, "sd", q->sd);
    json_number(&o, "min", q->least);
    json_number(&o, "max", q->greatest);
    put_quantiles(&o, q);
    if (t->replicated)
        json_number(&o, "noise", q->noise);
    if (u->indices)
        put_indices(&o, u, t, q);
    json_close(&o);
    all->begun = true;
}

static void put_fixed(JsonObject *o, const Uncertainty *u)
{
    const char *name = (const char *)u->fixed.bytes;
    if (!u->fixed.used)
        return;
    json_key(o, "fixed");
    buffer_char(o->b, '[');
    for (size_t at = 0; at < u->fixed.used; at += strlen(name + at) + 1) {
        buffer_text(o->b, at ? ", " : "");
        buffer_json(o->b, name + at);
    }
    buffer_char(o->b, ']');
}

static void put_one(Buffer *b, const Uncertainty *u, const SweepTable *t)
{
    const UncertainQuantity *q =
        (const UncertainQuantity *)(const void *)u->quantities.bytes;
    JsonObject o = json_open(b);
    json_count(&o, "frame", u->frame);
    json_count(&o, "line", u->line);
    json_text(&o, "sampling", u->kind);
    json_count(&o, "points", u->points);
    json_count(&o, "runs", u->runs);
    json_key(&o, "replicated");
    buffer_text(b, t->replicated ? "true" : "false");
    json_count(&o, "failed_runs", u->failed);
    json_count(&o, "unfinished_runs", u->unfinished);
    if (u->indices)
        json_count(&o, "points_wanted", u->wanted);
    put_fixed(&o, u);
    put_inputs(&o, u, t);
    json_key(&o, "quantities");
    JsonObject all = json_open(b);
    for (size_t k = 0; k < u->quantities.used / sizeof *q; k++)
        put_quantity(&all, u, t, &q[k]);
    json_close(&all);
    json_close(&o);
}

void uncertain_json(Buffer *b, const Vector *all, const Sweep *s)
{
    uint32_t n, tables;
    const Uncertainty *u = uncertain_list(all, &n);
    const SweepTable *t = sweep_tables(s, &tables);
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k ? ",\n" : "");
        put_one(b, &u[k], &t[u[k].table]);
    }
    buffer_char(b, ']');
}
