"""American puts, K = 40 and r = 0.06, of table 1 of Longstaff and Schwartz (2001), who
allow 50 exercises a year and find 4.478 for S = 36, sigma = 0.2, one year. By binomial
trees that end in the formula of Black and Scholes, extrapolated, and by differences in
log S with the elimination of Brennan and Schwartz."""

from math import erf, exp, log, sqrt

import numpy as np


def put(s, k, r, sigma, t):
    d = (np.log(s / k) + (r + sigma**2 / 2) * t) / (sigma * sqrt(t))
    normal = np.vectorize(lambda z: 0.5 * (1 + erf(z / sqrt(2))))
    return k * exp(-r * t) * normal(sigma * sqrt(t) - d) - s * normal(-d)


def tree(s, k, r, sigma, t, n):
    h = t / n
    up = exp(sigma * sqrt(h))
    p = (exp(r * h) - 1 / up) / (up - 1 / up)
    prices = s * up ** np.arange(-(n - 1), n, 2.0)
    v = np.maximum(k - prices, put(prices, k, r, sigma, h))
    for _ in range(n - 1):
        prices = prices[1:] / up
        v = np.maximum(k - prices, exp(-r * h) * (p * v[1:] + (1 - p) * v[:-1]))
    return v[0]


def differences(s, k, r, sigma, t, n, steps):
    """Two-step backward differences in time, from the price down."""
    x = np.linspace(log(s) - 3, log(s) + 3, 2 * n + 1)
    h, dt = x[1] - x[0], t / steps
    payoff = np.maximum(k - np.exp(x), 0)
    a, b = sigma**2 / (2 * h * h), (r - sigma**2 / 2) / (2 * h)
    older = v = payoff.copy()
    for step in range(steps):
        lead, past = (1.0, v) if step == 0 else (1.5, 2 * v - 0.5 * older)
        low, mid, high = -dt * (a - b), lead + dt * (2 * a + r), -dt * (a + b)
        m, right = np.full(2 * n + 1, mid), past.copy()
        right[-1] = 0.0
        m[-1] = 1.0
        for i in range(2 * n - 1, 0, -1):
            w = high / m[i + 1]
            m[i] -= w * (low if i + 1 < 2 * n else 0.0)
            right[i] -= w * right[i + 1]
        older, v = v, payoff.copy()
        for i in range(1, 2 * n):
            v[i] = max(payoff[i], (right[i] - low * v[i - 1]) / m[i])
    return v[n]


if __name__ == "__main__":
    for s, sigma, t in ((36, 0.2, 1), (36, 0.4, 2), (40, 0.2, 1), (44, 0.2, 1)):
        trees = [tree(s, 40, 0.06, sigma, t, n) for n in (2000, 4000, 8000)]
        grids = [differences(s, 40, 0.06, sigma, t, n, n) for n in (400, 800)]
        print(s, sigma, t, "trees", *("%.6f" % v for v in trees),
              "limit %.6f" % (2 * trees[2] - trees[1]),
              "differences", *("%.6f" % v for v in grids))
