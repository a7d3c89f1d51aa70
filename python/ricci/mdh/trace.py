"""Small Python functions over scalars as expressions of MDH, found by calling them once.

An operand is a ``Scalar``: it knows its text, its type, and how tightly its text binds. What Python
would have to decide while it traces (an ``if`` on a value, ``math.sqrt``) is an error that points at
the line of the function.
"""

import linecache
import os
import traceback
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import Diagnostic, ProgramError

Number = Union[bool, int, float]

# How tightly operators bind in MDH, from low to high.
_CHOICE, _OR, _AND, _COMPARE, _SUM, _PRODUCT, _UNARY, _ATOM = range(8)

INDEX = "int64"  # the type of indices and sizes


class TraceError(ProgramError):
    """A function cannot be traced; the text has its line."""


class _Untraceable(Exception):
    """What is wrong; the line is found where the traced function was called."""

    def __init__(self, message: str, help: str = ""):
        super().__init__(message)
        self.message = message
        self.help = help


class Scalar:
    """A value that is known when the kernel runs: operators make expressions of it."""

    __slots__ = ("text", "type", "_level")
    __array_priority__ = 1000

    def __init__(self, text: str, type: Optional[str], level: int = _ATOM):
        self.text = text
        self.type = type  # None: of literals only
        self._level = level

    def __repr__(self) -> str:
        return self.text

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    def __add__(self, o: Any) -> "Scalar": return _binary("+", self, o, _SUM)
    def __radd__(self, o: Any) -> "Scalar": return _binary("+", o, self, _SUM)
    def __sub__(self, o: Any) -> "Scalar": return _binary("-", self, o, _SUM)
    def __rsub__(self, o: Any) -> "Scalar": return _binary("-", o, self, _SUM)
    def __mul__(self, o: Any) -> "Scalar": return _binary("*", self, o, _PRODUCT)
    def __rmul__(self, o: Any) -> "Scalar": return _binary("*", o, self, _PRODUCT)
    def __truediv__(self, o: Any) -> "Scalar": return _divide(self, o)
    def __rtruediv__(self, o: Any) -> "Scalar": return _divide(o, self)
    def __floordiv__(self, o: Any) -> "Scalar": return _floor_divide(self, o)
    def __rfloordiv__(self, o: Any) -> "Scalar": return _floor_divide(o, self)
    def __mod__(self, o: Any) -> "Scalar": return _binary("%", self, o, _PRODUCT)
    def __rmod__(self, o: Any) -> "Scalar": return _binary("%", o, self, _PRODUCT)
    def __lshift__(self, o: Any) -> "Scalar": return _binary("<<", self, o, _PRODUCT)
    def __rshift__(self, o: Any) -> "Scalar": return _binary(">>", self, o, _PRODUCT)
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
    def __neg__(self) -> "Scalar": return Scalar("-" + _inside(self, _UNARY), self.type, _UNARY)
    def __pos__(self) -> "Scalar": return self
    def __abs__(self) -> "Scalar": return call("abs", self)

    def __invert__(self) -> "Scalar":
        return Scalar(("!" if self.type == "bool" else "~") + _inside(self, _UNARY), self.type, _UNARY)

    def __pow__(self, o: Any) -> "Scalar":
        if isinstance(o, int) and 1 <= o <= 8:
            return _binary("*", self, self ** (o - 1), _PRODUCT) if o > 1 else self
        return call("pow", self, o)

    def __rpow__(self, o: Any) -> "Scalar":
        return call("pow", o, self)

    def __bool__(self) -> bool:
        raise _Untraceable(f"Python asks whether {self.text} is true, and that is known only when the kernel runs",
                           "instead of if, and, or, not, min, max: ricci.mdh.where(condition, a, b), &, |, ~, ricci.mdh.minimum, ricci.mdh.maximum")

    def _number(self, *_: Any) -> Any:
        raise _Untraceable(f"Python asks for the number {self.text}, and that is known only when the kernel runs",
                           "functions of math take numbers; those of NumPy, such as np.sqrt, are understood, and types convert: fp32(x)")

    __int__ = __float__ = __complex__ = __index__ = __round__ = _number

    def __iter__(self) -> Any:
        raise _Untraceable(f"{self.text} is one number, and nothing to go through")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> "Scalar":
        name = ufunc.__name__
        if method != "__call__" or keywords:
            raise _Untraceable(f"np.{name}.{method} is not understood here")
        if name in _OPERATORS and len(inputs) == 2:
            return _OPERATORS[name](*map(_operand, inputs))
        if name in _FUNCTIONS:
            return call(_FUNCTIONS[name], *inputs)
        raise _Untraceable(f"Ricci has no function np.{name}", "docs/builtins.md lists the functions that it has")

    def __array_function__(self, function: Any, kinds: Any, arguments: Any, keywords: Any) -> "Scalar":
        if function is np.where and len(arguments) == 3 and not keywords:
            return where(*arguments)
        raise _Untraceable(f"np.{function.__name__} works on arrays, and this is one number")


def _operand(x: Any) -> "Scalar":
    """A Scalar of an operand; numbers become literals."""
    if isinstance(x, Scalar):
        return x
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, bool):
        return Scalar("true" if x else "false", "bool")
    if isinstance(x, int):
        return Scalar(str(x), None, _ATOM if x >= 0 else _UNARY)
    if isinstance(x, float):
        if x != x:
            return Scalar("nan", None)
        text = repr(abs(x)) if abs(x) != float("inf") else "inf"
        return Scalar(("-" if x < 0 else "") + text, None, _UNARY if x < 0 else _ATOM)
    raise _Untraceable(f"{x!r} is a {type(x).__name__}, and expressions are made of numbers")


def _inside(x: Scalar, level: int, right: bool = False) -> str:
    """The text of an operand of an operator of a level."""
    return f"({x.text})" if x._level < level or (right and x._level == level) else x.text


def _meet(name: str, a: Scalar, b: Scalar) -> Optional[str]:
    if a.type is not None and b.type is not None and a.type != b.type:
        raise _Untraceable(f"{a.text} is {a.type} and {b.text} is {b.type}, and '{name}' takes two of one type",
                           "nothing is converted unasked; a type converts, such as fp32(x)")
    return a.type if a.type is not None else b.type


def _binary(name: str, a: Any, b: Any, level: int) -> Scalar:
    a, b = _operand(a), _operand(b)
    kind = a.type if name in ("<<", ">>") else _meet(name, a, b)
    return Scalar(f"{_inside(a, level)} {name} {_inside(b, level, right=True)}", kind, level)


def _bits(name: str, condition: str, a: Any, b: Any) -> Scalar:
    a, b = _operand(a), _operand(b)
    if "bool" in (a.type, b.type):
        _meet(name, a, b)
        level = {"&&": _AND, "||": _OR, "!=": _COMPARE}[condition]
        return Scalar(f"{_inside(a, level, right=True)} {condition} {_inside(b, level, right=True)}", "bool", level)
    return _binary(name, a, b, _PRODUCT if name == "&" else _SUM)


def _compare(name: str, a: Any, b: Any) -> Scalar:
    a, b = _operand(a), _operand(b)
    _meet(name, a, b)
    return Scalar(f"{_inside(a, _COMPARE, right=True)} {name} {_inside(b, _COMPARE, right=True)}", "bool", _COMPARE)


def _is_float(kind: Optional[str]) -> bool:
    return kind is not None and "float" in kind


def _divide(a: Any, b: Any) -> Scalar:
    a, b = _operand(a), _operand(b)
    kind = _meet("/", a, b)
    if kind is not None and not _is_float(kind):
        raise _Untraceable(f"{a.text} / {b.text} would be a quotient of {kind}, which Python makes a float and MDH rounds down",
                           "write // where it is to be rounded down, or convert first: fp64(a) / fp64(b)")
    return _binary("/", a, b, _PRODUCT)


def _floor_divide(a: Any, b: Any) -> Scalar:
    a, b = _operand(a), _operand(b)
    return call("floor", _divide(a, b)) if _is_float(_meet("//", a, b)) else _binary("/", a, b, _PRODUCT)


def call(name: str, *arguments: Any) -> Scalar:
    """A builtin function of Ricci (docs/builtins.md)."""
    operands = [_operand(x) for x in arguments]
    kind: Optional[str] = None
    for x in operands:
        kind = _meet(name, Scalar("", kind), x) if kind is not None else x.type
    return Scalar(f"{name}({', '.join(x.text for x in operands)})", kind)


def where(condition: Any, a: Any, b: Any) -> Scalar:
    """``a`` where the condition holds, else ``b``; as ``np.where`` of three."""
    c, a, b = _operand(condition), _operand(a), _operand(b)
    if c.type != "bool":
        raise _Untraceable(f"{c.text} is no condition", "compare it with something: x != 0")
    kind = _meet("where", a, b)
    return Scalar(f"if {_inside(c, _OR)} then {_inside(a, _OR)} else {_inside(b, _CHOICE)}", kind, _CHOICE)


def minimum(a: Any, b: Any) -> Scalar:
    """The lesser of two."""
    return call("min", a, b)


def maximum(a: Any, b: Any) -> Scalar:
    """The greater of two."""
    return call("max", a, b)


def convert(kind: str, x: Any) -> Scalar:
    """x in another type."""
    return Scalar(f"{kind}({_operand(x).text})", kind)


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


class Access:
    """What a scalar function reads: ``inp['x']``, or ``inp['x', 1]`` of a buffer with several index functions."""

    def __init__(self, values: Dict[str, List[Scalar]], what: str):
        self._values = values
        self._what = what

    def __getitem__(self, key: Any) -> Scalar:
        name, number = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        found = self._values.get(name)
        if found is None:
            raise _Untraceable(f"there is no {self._what} {name!r}", f"there is {', '.join(map(repr, self._values))}")
        if number is None:
            if len(found) > 1:
                raise _Untraceable(f"{name!r} has {len(found)} index functions", f"say which: {self._what}['{name}', 1]")
            return found[0]
        if not isinstance(number, int) or not 1 <= number <= len(found):
            raise _Untraceable(f"{name!r} has {len(found)} index functions, counted from 1, and none is {number!r}")
        return found[number - 1]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise _Untraceable(f"{self._what}[{key!r}] is only read here")


class Results(Access):
    """What a scalar function gives: ``out['w'] = …``."""

    def __init__(self, counts: Dict[str, int]):
        super().__init__({}, "out")
        self._counts = counts
        self.found: Dict[Tuple[str, int], Scalar] = {}

    def _place(self, key: Any) -> Tuple[str, int]:
        name, number = key if isinstance(key, tuple) and len(key) == 2 else (key, 1 if self._counts.get(key, 1) == 1 else None)
        if name not in self._counts:
            raise _Untraceable(f"there is no output {name!r}", f"there is {', '.join(map(repr, self._counts))}")
        if not isinstance(number, int) or not 1 <= number <= self._counts[name]:
            raise _Untraceable(f"{name!r} has {self._counts[name]} index functions, which are counted from 1", f"out['{name}', 1] = …")
        return name, number

    def __getitem__(self, key: Any) -> Scalar:
        place = self._place(key)
        if place not in self.found:
            raise _Untraceable(f"out[{key!r}] is read before it has a value")
        return self.found[place]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.found[self._place(key)] = _operand(value)

    def texts(self) -> List[str]:
        """The expressions in the order of the outputs."""
        out = []
        for name, count in self._counts.items():
            for number in range(1, count + 1):
                if (name, number) not in self.found:
                    raise _Untraceable(f"out['{name}'{f', {number}' if count > 1 else ''}] gets no value")
                out.append(self.found[name, number].text)
        return out


def trace(body: Callable, *arguments: Any, at: Optional[Callable] = None) -> Any:
    """Calls a function with operands. What goes wrong becomes an error at its line, or at that of the function ``at``, which it calls."""
    at = at or body
    try:
        return body(*arguments)
    except _Untraceable as e:
        raise located(at, e, e.message, e.help) from None
    except (TypeError, NameError, AttributeError, ValueError, KeyError) as e:
        raise located(at, e, f"{type(e).__name__}: {e}", "") from e


def untraceable(body: Callable, message: str, help: str = "") -> TraceError:
    """An error about a function as a whole."""
    return located(body, None, message, help)


def located(body: Callable, e: Optional[BaseException], message: str, help: str) -> TraceError:
    """An error at the line of a function that was reached, or at its first line."""
    code = getattr(body, "__code__", None)
    path, line, column, length = ("", 0, 0, 0) if code is None else (code.co_filename, code.co_firstlineno, 0, 0)
    frames = traceback.extract_tb(e.__traceback__) if e is not None else []
    inside = [f for f in frames if code is not None and f.filename == code.co_filename]
    if inside:
        frame = inside[-1]
        line = frame.lineno or line
        start, end = getattr(frame, "colno", None), getattr(frame, "end_colno", None)  # from Python 3.11 on
        if start is not None and getattr(frame, "end_lineno", line) == line:
            column, length = start + 1, max(1, end - start)
    return TraceError(*_rendered(path, line, column, length, message, help))


def _rendered(path: str, line: int, column: int, length: int, message: str, help: str) -> Tuple[str, Sequence[Diagnostic]]:
    name = os.path.basename(path)
    text = linecache.getline(path, line).rstrip("\n")
    if text and not column:
        column, length = len(text) - len(text.lstrip()) + 1, len(text.strip())
    lines = [f"{name}:{line}:{column}: error: {message}"]
    if text:
        number = f"{line:>3} | "
        lines += [number + text, " " * (len(number) - 2) + "| " + " " * (column - 1) + "^" * length]
    if help:
        lines.append(f"  help: {help}")
    rendered = "\n".join(lines)
    place = {"file": path, "line": line, "column": column, "length": length}
    return rendered, [Diagnostic({"message": message, "help": help, "place": place, "rendered": rendered})]
