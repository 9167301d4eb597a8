#!/usr/bin/env python3
"""Solutions for the models in this folder, in as few coordinates as there are degrees of
freedom, by the method of Runge and Kutta. Each is computed twice, the second time with
half the step."""

from math import cos, pi, sin

G = 9.81


def rk4(f, x, end, steps):
    h = end/steps
    for _ in range(steps):
        a = f(x)
        b = f([u + h/2*v for u, v in zip(x, a)])
        c = f([u + h/2*v for u, v in zip(x, b)])
        d = f([u + h*v for u, v in zip(x, c)])
        x = [u + h/6*(p + 2*q + 2*r + s)
             for u, p, q, r, s in zip(x, a, b, c, d)]
    return x


def two_by_two(a, b, c, d, p, q):
    """a x + b y = p, c x + d y = q"""
    det = a*d - b*c
    return (p*d - b*q)/det, (a*q - p*c)/det


def double_pendulum(steps):
    """Two uniform bars of 1 kg and 1 m; angles against the horizontal."""

    def f(y):
        a, b, u, v = y
        c, s = cos(a - b), sin(a - b)
        return [u, v, *two_by_two(4/3, c/2, c/2, 1/3,
                                  -s/2*v*v - 1.5*G*cos(a),
                                  s/2*u*u - 0.5*G*cos(b))]
    return rk4(f, [0.0]*4, 3.0, steps)


class FourBar:
    """The crank's angle a gives those of coupler and rocker, b and c."""
    L1, L2, L3, D = 0.5, 2.0, 1.5, 2.0
    M1, M2, M3 = 1.0, 2.0, 1.5

    def __init__(self):
        self.b, self.c = 0.4, 1.7

    def solve(self, p, q):
        return two_by_two(-self.L2*sin(self.b), self.L3*sin(self.c),
                          self.L2*cos(self.b), -self.L3*cos(self.c), p, q)

    def close(self, a):
        for _ in range(30):
            db, dc = self.solve(
                self.D + self.L3*cos(self.c) - self.L1*cos(a) - self.L2*cos(self.b),
                self.L3*sin(self.c) - self.L1*sin(a) - self.L2*sin(self.b))
            self.b, self.c = self.b + db, self.c + dc
            if abs(db) + abs(dc) < 1e-15:
                break

    def f(self, x):
        """Virtual power per speed of the crank."""
        a, w = x
        self.close(a)
        b, c, l1, l2, l3 = self.b, self.c, self.L1, self.L2, self.L3
        rb, rc = self.solve(l1*sin(a), -l1*cos(a))
        wb, wc = rb*w, rc*w
        gb, gc = self.solve(l1*cos(a)*w*w + l2*cos(b)*wb*wb - l3*cos(c)*wc*wc,
                            l1*sin(a)*w*w + l2*sin(b)*wb*wb - l3*sin(c)*wc*wc)
        vx = -l1*sin(a) - l2/2*sin(b)*rb
        vy = l1*cos(a) + l2/2*cos(b)*rb
        ax = -l1*cos(a)*w*w - l2/2*(cos(b)*wb*wb + sin(b)*gb)
        ay = -l1*sin(a)*w*w - l2/2*(sin(b)*wb*wb - cos(b)*gb)
        j2, i3 = self.M2*l2*l2/12, self.M3*l3*l3/3
        mass = (self.M1*l1*l1/3 + self.M2*(vx*vx + vy*vy) + j2*rb*rb
                + i3*rc*rc)
        force = (3 - self.M1*G*l1/2*cos(a) - self.M2*G*vy
                 - self.M3*G*l3/2*cos(c)*rc - self.M2*(vx*ax + vy*ay)
                 - j2*rb*gb - i3*rc*gc)
        return [w, force/mass]

    def run(self, steps):
        a, w = rk4(self.f, [pi/2, 0.0], 2.0, steps)
        self.close(a)
        _, rc = self.solve(self.L1*sin(a), -self.L1*cos(a))
        return a, w, self.b, self.c, rc*w


def chain(n, steps, end):
    """n uniform bars of 0.01 m and 0.01 kg from one nail, at rest at the angles
    SIN(K/20) - 1. The forces in the joints follow from a tridiagonal system of blocks of
    2 by 2."""
    m, r = 0.01, 0.005
    j = m*(2*r)**2/12

    def f(y):
        th, w = y[:n], y[n:]
        px = [r*cos(t) for t in th]
        py = [r*sin(t) for t in th]
        # ends A and B of a bar: acceleration = free + P F_A + Q F_B
        low, right, diag = [], [], []
        for k in range(n):
            x, z = px[k], py[k]
            # arm of A is (-x, -z); turning: J alpha = arm_A x F_A + arm_B x F_B
            # joint k: A of k against B of k - 1; forces L on A of k, -L on B of k - 1
            d = [1/m + z*z/j, -x*z/j, -x*z/j, 1/m + x*x/j]      # A by its own force
            o = [1/m - z*z/j, x*z/j, x*z/j, 1/m - x*x/j]        # A by the force at B
            ax = w[k]*w[k]*x
            az = w[k]*w[k]*z - G
            if k:
                x1, z1 = px[k-1], py[k-1]
                d = [d[0] + 1/m + z1*z1/j, d[1] - x1*z1/j, d[2] - x1*z1/j,
                     d[3] + 1/m + x1*x1/j]
                ax += w[k-1]**2*x1
                az += w[k-1]**2*z1 + G
            diag.append(d)
            right.append((-ax, -az))
            low.append(o)  # joint k by the force of joint k + 1 is -o
        # elimination from the first joint on
        for k in range(1, n):
            a, b, c, d = diag[k-1]
            det = a*d - b*c
            o = low[k-1]
            i = [d/det, -b/det, -c/det, a/det]
            s = [o[0]*i[0] + o[1]*i[2], o[0]*i[1] + o[1]*i[3],
                 o[2]*i[0] + o[3]*i[2], o[2]*i[1] + o[3]*i[3]]
            diag[k] = [diag[k][0] - s[0]*o[0] - s[1]*o[2],
                       diag[k][1] - s[0]*o[1] - s[1]*o[3],
                       diag[k][2] - s[2]*o[0] - s[3]*o[2],
                       diag[k][3] - s[2]*o[1] - s[3]*o[3]]
            p, q = right[k-1]
            right[k] = (right[k][0] + s[0]*p + s[1]*q,
                        right[k][1] + s[2]*p + s[3]*q)
        force = [(0.0, 0.0)]*(n + 1)
        for k in range(n - 1, -1, -1):
            o, (u, v) = low[k], force[k+1]
            if k == n - 1:
                u = v = 0.0
            force[k] = two_by_two(*diag[k], right[k][0] + o[0]*u + o[1]*v,
                                  right[k][1] + o[2]*u + o[3]*v)
        turn = []
        for k in range(n):
            u, v = force[k]
            p, q = force[k+1]
            turn.append((-px[k]*(v + q) + py[k]*(u + p))/j)
        return list(w) + turn
    begin = [sin(k/20) - 1 for k in range(1, n + 1)]
    return rk4(f, begin + [0.0]*n, end, steps)


def show(name, *values):
    print(name, *("%.12g" % v for v in values))


if __name__ == "__main__":
    for steps in (10000, 20000):
        show("double pendulum", *double_pendulum(steps))
    for steps in (8000, 16000):
        show("four-bar", *FourBar().run(steps))
    for steps in (2000, 4000):
        x = chain(200, steps, 0.2)
        show("chain", x[0], x[1], x[9], x[49], x[199], x[209], x[249], x[399])
