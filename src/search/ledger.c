#include "search/ledger.h"

#include <assert.h>

/* What was found of a point. */
typedef struct Row {
    real value, violation;
    Status status;
    bool best;
} Row;

static const Row *row_of(const SearchHistory *h, size_t k)
{
    assert(k < h->count);
    return (const Row *)(const void *)h->row.bytes + k;
}

SearchPoint search_point(const SearchHistory *h, size_t k)
{
    const Row *row = row_of(h, k);
    const real *p = (const real *)(const void *)h->number.bytes +
                    k * ((size_t)h->n + h->results);
    SearchPoint point = {p,           p + h->n, row->value, row->violation,
                         row->status, row->best};
    return point;
}

void search_forget(SearchHistory *h)
{
    vector_free(&h->row);
    vector_free(&h->number);
    h->count = 0;
}

SearchPoint ledger_best(const Ledger *l)
{
    assert(l->found);
    return search_point(l->history, l->best);
}

size_t ledger_left(const Ledger *l)
{
    if (l->most == 0)
        return SIZE_MAX;
    return l->most > l->history->count ? l->most - l->history->count : 0;
}

bool ledger_better(const Ledger *l, real value, real violation,
                   real second_value, real second_violation)
{
    if (violation > l->slack || second_violation > l->slack)
        return violation < second_violation;
    return value < second_value;
}

/* Results of a trial. */
static size_t width(const Ledger *l)
{
    return l->wide > 0 ? l->wide : l->history->results;
}

static bool all_finite(size_t n, const real *x)
{
    for (size_t k = 0; k < n; k++)
        if (!cosy_finite(x[k]))
            return false;
    return true;
}

/* The trial itself has failed, not the search. */
static bool is_bad(Status s)
{
    return s != STATUS_OK && s != STATUS_STOPPED && s != STATUS_MEMORY;
}

/* Value, violation, and whether the point is the best so far. */
static void judge(Ledger *l, const real *p, const real *out, Row *row)
{
    l->judge(l->problem, p, out, &row->value, &row->violation);
    if (all_finite(width(l), out) && cosy_finite(row->value)) {
        bool first = !l->found;
        SearchPoint best = {0};
        if (!first)
            best = ledger_best(l);
        row->best = first || ledger_better(l, row->value, row->violation,
                                           best.value, best.violation);
        return;
    }
    row->status = STATUS_NUMBER;
    l->infinite++;
}

/* Writes a point down. `out` becomes NaN where there is none. */
static Status enter(Ledger *l, const real *p, real *out, Status *status)
{
    SearchHistory *h = l->history;
    Row row = {COSY_NAN, COSY_NAN, *status, false};
    if (*status == STATUS_OK) {
        judge(l, p, out, &row);
    } else {
        l->failures++;
        for (size_t r = 0; r < width(l); r++)
            out[r] = COSY_NAN;
    }
    if (!vector_append(&h->row, &row, sizeof row) ||
        !vector_append(&h->number, p, h->n * sizeof *p) ||
        !vector_append(&h->number, out, h->results * sizeof *out))
        return STATUS_MEMORY;
    if (row.best) {
        l->best = h->count;
        l->found = true;
    }
    h->count++;
    *status = row.status;
    return STATUS_OK;
}

/* Points that are evaluated together; with their slopes, or slope = NULL. */
typedef struct Batch {
    size_t count;
    const real *p;
    real *out, *slope;
    Status *each;
} Batch;

static Status one_trial(const Ledger *l, const Batch *b, size_t k)
{
    size_t n = l->history->n, results = width(l);
    const SearchTrial *t = l->trial;
    const real *p = b->p + k * n;
    real *out = b->out + k * results;
    if (b->slope == NULL)
        return t->one(t->user, p, out);
    return t->slopes(t->user, p, out, b->slope + k * n * results);
}

/* One after the other, until one ends the search; the rest are not evaluated. */
static Status one_by_one(const Ledger *l, const Batch *b)
{
    for (size_t k = 0; k < b->count; k++) {
        b->each[k] = one_trial(l, b, k);
        if (b->each[k] == STATUS_OK || is_bad(b->each[k]))
            continue;
        Status end = b->each[k];
        for (; k < b->count; k++)
            b->each[k] = end;
        return STATUS_OK;
    }
    return STATUS_OK;
}

static Status evaluate(const Ledger *l, const Batch *b)
{
    const SearchTrial *t = l->trial;
    if (b->count > 0 && b->slope == NULL && t->many != NULL)
        return t->many(t->user, b->count, b->p, b->out, b->each);
    if (b->count > 0 && b->slope != NULL && t->many_slopes != NULL)
        return t->many_slopes(t->user, b->count, b->p, b->out, b->slope,
                              b->each);
    return one_by_one(l, b);
}

/* Evaluates as many as the budget allows, and writes them down in their order. */
static Status ask(Ledger *l, const Batch *all)
{
    Batch b = *all;
    size_t n = l->history->n, left = ledger_left(l);
    b.count = all->count < left ? all->count : left;
    for (size_t k = b.count; k < all->count; k++)
        b.each[k] = STATUS_LIMIT;
    Status end = evaluate(l, &b);
    /* What a batch that was ended has left in `each` is not known. */
    if (end != STATUS_OK)
        return is_bad(end) ? STATUS_STOPPED : end;
    for (size_t k = 0; k < b.count; k++) {
        if (b.each[k] != STATUS_OK && !is_bad(b.each[k])) {
            end = end == STATUS_OK ? b.each[k] : end;
            continue;
        }
        TRY(enter(l, b.p + k * n, b.out + k * width(l), &b.each[k]));
    }
    return end == STATUS_OK && b.count < all->count ? STATUS_LIMIT : end;
}

Status ledger_many(Ledger *l, size_t count, const real *p, real *out,
                   Status *each)
{
    const Batch b = {count, p, out, NULL, each};
    return ask(l, &b);
}

Status ledger_ask(Ledger *l, const real *p, real *out, Status *each)
{
    return ledger_many(l, 1, p, out, each);
}

Status ledger_many_slopes(Ledger *l, size_t count, const real *p, real *out,
                          real *slope, Status *each)
{
    size_t size = l->history->n * width(l);
    const Batch b = {count, p, out, slope, each};
    assert(l->trial->slopes != NULL || l->trial->many_slopes != NULL);
    Status end = ask(l, &b);
    for (size_t k = 0; k < count && (end == STATUS_OK || end == STATUS_LIMIT);
         k++)
        if (each[k] == STATUS_OK && !all_finite(size, slope + k * size))
            each[k] = STATUS_NUMBER;
    return end;
}

Status ledger_slopes(Ledger *l, const real *p, real *out, real *slope,
                     Status *each)
{
    return ledger_many_slopes(l, 1, p, out, slope, each);
}
