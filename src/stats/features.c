#include "stats/features.h"

#include <math.h>

#include "stats/json.h"
#include "stats/number.h"

static void put_samples(Buffer *b, const RunFeatures *f)
{
    size_t n = f->samples + (f->end.t == f->end.t ? 1 : 0);
    buffer_char(b, '[');
    for (size_t k = 0; k < n; k++) {
        const FeatureSample *s = k < f->samples ? &f->sample[k] : &f->end;
        buffer_text(b, k == 0 ? "" : ", ");
        JsonObject o = json_open(b);
        json_number(&o, "t", (real)s->t);
        json_number(&o, "stiffness", (real)s->stiffness);
        json_number(&o, "fastest", (real)s->fastest);
        json_number(&o, "growth", (real)s->growth);
        json_close(&o);
    }
    buffer_char(b, ']');
}

static void put_unstable(Buffer *b, const RunFeatures *f)
{
    buffer_char(b, '[');
    for (size_t k = 0; k < f->unstables; k++) {
        buffer_text(b, k == 0 ? "" : ", ");
        JsonObject o = json_open(b);
        json_number(&o, "from", (real)f->unstable[k].from);
        json_number(&o, "to", (real)f->unstable[k].to);
        json_close(&o);
    }
    buffer_char(b, ']');
}

static void put_critical(Buffer *b, const RunFeatures *f)
{
    JsonObject o = json_open(b);
    for (size_t k = 0; k < f->criticals; k++)
        json_number(&o, f->critical[k].name, (real)f->critical[k].share);
    json_close(&o);
}

static void put_mode(Buffer *b, const FeatureMode *m)
{
    JsonObject o = json_open(b), p;
    json_key(&o, "eigenvalue");
    buffer_char(b, '[');
    number_json(b, (real)m->re);
    buffer_text(b, ", ");
    number_json(b, (real)m->im);
    buffer_char(b, ']');
    json_number(&o, "time_constant", (real)(1.0 / fabs(m->re)));
    json_key(&o, "states");
    p = json_open(b);
    for (uint32_t k = 0; k < m->carriers; k++)
        json_number(&p, m->carrier[k].name, (real)m->carrier[k].share);
    json_close(&p);
    json_close(&o);
}

static void put_unsupported(Buffer *b, const RunFeatures *f)
{
    JsonObject o = json_open(b);
    json_number(&o, "time", (real)f->invalid_at);
    json_number(&o, "border", (real)f->border);
    json_key(&o, "modes");
    buffer_char(b, '[');
    for (size_t k = 0; k < f->modes; k++) {
        buffer_text(b, k ? ", " : "");
        put_mode(b, &f->mode[k]);
    }
    buffer_char(b, ']');
    json_count(&o, "more", f->more_modes);
    json_close(&o);
}

void features_json(Buffer *b, const RunFeatures *f)
{
    JsonObject o = json_open(b);
    if (f->accuracy > 0.0)
        json_number(&o, "accuracy", (real)f->accuracy);
    json_number(&o, "ff5", (real)f->ff5);
    json_number(&o, "ff6", (real)f->ff6);
    json_number(&o, "neutral", (real)f->neutral);
    json_number(&o, "fading", (real)f->fading);
    json_number(&o, "stiffness", (real)f->stiffness);
    json_number(&o, "stiffest_at", (real)f->at);
    json_number(&o, "stiffness_mean", (real)f->mean_stiffness);
    json_number(&o, "fastest", (real)f->fastest);
    json_number(&o, "growth", (real)f->growth);
    json_number(&o, "oscillation", (real)f->oscillation);
    json_count(&o, "states", f->states);
    json_count(&o, "points", f->points);
    json_count(&o, "every", f->every);
    json_count(&o, "missed", f->missed);
    json_count(&o, "rejected", f->rejected);
    json_key(&o, "critical");
    put_critical(b, f);
    json_key(&o, "unstable");
    put_unstable(b, f);
    json_count(&o, "more_unstable", f->more_unstable);
    if (f->modes) {
        json_line_key(&o, "unsupported");
        put_unsupported(b, f);
    }
    json_line_key(&o, "samples");
    put_samples(b, f);
    json_close(&o);
}
