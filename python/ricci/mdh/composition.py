"""Compositions: functions that apply computations of MDH to buffers, traced once."""

import contextvars
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from . import printing, trace
from .elements import Element, Record
from .expression import Scalar, SizeName, operand
from .parts import BufferType
from .writer import Locals, Scope


class Value:
    """A buffer while a composition is traced: an input, or what a step made."""

    def __init__(self, kind: Element, rank: int, base: str, name: Optional[str] = None):
        self.type, self.rank, self.base, self.name = kind, rank, base, name

    def __repr__(self) -> str:
        return f"<buffer {self.name or self.base} of {self.type}>"


class Step(NamedTuple):
    """A computation that is applied."""

    definition: Any
    arguments: Dict[str, Any]  # by the names of its inputs
    sizes: Dict[str, Any]
    results: Dict[str, Value]
    line: trace.Line


_tracing: "contextvars.ContextVar[Optional[List[Step]]]" = contextvars.ContextVar("composition", default=None)


def is_tracing() -> bool:
    """Whether the caller is the function of a composition."""
    return _tracing.get() is not None


def apply(definition: Any, args: Sequence[Any], named: Dict[str, Any]) -> Any:
    """A step of the composition that is traced; returns what it makes."""
    steps = _tracing.get()
    if steps is None:
        raise ArgumentError(f"{definition.body.__name__} is given a buffer of a composition outside of it")
    names = list(definition.inputs)
    if len(args) > len(names):
        raise ArgumentError(f"{definition.body.__name__} takes {len(names)} buffers ({', '.join(names)}), and {len(args)} are given")
    given = dict(zip(names, args))
    sizes: Dict[str, Any] = {}
    for name, x in named.items():
        if name in given:
            raise ArgumentError(f"{definition.body.__name__}: {name} is given twice")
        (given if name in names else sizes)[name] = x
    for name in names:
        if name not in given:
            raise ArgumentError(f"{definition.body.__name__}: the buffer {name} is missing")
        _fits(definition, name, given[name])
    results = {n: Value(b.type, len(b.extents), n) for n, b in definition.outputs.items()}
    steps.append(Step(definition, given, sizes, results, trace.caller()))
    made = tuple(results.values())
    return made[0] if len(made) == 1 else made


def _fits(definition: Any, name: str, x: Any) -> None:
    want: BufferType = definition.inputs[name]
    if isinstance(x, Value):
        if repr(x.type) != repr(want.type):
            raise ArgumentTypeError(f"{name} of {definition.body.__name__} has elements of {want.type}, and the buffer that is given of {x.type}")
        if x.rank != len(want.extents):
            raise ArgumentError(f"{name} of {definition.body.__name__} has {len(want.extents)} dimensions, and the buffer that is given {x.rank}")
    elif want.extents or isinstance(want.type, Record) or not isinstance(x, (bool, int, float, np.generic, Scalar)):
        raise ArgumentTypeError(f"{name} of {definition.body.__name__} is no buffer of the composition, but a {type(x).__name__}: arrays are its inputs")


class Composed:
    """A composition: a function of buffers."""

    def __init__(self, body: Callable, outputs: Dict[str, BufferType], inputs: Dict[str, BufferType]):
        self.body, self.outputs, self.inputs = body, outputs, inputs

    def write(self, scope: Scope) -> Tuple[str, List[str]]:
        """Adds it, and what it applies, to a program, if it is not there; its name and its sizes."""
        if id(self) not in scope.written:
            steps, returned = self._traced()
            name = scope.reserve(self.body.__name__)
            scope.written[id(self)] = name, _Writer(self, scope, steps, returned).write(name)
        return scope.written[id(self)]

    def _traced(self) -> Tuple[List[Step], Dict[str, Value]]:
        inputs = {n: Value(b.type, len(b.extents), n, n) for n, b in self.inputs.items()}
        parameters = self.body.__code__.co_varnames[:self.body.__code__.co_argcount]
        if sorted(parameters) != sorted(inputs):
            raise trace.untraceable(self.body, f"{self.body.__name__} has the parameters {', '.join(parameters)}, and inp(…) declares {', '.join(inputs) or 'nothing'}")
        steps: List[Step] = []
        token = _tracing.set(steps)
        try:
            found = trace.trace(lambda: self.body(**inputs), at=self.body)
        finally:
            _tracing.reset(token)
        if not isinstance(found, dict):
            listed = found if isinstance(found, (tuple, list)) else (found,)
            if len(listed) != len(self.outputs):
                raise trace.untraceable(self.body, f"{self.body.__name__} returns {len(listed)} values, and out(…) declares {', '.join(self.outputs)}")
            found = dict(zip(self.outputs, listed))
        self._check(found, inputs)
        return steps, found

    def _check(self, found: Dict[str, Any], inputs: Dict[str, Value]) -> None:
        if sorted(found) != sorted(self.outputs):
            raise trace.untraceable(self.body, f"{self.body.__name__} returns {', '.join(map(str, found))}, and out(…) declares {', '.join(self.outputs)}")
        for name, x in found.items():
            want = self.outputs[name]
            if not isinstance(x, Value) or any(x is v for v in inputs.values()):
                raise trace.untraceable(self.body, f"the output {name} of {self.body.__name__} is no result of a computation", "apply one to buffers: return matmul(A, B)")
            if repr(x.type) != repr(want.type) or x.rank != len(want.extents):
                raise trace.untraceable(self.body, f"the output {name} of {self.body.__name__} is declared as {want.type} with {len(want.extents)} dimensions, "
                                        f"and what is returned has {x.type} and {x.rank}")
        if len({id(x) for x in found.values()}) != len(found):
            raise trace.untraceable(self.body, f"two outputs of {self.body.__name__} are one buffer")


class _Writer:
    """Writes a composition that was traced."""

    def __init__(self, composed: Composed, scope: Scope, steps: List[Step], returned: Dict[str, Value]):
        self.composed, self.scope, self.steps, self.returned = composed, scope, steps, returned
        self.locals: Locals = scope.locals()
        self.sizes: set = set()

    def write(self, name: str) -> List[str]:
        applied = [s.definition.write(self.scope) for s in self.steps]
        c = self.composed
        inputs = [f"{n}: {self.scope.name(b.type)}" + (f"[{', '.join(map(self._static, b.extents))}]" if b.extents else "") for n, b in c.inputs.items()]
        for word in (*c.inputs, *(n for n in c.outputs if n not in c.inputs)):
            trace.trace(lambda: self.locals.take(word), at=c.body)
        self._name_results()
        lines = []
        for k, (s, (called, parameters)) in enumerate(zip(self.steps, applied)):
            text = trace.trace(lambda: self._step(s, called, parameters), at=s.line)  # type: ignore[arg-type]
            lines.append((f"    {text}" + (";" if k < len(self.steps) - 1 else ""), s.line))
        found = sorted(self.sizes)
        head = name + (f"<{', '.join(found)}>" if found else "") + " :="
        self.scope.lines += [*([("", None)] * bool(self.scope.lines)), (head, c.body), (f"  ({', '.join(inputs)}) -> ({', '.join(c.outputs)}) where", c.body), *lines]
        return found

    def _static(self, x: Any) -> str:
        return printing.static(x, self._name) if isinstance(x, Scalar) else self._name(x)

    def _name(self, x: Any) -> str:
        if isinstance(x, SizeName) and x not in self.sizes:
            self.sizes.add(str(x))
            self.locals.take(str(x))
        return str(x) if isinstance(x, SizeName) else self.scope.name(x)

    def _step(self, s: Step, called: str, parameters: List[str]) -> str:
        chosen = ""
        if s.sizes:
            wrong = [n for n in s.sizes if n not in parameters] or [n for n in parameters if n not in s.sizes]
            if wrong:
                raise ArgumentError(f"{called} has the sizes {', '.join(parameters) or '(none)'}; all of them are given, or none: {wrong[0]}")
            chosen = f"<{', '.join(self._static(s.sizes[n]) for n in parameters)}>"
        arguments = [x.name if isinstance(x, Value) else printing.inline(operand(x), self._name) for x in s.arguments.values()]
        return f"{printing.tuple_text([v.name for v in s.results.values()])} := {called}{chosen}({', '.join(arguments)})"  # type: ignore[misc]

    def _name_results(self) -> None:
        """The outputs have their names; what is updated in place on the way to one has the same; all else has names of its own."""
        for name, v in self.returned.items():
            v.name = name
            if name in self.composed.inputs:
                self._name_earlier(name, v)
        for s in self.steps:
            for v in s.results.values():
                v.name = v.name or self.locals.free(v.base)

    def _name_earlier(self, name: str, v: Value) -> None:
        while True:
            at, s = next((k, s) for k, s in enumerate(self.steps) if any(r is v for r in s.results.values()))
            own = next(n for n, r in s.results.items() if r is v)
            before = s.arguments.get(own)
            for later in self.steps[at + 1:]:
                if any(x is before for x in later.arguments.values()) and isinstance(before, Value):
                    raise trace.located(later.line, None, f"{name} is updated before this, and what it was is read here", "apply this computation before the update")
            if not isinstance(before, Value) or before.name is not None:
                return
            before.name, v = name, before
