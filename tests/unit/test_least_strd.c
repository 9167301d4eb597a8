/* Fits against the Statistical Reference Datasets: from both starts, with slopes and
   with differences. With the argument `table` every fit gets a line. */

#include "search/least.h"

#include "check.h"
#include "strd.h"

#define MOST_DATA 260

typedef struct Strd {
    const StrdSet *set;
    size_t values, slopes; // counted
    real y[MOST_DATA];
} Strd;

static const real *row_of(const StrdSet *set, uint32_t k)
{
    return set->data + (size_t)k * (set->columns + 1);
}

static Status strd_one(void *user, const real *p, real *out)
{
    Strd *s = user;
    real g[STRD_PARAMETERS];
    s->values++;
    for (uint32_t k = 0; k < s->set->m; k++)
        out[k] = s->set->model(row_of(s->set, k) + 1, p, g);
    return STATUS_OK;
}

static Status strd_slopes(void *user, const real *p, real *out, real *slope)
{
    Strd *s = user;
    s->slopes++;
    for (uint32_t k = 0; k < s->set->m; k++)
        out[k] = s->set->model(row_of(s->set, k) + 1, p, slope + k * s->set->n);
    return STATUS_OK;
}

/* Digits that agree, of the worst parameter or deviation. */
static double digits_of(uint32_t n, const real *found, const real *certified)
{
    double worst = 99.0;
    for (uint32_t i = 0; i < n; i++) {
        real error = cosy_abs(found[i] / certified[i] - R(1.0));
        double digits = error == error ? -log10((double)error + 1e-40) : -1.0;
        worst = digits < worst ? digits : worst;
    }
    return worst;
}

typedef struct Result {
    double parameters, deviations, squares; // digits
    size_t values, slopes;
    LeastEnd end;
} Result;

static Result fit(const StrdSet *set, int start, bool slopes)
{
    Arena a = {0};
    Strd s = {.set = set};
    LeastAnswer x;
    char text[LEAST_WORDS];
    for (uint32_t k = 0; k < set->m; k++) {
        s.y[k] = row_of(set, k)[0];
        if (set->columns == 2) // of these the logarithm is fitted
            s.y[k] = cosy_log(s.y[k]);
    }
    LeastProblem q = {
        .trial = {&s, strd_one, NULL, slopes ? strd_slopes : NULL, NULL},
        .n = set->n,
        .m = set->m,
        .start = set->start[start],
        .y = s.y,
        .groups = 1,
        .most = 5000};
    CHECK(least_fault(&q, text) == NULL);
    CHECK(least_find(&q, &a, &x) == STATUS_OK);
    Result r = {digits_of(set->n, x.p, set->best),
                digits_of(set->n, x.error, set->sd),
                digits_of(1, &x.squares, &set->squares),
                s.values,
                s.slopes,
                x.end};
    search_forget(&x.history);
    arena_free(&a);
    return r;
}

static void tell(const StrdSet *set, int start, bool slopes, const Result *r)
{
    printf("%-9s %s %d %-11s end %d  digits %5.1f %5.1f %5.1f  values %4zu "
           "slopes %3zu%s\n",
           set->name, set->held ? "held" : "used", start + 1,
           slopes ? "slopes" : "differences", (int)r->end, r->parameters,
           r->deviations, r->squares, r->values, r->slopes,
           r->parameters >= 6.0 ? "" : "  <----");
}

int main(int count, char **argument)
{
    bool table = count > 1 && strcmp(argument[1], "table") == 0;
    bool held = count > 2 && strcmp(argument[2], "held") == 0;
    for (size_t k = 0; k < sizeof strd_sets / sizeof strd_sets[0]; k++) {
        const StrdSet *set = &strd_sets[k];
        if ((table && set->held != held) ||
            (count > 3 && strcmp(argument[3], set->name) != 0))
            continue;
        for (int start = 0; start < 2; start++)
            for (int slopes = 0; slopes < 2; slopes++) {
                Result r = fit(set, start, slopes != 0);
                if (table)
                    tell(set, start, slopes != 0, &r);
            }
    }
    return check_end();
}
