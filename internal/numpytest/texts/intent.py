"""What the author of a program may want to know of: where docs/tc.md has a warning, and where arithmetic is not what it is on paper.

Each finding is "CODE|CODE: words"; Ricci has to give one of the codes, or to refuse the program.
"""
import values
from meaning import run
from ranges import integer
from syntax import *
from values import Refused, Unsure, is_int


def silent(plan, arguments, results):
    out = list(notes(plan)) + list(old_values(plan)) + list(narrowed(plan)) + list(shifted(plan)) + list(overwritten(plan))
    return sorted(set(out)) + wrapped(plan, arguments, results)


def notes(plan):
    for kind, i, s in plan.notes:
        if kind == "lesser" and isinstance(s, Statement):
            box = next(b for b in plan.boxes.values() if b.statement is s)
            if not declared(plan, [c for c in box.constraints if c.whole() and c.names[0] == i]):
                continue
            yield "E0307: %s runs over the lesser of several dimensions in %s" % (i, s.text())


def old_values(plan):
    """A statement that reads what it writes at another point reads the old values."""
    for k, s in enumerate(plan.defn.statements):
        if isinstance(s, Statement):
            for site in plan.boxes[k].sites:
                a = site.access
                if a.name == s.name and not a.old and [x.text() for x in a.subs] != [x.text() for x in s.subs]:
                    yield "E0408: %s reads old values of %s" % (s.text(), a.text())


def narrowed(plan):
    """An index that is a whole subscript wherever it stands leaves out a part of a dimension."""
    for k, s in enumerate(plan.defn.statements):
        if not isinstance(s, Statement):
            continue
        box = plan.boxes[k]
        for i in box.order:
            if i in box.explicit:
                continue
            mine = [c for c in box.constraints if i in c.names and not c.boundary and i not in c.excused]
            if not all(c.whole() for c in mine):
                continue
            lo, hi = box.ranges[i]
            for c in mine:
                a, b = plan.shapes[c.tensor].interval(c.d)
                if a < lo or b > hi:
                    if declared(plan, mine):
                        yield "E0307|E0310: %s leaves out a part of %s in %s" % (i, c.tensor, s.text())
                    break


def declared(plan, constraints):
    """Whether the dimensions have different names or numbers, which their author wrote down."""
    dims = set()
    for c in constraints:
        written = [d for n, d in [(n, d) for _, n, d in plan.defn.inputs] + [(n, d) for n, _, d in plan.defn.outputs] if n == c.tensor and d]
        if not written:
            return False
        dims.add(written[0][c.d])
    return len(dims) > 1


def shifted(plan):
    """Calls take tensors as arrays, which begin at 0."""
    for s in plan.defn.statements:
        if isinstance(s, CallStatement):
            for a in s.args:
                lo = plan.shapes[a.name].lo[len(a.subs):] if isinstance(a, Access) else []
                if s.callee == "concat":
                    lo = lo[1:] if isinstance(s.args[-1], Num) else lo[:-1]
                if any(lo):
                    yield "E0511: %s begins above or below 0 in %s" % (a.name, s.text())


def overwritten(plan):
    """What a statement writes is written once more before anything reads it."""
    statements = plan.defn.statements
    for k, s in enumerate(statements):
        if not isinstance(s, Statement) or s.positions:
            continue
        for j in range(k + 1, len(statements)):
            t = statements[j]
            if not isinstance(t, Statement) or any(x.access.name == s.name for x in plan.boxes[j].sites):
                break
            if t.name != s.name:
                continue
            if t.op and not t.fresh:
                break
            mine, its = plan.dims(s, plan.boxes[k]), plan.dims(t, plan.boxes[j])
            if all(b[0] <= a[0] and a[1] <= b[1] for (a, _), (b, _) in zip(mine, its)):
                if symbolic(s, t):
                    yield "E0411: %s is overwritten by %s" % (s.text(), t.text())
                break


def symbolic(s, t):
    """Whether the boxes are contained in one another whatever the sizes: here, whether their texts are the same."""
    def texts(x):
        return [(y.text(), x.ranges.get(y.text(), ("", ""))[0] and tuple(e.text() for e in x.ranges[y.text()])) for y in x.subs]
    return texts(s) == texts(t) and all(isinstance(y, Num) and not isinstance(y, Ref) for y in s.subs)


def wrapped(plan, arguments, results):
    """Results of 8 and 16 bits that nobody asked for: other numbers come out where such arithmetic does not wrap."""
    values.WIDE = True
    try:
        wide = run(plan, arguments)
    except (Refused, Unsure):
        return []
    finally:
        values.WIDE = False
    for s in plan.defn.statements:
        if isinstance(s, Statement) and any(isinstance(x, Bin) and x.op in "&|^" for e in [s.value] + [l for _, l in s.lets] for x in each(e)):
            return []  # a mask may be meant
    typed = {n for n, t, _ in plan.defn.outputs if t}
    for n, t in results.items():
        if n not in typed and is_int(t.t) and wide[n].data != t.data:
            return ["E0221|E0230|E0228: arithmetic of 8 or 16 bits wraps in %s" % n]
    return []
