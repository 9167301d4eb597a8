/* The warm-up that the marginal standard error rule finds: against its definition
   summed up anew for every candidate, and on series whose bias is known. */

#include "stats/mser.h"

#include <stdlib.h>

#include "chance.h"
#include "check.h"

enum { MEANS = 1000, LONG = 20000, SIZE = 5 };

/* ---- The definition ------------------------------------------------------------ */

/* The expression of the paper for one d, in two passes. */
static double error_after(const double *y, uint32_t n, uint32_t d)
{
    double mean = 0, square = 0, m = n - d;
    for (uint32_t i = d; i < n; i++)
        mean += y[i] / m;
    for (uint32_t i = d; i < n; i++)
        square += (y[i] - mean) * (y[i] - mean);
    return square / (m * m);
}

static uint32_t best_up_to(const double *y, uint32_t n, uint32_t last)
{
    uint32_t best = 0;
    for (uint32_t d = 1; d <= last; d++)
        if (error_after(y, n, d) < error_after(y, n, best))
            best = d;
    return best;
}

static void test_definition(void)
{
    double y[200];
    for (unsigned run = 0; run < 300; run++) {
        Chance c = chance_begin(run);
        uint32_t n = 20 + run % 180;
        for (uint32_t k = 0; k < n; k++)
            y[k] = normal(&c) + 8.0 * exp(-(double)k / (1.0 + run % 60));
        MserFound f = mser_find(y, n, 1);
        CHECK(!f.few);
        CHECK(f.removed == best_up_to(y, n, n / 2));
        CHECK(f.late == (best_up_to(y, n, n - n / 4) > n / 2));
    }
}

static void test_edges(void)
{
    double y[2 * MEANS];
    for (int k = 0; k < MEANS; k++)
        y[k] = k;
    CHECK(mser_find(y, 19, 1).few && mser_find(y, 19, 1).removed == 0);
    CHECK(mser_find(y, MEANS, 1).late); // it never settles
    for (int k = 0; k < MEANS; k++)
        y[k] = 3;
    CHECK(mser_find(y, MEANS, 1).removed == 0);
    CHECK(!mser_find(y, MEANS, 1).late);
    for (int k = 0; k < 2 * MEANS; k++) // every other one, as in a table
        y[k] = k % 2 ? 1e6 * (k % 7) : k < 200 ? 50 : k % 4 / 2;
    CHECK(mser_find(y, MEANS, 2).removed == 100);
}

/* ---- Series with a known bias ---------------------------------------------------- */

typedef double Next(Chance *c, double x);

static double ar_next(Chance *c, double x)
{
    return 0.9 * x + normal(c);
}

/* The wait of the next customer at rho = 0.9: Lindley's recursion. */
static double wait_next(Chance *c, double x)
{
    double y = x + exponential(c) - exponential(c) / 0.9;
    return y > 0 ? y : 0;
}

typedef struct Bias {
    double with, without; // mean error of all data, and of what is left
    unsigned late;
} Bias;

/* Mean of `runs` series of n * SIZE values that begin at `start`. */
static Bias bias_of(Next *next, uint32_t n, double start, double truth,
                    unsigned runs)
{
    static double y[LONG];
    Bias b = {0};
    for (unsigned run = 0; run < runs; run++) {
        Chance c = chance_begin(run);
        double x = start, all = 0, rest = 0;
        for (uint32_t k = 0; k < n; k++) {
            y[k] = 0;
            for (int i = 0; i < SIZE; i++, x = next(&c, x))
                y[k] += x / SIZE;
        }
        MserFound f = mser_find(y, n, 1);
        for (uint32_t k = 0; k < n; k++) {
            all += y[k] / n;
            rest += k < f.removed ? 0 : y[k] / (n - f.removed);
        }
        b.with += (all - truth) / runs;
        b.without += (rest - truth) / runs;
        b.late += f.late;
    }
    printf("bias %.4f, without the warm-up %.4f, %u too short\n", b.with,
           b.without, b.late);
    return b;
}

/* AR(1) that begins at 100: the sum of what is too much is 100/(1 - 0.9) over 5000
   values, 0.2. One mean has a standard deviation of 10/sqrt(5000) = 0.14, so that
   of 400 has 0.007. */
static void test_autoregression(void)
{
    Bias b = bias_of(ar_next, MEANS, 100.0, 0.0, 400);
    CHECK(fabs(b.with - 0.2) < 0.025);
    CHECK(fabs(b.without) < 0.025);
}

/* M/M/1 at rho = 0.9, whose mean wait is 9. One that begins with a wait of 2000
   drains at 0.1 per customer, so the first fifth is much too long. The mean of
   100000 waits has a variance of 35901/100000 (the sum of all covariances is rho (2
   + 5 rho - 4 rho^2 + rho^3)/(1 - rho)^4), so the mean of 40 of them has a standard
   deviation of 0.095. */
static void test_queue(void)
{
    Bias full = bias_of(wait_next, LONG, 2000.0, 9.0, 40);
    CHECK(full.with > 150.0);
    CHECK(fabs(full.without) < 0.35);
    Bias empty = bias_of(wait_next, LONG, 0.0, 9.0, 40);
    CHECK(fabs(empty.without) < 0.3);
}

int main(void)
{
    test_definition();
    test_edges();
    test_autoregression();
    test_queue();
    return check_end();
}
