"""Scalars that are known when a kernel runs: operators make expressions of MDH of them.

A ``Scalar`` is a node of a graph. What Python computes once is one node, however often it is used;
``printing`` writes it with ``let``. An operand knows its type, and how tightly its text binds. What
Python would have to decide (an ``if`` on a value, ``math.sqrt``) is an error.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

# How tightly operators bind in MDH, from low to high.
CHOICE, OR, AND, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(8)

INDEX = "int64"  # the type of indices and sizes
_MOST = 1 << 20  # sizes are not counted further


class Untraceable(Exception):
    """What is wrong; the line is found where the traced function was called."""

    def __init__(self, message: str, help: str = ""):
        super().__init__(message)
        self.message = message
        self.help = help


class SizeName(str):
    """The name of a size in a text: a parameter of the computation."""


class Operand(NamedTuple):
    """A piece of a text: an operand, in parentheses where it binds less than the level."""

    scalar: "Scalar"
    level: int


class Branch(NamedTuple):
    """A piece of a text that is computed only where it is needed, or again in each step: it has names of its own."""

    key: str
    scalars: Tuple["Scalar", ...]
    level: int


class Part(NamedTuple):
    """A piece of a text: one of the values of an iteration."""

    whole: "Node"
    number: int


class Node:
    """A text with operands in it. Pieces are texts, operands, branches, parts, and records and tables, which a program declares."""

    __slots__ = ("pieces", "size", "depth")

    def __init__(self, pieces: Sequence[Any]):
        self.pieces = tuple(pieces)
        below = operands(self)
        self.size = min(1 + sum(x.size for x in below), _MOST)
        self.depth = 1 + max((x.depth for x in below), default=0)


def operands(x: Node) -> List[Node]:
    """The nodes that stand in the text of one."""
    found: List[Node] = []
    for p in x.pieces:
        if isinstance(p, Operand):
            found.append(p.scalar)
        elif isinstance(p, Branch):
            found += p.scalars
        elif isinstance(p, Part):
            found.append(p.whole)
    return found


class State:
    """A piece of a text: a variable of an iteration, whose name is chosen when it is written."""


class Iteration(Node):
    """Steps of bounded number; its values are ``Part``s."""

    __slots__ = ("states",)

    def __init__(self, pieces: Sequence[Any], states: Sequence[State]):
        super().__init__(pieces)
        self.states = tuple(states)


class Scalar(Node):
    """A value that is known when the kernel runs."""

    __slots__ = ("type", "level")
    __array_priority__ = 1000

    def __init__(self, text: Any, type: Any, level: int = ATOM):
        super().__init__((text,) if isinstance(text, str) else text)
        self.type = type  # the name of a type, or a record; None: of literals only
        self.level = level

    @property
    def text(self) -> str:
        """The expression, for messages and for what has no names: extents and subscripts."""
        from .printing import inline

        return inline(self)

    def __repr__(self) -> str:
        return self.text

    def __getattr__(self, name: str) -> "Scalar":
        fields = getattr(self.type, "fields", None)
        if fields is None or name.startswith("__"):
            raise AttributeError(f"{self.text} is a scalar, and has no {name}")
        if name not in fields:
            raise Untraceable(f"{self.text} is a {self.type}, which has no field {name}", f"it has {', '.join(fields)}")
        return self.type.field(self, name)

    def __getitem__(self, name: str) -> "Scalar":
        if not isinstance(name, str) or not hasattr(self.type, "fields"):
            raise Untraceable(f"{self.text} is one number, and has no elements")
        return getattr(self, name)

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    def __add__(self, o: Any) -> "Scalar": return _binary("+", self, o, SUM)
    def __radd__(self, o: Any) -> "Scalar": return _binary("+", o, self, SUM)
    def __sub__(self, o: Any) -> "Scalar": return _binary("-", self, o, SUM)
    def __rsub__(self, o: Any) -> "Scalar": return _binary("-", o, self, SUM)
    def __mul__(self, o: Any) -> "Scalar": return _binary("*", self, o, PRODUCT)
    def __rmul__(self, o: Any) -> "Scalar": return _binary("*", o, self, PRODUCT)
    def __truediv__(self, o: Any) -> "Scalar": return _divide(self, o)
    def __rtruediv__(self, o: Any) -> "Scalar": return _divide(o, self)
    def __floordiv__(self, o: Any) -> "Scalar": return _floor_divide(self, o)
    def __rfloordiv__(self, o: Any) -> "Scalar": return _floor_divide(o, self)
    def __mod__(self, o: Any) -> "Scalar": return _binary("%", self, o, PRODUCT)
    def __rmod__(self, o: Any) -> "Scalar": return _binary("%", o, self, PRODUCT)
    def __lshift__(self, o: Any) -> "Scalar": return _binary("<<", self, o, PRODUCT)
    def __rshift__(self, o: Any) -> "Scalar": return _binary(">>", self, o, PRODUCT)
    def __and__(self, o: Any) -> "Scalar": return _bits("&", "&&", self, o)
    def __rand__(self, o: Any) -> "Scalar": return _bits("&", "&&", o, self)
    def __or__(self, o: Any) -> "Scalar": return _bits("|", "||", self, o)
    def __ror__(self, o: Any) -> "Scalar": return _bits("|", "||", o, self)
    def __xor__(self, o: Any) -> "Scalar": return _bits("^", "!=", self, o)
    def __rxor__(self, o: Any) -> "Scalar": return _bits("^", "!=", o, self)
    def __lt__(self, o: Any) -> "Scalar": return _compare("<", self, o)
    def __le__(self, o: Any) -> "Scalar": return _compare("<=", self, o)
    def __gt__(self, o: Any) -> "Scalar": return _compare(">", self, o)
    def __ge__(self, o: Any) -> "Scalar": return _compare(">=", self, o)
    def __eq__(self, o: Any) -> "Scalar": return _compare("==", self, o)  # type: ignore[override]
    def __ne__(self, o: Any) -> "Scalar": return _compare("!=", self, o)  # type: ignore[override]
    def __neg__(self) -> "Scalar": return Scalar(("-", Operand(self, UNARY)), self.type, UNARY)
    def __pos__(self) -> "Scalar": return self
    def __abs__(self) -> "Scalar": return call("abs", self)

    def __invert__(self) -> "Scalar":
        return Scalar(("!" if self.type == "bool" else "~", Operand(self, UNARY)), self.type, UNARY)

    def __pow__(self, o: Any) -> "Scalar":
        if isinstance(o, int) and 1 <= o <= 8:
            return _binary("*", self, self ** (o - 1), PRODUCT) if o > 1 else self
        return call("pow", self, o)

    def __rpow__(self, o: Any) -> "Scalar":
        return call("pow", o, self)

    def __bool__(self) -> bool:
        raise Untraceable(f"Python asks whether {self.text} is true, and that is known only when the kernel runs",
                          "instead of if, and, or, not, min, max: ricci.mdh.where(condition, a, b), &, |, ~, ricci.mdh.minimum, ricci.mdh.maximum")

    def _number(self, *_: Any) -> Any:
        raise Untraceable(f"Python asks for the number {self.text}, and that is known only when the kernel runs",
                          "functions of math take numbers; those of NumPy, such as np.sqrt, are understood, and types convert: fp32(x)")

    __int__ = __float__ = __complex__ = __index__ = __round__ = _number

    def __iter__(self) -> Any:
        raise Untraceable(f"{self.text} is one number, and nothing to go through")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> "Scalar":
        name = ufunc.__name__
        if method != "__call__" or keywords:
            raise Untraceable(f"np.{name}.{method} is not understood here")
        if name in _OPERATORS and len(inputs) == 2:
            return _OPERATORS[name](*map(operand, inputs))
        if name in _FUNCTIONS:
            return call(_FUNCTIONS[name], *inputs)
        raise Untraceable(f"Ricci has no function np.{name}", "docs/builtins.md lists the functions that it has")

    def __array_function__(self, function: Any, kinds: Any, arguments: Any, keywords: Any) -> "Scalar":
        if function is np.where and len(arguments) == 3 and not keywords:
            return where(*arguments)
        raise Untraceable(f"np.{function.__name__} works on arrays, and this is one number")


def operand(x: Any) -> "Scalar":
    """A Scalar of an operand; numbers become literals."""
    if isinstance(x, Scalar):
        return x
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, bool):
        return Scalar("true" if x else "false", "bool")
    if isinstance(x, int):
        return Scalar(str(x), None, ATOM if x >= 0 else UNARY)
    if isinstance(x, float):
        if x != x:
            return Scalar("nan", None)
        text = repr(abs(x)) if abs(x) != float("inf") else "inf"
        return Scalar(("-" if x < 0 else "") + text, None, UNARY if x < 0 else ATOM)
    raise Untraceable(f"{x!r} is a {type(x).__name__}, and expressions are made of numbers")


def _meet(name: str, a: Scalar, b: Scalar) -> Any:
    if a.type is not None and b.type is not None and a.type != b.type:
        raise Untraceable(f"{a.text} is {a.type} and {b.text} is {b.type}, and '{name}' takes two of one type",
                          "nothing is converted unasked; a type converts, such as fp32(x)")
    return a.type if a.type is not None else b.type


def _scalars(name: str, a: Scalar, b: Scalar) -> Any:
    kind = _meet(name, a, b)
    if hasattr(kind, "fields"):
        raise Untraceable(f"{a.text} is a {kind}, and '{name}' takes scalars", f"take a field: {a.text}.{next(iter(kind.fields))}")
    return kind


def _join(a: Scalar, name: str, b: Scalar, kind: Any, level: int, left: int = 0) -> Scalar:
    return Scalar((Operand(a, level + left), f" {name} ", Operand(b, level + 1)), kind, level)


def _binary(name: str, a: Any, b: Any, level: int) -> Scalar:
    a, b = operand(a), operand(b)
    return _join(a, name, b, a.type if name in ("<<", ">>") else _scalars(name, a, b), level)


def _bits(name: str, condition: str, a: Any, b: Any) -> Scalar:
    a, b = operand(a), operand(b)
    if "bool" in (a.type, b.type):
        _meet(name, a, b)
        return _join(a, condition, b, "bool", {"&&": AND, "||": OR, "!=": COMPARE}[condition], left=1)
    return _binary(name, a, b, PRODUCT if name == "&" else SUM)


def _compare(name: str, a: Any, b: Any) -> Scalar:
    a, b = operand(a), operand(b)
    _scalars(name, a, b)
    return _join(a, name, b, "bool", COMPARE, left=1)


def _is_float(kind: Optional[str]) -> bool:
    return kind is not None and "float" in kind


def _divide(a: Any, b: Any) -> Scalar:
    a, b = operand(a), operand(b)
    kind = _scalars("/", a, b)
    if kind is not None and not _is_float(kind):
        raise Untraceable(f"{a.text} / {b.text} would be a quotient of {kind}, which Python makes a float and MDH rounds down",
                          "write // where it is to be rounded down, or convert first: fp64(a) / fp64(b)")
    return _binary("/", a, b, PRODUCT)


def _floor_divide(a: Any, b: Any) -> Scalar:
    a, b = operand(a), operand(b)
    return call("floor", _divide(a, b)) if _is_float(_scalars("//", a, b)) else _binary("/", a, b, PRODUCT)


def call(name: str, *arguments: Any) -> Scalar:
    """A builtin function of Ricci (docs/builtins.md)."""
    given = [operand(x) for x in arguments]
    kind: Optional[str] = None
    for x in given:
        kind = _meet(name, Scalar("", kind), x) if kind is not None else x.type
    pieces: List[Any] = [f"{name}("]
    for k, x in enumerate(given):
        pieces += [", "] * (k > 0) + [Operand(x, CHOICE)]
    return Scalar((*pieces, ")"), kind)


def where(condition: Any, a: Any, b: Any) -> Scalar:
    """``a`` where the condition holds, else ``b``; as ``np.where`` of three. Also of records."""
    c, a, b = operand(condition), operand(a), operand(b)
    if c.type != "bool":
        raise Untraceable(f"{c.text} is no condition", "compare it with something: x != 0")
    kind = _meet("where", a, b)
    return Scalar(("if ", Operand(c, OR), " then ", Branch("then", (a,), OR), " else ", Branch("else", (b,), CHOICE)), kind, CHOICE)


def minimum(a: Any, b: Any) -> Scalar:
    """The lesser of two."""
    return call("min", a, b)


def maximum(a: Any, b: Any) -> Scalar:
    """The greater of two."""
    return call("max", a, b)


def convert(kind: str, x: Any) -> Scalar:
    """x in another type."""
    return Scalar((f"{kind}(", Operand(operand(x), CHOICE), ")"), kind)


def iterate(steps: int, states: Any, step: Callable, while_: Optional[Callable] = None) -> Any:
    """Takes up to so many steps, as long as a condition holds, and gives the last state.

    ``x, n = iterate(32, (fp32(0), int32(0)), lambda x, n: (x * x + c, n + 1), lambda x, n: x * x <= 4)``
    """
    if isinstance(steps, Scalar) or not hasattr(steps, "__index__"):
        raise Untraceable(f"{steps!r} is no number of steps: steps are written out, so their number is known when the program is traced")
    many = isinstance(states, (tuple, list))
    first = [operand(s) for s in (states if many else (states,))]
    for s in first:
        if s.type is None:
            raise Untraceable(f"the first state {s.text} has no type", f"say it: fp32({s.text})")
    variables = [State() for _ in first]
    inside = [Scalar((v,), s.type) for v, s in zip(variables, first)]
    after = step(*inside)
    results = tuple(operand(x) for x in (after if isinstance(after, (tuple, list)) else (after,)))
    if len(results) != len(first):
        raise Untraceable(f"a step gives {len(results)} values, and there are {len(first)} states")
    for s, x in zip(first, results):
        _meet("iterate", s, x)
    pieces: List[Any] = [f"iterate {steps.__index__()} with ("]
    for k, (v, s) in enumerate(zip(variables, first)):
        pieces += [", "] * (k > 0) + [v, ": ", s.type, " = ", Operand(s, CHOICE)]
    pieces.append(")")
    if while_ is not None:
        pieces += [" while ", Branch("while", (operand(while_(*inside)),), OR)]
    node = Iteration((*pieces, " do ", Branch("do", results, OR)), variables)
    found = tuple(Scalar((Part(node, k),), s.type) for k, s in enumerate(first))
    return found if many else found[0]


# NumPy's ufuncs that are operators here, and those that are functions under another name.
_OPERATORS: Dict[str, Callable[[Any, Any], Scalar]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b, "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b, "floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b,
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b, "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b, "logical_and": lambda a, b: a & b, "logical_or": lambda a, b: a | b,
}
_FUNCTIONS = {name: name for name in (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh floor ceil trunc rint hypot fmod fabs fmin fmax copysign").split()}
_FUNCTIONS.update({
    "minimum": "min", "maximum": "max", "absolute": "abs", "power": "pow", "float_power": "pow", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
})
# Names of functions: no operand is called so.
FUNCTIONS = frozenset(_FUNCTIONS.values())
