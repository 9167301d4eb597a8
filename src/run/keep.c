#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"

/* The model's data and the attributes of all copies, kept in three places while
   sides and bodies are tried. */

static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static size_t attributes_size(const Cosy *c, uint32_t process)
{
    return (size_t)c->copy[process].count * c->model->copies[process].size;
}

size_t keep_size(const Run *r)
{
    const CosyModel *m = r->model;
    size_t size = rounded(m->data_size);
    for (uint32_t p = 0; p < m->n_copies; p++)
        size += rounded(attributes_size(r->c, p));
    return size;
}

bool keep_room(Run *r)
{
    return vector_fit(&r->slide.data, KEPT * keep_size(r) + 16);
}

unsigned char *keep_data(const Run *r, uint32_t which)
{
    return r->slide.data.bytes + which * keep_size(r);
}

unsigned char *keep_attributes(const Run *r, uint32_t which, uint32_t process)
{
    unsigned char *at = keep_data(r, which) + rounded(r->model->data_size);
    for (uint32_t p = 0; p < process; p++)
        at += rounded(attributes_size(r->c, p));
    return at;
}

void keep_store(const Run *r, uint32_t which)
{
    const Cosy *c = r->c;
    memcpy(keep_data(r, which), c->data, r->model->data_size);
    for (uint32_t p = 0; p < r->model->n_copies; p++)
        if (c->copy[p].count)
            memcpy(keep_attributes(r, which, p), c->attributes[p],
                   attributes_size(c, p));
}

void keep_restore(const Run *r, uint32_t which)
{
    Cosy *c = r->c;
    memcpy(c->data, keep_data(r, which), r->model->data_size);
    for (uint32_t p = 0; p < r->model->n_copies; p++)
        if (c->copy[p].count)
            memcpy(c->attributes[p], keep_attributes(r, which, p),
                   attributes_size(c, p));
}
