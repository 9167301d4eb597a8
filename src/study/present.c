#include "study/present.h"

#include <assert.h>
#include <string.h>

bool present_add(Present *p, real t, const Vector *data, const Vector *x,
                 bool slid)
{
    uint8_t mark = slid;
    bool ok =
        vector_append(&p->t, &t, sizeof t) &&
        vector_append(&p->slid, &mark, 1) &&
        (!data->used || vector_append(&p->data, data->bytes, data->used)) &&
        (!x->used || vector_append(&p->x, x->bytes, x->used));
    p->n += ok ? 1 : 0;
    return ok;
}

bool present_begin(Present *p, const Cosy *c)
{
    size_t data = c->model->data_size, x = c->model->states * sizeof(real);
    p->base_data.used = p->base_x.used = 0;
    return (!data || vector_append(&p->base_data, c->data, data)) &&
           (!x || vector_append(&p->base_x, c->x, x));
}

static size_t size_of(CosyType type)
{
    switch (type) {
    case COSY_TYPE_REAL: return sizeof(real);
    case COSY_TYPE_INTEGER: return sizeof(int64_t);
    case COSY_TYPE_BOOLEAN: break;
    }
    return sizeof(uint8_t);
}

/* Copies the elements of a variable that differ between `base` and `now`. */
static void take_assigned(const CosyVariable *v, const unsigned char *base,
                          const unsigned char *now, unsigned char *to)
{
    size_t size = size_of(v->type), n = (size_t)v->rows * v->columns;
    size_t at = v->kind == COSY_STATE ? v->place * size : v->place;
    for (size_t i = 0; i < n; i++, at += size)
        if (memcmp(base + at, now + at, size) != 0)
            memcpy(to + at, now + at, size);
}

static void take_all_assigned(const Present *p, const Cosy *c, const Cosy *now)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (v->process != COSY_NONE)
            continue;
        if (v->kind == COSY_STATE)
            take_assigned(v, p->base_x.bytes,
                          (const unsigned char *)(const void *)now->x,
                          (unsigned char *)(void *)c->x);
        else if (v->kind == COSY_CONST || v->kind == COSY_REAL ||
                 v->kind == COSY_DSTATE)
            take_assigned(v, p->base_data.bytes, now->data, c->data);
    }
}

real present_take(const Present *p, const Cosy *c, uint32_t k, const Cosy *now)
{
    real t;
    size_t data = c->model->data_size, x = c->model->states * sizeof(real);
    assert(k < p->n && p->data.used == p->n * data && p->x.used == p->n * x);
    if (data)
        memcpy(c->data, p->data.bytes + k * data, data);
    if (x)
        memcpy(c->x, p->x.bytes + k * x, x);
    memcpy(&t, p->t.bytes + k * sizeof t, sizeof t);
    take_all_assigned(p, c, now);
    return t;
}

void present_clear(Present *p)
{
    p->data.used = p->x.used = p->t.used = p->slid.used = 0;
    p->n = 0;
    p->rests = false;
}

void present_free(Present *p)
{
    vector_free(&p->data);
    vector_free(&p->x);
    vector_free(&p->t);
    vector_free(&p->slid);
    vector_free(&p->base_data);
    vector_free(&p->base_x);
    *p = (Present){0};
}
