"""MathML as SBML uses it: read into trees, written as COSY expressions.

A tree is a tuple: its kind, then its parts.

    ("number", "1.5")  ("truth", True)  ("name", "S1")  ("time",)
    ("call", "plus", [trees])        an operator or a function of MathML
    ("own", "f", [trees])            a function the model defines
    ("delay", x, tau)  ("rate", "S1")  ("choice", [(value, condition)], other)
"""

import math


class Untranslatable(Exception):
    """What is in the way, as a short reason that the table can count."""


AVOGADRO = "6.02214179E23"
RELATIONS = {"lt": "<", "leq": "<=", "gt": ">", "geq": ">=", "eq": "=", "neq": "<>"}
LOGICAL = {"and", "or", "xor", "not", "implies"}
SAME_NAME = {
    "abs": "ABS", "exp": "EXP", "ln": "LOG", "sin": "SIN", "cos": "COS", "tan": "TAN",
    "arcsin": "ASIN", "arccos": "ACOS", "arctan": "ATAN",
    "sinh": "SINH", "cosh": "COSH", "tanh": "TANH",
}
# Written with {0} for the argument, which stands in parentheses there.
BY_FORMULA = {
    "sec": "(1.0/COS({0}))", "csc": "(1.0/SIN({0}))", "cot": "(1.0/TAN({0}))",
    "sech": "(1.0/COSH({0}))", "csch": "(1.0/SINH({0}))", "coth": "(1.0/TANH({0}))",
    "arcsec": "ACOS(1.0/({0}))", "arccsc": "ASIN(1.0/({0}))", "arccot": "ATAN(1.0/({0}))",
    "arcsinh": "LOG(({0}) + SQRT(({0})^2 + 1.0))",
    "arccosh": "LOG(({0}) + SQRT(({0})^2 - 1.0))",
    "arctanh": "(0.5*LOG((1.0 + ({0}))/(1.0 - ({0}))))",
    "arcsech": "LOG((1.0 + SQRT(1.0 - ({0})^2))/({0}))",
    "arccsch": "LOG(1.0/({0}) + SQRT(1.0/({0})^2 + 1.0))",
    "arccoth": "(0.5*LOG((({0}) + 1.0)/(({0}) - 1.0)))",
}


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def read_math(holder):
    """The tree of the <math> inside an element; None where there is none."""
    if holder is None:
        return None
    for child in holder:
        if local(child) == "math":
            inner = [e for e in child if local(e) != "annotation"]
            return read_element(inner[0]) if inner else None
    return None


def read_number(element):
    kind = element.get("type", "real")
    parts = [element.text or ""] + [child.tail or "" for child in element]
    parts = [part.strip() for part in parts]
    if kind == "e-notation":
        return ("number", real_text(float(parts[0] + "e" + parts[1])))
    if kind == "rational":
        return ("call", "divide", [("number", real_text(float(parts[0]))),
                                   ("number", real_text(float(parts[1])))])
    return ("number", real_text(float(parts[0])))


def read_symbol(element):
    url = element.get("definitionURL", "")
    if url.endswith("time"):
        return ("time",)
    if url.endswith("avogadro"):
        return ("number", AVOGADRO)
    raise Untranslatable("symbol " + url.rsplit("/", 1)[-1])


def read_element(element):
    kind = local(element)
    if kind == "cn":
        return read_number(element)
    if kind == "ci":
        return ("name", element.text.strip())
    if kind == "csymbol":
        return read_symbol(element)
    if kind == "apply":
        return read_apply(element)
    if kind == "piecewise":
        return read_piecewise(element)
    if kind == "semantics":
        return read_element(element[0])
    constants = {"pi": ("number", "PI"), "exponentiale": ("number", "EXP(1.0)"),
                 "true": ("truth", True), "false": ("truth", False)}
    if kind in constants:
        return constants[kind]
    if kind in ("infinity", "notanumber"):
        return ("number", real_text(math.inf))
    raise Untranslatable("MathML element " + kind)


def read_apply(element):
    head, rest = element[0], list(element[1:])
    operator = local(head)
    if operator == "csymbol":
        url = head.get("definitionURL", "")
        if url.endswith("delay"):
            return ("delay", read_element(rest[0]), read_element(rest[1]))
        if url.endswith("rateOf"):
            return ("rate", rest[0].text.strip())
        raise Untranslatable("symbol " + url.rsplit("/", 1)[-1])
    if operator == "ci":
        return ("own", head.text.strip(), [read_element(e) for e in rest])
    qualified = {local(e): read_element(e[0]) for e in rest if local(e) in ("degree", "logbase")}
    arguments = [read_element(e) for e in rest if local(e) not in ("degree", "logbase")]
    if operator == "root" and "degree" in qualified:
        return ("call", "power", [arguments[0],
                                  ("call", "divide", [("number", "1.0"), qualified["degree"]])])
    if operator == "log" and "logbase" in qualified:
        return ("call", "divide", [("call", "ln", arguments),
                                   ("call", "ln", [qualified["logbase"]])])
    return ("call", operator, arguments)


def read_piecewise(element):
    pieces, other = [], None
    for child in element:
        if local(child) == "piece":
            pieces.append((read_element(child[0]), read_element(child[1])))
        elif local(child) == "otherwise":
            other = read_element(child[0])
    return ("choice", pieces, other)


def real_text(value):
    """A REAL of COSY with the same value."""
    if math.isnan(value) or math.isinf(value):
        raise Untranslatable("a number that is infinite or undefined")
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return mantissa + ("E" + str(int(exponent)) if exponent else "")


def children(tree):
    """The trees directly inside a tree."""
    kind = tree[0]
    if kind in ("call", "own"):
        return list(tree[2])
    if kind == "delay":
        return [tree[1], tree[2]]
    if kind == "choice":
        inner = [part for piece in tree[1] for part in piece]
        return inner + ([tree[2]] if tree[2] is not None else [])
    return []


def changed(tree, change):
    """The tree with its parts replaced by change(part)."""
    kind = tree[0]
    if kind in ("call", "own"):
        return (kind, tree[1], [change(part) for part in tree[2]])
    if kind == "delay":
        return ("delay", change(tree[1]), change(tree[2]))
    if kind == "choice":
        return ("choice", [(change(v), change(c)) for v, c in tree[1]],
                None if tree[2] is None else change(tree[2]))
    return tree


def substituted(tree, values):
    """The tree with names replaced by the trees that a dictionary has for them."""
    if tree[0] == "name" and tree[1] in values:
        return values[tree[1]]
    if tree[0] == "rate" and tree[1] in values and values[tree[1]][0] == "name":
        return ("rate", values[tree[1]][1])
    return changed(tree, lambda part: substituted(part, values))


def inlined(tree, functions, depth=0):
    """The tree with calls of the model's functions replaced by their bodies."""
    if depth > 50:
        raise Untranslatable("functions that call themselves")
    if tree[0] == "own":
        if tree[1] not in functions or functions[tree[1]] is None:
            raise Untranslatable("a function without a body")
        formals, body = functions[tree[1]]
        actuals = [inlined(part, functions, depth + 1) for part in tree[2]]
        return inlined(substituted(body, dict(zip(formals, actuals))), functions, depth + 1)
    return changed(tree, lambda part: inlined(part, functions, depth + 1))


def names_in(tree, found=None):
    """All names a tree reads, those of rates as well."""
    found = set() if found is None else found
    if tree[0] in ("name", "rate"):
        found.add(tree[1])
    for part in children(tree):
        names_in(part, found)
    return found


def is_truth(tree):
    kind = tree[0]
    if kind == "truth":
        return True
    if kind == "call":
        return tree[1] in RELATIONS or tree[1] in LOGICAL
    if kind == "choice":
        return bool(tree[1]) and is_truth(tree[1][0][0])
    return False


class Writer:
    """Writes trees as COSY. What names, delays and rates become, the user says."""

    def __init__(self, name, delay, rate):
        self.name, self.delay, self.rate = name, delay, rate

    def truth(self, tree):
        """A condition."""
        if tree[0] == "truth":
            return "TRUE" if tree[1] else "FALSE"
        if tree[0] == "choice" and is_truth(tree):
            return self.truth_choice(tree)
        if not is_truth(tree):
            return "(%s <> 0.0)" % self.real(tree)
        operator, arguments = tree[1], tree[2]
        if operator in RELATIONS:
            return self.relation(operator, arguments)
        if operator == "not":
            return "(NOT %s)" % self.truth(arguments[0])
        if operator == "implies":
            return "((NOT %s) OR %s)" % (self.truth(arguments[0]), self.truth(arguments[1]))
        if operator == "xor":
            text = "FALSE"
            for argument in arguments:
                other = self.truth(argument)
                text = other if text == "FALSE" else \
                    "((%s AND NOT %s) OR (NOT %s AND %s))" % (text, other, text, other)
            return text
        if not arguments:
            return "TRUE" if operator == "and" else "FALSE"
        joint = " AND " if operator == "and" else " OR "
        return "(" + joint.join(self.truth(argument) for argument in arguments) + ")"

    def truth_choice(self, tree):
        text = "FALSE" if tree[2] is None else self.truth(tree[2])
        for value, condition in reversed(tree[1]):
            test = self.truth(condition)
            text = "((%s AND %s) OR (NOT %s AND %s))" % (test, self.truth(value), test, text)
        return text

    def relation(self, operator, arguments):
        if len(arguments) < 2:
            return "TRUE"
        if any(is_truth(argument) for argument in arguments) and operator in ("eq", "neq"):
            texts = [self.truth(argument) for argument in arguments]
            pairs = ["((%s AND %s) OR (NOT %s AND NOT %s))" % (a, b, a, b)
                     for a, b in zip(texts, texts[1:])]
            same = pairs[0] if len(pairs) == 1 else "(" + " AND ".join(pairs) + ")"
            return same if operator == "eq" else "(NOT %s)" % same
        texts = [self.real(argument) for argument in arguments]
        pairs = ["(%s %s %s)" % (a, RELATIONS[operator], b) for a, b in zip(texts, texts[1:])]
        return pairs[0] if len(pairs) == 1 else "(" + " AND ".join(pairs) + ")"

    def real(self, tree):
        """A REAL, in parentheses where it is more than one word."""
        kind = tree[0]
        if kind == "number":
            return tree[1] if not tree[1].startswith("-") else "(%s)" % tree[1]
        if kind == "name":
            return self.name(tree[1])
        if kind == "time":
            return "TIME"
        if kind == "rate":
            return self.rate(tree[1])
        if kind == "delay":
            return self.delay(tree)
        if is_truth(tree):
            return "(IF %s THEN 1.0 ELSE 0.0)" % self.truth(tree)
        if kind == "choice":
            return self.real_choice(tree)
        if kind == "call":
            return self.call(tree[1], tree[2])
        raise Untranslatable("a tree of kind " + kind)

    def real_choice(self, tree):
        if tree[2] is None:
            raise Untranslatable("piecewise that leaves cases open")
        text = self.real(tree[2])
        for value, condition in reversed(tree[1]):
            text = "(IF %s THEN %s ELSE %s)" % (self.truth(condition), self.real(value), text)
        return text

    def call(self, operator, arguments):
        if operator == "power":
            return "(%s^%s)" % (self.real(arguments[0]), exponent_text(self.real(arguments[1])))
        texts = [self.real(argument) for argument in arguments]
        if operator == "plus":
            return "(" + " + ".join(texts) + ")" if texts else "0.0"
        if operator == "times":
            return "(" + "*".join(texts) + ")" if texts else "1.0"
        if operator == "minus":
            return "(-%s)" % texts[0] if len(texts) == 1 else "(%s - %s)" % tuple(texts)
        if operator == "divide":
            return "(%s/%s)" % tuple(texts)
        if operator in SAME_NAME:
            return "%s(%s)" % (SAME_NAME[operator], texts[0])
        if operator in BY_FORMULA:
            return BY_FORMULA[operator].format(texts[0])
        if operator == "root":
            return "SQRT(%s)" % texts[0]
        if operator == "log":
            return "LOG10(%s)" % texts[0]
        if operator in ("min", "max"):
            return texts[0] if len(texts) == 1 else "%s(%s)" % (operator.upper(), ", ".join(texts))
        return self.whole(operator, texts)

    def whole(self, operator, texts):
        """Functions that round."""
        if operator == "floor":
            return floor_text(texts[0])
        if operator == "ceiling":
            return "(-%s)" % floor_text("(-%s)" % texts[0])
        if operator == "quotient":
            return "INT(%s/%s)" % tuple(texts)
        if operator == "rem":
            return "({0} - {1}*INT({0}/{1}))".format(*texts)
        if operator == "factorial":
            return "FACTORIAL_OF(%s)" % texts[0]
        raise Untranslatable("MathML operator " + operator)


def exponent_text(text):
    """Whole exponents are written as such."""
    try:
        value = float(text.strip("()"))
    except ValueError:
        return text
    if value == int(value) and abs(value) < 100:
        return str(int(value)) if value >= 0 else "(%d)" % int(value)
    return text


def floor_text(text):
    return "(IF INT({0}) > {0} THEN INT({0}) - 1.0 ELSE INT({0}))".format(text)
