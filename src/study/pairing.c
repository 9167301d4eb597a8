#include "study/pairing.h"

#include <assert.h>
#include <math.h>

#include "stats/record.h"
#include "stats/value.h"

static Mesh *mesh_of(const Pairing *p, uint32_t field)
{
    return (Mesh *)(void *)p->mesh.bytes + field;
}

static const real *reals(const Vector *v)
{
    return (const real *)(const void *)v->bytes;
}

static real exact_real(Exact e)
{
    return (real)e.high + (real)e.low;
}

/* ---- Fields ---------------------------------------------------------------------- */

uint32_t pairing_rows(const PairSide *s)
{
    size_t row = record_width(s->model, false) * sizeof(real);
    return (uint32_t)(s->digest->rows.used / row);
}

static uint32_t field_points(const CosyModel *m, uint32_t field)
{
    return value_count(&m->variables[m->fields[field].variable]);
}

const real *pairing_field(const PairSide *s, uint32_t field, uint32_t row)
{
    const CosyModel *m = s->model;
    size_t at = 0;
    if (row == PAIRING_END) {
        for (uint32_t k = 0; k < field; k++)
            at += field_points(m, k);
        return s->digest->fields.used ? reals(&s->digest->fields) + at : NULL;
    }
    uint32_t column = record_column(m, m->fields[field].variable, 0);
    uint32_t width = record_width(m, false);
    if (column == 0 || column >= width || row >= pairing_rows(s))
        return NULL;
    return reals(&s->digest->rows) + (size_t)row * width + column;
}

/* The coordinates of an axis. */
static const real *points_of(const PairSide *s, uint32_t axis)
{
    size_t at = 0;
    for (uint32_t k = 0; k < axis; k++)
        at += s->model->axes[k].points;
    assert((at + s->model->axes[axis].points) * sizeof(real) <=
           s->digest->points.used);
    return reals(&s->digest->points) + at;
}

static uint32_t intervals(const CosyAxis *x)
{
    return x->periodic ? x->points : x->points - 1;
}

real pairing_ratio(const PairSide *a, const PairSide *b, uint32_t field)
{
    const CosyField *f = &a->model->fields[field];
    real least = R(0.0);
    for (uint32_t k = 0; k < f->axes; k++) {
        real r = (real)intervals(&a->model->axes[f->axis[k]]) /
                 (real)intervals(&b->model->axes[f->axis[k]]);
        least = k == 0 ? r : cosy_min(least, r);
    }
    return least;
}

static bool open_mesh(const Pairing *p, uint32_t field, Mesh *mesh)
{
    const CosyField *f = &p->a.model->fields[field];
    uint32_t fine[MESH_AXES], coarse[MESH_AXES];
    const real *fine_at[MESH_AXES], *coarse_at[MESH_AXES];
    assert(f->axes >= 1 && f->axes <= MESH_AXES);
    for (uint32_t k = 0; k < f->axes; k++) {
        fine[k] = p->a.model->axes[f->axis[k]].points;
        coarse[k] = p->b.model->axes[f->axis[k]].points;
        fine_at[k] = points_of(&p->a, f->axis[k]);
        coarse_at[k] = points_of(&p->b, f->axis[k]);
    }
    return mesh_open(mesh, f->axes, fine, fine_at, coarse, coarse_at,
                     f->order ? f->order : MESH_WIDTH);
}

static bool open_meshes(Pairing *p)
{
    uint32_t n = p->a.model->n_fields;
    assert(n == p->b.model->n_fields);
    if (!vector_append(&p->mesh, NULL, n * sizeof(Mesh)))
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (!open_mesh(p, k, mesh_of(p, k)))
            return false;
    return true;
}

MeshNorms pairing_norms(Pairing *p, uint32_t field, uint32_t row)
{
    const MeshNorms none = {COSY_NAN, COSY_NAN, COSY_NAN};
    uint32_t other = row == PAIRING_END ? row : pairing_row(p, row);
    if (other == COSY_NONE || (row == PAIRING_END && !pairing_settled(p)))
        return none;
    const real *fine = pairing_field(&p->a, field, row);
    const real *coarse = pairing_field(&p->b, field, other);
    return fine && coarse ? mesh_compare(mesh_of(p, field), fine, coarse)
                          : none;
}

/* ---- Rows ------------------------------------------------------------------------- */

/* How far the rows of both runs have been gone through. */
typedef struct Walk {
    const Pairing *p;
    bool back; // time runs backward
    const DigestEvent *event;
    uint32_t events, next; // the first event of a that is not before the row
    uint32_t at;           // row of b
} Walk;

static real row_time(const PairSide *s, uint32_t row)
{
    return reals(&s->digest->rows)[(size_t)row * record_width(s->model, false)];
}

static bool is_before(const Walk *w, real a, real b)
{
    return w->back ? a > b : a < b;
}

/* Whether a communication point at t lies between the same events in b. */
static bool is_between(const Walk *w, real t)
{
    real low = w->next > 0 ? pairing_time(w->p, w->next - 1) : t;
    real high = w->next < w->events ? pairing_time(w->p, w->next) : COSY_NAN;
    return cosy_finite(low) && !is_before(w, t, low) &&
           !(cosy_finite(high) && is_before(w, high, t));
}

/* The time in b of a row at time t of a; NaN: it has none there. */
static real partner_time(Walk *w, real t)
{
    while (w->next < w->events &&
           is_before(w, exact_real(w->event[w->next].t), t))
        w->next++;
    bool here = w->next < w->events && exact_real(w->event[w->next].t) == t;
    bool parted =
        w->p->events.parts && !is_before(w, t, (real)w->p->events.parts_at);
    if (parted)
        return COSY_NAN;
    if (here)
        return pairing_time(w->p, w->next);
    return is_between(w, t) ? t : COSY_NAN;
}

/* The nth row of b at that time. */
static uint32_t find_row(Walk *w, real t, uint32_t nth)
{
    uint32_t n = pairing_rows(&w->p->b);
    while (w->at < n && is_before(w, row_time(&w->p->b, w->at), t))
        w->at++;
    bool found = w->at + nth < n && row_time(&w->p->b, w->at + nth) == t;
    return found ? w->at + nth : COSY_NONE;
}

static bool match_rows(Pairing *p)
{
    uint32_t n = pairing_rows(&p->a), nth = 0;
    Walk w = {.p = p, .back = p->a.digest->t_end.high < p->a.digest->t_begin};
    w.event = digest_events(p->a.digest, &w.events);
    for (uint32_t k = 0; k < n; k++) {
        real t = row_time(&p->a, k);
        nth = k > 0 && row_time(&p->a, k - 1) == t ? nth + 1 : 0;
        real there = partner_time(&w, t);
        uint32_t row =
            cosy_finite(there) ? find_row(&w, there, nth) : COSY_NONE;
        if (!vector_append(&p->row, &row, sizeof row))
            return false;
    }
    return true;
}

uint32_t pairing_row(const Pairing *p, uint32_t row)
{
    if (row >= p->row.used / sizeof row)
        return COSY_NONE;
    return ((const uint32_t *)(const void *)p->row.bytes)[row];
}

real pairing_time(const Pairing *p, uint32_t event)
{
    assert(event < p->times.used / sizeof(Exact));
    return exact_real(((const Exact *)(const void *)p->times.bytes)[event]);
}

bool pairing_settled(const Pairing *p)
{
    return !p->events.parts && digest_ended(p->a.digest) &&
           digest_ended(p->b.digest);
}

bool pairing_open(Pairing *p, PairSide a, PairSide b)
{
    *p = (Pairing){.a = a, .b = b};
    return agree_match(&p->events, a.model, a.digest, b.digest, &p->times) &&
           open_meshes(p) && match_rows(p);
}

void pairing_free(Pairing *p)
{
    for (uint32_t k = 0; k < p->mesh.used / sizeof(Mesh); k++)
        mesh_free(mesh_of(p, k));
    vector_free(&p->mesh);
    vector_free(&p->row);
    vector_free(&p->times);
    agree_free(&p->events);
}
