"""Pulses of Gray and Scott's reaction that divide (Doelman, Kaper and Zegeling, 1997):
u' = u_xx + A*(1 - u) - u*v^2, v' = D*v_xx - B*v + u*v^2 on a ring of 100, with
v = SIN(PI*(x + 50)/100)^100/4 and u = 1 - 2*v at first. Waves are eigenfunctions, of the
derivatives and of their second-order differences."""

import sys
import numpy as np
from lines import etdrk4, richardson

A, B, D = 0.02, 0.066, 0.01


def run(n, differences, end, steps):
    x = np.arange(n) * 100 / n - 50
    k = 2 * np.pi * np.arange(n // 2 + 1) / 100
    h = 100 / n
    wave = -(2 / h * np.sin(k * h / 2)) ** 2 if differences else -k * k
    v = np.sin(np.pi * (x + 50) / 100) ** 100 / 4

    def rest(w):
        u, v = w
        r = u * v * v
        return np.array([A * (1 - u) - r, r - B * v])

    u, v = etdrk4(np.array([1 - 2 * v, v]), np.array([wave, D * wave]), rest,
                  lambda w: np.fft.rfft(w), lambda w: np.fft.irfft(w, n), end / steps, steps)
    at = [n // 2 + round(p * n / 100) for p in (0, 10, 20)]
    return np.concatenate([u[at], v[at], [v.mean() * 100]]), x, v


if __name__ == "__main__":
    np.set_printoptions(precision=9, suppress=True, linewidth=120)
    for end in map(float, sys.argv[1:] or ["400"]):
        print("at", end, "u at 0, 10, 20; v there; integral of v")
        for n, steps in ((1600, 4000), (1600, 8000), (3200, 4000)):
            print("waves", n, steps, run(n, False, end, steps)[0])
        values = [run(n, True, end, 4000)[0] for n in (1600, 3200, 6400)]
        for v in values:
            print("differences", v)
        print("differences", richardson(values[1], values[2]))
