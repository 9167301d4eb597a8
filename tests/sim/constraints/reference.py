#!/usr/bin/env python3
"""Prints the references of the models in this folder that have no closed form of
one line: python3 reference.py. It uses nothing of COSY, and no library but math.

Differential equations are integrated by extrapolation of the explicit midpoint rule
(Hairer, Norsett and Wanner, Solving ODEs I, II.9) with a fixed number of columns, in
steps halved until two answers agree; integrals of periodic functions by the
trapezoidal rule, which converges geometrically there."""

from math import *


# ---- Tools ------------------------------------------------------------------

def midpoint(f, t, y, step, n):
    h = step/n
    a, b = y, [p + h*q for p, q in zip(y, f(t, y))]
    for i in range(1, n):
        a, b = b, [p + 2*h*q for p, q in zip(a, f(t + i*h, b))]
    return [(p + q + h*r)/2 for p, q, r in zip(a, b, f(t + step, b))]


def extrapolated(f, t, y, h, columns=8):
    table = []
    for j in range(columns):
        n = 2*(j + 1)
        row = [midpoint(f, t, y, h, n)]
        for k in range(1, j + 1):
            w = (n/(2.0*(j - k + 1)))**2 - 1
            row.append([p + (p - q)/w for p, q in zip(row[k - 1], table[-1][k - 1])])
        table.append(row)
    return table[-1][-1]


def integrate(f, t0, t1, y, steps):
    h = (t1 - t0)/steps
    for i in range(steps):
        y = extrapolated(f, t0 + i*h, y, h)
    return y


def solved(f, t0, t1, y, steps=16, tol=2e-14):
    """y(t1), with the number of steps doubled until it changes no more."""
    old = integrate(f, t0, t1, y, steps)
    while True:
        steps *= 2
        new = integrate(f, t0, t1, y, steps)
        if max(abs(p - q)/(1 + abs(p)) for p, q in zip(new, old)) < tol or steps > 4000:
            return new
        old = new


def root(g, a, b):
    """Where g changes its sign between a and b, by bisection."""
    below = g(a) < 0
    for _ in range(200):
        m = (a + b)/2
        if m in (a, b):
            break
        a, b = (m, b) if (g(m) < 0) == below else (a, m)
    return (a + b)/2


def crossing(f, g, t, y, h, direction):
    """Advances y in steps of h until g(t, y) crosses zero in a direction; returns the
    instant and the state there."""
    while True:
        z = extrapolated(f, t, y, h)
        if direction*g(t, y) <= 0 and direction*g(t + h, z) > 0:
            s = root(lambda s: direction*g(t + s, extrapolated(f, t, y, s)), 0.0, h)
            return t + s, extrapolated(f, t, y, s)
        t, y = t + h, z


def complete_k(m):
    """K of the parameter m = k^2, by the arithmetic-geometric mean."""
    a, b = 1.0, sqrt(1 - m)
    for _ in range(8):
        a, b = (a + b)/2, sqrt(a*b)
    return pi/(a + b)


def integral(f, a, b, panels=64):
    """Gauss-Legendre with five points on each panel."""
    x = [0, sqrt(5 - 2*sqrt(10/7))/3, sqrt(5 + 2*sqrt(10/7))/3]
    w = [128/225, (322 + 13*sqrt(70))/900, (322 - 13*sqrt(70))/900]
    h = (b - a)/panels/2
    total = 0.0
    for i in range(panels):
        m = a + (2*i + 1)*h
        total += w[0]*f(m) + sum(w[k]*(f(m - h*x[k]) + f(m + h*x[k])) for k in (1, 2))
    return total*h


def show(title, **values):
    print(title)
    for name, value in values.items():
        print("    %-12s %.16g" % (name, value))


# ---- Pendulums --------------------------------------------------------------

def pendulum():
    g, v0 = 9.81, 7.0
    period = 4/v0*complete_k(4*g/v0**2)
    show("pendulum-over: L = 1, V0 = 7", period=period, hundred=100*period)
    show("pendulum-second: released at 90 degrees", period=4/sqrt(g)*complete_k(0.5))


def rope():
    """Thrown at the lowest point with V0^2 = 3.8 G L: slack where SIN = 0.6, taut again
    at -3 times that angle (the angles of the four points in which a parabola with a
    vertical axis meets a circle add up to a multiple of 2 PI, and slack is a triple
    point)."""
    g = 9.81
    alpha = asin(0.6)
    # angle p from the lowest point: p'^2 = 3.8 g - 2 g (1 - cos p)
    slack = integral(lambda p: 1/sqrt(3.8*g - 2*g*(1 - cos(p))), 0, pi/2 + alpha)
    v = sqrt(0.6*g)
    flight = (0.8 + 0.352)/(0.6*v)
    x, y = 0.8 - 0.6*v*flight, 0.6 + 0.8*v*flight - g*flight**2/2
    vx, vy = -0.6*v, 0.8*v - g*flight
    vt = -y*vx + x*vy                                  # along (-y, x)
    show("rope", slack=slack, taut=slack + flight, x=x, y=y, u=-y*vt, v=x*vt,
         u_before=vx, v_before=vy, check_x=cos(3*alpha), check_y=-sin(3*alpha))
    start = atan2(x, -y)
    end = solved(lambda t, s: [s[1], -g*sin(s[0])], slack + flight, 5.0, [start, vt])
    e = vt**2/2 - g*cos(start)
    show("rope at 5", x=sin(end[0]), y=-cos(end[0]), u=cos(end[0])*end[1],
         v=sin(end[0])*end[1], tension=end[1]**2 + g*cos(end[0]), highest=-e/g)


# ---- Four-bar linkages ------------------------------------------------------

A, B, C, D = 1.0, 3.0, 2.5, 3.0


def linkage(p):
    """The points of a crank angle, and the speeds of coupler and rocker per speed of
    the crank."""
    x1, y1 = A*cos(p), A*sin(p)
    ex, ey = D - x1, -y1
    f = hypot(ex, ey)
    s = (B*B - C*C + f*f)/(2*f)
    h = sqrt(B*B - s*s)
    x2, y2 = x1 + (s*ex - h*ey)/f, y1 + (s*ey + h*ex)/f
    ux, uy = x2 - x1, y2 - y1
    rocker = (-y1*ux + x1*uy)/(-y2*ux + (x2 - D)*uy)
    # coupler: vC - vB = w (-uy, ux)
    wx, wy = -y2*rocker + y1, (x2 - D)*rocker - x1
    coupler = (-wx*uy + wy*ux)/(B*B)
    return x1, y1, x2, y2, coupler, rocker


def four_bar():
    g, m1, m2, start, w0 = 9.81, 1.0, 2.0, pi/3, 8.0

    def mass(p):
        return m1*A*A + m2*C*C*linkage(p)[5]**2

    def height(p):
        _, y1, _, y2, _, _ = linkage(p)
        return g*(m1*y1 + m2*y2)

    e = mass(start)*w0**2/2 + height(start)

    def slowness(p):
        return sqrt(mass(p)/(2*(e - height(p))))

    n = 4096
    period = sum(slowness(start + 2*pi*i/n) for i in range(n))*2*pi/n
    half = sum(slowness(start + 4*pi*i/n) for i in range(n//2))*4*pi/n
    show("four-bar", energy=e, period=period, half_the_points=half, ten=10*period)
    p = solved(lambda t, y: [1/slowness(y[0])], 0, 5, [start], 64)[0]
    x1, y1, x2, y2, _, _ = linkage(p)
    show("four-bar at 5", angle=p, x1=x1, y1=y1, x2=x2, y2=y2)
    x1, y1, x2, y2, _, r = linkage(start)
    show("four-bar start", x1=x1, y1=y1, x2=x2, y2=y2, u1=-y1*w0, v1=x1*w0,
         u2=-y2*r*w0, v2=(x2 - D)*r*w0)


def four_bar_angles():
    j1, j2, j3, start, w0 = 0.5, 0.3, 0.4, 0.5, 4.0

    def mass(p):
        _, _, _, _, c, r = linkage(p)
        return j1 + j2*c*c + j3*r*r

    e = mass(start)*w0**2/2
    n = 4096
    period = sum(sqrt(mass(start + 2*pi*i/n)/(2*e)) for i in range(n))*2*pi/n
    p = solved(lambda t, y: [sqrt(2*e/mass(y[0]))], 0, 5, [start], 64)[0]
    x1, y1, x2, y2, c, r = linkage(p)
    w = sqrt(2*e/mass(p))
    show("four-bar-angles at 5", energy=e, period=period, p1=p, p2=atan2(y2 - y1, x2 - x1),
         p3=atan2(y2, x2 - D), w1=w, w2=c*w, w3=r*w)
    x1, y1, x2, y2, c, r = linkage(start)
    show("four-bar-angles start", p2=atan2(y2 - y1, x2 - x1), p3=atan2(y2, x2 - D),
         w2=c*w0, w3=r*w0)


def slider_crank():
    def speed(t, y):
        return [sqrt(2.44/(1 + 4*sin(y[0])**2))]

    a = solved(speed, 0, 3, [asin(0.6)], 64)[0]
    show("slider-crank at 3", x1=cos(a), y1=sin(a), x2=2*cos(a))


# ---- Circuits ---------------------------------------------------------------

def rectifier():
    """Bridge of ideal diodes, source U SIN(W T) behind RS, load C parallel to R. While
    two diodes conduct, C UC' = (|US| - UC)/RS - UC/R; else C UC' = -UC/R."""
    u, w, rs, c, r = 10.0, 2*pi*50, 5.0, 1e-3, 50.0

    def us(t):
        return abs(u*sin(w*t))

    a = (1/rs + 1/r)/c                                  # UC' = -a UC + b |US|
    b = 1/(rs*c)

    def forced(t):                                      # while SIN has one sign
        s = 1 if sin(w*t + 1e-12) > 0 else -1
        return s*b*u*(a*sin(w*t) - w*cos(w*t))/(a*a + w*w)

    def conduct(t0, uc, t):
        return forced(t) + (uc - forced(t0))*exp(-a*(t - t0))

    times, t, uc = [], 0.0, 0.0
    on, tend, at = True, 0.05, {}
    current = 0.0
    while t < tend:
        half = floor(t*100 + 1e-9)                      # which half wave
        if on:
            top = half/100 + 0.005
            off = root(lambda s: conduct(t, uc, s) - us(s), max(t + 1e-9, top), half/100 + 0.01)
            for mark in (0.004, 0.013, 0.025, 0.05):
                if t <= mark <= off:
                    at[mark] = conduct(t, uc, mark)
                    current = (us(mark) - at[mark])/rs
            uc, t, on = conduct(t, uc, off), off, False
        else:
            start = (half + 1)/100
            nxt = root(lambda s: us(s) - uc*exp(-(s - t)/(r*c)), start, start + 0.005)
            for mark in (0.004, 0.013, 0.025, 0.05):
                if t <= mark <= nxt:
                    at[mark] = uc*exp(-(mark - t)/(r*c))
            uc, t, on = uc*exp(-(nxt - t)/(r*c)), nxt, True
        times.append((t, on, uc))
    print("rectifier: switching times, whether on, UC")
    for one in times:
        print("    %.15g %s %.15g" % one)
    for mark in sorted(at):
        print("    UC at %g: %.15g" % (mark, at[mark]))


def freewheel():
    """Source U SIN(W T) behind RS, diode 1 in series, diode 2 across the load R, L."""
    u, w, rs, r, l = 100.0, 2*pi*50, 1.0, 10.0, 0.05

    def us(t):
        return u*sin(w*t)

    def one(t, y):
        return [(us(t) - (rs + r)*y[0])/l]

    def two(t, y):                                      # also with both on: V = 0
        return [-r*y[0]/l]

    t, y, times = 0.0, [0.0], []
    for k in range(2):
        a, y = crossing(one, lambda s, z: us(s) - rs*z[0], t, y, 2e-4, -1) if k == 0 \
            else crossing(one, lambda s, z: us(s) - rs*z[0], t, y, 2e-4, -1)
        # diode 2 on, then 1 off when US = 0, 1 on when US = 0, 2 off when US = RS IL
        off1 = (k + 0.5)*0.02
        on1 = (k + 1)*0.02
        times.append(("2 on", a, y[0]))
        times.append(("1 off", off1, y[0]*exp(-r*(off1 - a)/l)))
        times.append(("1 on", on1, y[0]*exp(-r*(on1 - a)/l)))
        b = root(lambda s: us(s) - rs*y[0]*exp(-r*(s - a)/l), on1, on1 + 0.005)
        y = [y[0]*exp(-r*(b - a)/l)]
        times.append(("2 off", b, y[0]))
        t = b
    end = solved(one, t, 0.045, y)
    print("freewheel: switching, instant, IL")
    for line in times:
        print("    %-6s %.15g %.15g" % line)
    print("    IL at 0.045: %.15g" % end[0])


def bridge():
    """H bridge: the load R, L lies at +U, 0, -U, 0 for the given parts of a period."""
    u, r, l, period = 24.0, 2.0, 0.01, 1e-3
    i, t = 0.0, 0.0
    parts = [(0.6, u), (0.2, 0.0), (0.15, -u), (0.05, 0.0)]
    print("bridge: current at the ends of periods 1, 2, 20 and within")
    for n in range(1, 21):
        for part, v in parts:
            i = v/r + (i - v/r)*exp(-r*part*period/l)
            if n in (1, 20):
                print("    period %d after part %g: %.15g" % (n, part, i))


def argesim():
    """ARGESIM C21: L with R1 and R2, C behind R2, ideal diode across R2 and C."""
    r1, r2, l, c, f = 1000.0, 20.0, 25.3e-6, 100e-9, 0.15e6

    def u0(t):
        return -sin(2*pi*f*t)

    def conducts(t, y):
        return [-y[0]/(r2*c), (u0(t) - r1*y[1])/l]

    def locked(t, y):
        return [y[1]/c, (u0(t) - (r1 + r2)*y[1] - y[0])/l]

    def diode(t, y):
        return -y[0]/r2 - y[1]

    def voltage(t, y):
        return -(r2*y[1] + y[0])

    t, y, on, times, h = 0.0, [0.0, 0.0], True, [], 5e-9
    while True:
        if on:
            s, z = crossing(conducts, diode, t, y, h, -1)
        else:
            s, z = crossing(locked, voltage, t, y, h, 1)
        if s > 1e-4:
            break
        t, y, on = s, z, not on
        times.append(s)
    n = max(1, ceil((1e-4 - t)/h))
    y = integrate(conducts if on else locked, t, 1e-4, y, n)
    show("argesim", switchings=len(times), first=times[0], second=times[1],
         third=times[2], last=times[-1], uc=y[0], i=y[1], conducting=on)


def ladder():
    """E SIN(T) feeds a chain of n resistors r; from node k a diode and a resistor R lead
    to a source of B k. Voltages of nodes fall and those of sources rise along the chain,
    so it is always the first m diodes that conduct, and all currents are linear in the
    voltage of the source."""
    n, r, rr, b, e = 100, 0.001, 10.0, 0.02, 4.0

    def nodes(m, source):
        """Voltages of nodes 1 .. m, by elimination from the end of the chain: node k
        sees a conductance g to a voltage v."""
        g, v = [0.0]*(m + 1), [0.0]*(m + 1)
        for k in range(m, 0, -1):
            g[k], v[k] = 1/rr, b*k
            if k < m:
                far = 1/(r + 1/g[k + 1])
                g[k], v[k] = 1/rr + far, (b*k/rr + far*v[k + 1])/(1/rr + far)
        x, out = source, []
        for k in range(1, m + 1):
            x = (x/r + g[k]*v[k])/(1/r + g[k])
            out.append(x)
        return out

    def last(m, source):
        return nodes(m, source)[-1] if m else source

    at = []                                             # voltage at which m + 1 opens
    for m in range(n):
        a0, a1 = last(m, 0.0), last(m, 1.0)
        at.append((b*(m + 1) - a0)/(a1 - a0))
    charge = 0.0
    for m in range(1, n + 1):
        if at[m - 1] >= e:
            break
        t0, t1 = asin(at[m - 1]/e), asin(min(1.0, at[m]/e if m < n else 1.0))
        c0 = -nodes(m, 0.0)[0]/r
        c1 = (1 - nodes(m, 1.0)[0])/r - c0              # current c0 + c1*source
        charge += 2*(c0*(t1 - t0) + c1*e*(cos(t0) - cos(t1)))
    end = 1.0
    m = sum(1 for one in at if one < e*sin(end))
    v = nodes(m, e*sin(end))
    show("ladder", opens=sum(1 for one in at if one < e), first=asin(at[0]/e),
         fiftieth=asin(at[49]/e), last=asin(at[-1]/e), charge=charge, at_one=m,
         v1=v[0], v50=v[49], current=(e*sin(end) - v[0])/r)


def main():
    pendulum()
    rope()
    four_bar()
    four_bar_angles()
    slider_crank()
    rectifier()
    freewheel()
    bridge()
    argesim()
    ladder()


main()
