#!/usr/bin/env python3
"""The speed of M3 in the end of stops.cosy, by the method of Runge and Kutta."""

from math import exp


def speed(n):
    h, t, v = 0.5/n, 5.5, 0.0

    def f(t, v):
        return t - 4 - (1 + 0.5*exp(-v/1e-3))
    for _ in range(n):
        a = f(t, v)
        b = f(t + h/2, v + h/2*a)
        c = f(t + h/2, v + h/2*b)
        d = f(t + h, v + h*c)
        v, t = v + h/6*(a + 2*b + 2*c + d), t + h
    return v


if __name__ == "__main__":
    for n in (100000, 200000):
        print(n, "%.13g" % speed(n))
