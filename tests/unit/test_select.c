/* REPLICATE BEST: how often the best is selected where it is hardest, when all
   others are worse by exactly delta (the slippage configuration), and what a
   selection does with values made by hand. */

#include "stats/select.h"

#include <stdio.h>

#include "chance.h"
#include "check.h"
#include "cosy/model.h"

typedef struct Slippage {
    uint32_t k;
    double sd;     // of one value; delta is 1
    double common; // variance that alternatives have in common
    bool highest;
    unsigned first;
} Slippage;

/* The best is the last one. Returns its share; *mean: replications in all. */
static double share_right(const Slippage *p, unsigned repeats, double *mean)
{
    static Selection s;
    unsigned right = 0;
    *mean = 0;
    for (unsigned run = 0; run < repeats; run++) {
        Chance c = chance_begin(run);
        bool done = false;
        select_begin(&s, p->k, p->first, 1.0, 0.95, p->highest);
        while (!done) {
            double shared = sqrt(p->common) * normal(&c);
            for (uint32_t i = 0; i < p->k; i++) {
                double x = shared + p->sd * normal(&c) + (i + 1 < p->k);
                if (select_is_there(&s, i))
                    select_value(&s, i, p->highest ? -x : x);
            }
            done = select_round(&s);
        }
        CHECK(s.decided);
        right += select_best(&s) == p->k - 1;
        for (uint32_t i = 0; i < p->k; i++)
            *mean += (double)s.one[i].n / repeats;
    }
    return (double)right / repeats;
}

/* At least 0.95, but for chance: 2000 repeats have a standard error of 0.005. */
static void test_slippage(void)
{
    static const Slippage row[] = {
        {2, 1.0, 0.0, false, 10},  {2, 3.0, 0.0, true, 10},
        {5, 2.0, 0.0, false, 10},  {5, 2.0, 0.0, true, 20},
        {10, 1.5, 9.0, false, 10}, {20, 1.0, 0.0, false, 15},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double mean, share = share_right(&row[i], 2000, &mean);
        printf("k = %u, sd = %.1f, common %.0f: %.3f right, %.0f values\n",
               row[i].k, row[i].sd, row[i].common, share, mean);
        CHECK(share > 0.95 - 3 * 0.005);
    }
}

/* What all have in common is no hindrance: it takes no more values than without,
   where independent numbers of that variance take many times as many. */
static void test_common(void)
{
    const Slippage common = {5, 1.0, 24.0, false, 10};
    const Slippage none = {5, 1.0, 0.0, false, 10};
    const Slippage apart = {5, 5.0, 0.0, false, 10};
    double with, without, independent;
    share_right(&common, 300, &with);
    share_right(&none, 300, &without);
    share_right(&apart, 300, &independent);
    CHECK(fabs(with - without) < 1e-9 * without);
    CHECK(independent > 5.0 * with);
}

/* h^2 = (n - 1) ((2 alpha / (k - 1))^(-2/(n - 1)) - 1): for k = 2, n = 11, alpha =
   0.05 that is 10 (0.1^(-0.2) - 1) = 5.84893. */
static void test_constant(void)
{
    static Selection s;
    select_begin(&s, 2, 11, 1.0, 0.95, false);
    CHECK(fabs((double)s.h2 - 5.848931924611134) < 1e-12);
}

/* Differences that never vary are decided at once; whoever has no value is out. */
static void test_by_hand(void)
{
    static Selection s;
    select_begin(&s, 3, 5, 0.5, 0.95, false);
    for (int r = 0; r < 5; r++) {
        select_value(&s, 0, 2.0 + r);
        if (r < 3)
            select_value(&s, 1, 0.0);
        select_value(&s, 2, 1.0 + r);
        CHECK(select_round(&s) == (r == 4));
    }
    CHECK(s.decided && select_best(&s) == 2);
    CHECK(s.one[1].failed && s.one[1].left == 4 && s.one[1].n == 3);
    CHECK(s.one[0].left == 5 && s.one[0].n == 5 && !s.one[0].failed);
    CHECK(fabs((double)s.one[2].mean - 3.0) < 1e-12);
    select_begin(&s, 2, 5, 0.5, 0.95, true);
    CHECK(select_round(&s) && !s.decided && select_best(&s) == COSY_NONE);
}

int main(void)
{
    test_slippage();
    test_common();
    test_constant();
    test_by_hand();
    return check_end();
}
