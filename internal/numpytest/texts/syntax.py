"""Trees of TC programs, and their texts."""


class Node:
    def __repr__(self):
        return self.text()


class Num(Node):
    def __init__(self, text):
        self.name = text

    def text(self, level=0):
        return self.name

    def parts(self):
        return []

    def rebuilt(self, parts):
        return self


class Ref(Num):
    """A name: an index, a size, a scalar or a let."""


class Extent(Num):
    """A.d or len(A), an extent of a tensor."""

    def __init__(self, tensor, dim, short=False):
        self.tensor, self.dim = tensor, dim
        self.name = "len(%s)" % tensor if short else "%s.%d" % (tensor, dim)


class Access(Node):
    def __init__(self, name, subs, old=False):
        self.name, self.subs, self.old = name, subs, old

    def text(self, level=0):
        name = "old(%s)" % self.name if self.old else self.name
        return name + ("(%s)" % ",".join(s.text() for s in self.subs) if self.subs else "")

    def parts(self):
        return self.subs

    def rebuilt(self, parts):
        return Access(self.name, parts, self.old)


LEVEL = {"?": 1, "||": 2, "&&": 3}
LEVEL.update(dict.fromkeys("< > <= >= == !=".split(), 4))
LEVEL.update(dict.fromkeys("+ - | ^".split(), 5))
LEVEL.update(dict.fromkeys("* / % & << >>".split(), 6))
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


class Bin(Node):
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def text(self, level=0):
        own = LEVEL[self.op]
        left = own + 1 if own == 4 else own
        text = "%s %s %s" % (self.a.text(left), self.op, self.b.text(own + 1))
        return "(" + text + ")" if own < level else text

    def parts(self):
        return [self.a, self.b]

    def rebuilt(self, parts):
        return Bin(self.op, *parts)


class Un(Node):
    def __init__(self, op, a):
        self.op, self.a = op, a

    def text(self, level=0):
        return self.op + self.a.text(7)

    def parts(self):
        return [self.a]

    def rebuilt(self, parts):
        return Un(self.op, *parts)


class If(Node):
    def __init__(self, c, a, b):
        self.c, self.a, self.b = c, a, b

    def text(self, level=0):
        text = "%s ? %s : %s" % (self.c.text(2), self.a.text(2), self.b.text(1))
        return "(" + text + ")" if level > 1 else text

    def parts(self):
        return [self.c, self.a, self.b]

    def rebuilt(self, parts):
        return If(*parts)


class Call(Node):
    """A function, min, max, a cast, or a boundary (pad, clamp, mirror, wrap)."""

    def __init__(self, name, *args):
        self.name, self.args = name, list(args)

    def text(self, level=0):
        return "%s(%s)" % (self.name, ", ".join(a.text() for a in self.args))

    def parts(self):
        return self.args

    def rebuilt(self, parts):
        return Call(self.name, *parts)


BOUNDARIES = ("pad", "clamp", "mirror", "wrap")


def each(e):
    yield e
    for p in e.parts():
        yield from each(p)


def replaced(e, names):
    """e with the names of a dict replaced by their expressions."""
    if isinstance(e, Ref):
        return names.get(e.name, e)
    return e.rebuilt([replaced(p, names) for p in e.parts()])


def number(n):
    return Un("-", Num(str(-n))) if n < 0 else Num(str(n))


class Statement:
    """targets(subs) [scan(...)] op= value where ...; op is "" for =."""

    def __init__(self, name, subs, value, op="", fresh=True, typed=None, scan=(), ranges=None, lets=(), exists=(), empty=(), positions=()):
        self.name, self.subs, self.value, self.op, self.fresh = name, list(subs), value, op, fresh
        self.typed, self.scan, self.ranges, self.lets, self.exists = typed, list(scan), dict(ranges or {}), list(lets), list(exists)
        self.empty, self.positions = set(empty), list(positions)

    def text(self):
        subs = "(%s)" % ",".join(s.text() for s in self.subs) if self.subs else ""
        targets = (self.name or "") + subs
        if self.op in ("argmin", "argmax"):
            names = ([self.name] if self.name else []) + self.positions
            targets = ", ".join(n + subs for n in names)
            if len(names) > 1:
                targets = "(" + targets + ")"
        text = (self.typed + " " if self.typed else "") + targets
        if self.scan:
            text += " scan(%s)" % ",".join(self.scan)
        text += " %s=%s %s" % (self.op, "!" if self.op and self.fresh else "", self.value.text())
        clauses = ["%s in %s:%s%s" % (i, lo.text(), hi.text(), " or empty" if i in self.empty else "") for i, (lo, hi) in self.ranges.items()]
        clauses += ["%s or empty" % i for i in sorted(self.empty) if i not in self.ranges]
        clauses += ["%s = %s" % (n, e.text()) for n, e in self.lets]
        clauses += ["exists %s" % e.text() for e in self.exists]
        return text + (" where " + ", ".join(clauses) if clauses else "")


class CallStatement:
    """(targets)(indices) = callee(args); an argument is an Access, an expression, or a nested CallStatement without target."""

    def __init__(self, names, subs, callee, args):
        self.names, self.subs, self.callee, self.args = names, subs, callee, args

    def text(self):
        subs = "(%s)" % ",".join(s.text() for s in self.subs) if self.subs else ""
        targets = ", ".join(n + subs for n in self.names)
        if len(self.names) > 1:
            targets = "(" + targets + ")"
        return (targets + " = " if self.names else "") + "%s(%s)" % (self.callee, ", ".join(a.text() for a in self.args))


class Def:
    """inputs: (type, name, dims); outputs: (name, type or None, dims or None); dims are names or numbers."""

    def __init__(self, name, inputs, outputs, statements):
        self.name, self.inputs, self.outputs, self.statements = name, inputs, outputs, statements

    def text(self):
        def dims(d):
            return "(%s)" % ",".join(map(str, d)) if d else ""

        ins = ", ".join("%s%s %s" % (t, dims(d), n) for t, n, d in self.inputs)
        outs = ", ".join((t + dims(d or []) + " " if t else "") + n for n, t, d in self.outputs)
        return "def %s(%s) -> (%s) {\n%s}\n" % (self.name, ins, outs, "".join("  " + s.text() + "\n" for s in self.statements))
