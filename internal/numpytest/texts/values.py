"""Numbers of TC, as docs/tc.md has them: types that meet, integers that wrap, floats with bounds.

An integer or bool is a Python int. A float is a pair (v, e): the value in double precision, and how
far a right result of the program may be from it. e is infinite where nothing can be said.
"""
import math

import numpy as np

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ALL = ["bool"] + SIGNED + UNSIGNED + FLOATS
UNIT = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
TINY = {"float16": 2.0**-25, "float32": 2.0**-150, "float64": 0.0}
LARGEST = {"float16": 65504.0, "float32": float(np.finfo("float32").max), "float64": float(np.finfo("float64").max)}
FLOAT = "float32"  # of float literals that meet no float, in the def at hand
WIDE = False  # sums, differences and products of 8 and 16 bits do not wrap: what their author may think


class Refused(Exception):
    """The page says that the program, or the call, is an error."""


class Unsure(Exception):
    """This judge cannot say: a decision hangs on a rounding, or the page is silent."""


def bits(t):
    return 1 if t == "bool" else int(t.lstrip("uintfloat"))


def is_float(t):
    return t in FLOATS


def is_int(t):
    return t in SIGNED or t in UNSIGNED


def meet(a, b):
    """The type in which operands of types a and b are computed. Weak literals are "lit" and "flit"."""
    if a == b:
        return a
    if b in ("lit", "flit", "flit64"):
        a, b = b, a
    if a == "lit":
        return "int32" if b == "bool" else b
    if a in ("flit", "flit64"):
        return b if is_float(b) else "flit64" if "64" in a + b else "flit"
    if a == "bool" or b == "bool":
        return b if a == "bool" else a
    if is_float(a) or is_float(b):
        if is_float(a) and is_float(b):
            return a if bits(a) > bits(b) else b
        return a if is_float(a) else b
    if (a in SIGNED) == (b in SIGNED):
        return a if bits(a) > bits(b) else b
    s, u = (a, b) if a in SIGNED else (b, a)
    if bits(s) > bits(u):
        return s
    if u == "uint64":
        raise Refused("types: uint64 meets a signed type")
    return "int%d" % (2 * bits(u))


def concrete(t):
    return {"lit": "int32", "flit": FLOAT, "flit64": "float64"}.get(t, t)


def limits(t):
    if t == "bool":
        return 0, 1
    n = bits(t)
    return (0, 2**n - 1) if t in UNSIGNED else (-(2 ** (n - 1)), 2 ** (n - 1) - 1)


def wrap(t, v):
    n = bits(t)
    v &= (1 << n) - 1
    return v - (1 << n) if t in SIGNED and v >> (n - 1) else v


def rounded(t, v):
    """v as a number of the float type t."""
    if t == "float64" or v != v or math.isinf(v):
        return v
    with np.errstate(all="ignore"):
        return float(np.float32(v) if t == "float32" else np.float16(v))


def near(t, v, e):
    """The pair for a result that an operation of type t has rounded once: e is the error of what went in."""
    if math.isinf(e) or v != v:
        return (v, e)
    if abs(v) > LARGEST[t] and not math.isinf(v):
        return (v, math.inf)
    if e == 0 and exact(t, v):
        return (v, 0.0)
    return (v, e + UNIT[t] * abs(v) + TINY[t])


def exact(t, v):
    """Whether v, computed in double precision, is surely the exact value and a number of t."""
    if math.isinf(v):
        return True
    s = v * 4096.0
    return abs(s) < 2.0**50 and s == math.floor(s) and rounded(t, v) == v


def computed(t):
    """Arithmetic on float16 is done in float32."""
    return "float32" if t == "float16" else t


def convert(to, frm, x):
    """x of type frm as a value of type to, as a cast or a store does it; float16 is not rounded here."""
    if to == frm:
        return x
    if to == "bool":
        if is_float(frm):
            return int(decide(x, (0.0, 0.0), "!="))
        return int(x != 0)
    if is_float(to):
        if is_float(frm):
            return x if bits(computed(to)) >= bits(computed(frm)) else near(computed(to), *x)
        t = computed(to)
        v = float(x)
        return (v, 0.0) if int(v) == x and rounded(t, v) == v else (v, UNIT[t] * abs(v))
    if is_float(frm):
        v, e = x
        if math.isinf(e):
            raise Unsure("a cast of what is not known")
        if v != v:
            return 0
        low, high = limits(to)
        if e > 0 and math.floor(v - e) != math.floor(v + e) and not (v - e > high or v + e < low):
            raise Unsure("a truncation near an integer")
        if math.isinf(v):
            return high if v > 0 else low
        return max(low, min(high, math.trunc(v)))
    return wrap(to, x)


def stored(t, x):
    """What remains of x in memory: float16 is rounded when it is stored."""
    return near("float16", *x) if t == "float16" else x


def decide(x, y, op):
    """A comparison of floats; Unsure where roundings may turn it."""
    (a, ea), (b, eb) = x, y
    if ea + eb > 0 and not abs(a - b) > 2 * (ea + eb):
        raise Unsure("a comparison within roundings")
    return compare(a, b, op)


def compare(a, b, op):
    return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op]


def floor_div(a, b):
    return 0 if b == 0 else a // b


def modulo(a, b):
    return 0 if b == 0 else a % b


def shift(t, op, x, n):
    if op == "<<":
        return wrap(t, x << n) if 0 <= n < bits(t) else 0
    if 0 <= n < bits(t):
        return x >> n
    return -1 if x < 0 else 0


def arithmetic(t, op, x, y):
    """x op y for two values of type t."""
    if is_float(t):
        return float_arithmetic(computed(t), op, x, y)
    if op in ("+", "-", "*"):
        v = x + y if op == "+" else x - y if op == "-" else x * y
        return v if WIDE and bits(t) <= 16 else wrap(t, v)
    if op == "/":
        return wrap(t, floor_div(x, y))
    if op == "%":
        return wrap(t, modulo(x, y))
    if op == "&":
        return x & y
    if op == "|":
        return x | y
    if op == "^":
        return x ^ y
    raise AssertionError(op)


def float_arithmetic(t, op, x, y):
    (a, ea), (b, eb) = x, y
    if math.isinf(ea) or math.isinf(eb) or a != a or b != b:
        return (a, math.inf)
    if op == "+":
        return near(t, a + b, ea + eb)
    if op == "-":
        return near(t, a - b, ea + eb)
    if op == "*":
        return near(t, a * b, abs(a) * eb + abs(b) * ea + ea * eb)
    if op == "%":
        if b == 0 or math.isinf(a) or (ea or eb) and math.floor(abs(a) / abs(b) - 1e-6) != math.floor(abs(a) / abs(b) + 1e-6):
            return (0.0, math.inf)
        rest = math.fmod(a, b) if math.isfinite(b) else a
        if rest and (rest < 0) != (b < 0):  # rounded once
            return near(t, rest + b, ea + eb * (1 + abs(a / b)))
        return (rest, ea + eb * abs(a / b))
    if op == "/":
        if abs(b) <= 2 * eb or b == 0:
            return (0.0, math.inf)
        v = a / b
        if ea == 0 and eb == 0 and v * b == a and exact(t, v) and math.frexp(b)[0] in (0.5, -0.5):
            return (v, 0.0)
        return near(t, v, (ea + abs(v) * eb) / (abs(b) - eb) + UNIT[t] * abs(v))
    raise AssertionError(op)


def smallest(t, x, y):
    return pick(t, x, y, "<")


def greatest(t, x, y):
    return pick(t, x, y, ">")


def pick(t, x, y, op):
    """min(a,b) is b < a ? b : a, and max(a,b) is b > a ? b : a."""
    if not is_float(t):
        return y if compare(y, x, op) else x
    if x[0] != x[0] or y[0] != y[0] or math.isinf(x[1]) or math.isinf(y[1]):
        return (0.0, math.inf)
    v = min(x[0], y[0]) if op == "<" else max(x[0], y[0])
    return (v, max(x[1], y[1]) if x[1] != y[1] else x[1])


def fold(t, op, items, old=None):
    """The reduction of items (values of type t) by op; old is what op= starts from, None for op=!."""
    if t == "bool" and op in ("+", "*"):
        raise AssertionError("sums of bools are of int32")
    if op in ("&", "|", "^") or (op in ("min", "max")) or not is_float(t):
        x = identity(t, op) if old is None else old
        for y in items:
            x = smallest(t, x, y) if op == "min" else greatest(t, x, y) if op == "max" else arithmetic(t, op, x, y)
        return x
    items = list(items) if old is None else [old] + list(items)
    if not items:
        return (0.0 if op == "+" else 1.0, 0.0)
    u = UNIT[computed(t)]
    if any(math.isinf(e) or v != v for v, e in items):
        return (0.0, math.inf)
    error = sum(e for _, e in items)
    if op == "+":
        v = math.fsum(v for v, _ in items)
        magnitude = math.fsum(abs(v) for v, _ in items)
        if error == 0 and magnitude * 4096 < 2.0 ** (24 if u > 1e-10 else 50) and all(v * 4096 == math.floor(v * 4096) for v, _ in items):
            return (v, 0.0)
        return (v, error + len(items) * u * magnitude)
    v, relative, largest = 1.0, len(items) * u, 1.0
    for x, e in items:
        v *= x
        largest *= max(abs(x), 1.0)
        relative += e / abs(x) if x else 0.0
    if largest > LARGEST[computed(t)] or any(e and not x for x, e in items) or v and abs(v) < 1e-30:
        return (v, math.inf)
    if error == 0 and all(x in (1.0, -1.0, 0.0, 2.0, -2.0) for x, _ in items):
        return (v, 0.0)
    return (v, abs(v) * relative * 1.1)


def identity(t, op):
    if op in ("min", "max"):
        if is_float(t):
            return (math.inf if op == "min" else -math.inf, 0.0)
        low, high = limits(t)
        return high if op == "min" else low
    if is_float(t):
        return (0.0 if op == "+" else 1.0, 0.0)
    if op == "&":
        return 1 if t == "bool" else wrap(t, -1)
    return 1 if op == "*" else 0


# Functions of floats: the value, and how much it changes with its argument.
FUNCTIONS = {
    "exp": (math.exp, lambda x, v: v),
    "tanh": (math.tanh, lambda x, v: 1.0),
    "sin": (math.sin, lambda x, v: 1.0),
    "cos": (math.cos, lambda x, v: 1.0),
    "sqrt": (math.sqrt, lambda x, v: 0.5 / v if v else math.inf),
    "log": (math.log, lambda x, v: 1 / x),
    "atan": (math.atan, lambda x, v: 1.0),
}
EXACT = {
    "fabs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": lambda v: math.copysign(math.floor(abs(v) + 0.5), v),
}


def function(t, name, xs):
    """A builtin of type t on converted arguments; C's names for float are those without the f."""
    t = computed(t)
    if any(math.isinf(e) or v != v or math.isinf(v) for v, e in xs):
        return (0.0, math.inf)
    v, e = xs[0]
    if name in ("fmax", "fmin"):
        w, f = xs[1]
        return (max(v, w) if name == "fmax" else min(v, w), max(e, f))
    if name == "fdim":
        w, f = xs[1]
        return near(t, max(v - w, 0.0), e + f)
    if name == "pow":
        w, f = xs[1]
        if v <= 0 or e or f or w * math.log(v) > 80:
            return (0.0, math.inf)
        return (v**w, 8 * UNIT[t] * v**w)
    if name == "fabs":
        return (abs(v), e)
    if name in EXACT:
        if e and math.floor(2 * (v - e)) != math.floor(2 * (v + e)):
            raise Unsure("rounding near a tie")
        return (float(EXACT[name](v)), 0.0)
    f, slope = FUNCTIONS[name]
    if (name == "log" and v <= 2 * e) or (name == "sqrt" and v < 0) or (name == "exp" and v > 80):
        return (0.0, math.inf)
    r = f(v)
    return (r, 9 * UNIT[t] * abs(r) + TINY[t] + (2 * e * slope(v, r) if e else 0.0))
