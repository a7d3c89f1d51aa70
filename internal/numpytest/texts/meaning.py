"""What a TC program means on given sizes and arrays: docs/tc.md, word by word, with plain loops."""
import itertools

import values
from expressions import *
from ranges import Box, Shape, closed, indices, integer
from syntax import *
from values import *
from weights import weighs


class Plan:
    """A def on concrete sizes: the box of each statement, the shape and type of each tensor."""

    def __init__(self, program, name, shapes, scalars, sizes=None):
        self.program, self.defn = program, program[name]
        self.env, self.shapes, self.types, self.notes, self.doubt = dict(sizes or {}), {}, {}, [], None
        self.scalars = set(scalars)
        self.bind(shapes, scalars)
        self.boxes, self.calls, self.in_out = {}, {}, set()
        self.infer()
        self.infer_types()
        self.check()

    def bind(self, shapes, scalars):
        for t, n, dims in self.defn.inputs:
            self.types[n] = t
            self.shapes[n] = shapes[n]
            for d, x in zip(dims, shapes[n].n):
                if isinstance(d, int):
                    if d != x:
                        raise Refused("call: %s has another extent" % n)
                elif self.env.setdefault(d, x) != x:
                    raise Refused("call: %s has two values" % d)
            self.extents(n)
        self.env.update(scalars)
        for n, t, dims in self.defn.outputs:
            if t:
                self.types[n] = t
            if dims is not None and all(isinstance(d, int) or d in self.env for d in dims):
                self.shapes[n] = Shape([0] * len(dims), [d if isinstance(d, int) else self.env[d] for d in dims])
                self.extents(n)
        self.declared = set(self.shapes)

    def extents(self, name):
        for d, n in enumerate(self.shapes[name].n):
            self.env[".%s.%d" % (name, d)] = n
            if d == 0:
                self.env[".len(%s)" % name] = n

    def infer(self):
        waiting = list(enumerate(self.defn.statements))
        while waiting:
            later = [(k, s) for k, s in waiting if not self.solve(k, s)]
            if len(later) == len(waiting):
                raise Refused("ranges: no range for an index in %s" % later[0][1].text())
            waiting = later

    def solve(self, k, s):
        if isinstance(s, CallStatement):
            return self.solve_call(k, s)
        box = self.boxes.get(k) or Box(s, self.env, self.scalars)
        self.boxes[k] = box
        if not box.solve(self.shapes):
            return False
        self.notes += [(n, i, s) for n, i in box.notes]
        if any(n == "below" for n, _ in box.notes):
            self.doubt = "what lies below 0 is left out for other sizes"
        for name in ([s.name] if s.name else []) + s.positions:
            self.shape_of(name, s, box)
        return True

    def dims(self, s, box):
        """For each dimension of the target its range, and whether that is explicit."""
        out = []
        for x in s.subs:
            if isinstance(x, Ref) and x.name in box.left:
                out.append((box.ranges[x.name], x.name in box.explicit))
            else:
                v = integer(x, self.env)
                out.append(((v, v + 1), True))
        return out

    def shape_of(self, name, s, box):
        if name in self.shapes:
            return
        dims = [r for r, _ in self.dims(s, box)]
        for other in self.defn.statements:
            if isinstance(other, Statement) and other is not s and other.name == name and len(other.subs) == len(dims):
                for d, (r, explicit) in enumerate(self.dims(s, box)):
                    x = other.subs[d]
                    if not explicit:
                        continue
                    if isinstance(x, Ref) and x.name in other.ranges:
                        lo, hi = (integer(b, self.env) for b in other.ranges[x.name])
                    elif not isinstance(x, Ref):
                        lo = integer(x, self.env)
                        hi = lo + 1
                    else:
                        continue
                    dims[d] = (min(dims[d][0], lo), max(dims[d][1], hi))
        self.shapes[name] = Shape([lo for lo, _ in dims], [max(hi - lo, 0) for lo, hi in dims])
        self.extents(name)
        for n, t, declared in self.defn.outputs:
            if n == name and declared is not None:
                for d, x in zip(declared, self.shapes[name].n):
                    if isinstance(d, str) and d not in self.env:
                        self.env[d] = x
                    elif (self.env[d] if isinstance(d, str) else d) != x:
                        raise Refused("ranges: %s has another extent than declared" % name)

    def solve_call(self, k, s):
        names = [x.name for x in s.subs]
        if not all(self.known(a) for a in s.args):
            return False
        ranges = {}
        for i in names:
            found = [self.shapes[a.name].interval(d) for a in accesses(s) for d, x in enumerate(a.subs) if isinstance(x, Ref) and x.name == i]
            if not found:
                raise Refused("call: %s is no subscript of an argument" % i)
            ranges[i] = (max([0] + [lo for lo, _ in found]), min(hi for _, hi in found))
            if ranges[i][0] >= ranges[i][1]:
                raise Refused("ranges: %s is empty" % i)
            if len(set(found)) > 1:
                self.notes.append(("lesser", i, s))
        results = self.callee(s, ranges)
        self.calls[k] = ranges
        for name, shape in zip(s.names, results[0]):
            full = Shape([ranges[i][0] for i in names] + shape.lo, [ranges[i][1] - ranges[i][0] for i in names] + shape.n)
            if self.shapes.setdefault(name, full) != full:
                raise Refused("ranges: %s has another shape" % name)
            self.extents(name)
        return True

    def known(self, a):
        if isinstance(a, CallStatement):
            return all(self.known(x) for x in a.args)
        return not isinstance(a, Access) or a.name in self.shapes

    def callee(self, s, ranges):
        """The shapes and types of the results of a call at one point."""
        if s.callee in self.types:
            raise Refused("types: %s is a tensor" % s.callee)
        if s.callee == "concat":
            return self.concat(s)
        d, shapes, scalars = self.program[s.callee], {}, {}
        for (t, n, dims), a in zip(d.inputs, s.args):
            if isinstance(a, CallStatement):
                shapes[n] = self.callee(a, ranges)[0][0]
                shapes[n] = Shape([0] * len(dims), shapes[n].n)
            elif isinstance(a, Access) and dims:
                whole = self.shapes[a.name]
                for k, x in enumerate(a.subs):
                    v, (lo, hi) = integer(x, self.env), whole.interval(k)
                    if v is not None and not lo <= v < hi:
                        raise Refused("call: a slice is out of bounds")
                shapes[n] = Shape([0] * len(dims), whole.n[len(a.subs):])
            else:
                shapes[n] = Shape([], [])
        plan = Plan(self.program, s.callee, shapes, scalars)
        self.notes += plan.notes
        self.doubt = self.doubt or plan.doubt
        return [plan.shapes[n] for n, _, _ in d.outputs], [plan.types[n] for n, _, _ in d.outputs]

    def concat(self, s):
        arrays = [a for a in s.args if isinstance(a, Access)]
        shapes = [self.shapes[a.name] for a in arrays]
        d = 0 if len(arrays) < len(s.args) else len(shapes[0].n) - 1
        n = list(shapes[0].n)
        n[d] = sum(x.n[d] for x in shapes)
        if any(x.n[:d] + x.n[d + 1:] != n[:d] + n[d + 1:] for x in shapes):
            raise Refused("call: concat of other extents")
        t = self.types.get(arrays[0].name)
        return [Shape([0] * len(n), n)], [t]

    def infer_types(self):
        """Untyped tensors have the meeting type of what is written to them."""
        given = set(self.types)
        found = {}
        for s in self.defn.statements:
            if isinstance(s, CallStatement):
                for n, t in zip(s.names, self.callee(s, {})[1]):
                    if n not in given:
                        found[n] = t
                        self.types[n] = t
                continue
            if s.typed:
                self.types[s.name] = s.typed
                given.add(s.name)
            for n in s.positions:
                self.types[n] = "int64"
            if not s.name or s.name in given:
                continue
            t = self.value(s).t
            t = counted(t) if s.op in ("+", "*", "argmin", "argmax") else t
            if t == "int32" and s.op in ("+", "*") and self.combines(s) and weighs(replaced(s.value, closed(s.lets)), self.types, {}) == (True, True):
                t = "int64"
            old = found.get(s.name, t)
            literal = ("lit", "flit", "flit64")
            weak = old in literal and t not in literal
            found[s.name] = t if weak else old if t in literal and old not in literal else meet(old, t)
            self.types[s.name] = concrete(found[s.name])

    def combines(self, s):
        """Whether a statement has reduced indices or scans."""
        box = self.boxes[self.defn.statements.index(s)]
        return bool(s.scan) or any(i not in box.left for i in box.order)

    def value(self, s, tensors=None):
        ranks = {n: len(x.n) for n, x in self.shapes.items()}
        values.FLOAT = "float64" if "float64" in self.types.values() else "float32"
        compiler = Compiler(self.env, self.types, ranks, tensors)
        return compiler.compile(replaced(s.value, closed(s.lets)))

    def check(self):
        for k, s in enumerate(self.defn.statements):
            if isinstance(s, CallStatement):
                continue
            box, shape = self.boxes[k], self.shapes[s.name or s.positions[0]]
            self.doubt = box.check(self.shapes) or self.doubt
            if len(s.subs) != len(shape.n):
                raise Refused("types: another number of dimensions")
            for d, ((lo, hi), explicit) in enumerate(self.dims(s, box)):
                a, b = shape.interval(d)
                if lo < hi and not (a <= lo and hi <= b) or not explicit and (lo, hi) != (a, b):
                    raise Refused("ranges: %s is written elsewhere than in its shape" % s.text())
            reduced = [i for i in box.order if i not in box.left]
            if reduced and not s.op:
                raise Refused("reduced: = with reduced indices")
            if s.name:
                self.storable(s)

    def storable(self, s):
        v, t = self.value(s), self.types[s.name]
        frm = concrete(v.t)
        if s.op in ("&", "|", "^") and not (is_int(t) and is_int(frm)):
            raise Refused("types: %s= of %s" % (s.op, t))
        if v.value is not None or v.make and is_float(t):
            v.to(t)
            return
        if frm == "bool" and s.op in ("+", "*", "argmin", "argmax"):
            frm = "int32"
        kind = lambda x: "b" if x == "bool" else "f" if is_float(x) else x[0]
        if frm != t and not (is_float(t) and is_int(frm)) and not (kind(frm) == kind(t) and bits(frm) < bits(t)):
            raise Refused("types: %s is stored in %s" % (frm, t))


def accesses(s):
    """The arguments of a call that are tensors or parts, those of calls inside of it, too."""
    for a in s.args:
        if isinstance(a, CallStatement):
            yield from accesses(a)
        elif isinstance(a, Access):
            yield a


def run(plan, tensors):
    """Executes the statements; tensors has the inputs and the old values of in-out outputs."""
    tensors = {n: Tensor(t.t, t.shape, list(t.data)) for n, t in tensors.items()}
    for k, s in enumerate(plan.defn.statements):
        if isinstance(s, CallStatement):
            call(plan, s, plan.calls[k], tensors)
        else:
            execute(plan, s, plan.boxes[k], tensors)
    out = {}
    for n, _, _ in plan.defn.outputs:
        if n not in tensors or None in tensors[n].data:
            raise Refused("hole: a part of %s has no value" % n)
        out[n] = tensors[n]
    return out


def target(plan, name, tensors):
    if name not in tensors:
        tensors[name] = Tensor(plan.types[name], plan.shapes[name])
    return tensors[name]


def execute(plan, s, box, tensors):
    v, t = plan.value(s, tensors), plan.types[s.name] if s.name else None
    reduced = [i for i in box.order if i not in box.left]
    f = v.to(t if s.name else concrete(v.t))
    if s.op in ("argmin", "argmax"):
        t = t or concrete(v.t)
    cells, spots = {}, {}  # everything is computed before anything is written
    env = dict(plan.env)
    for point in box.values(box.left):
        env.update(zip(box.left, point))
        items, where = [], []
        for rest in box.values(reduced):
            env.update(zip(reduced, rest))
            items.append(f(env))
            where.append(rest)
        cells[point] = items
        spots[point] = where
    at = lambda point: [dict(zip(box.left, point))[x.name] if isinstance(x, Ref) and x.name in box.left else integer(x, plan.env) for x in s.subs]
    results = {}
    for point, items in cells.items():
        if s.scan:
            items = [x for other, xs in cells.items() if all(a <= b if i in s.scan else a == b for i, a, b in zip(box.left, other, point)) for x in xs]
        if s.op in ("argmin", "argmax"):
            results[point] = best(s.op, t, items, spots[point])
            continue
        first = None
        if s.op and not s.fresh:
            first = tensors[s.name].data[tensors[s.name].position(at(point))] if s.name in tensors else None
            if first is None:
                raise Refused("hole: an old value of %s is missing" % s.name)
        results[point] = fold(t, s.op, items, first) if s.op else items[0]
    for point, x in results.items():
        if s.op in ("argmin", "argmax"):
            x, where = x
            for n, w in zip(s.positions, where):
                write(target(plan, n, tensors), at(point), w)
        if s.name:
            write(target(plan, s.name, tensors), at(point), stored(t, x))
    for n in ([s.name] if s.name else []) + s.positions:
        target(plan, n, tensors)


def write(tensor, point, x):
    tensor.data[tensor.position(point)] = x


def best(op, t, items, where):
    if not items:
        raise Refused("run: argmin of nothing")
    k = 0
    for j in range(1, len(items)):
        a, b = items[j], items[k]
        if is_float(t):
            if a[0] != a[0] or b[0] != b[0]:
                raise Unsure("NaN")
            less = decide(a, b, "<" if op == "argmin" else ">")
        else:
            less = a < b if op == "argmin" else a > b
        k = j if less else k
    return items[k], where[k]


def call(plan, s, ranges, tensors):
    names = [x.name for x in s.subs]
    for point in itertools.product(*(range(*ranges[i]) for i in names)):
        env = dict(plan.env)
        env.update(zip(names, point))
        for name, result in zip(s.names, called(plan, s, env, tensors)):
            t = target(plan, name, tensors)
            size = len(result.data)
            k = 0
            for i, x in zip(names, point):
                k = k * (ranges[i][1] - ranges[i][0]) + x - ranges[i][0]
            t.data[k * size:(k + 1) * size] = result.data


def called(plan, s, env, tensors):
    if s.callee == "concat":
        return [joined(plan, s, tensors)]
    d, args, shapes = plan.program[s.callee], {}, {}
    for (t, n, dims), a in zip(d.inputs, s.args):
        if isinstance(a, CallStatement):
            x = called(plan, a, env, tensors)[0]
            args[n] = Tensor(x.t, Shape([0] * len(x.shape.n), x.shape.n), x.data)
        elif isinstance(a, Access) and (dims or len(a.subs) == len(tensors[a.name].shape.n)):
            args[n] = part(tensors[a.name], [integer(x, env) for x in a.subs])
        else:
            v = Compiler(env, plan.types, {}, tensors).compile(a)
            args[n] = Tensor(t, Shape([], []), [v.to(t)(env)])
        if args[n].t != t:
            raise Refused("types: an argument of another type")
        shapes[n] = args[n].shape
    inner = Plan(plan.program, s.callee, shapes, {})
    return [run(inner, args)[n] for n, _, _ in d.outputs]


def part(t, point):
    shape = Shape([0] * (len(t.shape.n) - len(point)), t.shape.n[len(point):])
    size = 1
    for n in shape.n:
        size *= n
    k = 0
    for x, lo, n in zip(point, t.shape.lo, t.shape.n):
        if not 0 <= x - lo < n:
            raise Refused("call: a slice is out of bounds")
        k = k * n + x - lo
    data = t.data[k * size:(k + 1) * size]
    if None in data:
        raise Refused("hole: an argument has holes")
    return Tensor(t.t, shape, data)


def joined(plan, s, tensors):
    arrays = [tensors[a.name] for a in s.args if isinstance(a, Access)]
    (shape,), (t,) = plan.concat(s)
    if any(a.t != t for a in arrays):
        raise Refused("types: concat of other types")
    along = 0 if len(arrays) < len(s.args) else len(shape.n) - 1
    data = []
    for point in itertools.product(*map(range, shape.n)):
        point, k = list(point), 0
        while point[along] >= arrays[k].shape.n[along]:
            point[along] -= arrays[k].shape.n[along]
            k += 1
        a = arrays[k]
        data.append(a.data[a.position([x + lo for x, lo in zip(point, a.shape.lo)])])
    return Tensor(t, shape, data)
