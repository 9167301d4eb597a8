#!/usr/bin/env python3
"""Solutions for the models in this folder, by other means than COSY's."""


def rk4(f, x, t, end, steps):
    h = (end - t)/steps
    for _ in range(steps):
        a = f(t, x)
        b = f(t + h/2, [u + h/2*v for u, v in zip(x, a)])
        c = f(t + h/2, [u + h/2*v for u, v in zip(x, b)])
        d = f(t + h, [u + h*v for u, v in zip(x, c)])
        x = [u + h/6*(p + 2*q + 2*r + s)
             for u, p, q, r, s in zip(x, a, b, c, d)]
        t += h
    return x


def first():
    """first.cosy by hand: the motor's inertia is 100 times as large behind the gear."""
    from math import pi, sin

    def f(t, x):
        p2, w2, p3, w3 = x
        spring = 1e4*(p3 - p2)
        return [w2, (10*10*sin(10*pi*t) - 10*w2 + spring)/(2 + 0.1*100),
                w3, -spring/2]
    for n in (20000, 40000):
        print("first", n, *("%.13g" % v for v in rk4(f, [0]*4, 0.0, 1.0, n)))


if __name__ == "__main__":
    first()
