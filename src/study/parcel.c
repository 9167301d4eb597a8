#include "study/parcel.h"

#include <assert.h>
#include <string.h>

/* The same list of members packs and unpacks, so that neither can forget one. */

typedef struct Parcel {
    Buffer *to;                // packing; NULL: unpacking
    const unsigned char *from; // what is left to unpack
    size_t left;
    bool bad;
} Parcel;

static void plain(Parcel *p, void *value, size_t size)
{
    if (p->to) {
        buffer_bytes(p->to, value, size);
    } else if (p->left < size) {
        p->bad = true;
    } else {
        memcpy(value, p->from, size);
        p->from += size;
        p->left -= size;
    }
}

#define PLAIN(p, value) plain((p), &(value), sizeof(value))

static void vector(Parcel *p, Vector *v)
{
    uint64_t n = v->used;
    PLAIN(p, n);
    if (p->to) {
        buffer_bytes(p->to, (const char *)v->bytes, v->used);
        return;
    }
    if (p->bad || n > p->left) {
        p->bad = true;
        return;
    }
    v->used = 0;
    p->bad = n > 0 && !vector_append(v, p->from, n);
    p->from += n;
    p->left -= n;
}

/* buffer_string needs no NUL in the vector. */
static void text(Parcel *p, Buffer *b)
{
    vector(p, &b->v);
}

static void outlet(Parcel *p, Outlet *o)
{
    PLAIN(p, o->after_error);
    PLAIN(p, o->value);
    PLAIN(p, o->written);
    PLAIN(p, o->open);
    text(p, &o->text);
    text(p, &o->messages);
    text(p, &o->trace);
}

static void one_reel(Parcel *p, FilmReel *r)
{
    PLAIN(p, r->variable);
    PLAIN(p, r->moving);
    PLAIN(p, r->points);
    PLAIN(p, r->of);
    vector(p, &r->place[0]);
    vector(p, &r->place[1]);
    vector(p, &r->time);
    vector(p, &r->value);
}

static void film(Parcel *p, Film *f)
{
    uint32_t n;
    film_reels(f, &n);
    PLAIN(p, n);
    for (uint32_t k = 0; k < n && !p->bad; k++) {
        FilmReel none = {0};
        uint32_t all;
        if (!p->to && !vector_append(&f->reels, &none, sizeof none))
            p->bad = true;
        else
            one_reel(p, &film_reels(f, &all)[k]);
    }
}

static void one_shown(Parcel *p, Shown *s)
{
    PLAIN(p, s->run);
    PLAIN(p, s->group);
    PLAIN(p, s->family);
    PLAIN(p, s->valued);
    PLAIN(p, s->value);
    PLAIN(p, s->saved);
    vector(p, &s->rows);
    vector(p, &s->histograms);
    vector(p, &s->active);
    vector(p, &s->marks);
    vector(p, &s->spans);
    text(p, &s->parameters);
    PLAIN(p, s->course.columns);
    PLAIN(p, s->course.most);
    PLAIN(p, s->course.state);
    vector(p, &s->course.means);
    vector(p, &s->course.base);
    film(p, &s->film);
}

static void all_shown(Parcel *p, Vector *all)
{
    uint64_t n = all->used / sizeof(Shown);
    PLAIN(p, n);
    for (uint64_t k = 0; k < n && !p->bad; k++) {
        Shown none = {0};
        if (!p->to && !vector_append(all, &none, sizeof none))
            p->bad = true;
        else
            one_shown(p, (Shown *)(void *)all->bytes + k);
    }
}

static void left(Parcel *p, TrialLeft *l)
{
    vector(p, &l->data);
    vector(p, &l->x);
    PLAIN(p, l->head);
    PLAIN(p, l->slid);
}

/* Most elements have none, and its text would be most of their parcels. What stands after
   the end of the text was never set: it does not travel, so that equal elements have
   equal bytes. */
static void fault(Parcel *p, Fault *f)
{
    Fault clean = {.status = f->status};
    bool any = f->status != STATUS_OK || f->text[0] != '\0';
    PLAIN(p, any);
    if (!any)
        return;
    memcpy(clean.text, f->text, strnlen(f->text, sizeof f->text - 1));
    PLAIN(p, clean);
    clean.text[sizeof clean.text - 1] = '\0';
    if (!p->to)
        *f = clean;
}

static void members(Parcel *p, Element *el)
{
    PLAIN(p, el->runs);
    PLAIN(p, el->failed);
    PLAIN(p, el->ended);
    fault(p, &el->fault);
    outlet(p, &el->outlet);
    text(p, &el->summaries);
    text(p, &el->report);
    vector(p, &el->cross);
    vector(p, &el->saves);
    all_shown(p, &el->shown);
    left(p, &el->left);
    vector(p, &el->values);
    vector(p, &el->histograms);
    vector(p, &el->parameters);
    vector(p, &el->oneway);
    vector(p, &el->swept);
    vector(p, &el->envelope);
}

/* Which element it is. */
typedef struct Label {
    uint32_t number, place, replication, spare;
} Label;

static Label label_of(const Element *el)
{
    return (Label){el->number, el->place, el->replication, 0};
}

bool parcel_can(const Element *el)
{
    return el->digests.used == 0 && plots_count(&el->pictures) == 0;
}

void parcel_pack(Buffer *b, const Element *el)
{
    Parcel p = {.to = b};
    Label label = label_of(el);
    assert(parcel_can(el));
    PLAIN(&p, label);
    members(&p, (Element *)(uintptr_t)el); // packing changes nothing
}

bool parcel_unpack(Element *el, const unsigned char *bytes, size_t n)
{
    Parcel p = {.from = bytes, .left = n};
    Label label = {0}, own = label_of(el);
    PLAIN(&p, label);
    if (p.bad || memcmp(&label, &own, sizeof own) != 0)
        return false;
    members(&p, el);
    return !p.bad && p.left == 0;
}

bool parcel_runs(const unsigned char *bytes, size_t n, uint32_t *number,
                 uint32_t *runs)
{
    Parcel p = {.from = bytes, .left = n};
    Label label = {0};
    PLAIN(&p, label);
    PLAIN(&p, *runs); // the first of the members
    *number = label.number;
    return !p.bad;
}
