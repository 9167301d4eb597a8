#!/usr/bin/env python3
"""References of the library that are not closed forms: prints them in 15 digits.

The network of examples/filter is linear: its matrix exponential. The temperature of
examples/temperature-control: power series in each phase, switchings by bisection.
Needs mpmath."""

from mpmath import mp, mpf, matrix, expm, lu_solve

mp.dps = 30


def cauer(t):
    l1, l2 = mpf("1.304"), mpf("0.8586")
    c1, c3, c5 = mpf("1.072"), mpf("1.682"), mpf("0.7262")
    c2, c4 = 1 / (mpf("1.704992") ** 2 * l1), 1 / (mpf("1.179945") ** 2 * l2)
    mass = matrix([[c1 + c2, -c2, 0, 0, 0], [-c2, c2 + c3 + c4, -c4, 0, 0],
                   [0, -c4, c4 + c5, 0, 0], [0, 0, 0, l1, 0], [0, 0, 0, 0, l2]])
    right = matrix([[-1, 0, 0, -1, 0, 1], [0, 0, 0, 1, -1, 0], [0, 0, -1, 0, 1, 0],
                    [1, -1, 0, 0, 0, 0], [0, 1, -1, 0, 0, 0]])
    a = matrix(6, 6)
    for k in range(6):
        column = lu_solve(mass, right[:, k])
        for i in range(5):
            a[i, k] = column[i]
    return (expm(a * (mpf(t) - 1)) * matrix([0, 0, 0, 0, 0, 1]))[:5]


def controlled(end):
    """x: rise above 293.15 K. Off: x' = -0.1 x + leak; on: the power of 10 V."""
    ron, goff = mpf("1E-5"), mpf("1E-5")
    events = []

    def power(x, on):
        r = 10 * (1 + x / 255)
        other = ron if on else 1 / goff
        return 100 * r / (r + other) ** 2

    def series(x, on, h):
        """A step of 30 terms: the coefficients of x, r^-1 by recurrence."""
        n = 30
        other = (ron if on else 1 / goff)
        c = [x]
        s = [10 * (1 + x / 255) + other]        # r + other
        q = [1 / s[0]]                          # its inverse
        for k in range(n):
            # 100 (s - other) q^2 = 100 (q - other q^2)
            square = sum(q[i] * q[k - i] for i in range(k + 1))
            c.append((100 * (q[k] - other * square) - c[k] / 10) / (k + 1))
            s.append(c[k + 1] * 10 / 255)
            q.append(-sum(s[i] * q[k + 1 - i] for i in range(1, k + 2)) / s[0])
        return sum(c[k] * h ** k for k in range(n + 1))

    def wanted(t):
        return 5 + 25 * min(max((t - 2) / 6, 0), 1)

    t, x, on = mpf(0), mpf(0), True
    curve = {}
    step = mpf(1) / 64
    while t < end:
        far = lambda t, x: (x - wanted(t) - 1) if on else (wanted(t) - 1 - x)
        ahead = series(x, on, step)
        if far(t + step, ahead) > 0:
            lo, hi = mpf(0), step
            for _ in range(70):
                mid = (lo + hi) / 2
                if far(t + mid, series(x, on, mid)) > 0:
                    hi = mid
                else:
                    lo = mid
            x, t = series(x, on, hi), t + hi
            on = not on
            events.append(t)
            grid = (mp.floor(t / (mpf(1) / 64)) + 1) / 64
            step = grid - t
        else:
            x, t = ahead, t + step
            step = mpf(1) / 64
            if abs(t - mp.nint(t)) < mpf("1E-20"):
                curve[int(mp.nint(t))] = x + mpf("293.15")
    return curve, events


if __name__ == "__main__":
    print("cauer at 60:", [mp.nstr(v, 15) for v in cauer(60)])
    curve, events = controlled(10)
    for t, v in curve.items():
        print("controlled-temperature at", t, mp.nstr(v, 15))
    print("events", [mp.nstr(t, 15) for t in events])
