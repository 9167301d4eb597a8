#include "lower/stencil.h"

#include "base/macros.h"
#include "check.h"

/* Weights of difference formulas, against the textbook and against polynomials, for which
   they are exact. */

/* The formula, applied to x^power about a place, in half steps. */
static double applied(const Stencil *s, uint32_t power, double shift)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < s->nodes; k++) {
        double x = (double)s->node[k] + shift, p = 1.0;
        for (uint32_t i = 0; i < power; i++)
            p *= x;
        sum += (double)s->weight[k] * p;
    }
    if (s->sloped && power > 0) {
        double x = (double)s->slope_at + shift, p = power;
        for (uint32_t i = 1; i < power; i++)
            p *= x;
        sum += (double)s->slope_weight * p;
    }
    return sum / (double)s->over;
}

/* The d-th derivative of x^power at `shift`. */
static double derivative(uint32_t power, uint32_t d, double shift)
{
    double v = 1.0;
    if (d > power)
        return 0.0;
    for (uint32_t i = 0; i < d; i++)
        v *= power - i;
    for (uint32_t i = d; i < power; i++)
        v *= shift;
    return v;
}

static void check_exact(Stencil s, uint32_t d)
{
    uint32_t data = s.nodes + (s.sloped ? 1 : 0);
    CHECK(stencil_solve(&s, d));
    for (uint32_t power = 0; power < data; power++) {
        double wanted = derivative(power, d, 3.0);
        double found = applied(&s, power, 3.0);
        CHECK(found - wanted < 1e-8 * (1.0 + wanted) &&
              wanted - found < 1e-8 * (1.0 + wanted));
    }
}

static void test_textbook(void)
{
    // steps of 2 half steps: the second derivative has 4 over it
    Stencil s = {.nodes = 3, .node = {-2, 0, 2}};
    CHECK(stencil_solve(&s, 2) && s.over == 4);
    CHECK(s.weight[0] == 1 && s.weight[1] == -2 && s.weight[2] == 1);
    Stencil five = {.nodes = 5, .node = {-4, -2, 0, 2, 4}};
    CHECK(stencil_solve(&five, 2) && five.over == 48);
    CHECK(five.weight[0] == -1 && five.weight[1] == 16 &&
          five.weight[2] == -30);
    Stencil between = {.nodes = 4, .node = {-3, -1, 1, 3}};
    CHECK(stencil_solve(&between, 0) && between.over == 16);
    CHECK(between.weight[0] == -1 && between.weight[1] == 9);
}

/* The ghost point: U'' at a boundary from U there, its neighbour and the slope. */
static void test_ghost(void)
{
    Stencil s = {.nodes = 2, .node = {0, 2}, .sloped = true, .slope_at = 0};
    CHECK(stencil_solve(&s, 2) && s.over == 2);
    CHECK(s.weight[0] == -1 && s.weight[1] == 1 && s.slope_weight == -2);
}

static void test_polynomials(void)
{
    check_exact((Stencil){.nodes = 7, .node = {-6, -4, -2, 0, 2, 4, 6}}, 1);
    check_exact((Stencil){.nodes = 8, .node = {0, 2, 4, 6, 8, 10, 12, 14}}, 2);
    check_exact((Stencil){.nodes = 6,
                          .node = {-2, 0, 2, 4, 6, 8},
                          .sloped = true,
                          .slope_at = -2},
                2);
    check_exact((Stencil){.nodes = 5,
                          .node = {6, 4, 2, 0, -2},
                          .sloped = true,
                          .slope_at = 6},
                1);
    check_exact((Stencil){.nodes = 4, .node = {0, 1, 3, 5}}, 1);
}

int main(void)
{
    test_textbook();
    test_ghost();
    test_polynomials();
    return check_end();
}
