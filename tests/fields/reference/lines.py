"""What the programs of this folder share: the method of lines, written a second time
and in another way than COSY's."""

import numpy as np


def chebyshev(n, a, b):
    """Points from a to b, matrix of the first derivative, weights of the integral."""
    k = np.arange(n + 1)
    x = -np.cos(np.pi * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    dx = x[:, None] - x[None, :]
    d = np.outer(c, 1 / c) / (dx + np.eye(n + 1))
    d -= np.diag(d.sum(axis=1))
    w = np.zeros(n + 1)  # Clenshaw and Curtis, by moments of Chebyshev polynomials
    moments = np.array([2 / (1 - m * m) if m % 2 == 0 else 0.0 for m in k])
    half = np.where((k == 0) | (k == n), 0.5, 1.0)
    for i in k:
        w[i] = 2 / n * half[i] * np.sum(half * moments * np.cos(np.pi * k * (n - i) / n))
    return a + (b - a) * (x + 1) / 2, d * 2 / (b - a), w * (b - a) / 2


def richardson(coarse, fine, order=2):
    """The limit of a quantity whose error falls with that order, steps being halved."""
    coarse, fine = np.asarray(coarse), np.asarray(fine)
    return fine + (fine - coarse) / (2**order - 1)


def etdrk4(u, linear, rest, forward, back, h, steps):
    """Cox and Matthews' exponential Runge-Kutta method of order 4 for u' = linear*u +
    rest(u), in the space where `linear` is diagonal; Kassam and Trefethen's way to
    find the coefficients."""
    ring = np.exp(1j * np.pi * (np.arange(32) + 0.5) / 32)
    z = h * linear[..., None] + ring
    e, half = np.exp(h * linear), np.exp(h * linear / 2)
    q = h * np.real(((np.exp(z / 2) - 1) / z).mean(-1))
    f1 = h * np.real(((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3).mean(-1))
    f2 = h * np.real(((2 + z + np.exp(z) * (z - 2)) / z**3).mean(-1))
    f3 = h * np.real(((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3).mean(-1))

    def n(v):
        return forward(rest(back(v)))

    v = forward(u)
    for _ in range(steps):
        n0 = n(v)
        a = half * v + q * n0
        na = n(a)
        b = half * v + q * na
        nb = n(b)
        c = half * a + q * (2 * nb - n0)
        v = e * v + f1 * n0 + 2 * f2 * (na + nb) + f3 * n(c)
    return back(v)
