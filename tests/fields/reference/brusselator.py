"""The Brusselator on the unit square, edges insulated (Hairer, Norsett and Wanner I,
section II.10, with ten times their diffusion): u' = 1 + u^2*v - 4.4*u + D*Laplace(u),
v' = 3.4*u - u^2*v + D*Laplace(v), u = 0.5 + y and v = 1 + 5*x at first. Cosines are
exact eigenfunctions, of the derivatives and of their second-order differences."""

import sys
import numpy as np
from scipy.fft import dctn, idctn
from lines import etdrk4, richardson

D, END = 0.02, 7.5


def run(n, differences, steps):
    x = np.linspace(0, 1, n + 1)
    k = np.arange(n + 1)
    wave = -(2 * n * np.sin(np.pi * k / (2 * n))) ** 2 if differences else -(np.pi * k) ** 2
    linear = D * (wave[:, None] + wave[None, :])
    u = np.array([0.5 + x[None, :] + 0 * x[:, None], 1 + 5 * x[:, None] + 0 * x[None, :]])

    def rest(w):
        u, v = w
        return np.array([1 + u * u * v - 4.4 * u, 3.4 * u - u * u * v])

    u = etdrk4(u, np.array([linear, linear]), rest, lambda w: dctn(w, 1, axes=(1, 2)),
               lambda w: idctn(w, 1, axes=(1, 2)), END / steps, steps)
    c = n // 2
    return np.array([u[0, 0, 0], u[0, c, c], u[0, n, n], u[1, 0, 0], u[1, c, c], u[1, n, n]])


if __name__ == "__main__":
    np.set_printoptions(precision=9, suppress=True, linewidth=120)
    print("u at (0, 0), (0.5, 0.5), (1, 1); v there, at", END)
    print("steps halved", run(40, True, 4000) - run(40, True, 2000))
    for name, way in (("differences", True), ("cosines", False)):
        values = [run(n, way, 2000) for n in (40, 80, 160)]
        for v in values:
            print(name, v)
        a, b = (richardson(values[i], values[i + 1]) for i in (0, 1))
        print(name, a, "once")
        print(name, richardson(a, b, 4), "twice")
