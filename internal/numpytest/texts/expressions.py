"""What an expression of TC is: its type, and a Python function for its value at a point."""
from fractions import Fraction

import values
from ranges import Shape, indices, integer
from syntax import *
from values import *

C_NAMES = {"fmaxf": "fmax", "fminf": "fmin", "expf": "exp", "sqrtf": "sqrt", "fabsf": "fabs", "tanhf": "tanh"}


class Tensor:
    """data has None where nothing was written."""

    def __init__(self, t, shape, data=None):
        self.t, self.shape = t, shape
        count = 1
        for n in shape.n:
            count *= n
        self.data = [None] * count if data is None else data

    def position(self, point):
        """Where the element of these coordinates is in data; None out of bounds."""
        k = 0
        for x, lo, n in zip(point, self.shape.lo, self.shape.n):
            if not 0 <= x - lo < n:
                return None
            k = k * n + x - lo
        return k


class Typed:
    """An expression of type t; a literal ("lit", "flit") has its exact value, others a function of the point."""

    def __init__(self, t, function, value=None, make=None):
        self.t, self.function, self.value, self.make = t, function, value, make

    def to(self, t):
        """The function that gives the value as one of type t."""
        if self.value is not None:
            x = literal(t, self.value, self.t)
            return lambda env: x
        if self.make:  # made of float literals and integers: its type is that of what it meets
            return self.make(t) if is_float(t) else Typed(concrete(self.t), self.make(concrete(self.t))).to(t)
        if t == self.t:
            return self.function
        f, frm = self.function, self.t
        return lambda env: convert(t, frm, f(env))


def literal(t, value, weak):
    if is_float(t):
        with_type = rounded(computed(t), float(value))
        return (with_type, 0.0) if Fraction(with_type) == value else (float(value), UNIT[computed(t)] * abs(float(value)))
    if weak == "flit":
        raise Refused("types: a float literal where an integer is needed")
    if t == "bool":
        raise Refused("types: a number where a bool is needed")
    low, high = limits(t)
    if not low <= value <= high:
        raise Refused("types: a literal does not fit")
    return int(value)


def late(t, build):
    """An expression of operands that meet in t; build gives its function in a type."""
    return Typed(t, None, make=build) if t in ("flit", "flit64") else Typed(concrete(t), build(concrete(t)))


def binary(t, operation, a, b):
    def build(t):
        f, g = a.to(t), b.to(t)
        return lambda env: operation(t, f(env), g(env))
    return late(t, build)


def counted(t):
    """Bools in arithmetic count as int32."""
    return "int32" if t == "bool" else t


class Compiler:
    """Expressions of a statement: env has sizes and integer scalars, types and ranks those of tensors, old the arrays."""

    def __init__(self, env, types, ranks, old):
        self.env, self.types, self.ranks, self.old = env, types, ranks, old

    def compile(self, e, boundary=None):
        return getattr(self, type(e).__name__.lower())(e, boundary)

    def num(self, e, boundary):
        text = e.name.rstrip("f") if not e.name.startswith("0x") else e.name
        if text == e.name and ("." not in text and "e" not in text.lower() or text.startswith("0x")):
            return Typed("lit", None, Fraction(int(text, 0)))
        return Typed("flit", None, Fraction(text))

    def ref(self, e, boundary):
        name = e.name
        if name in ("true", "false"):
            return Typed("bool", lambda env: int(name == "true"))
        return Typed(self.types.get(name, "int32"), lambda env: env[name])

    def extent(self, e, boundary):
        name = "." + e.name
        return Typed("int32", lambda env: env[name])

    def access(self, e, boundary):
        if self.ranks.get(e.name, len(e.subs)) != len(e.subs):
            raise Refused("types: %s has other dimensions" % e.name)
        subs, kind = [self.subscript(s, boundary) for s in e.subs], boundary.name if boundary else None
        name, arrays = e.name, self.old

        def read(env):
            t, point = arrays[name], [s(env) for s in subs]
            if kind in ("clamp", "mirror", "wrap"):
                point = [moved(kind, x, lo, n) for x, lo, n in zip(point, t.shape.lo, t.shape.n)]
            k = t.position(point)
            if k is None:
                raise Refused("run: %s reads out of bounds" % e.text())
            if t.data[k] is None:
                raise Refused("hole: %s is read and not written" % e.text())
            return t.data[k]

        return Typed(self.types[name], read)

    def subscript(self, e, boundary):
        if not any(isinstance(x, Access) for x in each(e)):
            return lambda env: integer(e, env)
        t = self.compile(e, boundary)
        if not is_int(concrete(t.t)):
            raise Refused("types: a subscript is no integer")
        return t.to(concrete(t.t))

    def un(self, e, boundary):
        x = self.compile(e.a, boundary)
        if e.op == "!":
            f = truth(x)
            return Typed("bool", lambda env: 1 - f(env))
        if x.value is not None and e.op == "-":
            return Typed(x.t, None, -x.value)
        if x.make:
            return binary(x.t, lambda t, a, b: negative(a), x, x)
        t = "int32" if concrete(x.t) == "bool" else concrete(x.t)
        f = x.to(t)
        if e.op == "~" and not is_int(concrete(x.t)):
            raise Refused("types: ~ of what is no integer")
        if e.op == "~":
            return Typed(t, lambda env: wrap(t, ~f(env)))
        if is_float(t):
            return Typed(t, lambda env: negative(f(env)))
        return Typed(t, lambda env: arithmetic(t, "-", 0, f(env)))

    def bin(self, e, boundary):
        a, b, op = self.compile(e.a, boundary), self.compile(e.b, boundary), e.op
        if op in ("&&", "||"):
            f, g = truth(a), truth(b)
            if op == "&&":
                return Typed("bool", lambda env: f(env) and g(env))
            return Typed("bool", lambda env: f(env) or g(env))
        if op == "*" and not any(isinstance(x, Access) and x.subs for x in each(e)) and any(isinstance(x, Access) for x in each(e)):
            raise Unsure("a product of scalars, which may have 64 bits")
        if a.value is not None and b.value is not None and (op in "+-*/" or op == "%" and a.t == b.t == "lit"):
            return folded(op, a, b)
        if op in COMPARISONS:
            t = concrete(meet(a.t, b.t))
            f, g = a.to(t), b.to(t)
            if is_float(t):
                return Typed("bool", lambda env: int(decide(f(env), g(env), op)))
            return Typed("bool", lambda env: int(compare(f(env), g(env), op)))
        if op in ("<<", ">>"):
            t = concrete(a.t)
            if not is_int(t) or concrete(b.t) == "bool" or is_float(concrete(b.t)):
                raise Refused("types: a shift of or by what is no integer")
            if a.value is not None:
                raise Unsure("a shift of a literal")
            f, g = a.to(t), b.to(concrete(b.t))
            return Typed(t, lambda env: shift(t, op, f(env), g(env)))
        t = concrete(meet(counted(a.t), counted(b.t)))
        if op in "&|^" and not (is_int(t) and concrete(a.t) != "bool" and concrete(b.t) != "bool"):
            raise Refused("types: %s of %s" % (op, t))
        return binary(meet(counted(a.t), counted(b.t)), lambda t, x, y: arithmetic(t, op, x, y), a, b)

    def branch(self, e, boundary):
        c, a, b = truth(self.compile(e.c, boundary)), self.compile(e.a, boundary), self.compile(e.b, boundary)
        def build(t):
            f, g = a.to(t), b.to(t)
            return lambda env: f(env) if c(env) else g(env)
        return late(meet(a.t, b.t), build)

    def call(self, e, boundary):
        if e.name in self.types:
            raise Refused("types: %s is a tensor, which hides the function" % e.name)
        if e.name in BOUNDARIES:
            return self.boundary(e, boundary)
        xs = [self.compile(a, boundary) for a in e.args]
        if e.name in values.ALL:
            if xs[0].make:
                xs[0] = Typed(concrete(xs[0].t), xs[0].to(concrete(xs[0].t)))
            f, t = xs[0].to(e.name) if xs[0].value is None or is_float(e.name) or xs[0].t == "lit" else None, e.name
            if f is None:
                raise Unsure("a cast of a float literal")
            if is_int(t):
                return Typed(t, lambda env: wrap(t, f(env)))  # also of numbers that did not wrap before
            return Typed(t, f)
        if e.name in ("min", "max"):
            op = "<" if e.name == "min" else ">"
            return binary(meet(counted(xs[0].t), counted(xs[1].t)), lambda t, x, y: pick(t, x, y, op), *xs)
        if e.name in ("popcount", "clz"):
            t, f = xs[0].t, xs[0].function
            if not is_int(t):
                raise Refused("types: bits of what is no integer")
            mask = 2 ** bits(t) - 1
            if e.name == "popcount":
                return Typed(t, lambda env: wrap(t, bin_(f(env) & mask).count("1")))
            return Typed(t, lambda env: wrap(t, bits(t) - (f(env) & mask).bit_length()))
        name = C_NAMES.get(e.name, e.name)
        t = "flit"
        for x in xs:
            t = meet(t, x.t if is_float(x.t) or x.value is not None else "flit64" if "64" in x.t else "flit")

        def build(t):
            fs = [x.to(t) for x in xs]
            return lambda env: function(t, name, [f(env) for f in fs])
        return late(t, build)

    def boundary(self, e, outer):
        if not any(isinstance(x, Access) and x.subs for x in each(e.args[0])):
            raise Refused("types: %s around nothing that is read" % e.name)
        inner = self.compile(e.args[0], e)
        if e.name != "pad":
            return inner
        other = self.compile(e.args[1], outer)
        reads = [(a.name, [self.subscript(s, e) for s in a.subs]) for a in own_accesses(e.args[0])]
        tensors = self.old

        def build(t):
            f, g = inner.to(t), other.to(t)

            def value(env):
                for name, subs in reads:
                    if tensors[name].position([s(env) for s in subs]) is None:
                        return g(env)
                return f(env)
            return value
        return late(meet(inner.t, other.t), build)


# The method for If: "if" is a word of Python.
setattr(Compiler, "if", Compiler.branch)
bin_ = bin


def own_accesses(e):
    """The accesses whose innermost boundary is the one around e, those in subscripts first."""
    if isinstance(e, Call) and e.name in BOUNDARIES:
        for v in e.args[1:]:
            yield from own_accesses(v)
        return
    for p in e.parts():
        yield from own_accesses(p)
    if isinstance(e, Access) and e.subs:
        yield e


def moved(kind, x, lo, n):
    x -= lo
    if kind == "clamp":
        return lo + max(0, min(n - 1, x))
    if kind == "wrap":
        return lo + x % n
    x %= 2 * n
    return lo + (x if x < n else 2 * n - 1 - x)


def negative(x):
    return (-x[0], x[1])


def truth(x):
    """Any number counts as "not zero"."""
    if x.value is not None:
        return lambda env: int(x.value != 0)
    f = x.to(concrete(x.t))
    if is_float(concrete(x.t)):
        return lambda env: int(decide(f(env), (0.0, 0.0), "!="))
    return lambda env: int(f(env) != 0)


def folded(op, a, b):
    """Arithmetic of literals alone, which is exact."""
    t = "lit" if a.t == b.t == "lit" else "flit"
    x, y = a.value, b.value
    if op in "/%":
        if y == 0:
            raise Unsure("a division of literals by zero")
        v = Fraction(x % y) if op == "%" else Fraction(x // y) if t == "lit" else x / y
    else:
        v = {"+": x + y, "-": x - y, "*": x * y}[op]
    return Typed(t, None, v)
