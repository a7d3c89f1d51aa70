"""The decorator ``mdh``: a decorated function becomes a program of MDH, and that a function on arrays."""

import functools
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import fast, program
from ..errors import ArgumentError, ArgumentTypeError, Diagnostic, ProgramError
from ..function import Function
from ..options import Options
from . import composition, trace
from .composition import Composed, Value
from .elements import Record
from .parts import BufferType, Declared, Homomorphism, View, flatten
from .writer import Scope, Writer


def mdh(*declared: Declared, options: Optional[Options] = None) -> Callable[[Callable], Function]:
    """The decorator of a computation: a function without parameters that returns ``out_view``, ``md_hom`` and ``inp_view``.

    A function with parameters is a composition: its parameters are its inputs, it applies other
    decorated functions to them, and returns its outputs.
    """
    buffers: Dict[str, Dict[str, BufferType]] = {"out": {}, "inp": {}}
    for d in declared:
        if not isinstance(d, Declared):
            raise ArgumentTypeError(f"mdh takes out(…) and inp(…), and no {type(d).__name__}: @mdh(out(y = Buffer[…]), inp(x = Buffer[…]))")
        buffers[d.role].update(d.buffers)

    def decorate(body: Callable) -> Function:
        kind = Composed if inspect.signature(body).parameters else Single
        definition = kind(body, buffers["out"], buffers["inp"])
        scope = Scope()
        name, _ = definition.write(scope)
        text = "\n".join(line for line, _ in scope.lines) + "\n"
        try:
            found = program.program(text, notation="mdh", name=body.__name__ if body.__name__.isidentifier() else "mdh", options=options)
        except ProgramError as e:
            raise _placed(e, scope) from None
        made = fast.function_class(Computation)(found._source, found.defs[name], found.options)
        made.definition = definition
        made.text = text
        functools.update_wrapper(made, body, updated=())
        made.__signature__ = made._signature.for_python()
        return made

    return decorate


def _placed(e: ProgramError, scope: Scope) -> ProgramError:
    """An error of the text as one at the line of the function that the text is for."""
    place = next((d.place for d in e.diagnostics if d.place and d.severity == "error"), None)
    origin = scope.lines[place.line - 1][1] if place and 0 < place.line <= len(scope.lines) else None
    if origin is None:
        return e
    code = next((f"[{d.code}]" for d in e.diagnostics if d.code), "")
    text, found = trace.rendered(origin, 0, 0, f"what is traced from here is wrong{code}:")
    made = "\n  ".join(str(e).split("\n"))
    found[0].code = e.diagnostics[0].code
    return ProgramError(f"{text}\n  {made}", [Diagnostic({**vars(found[0]), "message": e.diagnostics[0].message, "place": vars(found[0].place)}), *e.diagnostics])


class Single:
    """A computation: a function that returns its three parts."""

    def __init__(self, body: Callable, outputs: Dict[str, BufferType], inputs: Dict[str, BufferType]):
        self.body, self.outputs, self.inputs = body, outputs, inputs

    def write(self, scope: Scope) -> Tuple[str, List[str]]:
        """Adds it to a program, if it is not there; its name and its sizes."""
        if id(self) not in scope.written:
            found = flatten((trace.trace(self.body),))
            if len(found) != 3 or not isinstance(found[0], View) or not isinstance(found[1], Homomorphism) or not isinstance(found[2], View) \
                    or (found[0].role, found[2].role) != ("out_view", "inp_view"):
                raise trace.untraceable(self.body, f"{self.body.__name__} returns no out_view, md_hom and inp_view", "return (out_view[…](…), md_hom[…](…), inp_view[…](…))")
            name = scope.reserve(self.body.__name__)
            scope.written[id(self)] = name, Writer(scope, self.body, *found, self.outputs, self.inputs).write(name)
        return scope.written[id(self)]


class Computation(Function):
    """A function that was made by ``mdh``: of arrays, or, in a composition, of its buffers."""

    definition: Any = None

    def _slow(self, args: Sequence[Any], named: Optional[Dict[str, Any]]) -> Any:
        named = dict(named or {})
        if self.definition is None:  # pickled: for arrays alone
            return super()._slow(args, named)
        if any(isinstance(x, Value) for x in (*args, *named.values())) or (composition.is_tracing() and not self.definition.inputs):
            return composition.apply(self.definition, args, named)
        return super()._slow(*self._taken_apart(args, named))

    def _taken_apart(self, args: Sequence[Any], named: Dict[str, Any]) -> Tuple[Sequence[Any], Dict[str, Any]]:
        """Structured arrays as one array for each field."""
        d = self.definition
        records = {n: b.type for n, b in d.inputs.items() if isinstance(b.type, Record)}
        if not any(_is_structured(x) for x in (*args, *named.values())):
            return args, named
        order = [n for n in d.inputs if n not in d.outputs] + [n for n in d.outputs if n in d.inputs]
        found: List[Any] = []
        rest = list(args)
        for name in order:
            if not rest:
                break
            if name in records and not _is_structured(rest[0]):
                count = len(records[name].fields)
            else:
                count = 1
            taken, rest = rest[:count], rest[count:]
            found += _fields(taken[0], name, records[name]) if name in records and _is_structured(taken[0]) else taken
        for name in [n for n in named if n in records]:
            given = named.pop(name)
            named.update(zip([f"{name}_{f}" for f in records[name].fields], _fields(given, name, records[name])))
        return [*found, *rest], named


def _is_structured(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.names is not None


def _fields(x: Any, name: str, record: Record) -> List[np.ndarray]:
    if not _is_structured(x):
        raise ArgumentError(f"{name} is a buffer of records; give a structured array, or an array for each field: {', '.join(f'{name}_{f}' for f in record.fields)}")
    missing = [f for f in record.fields if f not in x.dtype.names]
    if missing:
        raise ArgumentError(f"the array {name} has no field {missing[0]!r}; {record.name} has {', '.join(record.fields)}, and the array {', '.join(x.dtype.names)}")
    return [x[f] for f in record.fields]
