"""Draws TC programs of the kinds that people write first, as trees."""
from draw_values import *
from syntax import *
from values import is_float

INPUTS = "A B X W I T u v img tab".split()
OUTPUTS = "C D Y Z out res".split()
HIDING = "pad concat clamp y0 j1 exp round floor mirror sqrt".split()
INDICES = "i j k l".split()
WINDOW = "k dx d kh".split()
TYPES = ["float32", "float64", "int32", "int64", "uint8", "int8", "int16", "uint16", "uint32", "float16", "bool", "uint64"]
WEIGHTS = [40, 10, 16, 5, 6, 5, 4, 3, 3, 4, 4, 2]
SPELLED = {"float32": ["float", "float32"], "int32": ["int", "int32"], "uint8": ["uint8", "byte"], "float16": ["half", "float16"], "float64": ["double", "float64"]}


class Drawer:
    """One program: inputs are added when a statement needs them."""

    def __init__(self, rng):
        self.rng = rng
        self.t = rng.choices(TYPES, WEIGHTS)[0]
        self.inputs, self.tensors, self.statements, self.outputs, self.scalars = [], {}, [], [], []
        self.size_names = rng.sample(["N", "M", "K", "H"], rng.choice([1, 2, 2, 3]))
        self.names = list(OUTPUTS)
        self.written, self.helpers, self.fixed, self.subscripts = [], {}, {}, set()

    def type(self):
        return self.t if chance(self.rng, 0.75) else self.rng.choices(TYPES, WEIGHTS)[0]

    def size(self):
        return self.rng.choice(self.size_names)

    def input(self, rank=None, t=None, dims=None):
        """A tensor to read: an old one of that rank, or a new input."""
        rng = self.rng
        rank = rng.choice([1, 1, 2, 2, 3]) if rank is None else rank
        old = [n for n, (u, d) in self.tensors.items() if len(d) == rank and (t is None or t == u) and dims is None]
        if old and chance(rng, 0.6):
            return rng.choice(old)
        free = [n for n in INPUTS if n not in self.tensors]
        name = rng.choice(HIDING) if chance(rng, 0.04) else rng.choice(free)
        if name in self.tensors or name in self.fixed:
            name = rng.choice(free)
        dims = dims or [rng.choice([3, 4]) if chance(rng, 0.06) else self.size() for _ in range(rank)]
        t = t or self.type()
        self.inputs.append((t, name, dims))
        self.tensors[name] = (t, [Ref(d) if isinstance(d, str) else Num(str(d)) for d in dims])
        return name

    def scalar(self):
        if not self.scalars:
            self.inputs.append(("int32", "s", []))
            self.scalars.append("s")
        return "s"

    def target(self):
        """A name that is not written yet."""
        name = self.names.pop(0)
        return name

    def scope(self, indices, tensors=None):
        names = tensors or list(self.tensors)
        scope = Scope(self.rng, {n: self.tensors[n] for n in names}, indices, self.used_sizes(), self.scalars)
        return scope

    def used_sizes(self):
        return [d for _, _, dims in self.inputs for d in dims if isinstance(d, str)]

    def some(self, rank=None):
        """One to three tensors, the first of the given rank."""
        names = [self.input(rank)]
        while chance(self.rng, 0.5) and len(names) < 3:
            names.append(self.input(self.rng.choice([0, 1, 1, 2]) if rank is None else self.rng.choice([max(rank - 1, 0), rank])))
        return names

    def wrote(self, s, dims):
        self.statements.append(s)
        for n in [s.name] + s.positions:
            if n:
                self.tensors[n] = ("int64" if n in s.positions else self.t, dims)
                self.written.append(n)

    def ranges(self, indices, p):
        """Explicit ranges for some indices, as a person adds them."""
        out, rng = {}, self.rng
        for i, size in indices.items():
            if size is not None and chance(rng, p):
                c = Num(rng.choice("12"))
                lo, hi = rng.choice([(Num("0"), size)] * 4 + [(c, size), (c, Bin("-", size, Num("1"))), (Num("0"), Bin("-", size, c)), (Num("0"), Bin("/", size, Num("2"))),
                                     (number(-1), size), (number(-2), Bin("-", size, c)), (Num("0"), Call("min", size, Num("3")))])
                out[i] = (lo, hi)
        return out

    # Kinds of statements.

    def over(self, name, extra=0):
        dims = self.tensors[name][1]
        names = INDICES[:len(dims) + extra]
        return dict(zip(names, dims + [None] * extra))

    def map(self):
        names = self.some(self.rng.choice([1, 1, 2]))
        indices = self.over(names[0])
        scope = self.scope(indices, names)
        scope.shifts, scope.guarded = self.rng.choice([0.0, 0.2, 0.5]), self.rng.choice([0, 0, 0.3, 0.8])
        v = value(scope, self.t, self.rng.choice([0, 1, 2, 2, 3]))
        s = Statement(self.target(), [Ref(i) for i in indices], v, ranges=self.ranges(indices, self.rng.choice([0, 0.2, 0.7])))
        self.lets(s)
        self.wrote(s, list(indices.values()))

    def lets(self, s):
        """Gives a part of the value a name."""
        rng = self.rng
        if not chance(rng, 0.15):
            return
        parts = [e for e in s.value.parts() if isinstance(e, (Bin, If))]
        if parts:
            e = rng.choice(parts)
            name = rng.choice(["t0", "val", "m"])
            swap = lambda x: Ref(name) if x is e else x.rebuilt([swap(p) for p in x.parts()])
            s.value, s.lets = swap(s.value), [(name, e)]

    def reduce(self):
        rng = self.rng
        names = self.some(rng.choice([1, 2, 2, 3]))
        indices = self.over(names[0], 1 if chance(rng, 0.2) else 0)
        left = [i for i in indices if chance(rng, 0.5) and indices[i] is not None]
        if len(left) == len(indices):
            left.pop()
        rng.shuffle(left)
        scope = self.scope(indices, names)
        scope.shifts, scope.guarded = rng.choice([0.0, 0.0, 0.15, 0.3]), rng.choice([0, 0, 0.2])
        first = access(scope, names[0])
        v = first if chance(rng, 0.3) else Bin("*", first, access(scope, names[-1])) if chance(rng, 0.5) else value(scope, self.t, 2)
        op = rng.choices(["+", "min", "max", "*", "&", "|", "^"], [12, 3, 3, 1, 1, 1, 1])[0]
        if is_float(self.t) and op in "&|^":
            op = "+"
        s = Statement(self.target(), [Ref(i) for i in left], v, op, ranges=self.ranges(indices, rng.choice([0, 0, 0.3])))
        self.lets(s)
        if chance(rng, 0.05):
            i = rng.choice(list(indices))
            s.empty = {i} if i in s.ranges or any(isinstance(x, Ref) and x.name == i for x in each(v)) else set()
        self.wrote(s, [indices[i] for i in left])

    def window(self):
        """A convolution, a pooling or a moving sum."""
        rng = self.rng
        x = self.input(rng.choice([1, 1, 2]))
        dims = self.tensors[x][1]
        small = rng.choice(["K", 3, 2])
        if small == "K" and "K" not in self.size_names:
            self.size_names.append("K")
        w = self.input(1, dims=[small])
        k = rng.choice(WINDOW)
        while k in INDICES[:len(dims)]:
            k = rng.choice(WINDOW)
        i = INDICES[len(dims) - 1]
        stride = rng.choice([1, 1, 1, 2])
        base = Ref(i) if stride == 1 else Bin("*", Num("2"), Ref(i))
        shift = rng.choice([Bin("+", base, Ref(k)), Bin("+", base, Ref(k)), Bin("-", base, Ref(k)), Bin("-", Bin("+", base, Ref(k)), Num("1"))])
        a = Access(x, [Ref(j) for j in INDICES[:len(dims) - 1]] + [shift])
        ranges = {}
        if chance(rng, 0.4):
            kind = rng.choice(BOUNDARIES)
            a = Call(kind, a, Num("0")) if kind == "pad" else Call(kind, a)
            if chance(rng, 0.6):
                ranges[i] = (Num("0"), dims[-1])
        v = rng.choice([Bin("*", a, Access(w, [Ref(k)])), Bin("*", Access(w, [Ref(k)]), a), Bin("-", a, Access(w, [Ref(k)]))])
        exists = []
        if chance(rng, 0.3):
            v = a
            if chance(rng, 0.5):
                ranges[k] = rng.choice([(Num("0"), Num("3")), (number(-1), Num("2")), (Num("0"), Ref("K") if small == "K" else Num("2"))])
            else:
                exists = [Access(w, [Ref(k)])]
        s = Statement(self.target(), [Ref(j) for j in INDICES[:len(dims)]], v, rng.choice(["+", "+", "+", "max", "min"]), ranges=ranges, exists=exists)
        self.wrote(s, dims)

    def negative(self):
        """A table that begins below zero, and something that reads it."""
        rng = self.rng
        a, r = self.input(1), rng.choice([1, 2])
        n = self.tensors[a][1][0]
        t = self.target()
        both = chance(rng, 0.6)
        v = Call(rng.choice(["clamp", "wrap", "mirror"]), Access(a, [Bin("+", Ref("i"), Ref("d"))])) if both else Access(a, [Bin("+", Ref("d"), Num(str(r)))])
        ranges = {"d": (number(-r), Num(str(r + 1)))}
        if both:
            ranges["i"] = (Num("0"), n)
        self.wrote(Statement(t, ([Ref("i")] if both else []) + [Ref("d")], v, ranges=ranges), ([n] if both else []) + [Num(str(2 * r + 1))])
        read = Access(t, ([Ref("i")] if both else []) + [Ref("d") if chance(rng, 0.7) else Bin("-", Ref("d"), Num(str(r)))])
        ranges = {"d": (number(-r), Num(str(r + 1)))} if chance(rng, 0.6) else {}
        s = Statement(self.target(), [Ref("i")] if both else [], read, rng.choice(["+", "max"]), ranges=ranges)
        if chance(rng, 0.25):
            s = Statement(s.name, ([Ref("i")] if both else []) + [Ref("d")], Bin("+", read, Num("1")), ranges=ranges)
        self.wrote(s, [n] if both else [])

    def arg(self):
        rng = self.rng
        x = self.input(rng.choice([1, 2, 2]))
        indices = self.over(x)
        left = list(indices)[:-1]
        scope = self.scope(indices, [x])
        scope.shifts = rng.choice([0, 0, 0.4])
        v = access(scope, x) if chance(rng, 0.6) else value(scope, self.t, 1)
        both = chance(rng, 0.5)
        s = Statement(self.target() if both else None, [Ref(i) for i in left], v, rng.choice(["argmin", "argmax"]), positions=[self.target()], ranges=self.ranges(indices, 0.15))
        self.wrote(s, [indices[i] for i in left])

    def scan(self):
        rng = self.rng
        x = self.input(rng.choice([1, 1, 2]))
        indices = self.over(x)
        along = [rng.choice(list(indices))]
        scope = self.scope(indices, [x])
        scope.shifts = rng.choice([0, 0, 0.3])
        v = access(scope, x) if chance(rng, 0.5) else value(scope, self.t, 1)
        left = list(indices) if chance(rng, 0.7) else along
        self.wrote(Statement(self.target(), [Ref(i) for i in left], v, rng.choice(["+", "+", "min", "max", "*"]), scan=along), [indices[i] for i in left])

    def pieces(self):
        rng = self.rng
        x = self.input(1)
        n, t, i = self.tensors[x][1][0], self.target(), Ref("i")
        cut = Num(rng.choice("112"))
        first = Statement(t, [Num("0")], leaf_literal(self.scope({}, [x]), self.t)) if cut.name == "1" and chance(rng, 0.5) else \
            Statement(t, [i], value(self.scope({"i": n}, [x]), self.t, 0), ranges={"i": (Num("0"), cut)})
        end = n if chance(rng, 0.5) else Bin("-", n, Num("1"))
        scope = self.scope({"i": n}, [x])
        v = rng.choice([Access(x, [i]), Access(x, [Bin("-", i, Num("1"))]), Bin("+", Access(x, [Bin("-", i, Num("1"))]), Access(x, [i]))])
        inner = Statement(t, [i], v, ranges={"i": (cut if chance(rng, 0.9) else Bin("+", cut, Num("1")), end)})
        statements = [first, inner]
        if end is not n and chance(rng, 0.9):
            statements.append(Statement(t, [Bin("-", n, Num("1"))], Access(x, [Num("0")])))
        if chance(rng, 0.3):
            rng.shuffle(statements)
        if chance(rng, 0.2):
            statements.append(Statement(t, [Num("0")], Access(x, [Num("0")])))
        if chance(rng, 0.4):
            self.fixed[t] = (self.t, extents([n]))
        for s in statements:
            self.wrote(s, [n])

    def in_place(self):
        """An output that is updated, or one whose old values are read."""
        rng = self.rng
        x = self.input(rng.choice([1, 2]))
        dims, t = self.tensors[x][1], self.target()
        indices = self.over(x)
        left = [Ref(i) for i in indices]
        self.fixed[t] = (self.t, extents(dims))
        kind = rng.choice(["update", "update", "scale", "neighbour", "old"])
        a = Access(x, list(left))
        if kind == "update":
            s = Statement(t, left, a, rng.choice(["+", "max", "min", "*"]), fresh=False)
            if len(left) == 2 and chance(rng, 0.5):
                s.subs = left[:1]
                self.fixed[t] = (self.t, extents(dims[:1]))
                dims = dims[:1]
        elif kind == "scale":
            s = Statement(t, left, Bin("+", Bin("*", Num("2"), Access(t, list(left))), a))
        else:
            shifted = list(left)
            shifted[-1] = rng.choice([Bin("-", left[-1], Num("1")), Bin("+", left[-1], Num("1")), Bin("-", Bin("-", dims[-1], Num("1")), left[-1])])
            s = Statement(t, left, Bin("+", a, Access(t, shifted, old=kind == "old")), ranges={left[-1].name: rng.choice([(Num("1"), dims[-1]), (Num("0"), Bin("-", dims[-1], Num("1"))), (Num("0"), dims[-1])])})
        self.wrote(s, dims)

    def gather(self):
        rng = self.rng
        x, t = self.input(rng.choice([1, 2])), self.input(1, t=rng.choice(["int32", "int64", "uint8"]))
        self.subscripts.add(t)
        n = self.tensors[t][1][0]
        rest = {j: d for j, d in zip("jk", self.tensors[x][1][1:])}
        sub = Access(t, [Ref("i")])
        sub = Bin("%", sub, self.tensors[x][1][0]) if chance(rng, 0.5) else sub
        a = Access(x, [sub] + [Ref(j) for j in rest])
        if chance(rng, 0.4):
            kind = rng.choice(BOUNDARIES)
            a = Call(kind, a, Num("0")) if kind == "pad" else Call(kind, a)
        left = ["i"] + list(rest)
        if chance(rng, 0.3):
            s = Statement(self.target(), [Ref(j) for j in rest], a, "+")
            self.wrote(s, list(rest.values()))
        else:
            self.wrote(Statement(self.target(), [Ref(j) for j in left], a), [n] + list(rest.values()))

    def call(self):
        from draw_calls import call
        call(self)

    def stencil(self):
        """Neighbours on all sides, one boundary around all or around each, with a coefficient."""
        rng = self.rng
        x = self.input(rng.choice([1, 2, 2]))
        dims = self.tensors[x][1]
        left = [Ref(i) for i in INDICES[:len(dims)]]
        kind = rng.choice(BOUNDARIES + ("none",))
        around = lambda e: e if kind == "none" else Call(kind, e, Num("0") if chance(rng, 0.6) else Access(x, list(left))) if kind == "pad" else Call(kind, e)
        each_alone, terms = chance(rng, 0.5), []
        for d in range(len(dims)):
            for by in rng.sample([-1, 1, 2, -2], 2):
                subs = list(left)
                subs[d] = Bin("+", left[d], Num(str(by))) if by > 0 else Bin("-", left[d], Num(str(-by)))
                terms.append(Access(x, subs))
        terms.append(Access(x, list(left)))
        rng.shuffle(terms)
        v = around(terms[0]) if each_alone else terms[0]
        for a in terms[1:]:
            v = Bin(rng.choice("++-*"), v, around(a) if each_alone else a)
        v = v if each_alone else around(v)
        if chance(rng, 0.3):
            v = Bin("*", v, Num("0.25" if is_float(self.t) else "2"))
        if chance(rng, 0.2):
            scope = self.scope(dict(zip(INDICES, dims)), [x])
            v = If(condition(scope), v, Access(x, list(left)))
        ranges = {i.name: (Num("0"), n) for i, n in zip(left, dims)} if chance(rng, 0.5) else {}
        self.wrote(Statement(self.target(), left, v, ranges=ranges), dims)

    def triangle(self):
        """A sum under a condition that compares two indices, or a delay by a scalar."""
        rng = self.rng
        x = self.input(rng.choice([1, 2]))
        dims = self.tensors[x][1]
        i, j = Ref("i"), Ref("j")
        n = dims[-1]
        if len(dims) == 2:
            a = Access(x, [i, j])
            n = dims[0]
            c = rng.choice([Bin("<=", j, i), Bin("<", i, j), Bin("==", i, j), Bin("==", Bin("%", Bin("+", i, j), Num("2")), Num("0"))])
            s = Statement(self.target(), [i], If(c, a, Num("0")), rng.choice(["+", "+", "max"]), ranges={"i": (Num("0"), dims[0]), "j": (Num("0"), dims[1])} if chance(rng, 0.5) else {}, exists=[a] if chance(rng, 0.5) else [])
        elif chance(rng, 0.5):
            c, sub = rng.choice([(Bin("<=", j, i), Bin("-", i, j)), (Bin(">=", Bin("-", i, j), Num("0")), Bin("-", i, j)), (Bin("<", Bin("+", i, j), n), Bin("+", i, j)), (Bin(">", i, Num("0")), Bin("-", i, Num("1")))])
            s = Statement(self.target(), [i], If(c, Access(x, [sub]), Num("0")), "+", ranges={"i": (Num("0"), n), "j": (Num("0"), n if chance(rng, 0.5) else Num("3"))})
        else:
            sc = Ref(self.scalar())
            c = rng.choice([Bin(">=", Bin("-", i, sc), Num("0")), Bin(">=", i, sc), Un("!", Bin("<", i, sc)), Bin("&&", Bin(">=", i, sc), Bin("<", Bin("-", i, sc), n))])
            s = Statement(self.target(), [i], If(c, Access(x, [Bin("-", i, sc)]), Num("0") if chance(rng, 0.5) else Access(x, [Num("0")])), ranges={"i": (Num("0"), n)})
        self.wrote(s, [n])

    def build(self):
        rng = self.rng
        if chance(rng, 0.15):
            self.scalar()
        kinds = [self.map, self.reduce, self.window, self.negative, self.arg, self.scan, self.pieces, self.in_place, self.gather, self.call, self.stencil, self.triangle]
        for _ in range(rng.choice([1, 1, 2, 2, 3, 4])):
            rng.choices(kinds, [8, 8, 5, 3, 2, 2, 3, 3, 2, 4, 4, 4])[0]()
            if len(self.names) < 2 or len(self.inputs) > 5:
                break
        read = {a.name for s in self.statements if isinstance(s, Statement) for e in [s.value] + [l for _, l in s.lets] for a in each(e) if isinstance(a, Access)}
        read |= {a.name for s in self.statements if isinstance(s, CallStatement) for a in s.args if isinstance(a, Access)}
        names = list(dict.fromkeys(self.written))
        outs = [n for n in names if n not in read or self.fixed.get(n) or chance(rng, 0.3)] or names[-1:]
        outputs = []
        for n in outs:
            t, dims = self.fixed.get(n, (None, None))
            outputs.append((n, t, dims))
        d = Def("f", self.inputs, outputs, self.statements)
        return {**self.helpers, "f": d}


def extents(dims):
    return [int(d.text()) if d.text().isdigit() else d.text() for d in dims]
