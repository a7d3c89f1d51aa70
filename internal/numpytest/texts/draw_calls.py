"""Draws statements that call other defs of the file, or concat."""
from draw_values import chance
from syntax import *
from values import is_float


def helper(drawer, t):
    """A def of one vector, drawn from some that every library has."""
    i, k = Ref("i"), Ref("k")
    n, x = Ref("N"), lambda s: Access("x", [s])
    vector = [("x", ["N"])]
    table = {
        "total": (vector, [], Statement("y", [], x(i), "+")),
        "twice": (vector, [i], Statement("y", [i], Bin("+", x(i), x(i)))),
        "diff": (vector, [i], Statement("y", [i], Bin("-", x(Bin("+", i, Num("1"))), x(i)))),
        "smooth": (vector, [i], Statement("y", [i], Bin("+", Call("clamp", x(Bin("-", i, Num("1")))), Call("clamp", x(Bin("+", i, Num("1"))))), exists=[x(i)])),
        "flip": (vector, [i], Statement("y", [i], x(Bin("-", Bin("-", n, Num("1")), i)))),
        "largest": (vector, [], Statement("y", [], x(k), "max")),
        "shifted": (vector, [i], Statement("y", [i], x(Bin("-", i, Num("1"))))),
        "dot": (vector + [("w", ["N"])], [], Statement("y", [], Bin("*", x(i), Access("w", [i])), "+")),
    }
    name = drawer.rng.choice(list(table))
    if drawer.helpers and name not in drawer.helpers:
        name = next(iter(drawer.helpers))
    params, _, s = table[name]
    if name not in drawer.helpers:
        drawer.helpers[name] = Def(name, [(t, n, d) for n, d in params], [("y", None, None)], [s])
    return name, len(params), len(s.subs)


def call(drawer):
    rng = drawer.rng
    if chance(rng, 0.25):
        return concat(drawer)
    t = next((d.inputs[0][0] for d in drawer.helpers.values()), drawer.t)
    name, count, rank = helper(drawer, t)
    deep = chance(rng, 0.5)
    x = drawer.input(2 if deep else 1, t=t)
    dims = drawer.tensors[x][1]
    args, subs = [], []
    if deep and chance(rng, 0.7):
        subs = [Ref("b")]
        args = [Access(x, list(subs))]
    elif deep:
        args = [Access(x, [rng.choice([Num("0"), Num("1"), Bin("-", dims[0], Num("1"))])])]
    else:
        args = [Access(x, [])]
    if count == 2:
        args.append(Access(drawer.input(1, t=t), []))
    elif rank == 1 and chance(rng, 0.3):
        args = [CallStatement([], [], name, args)]
    out = drawer.target()
    drawer.statements.append(CallStatement([out], subs, name, args))
    drawer.tensors[out] = (drawer.t, ([dims[0]] if subs else []) + ([dims[-1]] if rank else []))
    drawer.written.append(out)


def concat(drawer):
    rng = drawer.rng
    rank = rng.choice([1, 1, 2])
    a = drawer.input(rank)
    t, dims = drawer.tensors[a]
    b = drawer.input(rank, t=t)
    args = [Access(a, []), Access(b, [])]
    if rank == 2 and chance(rng, 0.5) or chance(rng, 0.2):
        args.append(Num("0"))
    out = drawer.target()
    drawer.statements.append(CallStatement([out], [], "concat", args))
    drawer.tensors[out] = (t, dims[:-1] + [Num("3")])
    drawer.written.append(out)
