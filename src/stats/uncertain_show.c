#include "stats/uncertain.h"

#include <math.h>
#include <string.h>

#include "stats/number.h"
#include "stats/value.h"

/* What UNCERTAIN has found, in 80 columns. */

enum { SHOWN_MOST = 12, TABLES_MOST = 5, NAME_WIDE = 18, CELL_WIDE = 12 };

static void put_cell(Buffer *b, real x, int digits)
{
    Buffer own = {0};
    if (cosy_finite(x))
        number_print(&own, 'g', digits, x);
    else
        buffer_char(&own, '-');
    buffer_format(b, "%*s", CELL_WIDE, buffer_string(&own));
    buffer_free(&own);
}

static void put_head(Buffer *b, const Uncertainty *u, const SweepTable *t)
{
    uint32_t n = uncertain_inputs(u);
    buffer_format(b, "\nUNCERTAIN (line %u): %llu %s, %llu runs%s\n", u->line,
                  (unsigned long long)u->points, u->sampling,
                  (unsigned long long)u->runs,
                  t->replicated ? ", replicated" : "");
    for (uint32_t k = 0; k < n; k++) {
        const RunSetting *s = sweep_parameter(t, k);
        Buffer name = {0};
        sweep_put_name(&name, t, k);
        value_put_unit(&name,
                       value_shown_unit(t->model->variables[s->variable].unit));
        buffer_format(b, "  %-*s %s\n", NAME_WIDE - 3, buffer_string(&name),
                      uncertain_input(u, k)->words);
        buffer_free(&name);
    }
    if (u->failed)
        buffer_format(b, "  %llu of %llu failed and are left out\n",
                      (unsigned long long)u->failed,
                      (unsigned long long)u->runs);
    if (u->unfinished)
        buffer_format(b, "  %llu were not finished and are left out\n",
                      (unsigned long long)u->unfinished);
}

/* A name that does not leave room for the cells has a line of its own. */
static void put_name(Buffer *b, const SweepTable *t, uint32_t quantity)
{
    Buffer name = {0};
    quantity_put(&name, t->model, sweep_quantity(t, quantity));
    buffer_format(b, "  %-*s", NAME_WIDE - 2, buffer_string(&name));
    if (name.v.used > NAME_WIDE - 2)
        buffer_format(b, "\n%*s", NAME_WIDE, "");
    buffer_free(&name);
}

static void put_quantity(Buffer *b, const SweepTable *t,
                         const UncertainQuantity *q)
{
    put_name(b, t, q->quantity);
    put_cell(b, q->mean, 7);
    put_cell(b, q->error, 2);
    put_cell(b, q->sd, 5);
    put_cell(b, q->least, 6);
    put_cell(b, q->greatest, 6);
    buffer_format(b, "\n%*s", NAME_WIDE, "");
    for (uint32_t k = 0; k < UNCERTAIN_SHARES; k++)
        put_cell(b, q->quantile[k], 6);
    buffer_char(b, '\n');
}

static void put_measures(Buffer *b, const SweepTable *t,
                         const UncertainQuantity *const *q, uint32_t n)
{
    static const char *const head[] = {"mean", "its error", "sd", "least",
                                       "greatest"};
    buffer_format(b, "\n%*s", NAME_WIDE, "");
    for (uint32_t k = 0; k < LENGTH(head); k++)
        buffer_format(b, "%*s", CELL_WIDE, head[k]);
    buffer_format(b, "\n%*s", NAME_WIDE, "");
    for (uint32_t k = 0; k < UNCERTAIN_SHARES; k++)
        buffer_format(b, "%*u %%", CELL_WIDE - 2, uncertain_shares[k]);
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < n; k++)
        put_quantity(b, t, q[k]);
}

static void put_share(Buffer *b, real x, real half)
{
    if (cosy_finite(x))
        buffer_format(b, "  %10.4f +- %-7.4f", (double)x, (double)half);
    else
        buffer_format(b, "  %10s%11s", "-", "");
}

static void put_indices(Buffer *b, const Uncertainty *u, const SweepTable *t,
                        const UncertainQuantity *const *q, uint32_t n)
{
    uint32_t inputs = uncertain_inputs(u);
    if (!u->indices)
        return;
    buffer_format(b, "\n  %-30s%15s%8s%15s\n", "share of the variance", "alone",
                  "", "in all");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < inputs; k++) {
            const UncertainIndex *x = uncertain_index(u, q[i], k);
            Buffer name = {0};
            sweep_put_name(&name, t, k);
            buffer_format(b, "  %-18.18s%-14.14s",
                          k ? "" : sweep_quantity(t, q[i]->quantity)->name,
                          buffer_string(&name));
            put_share(b, x->first, x->first_half);
            put_share(b, x->total, x->total_half);
            while (b->v.used && b->v.bytes[b->v.used - 1] == ' ')
                b->v.used--;
            buffer_char(b, '\n');
            buffer_free(&name);
        }
}

static void put_noise(Buffer *b, const SweepTable *t,
                      const UncertainQuantity *const *q, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (q[k]->noise > R(0.01))
            buffer_format(b,
                          "  %s: %.0f %% of this variance is chance in the "
                          "replications, not the parameters\n",
                          sweep_quantity(t, q[k]->quantity)->name,
                          100.0 * (double)q[k]->noise);
}

/* Points that keep apart from each other are not independent, and nothing better is
   known of their errors from one sample. */
static void put_caution(Buffer *b, const Uncertainty *u)
{
    if (strcmp(u->kind, "PLAIN") != 0)
        buffer_format(b,
                      "  its error%s: as of independent points; of these it is "
                      "mostly less\n",
                      u->indices ? " and +- (95 %)" : "");
}

static void show_one(Buffer *b, const Uncertainty *u, const SweepTable *t)
{
    const UncertainQuantity *q[SHOWN_MOST];
    uint32_t n = uncertain_chosen(u, t, q, SHOWN_MOST);
    put_head(b, u, t);
    if (n == 0) {
        buffer_text(b, u->runs > u->failed + u->unfinished
                           ? "  no quantity depends on these parameters\n"
                           : "  no run has finished, so nothing can be said\n");
        return;
    }
    put_measures(b, t, q, n);
    put_indices(b, u, t, q, n);
    put_noise(b, t, q, n);
    put_caution(b, u);
}

void uncertain_show(Buffer *b, const Vector *all, const Sweep *s)
{
    uint32_t n, tables;
    const Uncertainty *u = uncertain_list(all, &n);
    const SweepTable *t = sweep_tables(s, &tables);
    for (uint32_t k = 0; k < n && k < TABLES_MOST; k++)
        show_one(b, &u[k], &t[u[k].table]);
    if (n > TABLES_MOST)
        buffer_format(b, "  ... the first %d of %u: summary.json has all\n",
                      TABLES_MOST, n);
}
