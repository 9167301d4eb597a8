"""An SBML model as Python objects: what the translator needs, and nothing else."""

from dataclasses import dataclass, field

from mathml import (Untranslatable, children, inlined, local, read_element, read_math,
                    substituted)


@dataclass
class Symbol:
    """A compartment, species, parameter, species reference or reaction."""
    id: str
    kind: str
    constant: bool = False
    value: float = None          # of the attribute; None where it has none
    # Species only:
    compartment: str = None
    concentration: float = None  # initialConcentration
    substance: bool = False      # hasOnlySubstanceUnits: the symbol is an amount
    boundary: bool = False
    factor: str = None           # conversionFactor


@dataclass
class Reaction:
    id: str
    law: tuple
    fast: bool
    changes: list                # (species, stoichiometry tree, sign)


@dataclass
class Event:
    trigger: tuple
    begins_true: bool
    persistent: bool
    delay: tuple
    priority: tuple
    at_trigger: bool             # values are those of the trigger's time
    assignments: list            # (variable, tree)


@dataclass
class Model:
    symbols: dict = field(default_factory=dict)
    initial: dict = field(default_factory=dict)
    assigned: dict = field(default_factory=dict)   # assignment rules
    rates: dict = field(default_factory=dict)      # rate rules
    residuals: list = field(default_factory=list)  # algebraic rules
    reactions: list = field(default_factory=list)
    events: list = field(default_factory=list)


def find(element, name):
    for child in element if element is not None else ():
        if local(child) == name:
            return child
    return None


def listed(element, name):
    """The elements of a listOf."""
    holder = find(element, name)
    return [] if holder is None else [e for e in holder if local(e) not in ("notes", "annotation")]


def number(element, name):
    text = element.get(name)
    return None if text is None else float(text.strip().replace("INF", "inf"))


def flag(element, name, default):
    text = element.get(name)
    return default if text is None else text.strip() in ("true", "1")


def read_functions(element):
    """Functions of a model: formals and body of each, None where there is no body."""
    functions = {}
    for definition in listed(element, "listOfFunctionDefinitions"):
        math = find(definition, "math")
        functions[definition.get("id")] = None
        if math is not None and len(math):
            inner = math[0] if local(math[0]) != "semantics" else math[0][0]
            names = [e[0].text.strip() for e in inner if local(e) == "bvar"]
            functions[definition.get("id")] = (names, read_element(inner[-1]))
    return functions


class Reader:
    def __init__(self, element, level, functions):
        self.level, self.functions = level, functions
        self.model = Model()
        self.factor = element.get("conversionFactor")
        self.quantities(element)
        for reaction in listed(element, "listOfReactions"):
            self.reaction(reaction)
        self.rules(element)
        for event in listed(element, "listOfEvents"):
            self.event(event)

    def math(self, holder, scope=None):
        tree = read_math(holder)
        if tree is None:
            return None
        if scope:
            tree = substituted(tree, scope)
        return inlined(tree, self.functions)

    def add(self, symbol):
        self.model.symbols[symbol.id] = symbol

    def quantities(self, element):
        old = self.level < 3
        for e in listed(element, "listOfCompartments"):
            size = number(e, "size")
            if old and size is None and e.get("spatialDimensions") != "0":
                size = 1.0
            self.add(Symbol(e.get("id"), "compartment", flag(e, "constant", old), size))
        for e in listed(element, "listOfSpecies"):
            self.add(Symbol(e.get("id"), "species", flag(e, "constant", False),
                            number(e, "initialAmount"), e.get("compartment"),
                            number(e, "initialConcentration"),
                            flag(e, "hasOnlySubstanceUnits", False),
                            flag(e, "boundaryCondition", False),
                            e.get("conversionFactor", self.factor)))
        for e in listed(element, "listOfParameters"):
            self.add(Symbol(e.get("id"), "parameter", flag(e, "constant", old), number(e, "value")))

    def reaction(self, element):
        name = element.get("id")
        law = find(element, "kineticLaw")
        scope = {}
        for e in listed(law, "listOfLocalParameters") + listed(law, "listOfParameters"):
            own = name + "__" + e.get("id")
            scope[e.get("id")] = ("name", own)
            self.add(Symbol(own, "parameter", True, number(e, "value")))
        changes = []
        for where, sign in (("listOfReactants", -1), ("listOfProducts", 1)):
            for e in listed(element, where):
                changes.append((e.get("species"), self.stoichiometry(e), sign))
        tree = self.math(law, scope)
        if tree is None:
            tree = ("number", "0.0")
        self.add(Symbol(name, "reaction"))
        self.model.reactions.append(Reaction(name, tree, flag(element, "fast", False), changes))

    def stoichiometry(self, e):
        by_math = find(e, "stoichiometryMath")
        if by_math is not None:
            return self.math(by_math)
        value = number(e, "stoichiometry")
        if value is None and self.level < 3:
            value = 1.0
        name = e.get("id")
        if name is None:
            if value is None:
                raise Untranslatable("a stoichiometry without a value")
            return ("number", repr(value))
        self.add(Symbol(name, "reference", flag(e, "constant", self.level < 3), value))
        return ("name", name)

    def rules(self, element):
        model = self.model
        for e in listed(element, "listOfInitialAssignments"):
            tree = self.math(e)
            if tree is not None:
                model.initial[e.get("symbol")] = tree
        for e in listed(element, "listOfRules"):
            tree = self.math(e)
            if tree is None:
                continue
            if local(e) == "assignmentRule":
                model.assigned[e.get("variable")] = tree
            elif local(e) == "rateRule":
                model.rates[e.get("variable")] = tree
            else:
                model.residuals.append(tree)

    def event(self, element):
        trigger = find(element, "trigger")
        tree = self.math(trigger)
        if tree is None:
            return
        assignments = []
        for e in listed(element, "listOfEventAssignments"):
            value = self.math(e)
            if value is not None:
                assignments.append((e.get("variable"), value))
        self.model.events.append(Event(
            tree, flag(trigger, "initialValue", True), flag(trigger, "persistent", True),
            self.math(find(element, "delay")), self.math(find(element, "priority")),
            flag(element, "useValuesFromTriggerTime", True), assignments))


def contains(tree, kind):
    return tree[0] == kind or any(contains(part, kind) for part in children(tree))
