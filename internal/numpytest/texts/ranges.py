"""Range inference of docs/tc.md on numbers: the rounds, with every interval found by trying values."""
import itertools

from syntax import *
from values import Refused, Unsure, compare, floor_div, modulo, shift

TRIED = range(-80, 161)


class Shape:
    """lo and n: where each dimension begins and how many elements it has."""

    def __init__(self, lo, n):
        self.lo, self.n = list(lo), list(n)

    def interval(self, d):
        return self.lo[d], self.lo[d] + self.n[d]

    def __eq__(self, other):
        return self.lo == other.lo and self.n == other.n


def integer(e, env):
    """The value of an expression of indices, sizes and integers; None where it depends on data."""
    if isinstance(e, Extent):
        return env["." + e.name]
    if isinstance(e, Ref):
        return env.get(e.name)
    if isinstance(e, Num):
        return int(e.name, 0)
    if isinstance(e, Access) or isinstance(e, If):
        return None
    xs = [integer(p, env) for p in e.parts()]
    if None in xs:
        return None
    if isinstance(e, Un):
        return -xs[0] if e.op == "-" else ~xs[0] if e.op == "~" else None
    if isinstance(e, Call):
        return {"min": min, "max": max}[e.name](*xs) if e.name in ("min", "max") else None
    a, b = xs
    if e.op in ("/", "%"):
        return floor_div(a, b) if e.op == "/" else modulo(a, b)
    if e.op in ("<<", ">>"):
        return shift("int64", e.op, a, b)
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[e.op] if e.op in "+-*&|^" else None


def fact(c, env):
    """What is known of a condition from indices and sizes: 1, 0, or None."""
    if isinstance(c, Ref) and c.name in ("true", "false"):
        return int(c.name == "true")
    if isinstance(c, Un) and c.op == "!":
        x = fact(c.a, env)
        return None if x is None else 1 - x
    if isinstance(c, Bin) and c.op in ("&&", "||"):
        a, b = fact(c.a, env), fact(c.b, env)
        decisive = 0 if c.op == "&&" else 1
        if a == decisive or b == decisive:
            return decisive
        return None if a is None or b is None else 1 - decisive
    if isinstance(c, If):
        x, a, b = (fact(p, env) for p in c.parts())
        return a if x == 1 else b if x == 0 else a if a == b else None
    if isinstance(c, Bin) and c.op in COMPARISONS:
        a, b = integer(c.a, env), integer(c.b, env)
        return None if a is None or b is None else int(compare(a, b, c.op))
    return None


def compared(c, env, unused):
    """The indices that the comparisons of a condition speak about; those with scalars that no subscript has say nothing."""
    if isinstance(c, Bin) and c.op in COMPARISONS:
        if any(isinstance(x, Access) or isinstance(x, Ref) and x.name in unused for x in each(c)):
            return set()
        return {x.name for x in each(c) if isinstance(x, Ref) and not isinstance(x, Extent) and env.get(x.name) is None}
    if isinstance(c, (If, Un)) or isinstance(c, Bin) and c.op in ("&&", "||"):
        return set().union(*(compared(p, env, unused) for p in c.parts()))
    return set()


class Site:
    """An access: where it stands, under which conditions (with the values that they have), in which boundary."""

    def __init__(self, access, path, boundary):
        self.access, self.path, self.boundary = access, path, boundary


def sites(e, path=(), boundary=None):
    if isinstance(e, Access):
        for s in e.subs:
            yield from sites(s, path, boundary)
        yield Site(e, path, boundary)
    elif isinstance(e, If):
        yield from sites(e.c, path, boundary)
        yield from sites(e.a, path + ((e.c, 1),), boundary)
        yield from sites(e.b, path + ((e.c, 0),), boundary)
    elif isinstance(e, Bin) and e.op in ("&&", "||"):
        yield from sites(e.a, path, boundary)
        yield from sites(e.b, path + ((e.a, 1 if e.op == "&&" else 0),), boundary)
    elif isinstance(e, Call) and e.name in BOUNDARIES:
        yield from sites(e.args[0], path, e)
        for v in e.args[1:]:
            yield from sites(v, path, boundary)
    else:
        for p in e.parts():
            yield from sites(p, path, boundary)


def indices(e, env):
    """The indices in an expression, in the order of the text."""
    out = []
    for x in each(e):
        if isinstance(x, Ref) and not isinstance(x, Extent) and env.get(x.name) is None and x.name not in out and x.name not in ("true", "false"):
            out.append(x.name)
    return out


def linear(e, i):
    """Whether e is linear in the index i, up to quotients by numbers."""
    if not any(isinstance(x, Ref) and x.name == i for x in each(e)):
        return True
    if isinstance(e, Ref):
        return True
    if isinstance(e, Un):
        return e.op == "-" and linear(e.a, i)
    if not isinstance(e, Bin):
        return False
    inside = [any(isinstance(x, Ref) and x.name == i for x in each(p)) for p in (e.a, e.b)]
    if e.op in "+-":
        return linear(e.a, i) and linear(e.b, i)
    if e.op in ("*", "<<"):
        return not all(inside) and linear(e.a, i) and linear(e.b, i) and not (e.op == "<<" and inside[1])
    return e.op in ("/", ">>") and not inside[1] and linear(e.a, i)


class Constraint:
    """Dimension d of an access must contain sub; excused are indices that a condition speaks about."""

    def __init__(self, tensor, d, sub, excused, boundary, names):
        self.tensor, self.d, self.sub, self.excused, self.boundary, self.names = tensor, d, sub, excused, boundary, names

    def whole(self):
        return isinstance(self.sub, Ref) and len(self.names) == 1


class Box:
    """The ranges of a statement's indices, being found."""

    def __init__(self, statement, env, scalars=()):
        s = self.statement = statement
        self.unused = set(scalars)
        self.env, self.ranges, self.notes = env, {}, []
        lets = closed(s.lets)
        self.value = replaced(s.value, lets)
        self.sites = list(sites(self.value)) + [x for e in s.exists for x in sites(replaced(e, lets))]
        for x in self.sites:
            for sub in x.access.subs:
                for y in each(sub):
                    if isinstance(y, Ref):
                        self.unused.discard(y.name)
        self.left = [x.name for x in s.subs if isinstance(x, Ref) and env.get(x.name) is None]
        self.order = list(self.left)
        for e in [self.value] + list(s.exists):
            self.order += [n for n in indices(replaced(e, lets), env) if n not in self.order]
        self.order += [n for n in s.ranges if n not in self.order]
        for i, (lo, hi) in s.ranges.items():
            self.ranges[i] = (integer(lo, env), integer(hi, env))
        self.explicit = set(self.ranges)
        self.constraints = []
        for x in self.sites:
            excused = set().union(*(compared(c, env, self.unused) for c, _ in x.path))
            for d, sub in enumerate(x.access.subs):
                if not any(isinstance(y, Access) for y in each(sub)):
                    self.constraints.append(Constraint(x.access.name, d, sub, excused, x.boundary, indices(sub, env)))

    def unresolved(self):
        return [i for i in self.order if i not in self.ranges]

    def values(self, names):
        return itertools.product(*(range(*self.ranges[n]) for n in names))

    def allowed(self, c, i, shape):
        """The values of i for which c holds for all values of its other indices."""
        lo, hi = shape.interval(c.d)
        others = [n for n in c.names if n != i]
        if any(self.ranges[n][0] >= self.ranges[n][1] for n in others):
            raise Unsure("a range that is empty decides another")
        env, out = dict(self.env), []
        for v in TRIED:
            env[i] = v
            for combination in self.values(others):
                env.update(zip(others, combination))
                x = integer(c.sub, env)
                if x is None or not lo <= x < hi:
                    break
            else:
                out.append(v)
        if out and (out[0] == TRIED[0] or out[-1] == TRIED[-1]):
            raise Unsure("a range without an end")
        return (out[0], out[-1] + 1) if out else (0, 0)

    def round(self, shapes):
        found, below = {}, set()
        for c in self.constraints:
            open_ = [n for n in c.names if n not in self.ranges]
            if len(open_) != 1 or c.boundary or open_[0] in c.excused or c.tensor not in shapes:
                continue
            i = open_[0]
            if not linear(c.sub, i):
                continue
            for x in each(c.sub):
                if isinstance(x, Bin) and x.op in "*/" and any(isinstance(p, Ref) and self.env.get(p.name, 1) < 1 for p in x.parts()):
                    raise Refused("ranges: a step is not positive")
            lo, hi = self.allowed(c, i, shapes[c.tensor])
            if shapes[c.tensor].lo[c.d] < 0:
                below.add(i)
            a, b = found.get(i, (lo, hi))
            found[i] = (max(a, lo), min(b, hi))
        for i, (lo, hi) in found.items():
            if i in below and lo < 0:
                raise Refused("ranges: %s would leave out what lies below 0" % i)
            if i in below:
                self.notes.append(("below", i))
            self.ranges[i] = (max(lo, 0), max(hi, 0))
        return bool(found)

    def rounds(self, shapes):
        while self.round(shapes):
            pass

    def by_shape(self, shape):
        for d, x in enumerate(self.statement.subs):
            if isinstance(x, Ref) and x.name in self.left and x.name not in self.ranges:
                self.ranges[x.name] = shape.interval(d)

    def by_boundaries(self, shapes):
        found = {}
        for c in self.constraints:
            if c.whole() and c.names[0] not in self.ranges and c.tensor in shapes and (c.boundary or c.names[0] in c.excused):
                lo, hi = shapes[c.tensor].interval(c.d)
                a, b = found.get(c.names[0], (lo, hi))
                if (a, b) != (lo, hi):
                    self.notes.append(("lesser", c.names[0]))
                found[c.names[0]] = (max(a, lo), min(b, hi))
        for i, (lo, hi) in found.items():
            self.ranges[i] = (lo, hi)
        return bool(found)

    def solve(self, shapes):
        """Whether all indices have ranges now."""
        self.rounds(shapes)
        if self.unresolved() and self.statement.name in shapes:
            self.by_shape(shapes[self.statement.name])
            self.rounds(shapes)
        while self.unresolved() and self.by_boundaries(shapes):
            self.rounds(shapes)
        return not self.unresolved()

    def check(self, shapes):
        """Rule 6 for ranges and accesses; the second result is a doubt, not an error."""
        for i, (lo, hi) in self.ranges.items():
            if lo is None or hi is None:
                raise Refused("ranges: a bound is no size")
            if lo >= hi and i not in self.statement.empty:
                raise Refused("ranges: %s is empty" % i)
        doubt = None
        for x in self.sites:
            if x.boundary or not x.access.subs:
                continue
            shape = shapes[x.access.name]
            subs = [(d, s, indices(s, self.env)) for d, s in enumerate(x.access.subs) if not any(isinstance(y, Access) for y in each(s))]
            names = []
            for e in [s for _, s, _ in subs] + [c for c, _ in x.path]:
                names += [n for n in indices(e, self.env) if n not in names]
            for point in self.values(names):
                env = dict(self.env)
                env.update(zip(names, point))
                facts = {n: v for n, v in env.items() if n not in self.unused}
                known = [fact(c, facts) == w if fact(c, facts) is not None else None for c, w in x.path]
                if False in known:
                    continue
                for d, s, _ in subs:
                    v, (lo, hi) = integer(s, env), shape.interval(d)
                    if v is not None and not lo <= v < hi:
                        text = "ranges: %s is out of bounds at %s" % (x.access.text(), dict(zip(names, point)))
                        if None not in known:
                            raise Refused(text)
                        doubt = text
        return doubt


def closed(lets):
    """The lets of a statement as a dict, each with the others put in."""
    out = {}
    for _ in range(len(lets) + 1):
        out = {n: replaced(e, out) for n, e in lets}
    return out
