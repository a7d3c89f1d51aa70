"""What a def takes: arguments sorted to its parameters, looked at, and described as layouts."""

import inspect
import keyword
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import arrays, card, types
from .arrays import View
from .errors import ArgumentError, ArgumentTypeError
from .image import Image

if TYPE_CHECKING:
    from .program import Def, Param

Key = Tuple[Any, ...]


class Arguments(NamedTuple):
    """The arguments of a call, sorted, in the order of the def."""

    inputs: List[View]
    outputs: List[Optional[View]]  # None: to be allocated
    given: List[Any]  # what the caller passed for each output: that is returned
    sizes: Dict[str, int]
    stream: Optional[int] = None  # of a card that arrays are on; None: all are on the processor


class Signature:
    """The parameters of a def, under the names that its callers use."""

    def __init__(self, definition: "Def"):
        self.definition = definition
        # Positional arguments: inputs, then what is updated in place.
        self.params: List["Param"] = definition.inputs + [p for p in definition.outputs if p.in_out]
        self.names = [p.name for p in self.params]

    def sort(self, args: Sequence[Any], named: Dict[str, Any], out: Any, sizes: Optional[Dict[str, int]], stream: Optional[int] = None) -> Arguments:
        """Assigns arguments to the parameters, and looks at each. Arrays may be on a card where there is a stream of it."""
        if sizes is not None and not isinstance(sizes, dict):
            raise ArgumentTypeError(f"sizes= is {sizes!r:.40}, and not a dict from names to numbers")
        sizes = dict(sizes or {})
        given: Dict[str, Any] = {}
        args, named = self._with_places(args, named)
        if len(args) > len(self.names):
            raise ArgumentError(f"{self.text()} takes {arrays.count_of(len(self.names), 'argument')}, and {len(args)} are given; outputs are given by out=")
        for name, x in zip(self.names, args):
            given[name] = x
        for name, x in named.items():
            if name in given:
                raise ArgumentError(f"{self.definition.name}: {name} is given twice")
            if name in self.names:
                given[name] = x
            elif name in self.definition.sizes:
                sizes[name] = x
            else:
                raise ArgumentError(f"{self.definition.name} has no parameter {name!r}; it is {self.text()}")
        outputs = self._outputs(out, given)
        missing = [n for n in self.names if n not in given]
        if missing:
            updated = any(p.name == missing[0] for p in self.params[len(self.definition.inputs):])
            why = "; the program reads what it holds before it is written, so it is updated in place" if updated else ""
            raise ArgumentError(f"{self.text()}: the argument {missing[0]} is missing{why}")
        for name in self.definition.free_sizes:
            if name not in sizes:
                raise ArgumentError(f"{self.definition.name}: no argument has the size {name}; give it: {self.definition.name}(…, {name}=64)")
        inputs = [self._look(given[n], p, stream=stream) for n, p in zip(self.names, self.definition.inputs)]
        views = []
        for p, x in zip(self.definition.outputs, outputs):
            views.append(None if x is None else self._look(x, p, written=True, stream=stream))
        there = any(v is not None and v.place[0] == card.KIND for v in (*inputs, *views))
        return Arguments(inputs, views, outputs, {n: _whole(v, n) for n, v in sizes.items()}, stream if there else None)

    def _with_places(self, args: Sequence[Any], named: Dict[str, Any]) -> Tuple[Sequence[Any], Dict[str, Any]]:
        """An ``Image`` as what functions of fields take: its array, its directions and its origin."""
        if not any(isinstance(x, Image) for x in (*args, *named.values())):
            return args, named
        found: List[Any] = []
        for x in args:
            name = self.names[len(found)] if len(found) < len(self.names) else ""
            found += self._places(name, x) if isinstance(x, Image) else [x]
        named = dict(named)
        for name, x in [(n, x) for n, x in named.items() if isinstance(x, Image)]:
            for part, given in zip((name, f"{name}_directions", f"{name}_origin"), self._places(name, x)):
                if part in named and part != name:
                    raise ArgumentError(f"{self.definition.name}: {part} is given twice")
                named[part] = given
        return found, named

    def _places(self, name: str, x: Image) -> List[Any]:
        origin = next((p for p in self.definition.inputs if p.name == f"{name}_origin"), None)
        if origin is None or not origin.dims[0].isdigit():
            raise ArgumentTypeError(f"{name} is an Image, and {self.definition.name} takes an array there: {name}.array")
        return [x.array, *(m.astype(origin.type.dtype) for m in x.matrix(int(origin.dims[0])))]

    def _outputs(self, out: Any, given: Dict[str, Any]) -> List[Any]:
        """What the caller passed for each output; None where it is to be allocated."""
        declared = self.definition.outputs
        if out is None:
            found: List[Any] = [None] * len(declared)
        elif isinstance(out, dict):
            unknown = [n for n in out if n not in [p.name for p in declared]]
            if unknown:
                raise ArgumentError(f"{self.definition.name} has no output {unknown[0]!r}; it has {', '.join(p.name for p in declared)}")
            found = [out.get(p.name) for p in declared]
        elif isinstance(out, (tuple, list)):
            if len(out) != len(declared):
                raise ArgumentError(f"out= has {arrays.count_of(len(out), 'array')}, and {self.definition.name} has {arrays.count_of(len(declared), 'output')}: {', '.join(p.name for p in declared)}")
            found = list(out)
        elif len(declared) == 1:
            found = [out]
        else:
            raise ArgumentError(f"{self.definition.name} has {len(declared)} outputs; give out= a tuple of arrays, or a dict by name")
        names = dict(zip([p.name for p in self.params], self.names))
        for k, p in enumerate(declared):
            if not p.in_out:
                continue
            name = names[p.name]
            if found[k] is None:
                found[k] = given.get(name)
            elif name in given and given[name] is not found[k]:
                raise ArgumentError(f"{self.definition.name}: {name} is updated in place, and out= names another array for it")
            if found[k] is not None:
                given[name] = found[k]
        return found

    def _look(self, x: Any, p: "Param", written: bool = False, stream: Optional[int] = None) -> View:
        """An argument as a view, with the type and rank of its parameter."""
        if not p.dims and not written and (isinstance(x, (bool, int, float, np.generic)) or not _is_array(x)):
            return arrays.scalar(x, p.type, p.name)
        v = card.adopt(x, p.name, stream) if stream is not None and card.is_there(x) else arrays.adopt(x, p.name, p.type, written)
        if p.size and v.place[0] == card.KIND:
            raise ArgumentTypeError(f"{p.name} decides about shapes, and is in the memory of a card; pass a number")
        if v.type.name != p.type.name:
            raise ArgumentTypeError(self._type_message(v, p, written))
        if v.array.ndim != len(p.dims):
            raise ArgumentError(self._rank_message(v, p))
        if written and not v.array.flags.writeable:
            raise ArgumentError(f"{p.name} is an output, and its array is read-only; pass an array that may be written, such as {p.name}.copy()")
        if written and arrays.overlaps_itself(v.array):
            raise ArgumentError(f"{p.name} is an output, and elements of its array share memory; pass {p.name}.copy()")
        return v

    def _type_message(self, v: View, p: "Param", written: bool) -> str:
        text = f"{p.name} has elements of {v.type.name}, and {self.definition.name} takes {p.type.name}; {types.way_out(p.name, p.type, written)}"
        return text if written else f"{text}, or declare {p.name} as {v.type.name} in the program"

    def _rank_message(self, v: View, p: "Param") -> str:
        declared = f"{p.type.name}({', '.join(p.dims)}) {p.name}" if p.dims else f"{p.type.name} {p.name}"
        text = f"{p.name} has {arrays.count_of(v.array.ndim, 'dimension')}, shape {v.array.shape}, and {self.definition.name} takes {len(p.dims)}: {declared}"
        if not p.dims and v.array.size == 1:
            text += f"; pass {p.name}.item()"
        return text + "; nothing is broadcast unasked, np.broadcast_to(…) says it without a copy" if v.array.ndim < len(p.dims) else text

    def shape_error(self, p: "Param", v: View, shape: Sequence[int]) -> ArgumentError:
        """What is wrong with an output that was given."""
        return ArgumentError(f"{p.name} has the shape {v.array.shape}, and the result of {self.definition.name} has {tuple(shape)}")

    def text(self) -> str:
        """A call for people: mm(A, B)."""
        return f"{self.definition.name}({', '.join(self.names)})"

    def for_python(self) -> Optional[inspect.Signature]:
        """What ``inspect.signature`` and editors show; None where Python has no such names."""
        kind = inspect.Parameter
        if any(keyword.iskeyword(name) for name in (*self.names, *self.definition.free_sizes)):
            return None
        try:
            found = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in self.names]
            found += [kind(name, kind.KEYWORD_ONLY) for name in self.definition.free_sizes]
            return inspect.Signature([*found, kind("out", kind.KEYWORD_ONLY, default=None)])
        except ValueError:
            return None

    def key(self, found: Arguments) -> Key:
        """What decides about the kernel of a call."""
        inputs = tuple((v.array.shape, arrays.strides_of(v, p.name), v.array.item() if p.size else None) for v, p in zip(found.inputs, self.definition.inputs))
        outputs = tuple(self._given_strides(v, p) for v, p in zip(found.outputs, self.definition.outputs))
        return inputs, outputs, tuple(sorted(found.sizes.items()))

    def _given_strides(self, v: Optional[View], p: "Param") -> Any:
        """The layout of an output that a kernel must be compiled for; None for a dense one, which all are compiled for."""
        if v is None:
            return None
        strides = arrays.strides_of(v, p.name)
        same = all(s == d or n == 1 for n, s, d in zip(v.array.shape, strides, arrays.dense_strides(v.array.shape)))
        if p.in_out or not same:
            return v.array.shape, strides
        return None

    def is_dense(self, found: Arguments) -> bool:
        """Whether all arrays are dense and row-major, as kernels with sizes as variables take them."""
        params = self.definition.inputs + self.definition.outputs
        views = [(v, p) for v, p in zip([*found.inputs, *found.outputs], params) if v is not None]
        return all(v.array.flags.c_contiguous and arrays.strides_of(v, p.name) == arrays.dense_strides(v.array.shape) for v, p in views)

    def describe(self, found: Arguments) -> Dict[str, Any]:
        """The member ``arguments`` of a request (docs/serve.md)."""
        described: Dict[str, Any] = {}
        for v, p in zip(found.inputs, self.definition.inputs):
            described[p.name] = self._describe(v, p)
            if p.size:
                described[p.name]["value"] = v.array.item()
        for v, p in zip(found.outputs, self.definition.outputs):
            if v is not None and self._given_strides(v, p) is not None:
                described[p.name] = self._describe(v, p)
        return described

    def _describe(self, v: View, p: "Param") -> Dict[str, Any]:
        out: Dict[str, Any] = {"shape": list(v.array.shape), "dtype": p.type.name}
        strides = arrays.strides_of(v, p.name)
        if strides != arrays.dense_strides(v.array.shape):
            out["strides"] = list(strides)
        return out

    def layout(self, found: Arguments) -> str:
        """A call for people, and the key of a file of schedules: mm(A: 64x32, …)."""
        parts = []
        for v, p in zip(found.inputs + found.outputs, self.definition.inputs + self.definition.outputs):  # type: ignore[operator]
            if v is None or (p in self.definition.outputs and self._given_strides(v, p) is None):
                continue
            text = "x".join(map(str, v.array.shape)) or "scalar"
            strides = arrays.strides_of(v, p.name)
            if strides != arrays.dense_strides(v.array.shape):
                text += "/" + ",".join(map(str, strides))
            if p.size:
                text = f"{v.array.item()}"
            parts.append(f"{p.name}: {text}")
        parts += [f"{n}={v}" for n, v in sorted(found.sizes.items())]
        return f"{self.definition.name}({', '.join(parts)})"


def _is_array(x: Any) -> bool:
    """Whether an argument has memory that can be looked at."""
    if any(hasattr(x, name) for name in ("__dlpack__", "__array_interface__", "__cuda_array_interface__", "__array__")) or isinstance(x, (list, tuple)):
        return True
    try:
        return memoryview(x).ndim >= 0 and not isinstance(x, bytes)
    except TypeError:
        return False


def _whole(x: Any, name: str) -> int:
    try:
        n = int(x.__index__())
    except AttributeError:
        raise ArgumentTypeError(f"the size {name} is {x!r}, and no whole number") from None
    if not -(1 << 63) <= n < 1 << 63:
        raise ArgumentError(f"the size {name} is {n}, and sizes have 64 bits")
    return n
