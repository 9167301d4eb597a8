#include "stats/compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "stats/json.h"
#include "stats/number.h"
#include "stats/report.h"
#include "stats/tables.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

static const ReplicateGroup *group_of(const Replications *r, uint32_t k)
{
    return SECTION(r->groups, const ReplicateGroup) + k;
}

/* ---- While runs are gathered -------------------------------------------------- */

static void forget_round(Replications *r)
{
    real *pair = SECTION(r->pairs, real);
    for (size_t k = 0; k < r->pairs.used / sizeof *pair; k++)
        pair[k] = (real)NAN;
}

bool compare_begin(Replications *r, uint32_t elements, uint32_t base)
{
    ReplicateGroup *g = SECTION(r->groups, ReplicateGroup) + r->first_group;
    assert(base < elements);
    r->pairs.used = 0;
    r->compares = true;
    for (uint32_t k = 0; k < elements; k++) {
        g[k].base = r->first_group + base;
        g[k].pair = (uint32_t)(r->differences.used / sizeof(Tally));
        if (!vector_append(&r->differences, NULL, r->width * sizeof(Tally)) ||
            !vector_append(&r->pairs, NULL, r->width * sizeof(real)))
            return false;
    }
    forget_round(r);
    return true;
}

static real *pair_of(const Replications *r, const ReplicateGroup *g)
{
    uint32_t first = group_of(r, r->first_group)->pair;
    return SECTION(r->pairs, real) + (g->pair - first);
}

void compare_value(Replications *r, const ReplicateGroup *g, uint32_t k,
                   real value)
{
    pair_of(r, g)[k] = value;
}

void compare_round(Replications *r)
{
    if (!r->compares)
        return;
    for (uint32_t i = r->first_group; i < replicate_groups(r); i++) {
        const ReplicateGroup *g = group_of(r, i);
        const real *own = pair_of(r, g);
        const real *base = pair_of(r, group_of(r, g->base));
        Tally *t = SECTION(r->differences, Tally) + g->pair;
        for (uint32_t k = 0; k < r->width; k++)
            replicate_tally(&t[k], own[k] - base[k]);
    }
    forget_round(r);
}

/* ---- Results ------------------------------------------------------------------- */

static bool is_compared(const Replications *r, uint32_t k)
{
    const ReplicateGroup *g = group_of(r, k);
    return g->base != COSY_NONE && g->base != k;
}

bool compare_any(const Replications *r)
{
    for (uint32_t k = 0; k < replicate_groups(r); k++)
        if (is_compared(r, k))
            return true;
    return false;
}

static const Tally *difference_of(const Replications *r,
                                  const ReplicateGroup *g, uint32_t k)
{
    return SECTION(r->differences, const Tally) + g->pair + k;
}

static real variance(const Tally *t)
{
    real sd = replicate_deviation(t);
    return sd * sd;
}

/* NaN if there is none: too few runs, or differences that do not vary but for the
   last digits. */
static real gain_of(const Replications *r, const ReplicateGroup *g, uint32_t k)
{
    const Tally *all = SECTION(r->tallies, const Tally);
    real both = variance(&all[g->tally + k]) +
                variance(&all[group_of(r, g->base)->tally + k]);
    real own = variance(difference_of(r, g, k));
    return own > R(1e-20) * both ? both / own : (real)NAN;
}

static void put_member(Buffer *b, const Replications *r,
                       const ReplicateGroup *g, uint32_t k)
{
    buffer_format(b, "{\"frame\": %u, \"parameters\": ", g->frame);
    replicate_put_parameters(b, r, g);
    buffer_text(b, ", \"base\": ");
    replicate_put_parameters(b, r, group_of(r, g->base));
    buffer_text(b, ", ");
    replicate_put_tally(b, difference_of(r, g, k));
    buffer_text(b, ", \"gain\": ");
    real gain = gain_of(r, g, k);
    if (cosy_finite(gain))
        number_json(b, gain);
    else
        buffer_text(b, "null");
    buffer_char(b, '}');
}

/* The differences of all quantities of that name. */
static void put_list(Buffer *b, const Replications *r, const char *name)
{
    bool begun = false;
    buffer_char(b, '[');
    for (uint32_t i = 0; i < replicate_groups(r); i++) {
        const ReplicateGroup *g = group_of(r, i);
        uint32_t first, end;
        replicate_span(r, g, &first, &end);
        for (uint32_t k = first; k < end && is_compared(r, i); k++) {
            if (strcmp(replicate_quantity(r, k)->name, name) != 0)
                continue;
            buffer_text(b, begun ? ",\n   " : "");
            put_member(b, r, g, k - first);
            begun = true;
        }
    }
    buffer_char(b, ']');
}

/* Whether a quantity before this one has its name. */
static bool is_repeated(const Replications *r, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        if (strcmp(replicate_quantity(r, j)->name,
                   replicate_quantity(r, k)->name) == 0)
            return true;
    return false;
}

/* Whether the SIMULATE of quantity k is compared. */
static bool has_differences(const Replications *r, uint32_t k)
{
    for (uint32_t i = 0; i < replicate_groups(r); i++) {
        uint32_t first, end;
        replicate_span(r, group_of(r, i), &first, &end);
        if (is_compared(r, i) && k >= first && k < end)
            return true;
    }
    return false;
}

void compare_json(Buffer *b, const Replications *r)
{
    uint32_t n = (uint32_t)(r->quantities.used / sizeof(Quantity));
    bool begun = false;
    buffer_char(b, '{');
    for (uint32_t k = 0; k < n; k++) {
        if (!has_differences(r, k) || is_repeated(r, k))
            continue;
        buffer_text(b, begun ? ",\n  " : "");
        begun = true;
        buffer_json(b, replicate_quantity(r, k)->name);
        buffer_text(b, ": ");
        put_list(b, r, replicate_quantity(r, k)->name);
    }
    buffer_char(b, '}');
}

static void put_words(Buffer *b, const Replications *r, const char *words,
                      const ReplicateGroup *g, uint32_t wide)
{
    size_t before = b->v.used;
    buffer_format(b, "  %s", words);
    report_parameters(b, r->model,
                      SECTION(r->parameters, const RunSetting) + g->parameter,
                      g->parameters, wide - (b->v.used - before));
    buffer_char(b, '\n');
}

static void put_group(Buffer *b, const Replications *r, const ReplicateGroup *g,
                      uint32_t wide)
{
    uint32_t first, end;
    replicate_span(r, g, &first, &end);
    size_t width = replicate_name_width(r, first, end, wide);
    buffer_char(b, '\n');
    put_words(b, r, "difference of", g, wide);
    put_words(b, r, "         from", group_of(r, g->base), wide);
    buffer_format(b, "  %*s%7s%12s%23s%9s\n", (int)width, "", "n", "mean",
                  "95 % interval", "gain");
    for (uint32_t k = first; k < end; k++) {
        const Tally *t = difference_of(r, g, k - first);
        real half = replicate_sure(t);
        replicate_put_name(b, r->model, replicate_quantity(r, k), width);
        buffer_format(b, " %6llu", (unsigned long long)t->n);
        tables_cell(b, t->n ? t->mean : (real)NAN, 12);
        tables_cell(b, t->mean - half, 12);
        tables_cell(b, t->mean + half, 11);
        real gain = gain_of(r, g, k - first);
        if (cosy_finite(gain))
            buffer_format(b, "%9.3g", (double)gain);
        else
            buffer_format(b, "%9s", "-");
        buffer_char(b, '\n');
    }
}

void compare_table(Buffer *b, const Replications *r, uint32_t wide)
{
    for (uint32_t k = 0; k < replicate_groups(r); k++)
        if (is_compared(r, k))
            put_group(b, r, group_of(r, k), wide);
}
