"""Draws programs and what they mean, for internal/numpytest: main.py DIRECTORY COUNT SEED."""
import json
import math
import os
import random
import sys
import time

import numpy as np

import values
from draw import Drawer
from intent import silent
from meaning import Plan, run
from ranges import Shape
from syntax import *
from values import Refused, Unsure, is_float, limits

SIZES = [1, 2, 3, 5, 8, 17]
MOST = 6000  # points of a statement


def array(rng, t, shape, subscripts):
    count = 1
    for n in shape:
        count *= n
    if is_float(t):
        return [(rng.choice([0, 1, 2, 3, 4, 6, 8, -1, -2, -3, -5]) / 4.0, 0.0) for _ in range(count)]
    if subscripts:
        return [rng.randrange(0, 3) for _ in range(count)]
    low, high = limits(t)
    wide = rng.random() < 0.3
    low, high = (max(low, -(2**40)), min(high, 2**40)) if wide else (max(low, -9), min(high, 9))
    return [rng.randint(low, high) for _ in range(count)]


def case(rng, program, drawer, sizes):
    """One call of the program: its arguments, and the results or the reason why there are none."""
    d = program["f"]
    scalars = {n: rng.choice([1, 1, 2, 2, 3, 0, -1]) for _, n, dims in d.inputs if not dims and n in drawer.scalars}
    shapes = {n: [x if isinstance(x, int) else sizes[x] for x in dims] for _, n, dims in d.inputs}
    ins = {n: meaning_tensor(t, shapes[n], [scalars[n]] if n in scalars else array(rng, t, shapes[n], n in drawer.subscripts)) for t, n, dims in d.inputs}
    out = {"sizes": sizes, "arguments": ins, "doubt": None, "results": None, "refused": None, "silent": []}
    try:
        plan = Plan(program, "f", {n: x.shape for n, x in ins.items()}, scalars)
        out["doubt"] = plan.doubt
        if any(points(b) > MOST for b in plan.boxes.values()):
            return None
        for n in in_out(d):
            ins[n] = meaning_tensor(plan.types[n], plan.shapes[n].n, array(rng, plan.types[n], plan.shapes[n].n, False), plan.shapes[n].lo)
        out["results"] = run(plan, ins)
        out["silent"] = silent(plan, ins, out["results"])
    except Refused as e:
        out["refused"] = str(e)
    return out


def meaning_tensor(t, n, data, lo=None):
    from expressions import Tensor
    return Tensor(t, Shape(lo or [0] * len(n), n), data)


def points(box):
    count = 1
    for lo, hi in box.ranges.values():
        count *= max(hi - lo, 0)
    return count


def in_out(d):
    """The outputs that are read before a statement has written them."""
    found, written = [], set()
    names = {n for n, _, _ in d.outputs}
    for s in d.statements:
        if isinstance(s, Statement):
            read = {a.name for e in [s.value] + [l for _, l in s.lets] for a in each(e) if isinstance(a, Access)}
            if s.op and not s.fresh:
                read.add(s.name)
            found += [n for n in read if n in names and n not in written and n not in found]
            written |= {s.name} | set(s.positions)
        else:
            written |= set(s.names)
    return found


def numpy_of(t):
    """The array of a tensor, and how far each element may be off."""
    shape = t.shape.n
    if not is_float(t.t):
        return np.array(t.data, dtype=t.t).reshape(shape), np.zeros(shape)
    return np.array([v for v, _ in t.data]).reshape(shape), np.array([e for _, e in t.data]).reshape(shape)


def save(path, arrays):
    with open(path, "wb") as f:
        np.savez(f, **arrays)


def program(rng):
    """A program with its cases, or None where it is not worth to be asked."""
    drawer = Drawer(rng)
    try:
        program = drawer.build()
    except IndexError:
        return None
    text = "".join(d.text() for d in program.values())
    names = sorted(set(d for _, _, dims in drawer.inputs for d in dims if isinstance(d, str)))
    cases = []
    for k in range(5):
        sizes = {n: rng.choice(SIZES) for n in names}
        if k == 1:
            sizes = dict.fromkeys(names, rng.choice(SIZES[2:5]))
        if k > 1 and len(names) > 2:
            sizes = {n: rng.choice(SIZES[:5]) for n in names}
        if any(c["sizes"] == sizes for c in cases):
            continue
        c = case(rng, program, drawer, sizes)
        if c:
            cases.append(c)
    if not cases:
        return None
    legal = sum(c["results"] is not None for c in cases)
    if not legal and rng.random() > 0.1:
        return None
    return text, cases


def main(directory, count, seed):
    table, unsure, start = [], 0, time.time()
    number = 0
    while len(table) < count:
        number += 1
        rng = random.Random("%d %d" % (seed, number))
        try:
            found = program(rng)
        except Unsure:
            unsure += 1
            continue
        except Exception:
            print("program %d.%d" % (seed, number))
            raise
        if not found:
            continue
        text, cases = found
        entry = {"name": "%d.%d" % (seed, number), "text": text, "cases": []}
        for k, c in enumerate(cases):
            path = os.path.join(directory, "%d.%d" % (len(table), k))
            save(path + ".in.npz", {n: np.array([x[0] if is_float(t.t) else x for x in t.data], dtype=t.t).reshape(t.shape.n) for n, t in c["arguments"].items()})
            row = {"sizes": c["sizes"], "path": path, "refused": c["refused"] or "", "doubt": c["doubt"] or "", "silent": c["silent"], "types": {}}
            if c["results"] is not None:
                arrays = {}
                for n, t in c["results"].items():
                    arrays[n], arrays[n + ".bound"] = numpy_of(t)
                    row["types"][n] = t.t
                save(path + ".out.npz", arrays)
            entry["cases"].append(row)
        table.append(entry)
    with open(os.path.join(directory, "programs.json"), "w") as f:
        json.dump(table, f)
    print("%d programs of %d drawn, %d unsure, %.0f s" % (len(table), number, unsure, time.time() - start))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
