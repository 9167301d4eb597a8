#include "study/fit_slope.h"

#include <math.h>
#include <string.h>

static const CosyGradient *gradient_of(const CosyModel *m, const CosyWanted *w,
                                       uint32_t *sense)
{
    uint32_t element = w->index == COSY_NONE ? 0 : w->index;
    for (uint32_t k = 0; k < m->n_senses; k++)
        if (m->senses[k].variable == w->variable &&
            m->senses[k].element == element) {
            *sense = k;
            return m->senses[k].followed ? &m->senses[k] : NULL;
        }
    return NULL;
}

static const CosyCompanion *companion_of(const CosyModel *m, uint32_t variable,
                                         uint32_t sense)
{
    for (uint32_t k = 0; k < m->n_companions; k++) {
        const CosyCompanion *c = &m->companions[k];
        if (c->variable == variable && c->sense == sense &&
            c->process == COSY_NONE)
            return c;
    }
    return NULL;
}

/* False: the derivative of an expression is not known. */
static bool find(const CosyModel *m, const CosyItemOf *item,
                 const CosyGradient *g, uint32_t sense, FitSlope *to)
{
    uint32_t element = item->element == COSY_NONE ? 0 : item->element;
    *to = (FitSlope){.kind = FIT_SLOPE_ZERO, .sense = sense};
    if (item->variable == COSY_NONE)
        return true;
    const CosyCompanion *c = companion_of(m, item->variable, sense);
    if (c) {
        to->kind = c->kind == COSY_STATE ? FIT_SLOPE_STATE : FIT_SLOPE_DATA;
        to->place =
            c->place +
            element * (c->kind == COSY_STATE ? 1 : (uint32_t)sizeof(real));
        return true;
    }
    if (item->variable == g->variable && element == g->element)
        to->kind = FIT_SLOPE_ONE;
    return item->variable < m->n_variables;
}

static size_t count(const CosySearch *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->fit->n_data; i++)
        n += (size_t)s->fit->data[i].observed * 2 * s->n;
    return n;
}

const FitSlope *fit_slopes(const CosySearch *s, const CosyModel *m, Arena *a)
{
    FitSlope *all = NEW_ARRAY(a, FitSlope, count(s) + 1), *to = all;
    if (!all || m->n_senses == 0)
        return NULL;
    for (uint32_t i = 0; i < s->fit->n_data; i++)
        for (uint32_t k = 0; k < 2 * s->fit->data[i].observed; k++)
            for (uint32_t p = 0; p < s->n; p++) {
                const CosyObserved *o = &s->fit->data[i].observe[k / 2];
                uint32_t sense = 0;
                const CosyGradient *g =
                    gradient_of(m, &s->parameter[p], &sense);
                if (!g ||
                    !find(m, k % 2 ? &o->noise : &o->item, g, sense, to++))
                    return NULL;
            }
    return all;
}

real fit_slope_at(const FitSlope *f, const Cosy *c, const uint8_t *lost)
{
    real value = R(0.0);
    if (f->kind >= FIT_SLOPE_STATE && lost && lost[f->sense])
        return (real)NAN;
    switch (f->kind) {
    case FIT_SLOPE_ZERO: break;
    case FIT_SLOPE_ONE: return R(1.0);
    case FIT_SLOPE_STATE: return c->x[f->place];
    case FIT_SLOPE_DATA:
        memcpy(&value, (const unsigned char *)c->data + f->place, sizeof value);
    }
    return value;
}
