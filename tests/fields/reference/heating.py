"""Chapter V's heating system. Left end: held at Z with Z' = 4*(35 - Z) while the heating
runs, else symmetry; right end: DX(U) = 1E-9*((UA + 273.3)^4 - (U + 273.3)^4). With 11
points and a ghost point on either side, and converged in two ways: these formulas on
finer grids, extrapolated, and Chebyshev polynomials."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from lines import chebyshev, richardson


def slope(t, wall):
    outside = 5 * np.sin(np.pi * t / 12)
    return 1e-9 * ((outside + 273.3) ** 4 - (wall + 273.3) ** 4)


class Differences:
    """All points are states; the equation holds at the ends, too."""

    def __init__(self, n):
        self.h, self.start = 1 / n, np.zeros(n + 1)

    def ends(self, t, u, on):
        return u

    def rates(self, t, u, on):
        d = np.empty_like(u)
        d[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        d[0] = 2 * (u[1] - u[0])
        d[-1] = 2 * (u[-2] - u[-1]) + 2 * self.h * slope(t, u[-1])
        d *= 0.5 / self.h**2
        if on:
            d[0] = 4 * (35 - u[0])
        return d


class Polynomials:
    """The ends follow from the conditions there, but for Z."""

    def __init__(self, n):
        self.x, self.d, _ = chebyshev(n, 0, 1)
        self.start = np.zeros(n + 1)

    def ends(self, t, u, on):
        u, d = u.copy(), self.d
        left, right = d[0, 1:-1] @ u[1:-1], d[-1, 1:-1] @ u[1:-1]

        def first(wall):
            return u[0] if on else -(left + d[0, -1] * wall) / d[0, 0]

        u[-1] = brentq(lambda w: d[-1, 0] * first(w) + right + d[-1, -1] * w
                       - slope(t, w), -50, 80, xtol=1e-13)
        u[0] = first(u[-1])
        return u

    def rates(self, t, u, on):
        rates = 0.5 * self.d @ (self.d @ self.ends(t, u, on))
        rates[0] = 4 * (35 - u[0]) if on else 0.0
        rates[-1] = 0.0
        return rates


def run(method, tolerance):
    """Times at which the wall passes a threshold, then the temperatures at both ends, 36
    hours after the start."""
    times, u, t, on, day, cold = [], method.start, 0.0, False, False, True
    for stop, next_day in ((1.0, True), (13.0, False), (25.0, True), (36.0, False)):
        while t < stop:
            def crossing(t, u):
                return method.ends(t, u, on)[-1] - (19.5 if not cold else 22.5)
            crossing.terminal, crossing.direction = True, 1 if cold else -1
            s = solve_ivp(lambda t, u: method.rates(t, u, on), (t, stop), u, "Radau",
                          rtol=tolerance, atol=tolerance, events=crossing)
            t, u = s.t[-1], method.ends(s.t[-1], s.y[:, -1], on)
            if t < stop:
                times.append(t)
                cold = not cold
                on = day and cold
        day = next_day
        on = day and cold
    return np.array(times + [u[0], u[-1]])


if __name__ == "__main__":
    np.set_printoptions(precision=9, suppress=True, linewidth=130)
    print("   times when the wall is too warm, too cold, ...; both ends at 36 h")
    print("11 points  ", run(Differences(10), 1e-11))
    print("differences", richardson(run(Differences(80), 1e-10), run(Differences(160), 1e-10)))
    for n in (24, 32):
        print("polynomials", run(Polynomials(n), 1e-9))
