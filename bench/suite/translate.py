"""A COSY program from an SBML model.

    translate.py MODEL.xml [DURATION STEPS]

Amounts of species are the states; a symbol that stands for a concentration is
written as amount/compartment. Species that a rule gives as a concentration are
kept as such. Constants become CONST, what rules assign ALGEBR, what only events
change REAL. An event is three processes: one watches its trigger, one life per
firing waits for its delay and its turn, and a common one gives the turns, by
priority. Watchers are asked before turns are given, so every trigger is looked
at after each execution, as SBML wants it.
"""

import math
import os
import re
import sys

from comp import read_flat
from fast import sums_of
from mathml import Untranslatable, Writer, changed, names_in, real_text
from sbml import contains

WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src")


def taken_words():
    """Words of COSY, which a model's names keep clear of."""
    words = set("PI TURN BEST PRIO TIES DIE NBR CONSIDER TURNS".split())
    for path in ("syntax/words.def", "check/predefined.def"):
        with open(os.path.join(WORDS, path)) as text:
            words.update(re.findall(r"[A-Z][A-Z0-9_]+", text.read()))
    return words


TURNS = """PROCEDURE CONSIDER (INTEGER WHICH);
BEGIN
  IF (TIES = 0) OR (PRIO > BEST) THEN BEGIN
    TURN := WHICH; BEST := PRIO; TIES := 1
  END
  ELSE IF PRIO = BEST THEN BEGIN
    TIES := TIES + 1;
    IF DIE*FLOAT(TIES) < 1.0 THEN TURN := WHICH
  END
END;

DISCRETE PROCESS TURNS;
BEGIN
  WHILE TRUE DO BEGIN
    WAIT UNTIL %s;
    %s;
    WAIT UNTIL TURN = 0
  END
END;
"""


FACTORIAL = """CONTINUOUS FUNCTION FACTORIAL_OF (REAL N): REAL;
VAR REAL PRODUCT; INTEGER K;
BEGIN
  PRODUCT := 1.0;
  FOR K := 2 TO 25 DO
    IF FLOAT(K) < N + 0.5 THEN PRODUCT := PRODUCT*FLOAT(K);
  FACTORIAL_OF := PRODUCT
END;
"""


class Names:
    """Names of COSY, which does not distinguish case, for those of SBML."""

    def __init__(self):
        self.used = taken_words()
        self.given = {}

    def of(self, name):
        if name not in self.given:
            self.given[name] = self.fresh(name)
        return self.given[name]

    def fresh(self, name):
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not plain[0].isalpha():
            plain = "X" + plain
        wish, count = plain, 1
        while wish.upper() in self.used or len(wish) == 1:
            count += 1
            wish = "%s_%d" % (plain, count)
        self.used.add(wish.upper())
        return wish


class Program:
    def __init__(self, model, outputs, duration, steps):
        self.model, self.duration, self.steps = model, duration, steps
        self.names = Names()
        self.equations, self.memories, self.algebr, self.reals = [], [], [], []
        self.delayed, self.rated, self.copies, self.begun = {}, {}, {}, {}
        self.find_kinds()
        self.outputs = [(kind, name) for kind, name in outputs]
        self.running = Writer(self.symbol, self.delay, self.rate)
        self.starting = Writer(self.symbol_at_start, self.delay_at_start, self.rate_at_start)

    # ---- what each symbol is

    def find_kinds(self):
        model = self.model
        moved = {species for r in model.reactions for species, _, _ in r.changes}
        self.kinds = {}
        for name, symbol in model.symbols.items():
            if symbol.kind == "reaction" or name in model.assigned:
                self.kinds[name] = "algebr"
            elif name in model.rates:
                self.kinds[name] = "state"
            elif symbol.kind == "species" and name in moved \
                    and not symbol.boundary and not symbol.constant:
                self.kinds[name] = "state"
            else:
                self.kinds[name] = "real"
        self.find_equilibrium()
        self.solved = self.match_residuals()
        for name in self.solved:
            self.kinds[name] = "algebr"
        self.by_concentration = {
            name for name, s in model.symbols.items()
            if s.kind == "species" and not s.substance
            and (name in model.assigned or name in model.rates or name in self.solved)}

    def find_equilibrium(self):
        """Species that fast reactions move are solved for; sums of them are states."""
        model = self.model
        fast = [r for r in model.reactions if r.fast]
        self.balanced = [n for n in model.symbols if self.kinds[n] == "state"
                         and n not in model.rates
                         and any(n == species for r in fast for species, _, _ in r.changes)]
        self.sums, self.equilibria = sums_of(model, fast, self.balanced) if fast else ([], [])
        self.totals = [self.names.fresh("TOTAL_%d" % k) for k in range(1, len(self.sums) + 1)]
        for name in self.balanced:
            self.kinds[name] = "algebr"

    def weighted(self, combination, text_of):
        """A sum of the species, each with its weight."""
        terms = ["%s*(%s)" % (real_text(float(weight)), text_of(name))
                 for weight, name in zip(combination, self.balanced) if weight]
        return " + ".join(terms)

    def match_residuals(self):
        """Which unknown each algebraic rule is there for."""
        model = self.model
        set_by_events = {v for event in model.events for v, _ in event.assignments}
        owner = {}

        def candidates(tree):
            seen = set(names_in(tree))
            # What assignment rules and laws read counts as read by the rule.
            queue = list(seen)
            while queue:
                name = queue.pop()
                inner = model.assigned.get(name)
                if inner is None:
                    inner = next((r.law for r in model.reactions if r.id == name), None)
                for other in names_in(inner) if inner is not None else ():
                    if other not in seen:
                        seen.add(other)
                        queue.append(other)
            free = [n for n in seen if self.kinds.get(n) == "real"
                    and not model.symbols[n].constant]
            return sorted(free, key=lambda n: (n in set_by_events, n))

        def place(index, tried):
            for name in candidates(model.residuals[index]):
                if name in tried:
                    continue
                tried.add(name)
                if name not in owner or place(owner[name], tried):
                    owner[name] = index
                    return True
            return False

        for index in range(len(model.residuals)):
            place(index, set())
        return set(owner)

    def is_constant(self, name):
        symbol = self.model.symbols[name]
        return (self.kinds[name] == "real" and symbol.constant and symbol.value is not None
                and symbol.kind in ("parameter", "compartment", "reference")
                and math.isfinite(symbol.value)
                and name not in self.model.initial
                and name not in {n for _, n in self.outputs})

    # ---- what a symbol is in an expression

    def symbol(self, name):
        if name not in self.model.symbols:
            raise Untranslatable("a name that stands for nothing: " + name)
        s = self.model.symbols[name]
        text = self.names.of(name)
        if s.kind == "species" and not s.substance and name not in self.by_concentration:
            return "(%s/%s)" % (text, self.symbol(s.compartment))
        return text

    def amount(self, name):
        text = self.names.of(name)
        if name in self.by_concentration:
            return "(%s*%s)" % (text, self.symbol(self.model.symbols[name].compartment))
        return text

    def rate(self, name):
        """rateOf: an ALGEBR of its own, because bodies of events read it, too."""
        if name not in self.rated:
            own = self.names.fresh("RATE_" + name)
            self.rated[name] = own
            self.algebr.append(own)
            self.equations.append("%s = %s" % (own, self.rate_text(name)))
        return self.rated[name]

    def rate_text(self, name):
        s = self.model.symbols[name]
        if self.kinds[name] == "algebr":
            raise Untranslatable("rateOf of what is assigned or in equilibrium")
        text = self.names.of(name)
        derivative = text + "'" if self.kinds[name] == "state" else "0.0"
        if s.kind != "species" or s.substance or name in self.by_concentration:
            return derivative
        volume = self.names.of(s.compartment)
        if self.kinds[s.compartment] == "state":
            return "(%s - %s/%s*%s')/%s" % (derivative, text, volume, volume, volume)
        return "%s/%s" % (derivative, volume)

    def delay(self, tree):
        key = repr(tree)
        if key not in self.delayed:
            own = self.names.fresh("LATE")
            self.delayed[key] = own
            self.memories.append(own)
            self.equations.append("%s = DELAY(%s, %s, %s)" % (
                own, self.running.real(tree[2]), self.running.real(tree[1]),
                self.history(tree[1], [])))
        return self.delayed[key]

    def history(self, tree, lags):
        """A tree before the run: rules and initial assignments hold there."""
        def name(n):
            model = self.model
            inner = model.assigned.get(n) or model.initial.get(n)
            if inner is None:
                inner = next((r.law for r in model.reactions if r.id == n), None)
            if inner is not None:
                return writer.real(shifted(inner))
            return self.start_copy(n)

        def shifted(t):
            if t[0] == "time" and lags:
                return ("call", "minus", [t, ("call", "plus", lags)])
            return changed(t, shifted)

        writer = Writer(name, lambda t: self.history(t[1], lags + [t[2]]), lambda n: "0.0")
        return writer.real(shifted(tree))

    def start_copy(self, name):
        """A symbol's value at the start, which stays when the symbol changes."""
        if self.is_constant(name):
            return self.names.of(name)
        if name not in self.copies:
            self.copies[name] = self.names.fresh("START_" + name)
            self.reals.append(self.copies[name])
        return self.copies[name]

    # ---- the same before the run begins

    def symbol_at_start(self, name):
        model = self.model
        if name not in model.symbols:
            raise Untranslatable("a name that stands for nothing: " + name)
        s = model.symbols[name]
        if name in model.assigned:
            return self.starting.real(model.assigned[name])
        if s.kind == "reaction":
            return self.starting.real(next(r.law for r in model.reactions if r.id == name))
        if name in self.solved:
            return real_text(s.value or 0.0)
        text = self.start_name(name)
        if s.kind == "species" and not s.substance and name not in self.by_concentration:
            return "(%s/%s)" % (text, self.symbol_at_start(s.compartment))
        return text

    def start_name(self, name):
        """The variable that has the start value: what is solved for has its own."""
        if name not in self.balanced:
            return self.names.of(name)
        if name not in self.begun:
            self.begun[name] = self.names.fresh("BEGIN_" + name)
            self.reals.append(self.begun[name])
        return self.begun[name]

    def delay_at_start(self, tree):
        return self.starting.real(tree[1])

    def rate_at_start(self, name):
        if name in self.model.rates:
            return self.starting.real(self.model.rates[name])
        text = self.change_text(name, self.starting) if self.kinds[name] == "state" else "0.0"
        s = self.model.symbols[name]
        if s.kind == "species" and not s.substance:
            return "(%s)/%s" % (text, self.symbol_at_start(s.compartment))
        return "(%s)" % text

    def reads_at_start(self, tree, found):
        """Names whose own start values a tree needs."""
        model = self.model
        for name in names_in(tree):
            if name in found or name not in model.symbols:
                continue
            found.add(name)
            inner = model.assigned.get(name)
            if inner is None and model.symbols[name].kind == "reaction":
                inner = next(r.law for r in model.reactions if r.id == name)
            if inner is not None:
                self.reads_at_start(inner, found)
            if model.symbols[name].compartment:
                self.reads_at_start(("name", model.symbols[name].compartment), found)
        if contains(tree, "rate"):
            for name in list(names_in(tree)):
                for reaction in model.reactions:
                    if any(species == name for species, _, _ in reaction.changes):
                        self.reads_at_start(reaction.law, found)
                if name in model.rates:
                    self.reads_at_start(model.rates[name], found)
        return found

    def start_statements(self):
        """Start values, in an order in which each is known before it is read."""
        model = self.model
        todo = {}
        for name, s in model.symbols.items():
            if self.is_constant(name) or \
                    self.kinds[name] == "algebr" and name not in self.balanced:
                continue
            tree = model.initial.get(name)
            reads = set() if tree is None else self.reads_at_start(tree, set())
            if s.compartment:
                self.reads_at_start(("name", s.compartment), reads)
            todo[name] = reads - {name}
        lines = []
        while todo:
            ready = [n for n, reads in todo.items() if not reads & todo.keys()]
            if not ready:
                raise Untranslatable("start values that depend on each other")
            for name in ready:
                lines.append("%s := %s" % (self.start_name(name), self.start_value(name)))
                del todo[name]
        for total, combination in zip(self.totals, self.sums):
            lines.append("%s := %s" % (total, self.weighted(combination, self.start_name)))
        for name, copy in self.copies.items():
            lines.append("%s := %s" % (copy, self.symbol_at_start(name)))
        return lines

    def start_value(self, name):
        s, tree = self.model.symbols[name], self.model.initial.get(name)
        if s.kind != "species":
            if tree is not None:
                return self.starting.real(tree)
            return real_text(self.plain_value(s))
        volume = self.symbol_at_start(s.compartment)
        if tree is not None:
            text = self.starting.real(tree)
            return text if s.substance or name in self.by_concentration else \
                "%s*%s" % (text, volume)
        if s.concentration is not None:
            text = real_text(s.concentration)
            return text if name in self.by_concentration else "%s*%s" % (text, volume)
        text = real_text(self.plain_value(s))
        return "%s/%s" % (text, volume) if name in self.by_concentration else text

    def plain_value(self, s):
        if s.value is not None:
            return s.value
        # What nobody gives a value has none; 1 keeps sizes usable.
        return 1.0 if s.kind in ("compartment", "reference") else 0.0

    # ---- equations

    def change_text(self, name, writer):
        """What reactions do to the amount of a species."""
        factor = self.model.symbols[name].factor
        terms = []
        for reaction in self.model.reactions:
            for species, stoichiometry, sign in reaction.changes:
                if species != name or reaction.fast:
                    continue
                law = self.symbol(reaction.id) if writer is self.running \
                    else writer.real(reaction.law)
                count = writer.real(stoichiometry)
                term = law if count == "1.0" else "%s*%s" % (count, law)
                terms.append((" + " if sign > 0 else " - ") + term)
        text = "".join(terms).strip()
        text = text[2:] if text.startswith("+ ") else text.replace("- ", "-", 1) \
            if text.startswith("- ") else text
        if factor and text:
            text = "%s*(%s)" % (writer.real(("name", factor)), text)
        return text or "0.0"

    def write_equations(self):
        model = self.model
        for reaction in model.reactions:
            self.equations.append("%s = %s" % (self.names.of(reaction.id),
                                               self.running.real(reaction.law)))
        for name, tree in model.assigned.items():
            if name in model.symbols:
                self.equations.append("%s = %s" % (self.names.of(name), self.running.real(tree)))
        for name in model.symbols:
            if self.kinds[name] != "state":
                continue
            right = self.running.real(model.rates[name]) if name in model.rates \
                else self.change_text(name, self.running)
            self.equations.append("%s' = %s" % (self.names.of(name), right))
        for tree in model.residuals:
            self.equations.append("%s = 0.0" % self.running.real(tree))
        for total, combination in zip(self.totals, self.sums):
            self.equations.append("%s' = %s" % (total, self.weighted(
                combination, lambda n: self.change_text(n, self.running))))
            self.equations.append("%s = %s" % (
                self.weighted(combination, self.names.of), total))
        for reaction in self.equilibria:
            self.equations.append("%s = 0.0" % self.running.real(reaction.law))

    # ---- events

    def write_events(self):
        self.lives, self.logics, self.processes = [], [], []
        events = self.model.events
        if not events:
            return
        for index, event in enumerate(events, 1):
            self.logics.append("FIRES_%d" % index)
            self.equations.append("FIRES_%d = %s" % (index, self.running.truth(event.trigger)))
            self.lives.append(watcher_text(index, event))
            self.lives.append(self.life_text(index, event))
            self.processes += ["WATCH_%d" % index, "LIFE_%d" % index]
        self.lives.append(self.turns_text())
        self.processes.append("TURNS")

    def life_text(self, index, event):
        targets = sorted(event.assignments, key=lambda a: self.order_of(a[0]))
        values = ["V_%d" % k for k in range(1, len(targets) + 1)]
        compute = ["%s := %s" % (v, self.running.real(tree))
                   for v, (_, tree) in zip(values, targets)]
        lines = ["PRIORNBR := 20", "MINE := EPOCH_%d" % index]
        if event.at_trigger:
            lines += compute
        if event.delay is not None:
            lines.append("ADVANCE %s" % self.running.real(event.delay))
            lines.append("IF MINE <> EPOCH_%d THEN TERMINATE TRANSNBR" % index)
        lines.append("DUE_%d := DUE_%d + 1" % (index, index))
        lines.append("WAIT UNTIL (TURN = %d) OR (MINE <> EPOCH_%d)" % (index, index))
        lines.append("IF MINE <> EPOCH_%d THEN TERMINATE TRANSNBR" % index)
        if not event.at_trigger:
            lines += compute
        lines += self.assignment_lines(targets, values)
        lines += ["DUE_%d := DUE_%d - 1" % (index, index), "TURN := 0"]
        own = "VAR OWN INTEGER MINE%s;" % ("; REAL " + ", ".join(values) if values else "")
        return "DISCRETE PROCESS LIFE_%d;\n%s\nBEGIN\n  %s\nEND;\n" % (
            index, own, ";\n  ".join(lines))

    def order_of(self, name):
        """Compartments are set last: amounts follow from their sizes before."""
        return 1 if self.model.symbols[name].kind == "compartment" else 0

    def assignment_lines(self, targets, values):
        lines = []
        for value, (target, _) in zip(values, targets):
            s, text = self.model.symbols[target], self.names.of(target)
            if target in self.balanced:
                lines += self.moved_lines(target, value)
                continue
            if self.kinds[target] == "algebr":
                raise Untranslatable("an event that assigns what a rule determines")
            if s.kind == "compartment":
                lines += self.rescaled_lines(target, value)
            elif s.kind == "species" and not s.substance and target not in self.by_concentration:
                value = "%s*%s" % (value, self.symbol(s.compartment))
            lines.append("%s := %s" % (text, value))
        return lines

    def moved_lines(self, target, value):
        """An event sets a species in equilibrium: the sums it is in move."""
        s, text = self.model.symbols[target], self.names.of(target)
        if not s.substance:
            value = "%s*%s" % (value, self.symbol(s.compartment))
        weights = [c[self.balanced.index(target)] for c in self.sums]
        return ["%s := %s + %s*(%s - %s)" % (total, total, real_text(float(weight)), value, text)
                for total, weight in zip(self.totals, weights) if weight]

    def rescaled_lines(self, compartment, size):
        """Amounts stay when a compartment jumps, so concentrations jump."""
        lines = []
        for name in sorted(self.by_concentration):
            if self.model.symbols[name].compartment == compartment \
                    and self.kinds[name] != "algebr":
                text = self.names.of(name)
                lines.append("%s := %s*%s/%s" % (text, text, self.names.of(compartment), size))
        return lines

    def turns_text(self):
        """Who is first among equals, is drawn: SBML wants no habit there."""
        lines = ["TIES := 0"]
        for index, event in enumerate(self.model.events, 1):
            lines.append("PRIO := %s" % (
                "0.0" if event.priority is None else self.running.real(event.priority)))
            lines.append("IF DUE_%d > 0 THEN CONSIDER(%d)" % (index, index))
        due = " OR ".join("(DUE_%d > 0)" % k for k in range(1, len(self.model.events) + 1))
        return TURNS % (due, ";\n    ".join(lines))

    # ---- the whole

    def stored(self):
        """The names of COSY for what is to be compared, in order."""
        columns = []
        for kind, name in self.outputs:
            if name not in self.model.symbols:
                raise Untranslatable("an output that is not in the model")
            s = self.model.symbols[name]
            text = self.symbol(name)
            if s.kind == "species" and kind == "amount":
                text = self.amount(name)
            elif s.kind == "species" and kind == "concentration" and s.substance:
                text = "%s/%s" % (self.names.of(name), self.symbol(s.compartment))
            if not re.fullmatch(r"\w+", text):
                own = self.names.fresh("OUT_" + name)
                self.algebr.append(own)
                self.equations.append("%s = %s" % (own, text))
                text = own
            columns.append(text)
        return columns

    def text(self):
        self.write_equations()
        self.write_events()
        columns = self.stored()
        starts = self.start_statements()
        parts = ["PROGRAM TRANSLATED;", self.declarations()]
        if "FACTORIAL_OF(" in "".join(self.equations + self.lives + starts):
            parts.append(FACTORIAL)
        if columns:
            parts.append("STORE %s;" % ", ".join(sorted(set(columns))))
        parts += self.lives
        parts.append(self.experiment())
        parts.append("SYSTEM\n  INITIAL\n    %s\n  END;" % ";\n    ".join(starts + self.zeros()))
        parts.append("  CONTINUOUS\n    %s\n  END%s" % (
            ";\n    ".join(self.equations), ";" if self.processes else ""))
        if self.processes:
            parts.append("  DISCRETE PROCESSES %s END END" % "; ".join(self.processes))
        parts.append("END;\nEND.\n")
        return "\n".join(parts), columns

    def zeros(self):
        lines = []
        for index in range(1, len(self.model.events) + 1):
            lines += ["DUE_%d := 0" % index, "EPOCH_%d := 0" % index]
        return lines + (["TURN := 0"] if lines else [])

    def declarations(self):
        groups = {"STATE": [], "ALGEBR": [], "REAL": []}
        constants = []
        for name in self.model.symbols:
            if self.is_constant(name):
                constants.append("%s = %s" % (self.names.of(name),
                                              real_text(self.model.symbols[name].value)))
            else:
                groups[self.kinds[name].upper()].append(self.names.of(name))
        groups["STATE"] += self.totals
        groups["ALGEBR"] += self.algebr
        groups["REAL"] += self.reals
        groups["MEMORY"], groups["LOGIC"] = self.memories, self.logics
        groups["PROCESS"] = self.processes
        if self.processes:
            count = range(1, len(self.model.events) + 1)
            groups["RANDOM"] = ["DIE"]
            groups["INTEGER"] = ["NBR", "TURN", "TIES"] + ["DUE_%d" % k for k in count] \
                + ["EPOCH_%d" % k for k in count]
            groups["REAL"] += ["BEST", "PRIO"]
        text = "CONST REAL %s;\n" % ", ".join(constants) if constants else ""
        parts = ["%s %s;" % (kind, ", ".join(names)) for kind, names in groups.items() if names]
        return text + ("VAR\n  " + "\n  ".join(parts) if parts else "")

    def experiment(self):
        guesses = ["%s = %s" % (self.names.of(n), real_text(self.model.symbols[n].value))
                   for n in sorted(self.solved) + self.balanced
                   if self.model.symbols[n].value is not None]
        lines = ["INITCOND " + ", ".join(guesses)] if guesses else []
        if self.processes:
            lines.append("RANDOMGEN DIE: UNIFORMD MIN = 0 MAX = 1 END")
        lines.append("SIMULATE FROM 0.0 TO %s COMINT = %s" % (
            real_text(self.duration), real_text(self.duration/self.steps)))
        return "EXPERIMENT\n  %s\nEND;" % ";\n  ".join(lines)


def watcher_text(index, event):
    lines = ["PRIORNBR := 10"]
    if event.begins_true:
        lines.append("WAIT UNTIL NOT FIRES_%d" % index)
    end = "" if event.persistent else \
        ";\n    EPOCH_%d := EPOCH_%d + 1; DUE_%d := 0" % (index, index, index)
    lines.append("WHILE TRUE DO BEGIN\n    WAIT UNTIL FIRES_%d;\n"
                 "    GENERATE NBR FOR LIFE_%d AT TIME;\n"
                 "    WAIT UNTIL NOT FIRES_%d%s\n  END" % (index, index, index, end))
    return "DISCRETE PROCESS WATCH_%d;\nBEGIN\n  %s\nEND;\n" % (index, ";\n  ".join(lines))


def translate(path, outputs, duration, steps):
    """The program's text, and the names of its columns in the order of the outputs."""
    return Program(read_flat(path), outputs, duration, steps).text()


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: translate.py MODEL.xml [DURATION STEPS]")
    path = sys.argv[1]
    duration = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    model = read_flat(path)
    outputs = [("amount", n) for n, s in model.symbols.items() if s.kind == "species"]
    print(translate(path, outputs, duration, steps)[0], end="")


if __name__ == "__main__":
    main()
