"""Water hammer in three pipes: a reservoir, a pipe of 600 m, and behind a junction one of
360 m to a valve and a blind one of 240 m. The valve closes within a second. Along
characteristics, whose steps fit all pipes, friction by its mean in the step,
extrapolated; and by Chebyshev polynomials whose ends follow the characteristics."""

import numpy as np
from scipy.integrate import solve_ivp
from lines import chebyshev, richardson

G, SPEED, F, H0, Q0, CLOSING, END = 9.81, 1200.0, 0.02, 100.0, 0.08, 1.0, 4.0
LENGTH = np.array([600.0, 360.0, 240.0])
WIDTH = np.array([0.5, 0.4, 0.3])
AREA = np.pi * WIDTH**2 / 4
Z = SPEED / (G * AREA)  # head per flow of a wave
R = F / (2 * WIDTH * AREA)  # Q' = ... - R*Q*|Q|
DROP = R * Q0**2 / (G * AREA)  # of the head, at first, per metre
HJ0 = H0 - DROP[0] * LENGTH[0]
HN = HJ0 - DROP[1] * LENGTH[1]


def opening(t):
    return 0.5 * (1 + np.cos(np.pi * t / CLOSING)) if t < CLOSING else 0.0


def valve(plus, t):
    """H where H + Z*Q = plus and Q = opening*Q0*sqrt(H/HN)."""
    b = Z[1] * opening(t) * Q0 / np.sqrt(HN)
    if b == 0:
        return plus
    return (0.5 * (np.sqrt(b * b + 4 * plus) - b)) ** 2


def junction(plus, minus2, minus3):
    """H + Z*Q = plus in the first pipe, H - Z*Q = minus in the others."""
    return (plus / Z[0] + minus2 / Z[1] + minus3 / Z[2]) / np.sum(1 / Z)


def start(x):
    h = [H0 - DROP[0] * x[0], HJ0 - DROP[1] * x[1], np.full(len(x[2]), HJ0)]
    return h, [np.full(len(x[0]), Q0), np.full(len(x[1]), Q0), np.zeros(len(x[2]))]


def characteristics(k):
    """k steps in 0.1 s. The friction at the end of a step is found by iteration."""
    dt = 0.1 / k
    x = [np.linspace(0, l, round(l / SPEED / dt) + 1) for l in LENGTH]
    h, q = start(x)
    rows = []
    for step in range(round(END / dt) + 1):
        if step % (5 * k) == 0:
            rows.append((h[1][-1], h[0][-1], h[2][-1], q[0][0]))
        t, h1, q1 = (step + 1) * dt, h, q
        for _ in range(4):
            loss = [Z[i] * R[i] * dt / 2 for i in range(3)]
            plus = [h[i][:-1] + Z[i] * q[i][:-1] - loss[i] * (
                q[i][:-1] * abs(q[i][:-1]) + q1[i][1:] * abs(q1[i][1:])) for i in range(3)]
            minus = [h[i][1:] - Z[i] * q[i][1:] + loss[i] * (
                q[i][1:] * abs(q[i][1:]) + q1[i][:-1] * abs(q1[i][:-1])) for i in range(3)]
            hj = junction(plus[0][-1], minus[1][0], minus[2][0])
            low, high = [H0, hj, hj], [hj, valve(plus[1][-1], t), plus[2][-1]]
            h1, q1 = [], []
            for i in range(3):
                middle = (plus[i][:-1] + minus[i][1:]) / 2
                h1.append(np.concatenate([[low[i]], middle, [high[i]]]))
                flow = (plus[i][:-1] - minus[i][1:]) / (2 * Z[i])
                q1.append(np.concatenate([[(low[i] - minus[i][0]) / Z[i]], flow,
                                          [(plus[i][-1] - high[i]) / Z[i]]]))
        h, q = h1, q1
    return np.array(rows)


def polynomials(n):
    """States are the two waves H + Z*Q and H - Z*Q of each pipe."""
    grid = [chebyshev(n, 0, l) for l in LENGTH]
    h, q = start([g[0] for g in grid])

    def ends(t, y):
        p, m = y.reshape(2, 3, n + 1).copy()
        hj = junction(p[0, -1], m[1, 0], m[2, 0])
        p[:, 0] = 2 * np.array([H0, hj, hj]) - m[:, 0]
        m[:, -1] = 2 * np.array([hj, valve(p[1, -1], t), p[2, -1]]) - p[:, -1]
        return p, m

    def rates(t, y):
        p, m = ends(t, y)
        flow = (p - m) / (2 * Z[:, None])
        loss = (Z * R)[:, None] * flow * abs(flow)
        dp = np.array([-SPEED * grid[i][1] @ p[i] for i in range(3)]) - loss
        dm = np.array([SPEED * grid[i][1] @ m[i] for i in range(3)]) + loss
        dp[:, 0] = dm[:, -1] = 0
        return np.concatenate([dp.ravel(), dm.ravel()])

    y = np.array([[h[i] + Z[i] * q[i] for i in range(3)], [h[i] - Z[i] * q[i] for i in range(3)]])
    times = np.arange(0, END + 0.25, 0.5)
    s = solve_ivp(rates, (0, END), y.ravel(), "DOP853", rtol=1e-8, atol=1e-8, t_eval=times,
                  max_step=0.01)
    rows = []
    for t, y in zip(s.t, s.y.T):
        p, m = ends(t, y)
        head, flow = (p + m) / 2, (p - m) / (2 * Z[:, None])
        rows.append((head[1, -1], head[0, -1], head[2, -1], flow[0, 0]))
    return np.array(rows)


if __name__ == "__main__":
    np.set_printoptions(precision=7, suppress=True, linewidth=100)
    print("head at the valve, the junction, the blind end; flow from the reservoir; every 0.5 s")
    a, b = characteristics(40), characteristics(80)
    print(a - b)
    print("characteristics\n", richardson(a, b))
    for n in (40, 80):
        print("polynomials\n", polynomials(n))
