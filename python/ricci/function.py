"""A def as a function on arrays.

A call goes three ways. The fast way is C (fast.c): it knows the layouts that it has seen, and calls
the kernel. What it does not know it hands to ``Function._slow``, which looks at the arguments,
finds or compiles the kernel for their layout, and teaches the fast way. Where there is no C compiler
the service computes, with a notice.
"""

import functools
import threading
from collections import OrderedDict, namedtuple
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import arrays, fast, places, remote, service, tuning
from .arrays import View
from .errors import ArgumentError, ArgumentTypeError, BuildError, ProgramError
from .kernel import Call, Kernel, error_of
from .options import Options
from .progress import Progress

if TYPE_CHECKING:
    from .program import Def, Param

_KEPT = 64  # kernels that a function holds

Key = Tuple[Any, ...]


class Layout(NamedTuple):
    """What is known of a call without its arrays: a request of the service, and a text for people."""

    request: Dict[str, Any]
    text: str


class Arguments(NamedTuple):
    """The arguments of a call, sorted, in the order of the def."""

    inputs: List[View]
    outputs: List[Optional[View]]  # None: to be allocated
    given: List[Any]  # what the caller passed for each output: that is returned
    sizes: Dict[str, int]


class Function:
    """A def that was checked. Call it with arrays; see ``ricci.compile``."""

    def __init__(self, source: Dict[str, Any], definition: "Def", options: Options):
        self._source = source
        self._def = definition
        self.options = options
        self._kernels: "OrderedDict[Key, Kernel]" = OrderedDict()
        self.schedules: Dict[str, Dict[str, float]] = {}  # that tune has found: by layout, with their seconds
        self._general: Dict[Key, Optional[Kernel]] = {}  # with sizes as variables, by the values of scalars that are none
        self._taught: set = set()  # keys that the fast way knows
        self._remote: Optional[str] = None  # why the service computes; None: kernels do
        self._last: Optional[Layout] = None
        self._lock = threading.RLock()
        self._scalar_sizes = {p.name for p in definition.inputs if p.size}
        # Positional arguments: inputs, then what is updated in place.
        self._params: List["Param"] = definition.inputs + [p for p in definition.outputs if p.in_out]
        self._names = [p.name for p in self._params]
        self.__name__ = self.__qualname__ = definition.name
        self.__doc__ = definition.signature + "".join(f"\n  when {c}" for c in definition.conditions)
        self._result: Callable = namedtuple(definition.name, [p.name for p in definition.outputs], rename=True) if len(definition.outputs) > 1 else tuple  # type: ignore[misc]
        self._teach_parameters()

    # What a caller may ask.

    @property
    def signature(self) -> str:
        """The signature with its types and extents."""
        return self._def.signature

    @property
    def conditions(self) -> List[str]:
        """What the program assumes about sizes; every call tests it."""
        return list(self._def.conditions)

    def bind(self, *args: Any, out: Any = None, sizes: Optional[Dict[str, int]] = None, **named: Any) -> "Bound":
        """A call whose arguments have been looked at, to be repeated: ``b = f.bind(A, B); b()``."""
        found = self._sort(args, named, out, sizes)
        kernel, threads = self._kernel(found), self.options.threads
        views, results = self._complete(kernel, found)
        return Bound(Call(kernel, views, found.sizes, threads), self._results(results))

    def stage(self, stage: str, *args: Any, **named: Any) -> str:
        """The text of a stage (``schedule``, ``c``, ``loop``, ``ein`` …) for the layouts of these arguments, or those of the last call."""
        return service.ask("show", {**self._layout(args, named).request, "stage": stage})["text"]

    def source(self, stage: str = "c", *args: Any, **named: Any) -> str:
        """The code that is compiled."""
        return self.stage(stage, *args, **named)

    @property
    def schedule(self) -> str:
        """The order of computation for the last call, as text that ``Options(schedule=…)`` takes."""
        return self.stage("schedule")

    def explain(self, *args: Any, **named: Any) -> "Any":
        """How the last call, or one with these arguments, is computed, and why it takes as long as it does."""
        from .display import Explanation

        found = self._layout(args, named)
        return Explanation(found.text, service.ask("show", {**found.request, "stage": "schedule"}))

    def tune(self, *args: Any, seconds: float = 10.0, **named: Any) -> tuning.Tuned:
        """Looks for a faster schedule for the layouts of these arguments, or those of the last call.

        Later calls use what is found, also in other processes. Ctrl-C ends the search and keeps
        what it has found so far.
        """
        return tuning.tune(self, self._layout(args, named), seconds)

    def check(self, *args: Any, out: Any = None, sizes: Optional[Dict[str, int]] = None, **named: Any) -> remote.Report:
        """Computes, and compares with the reference evaluator; a difference is a ``CheckError``. Arrays of outputs are filled as by a call."""
        return remote.check(self, self._sort(args, named, out, sizes), self._compute)

    def __repr__(self) -> str:
        return f"<ricci {self._def.signature}>"

    def _repr_html_(self) -> str:
        from .display import function_html

        return function_html(self)

    def __reduce__(self) -> Any:
        return make, (self._source, self._def, self.options)

    # How a call goes.

    def _slow(self, args: Sequence[Any], named: Optional[Dict[str, Any]]) -> Any:
        named = dict(named or {})
        out, sizes = named.pop("out", None), named.pop("sizes", None)
        return self._results(self._compute(self._sort(args, named, out, sizes)))

    def _compute(self, found: Arguments) -> List[Any]:
        if self._remote is None:
            try:
                kernel = self._kernel(found)
            except BuildError as e:
                self._remote = e.message
                places.notice(f"{e.message.splitlines()[0]}: {self.__name__} is computed by the service, slowly")
        if self._remote is not None:
            return remote.run(self, found)
        views, results = self._complete(kernel, found)
        kernel(views, found.sizes, self.options.threads)
        key = self._key(found)
        if key not in self._taught:
            self._last = self._layout_of(found)
            self._taught.add(key)
            self._teach(kernel, found, views)
        return results

    def _results(self, results: List[Any]) -> Any:
        return results[0] if len(results) == 1 else self._result(*results)

    def _sort(self, args: Sequence[Any], named: Dict[str, Any], out: Any, sizes: Optional[Dict[str, int]]) -> Arguments:
        """Assigns arguments to the parameters, and looks at each."""
        sizes = dict(sizes or {})
        given: Dict[str, Any] = {}
        if len(args) > len(self._names):
            raise ArgumentError(f"{self._call_text()} takes {len(self._names)} arguments, and {len(args)} are given; outputs are given by out=")
        for name, x in zip(self._names, args):
            given[name] = x
        for name, x in named.items():
            if name in given:
                raise ArgumentError(f"{self.__name__}: {name} is given twice")
            if name in self._names:
                given[name] = x
            elif name in self._def.sizes:
                sizes[name] = x
            else:
                raise ArgumentError(f"{self.__name__} has no parameter {name!r}; it is {self._call_text()}")
        outputs = self._outputs(out, given)
        missing = [n for n in self._names if n not in given]
        if missing:
            raise ArgumentError(f"{self._call_text()}: the argument {missing[0]} is missing")
        for name in self._def.free_sizes:
            if name not in sizes:
                raise ArgumentError(f"{self.__name__}: no argument has the size {name}; give it: {self.__name__}(…, {name}=64)")
        inputs = [self._look(given[n], p) for n, p in zip(self._names, self._def.inputs)]
        views = []
        for p, x in zip(self._def.outputs, outputs):
            views.append(None if x is None else self._look(x, p, written=True))
        return Arguments(inputs, views, outputs, {n: _whole(v, n) for n, v in sizes.items()})

    def _outputs(self, out: Any, given: Dict[str, Any]) -> List[Any]:
        """What the caller passed for each output; None where it is to be allocated."""
        declared = self._def.outputs
        if out is None:
            found: List[Any] = [None] * len(declared)
        elif isinstance(out, dict):
            unknown = [n for n in out if n not in [p.name for p in declared]]
            if unknown:
                raise ArgumentError(f"{self.__name__} has no output {unknown[0]!r}; it has {', '.join(p.name for p in declared)}")
            found = [out.get(p.name) for p in declared]
        elif isinstance(out, (tuple, list)):
            if len(out) != len(declared):
                raise ArgumentError(f"out= has {len(out)} arrays, and {self.__name__} has {len(declared)} outputs: {', '.join(p.name for p in declared)}")
            found = list(out)
        elif len(declared) == 1:
            found = [out]
        else:
            raise ArgumentError(f"{self.__name__} has {len(declared)} outputs; give out= a tuple of arrays, or a dict by name")
        names = dict(zip([p.name for p in self._params], self._names))
        for k, p in enumerate(declared):
            if not p.in_out:
                continue
            name = names[p.name]
            if found[k] is None:
                found[k] = given.get(name)
            elif name in given and given[name] is not found[k]:
                raise ArgumentError(f"{self.__name__}: {name} is updated in place, and out= names another array for it")
            if found[k] is not None:
                given[name] = found[k]
        return found

    def _look(self, x: Any, p: "Param", written: bool = False) -> View:
        if not p.dims and not written and (isinstance(x, (bool, int, float, np.generic)) or x is None):
            return arrays.scalar(x, p.type, p.name)
        v = arrays.adopt(x, p.name)
        if v.type.name != p.type.name:
            raise ArgumentTypeError(self._type_message(v, p, written))
        if v.array.ndim != len(p.dims):
            raise ArgumentError(self._rank_message(v, p))
        if written and not v.array.flags.writeable:
            raise ArgumentError(f"{p.name} is an output, and its array is read-only; pass an array that may be written, such as {p.name}.copy()")
        return v

    def _type_message(self, v: View, p: "Param", written: bool) -> str:
        text = f"{p.name} has elements of {v.type.name}, and {self.__name__} takes {p.type.name}"
        if written:
            return f"{text}; pass np.empty(…, np.{p.type.dtype.name})"
        return f"{text}; pass {p.name}.astype(np.{p.type.dtype.name}), or declare {p.name} as {v.type.name} in the program"

    def _rank_message(self, v: View, p: "Param") -> str:
        declared = f"{p.type.name}({', '.join(p.dims)}) {p.name}" if p.dims else f"{p.type.name} {p.name}"
        text = f"{p.name} has {v.array.ndim} dimensions, shape {v.array.shape}, and {self.__name__} takes {len(p.dims)}: {declared}"
        return text + "; nothing is broadcast unasked, np.broadcast_to(…) says it without a copy" if v.array.ndim < len(p.dims) else text

    def _shape_error(self, p: "Param", v: View, shape: Sequence[int]) -> ArgumentError:
        return ArgumentError(f"{p.name} has the shape {v.array.shape}, and the result of {self.__name__} has {tuple(shape)}")

    def _call_text(self) -> str:
        return f"{self.__name__}({', '.join(self._names)})"

    # Kernels by layout.

    def _key(self, found: Arguments) -> Key:
        inputs = tuple((v.array.shape, arrays.strides_of(v, p.name), v.array.item() if p.size else None) for v, p in zip(found.inputs, self._def.inputs))
        outputs = tuple(self._given_strides(v, p) for v, p in zip(found.outputs, self._def.outputs))
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

    def _kernel(self, found: Arguments) -> Kernel:
        key = self._key(found)
        with self._lock:
            kernel = self._kernels.get(key) or self._general_kernel(found)
            if kernel is None:
                kernel = self._kernels[key] = self._compile(found)
                if len(self._kernels) > _KEPT:
                    self._kernels.popitem(last=False)
                    self._unlearn()
            if key in self._kernels:
                self._kernels.move_to_end(key)
            return kernel

    def _general_kernel(self, found: Arguments) -> Optional[Kernel]:
        """The kernel whose sizes are variables, once so many shapes have kernels of their own; None where there is no good one."""
        o = self.options
        sizes = [n for n in self._def.sizes if n not in self._scalar_sizes]
        if not 0 < o.kernels <= len(self._kernels) or not sizes or o.schedule or o.tune_seconds or not self._is_dense(found):
            return None
        key = tuple(v.array.item() for v, p in zip(found.inputs, self._def.inputs) if p.size)
        if key not in self._general:
            try:
                self._general[key] = self._ask_for_kernel(found, dynamic=sizes)
            except (ProgramError, ArgumentError):  # bounds that cannot be proved for all sizes, for instance
                self._general[key] = None
        return self._general[key]

    def _is_dense(self, found: Arguments) -> bool:
        params = self._def.inputs + self._def.outputs
        views = [(v, p) for v, p in zip([*found.inputs, *found.outputs], params) if v is not None]
        return all(v.array.flags.c_contiguous and arrays.strides_of(v, p.name) == arrays.dense_strides(v.array.shape) for v, p in views)

    def _compile(self, found: Arguments) -> Kernel:
        if self.options.best:
            text = self.layout_text(found)
            kernel = tuning.choose(self, found, [b.schedule for b in self.options.best if b.layout == text])
            if kernel is not None:
                return kernel
        if self.options.tune_seconds and not self.options.schedule:
            return self._tuned(found)
        return self._ask_for_kernel(found)

    def _ask_for_kernel(self, found: Arguments, schedule: Optional[str] = None, dynamic: Sequence[str] = ()) -> Kernel:
        with Progress(f"compiling {self.layout_text(found)}"):
            answer = service.ask("compile", self._request(found, schedule, dynamic))
        for notice in answer.get("notices") or []:
            places.notice(notice)
        return Kernel(answer)

    def _tuned(self, found: Arguments) -> Kernel:
        """The kernel for options that tune, which search where no schedule was found before."""
        kernel = self._ask_for_kernel(found)
        if kernel.schedule_kind != "tuned":
            tuning.tune(self, self._layout_of(found), self.options.tune_seconds)
            kernel = self._ask_for_kernel(found)
        return kernel

    def _request(self, found: Arguments, schedule: Optional[str] = None, dynamic: Sequence[str] = ()) -> Dict[str, Any]:
        """The members of a request that say which def is meant, for which arguments."""
        described: Dict[str, Any] = {}
        for v, p in zip(found.inputs, self._def.inputs):
            described[p.name] = self._describe(v, p)
            if p.size:
                described[p.name]["value"] = v.array.item()
        for v, p in zip(found.outputs, self._def.outputs):
            if v is not None and self._given_strides(v, p) is not None:
                described[p.name] = self._describe(v, p)
        return {
            "program": self._source, "def": self._def.name, "arguments": described, "sizes": found.sizes,
            "options": self.options.for_service(schedule, dynamic),
        }

    def _describe(self, v: View, p: "Param") -> Dict[str, Any]:
        out: Dict[str, Any] = {"shape": list(v.array.shape), "dtype": p.type.name}
        strides = arrays.strides_of(v, p.name)
        if strides != arrays.dense_strides(v.array.shape):
            out["strides"] = list(strides)
        return out

    def layout_text(self, found: Arguments) -> str:
        """A call for people, and the key of a file of schedules: mm(A: float32 64x32, …)."""
        parts = []
        for v, p in zip(found.inputs + found.outputs, self._def.inputs + self._def.outputs):  # type: ignore[operator]
            if v is None or (p in self._def.outputs and self._given_strides(v, p) is None):
                continue
            text = "x".join(map(str, v.array.shape)) or "scalar"
            strides = arrays.strides_of(v, p.name)
            if strides != arrays.dense_strides(v.array.shape):
                text += "/" + ",".join(map(str, strides))
            if p.size:
                text = f"{v.array.item()}"
            parts.append(f"{p.name}: {text}")
        parts += [f"{n}={v}" for n, v in sorted(found.sizes.items())]
        return f"{self._def.name}({', '.join(parts)})"

    def _layout(self, args: Sequence[Any], named: Dict[str, Any]) -> Layout:
        """The layout of these arguments, or that for which a kernel was looked up last."""
        if args or named:
            out, sizes = named.pop("out", None), named.pop("sizes", None)
            return self._layout_of(self._sort(args, named, out, sizes))
        if self._last is None:
            raise ArgumentError(f"{self.__name__} has not been called yet, so its shapes are not known; call it, or pass arguments here")
        return self._last

    def _layout_of(self, found: Arguments) -> Layout:
        return Layout(self._request(found), self.layout_text(found))

    def _complete(self, kernel: Kernel, found: Arguments) -> Tuple[List[View], List[Any]]:
        """All arguments in the order of the kernel, and what is returned; allocates the outputs that are missing."""
        views, results = list(found.inputs), []
        shapes = kernel.output_shapes(found.inputs, found.sizes)
        for p, v, given, shape in zip(self._def.outputs, found.outputs, found.given, shapes):
            if v is None:
                array = np.empty(shape, p.type.dtype)
                v, given = View(array, p.type), array
            elif v.array.shape != tuple(shape):
                raise self._shape_error(p, v, shape)
            views.append(v)
            results.append(given)
        return views, results

    def rename(self, names: List[str], body: Callable) -> None:
        """Gives the parameters the names that a decorated function has."""
        if names and len(names) != len(self._names):
            raise ArgumentError(f"{body.__name__} has {len(names)} parameters, and its program {self._call_text()} has {len(self._names)}")
        self._names = names or self._names
        functools.update_wrapper(self, body, updated=())

    def forget_kernels(self) -> None:
        """The next call compiles, or finds in the cache, what there is then."""
        with self._lock:
            self._kernels.clear()
            self._general.clear()
            self._unlearn()

    def _unlearn(self) -> None:
        self._taught.clear()
        self._forget()

    # What the fast way adds (fast.py).

    def _failed(self, code: int, message: str) -> None:
        raise error_of(code, message)

    def _teach_parameters(self) -> None:
        pass

    def _teach(self, kernel: Kernel, found: Arguments, views: List[View]) -> None:
        pass

    def _forget(self) -> None:
        """Kernels have gone."""


class Bound:
    """A kernel with its arguments; calling it computes again, into the same results."""

    def __init__(self, call: Call, results: Any):
        self._run = call.run
        self.results = results

    def __call__(self) -> Any:
        self._run()
        return self.results


def _whole(x: Any, name: str) -> int:
    try:
        return int(x.__index__())
    except AttributeError:
        raise ArgumentTypeError(f"the size {name} is {x!r}, and no whole number") from None


def make(source: Dict[str, Any], definition: "Def", options: Options) -> Function:
    """A function of the class that is fastest here."""
    return fast.function_class(Function)(source, definition, options)
