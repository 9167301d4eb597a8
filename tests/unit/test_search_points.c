/* Points in the unit cube: the Sobol' sequence against published points and its
   balance, Latin hypercubes, random orders, discrepancies. */

#include "search/points.h"

#include "check.h"
#include "search/chance.h"

#define MANY 1024

/* ---- Sobol' ------------------------------------------------------------------------ */

/* The first ten points in three dimensions as the authors of the direction numbers
   print them; the first is moved off zero. */
static void test_published(void)
{
    static const double expected[10][3] = {
        {0x1p-53, 0x1p-53, 0x1p-53}, {0.5, 0.5, 0.5},
        {0.75, 0.25, 0.25},          {0.25, 0.75, 0.75},
        {0.375, 0.375, 0.625},       {0.875, 0.875, 0.125},
        {0.625, 0.125, 0.875},       {0.125, 0.625, 0.375},
        {0.1875, 0.3125, 0.9375},    {0.6875, 0.8125, 0.4375},
    };
    const PointPlan plan = {POINTS_SOBOL, 3, 10, 0};
    for (uint64_t k = 0; k < 10; k++) {
        real u[3];
        points_at(&plan, k, u);
        for (int i = 0; i < 3; i++)
            CHECK(u[i] == (real)expected[k][i]);
    }
}

/* In every dimension each of 2^m equal cells holds one of 2^m points in a row. */
static bool is_stratified(const PointPlan *plan, uint32_t dimension,
                          uint64_t from, unsigned cells)
{
    static unsigned char seen[MANY];
    static real u[SOBOL_DIMENSIONS];
    memset(seen, 0, sizeof seen);
    for (uint64_t k = from; k < from + cells; k++) {
        points_at(plan, k, u);
        unsigned cell = (unsigned)(u[dimension] * (real)cells);
        if (cell >= cells || seen[cell]++)
            return false;
    }
    return true;
}

static void test_balance(void)
{
    static const PointKind kinds[] = {POINTS_SOBOL, POINTS_SOBOL_SHIFTED,
                                      POINTS_SOBOL_OWEN};
    for (int kind = 0; kind < 3; kind++) {
        const PointPlan plan = {kinds[kind], SOBOL_DIMENSIONS, MANY, 5};
        for (uint32_t i = 0; i < SOBOL_DIMENSIONS; i += kind == 0 ? 1 : 9)
            CHECK(is_stratified(&plan, i, 64, 64));
        CHECK(is_stratified(&plan, 127, 0, 256));
    }
}

/* The first two dimensions are a (0, m, 2)-net: each elementary interval of area
   2^-m holds one point. */
static void test_net(void)
{
    const PointPlan plan = {POINTS_SOBOL_OWEN, 2, 256, 1};
    for (unsigned rows = 1; rows <= 256; rows *= 2) {
        unsigned char seen[256] = {0};
        unsigned columns = 256 / rows, twice = 0;
        for (uint64_t k = 0; k < 256; k++) {
            real u[2];
            points_at(&plan, k, u);
            unsigned cell = (unsigned)(u[0] * (real)rows) * columns +
                            (unsigned)(u[1] * (real)columns);
            twice += seen[cell]++;
        }
        CHECK(twice == 0);
    }
}

/* Sobol's property A, which Joe and Kuo's numbers have: cut each of d axes in halves,
   and the first 2^d points lie in different parts. A wrong direction number would
   break it. */
static void test_property_a(void)
{
    for (uint32_t d = 1; d <= 14; d++) {
        static unsigned char seen[1 << 14];
        const PointPlan plan = {POINTS_SOBOL, d, UINT64_C(1) << d, 0};
        unsigned twice = 0;
        memset(seen, 0, sizeof seen);
        for (uint64_t k = 0; k < plan.count; k++) {
            real u[14];
            unsigned part = 0;
            points_at(&plan, k, u);
            for (uint32_t i = 0; i < d; i++)
                part = part << 1 | (u[i] >= R(0.5));
            twice += seen[part]++;
        }
        CHECK(twice == 0);
    }
}

/* ---- Latin hypercubes ------------------------------------------------------------- */

static void test_latin(void)
{
    static const unsigned counts[] = {1, 2, 3, 7, 10, 100, 1009};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const PointPlan plan = {POINTS_LATIN, 5, counts[c], 99};
        PointPlan centred = plan;
        centred.kind = POINTS_LATIN_CENTRED;
        for (uint32_t i = 0; i < 5; i++) {
            CHECK(is_stratified(&plan, i, 0,
                                counts[c] > MANY ? MANY : counts[c]));
            CHECK(is_stratified(&centred, i, 0, counts[c]));
        }
        real u[5];
        points_at(&centred, counts[c] - 1, u);
        real cell = u[2] * (real)counts[c] - R(0.5);
        CHECK(cosy_abs(cell - cosy_round(cell)) <
              R(4.0) * COSY_EPSILON * (real)counts[c]);
    }
}

/* Two axes are not in the same order, and another seed gives another one. */
static void test_latin_orders(void)
{
    const PointPlan plan = {POINTS_LATIN, 2, 500, 1},
                    other = {POINTS_LATIN, 2, 500, 2};
    real sum = R(0.0);
    unsigned same = 0;
    for (uint64_t k = 0; k < 500; k++) {
        real u[2], v[2];
        points_at(&plan, k, u);
        points_at(&other, k, v);
        sum += (u[0] - R(0.5)) * (u[1] - R(0.5));
        same += (unsigned)(u[0] * R(500.0)) == (unsigned)(v[0] * R(500.0));
    }
    /* The correlation has a standard deviation of 1 / sqrt(499). */
    CHECK(cosy_abs(sum / R(500.0) * R(12.0)) < R(0.18));
    CHECK(same < 10);
}

/* All six orders of three elements are equally frequent: chi squared with 5 degrees
   of freedom exceeds 25.7 once in 10,000 times. */
static void test_order(void)
{
    unsigned count[27] = {0};
    double chi = 0.0;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        unsigned code = 0;
        for (uint64_t k = 0; k < 3; k++)
            code = code * 3 + (unsigned)chance_order(seed, 4, k, 3);
        count[code]++;
    }
    unsigned orders = 0;
    for (unsigned code = 0; code < 27; code++) {
        double away = count[code] - 1000.0;
        orders += count[code] > 0;
        chi += count[code] > 0 ? away * away / 1000.0 : 0.0;
    }
    CHECK(orders == 6);
    CHECK(chi < 25.7);
}

/* ---- Discrepancy ---------------------------------------------------------------------- */

/* The star discrepancy of points in the unit square: the worst box with a corner at
   the origin and edges at points. */
static double discrepancy(PointKind kind, uint64_t n, uint64_t seed)
{
    static double x[512], y[512];
    const PointPlan plan = {kind, 2, n, seed};
    double worst = 0.0;
    for (uint64_t k = 0; k < n; k++) {
        real u[2];
        points_at(&plan, k, u);
        x[k] = (double)u[0];
        y[k] = (double)u[1];
    }
    for (uint64_t i = 0; i <= n; i++)
        for (uint64_t j = 0; j <= n; j++) {
            double right = i < n ? x[i] : 1.0, top = j < n ? y[j] : 1.0;
            double open = 0.0, closed = 0.0;
            for (uint64_t k = 0; k < n; k++) {
                open += x[k] < right && y[k] < top;
                closed += x[k] <= right && y[k] <= top;
            }
            double area = right * top, size = (double)n;
            worst = fmax(worst, fmax(area - open / size, closed / size - area));
        }
    return worst;
}

static void test_discrepancy(void)
{
    double sobol = discrepancy(POINTS_SOBOL, 256, 0);
    double owen = discrepancy(POINTS_SOBOL_OWEN, 256, 3);
    double shifted = discrepancy(POINTS_SOBOL_SHIFTED, 256, 3);
    double latin = discrepancy(POINTS_LATIN, 256, 3);
    double random = discrepancy(POINTS_RANDOM, 256, 3);
    CHECK(sobol < 0.018);
    CHECK(owen < 0.018);
    CHECK(shifted < 0.018);
    CHECK(random > 0.03 && random < 0.12);
    CHECK(latin < random);
}

/* The mean of a smooth function with mean 1 over the cube: scrambled points are far
   better than random ones. */
static double mean_error(PointKind kind)
{
    const PointPlan plan = {kind, 6, 4096, 11};
    real sum = R(0.0);
    for (uint64_t k = 0; k < plan.count; k++) {
        real u[6], product = R(1.0);
        points_at(&plan, k, u);
        for (int i = 0; i < 6; i++)
            product *= R(1.0) + (u[i] - R(0.5));
        sum += product;
    }
    return fabs((double)(sum / (real)plan.count) - 1.0);
}

static void test_mean(void)
{
    CHECK(mean_error(POINTS_RANDOM) < 0.05); // sd 0.013
    CHECK(mean_error(POINTS_RANDOM) > 1e-4);
    CHECK(mean_error(POINTS_LATIN) < 5e-3);
    CHECK(mean_error(POINTS_SOBOL) < 2e-3);
    CHECK(mean_error(POINTS_SOBOL_OWEN) < 2e-4);
}

static void test_faults(void)
{
    char text[POINTS_FAULT] = "";
    PointPlan plan = {POINTS_SOBOL, SOBOL_DIMENSIONS + 1, 8, 0};
    CHECK_TEXT(points_fault(&plan, text),
               "a Sobol sequence has 128 dimensions at most, not 129: take a "
               "Latin hypercube");
    plan.kind = POINTS_LATIN;
    CHECK(points_fault(&plan, text) == NULL);
    plan.count = 0;
    CHECK_TEXT(points_fault(&plan, text), "there are no points to draw");
    plan.dimensions = 0;
    CHECK_TEXT(points_fault(&plan, text), "there is no parameter to draw");
}

int main(void)
{
    test_published();
    test_balance();
    test_net();
    test_property_a();
    test_latin();
    test_latin_orders();
    test_order();
    test_discrepancy();
    test_mean();
    test_faults();
    return check_end();
}
