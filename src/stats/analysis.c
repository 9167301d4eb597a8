#include "stats/analysis.h"

#include <math.h>

#include "stats/json.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/reduced.h"
#include "stats/value.h"

#define INLINE_MOST 1000 // numbers of a matrix, or along a run, in summary.json
#define TOLD_MOST   12   // eigenvalues and states on the terminal

/* ---- Names ---------------------------------------------------------------- */

void analysis_state(Buffer *b, const Cosy *c, uint32_t i)
{
    const CosyModel *m = c->model;
    uint32_t process = COSY_NONE, place = i;
    for (uint32_t p = 0; p < m->n_copies && i >= m->states; p++) {
        uint32_t n = m->copies[p].states, first = c->copy[p].first;
        if (n == 0 || i - first >= c->copy[p].active * n)
            continue;
        process = p;
        place = (i - first) % n;
        buffer_format(b, "%s[%u].", m->copies[p].name,
                      cosy_copy(c, p, (i - first) / n)->number);
        break;
    }
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (v->kind != COSY_STATE || v->process != process ||
            place < v->place || place - v->place >= value_count(v))
            continue;
        value_name(b, v, place - v->place);
        return;
    }
    buffer_format(b, "x[%u]", i);
}

void analysis_place(Buffer *b, const CosyModel *m, const CosyPlace *p)
{
    value_name(b, &m->variables[p->variable], p->element);
}

const char *analysis_stable(Stability s)
{
    switch (s) {
    case STABLE: return "stable";
    case UNSTABLE: return "unstable";
    case MARGINAL: return "marginal";
    case STABLE_UNKNOWN: break;
    }
    return "not known";
}

/* ---- JSON ----------------------------------------------------------------- */

/* Eigenvalues are double in every precision. */
void analysis_double(Buffer *b, double value)
{
    if (COSY_PRECISION == 1)
        number_json(b, (real)value);
    else if (isfinite(value))
        buffer_format(b, "%.17g", value);
    else
        buffer_text(b, "null");
}

static void put_spot(Buffer *b, double re, double im)
{
    buffer_char(b, '[');
    analysis_double(b, re);
    buffer_text(b, ", ");
    analysis_double(b, im);
    buffer_char(b, ']');
}

void analysis_spots(Buffer *b, const RunSpots *p)
{
    if (!p->known) {
        buffer_text(b, "null");
        return;
    }
    buffer_char(b, '[');
    for (uint32_t k = 0; k < p->n; k++) {
        buffer_text(b, k ? ", " : "");
        put_spot(b, p->re[k], p->im[k]);
    }
    buffer_char(b, ']');
}

static void put_states(Buffer *b, const Cosy *c, const real *x)
{
    const CosyModel *m = c->model;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        uint32_t n = value_count(v);
        if (v->kind != COSY_STATE || !value_is_global(v))
            continue;
        json_key(&o, v->name);
        buffer_text(b, n > 1 ? "[" : "");
        for (uint32_t i = 0; i < n; i++) {
            buffer_text(b, i ? ", " : "");
            number_json(b, x[v->place + i]);
        }
        buffer_text(b, n > 1 ? "]" : "");
    }
    for (uint32_t i = m->states; i < c->head->states; i++) {
        Buffer name = {0};
        analysis_state(&name, c, i);
        json_number(&o, buffer_string(&name), x[i]);
        buffer_free(&name);
    }
    json_close(&o);
}

/* true, false, or null for what is neither, or not known. */
static void put_stable(JsonObject *o, Stability s)
{
    json_key(o, "stable");
    buffer_text(o->b, s == STABLE ? "true" : s == UNSTABLE ? "false" : "null");
    json_text(o, "stability", analysis_stable(s));
}

static void put_rest(Buffer *b, const Cosy *c, const RunRest *p)
{
    JsonObject o = json_open(b);
    json_key(&o, "final");
    put_states(b, c, p->x);
    json_number(&o, "residual", p->residual);
    put_stable(&o, p->stable);
    json_text(&o, "how", p->how);
    json_key(&o, "eigenvalues");
    analysis_spots(b, &p->poles);
    json_close(&o);
}

static void put_steady(Buffer *b, const RunSteady *s)
{
    const RunRest *first = s->point;
    Buffer name = {0};
    JsonObject o = json_open(b);
    analysis_state(&name, s->at, first->where);
    json_key(&o, "found");
    buffer_text(b, s->points ? "true" : "false");
    json_number(&o, "residual", first->residual);
    json_text(&o, "largest_at", buffer_string(&name));
    if (s->points) {
        json_number(&o, "correction", first->near);
        put_stable(&o, first->stable);
        json_text(&o, "how", first->how);
        json_count(&o, "conserved", s->laws);
        json_key(&o, "solutions");
        for (uint32_t k = 0; k < s->points; k++) {
            buffer_text(b, k ? ",\n  " : "[");
            put_rest(b, s->at, &s->point[k]);
        }
        buffer_char(b, ']');
    }
    json_close(&o);
    buffer_free(&name);
}

static void put_matrix(JsonObject *o, const char *name, const real *a,
                       uint32_t rows, uint32_t columns)
{
    Buffer *b = o->b;
    json_key(o, name);
    if (!a) {
        buffer_text(b, "null");
        return;
    }
    buffer_char(b, '[');
    for (size_t i = 0; i < rows; i++) {
        buffer_text(b, i ? ", [" : "[");
        for (size_t k = 0; k < columns; k++) {
            buffer_text(b, k ? ", " : "");
            number_json(b, a[i * columns + k]);
        }
        buffer_char(b, ']');
    }
    buffer_char(b, ']');
}

typedef void PutName(Buffer *b, const CosyModel *m, const RunLinear *l,
                     uint32_t k);

static void state_name(Buffer *b, const CosyModel *m, const RunLinear *l,
                       uint32_t k)
{
    (void)m;
    analysis_state(b, l->at, k);
}

static void input_name(Buffer *b, const CosyModel *m, const RunLinear *l,
                       uint32_t k)
{
    analysis_place(b, m, &m->linear_inputs[l->which->input[k]]);
}

static void output_name(Buffer *b, const CosyModel *m, const RunLinear *l,
                        uint32_t k)
{
    analysis_place(b, m, &m->linear_outputs[l->which->output[k]]);
}

static void put_names(JsonObject *o, const char *key, const CosyModel *m,
                      const RunLinear *l, PutName *put, uint32_t n)
{
    json_key(o, key);
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < n; k++) {
        Buffer name = {0};
        put(&name, m, l, k);
        buffer_text(o->b, k ? ", " : "");
        buffer_json(o->b, buffer_string(&name));
        buffer_free(&name);
    }
    buffer_char(o->b, ']');
}

static void put_zeros(JsonObject *o, const CosyModel *m, const RunLinear *l)
{
    bool any = false;
    json_key(o, "zeros");
    buffer_char(o->b, '[');
    for (uint32_t i = 0; l->zeros && i < l->which->outputs; i++)
        for (uint32_t k = 0; k < l->which->inputs; k++) {
            Buffer in = {0}, out = {0};
            input_name(&in, m, l, k);
            output_name(&out, m, l, i);
            buffer_text(o->b, any ? ", " : "");
            any = true;
            JsonObject z = json_open(o->b);
            json_text(&z, "input", buffer_string(&in));
            json_text(&z, "output", buffer_string(&out));
            json_key(&z, "zeros");
            analysis_spots(o->b, &l->zeros[i * l->which->inputs + k]);
            json_close(&z);
            buffer_free(&in);
            buffer_free(&out);
        }
    buffer_char(o->b, ']');
}

static bool is_long(const RunLinear *l)
{
    size_t n = l->states, in = l->which->inputs, out = l->which->outputs;
    return l->a && (n + out) * (n + in) > INLINE_MOST;
}

static bool is_long_along(const RunLinear *l)
{
    return (size_t)l->points * (2 * (size_t)l->states + 1) > INLINE_MOST;
}

static void put_along(Buffer *b, const RunLinear *l, uint32_t run)
{
    JsonObject o = json_open(b);
    json_number(&o, "every", l->every);
    json_count(&o, "points", l->points);
    if (is_long_along(l)) {
        json_key(&o, "eigenvalues");
        buffer_format(b, "\"eigenvalues-%04u.csv\"", run);
    } else {
        json_key(&o, "time");
        buffer_char(b, '[');
        for (uint32_t k = 0; k < l->points; k++) {
            buffer_text(b, k ? ", " : "");
            analysis_double(b, l->time[k]);
        }
        buffer_char(b, ']');
        json_key(&o, "eigenvalues");
        buffer_char(b, '[');
        for (size_t k = 0; k < l->points; k++) {
            RunSpots one = {l->states, l->re + k * l->states,
                            l->im + k * l->states, true};
            buffer_text(b, k ? ", " : "");
            analysis_spots(b, &one);
        }
        buffer_char(b, ']');
    }
    json_close(&o);
}

static void put_linear(Buffer *b, const CosyModel *m, const RunAnalysis *a,
                       uint32_t run)
{
    const RunLinear *l = a->linear;
    uint32_t n = l->states, in = l->which->inputs, out = l->which->outputs;
    JsonObject o = json_open(b);
    put_names(&o, "states", m, l, state_name, n);
    put_names(&o, "inputs", m, l, input_name, in);
    put_names(&o, "outputs", m, l, output_name, out);
    if (is_long(l)) {
        json_key(&o, "matrices");
        buffer_format(b, "\"linear-%04u.csv\"", run);
    } else {
        put_matrix(&o, "A", l->a, n, n);
        put_matrix(&o, "B", l->b, n, in);
        put_matrix(&o, "C", l->c, out, n);
        put_matrix(&o, "D", l->d, out, in);
    }
    json_key(&o, "poles");
    analysis_spots(b, &a->poles);
    put_zeros(&o, m, l);
    if (l->points) {
        json_key(&o, "along");
        put_along(b, l, run);
    }
    if (l->reduced) {
        json_line_key(&o, "reduced");
        reduced_json(b, m, l);
    }
    json_close(&o);
}

void analysis_json(Buffer *b, const CosyModel *m, const RunAnalysis *a,
                   uint32_t run)
{
    if (a->steady) {
        buffer_text(b, ",\n \"steady_state\": ");
        put_steady(b, a->steady);
    }
    if (a->poles.known) {
        buffer_text(b, ",\n \"eigenvalues\": ");
        analysis_spots(b, &a->poles);
    }
    if (a->linear) {
        buffer_text(b, ",\n \"linear\": ");
        put_linear(b, m, a, run);
    }
}

/* ---- Files ---------------------------------------------------------------- */

typedef struct Block {
    const char *name;
    const real *a;
    uint32_t rows, columns;
    PutName *row, *column;
} Block;

static void csv_block(Buffer *b, const CosyModel *m, const RunLinear *l,
                      const Block *k)
{
    for (uint32_t i = 0; i < k->rows; i++)
        for (uint32_t j = 0; j < k->columns; j++) {
            Buffer row = {0}, column = {0};
            k->row(&row, m, l, i);
            k->column(&column, m, l, j);
            buffer_format(b, "%s,", k->name);
            buffer_cell(b, buffer_string(&row));
            buffer_char(b, ',');
            buffer_cell(b, buffer_string(&column));
            buffer_char(b, ',');
            number_text(b, k->a[(size_t)i * k->columns + j]);
            buffer_char(b, '\n');
            buffer_free(&row);
            buffer_free(&column);
        }
}

static Status write_matrices(const CosyModel *m, const RunLinear *l,
                             const char *dir, uint32_t run, Fault *f)
{
    uint32_t n = l->states, in = l->which->inputs, out = l->which->outputs;
    const Block blocks[] = {{"A", l->a, n, n, state_name, state_name},
                            {"B", l->b, n, in, state_name, input_name},
                            {"C", l->c, out, n, output_name, state_name},
                            {"D", l->d, out, in, output_name, input_name}};
    Buffer b = {0};
    buffer_text(&b, "matrix,row,column,value\n");
    for (size_t k = 0; k < LENGTH(blocks); k++)
        csv_block(&b, m, l, &blocks[k]);
    return record_numbered(&b, dir, "linear", run, f);
}

static Status write_along(const RunLinear *l, const char *dir, uint32_t run,
                          Fault *f)
{
    Buffer b = {0};
    buffer_text(&b, "TIME");
    for (uint32_t i = 1; i <= l->states; i++)
        buffer_format(&b, ",re%u,im%u", i, i);
    buffer_char(&b, '\n');
    for (size_t k = 0; k < l->points; k++) {
        analysis_double(&b, l->time[k]);
        for (size_t i = k * l->states; i < (k + 1) * l->states; i++) {
            buffer_char(&b, ',');
            analysis_double(&b, l->re[i]);
            buffer_char(&b, ',');
            analysis_double(&b, l->im[i]);
        }
        buffer_char(&b, '\n');
    }
    return record_numbered(&b, dir, "eigenvalues", run, f);
}

Status analysis_write(const CosyModel *m, const RunAnalysis *a, const char *dir,
                      uint32_t run, Fault *f)
{
    const RunLinear *l = a->linear;
    if (l && is_long(l))
        TRY(write_matrices(m, l, dir, run, f));
    return l && is_long_along(l) ? write_along(l, dir, run, f) : STATUS_OK;
}

/* ---- Terminal ------------------------------------------------------------- */

void analysis_tell(Buffer *b, const RunSpots *p)
{
    for (uint32_t k = 0; k < p->n && k < TOLD_MOST; k++) {
        buffer_format(b, "%s%.6g", k ? ", " : "", p->re[k]);
        if (p->im[k] != 0.0)
            buffer_format(b, " %c %.6gi", p->im[k] < 0 ? '-' : '+',
                          fabs(p->im[k]));
    }
    if (p->n > TOLD_MOST)
        buffer_format(b, ", ... (%u)", p->n);
}

static void tell_rest(Buffer *b, const Cosy *c, const RunRest *p,
                      uint32_t number, uint32_t all)
{
    if (all > 1)
        buffer_format(b, "       %u  %s\n", number + 1,
                      analysis_stable(p->stable));
    for (uint32_t i = 0; i < c->head->states && i < TOLD_MOST; i++) {
        Buffer name = {0};
        analysis_state(&name, c, i);
        buffer_format(b, "          %-12s ", buffer_string(&name));
        number_text(b, p->x[i]);
        buffer_char(b, '\n');
        buffer_free(&name);
    }
    if (c->head->states > TOLD_MOST)
        buffer_format(b, "          ... (%u states)\n", c->head->states);
    if (!p->poles.known)
        return;
    buffer_text(b, "          eigenvalues  ");
    analysis_tell(b, &p->poles);
    buffer_char(b, '\n');
}

static void tell_steady(Buffer *b, const RunSteady *s)
{
    const RunRest *first = s->point;
    if (s->points == 0)
        return; // the message says it
    buffer_format(b, "       point of rest, %s; largest derivative %.3g; by %s",
                  analysis_stable(first->stable), (double)first->residual,
                  first->how);
    if (s->laws)
        buffer_format(b, "; %u conserved sum%s", s->laws,
                      s->laws > 1 ? "s" : "");
    buffer_char(b, '\n');
    if (s->points > 1)
        buffer_format(b,
                      "       %u points of rest were found; the first is "
                      "taken\n",
                      s->points);
    for (uint32_t k = 0; k < s->points; k++)
        tell_rest(b, s->at, &s->point[k], k, s->points);
}

void analysis_text(Buffer *b, const CosyModel *m, const RunAnalysis *a)
{
    if (a->steady)
        tell_steady(b, a->steady);
    if (!a->linear)
        return;
    if (a->poles.known) {
        buffer_text(b, "       eigenvalues  ");
        analysis_tell(b, &a->poles);
        buffer_char(b, '\n');
    }
    for (uint32_t i = 0; a->linear->zeros && i < a->linear->which->outputs; i++)
        for (uint32_t k = 0; k < a->linear->which->inputs; k++) {
            const RunSpots *z =
                &a->linear->zeros[i * a->linear->which->inputs + k];
            if (!z->known || i * a->linear->which->inputs + k >= TOLD_MOST)
                continue;
            buffer_text(b, "       zeros of ");
            output_name(b, m, a->linear, i);
            buffer_text(b, " by ");
            input_name(b, m, a->linear, k);
            buffer_text(b, "  ");
            analysis_tell(b, z);
            buffer_text(b, z->n ? "\n" : "none\n");
        }
    if (a->linear->reduced)
        reduced_text(b, m, a->linear);
}
