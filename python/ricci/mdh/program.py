"""The parts of a computation of MDH as Python objects, and the text of MDH that they mean."""

import functools
import inspect
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import program, types
from ..errors import ArgumentError, ArgumentTypeError
from ..function import Function
from ..options import Options
from . import trace
from .trace import INDEX, Access, Results, Scalar


class ScalarType:
    """A type of elements. Called with an operand of a scalar function it converts."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, x: Any) -> Scalar:
        return trace.convert(self.name, x)

    def __repr__(self) -> str:
        return self.name

    @classmethod
    def of(cls, x: Any) -> "ScalarType":
        """A type, or what NumPy takes for one."""
        if isinstance(x, ScalarType):
            return x
        element = types.of_dtype(np.dtype(x))
        if element is None:
            raise ArgumentTypeError(f"{x!r} is no type of elements that Ricci has; it has {', '.join(types.BY_NAME)}")
        return cls(element.name)


bool8 = ScalarType("bool")
int8, int16, int32, int64 = map(ScalarType, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(ScalarType, ("uint8", "uint16", "uint32", "uint64"))
fp16, bf16, fp32, fp64 = map(ScalarType, ("float16", "bfloat16", "float32", "float64"))


def sizes(names: str) -> Tuple[Scalar, ...]:
    """Sizes that a call finds in its arrays, instead of numbers: ``I, K = sizes("I, K")``."""
    found = tuple(Scalar(n, INDEX) for n in names.replace(",", " ").split())
    for s in found:
        if not s.text.isidentifier():
            raise ArgumentError(f"{s.text!r} is no name of a size")
    return found


def _static(x: Any) -> str:
    """The text of an extent or a subscript."""
    if isinstance(x, Scalar):
        return x.text
    try:
        return str(x.__index__())
    except AttributeError:
        raise ArgumentTypeError(f"{x!r} is no size: sizes are whole numbers, those of ricci.mdh.sizes, and sums of them") from None


class _Subscripted:
    """``Buffer[T, [I, K]]``, ``md_hom[I, K]`` … : what stands in the brackets makes it."""

    def __init__(self, make: Callable[..., Any], name: str):
        self._make, self._name = make, name

    def __getitem__(self, key: Any) -> Any:
        return self._make(*(key if isinstance(key, tuple) else (key,)))

    def __repr__(self) -> str:
        return self._name


class _Buffer(NamedTuple):
    type: ScalarType
    extents: Tuple[str, ...]


def _buffer(kind: Any, extents: Sequence[Any] = ()) -> _Buffer:
    return _Buffer(ScalarType.of(kind), tuple(map(_static, extents)))


Buffer = _Subscripted(_buffer, "Buffer")


class _Declared(NamedTuple):
    role: str
    buffers: Dict[str, _Buffer]


def out(**buffers: _Buffer) -> _Declared:
    """The outputs of a computation, by name."""
    return _Declared("out", buffers)


def inp(**buffers: _Buffer) -> _Declared:
    """The inputs of a computation, by name."""
    return _Declared("inp", buffers)


class _View:
    """A view: for each buffer the index functions of its accesses."""

    def __init__(self, role: str, kinds: Tuple[Any, ...]):
        self.role, self.kinds = role, [ScalarType.of(k) for k in kinds]
        self.accesses: Dict[str, List[Callable]] = {}

    def __call__(self, *inner: Any, **accesses: Any) -> Any:
        if inner:  # out_view[…](…)(the rest): composition
            return _flatten((self, *inner))
        for name, functions in accesses.items():
            self.accesses[name] = list(functions) if isinstance(functions, (list, tuple)) else [functions]
        return self


out_view = _Subscripted(lambda *kinds: _View("out_view", kinds), "out_view")
inp_view = _Subscripted(lambda *kinds: _View("inp_view", kinds), "inp_view")


class _Combine(NamedTuple):
    kind: str
    function: Optional[Callable] = None


CC = _Combine("++")


def PW(function: Callable) -> _Combine:
    """Combines pointwise by a function ``(res, lhs, rhs)``."""
    return _Combine("pw", function)


def PS(function: Callable) -> _Combine:
    """The prefix sums by a function ``(res, lhs, rhs)``."""
    return _Combine("ps", function)


class _Homomorphism:
    def __init__(self, extents: Tuple[Any, ...]):
        self.extents = [_static(x) for x in extents]
        self.function: Optional[Callable] = None
        self.combines: List[_Combine] = []

    def __call__(self, function: Any, combines: Any = None) -> Any:
        if isinstance(function, (_View, tuple)):
            return _flatten((self, function))
        self.function = function
        self.combines = list(combines) if isinstance(combines, (tuple, list)) and not isinstance(combines, _Combine) else [combines]
        return self


md_hom = _Subscripted(lambda *extents: _Homomorphism(extents), "md_hom")


def _flatten(parts: Any) -> Tuple[Any, ...]:
    out: List[Any] = []
    for p in parts:
        out += _flatten(p) if isinstance(p, tuple) else [p]
    return tuple(out)


def mdh(*declared: _Declared, options: Optional[Options] = None) -> Callable[[Callable], Function]:
    """The decorator of a function without parameters that returns the three parts of a computation."""
    buffers: Dict[str, Dict[str, _Buffer]] = {"out": {}, "inp": {}}
    for d in declared:
        buffers[d.role].update(d.buffers)

    def decorate(body: Callable) -> Function:
        text = _Writer(body, buffers["out"], buffers["inp"]).text()
        made = program.compile(text, notation="mdh", options=options)
        functools.update_wrapper(made, body, updated=())
        made.text = text
        return made

    return decorate


class _Writer:
    """Writes the text of MDH for the body of a decorated function."""

    def __init__(self, body: Callable, outputs: Dict[str, _Buffer], inputs: Dict[str, _Buffer]):
        self.body, self.outputs, self.inputs = body, outputs, inputs
        self.operators: List[str] = []  # definitions
        self.names: Dict[Any, str] = {}

    def text(self) -> str:
        """The program."""
        parts = _flatten((self.body(),))
        if len(parts) != 3 or not isinstance(parts[0], _View) or not isinstance(parts[1], _Homomorphism) or not isinstance(parts[2], _View) \
                or (parts[0].role, parts[2].role) != ("out_view", "inp_view"):
            raise trace.untraceable(self.body, f"{self.body.__name__} returns no out_view, md_hom and inp_view", "return (out_view[…](…), md_hom[…](…), inp_view[…](…))")
        view_out, hom, view_inp = parts
        self._agree(view_out, self.outputs, "out")
        self._agree(view_inp, self.inputs, "inp")
        rank = len(hom.extents)
        if len(hom.combines) != rank:
            raise trace.untraceable(self.body, f"md_hom has {rank} dimensions and {len(hom.combines)} combine operators")
        out_text, inp_text = self._view(view_out, self.outputs, rank), self._view(view_inp, self.inputs, rank)
        scalar = self._scalar(hom, view_out, view_inp)
        combines = ", ".join(self._combine(c) for c in hom.combines)
        if rank == 1:
            combines += ","  # a tuple of one
        names = sorted({w for w in self._sizes(hom)})
        head = self.body.__name__ + (f"<{', '.join(names)}>" if names else "")
        lines = [*self.operators, f"{head} :=", f"  {out_text} o", f"  md_hom<{', '.join(hom.extents)}>({scalar}, ({combines})) o", f"  {inp_text}"]
        return "\n".join(lines) + "\n"

    def _agree(self, view: _View, declared: Dict[str, _Buffer], role: str) -> None:
        for name in view.accesses:
            if name not in declared:
                raise trace.untraceable(self.body, f"{view.role} has {name!r}, which {role}(…) does not declare", f"declared: {', '.join(declared)}")
        for name in declared:
            if name not in view.accesses:
                raise trace.untraceable(self.body, f"{role}(…) declares {name!r}, and {view.role} has no index function for it")
        kinds = [declared[name].type.name for name in view.accesses]
        if view.kinds and [k.name for k in view.kinds] != kinds:
            raise trace.untraceable(self.body, f"{view.role} has the types {view.kinds}, and its buffers {', '.join(view.accesses)} are declared as {', '.join(kinds)}")

    def _sizes(self, hom: _Homomorphism) -> List[str]:
        """The names of sizes, which are the words in extents."""
        texts = [*hom.extents, *(e for b in (*self.outputs.values(), *self.inputs.values()) for e in b.extents)]
        words = "".join(c if c.isalnum() or c == "_" else " " for t in texts for c in t + " ").split()
        return [w for w in words if not w[0].isdigit() and w not in ("min", "max")]

    def _view(self, view: _View, declared: Dict[str, _Buffer], rank: int) -> str:
        kinds, buffers = [], []
        for name, functions in view.accesses.items():
            b = declared[name]
            kinds.append(b.type.name + (f"[{', '.join(b.extents)}]" if b.extents else ""))
            buffers.append(f"{name}: " + ", ".join(self._index(f, name, rank, len(b.extents)) for f in functions))
        return f"{view.role}<{', '.join(kinds)}>({', '.join(buffers)})"

    def _index(self, function: Callable, buffer: str, rank: int, dims: int) -> str:
        names = [f"i{k + 1}" for k in range(rank)]
        if len(inspect.signature(function).parameters) != rank:
            count = len(inspect.signature(function).parameters)
            raise trace.untraceable(function, f"the index function of {buffer!r} has {count} parameters, and md_hom {rank} dimensions")
        found = trace.trace(function, *[Scalar(n, INDEX) for n in names])
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != dims:
            raise trace.untraceable(function, f"an index function of {buffer!r} gives {len(found)} subscripts, and {buffer!r} is declared with {dims} dimensions")
        return f"({', '.join(names)}) -> ({', '.join(map(_static, found))})"

    def _scalar(self, hom: _Homomorphism, view_out: _View, view_inp: _View) -> str:
        values: Dict[str, List[Scalar]] = {}
        for name, functions in view_inp.accesses.items():
            kind = self.inputs[name].type.name
            many = len(functions) > 1
            values[name] = [Scalar(f"{name}_{k + 1}" if many else name, kind) for k in range(len(functions))]
        results = Results({name: len(functions) for name, functions in view_out.accesses.items()})
        function = hom.function
        extra = len(inspect.signature(function).parameters) - 2
        if extra not in (0, len(hom.extents)):
            raise trace.untraceable(function, f"{function.__name__} has {extra + 2} parameters; a scalar function has (out, inp), "
                                    f"and behind them may have the {len(hom.extents)} indices")
        indices = [f"i{k + 1}" for k in range(len(hom.extents))]

        def run() -> List[str]:
            function(results, Access(values, "inp"), *[Scalar(n, INDEX) for n in indices[:extra]])
            return results.texts()

        found = trace.trace(run, at=function)
        parameters = ", ".join(v.text for vs in values.values() for v in vs)
        return f"({parameters}{' | ' + ', '.join(indices) if extra else ''}) -> {_tuple(found)}"

    def _combine(self, c: Any) -> str:
        if not isinstance(c, _Combine):
            raise trace.untraceable(self.body, f"{c!r} is no combine operator", "CC, PW(f) and PS(f) are")
        if c.function is None:
            return c.kind
        return f"{c.kind}({self._operator(c.function)})"

    def _operator(self, function: Callable) -> str:
        if function in self.names:
            return self.names[function]
        names = list(self.outputs)
        kinds = {n: b.type.name for n, b in self.outputs.items()}
        results = Results({n: 1 for n in names})
        left = {n: [Scalar(f"l_{n}", kinds[n])] for n in names}
        right = {n: [Scalar(f"r_{n}", kinds[n])] for n in names}

        def run() -> List[str]:
            function(results, Access(left, "lhs"), Access(right, "rhs"))
            return results.texts()

        found = trace.trace(run, at=function)
        if found == [f"l_{names[0]} + r_{names[0]}"]:
            return "+"
        self.names[function] = f"combine_{function.__name__}" if function.__name__.isidentifier() else f"combine_{len(self.names)}"
        sides = [_tuple([f"{s}_{n}" for n in names]) for s in "lr"]
        self.operators.append(f"op {self.names[function]}({', '.join(sides)}) = {_tuple(found)}")
        return self.names[function]


def _tuple(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
