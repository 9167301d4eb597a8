"""Models made of submodels (the package comp of SBML), made one flat model.

Every submodel is a copy of its definition. What a copy's element means is found
by following replacements: a name of a copy stands for the element that is left
of the chain, times the conversion factors on the way. A name x of the submodel A
is A__x in the flat model, as in the curves of the suite.
"""

import copy
import os
import xml.etree.ElementTree as ElementTree

from mathml import Untranslatable, changed, local
from sbml import Event, Model, Reaction, Reader, find, listed, read_functions


def attribute(element, name):
    """An attribute, of the core or of a package."""
    if element is None:
        return None
    for key, value in element.attrib.items():
        if key.rsplit("}", 1)[-1] == name:
            return value
    return None


class Document:
    def __init__(self, path):
        self.path = path
        self.root = ElementTree.parse(path).getroot()
        self.level, self.version = int(self.root.get("level")), int(self.root.get("version"))

    def definition(self, name):
        """The document and the element that a modelRef means."""
        model = find(self.root, "model")
        if name is None or attribute(model, "id") == name:
            return self, model
        for e in listed(self.root, "listOfModelDefinitions"):
            if attribute(e, "id") == name:
                return self, e
        for e in listed(self.root, "listOfExternalModelDefinitions"):
            if attribute(e, "id") == name:
                source = os.path.join(os.path.dirname(self.path), attribute(e, "source"))
                if not os.path.exists(source):
                    raise Untranslatable("a file of another model that is missing")
                return Document(source).definition(attribute(e, "modelRef"))
        raise Untranslatable("a model definition that is missing")


class Copy:
    """A model or submodel with its own elements."""

    def __init__(self, document, element, prefix="", holder=None, submodel=None):
        self.document, self.element = document, copy.deepcopy(element)
        self.prefix, self.holder = prefix, holder
        self.time = attribute(submodel, "timeConversionFactor")
        self.extent = attribute(submodel, "extentConversionFactor")
        self.submodel = submodel
        self.parts = {}
        for e in listed(self.element, "listOfSubmodels"):
            name = attribute(e, "id")
            where, definition = document.definition(attribute(e, "modelRef"))
            self.parts[name] = Copy(where, definition, prefix + name + "__", self, e)
        self.parents = {child: parent for parent in self.element.iter() for child in parent}

    def all(self):
        """This copy and those inside, from the outside in."""
        yield self
        for part in self.parts.values():
            yield from part.all()

    def by_name(self, key, name):
        for e in self.element.iter():
            kind = local(e)
            if attribute(e, key) == name and kind not in ("port", "submodel", "deletion") \
                    and "unit" not in kind:
                return e
        return None

    def resolve(self, reference):
        """The copy and the element that idRef, portRef or metaIdRef mean here."""
        inner = find(reference, "sBaseRef")
        for key, how in (("portRef", None), ("idRef", "id"), ("metaIdRef", "metaid")):
            name = attribute(reference, key)
            if name is None:
                continue
            if key == "portRef":
                port = next((p for p in listed(self.element, "listOfPorts")
                             if attribute(p, "id") == name), None)
                if port is None:
                    raise Untranslatable("a port that is missing")
                found = self.resolve(port)
                return found if inner is None else found[0].resolve(inner)
            if how == "id" and name in self.parts:
                part = self.parts[name]
                return part.resolve(inner) if inner is not None else (part, None)
            element = self.by_name(how, name)
            if element is not None and local(element) == "submodel":
                part = self.parts[attribute(element, "id")]
                return part.resolve(inner) if inner is not None else (part, None)
            if element is None:
                part = next((p for n, p in self.parts.items()
                             if attribute(p.submodel, "metaid") == name), None)
                if part is not None:
                    return part.resolve(inner) if inner is not None else (part, None)
                return None, None
            return self, element
        return None, None


class Flat:
    """Puts the copies together."""

    def __init__(self, path):
        document = Document(path)
        self.top = Copy(document, document.definition(None)[1])
        self.links = {}      # element -> (the element in its place, conversion factor)
        self.named = {}      # element -> the one it replaces, whose name it takes
        self.home = {}       # element -> its copy
        self.gone = set()    # elements that are deleted, or have another in their place
        self.dropped = set()  # copies deleted as a whole
        for part in self.top.all():
            for e in part.element.iter():
                self.home[e] = part
        for part in list(self.top.all()):
            self.delete(part)
            self.replace(part)
        self.model = Model()
        self.read()

    def delete(self, part):
        for submodel in listed(part.element, "listOfSubmodels"):
            inside = part.parts[attribute(submodel, "id")]
            for deletion in listed(submodel, "listOfDeletions"):
                where, element = inside.resolve(deletion)
                if element is not None:
                    self.gone.add(element)
                elif where is not None:
                    self.dropped.add(where)

    def replace(self, part):
        for e in list(part.element.iter()):
            for reference in listed(e, "listOfReplacedElements"):
                if attribute(reference, "deletion") or attribute(reference, "unitRef"):
                    continue
                where, other = part.parts[attribute(reference, "submodelRef")].resolve(reference)
                if other is not None:
                    factor = attribute(reference, "conversionFactor")
                    self.links[other] = (e, part.prefix + factor if factor else None, part)
                    self.gone.add(other)
                elif where is not None:
                    self.dropped.add(where)
            by = find(e, "replacedBy")
            if by is not None:
                _, other = part.parts[attribute(by, "submodelRef")].resolve(by)
                if other is not None:
                    self.links[e] = (other, None, part)
                    self.gone.add(e)
                    self.named.setdefault(other, e)

    def stands_for(self, element):
        """The element left in the end, and the factors on the way to it."""
        factors = []
        while element in self.links:
            element, factor, part = self.links[element]
            if factor:
                factors.append((part, factor[len(part.prefix):]))
        return element, factors

    def is_dropped(self, part):
        while part is not None:
            if part in self.dropped:
                return True
            part = part.holder
        return False

    def read(self):
        copies = [part for part in self.top.all() if not self.is_dropped(part)]
        functions = {}
        for part in copies:
            part.names = {}
            for e in part.element.iter():
                name = attribute(e, "id") if local(e) != "localParameter" or e in self.links \
                    else None
                if name and local(e) not in ("port", "submodel", "deletion"):
                    last, factors = self.stands_for(e)
                    part.names[name] = (last, factors)
            functions[part] = read_functions(part.element)
        for part in copies:
            for name, (last, _) in part.names.items():
                if local(last) == "functionDefinition":
                    functions[part][name] = read_functions(self.home[last].element).get(
                        attribute(last, "id"))
        for part in copies:
            self.strip(part)
        for part in copies:
            reader = Reader(part.element, part.document.level, functions[part])
            self.merge(part, reader.model)

    def strip(self, part):
        for e in list(part.element.iter()):
            if e in self.gone and e in part.parents:
                holder = part.parents[e]
                if e in list(holder):
                    holder.remove(e)

    # ---- from the names of a copy to those of the whole

    def global_name(self, part, name):
        if name in part.names:
            last = part.names[name][0]
            while last in self.named:
                last = self.named[last]
            return self.home[last].prefix + attribute(last, "id")
        return part.prefix + name

    def factors(self, part, name):
        """Factors by which the whole's value is larger than the copy's, as trees."""
        inner = part.names.get(name, (None, []))[1]
        return [("name", self.global_name(p, f)) for p, f in inner]

    def scales(self, part, kind):
        """The time or extent factors of this copy and all around it."""
        found = []
        while part is not None:
            factor = getattr(part, kind)
            if factor:
                found.append(("name", self.global_name(part.holder, factor)))
            part = part.holder
        return found

    def tree(self, part, tree):
        """A tree of a copy, in names and units of the whole."""
        if tree is None:
            return None
        times, extents = self.scales(part, "time"), self.scales(part, "extent")
        kind = tree[0]
        if kind == "time":
            return divided(("time",), times)
        if kind == "name":
            name = tree[1]
            text = divided(("name", self.global_name(part, name)), self.factors(part, name))
            if self.is_own_reaction(part, name):
                text = divided(multiplied(text, times), extents)
            return text
        if kind == "rate":
            text = ("rate", self.global_name(part, tree[1]))
            return multiplied(divided(text, self.factors(part, tree[1])), times)
        if kind == "delay":
            return ("delay", self.tree(part, tree[1]),
                    multiplied(self.tree(part, tree[2]), times))
        return changed(tree, lambda inner: self.tree(part, inner))

    def is_own_reaction(self, part, name):
        last = part.names.get(name, (None,))[0]
        return last is not None and local(last) == "reaction" and self.home[last] is part

    def target(self, part, name, tree):
        """What is assigned to a name of a copy, as a value of the whole."""
        return self.global_name(part, name), \
            multiplied(self.tree(part, tree), self.factors(part, name))

    def merge(self, part, model):
        whole = self.model
        times, extents = self.scales(part, "time"), self.scales(part, "extent")
        for name, symbol in model.symbols.items():
            symbol.id = self.global_name(part, name)
            if symbol.compartment:
                symbol.compartment = self.global_name(part, symbol.compartment)
            if symbol.factor:
                symbol.factor = self.global_name(part, symbol.factor)
            whole.symbols[symbol.id] = symbol
        for name, tree in model.initial.items():
            target, value = self.target(part, name, tree)
            whole.initial[target] = value
        for name, tree in model.assigned.items():
            target, value = self.target(part, name, tree)
            whole.assigned[target] = value
        for name, tree in model.rates.items():
            target, value = self.target(part, name, tree)
            whole.rates[target] = divided(value, times)
        whole.residuals += [self.tree(part, tree) for tree in model.residuals]
        for r in model.reactions:
            law = divided(multiplied(self.tree(part, r.law), extents), times)
            changes = [(self.global_name(part, species), self.tree(part, count), sign)
                       for species, count, sign in r.changes]
            whole.reactions.append(Reaction(self.global_name(part, r.id), law, r.fast, changes))
        for e in model.events:
            delay = self.tree(part, e.delay)
            whole.events.append(Event(
                self.tree(part, e.trigger), e.begins_true, e.persistent,
                delay if delay is None else multiplied(delay, times),
                self.tree(part, e.priority), e.at_trigger,
                [self.target(part, name, tree) for name, tree in e.assignments]))


def multiplied(tree, factors):
    return ("call", "times", [tree] + factors) if factors else tree


def divided(tree, factors):
    return ("call", "divide", [tree, multiplied(factors[0], factors[1:])]) if factors else tree


def read_flat(path):
    return Flat(path).model
