#include "solve/radau.h"

/* Nodes are 0 and the zeros of
       p(c) = c^3 - 9/5 c^2 + 9/10 c - 1/10,
   the eigenvalues mu of the inverse of A those of
       mu^3 - 9 mu^2 + 36 mu - 60.
   An eigenvector holds the values at the nodes of a polynomial u of degree 3
   with u' - mu u = const p. Hence, from u = sum of p^(k) / mu^(k+1),
       v_i = mu^2 p'(c_i) + mu p''(c_i) + p'''(c_i). */
static Complex eigenvector(Complex mu, real c)
{
    real p1 = (R(3.0) * c - R(18.0) / R(5.0)) * c + R(9.0) / R(10.0);
    real p2 = R(6.0) * c - R(18.0) / R(5.0);
    Complex square = complex_times(mu, mu);
    Complex v = {square.re * p1 + mu.re * p2 + R(6.0),
                 square.im * p1 + mu.im * p2};
    return v;
}

/* Row i of T: the real eigenvector, then real and imaginary part of that of
   alpha - i beta, each scaled to 1 at the last node. */
static void transformation(RadauTable *table)
{
    Complex real_mu = {table->gamma, R(0.0)};
    Complex mu = {table->alpha, -table->beta};
    real last = eigenvector(real_mu, R(1.0)).re;
    Complex scale = complex_inverse(eigenvector(mu, R(1.0)));
    for (int i = 0; i < 2; i++) {
        Complex v = complex_times(eigenvector(mu, table->c[i]), scale);
        table->t[i][0] = eigenvector(real_mu, table->c[i]).re / last;
        table->t[i][1] = v.re;
        table->t[i][2] = v.im;
    }
    table->t[2][0] = R(1.0);
    table->t[2][1] = R(1.0);
    table->t[2][2] = R(0.0);
}

/* Determinant of what is left of T without row i and column j, with sign. */
static real cofactor(const RadauTable *table, int i, int j)
{
    int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return table->t[a][c] * table->t[b][d] - table->t[a][d] * table->t[b][c];
}

static void invert(RadauTable *table)
{
    real determinant = R(0.0);
    for (int j = 0; j < 3; j++)
        determinant += table->t[0][j] * cofactor(table, 0, j);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            table->ti[i][j] = cofactor(table, j, i) / determinant;
}

void radau_table(RadauTable *table)
{
    real root6 = cosy_sqrt(R(6.0)), three = cosy_cbrt(R(3.0));
    real nine = three * three, root3 = cosy_sqrt(R(3.0));
    table->c[0] = (R(4.0) - root6) / R(10.0);
    table->c[1] = (R(4.0) + root6) / R(10.0);
    table->c[2] = R(1.0);
    table->gamma = R(3.0) + nine - three;
    table->alpha = R(3.0) + (three - nine) / R(2.0);
    table->beta = root3 * (three + nine) / R(2.0);
    table->e[0] = -(R(13.0) + R(7.0) * root6) / R(3.0);
    table->e[1] = (R(7.0) * root6 - R(13.0)) / R(3.0);
    table->e[2] = R(-1.0) / R(3.0);
    transformation(table);
    invert(table);
}
