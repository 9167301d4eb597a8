"""Reference values of mesh.cosy and tree.cosy. Prints them."""


def mesh(n):
    """Resistance from corner to corner of a mesh of n x n nodes."""
    size = n * n
    near = [[k + d for d, ok in ((-n, k >= n), (n, k < size - n),
                                 (-1, k % n > 0), (1, k % n < n - 1)) if ok]
            for k in range(size)]

    def times(x):
        return [len(near[k]) * x[k] - sum(x[m] for m in near[k] if m != size - 1)
                if k != size - 1 else 0.0 for k in range(size)]

    x = [0.0] * size
    r = [1.0] + [0.0] * (size - 1)
    p, rr = r[:], 1.0
    while rr > 1e-28:
        q = times(p)
        a = rr / sum(u * v for u, v in zip(p, q))
        x = [u + a * v for u, v in zip(x, p)]
        r = [u - a * v for u, v in zip(r, q)]
        after = sum(u * u for u in r)
        p = [u + after / rr * v for u, v in zip(r, p)]
        rr = after
    return x[0]


def row(n, line, loads):
    """Resistances from each node on: lines in a row, a load at each node."""
    seen = [0.0] * (n + 1)
    seen[n] = loads
    for k in range(n - 1, 0, -1):
        seen[k] = 1 / (1 / loads + 1 / (line + seen[k + 1]))
    return seen


def tree(feeders, loads, volts):
    feeder = row(loads, 0.02, 50.0)
    main = row(feeders, 0.01, 0.02 + feeder[1])
    current = volts / (0.01 + main[1])
    for k in range(1, feeders + 1):
        volts *= main[k] / (0.01 + main[k])
    for k in range(1, loads + 1):
        volts *= feeder[k] / (0.02 + feeder[k])
    return current, volts


print("mesh", mesh(30))
print("tree", *tree(40, 25, 230.0))
