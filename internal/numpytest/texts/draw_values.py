"""Draws values as people write them: accesses with subscripts of all kinds, arithmetic, conditions, boundaries."""
from syntax import *
from values import is_float

FLOAT_LITERALS = ["0.5", "2.0", "1.5", "0.25", "1.0", "3.0", "0.1", "2e0", "1.0f"]
FUNCTIONS = ["fabs", "sqrt", "exp", "tanh", "floor", "ceil", "round", "fmax", "fmin", "fmaxf", "fabsf", "sin", "atan", "fdim", "trunc", "pow"]


class Scope:
    """What a value may use: indices with the size that each runs over (a Node or None), and tensors."""

    def __init__(self, rng, tensors, indices, sizes, scalars=()):
        self.rng, self.tensors, self.indices, self.sizes, self.scalars = rng, tensors, dict(indices), sizes, list(scalars)
        self.shifts = 0.35  # how often a subscript is more than an index
        self.guarded = 0.0  # how often an access stands under a condition or boundary of its own


def chance(rng, p):
    return rng.random() < p


def subscript(scope, size, index=None):
    """A subscript for a dimension whose extent is size (a Node)."""
    rng = scope.rng
    fitting = [i for i, s in scope.indices.items() if s is None or s.text() == size.text()]
    i = Ref(index or rng.choice(fitting or list(scope.indices)) if scope.indices else "0")
    if not scope.indices:
        return Num("0")
    if not chance(rng, scope.shifts):
        return i
    c = Num(str(rng.choice([1, 1, 1, 2, 3])))
    others = [j for j in scope.indices if j != i.name]
    if scope.scalars and chance(rng, 0.3):
        s = Ref(rng.choice(scope.scalars))
        return rng.choice([Bin("-", i, s), Bin("+", i, s), Bin("*", s, i), Bin("/", i, s), s])
    kinds = ["+c", "-c", "rev", "2*", "/", "%", "const", "last", "i+k", "2i+k", "i-k", "min", "max", "c-i", "modsize", "stride"]
    weights = [6, 6, 4, 3, 3, 2, 1, 1, 4, 2, 2, 2, 2, 1, 1, 1]
    kind = rng.choices(kinds, weights)[0]
    k = Ref(rng.choice(others)) if others else c
    table = {
        "+c": lambda: Bin("+", i, c),
        "-c": lambda: Bin("-", i, c),
        "rev": lambda: Bin("-", Bin("-", size, Num("1")), i),
        "2*": lambda: Bin("*", Num("2"), i) if chance(rng, 0.7) else Bin("+", Bin("*", Num("2"), i), Num("1")),
        "/": lambda: Bin("/", i, Num(rng.choice("23"))) if chance(rng, 0.8) else Bin(">>", i, Num("1")),
        "%": lambda: Bin("%", i, Num(rng.choice("23"))),
        "const": lambda: Num("0"),
        "last": lambda: Bin("-", size, Num("1")),
        "i+k": lambda: Bin("+", i, k),
        "2i+k": lambda: Bin("+", Bin("*", Num("2"), i), k),
        "i-k": lambda: Bin("-", i, k),
        "min": lambda: Call("min", Bin("+", i, c), Bin("-", size, Num("1"))),
        "max": lambda: Call("max", Bin("-", i, c), Num("0")),
        "c-i": lambda: Bin("-", c, i),
        "modsize": lambda: Bin("%", Bin("+", i, c), size),
        "stride": lambda: Bin("*", Ref(rng.choice(scope.scalars)), i) if scope.scalars else Bin("+", i, c),
    }
    return table[kind]()


def access(scope, name=None):
    rng = scope.rng
    name = name or rng.choice(list(scope.tensors))
    return Access(name, [subscript(scope, d) for d in scope.tensors[name][1]])


def leaf(scope, t):
    rng = scope.rng
    x = rng.random()
    if x < 0.72:
        a = access(scope)
        return guarded(scope, a, t) if chance(rng, scope.guarded) and a.subs else a
    if x < 0.86:
        return Num(rng.choice(FLOAT_LITERALS)) if is_float(t) else Num(rng.choice("12345"))
    if x < 0.92 and scope.indices:
        return Ref(rng.choice(list(scope.indices)))
    if x < 0.94 and scope.scalars:
        return Ref(rng.choice(scope.scalars))
    if x < 0.96 and scope.sizes:
        return ratio(scope, t)
    if scope.sizes:
        name = rng.choice(list(scope.tensors))
        dims = scope.tensors[name][1]
        if dims and chance(rng, 0.4):
            d = rng.randrange(len(dims))
            return Extent(name, d, d == 0 and chance(rng, 0.5))
        return Ref(rng.choice(scope.sizes))
    return access(scope)


def ratio(scope, t):
    """Numbers that are made of sizes, indices and literals."""
    rng, n = scope.rng, Ref(scope.rng.choice(scope.sizes))
    i = Ref(rng.choice(list(scope.indices))) if scope.indices else Num("2")
    one = Num("1.0") if is_float(t) else Num("7")
    return rng.choice([Bin("/", one, n), Bin("*", n, Ref(rng.choice(scope.sizes))), Bin("*", i, n), Bin("/", i, Num("2")), Bin("%", i, Num("3")), Bin("/", Num("1"), Num("2")), Bin("*", Num("2"), Num("3")), Bin("-", i, n)])


def guarded(scope, a, t):
    """An access with something around it that says what lies outside."""
    rng = scope.rng
    kind = rng.choice(["pad", "pad", "clamp", "mirror", "wrap", "if", "if"])
    if kind == "pad":
        return Call("pad", a, Num("0") if chance(rng, 0.7) else leaf_literal(scope, t))
    if kind != "if":
        return Call(kind, a)
    return If(condition_for(scope, a), a, leaf_literal(scope, t) if chance(rng, 0.7) else access(scope))


def condition_for(scope, a):
    """The condition that the subscripts of an access, or one of them, are in bounds."""
    rng, parts = scope.rng, []
    for s, size in zip(a.subs, scope.tensors[a.name][1]):
        if isinstance(s, Ref) and chance(rng, 0.8):
            continue
        low = rng.choice([Bin(">=", s, Num("0")), Bin(">", s, Num("-1")) if chance(rng, 0.1) else Bin("<=", Num("0"), s), Un("!", Bin("<", s, Num("0")))])
        high = rng.choice([Bin("<", s, size), Bin("<=", s, Bin("-", size, Num("1"))), Bin(">", size, s)])
        parts += rng.choice([[low], [high], [low, high], [low, high], [low, high]])
    if not parts:
        return condition(scope)
    c = parts[0]
    for p in parts[1:]:
        c = Bin("&&", c, p)
    if chance(rng, 0.15):
        c = Bin("&&", c, condition(scope))
    return c


def leaf_literal(scope, t):
    return Num(scope.rng.choice(FLOAT_LITERALS)) if is_float(t) else Num(scope.rng.choice("0123"))


def condition(scope):
    rng = scope.rng
    if not scope.indices or chance(rng, 0.3):
        a = access(scope)
        return Bin(rng.choice(["<", ">", ">=", "!=", "=="]), a, Num("0") if chance(rng, 0.6) else access(scope))
    i = Ref(rng.choice(list(scope.indices)))
    size = scope.indices[i.name] or Num("3")
    if chance(rng, 0.2):
        return rng.choice([Bin("&&", condition(scope), condition(scope)), Bin("||", condition(scope), condition(scope)), If(condition(scope), condition(scope), Ref(rng.choice(["true", "false"])))])
    others = [Ref(j) for j in scope.indices if j != i.name]
    choices = [
        Bin(">", i, Num("0")), Bin("==", i, Num("0")), Bin("<", i, Bin("-", size, Num("1"))), Bin("==", Bin("%", i, Num("2")), Num("1")),
        Bin("<", Bin("/", i, Num("2")), Num("2")), Bin("<", Call("min", i, Num("3")), Num("2")), Bin(">=", i, Num(rng.choice("12"))),
        Bin("<", Num("0"), Bin("%", i, Num("3"))), Bin("==", Bin("%", i, Num("2")), Bin("%", Bin("/", i, Num("2")), Num("2"))), Bin("<", Call("max", i, Num("1")), Bin("/", size, Num("2"))),
        Bin("<=", Bin("*", Num("2"), i), size), Bin("==", Bin("+", i, Num("1")), size),
        Bin("||", Bin("==", i, Num("0")), Bin("==", i, Bin("-", size, Num("1")))), Bin("!=", i, Num(rng.choice("012"))),
    ]
    if scope.scalars:
        s = Ref(rng.choice(scope.scalars))
        choices += [Bin(">=", Bin("-", i, s), Num("0")), Bin("<", i, s), Bin(">=", i, s)] * 2
    if others:
        j = rng.choice(others)
        choices += [Bin("<=", i, j), Bin("==", i, j), Bin(">", Bin("+", i, j), Num("1")), Bin("==", Bin("%", Bin("+", i, j), Num("2")), Num("0"))]
    c = rng.choice(choices)
    return Un("!", c) if chance(rng, 0.08) else c


def value(scope, t, depth):
    """A value whose type is likely t."""
    rng = scope.rng
    if depth <= 0:
        return leaf(scope, t)
    x = rng.random()
    if x < 0.5:
        return binary(scope, t, depth)
    if x < 0.6:
        return If(condition(scope), value(scope, t, depth - 1), value(scope, t, depth - 1))
    if x < 0.68:
        return Call(rng.choice(["min", "max"]), value(scope, t, depth - 1), value(scope, t, depth - 1))
    if x < 0.76 and is_float(t):
        f = rng.choice(FUNCTIONS)
        args = [value(scope, t, depth - 1)]
        if f in ("fmax", "fmin", "fmaxf", "fdim", "pow"):
            args.append(value(scope, t, depth - 1) if f != "pow" else Num("2"))
        if f in ("sqrt", "pow"):
            args[0] = Call("fabs", args[0])
        return Call(f, *args)
    if x < 0.80:
        return Call(rng.choice([t, t, "int32", "float32", "int64", "uint8", "float64", "int8"]), value(scope, t, depth - 1))
    if x < 0.84:
        return Un("-", value(scope, t, depth - 1))
    if x < 0.87:
        return around(scope, t, depth)
    if x < 0.89 and not is_float(t) and t != "bool":
        return Call(rng.choice(["popcount", "clz"]), access(scope))
    if x < 0.91 and not is_float(t) and t != "bool":
        return Un("~", access(scope))
    return leaf(scope, t)


def around(scope, t, depth):
    """A boundary around one access or several, also nested."""
    rng = scope.rng
    kind = rng.choice(BOUNDARIES)
    inner = value(scope, t, rng.choice([0, 1, 1, 1, 2]))
    return Call(kind, inner, leaf(scope, t) if chance(rng, 0.3) else Num("0")) if kind == "pad" else Call(kind, inner)


def binary(scope, t, depth):
    rng = scope.rng
    if t == "bool":
        op = rng.choice(["&&", "||", "==", "!=", "+"])
        return Bin(op, value(scope, t, depth - 1), value(scope, t, depth - 1))
    if is_float(t):
        op = rng.choices(["+", "-", "*", "/"], [5, 4, 5, 1])[0]
    else:
        op = rng.choices(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"], [6, 5, 5, 2, 2, 1, 1, 1, 1, 1])[0]
    a = value(scope, t, depth - 1)
    b = value(scope, t, depth - 1)
    if op in ("<<", ">>"):
        a, b = access(scope), Num(rng.choice("123")) if chance(rng, 0.6) else access(scope)
    if op in ("/", "%") and chance(rng, 0.6):
        b = Num(rng.choice("237")) if not is_float(t) else Num(rng.choice(["2.0", "4.0", "0.5"]))
    return Bin(op, a, b)
