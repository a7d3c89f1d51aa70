"""Calls small Python functions over scalars once, and finds the line of what goes wrong.

What cannot be traced (an ``if`` on a value, ``math.sqrt``) is an error that points at the line of the
function.
"""

import inspect
import linecache
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ..errors import ArgumentError, ArgumentTypeError, Diagnostic, ProgramError
from .expression import Scalar, Untraceable, operand


class TraceError(ProgramError):
    """A function cannot be traced; the text has its line."""


class Line(NamedTuple):
    """A line of a file."""

    path: str
    number: int


def caller() -> Line:
    """The innermost line that is not of this package."""
    here, frame = os.path.dirname(os.path.dirname(os.path.abspath(__file__))), sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(here + os.sep):
        frame = frame.f_back
    return Line(frame.f_code.co_filename, frame.f_lineno)


class Access:
    """What a scalar function reads: ``inp['x']``, or ``inp['x', 1]`` of a buffer with several index functions."""

    def __init__(self, values: Dict[str, List[Scalar]], what: str):
        self._values = values
        self._what = what

    def __getitem__(self, key: Any) -> Scalar:
        name, number = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        found = self._values.get(name)
        if found is None:
            raise Untraceable(f"there is no {self._what} {name!r}", f"there is {', '.join(map(repr, self._values))}")
        if number is None:
            if len(found) > 1:
                raise Untraceable(f"{name!r} has {len(found)} index functions", f"say which: {self._what}['{name}', 1]")
            return found[0]
        if not isinstance(number, int) or not 1 <= number <= len(found):
            raise Untraceable(f"{name!r} has {len(found)} index functions, counted from 1, and none is {number!r}")
        return found[number - 1]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise Untraceable(f"{self._what}[{key!r}] is only read here")


class Results(Access):
    """What a scalar function gives: ``out['w'] = …``."""

    def __init__(self, counts: Dict[str, int]):
        super().__init__({}, "out")
        self._counts = counts
        self.found: Dict[Tuple[str, int], Scalar] = {}

    def _place(self, key: Any) -> Tuple[str, int]:
        name, number = key if isinstance(key, tuple) and len(key) == 2 else (key, 1 if self._counts.get(key, 1) == 1 else None)
        if name not in self._counts:
            raise Untraceable(f"there is no output {name!r}", f"there is {', '.join(map(repr, self._counts))}")
        if not isinstance(number, int) or not 1 <= number <= self._counts[name]:
            raise Untraceable(f"{name!r} has {self._counts[name]} index functions, which are counted from 1", f"out['{name}', 1] = …")
        return name, number

    def __getitem__(self, key: Any) -> Scalar:
        place = self._place(key)
        if place not in self.found:
            raise Untraceable(f"out[{key!r}] is read before it has a value")
        return self.found[place]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.found[self._place(key)] = operand(value)

    def scalars(self) -> List[Scalar]:
        """The values in the order of the outputs."""
        out = []
        for name, count in self._counts.items():
            for number in range(1, count + 1):
                if (name, number) not in self.found:
                    raise Untraceable(f"out['{name}'{f', {number}' if count > 1 else ''}] gets no value")
                out.append(self.found[name, number])
        return out


def takes(function: Callable, count: int) -> int:
    """How many arguments a function wants: so many if it can be called with them, parameters with a value aside; else those that it has."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    wanted = [p for p in found if p.default is p.empty]
    return count if count in (len(wanted), len(found)) else len(found)


def trace(body: Callable, *arguments: Any, at: Optional[Callable] = None) -> Any:
    """Calls a function with operands. What goes wrong becomes an error at its line, or at that of the function ``at``, which it calls."""
    at = at or body
    try:
        return body(*arguments)
    except Untraceable as e:
        raise located(at, e, e.message, e.help) from None
    except ProgramError:
        raise
    except (ArgumentError, ArgumentTypeError) as e:
        raise located(at, e, e.message, "") from None
    except RecursionError:
        raise located(at, None, "the function calls itself without end", "what ends a recursion has to be a number of Python: a Scalar decides nothing while it is traced") from None
    except (TypeError, NameError, AttributeError, ValueError, KeyError, IndexError, ZeroDivisionError) as e:
        raise located(at, e, f"{type(e).__name__}: {e}", "") from e


def untraceable(body: Callable, message: str, help: str = "") -> TraceError:
    """An error about a function as a whole."""
    return located(body, None, message, help)


def located(body: Any, e: Optional[BaseException], message: str, help: str) -> TraceError:
    """An error at the line of a function that was reached, at its first line, or at a line."""
    if isinstance(body, Line):
        return TraceError(*rendered(body, 0, 0, message, help))
    code = getattr(body, "__code__", None)
    line, column, length = _first_line(body), 0, 0
    frames = traceback.extract_tb(e.__traceback__) if e is not None else []
    inside = [f for f in frames if code is not None and f.filename == code.co_filename]
    if inside:
        frame = inside[-1]
        line = line._replace(number=frame.lineno or line.number)
        start, end = getattr(frame, "colno", None), getattr(frame, "end_colno", None)  # from Python 3.11 on
        if start is not None and getattr(frame, "end_lineno", line.number) == line.number:
            column, length = start + 1, max(1, end - start)
    return TraceError(*rendered(line, column, length, message, help))


def _first_line(body: Callable) -> Line:
    code = getattr(body, "__code__", None)
    return Line("", 0) if code is None else Line(code.co_filename, code.co_firstlineno)


def rendered(at: Any, column: int, length: int, message: str, help: str = "") -> Tuple[str, List[Diagnostic]]:
    """The text of an error at a line, or at the first line of a function, and its diagnostic."""
    path, line = at if isinstance(at, Line) else _first_line(at)
    text = linecache.getline(path, line).rstrip("\n")
    if text and not column:
        column, length = len(text) - len(text.lstrip()) + 1, len(text.strip())
    lines = [(f"{os.path.basename(path)}:{line}:{column}: " if path else "") + f"error: {message}"]
    if text:
        number = f"{line:>3} | "
        lines += [number + text, " " * (len(number) - 2) + "| " + " " * (column - 1) + "^" * length]
    if help:
        lines.append(f"  help: {help}")
    found = "\n".join(lines)
    place = {"file": path, "line": line, "column": column, "length": length}
    return found, [Diagnostic({"message": message, "help": help, "place": place, "rendered": found})]
