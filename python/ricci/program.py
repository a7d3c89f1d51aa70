"""Programs: texts and files of any notation, checked by the service, and their defs as functions."""

import ast
import inspect
import os
import textwrap
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from . import service, types
from .errors import ArgumentError, ArgumentTypeError, Diagnostic, ProgramError, ProgramWarning
from .function import Function, make
from .options import Options
from .worlds import Strands


class Param(NamedTuple):
    """A parameter of a def, as the program declares it."""

    name: str
    type: types.ElementType
    dims: Tuple[str, ...]  # expressions over sizes
    in_out: bool = False  # an output whose old value is read
    size: bool = False  # an integer whose value decides about ranges: a kernel is for one value


class Def:
    """A def of a program: its parameters in the order of a call, and what it assumes."""

    def __init__(self, fields: Dict[str, Any]):
        self.name: str = fields["name"]
        self.signature: str = fields["signature"]
        self.inputs = [_param(p) for p in fields["inputs"]]
        self.outputs = [_param(p) for p in fields["outputs"]]
        self.sizes: List[str] = [s["name"] for s in fields.get("sizes") or []]
        # Sizes that no input has: a call gives them.
        self.free_sizes: List[str] = [s["name"] for s in fields.get("sizes") or [] if not s.get("origin")]
        self.conditions: List[str] = [c["text"] for c in fields.get("conditions") or []]


def _param(p: Dict[str, Any]) -> Param:
    return Param(p["name"], types.BY_NAME[p["dtype"]], tuple(p.get("dims") or ()), bool(p.get("in_out")), bool(p.get("size")))


class Program:
    """A program that has been checked; ``program.mm`` and ``program["mm"]`` are its defs as functions."""

    def __init__(self, source: Dict[str, Any], options: Optional[Options] = None):
        self._source = source
        self.options = options or Options()
        answer = service.ask("check", {"program": source})
        self.warnings = [Diagnostic(w) for w in answer.get("warnings") or []]
        _warn(self.warnings, answer.get("rendered", ""), self.options)
        self.defs = {d["name"]: Def(d) for d in answer["defs"]}
        # The strands of a program of Diderot; None where there are none.
        self.strands: Optional[Strands] = Strands(self, answer["strands"]) if answer.get("strands") else None
        self._functions: Dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self.defs:
            raise KeyError(f"there is no def {name!r}; the program has {', '.join(self.defs)}")
        if name not in self._functions:
            self._functions[name] = make(self._source, self.defs[name], self.options)
        return self._functions[name]

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_") or name not in self.__dict__.get("defs", {}):
            raise AttributeError(f"the program has no def {name!r}; it has {', '.join(self.__dict__.get('defs', {}))}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.defs)

    def __len__(self) -> int:
        return len(self.defs)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.defs]

    def __repr__(self) -> str:
        return "\n".join([*(d.signature for d in self.defs.values()), *([repr(self.strands)] if self.strands else [])])

    def _repr_html_(self) -> str:
        from .display import program_html

        return program_html(self)


def _warn(found: List[Diagnostic], rendered: str, options: Options) -> None:
    if not found or options.warnings == "ignore":
        return
    text = rendered.rstrip("\n") or "\n".join(d.rendered for d in found)
    if options.warnings == "error":
        raise ProgramError(text, found)
    warnings.warn(ProgramWarning(text), stacklevel=_outside())


def _outside() -> int:
    """How far up the first caller outside of this package is, for the place of a warning."""
    here, level, frame = os.path.join(os.path.dirname(os.path.abspath(__file__)), ""), 1, inspect.currentframe()
    frame = frame.f_back if frame else None
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(here):
        frame, level = frame.f_back, level + 1
    return level


def program(text: str, *, notation: str = "tc", name: str = "input", options: Optional[Options] = None, double: bool = False, long_int: bool = False,
            constants: Optional[Dict[str, Any]] = None, **others: Any) -> Program:
    """Checks a program in any notation (``tc``, ``mdh``, ``teil``, ``teml``, ``diderot``).

    ``double`` and ``long_int`` make reals and integers of Diderot wider, ``constants`` has values of its constants.
    """
    return Program({"text": text, "notation": notation, "name": name, **_widths(double, long_int, constants)}, _options(options, others))


def load(path: Any, *, options: Optional[Options] = None, double: bool = False, long_int: bool = False, constants: Optional[Dict[str, Any]] = None,
         **others: Any) -> Program:
    """Checks a file; its extension says in which notation it is. It may import others beside it. Otherwise as ``program``."""
    path = os.path.abspath(os.fspath(path))
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}")
    return Program({"path": path, **_widths(double, long_int, constants)}, _options(options, others))


def strands(source: Any, **settings: Any) -> Strands:
    """The strands of a program of Diderot: of its text, or of a file with the extension .diderot. Settings are those of ``program``."""
    if isinstance(source, os.PathLike) or isinstance(source, str) and "\n" not in source and source.endswith(".diderot"):
        found = load(source, **settings)
    elif isinstance(source, str):
        found = program(source, notation="diderot", **settings)
    else:
        raise ArgumentTypeError(f"ricci.strands takes the text of a program, or a file, and this is a {type(source).__name__}")
    if found.strands is None:
        raise ArgumentError("the program has no strands" + (f"; it has the defs {', '.join(found.defs)}" if found.defs else ""))
    return found.strands


def _widths(double: bool, long_int: bool, constants: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    out: Dict[str, Any] = {}
    if double:
        out["double"] = True
    if long_int:
        out["long_int"] = True
    if constants:
        out["constants"] = {n: _constant(v) for n, v in constants.items()}
    return out


def _constant(x: Any) -> str:
    return str(x).lower() if isinstance(x, (bool, np.bool_)) else str(x)


def compile(text: str, name: Optional[str] = None, *, notation: str = "tc", options: Optional[Options] = None, **others: Any) -> Function:
    """A def of a program as a function on arrays: the only one, or the one that is named.

    >>> mm = ricci.compile("def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k)*B(k,j) }")
    >>> C = mm(A, B)

    Errors of the program come here; kernels are compiled at the first call for new shapes. Other
    keywords are those of ``Options``.
    """
    if not isinstance(text, str):
        raise ArgumentTypeError(f"ricci.compile takes the text of a program, and this is a {type(text).__name__}" + ("; @ricci.function takes it from a docstring" if callable(text) else ""))
    found = program(text, notation=notation, options=options, **others)
    return choose(found, name)


def choose(found: Program, name: Optional[str]) -> Function:
    """The def of a name, or the only one."""
    if name is not None:
        if name not in found.defs:
            raise ArgumentError(f"there is no def {name!r}; the program has {', '.join(found.defs)}")
        return found[name]
    if not found.defs:
        raise ArgumentError("the program has no defs" + ("; its strands are those of ricci.strands(text)" if found.strands else ""))
    if len(found.defs) != 1:
        raise ArgumentError(f"the program has {len(found.defs)} defs ({', '.join(found.defs)}); say which is meant: ricci.compile(text, 'NAME')")
    return found[next(iter(found.defs))]


def function(body: Optional[Callable] = None, *, options: Optional[Options] = None, **others: Any) -> Any:
    """A decorator: the docstring has the program, and what stands before its first def is prose.

    >>> @ricci.function
    ... def mm(A, B):
    ...     '''The product of two matrices.
    ...
    ...     def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k)*B(k,j) }
    ...     '''
    """
    if body is None:
        return lambda f: function(f, options=options, **others)
    if not inspect.isfunction(body):
        raise ArgumentTypeError(f"ricci.function decorates functions, and this is {body!r:.60}")
    text, line = _docstring(body)
    lines = text.split("\n")
    first = next((k for k, l in enumerate(lines) if l.split()[:1] in (["def"], ["import"])), None)
    if first is None:
        raise ProgramError(f"the docstring of {body.__name__} has no program: no line begins with 'def'")
    # Lines keep their numbers, so that messages point into the file of the decorated function.
    source = "\n" * (line - 1 + first) + "\n".join(lines[first:])
    found = program(source, name=os.path.basename(body.__code__.co_filename), options=options, **others)
    made = choose(found, body.__name__ if body.__name__ in found.defs else None)
    made.rename(list(inspect.signature(body).parameters), body)
    return made


def _docstring(body: Callable) -> Tuple[str, int]:
    """The docstring as it stands in the file, and the line on which it begins."""
    try:
        lines, start = inspect.getsourcelines(body)
        node = ast.parse(textwrap.dedent("".join(lines))).body[0].body[0]  # type: ignore[attr-defined]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return node.value.value, start + node.lineno - 1
    except (OSError, TypeError, SyntaxError, AttributeError, IndexError):
        pass
    return body.__doc__ or "", 1


def _options(options: Optional[Options], others: Dict[str, Any]) -> Options:
    if options is not None and not isinstance(options, Options):
        raise ArgumentTypeError(f"options is a {type(options).__name__}, and no ricci.Options")
    return (options or Options()).replace(**others) if others else options or Options()
