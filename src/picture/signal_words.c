#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "picture/signals.h"
#include "stats/json.h"
#include "stats/number.h"
#include "stats/value.h"

/* Operations on data as tables on a terminal, as a member of summary.json, and as
   files. */

/* ---- Names ----------------------------------------------------------------------- */

const char *signals_unit(Buffer *b, const CosyModel *m)
{
    const char *unit = value_shown_unit(cosy_time_unit(m));
    b->v.used = 0;
    if (strcmp(unit, "s") == 0)
        buffer_text(b, "Hz");
    else if (unit[0])
        buffer_format(b, "1/%s", unit);
    return buffer_string(b);
}

static void put_column(Buffer *b, const CosyModel *m, const ShowColumn *c,
                       bool unit)
{
    show_name(b, m, c);
    if (unit)
        value_put_unit(b, show_unit(m, c));
}

void signals_name(Buffer *b, const Gallery *g, const Signal *s,
                  const SignalRow *r, bool unit)
{
    put_column(b, g->model, &r->what, unit);
    if (r->with.variable != COSY_NONE) {
        buffer_text(b, ", ");
        put_column(b, g->model, &r->with, unit);
    }
    if (s->several)
        buffer_format(b, ", run %u", r->run->run);
}

const char *signals_title(const Signal *s)
{
    if (s->line->title[0])
        return s->line->title;
    switch (s->line->kind) {
    case COSY_AUTOCORR: return "Autocorrelation";
    case COSY_CROSSCORR: return "Cross-correlation";
    case COSY_COMPARE: return "Comparison";
    default: return s->line->density ? "Power density" : "Amplitude spectrum";
    }
}

static const char *kind_of(const Signal *s)
{
    switch (s->line->kind) {
    case COSY_AUTOCORR: return "autocorrelation";
    case COSY_CROSSCORR: return "crosscorrelation";
    case COSY_COMPARE: return "comparison";
    default: return s->line->density ? "density" : "spectrum";
    }
}

/* ---- Tables ---------------------------------------------------------------------- */

enum { NAME_WIDE = 20, CELL_WIDE = 16, SMALL_WIDE = 11 };

static void put_right(Buffer *b, const char *text, uint32_t width)
{
    for (size_t n = strlen(text); n < width; n++)
        buffer_char(b, ' ');
    buffer_text(b, text);
}

static void put_number(Buffer *b, real v, int digits, uint32_t width)
{
    Buffer text = {0};
    if (v == v)
        number_print(&text, 'g', digits, v + R(0.0));
    else
        buffer_char(&text, '-');
    put_right(b, buffer_string(&text), width);
    buffer_free(&text);
}

/* A name that does not fit has a line of its own. */
static void put_name(Buffer *b, const Gallery *g, const Signal *s,
                     const SignalRow *r)
{
    Buffer name = {0};
    buffer_text(&name, "  ");
    signals_name(&name, g, s, r, true);
    size_t n = name.v.used;
    buffer_text(b, buffer_string(&name));
    if (n > NAME_WIDE) {
        buffer_char(b, '\n');
        n = 0;
    }
    for (; n < NAME_WIDE; n++)
        buffer_char(b, ' ');
    buffer_free(&name);
}

static void put_head(Buffer *b, const char *word, const char *unit,
                     uint32_t width)
{
    char text[80];
    snprintf(text, sizeof text, unit[0] ? "%s [%s]" : "%s", word, unit);
    put_right(b, text, width);
}

static void put_first(Buffer *b, const char *word)
{
    buffer_format(b, "  %-*s", NAME_WIDE - 2, word);
}

static void spectrum_text(Buffer *b, const Gallery *g, const Signal *s)
{
    Buffer unit = {0};
    const char *per = signals_unit(&unit, g->model);
    put_first(b, "variable");
    put_head(b, "frequency", per, CELL_WIDE + 4);
    put_head(b, s->line->density ? "density" : "amplitude", "", CELL_WIDE);
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < s->n; k++) {
        const SignalRow *r = &s->row[k];
        put_name(b, g, s, r);
        for (uint32_t i = 0; i < r->peaks; i++) {
            buffer_format(b, "%*s", i ? NAME_WIDE : 0, "");
            put_number(b, r->peak[i].at, 7, CELL_WIDE + 4);
            put_number(b, r->peak[i].amplitude, 7, CELL_WIDE);
            buffer_char(b, '\n');
        }
        if (r->peaks == 0) {
            put_right(b, r->value > R(0.0) ? "no line stands out" : "constant",
                      CELL_WIDE + 4);
            buffer_char(b, '\n');
        }
        if (k + 1 == s->n) {
            buffer_format(b, "  Lines are %.6g %s apart and end at %.6g %s",
                          (double)r->dx, per, (double)r->highest, per);
            if (r->pieces)
                buffer_format(b, "; mean of %u piece%s", r->pieces,
                              r->pieces == 1 ? "" : "s");
            buffer_text(b, ".\n");
        }
    }
    buffer_free(&unit);
}

static void correlation_text(Buffer *b, const Gallery *g, const Signal *s)
{
    const char *unit = value_shown_unit(cosy_time_unit(g->model));
    bool two = s->line->kind == COSY_CROSSCORR;
    put_first(b, two ? "variables" : "variable");
    if (!two)
        put_head(b, "1/e at lag", unit, CELL_WIDE + 3);
    put_head(b, two ? "largest at lag" : "next peak at", unit, CELL_WIDE + 5);
    put_head(b, "correlation", "", CELL_WIDE);
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < s->n; k++) {
        const SignalRow *r = &s->row[k];
        put_name(b, g, s, r);
        if (!two)
            put_number(b, r->falls, 6, CELL_WIDE + 3);
        put_number(b, r->lag, 6, CELL_WIDE + 5);
        put_number(b, r->value, 6, CELL_WIDE);
        buffer_char(b, '\n');
    }
    if (s->n == 0)
        return;
    const SignalRow *r = &s->row[0];
    buffer_format(b, "  Lags are %.6g apart, up to %.6g", (double)r->dx,
                  (double)(r->x0 + r->dx * (real)(r->n - 1)));
    buffer_format(b,
                  two ? "; at a positive lag the second comes later.\n"
                      : "; noise stays within %.3g.\n",
                  1.96 / (double)cosy_sqrt((real)r->axis.n));
}

static void comparison_text(Buffer *b, const Gallery *g, const Signal *s)
{
    put_first(b, "variable");
    put_right(b, "mean", SMALL_WIDE);
    put_right(b, "rms", SMALL_WIDE);
    put_right(b, "largest", SMALL_WIDE);
    put_right(b, "at TIME", SMALL_WIDE);
    put_right(b, "R^2", SMALL_WIDE - 3);
    put_right(b, "digits\n", SMALL_WIDE - 2);
    for (uint32_t k = 0; k < s->n; k++) {
        const SignalRow *r = &s->row[k];
        put_name(b, g, s, r);
        put_number(b, r->d.mean, 4, SMALL_WIDE);
        put_number(b, r->d.rms, 4, SMALL_WIDE);
        put_number(b, r->d.most, 4, SMALL_WIDE);
        put_number(b, r->d.at, 5, SMALL_WIDE);
        put_number(b, r->d.r2, 4, SMALL_WIDE - 3);
        buffer_format(b, "%8.1f\n", (double)differ_digits(&r->d));
    }
    if (s->n == 0)
        return;
    const SignalRow *r = &s->row[0];
    const char *unit = value_shown_unit(cosy_time_unit(g->model));
    if (s->several)
        buffer_text(b, "  Differences are each run minus ");
    else
        buffer_format(b, "  Differences are run %u minus ", r->run->run);
    if (r->other)
        buffer_format(b, "run %u", r->other->run);
    else
        buffer_format(b, "data (%zu point%s)", r->d.n, r->d.n == 1 ? "" : "s");
    buffer_format(b, ", from %.6g to %.6g%s%s.\n", (double)r->d.from,
                  (double)r->d.to, unit[0] ? " " : "", unit);
}

void signals_text(Buffer *b, Gallery *g, const Signal *s)
{
    CosyShow line = *s->line;
    ShowSource from = {.model = g->model};
    if (s->n == 0)
        return; // messages have said why
    line.title = signals_title(s);
    if (s->several)
        snprintf(from.what, sizeof from.what, "all runs");
    else
        snprintf(from.what, sizeof from.what, "run %u", s->row[0].run->run);
    show_title(b, &line, &from);
    switch (line.kind) {
    case COSY_SPECTRUM: spectrum_text(b, g, s); break;
    case COSY_COMPARE: comparison_text(b, g, s); break;
    default: correlation_text(b, g, s); break;
    }
}

/* ---- summary.json ---------------------------------------------------------------- */

static void file_name(char name[40], const Signal *s)
{
    static const char *const word[] = {"spectrum", "correlation", "comparison"};
    snprintf(name, 40, "%s-%04u.csv",
             word[s->line->kind == COSY_SPECTRUM  ? 0
                  : s->line->kind == COSY_COMPARE ? 2
                                                  : 1],
             s->number);
}

static void put_values(JsonObject *o, const SignalRow *r)
{
    json_count(o, "intervals", r->axis.n - 1);
    json_number(o, "step", r->axis.step);
    json_key(o, "interpolated");
    buffer_text(o->b, r->axis.records ? "false" : "true");
}

static void spectrum_json(JsonObject *o, const Signal *s, const SignalRow *r)
{
    put_values(o, r);
    json_number(o, "mean", r->mean);
    json_number(o, "resolution", r->dx);
    json_number(o, "nyquist", r->highest);
    json_number(o, "edge", r->edge);
    if (s->line->density)
        json_count(o, "pieces", r->pieces);
    json_key(o, "main");
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < r->peaks; k++) {
        buffer_text(o->b, k ? ", " : "");
        JsonObject p = json_open(o->b);
        json_number(&p, "frequency", r->peak[k].at);
        json_number(&p, s->line->density ? "density" : "amplitude",
                    r->peak[k].amplitude);
        json_close(&p);
    }
    buffer_char(o->b, ']');
}

static void correlation_json(JsonObject *o, const Signal *s, const SignalRow *r)
{
    put_values(o, r);
    if (s->line->kind == COSY_AUTOCORR)
        json_number(o, "falls", r->falls);
    json_number(o, "lag", r->lag);
    json_number(o, "correlation", r->value);
}

static void comparison_json(JsonObject *o, const SignalRow *r)
{
    if (r->other)
        json_count(o, "other", r->other->run);
    json_count(o, "points", r->d.n);
    json_count(o, "outside", r->d.outside);
    json_number(o, "from", r->d.from);
    json_number(o, "to", r->d.to);
    json_number(o, "mean", r->d.mean);
    json_number(o, "rms", r->d.rms);
    json_number(o, "largest", r->d.most);
    json_number(o, "at", r->d.at);
    json_number(o, "r2", r->d.r2);
    json_key(o, "digits");
    buffer_format(o->b, "%.1f", (double)differ_digits(&r->d));
}

static void row_json(Buffer *b, const Gallery *g, const Signal *s,
                     const SignalRow *r)
{
    Buffer name = {0};
    JsonObject o = json_open(b);
    json_count(&o, "run", r->run->run);
    show_name(&name, g->model, &r->what);
    json_text(&o, "name", buffer_string(&name));
    if (r->with.variable != COSY_NONE) {
        name.v.used = 0;
        show_name(&name, g->model, &r->with);
        json_text(&o, "with", buffer_string(&name));
    }
    switch (s->line->kind) {
    case COSY_SPECTRUM: spectrum_json(&o, s, r); break;
    case COSY_COMPARE: comparison_json(&o, r); break;
    default: correlation_json(&o, s, r); break;
    }
    json_close(&o);
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

void signals_json(Buffer *b, Gallery *g)
{
    const Signals *all = signals_find(g);
    char name[40];
    if (!all || all->n == 0)
        return;
    buffer_text(b, "\"signals\": [");
    for (uint32_t k = 0; k < all->n; k++) {
        const Signal *s = &all->signal[k];
        buffer_text(b, k ? ",\n  " : "\n  ");
        JsonObject o = json_open(b);
        json_text(&o, "kind", kind_of(s));
        json_text(&o, "title", signals_title(s));
        file_name(name, s);
        json_text(&o, "file", s->n ? name : NULL);
        json_key(&o, "curves");
        buffer_char(b, '[');
        for (uint32_t i = 0; i < s->n; i++) {
            buffer_text(b, i ? ",\n    " : "\n    ");
            row_json(b, g, s, &s->row[i]);
        }
        buffer_char(b, ']');
        json_close(&o);
    }
    buffer_char(b, ']');
}

/* ---- Files ----------------------------------------------------------------------- */

static void put_header(Buffer *b, const Gallery *g, const Signal *s)
{
    Buffer unit = {0};
    buffer_text(b, "run,variable,");
    switch (s->line->kind) {
    case COSY_SPECTRUM:
        buffer_text(b, "frequency");
        value_put_unit(b, signals_unit(&unit, g->model));
        buffer_text(b, s->line->density ? ",density" : ",amplitude");
        break;
    case COSY_COMPARE:
        buffer_text(b, "TIME");
        value_put_unit(b, cosy_time_unit(g->model));
        buffer_text(b, ",difference");
        break;
    default:
        buffer_text(b, "lag");
        value_put_unit(b, cosy_time_unit(g->model));
        buffer_text(b, ",correlation");
        break;
    }
    buffer_char(b, '\n');
    buffer_free(&unit);
}

/* A row for each point of a curve, in the tidy form: the curve it belongs to comes
   first. */
static void put_curve(Buffer *b, const Gallery *g, const SignalRow *r)
{
    Buffer name = {0};
    bool points = r->d.drawn > 0;
    size_t n = points ? r->d.drawn : r->n;
    put_column(&name, g->model, &r->what, true);
    if (r->with.variable != COSY_NONE) {
        buffer_text(&name, ", ");
        put_column(&name, g->model, &r->with, true);
    }
    for (size_t k = 0; k < n; k++) {
        buffer_format(b, "%u,", r->run->run);
        buffer_cell(b, buffer_string(&name));
        buffer_char(b, ',');
        number_text(b, points ? r->d.t[k] : r->x0 + (real)k * r->dx);
        buffer_char(b, ',');
        number_text(b, points ? r->d.d[k] : r->y[k]);
        buffer_char(b, '\n');
    }
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

Status signals_write(Gallery *g, const char *dir)
{
    const Signals *all = signals_find(g);
    Status status = all ? STATUS_OK : STATUS_MEMORY;
    for (uint32_t k = 0; status == STATUS_OK && k < all->n; k++) {
        const Signal *s = &all->signal[k];
        Buffer text = {0}, path = {0};
        char name[40];
        if (s->n == 0)
            continue;
        file_name(name, s);
        buffer_format(&path, "%s/%s", dir, name);
        put_header(&text, g, s);
        for (uint32_t i = 0; i < s->n; i++)
            put_curve(&text, g, &s->row[i]);
        status = text.broken || path.broken
                     ? fault_set(g->fault, STATUS_MEMORY,
                                 "no memory for the text of %s", name)
                     : file_put(buffer_string(&path), text.v.bytes, text.v.used,
                                g->fault);
        buffer_free(&text);
        buffer_free(&path);
    }
    return status;
}
