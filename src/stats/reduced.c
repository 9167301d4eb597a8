#include "stats/reduced.h"

#include <math.h>

#include "stats/json.h"

enum { TOLD_MOST = 8 }; // modes on the terminal

static void put_input(Buffer *b, const CosyModel *m, const RunLinear *l,
                      uint32_t k)
{
    analysis_place(b, m, &m->linear_inputs[l->which->input[k]]);
}

static void put_output(Buffer *b, const CosyModel *m, const RunLinear *l,
                       uint32_t k)
{
    analysis_place(b, m, &m->linear_outputs[l->which->output[k]]);
}

/* ---- JSON ------------------------------------------------------------------------- */

static void put_number(JsonObject *o, const char *name, double value)
{
    json_key(o, name);
    analysis_double(o->b, value);
}

static void put_matrix(JsonObject *o, const char *name, const double *a,
                       size_t rows, size_t columns)
{
    json_key(o, name);
    buffer_char(o->b, '[');
    for (size_t i = 0; i < rows; i++) {
        buffer_text(o->b, i ? ", [" : "[");
        for (size_t k = 0; k < columns; k++) {
            buffer_text(o->b, k ? ", " : "");
            analysis_double(o->b, a[i * columns + k]);
        }
        buffer_char(o->b, ']');
    }
    buffer_char(o->b, ']');
}

static void put_matrices(JsonObject *o, const RunLinear *l)
{
    const RunReduced *r = l->reduced;
    size_t n = r->states, in = l->which->inputs, out = l->which->outputs;
    put_matrix(o, "A", r->a, n, n);
    put_matrix(o, "B", r->b, n, in);
    put_matrix(o, "C", r->c, out, n);
    put_matrix(o, "D", r->d, out, in);
}

static void put_miss(JsonObject *o, const char *name, const char *at,
                     const CosyModel *m, const RunLinear *l, const RunMiss *x)
{
    Buffer in = {0}, out = {0};
    put_input(&in, m, l, x->input);
    put_output(&out, m, l, x->output);
    json_key(o, name);
    JsonObject p = json_open(o->b);
    put_number(&p, "error", x->size);
    put_number(&p, at, x->at);
    json_text(&p, "input", buffer_string(&in));
    json_text(&p, "output", buffer_string(&out));
    json_close(&p);
    buffer_free(&in);
    buffer_free(&out);
}

static void put_mode(Buffer *b, const RunLinear *l, const RunMode *x)
{
    const RunSpots one = {1, &x->re, &x->im, true};
    JsonObject o = json_open(b), p;
    json_key(&o, "eigenvalue");
    Buffer spot = {0};
    analysis_spots(&spot, &one);
    buffer_bytes(b, buffer_string(&spot) + 1, spot.v.used - 2); // without []
    buffer_free(&spot);
    json_key(&o, "states");
    p = json_open(b);
    for (uint32_t k = 0; k < x->carriers; k++) {
        Buffer name = {0};
        analysis_state(&name, l->at, x->carrier[k].state);
        put_number(&p, buffer_string(&name), x->carrier[k].share);
        buffer_free(&name);
    }
    json_close(&p);
    json_key(&o, "kept");
    buffer_text(b, x->kept ? "true" : "false");
    json_key(&o, "supported");
    buffer_text(b, x->supported ? "true" : "false");
    json_close(&o);
}

static void put_modes(JsonObject *o, const RunLinear *l)
{
    json_key(o, "modes");
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < l->reduced->modes; k++) {
        buffer_text(o->b, k ? ",\n  " : "");
        put_mode(o->b, l, &l->reduced->mode[k]);
    }
    buffer_char(o->b, ']');
}

void reduced_json(Buffer *b, const CosyModel *m, const RunLinear *l)
{
    const RunReduced *r = l->reduced;
    JsonObject o = json_open(b);
    json_count(&o, "states", r->states);
    if (r->asked >= 0)
        json_count(&o, "asked", (uint64_t)r->asked);
    if (r->accuracy > 0.0)
        put_number(&o, "accuracy", r->accuracy);
    if (r->enough)
        json_count(&o, "enough", r->enough);
    json_count(&o, "lasting", r->lasting);
    put_matrices(&o, l);
    json_key(&o, "poles");
    analysis_spots(b, &r->poles);
    json_key(&o, "hankel");
    buffer_char(b, '[');
    for (uint32_t k = 0; k < r->hankels; k++) {
        buffer_text(b, k ? ", " : "");
        analysis_double(b, r->hankel[k]);
    }
    buffer_char(b, ']');
    put_number(&o, "bound", r->bound);
    put_miss(&o, "gain", "frequency", m, l, &r->gain);
    put_miss(&o, "step", "time", m, l, &r->step);
    put_number(&o, "ff6", r->ff6);
    put_number(&o, "ff6_reduced", r->ff6_left);
    put_modes(&o, l);
    json_close(&o);
}

/* ---- Terminal --------------------------------------------------------------------- */

/* " (FAST)", " (X 60 %, V 40 %)" */
static void tell_carriers(Buffer *b, const RunLinear *l, const RunMode *x)
{
    for (uint32_t k = 0; k < x->carriers; k++) {
        buffer_text(b, k ? ", " : " (");
        analysis_state(b, l->at, x->carrier[k].state);
        if (x->carriers > 1)
            buffer_format(b, " %.0f %%", 100.0 * x->carrier[k].share);
    }
    buffer_text(b, x->carriers ? ")" : "");
}

static void tell_left_out(Buffer *b, const RunLinear *l)
{
    const RunReduced *r = l->reduced;
    uint32_t told = 0, all = 0;
    for (uint32_t k = 0; k < r->modes; k++) {
        const RunMode *x = &r->mode[k];
        const RunSpots one = {1, &x->re, &x->im, true};
        if (x->kept || all++ >= TOLD_MOST)
            continue;
        buffer_text(b, told++ ? ", " : "       left out     ");
        analysis_tell(b, &one);
        tell_carriers(b, l, x);
    }
    if (all > told)
        buffer_format(b, ", ... (%u)", all);
    buffer_text(b, all ? "\n" : "");
}

/* "0.1 % in gains (Y by U)"; a pair that is the only one is not named. */
static void tell_miss(Buffer *b, const CosyModel *m, const RunLinear *l,
                      const char *where, const RunMiss *x)
{
    buffer_format(b, "%.2g %% %s", 100.0 * x->size, where);
    if (!(x->size > 0.0) || l->which->inputs * l->which->outputs == 1)
        return;
    buffer_text(b, " (");
    put_output(b, m, l, x->output);
    buffer_text(b, " by ");
    put_input(b, m, l, x->input);
    buffer_char(b, ')');
}

void reduced_text(Buffer *b, const CosyModel *m, const RunLinear *l)
{
    const RunReduced *r = l->reduced;
    buffer_format(b, "       reduced      %u of %u state%s, eigenvalues  ",
                  r->states, l->states, l->states == 1 ? "" : "s");
    analysis_tell(b, &r->poles);
    buffer_text(b, r->states ? "\n" : "none\n");
    tell_left_out(b, l);
    buffer_text(b, "       differs by   ");
    tell_miss(b, m, l, "in gains", &r->gain);
    buffer_text(b, ", ");
    tell_miss(b, m, l, "after steps", &r->step);
    buffer_format(b, "\n       bound        %.2g %% in gains\n",
                  100.0 * r->bound);
}
