"""Fast reactions: their equilibrium holds at all times.

What fast reactions leave alone are sums of amounts. Each such sum is a state that
slow reactions move; the amounts themselves follow from the sums and from the
laws of the fast reactions, which are zero.
"""

from fractions import Fraction

from mathml import Untranslatable


def number_of(model, tree):
    """The value of a stoichiometry, which has to be a constant number."""
    if tree[0] == "number":
        try:
            return Fraction(float(tree[1]))
        except ValueError:
            pass
    if tree[0] == "name":
        name = tree[1]
        if name in model.initial and name not in model.assigned:
            return number_of(model, model.initial[name])
        if name in model.assigned:
            return number_of(model, model.assigned[name])
        symbol = model.symbols.get(name)
        set_by = {v for e in model.events for v, _ in e.assignments} | set(model.rates)
        if symbol is not None and symbol.value is not None and name not in set_by:
            return Fraction(symbol.value)
    if tree[0] == "call" and tree[1] in ("times", "plus"):
        values = [number_of(model, part) for part in tree[2]]
        total = values[0]
        for value in values[1:]:
            total = total*value if tree[1] == "times" else total + value
        return total
    raise Untranslatable("fast reactions whose stoichiometry changes")


def sums_of(model, fast, species):
    """Combinations of species that no fast reaction changes, and the reactions
    that are independent of each other."""
    width = len(species)
    rows, chosen = [], []
    for reaction in fast:
        row = [Fraction(0)]*width
        for name, count, sign in reaction.changes:
            if name in species:
                factor = model.symbols[name].factor
                scale = number_of(model, ("name", factor)) if factor else Fraction(1)
                row[species.index(name)] += sign*scale*number_of(model, count)
        before = len(rows)
        rows = reduced(rows + [row])
        if len(rows) > before:
            chosen.append(reaction)
    pivots = [next(k for k, v in enumerate(row) if v) for row in rows]
    sums = []
    for free in range(width):
        if free in pivots:
            continue
        combination = [Fraction(0)]*width
        combination[free] = Fraction(1)
        for row, pivot in zip(rows, pivots):
            combination[pivot] = -row[free]
        sums.append(combination)
    # What is orthogonal to all reactions: the null space of the rows.
    return sums, chosen


def reduced(rows):
    """Row echelon form without rows of zeros."""
    rows, done = [list(row) for row in rows], []
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [v/pivot[column] for v in pivot]
        rows = [[v - row[column]*p for v, p in zip(row, pivot)] for row in rows]
        done = [[v - row[column]*p for v, p in zip(row, pivot)] for row in done] + [pivot]
    return done
