#include "check/unknown.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint32_t unknowns_count(const Unknowns *u)
{
    return (uint32_t)(u->all.used / sizeof(Unknown));
}

uint32_t unknown_new(Unknowns *u, const char *name, struct Symbol *symbol)
{
    Unknown x = {.name = name, .symbol = symbol};
    uint32_t k = unknowns_count(u);
    if (!vector_append(&u->all, &x, sizeof x))
        u->broken = true;
    return k;
}

Unknown *unknown_at(const Unknowns *u, uint32_t k)
{
    assert(k < unknowns_count(u));
    return (Unknown *)(void *)u->all.bytes + k;
}

void unknowns_free(Unknowns *u)
{
    vector_free(&u->all);
    vector_free(&u->pile);
}

/* ---- Products ------------------------------------------------------------ */

static Term *new_terms(Unknowns *u, uint32_t n)
{
    Term *t = n == 0 ? NULL : NEW_ARRAY(u->arena, Term, n);
    if (n > 0 && t == NULL)
        u->broken = true;
    return t;
}

Terms terms_one(Unknowns *u, uint32_t unknown)
{
    Term *t = new_terms(u, 1);
    if (t == NULL)
        return (Terms){0};
    *t = (Term){unknown, POWER_PARTS};
    return (Terms){t, 1};
}

Terms terms_product(Unknowns *u, Terms a, Terms b, int sign)
{
    Term *t;
    uint32_t n = 0, i = 0, k = 0;
    if (b.count == 0)
        return a;
    t = new_terms(u, a.count + b.count);
    if (t == NULL)
        return (Terms){0};
    while (i < a.count || k < b.count) {
        bool left = k == b.count ||
                    (i < a.count && a.term[i].unknown <= b.term[k].unknown);
        bool right = i == a.count ||
                     (k < b.count && b.term[k].unknown <= a.term[i].unknown);
        Term next = {left ? a.term[i].unknown : b.term[k].unknown, 0};
        next.power += left ? a.term[i].power : 0;
        next.power += right ? sign * b.term[k].power : 0;
        i += left;
        k += right;
        if (next.power != 0)
            t[n++] = next;
    }
    return (Terms){t, n};
}

#define POWER_MOST 1000000.0

bool terms_power(Unknowns *u, Terms *t, double exponent)
{
    Term *raised = new_terms(u, t->count);
    uint32_t n = 0;
    if (t->count > 0 && raised == NULL)
        return false;
    for (uint32_t k = 0; k < t->count; k++) {
        double parts = t->term[k].power * exponent, whole = round(parts);
        if (!(fabs(whole) < POWER_MOST) || fabs(parts - whole) > 1e-9)
            return false;
        if (whole != 0.0)
            raised[n++] = (Term){t->term[k].unknown, (int32_t)whole};
    }
    *t = (Terms){raised, n};
    return true;
}

/* ---- What is found ------------------------------------------------------- */

/* The index of the first term that is found; t.count if there is none. */
static uint32_t first_found(const Unknowns *u, Terms t)
{
    uint32_t k = 0;
    while (k < t.count && !unknown_at(u, t.term[k].unknown)->found)
        k++;
    return k;
}

/* Replaces every term that is found by its unit, one level deep. */
static bool replace(Unknowns *u, Terms *t, Dimension *unit)
{
    Terms all = *t;
    for (uint32_t k = 0; k < all.count; k++) {
        const Unknown *x = unknown_at(u, all.term[k].unknown);
        double exponent = (double)all.term[k].power / POWER_PARTS;
        Terms rest = x->rest, self = {&all.term[k], 1};
        if (!x->found)
            continue;
        *unit = dimension_times(*unit, dimension_power(x->unit, exponent));
        if (!unit->known || !terms_power(u, &rest, exponent))
            return false;
        *t = terms_product(u, *t, self, -1);
        *t = terms_product(u, *t, rest, 1);
    }
    return true;
}

static bool is_flat(const Unknowns *u, const Unknown *x)
{
    return first_found(u, x->rest) == x->rest.count;
}

/* The first of the terms that is found and not flat, or NULL. */
static const Term *first_deep(const Unknowns *u, Terms t)
{
    for (uint32_t k = 0; k < t.count; k++) {
        const Unknown *x = unknown_at(u, t.term[k].unknown);
        if (x->found && !is_flat(u, x))
            return &t.term[k];
    }
    return NULL;
}

static bool push(Unknowns *u, uint32_t unknown)
{
    if (!vector_append(&u->pile, &unknown, sizeof unknown))
        u->broken = true;
    return !u->broken;
}

/* Makes what was found about an unknown flat: its rest then has no unknown that
   is found. Uses a stack instead of recursion: chains may be as long as the
   program. */
static bool flatten(Unknowns *u, uint32_t unknown)
{
    u->pile.used = 0;
    if (!push(u, unknown))
        return false;
    while (u->pile.used > 0) {
        uint32_t *top = (uint32_t *)(void *)(u->pile.bytes + u->pile.used) - 1;
        Unknown *x = unknown_at(u, *top);
        const Term *deep = first_deep(u, x->rest);
        if (deep == NULL) {
            u->pile.used -= sizeof *top;
            if (!replace(u, &x->rest, &x->unit))
                return false;
        } else if (!push(u, deep->unknown)) {
            return false;
        }
    }
    return true;
}

bool unknowns_resolve(Unknowns *u, Terms *t, Dimension *unit)
{
    for (const Term *deep = first_deep(u, *t); deep != NULL;
         deep = first_deep(u, *t)) {
        if (!flatten(u, deep->unknown))
            return false;
    }
    return replace(u, t, unit) && !u->broken;
}

Settled unknowns_settle(Unknowns *u, Terms product, Dimension unit,
                        const Node *where)
{
    Dimension by = dimension_none();
    Terms rest = product, self;
    Unknown *x;
    double exponent;
    if (dimension_mixes(unit, NULL))
        return SETTLED_MIXED;
    if (!unknowns_resolve(u, &rest, &by))
        return SETTLED_FREE;
    unit = dimension_over(unit, by);
    if (!unit.known)
        return SETTLED_FREE;
    if (rest.count == 0)
        return dimension_is_none(unit) &&
                       dimension_same_scale(unit, dimension_none())
                   ? SETTLED_AGREES
                   : SETTLED_CONTRADICTION;
    self = (Terms){&rest.term[rest.count - 1], 1}; // the newest
    x = unknown_at(u, self.term->unknown);
    exponent = (double)POWER_PARTS / self.term->power;
    rest.count--;
    unit = dimension_power(unit, exponent);
    if (!unit.known || !terms_power(u, &rest, -exponent))
        return SETTLED_FREE;
    assert(!x->found);
    x->found = true;
    x->unit = unit;
    x->rest = rest;
    x->where = where;
    return SETTLED_FOUND;
}
