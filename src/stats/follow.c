#include "stats/follow.h"

#include <assert.h>
#include <string.h>

const uint32_t follow_shares[FOLLOW_SHARES] = {5, 25, 50, 75, 95};

Status follow_create(Follow *f, const CosyModel *m, Arena *a, Image *image)
{
    *f = (Follow){.warm = COSY_NONE, .size = FOLLOW_SIZE};
    if (!vector_append(&f->heads, NULL, m->n_collects * sizeof(SketchHead)))
        return STATUS_MEMORY;
    TRY(image_add_vector(image, a, "quantiles", &f->heads));
    return image_add_vector(image, a, "quantile cells", &f->octaves);
}

void follow_settle(Follow *f, Cosy *c, uint32_t warm)
{
    f->warm = warm;
    for (uint32_t k = 0; k < c->model->n_collects; k++)
        c->collect[k].followed =
            c->collect[k].active && (c->collect[k].quantiles || k == warm);
}

/* Two neighbours become one. */
static void join(Follow *f)
{
    FollowMean *m = (FollowMean *)(void *)f->means.bytes;
    size_t n = f->means.used / sizeof *m / 2;
    for (size_t k = 0; k < n; k++) {
        FollowMean *a = &m[2 * k], *b = &m[2 * k + 1];
        m[k] = (FollowMean){(a->mean + b->mean) / R(2.0), a->from};
    }
    f->means.used = n * sizeof *m;
    f->size *= 2;
}

static bool take_mean(Follow *f, real t, real value)
{
    if (f->taken == 0) {
        f->from = t;
        f->sum = R(0.0);
    }
    f->sum += value;
    if (++f->taken < f->size)
        return true;
    FollowMean one = {f->sum / (real)f->size, f->from};
    f->taken = 0;
    if (!vector_append(&f->means, &one, sizeof one))
        return false;
    if (f->means.used / sizeof one == FOLLOW_MOST)
        join(f);
    return true;
}

bool follow_take(Follow *f, const Cosy *c, uint32_t collect, real value)
{
    assert(c->collect[collect].followed);
    SketchHead *h = (SketchHead *)(void *)f->heads.bytes + collect;
    if (c->collect[collect].quantiles &&
        !sketch_add(h, &f->octaves, (double)value))
        return false;
    return collect != f->warm || take_mean(f, c->head->t, value);
}

void follow_clear(Follow *f)
{
    f->octaves.used = 0;
    if (f->heads.used)
        memset(f->heads.bytes, 0, f->heads.used);
}

real follow_quantile(const Follow *f, uint32_t collect, uint32_t per_cent)
{
    return (real)sketch_quantile(follow_sketch(f, collect), &f->octaves,
                                 (double)per_cent / 100.0);
}

void follow_free(Follow *f)
{
    vector_free(&f->heads);
    vector_free(&f->octaves);
    vector_free(&f->means);
}
