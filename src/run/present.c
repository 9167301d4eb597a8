#include "run/present.h"

#include <assert.h>
#include <string.h>

bool present_add(Present *p, real t, const Vector *data, const Vector *x)
{
    bool ok = vector_append(&p->t, &t, sizeof t) &&
              (!data->used || vector_append(&p->data, data->bytes, data->used)) &&
              (!x->used || vector_append(&p->x, x->bytes, x->used));
    p->n += ok ? 1 : 0;
    return ok;
}

real present_take(const Present *p, const Cosy *c, uint32_t k)
{
    real t;
    size_t data = c->model->data_size, x = c->model->states * sizeof(real);
    assert(k < p->n && p->data.used == p->n * data && p->x.used == p->n * x);
    if (data)
        memcpy(c->data, p->data.bytes + k * data, data);
    if (x)
        memcpy(c->x, p->x.bytes + k * x, x);
    memcpy(&t, p->t.bytes + k * sizeof t, sizeof t);
    return t;
}

void present_clear(Present *p)
{
    p->data.used = p->x.used = p->t.used = 0;
    p->n = 0;
    p->rests = false;
}

void present_free(Present *p)
{
    vector_free(&p->data);
    vector_free(&p->x);
    vector_free(&p->t);
    *p = (Present){0};
}
