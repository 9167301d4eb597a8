"""A plume in ground water, 200 m x 100 m: head 10 m on the left, 8 m on the right, no flow
through the other edges, conductivity that varies, a well that is spread out. Matter
comes in on the left. Second-order differences, extrapolated, and Chebyshev polynomials;
in time the trapezoidal rule, extrapolated."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu
from lines import chebyshev, richardson

POROSITY, D, END = 0.25, 4.0, 400.0
PLACES = [(100, 50), (120, 50), (160, 50), (160, 30)]


def conductivity(x, y):
    return 10 * np.exp(0.5 * np.sin(2 * np.pi * x / 200) * np.cos(np.pi * y / 100))


def well(x, y):
    return 3 / (2 * np.pi * 10**2) * np.exp(-((x - 120) ** 2 + (y - 60) ** 2) / (2 * 10**2))


def inflow(y, t):
    return (1 - np.exp(-t / 50)) * np.exp(-(((y - 50) / 15) ** 2))


def at_edges(operators, place):
    """Rows of `place` instead of those of the inner operator."""
    rows, where = operators
    keep = sp.diags((~where).astype(float))
    return keep @ place + sp.diags(where.astype(float)) @ rows


def solve(x, y, dx, dy, dxx, dyy, flux, value, steps):
    """Points as two arrays; derivatives of a C without slope at the closed edges (what
    they are on the left does not matter); `flux` the head's operator, without
    flow through them; `value` a matrix that finds C and H at PLACES."""
    left, right = x == 0, x == 200
    held = left | right
    a = at_edges((sp.identity(len(x)), held), flux)
    h = splu(sp.csc_matrix(a)).solve(np.where(left, 10, np.where(right, 8, well(x, y))))
    k = conductivity(x, y)
    u, v = -k * (dx @ h) / POROSITY, -k * (dy @ h) / POROSITY
    m = D * (dxx + dyy) - sp.diags(u) @ dx - sp.diags(v) @ dy
    m = sp.csc_matrix(sp.diags((~left).astype(float)) @ m)
    found = []
    for n in (steps, 2 * steps):
        dt, c = END / n, np.zeros(len(x))
        lu = splu(sp.csc_matrix(sp.identity(len(x)) - dt / 2 * m))
        for i in range(n):
            rise = np.where(left, inflow(y, (i + 1) * dt) - inflow(y, i * dt), 0)
            c = lu.solve(c + dt / 2 * (m @ c) + rise)
        found.append(value @ c)
    return np.concatenate([value @ h, richardson(*found)])


def second(n, h):
    """Second differences of what has no slope at the ends; and first differences."""
    e = np.ones(n + 1)
    d2 = sp.lil_matrix(sp.diags([e[1:], -2 * e, e[1:]], [-1, 0, 1]))
    d2[0, 1] = d2[n, n - 1] = 2
    d1 = sp.lil_matrix(sp.diags([-e[1:], e[1:]], [-1, 1]))
    d1[0, :2] = d1[n, n - 1:] = 0  # no slope at the ends either
    return sp.csr_matrix(d2) / h**2, sp.csr_matrix(d1) / (2 * h)


def by_differences(n, steps):
    """n x n/2 squares."""
    h, m = 200 / n, n // 2
    x, y = (g.ravel() for g in np.meshgrid(np.arange(n + 1) * h, np.arange(m + 1) * h,
                                           indexing="ij"))
    (d2x, d1x), (d2y, d1y) = second(n, h), second(m, h)
    one = sp.identity
    # conductivity half-way: 2 (K D2 + D2 K - D2(K)) / 4 is the flux form
    k = sp.diags(conductivity(x, y))
    dxx, dyy = sp.kron(d2x, one(m + 1)), sp.kron(one(n + 1), d2y)
    flux = sum((k @ d + d @ k - sp.diags(d @ k.diagonal())) / 2 for d in (dxx, dyy))
    value = sp.csr_matrix((np.ones(len(PLACES)), (range(len(PLACES)), [
        round(p / h) * (m + 1) + round(q / h) for p, q in PLACES])), (len(PLACES), len(x)))
    dx, dy = sp.kron(sp.csr_matrix(d1x), one(m + 1)), sp.kron(one(n + 1), d1y)
    return solve(x, y, dx, dy, dxx, dyy, flux, value, steps)


def barycentric(x, place):
    k = np.arange(len(x))
    w = np.where((k == 0) | (k == len(x) - 1), 0.5, 1.0) * (-1.0) ** k
    d = place - x
    if np.any(abs(d) < 1e-12):
        return (abs(d) < 1e-12).astype(float)
    return w / d / np.sum(w / d)


def by_polynomials(n, m, steps):
    """Conditions at the closed edges are imposed on the derivatives: the first matrix is
    cleared there before it is applied again."""
    (px, dx1, _), (py, dy1, _) = chebyshev(n, 0, 200), chebyshev(m, 0, 100)
    px[0], px[-1] = 0, 200
    x, y = (g.ravel() for g in np.meshgrid(px, py, indexing="ij"))
    closed_x, closed_y = dx1.copy(), dy1.copy()
    closed_x[-1], closed_y[0], closed_y[-1] = 0, 0, 0
    one = np.identity
    dx, dy = np.kron(dx1, one(m + 1)), np.kron(one(n + 1), closed_y)
    k = np.diag(conductivity(x, y))
    full_dy = np.kron(one(n + 1), dy1)
    dxx, dyy = np.kron(dx1 @ closed_x, one(m + 1)), full_dy @ dy
    flux = dx @ k @ dx + full_dy @ k @ dy
    value = np.array([np.kron(barycentric(px, p), barycentric(py, q)) for p, q in PLACES])
    csc = sp.csc_matrix
    return solve(x, y, csc(np.kron(closed_x, one(m + 1))), csc(dy),
                 csc(dxx), csc(dyy), csc(flux), value, steps)


if __name__ == "__main__":
    np.set_printoptions(precision=7, suppress=True, linewidth=130)
    print("head, then matter after", END, "days, at", PLACES)
    values = [by_differences(n, 100) for n in (40, 80, 160)]
    for v in values:
        print("differences", v)
    print("differences", richardson(values[1], values[2]))
    for n, m in ((40, 24), (50, 32)):
        print("polynomials", by_polynomials(n, m, 100))
