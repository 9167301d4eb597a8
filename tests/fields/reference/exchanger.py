"""A heat exchanger: a fluid flows through a pipe and takes heat from its wall, which a
heater warms. A controller, proportional and integral, moves the heater so that the
fluid leaves at the wanted temperature; at 2 the fluid begins to enter colder. Along
characteristics with the trapezoidal rule, extrapolated, and by Chebyshev polynomials."""

import numpy as np
from scipy.integrate import solve_ivp
from lines import chebyshev, richardson

V, TO_WALL, TO_FLUID, SHARE = 1.0, 4.0, 2.0, 1.0  # rates of exchange, 1/s; heater's
KP, TN, WANTED, END = 2.0, 0.5, 60.0, 8.0


def inlet(t):
    return 20 - 5 * (1 - np.exp(-((np.maximum(t - 2, 0) / 0.5) ** 3)))


def heater(out, integral):
    return 100 + KP * (WANTED - out + integral / TN)


def characteristics(n):
    """One step takes the fluid from a point to the next."""
    h = 1 / n / V
    f, w, z, rows = np.full(n + 1, 20.0), np.full(n + 1, 20.0), 0.0, []
    a, b, s = TO_WALL * h / 2, TO_FLUID * h / 2, SHARE * h / 2
    for k in range(round(END / h)):
        if k % n == 0:
            rows.append((f[-1], w[0], w[-1], z))
        q, f0 = heater(f[-1], z), f.copy()
        heat = f0[:-1] + a * (w[:-1] - f0[:-1])
        wall = w + b * (f0 - w) + s * (q - w)
        # the fluid's new value follows from the wall's, both from the heater's
        def new(q):
            g = (wall + s * q) / (1 + b + s)
            r = b / (1 + b + s)
            f[0] = inlet((k + 1) * h)
            f[1:] = (heat + a * g[1:]) / (1 + a - a * r)
            return g + r * f
        low, high = 0.0, 1.0
        ends = []
        for guess in (low, high):
            new(guess)
            ends.append(guess - heater(f[-1], z + h / 2 * (2 * WANTED - f0[-1] - f[-1])))
        w = new(low - ends[0] * (high - low) / (ends[1] - ends[0]))
        z += h / 2 * (2 * WANTED - f0[-1] - f[-1])
    rows.append((f[-1], w[0], w[-1], z))
    return np.array(rows)


def polynomials(n):
    x, d, _ = chebyshev(n, 0, 1)

    def rates(t, y):
        f, w, z = y[:n + 1].copy(), y[n + 1:-1], y[-1]
        f[0] = inlet(t)
        df = -V * d @ f + TO_WALL * (w - f)
        df[0] = 0
        return np.concatenate([df, TO_FLUID * (f - w) + SHARE * (heater(f[-1], z) - w),
                               [WANTED - f[-1]]])

    s = solve_ivp(rates, (0, END), np.append(np.full(2 * n + 2, 20.0), 0), "DOP853",
                  rtol=1e-9, atol=1e-9, max_step=0.05, t_eval=np.arange(0, END + 0.5))
    return s.y[[n, n + 1, -2, -1]].T


if __name__ == "__main__":
    np.set_printoptions(precision=7, suppress=True, linewidth=100)
    print("fluid at the end, wall at both ends, integral, at 0, 1, ...")
    a, b = characteristics(400), characteristics(800)
    print(a - b)
    print("characteristics\n", richardson(a, b))
    print("polynomials\n", polynomials(40))
