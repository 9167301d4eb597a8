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
static void judge(Ledger *l, const real *out, Row *row)
{
    const SearchHistory *h = l->history;
    l->judge(l->problem, out, &row->value, &row->violation);
    if (all_finite(h->results, out) && cosy_finite(row->value)) {
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
        judge(l, out, &row);
    } else {
        l->failures++;
        for (uint32_t r = 0; r < h->results; r++)
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

/* One after the other, until one ends the search; the rest are not evaluated. */
static Status one_by_one(Ledger *l, size_t count, const real *p, real *out,
                         Status *each)
{
    const SearchHistory *h = l->history;
    for (size_t k = 0; k < count; k++) {
        each[k] =
            l->trial->one(l->trial->user, p + k * h->n, out + k * h->results);
        if (each[k] == STATUS_OK || is_bad(each[k]))
            continue;
        Status end = each[k];
        for (; k < count; k++)
            each[k] = end;
        return STATUS_OK;
    }
    return STATUS_OK;
}

Status ledger_many(Ledger *l, size_t count, const real *p, real *out,
                   Status *each)
{
    const SearchHistory *h = l->history;
    size_t n = h->n, left = ledger_left(l);
    size_t now = count < left ? count : left;
    Status end = STATUS_OK;
    for (size_t k = now; k < count; k++)
        each[k] = STATUS_LIMIT;
    if (now > 0 && l->trial->many != NULL)
        end = l->trial->many(l->trial->user, now, p, out, each);
    else
        end = one_by_one(l, now, p, out, each);
    /* What a batch that was ended has left in `each` is not known. */
    if (end != STATUS_OK)
        return is_bad(end) ? STATUS_STOPPED : end;
    for (size_t k = 0; k < now; k++) {
        if (each[k] != STATUS_OK && !is_bad(each[k])) {
            end = end == STATUS_OK ? each[k] : end;
            continue;
        }
        TRY(enter(l, p + k * n, out + k * h->results, &each[k]));
    }
    return end == STATUS_OK && now < count ? STATUS_LIMIT : end;
}

Status ledger_ask(Ledger *l, const real *p, real *out, Status *each)
{
    return ledger_many(l, 1, p, out, each);
}

Status ledger_slopes(Ledger *l, const real *p, real *out, real *slope,
                     Status *each)
{
    const SearchHistory *h = l->history;
    assert(l->trial->slopes != NULL);
    if (ledger_left(l) == 0)
        return STATUS_LIMIT;
    *each = l->trial->slopes(l->trial->user, p, out, slope);
    if (*each != STATUS_OK && !is_bad(*each))
        return *each;
    TRY(enter(l, p, out, each));
    if (*each == STATUS_OK && !all_finite((size_t)h->n * h->results, slope))
        *each = STATUS_NUMBER;
    return STATUS_OK;
}
