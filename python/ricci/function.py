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

from . import arrays, card, fast, places, remote, service, shapes, tuning
from .arrays import View
from .errors import ArgumentError, ProgramError, Unavailable
from .kernel import Call, Kernel, error_of
from .options import Options
from .progress import Progress
from .signature import Arguments, Key, Signature

if TYPE_CHECKING:
    from .program import Def

_KEPT = 64  # kernels that a function holds
_TAUGHT = 1024  # layouts that it notes as known to the fast way


class Layout(NamedTuple):
    """What is known of a call without its arrays: a request of the service, and a text for people."""

    request: Dict[str, Any]
    text: str


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
        self.copies = remote.Copies()  # that calls in the service have made
        self.takes_card = options.device.split(":")[0] == "cuda"  # arrays may be there
        if options.device not in ("", "host"):
            self._remote = f"{definition.name} runs on {options.device} by way of the service: each call copies its arrays there and back"
        self._last: Optional[Layout] = None
        self._lock = threading.RLock()
        self._signature = Signature(definition)
        self.__name__ = self.__qualname__ = definition.name
        self.__doc__ = definition.signature + "".join(f"\n  when {c}" for c in definition.conditions)
        # Makes the value of a call with several outputs.
        self._result: Callable = namedtuple(definition.name, [p.name for p in definition.outputs], rename=True)  # type: ignore[misc]
        self.__signature__ = self._signature.for_python()
        self._teach_parameters()

    if TYPE_CHECKING:  # what is called is in class ``fast._Fast`` or ``fast._Python``
        def __call__(self, *args: Any, out: Any = None, sizes: Optional[Dict[str, int]] = None, **named: Any) -> Any: ...

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
        if self._remote is not None and found.stream is None:
            views, results = self._allocated(found)
            filled = found._replace(outputs=views, given=results)
            return Bound(lambda: self._compute(filled), self._results(results))
        kernel, threads = self.kernel_for(found), self.options.threads
        views, results = self._complete(kernel, found)
        return Bound(Call(kernel, views, found.sizes, threads, found.stream).run, self._results(results))

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
        return remote.check(self, self._signature.sort(args, named, out, sizes), self._compute)

    def __repr__(self) -> str:
        return f"<ricci {self._def.signature}>"

    def _repr_html_(self) -> str:
        from .display import function_html

        return function_html(self)

    def __reduce__(self) -> Any:
        return _remake, (self._source, self._def, self.options, self._signature.names)

    # How a call goes.

    def _slow(self, args: Sequence[Any], named: Optional[Dict[str, Any]]) -> Any:
        named = dict(named or {})
        out, sizes = named.pop("out", None), named.pop("sizes", None)
        return self._results(self._compute(self._sort(args, named, out, sizes)))

    def _sort(self, args: Sequence[Any], named: Dict[str, Any], out: Any, sizes: Optional[Dict[str, int]]) -> Arguments:
        """The arguments, sorted; on a card there may be a stream among them."""
        if not self.takes_card:
            return self._signature.sort(args, named, out, sizes)
        named = dict(named)
        stream = named.pop("stream", None) if "stream" not in self._signature.names else None
        outputs = out.values() if isinstance(out, dict) else out if isinstance(out, (tuple, list)) else (out,)
        chosen = card.stream_of(stream) if stream is not None else card.present([*args, *named.values(), *outputs])
        return self._signature.sort(args, named, out, sizes, chosen)

    def _compute(self, found: Arguments) -> List[Any]:
        if found.stream is not None:
            kernel = self.kernel_for(found)
            views, results = self._complete(kernel, found)
            kernel(views, found.sizes, stream=found.stream)
            self._last = self._layout_of(found)
            return results
        results = self._again(found)
        return self._compute_anew(found) if results is None else results

    def _compute_anew(self, found: Arguments) -> List[Any]:
        if self._remote is None:
            try:
                kernel = self.kernel_for(found)
            except Unavailable as e:
                if any(d.code == "E0627" for d in e.diagnostics):  # a level that the service has not, either
                    raise
                self._remote = f"{e.message.splitlines()[0]}; the service computes instead, slowly"
        if self._remote is not None:
            self._last = self._layout_of(found)
            places.notice_once(self._remote)
            return remote.run(self, found)
        views, results = self._complete(kernel, found)
        kernel(views, found.sizes, self.options.threads)
        key = self._signature.key(found)
        if key not in self._taught:
            if len(self._taught) >= _TAUGHT:
                self._taught.clear()
            self._last = self._layout_of(found)
            self._taught.add(key)
            self._teach(kernel, found, views)
        return results

    def _allocated(self, found: Arguments) -> Tuple[List[Optional[View]], List[Any]]:
        """The outputs of a call without a kernel, which would tell their shapes; allocates those that are missing."""
        updated = [v for v, p in zip(found.outputs, self._def.outputs) if p.in_out and v is not None]
        made = shapes.of_results(self._def, [v.array if v.array.ndim else v.array.item() for v in (*found.inputs, *updated)] + [found.sizes[n] for n in self._def.free_sizes])
        new = iter(made)
        views, results = list(found.outputs), list(found.given)
        for k, p in enumerate(self._def.outputs):
            shape = None if p.in_out else next(new)
            if views[k] is None:
                v = views[k] = arrays.empty(shape, p.type, p.name)  # type: ignore[arg-type]
                results[k] = v.array
        return views, results

    def _results(self, results: List[Any]) -> Any:
        return results[0] if len(results) == 1 else self._result(*results)

    # Kernels by layout.

    def kernel_for(self, found: Arguments) -> Kernel:
        """The kernel for arguments of these layouts, compiled if need be."""
        key = self._signature.key(found)
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

    @property
    def runs_in_service(self) -> bool:
        """Whether the service computes: there is no kernel that this process can call."""
        return self._remote is not None

    def _general_kernel(self, found: Arguments) -> Optional[Kernel]:
        """The kernel whose sizes are variables, once so many shapes have kernels of their own; None where there is no good one."""
        o = self.options
        sizes = [n for n in self._def.sizes if n not in {p.name for p in self._def.inputs}]  # scalars stay constants
        if not 0 < o.kernels <= len(self._kernels) or not sizes or o.schedule or o.tune_seconds or not self._signature.is_dense(found):
            return None
        key = tuple(v.array.item() for v, p in zip(found.inputs, self._def.inputs) if p.size)
        if key not in self._general:
            try:
                self._general[key] = self._ask_for_kernel(found, dynamic=sizes)
            except (ProgramError, ArgumentError):  # bounds that cannot be proved for all sizes, for instance
                self._general[key] = None
        return self._general[key]

    def _compile(self, found: Arguments) -> Kernel:
        if self.options.best:
            text = self._signature.layout(found)
            kernel = tuning.choose(self, found, [b.schedule for b in self.options.best if b.layout == text])
            if kernel is not None:
                return kernel
        if self.options.tune_seconds and not self.options.schedule:
            return self._tuned(found)
        return self._ask_for_kernel(found)

    def _ask_for_kernel(self, found: Arguments, schedule: Optional[str] = None, dynamic: Sequence[str] = ()) -> Kernel:
        with Progress(f"compiling {self._signature.layout(found)}"):
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
        """The members of a request that say which def is meant, for which arguments, and how it is compiled."""
        return {
            "program": self._source, "def": self._def.name, "arguments": self._signature.describe(found), "sizes": found.sizes,
            "options": self.options.for_service(schedule, dynamic),
        }

    def _layout(self, args: Sequence[Any], named: Dict[str, Any]) -> Layout:
        """The layout of these arguments, or that for which a kernel was looked up last."""
        if args or named:
            out, sizes = named.pop("out", None), named.pop("sizes", None)
            return self._layout_of(self._sort(args, named, out, sizes))
        if self._last is None:
            raise ArgumentError(f"{self.__name__} has not been called yet, so its shapes are not known; call it, or pass arguments here")
        return self._last

    def _layout_of(self, found: Arguments) -> Layout:
        return Layout(self._request(found), self._signature.layout(found))

    def _complete(self, kernel: Kernel, found: Arguments) -> Tuple[List[View], List[Any]]:
        """All arguments in the order of the kernel, and what is returned; allocates the outputs that are missing."""
        views, results = list(found.inputs), []
        shapes = kernel.output_shapes(found.inputs, found.sizes)
        for p, v, given, shape in zip(self._def.outputs, found.outputs, found.given, shapes):
            if v is None and found.stream is not None:
                given = card.empty([*found.inputs, *found.outputs], shape, p.type, p.name)
                v = card.adopt(given, p.name, found.stream)
            elif v is None:
                v = arrays.empty(shape, p.type, p.name)
                given = v.array
            elif v.array.shape != tuple(shape):
                raise self._signature.shape_error(p, v, shape)
            views.append(v)
            results.append(given)
        return views, results

    def rename(self, names: List[str], body: Callable) -> None:
        """Gives the parameters the names that a decorated function has."""
        if names and len(names) != len(self._signature.names):
            raise ArgumentError(f"{body.__name__} has {len(names)} parameters, and its program {self._signature.text()} has {len(self._signature.names)}")
        self._signature.names = names or self._signature.names
        functools.update_wrapper(self, body, updated=())
        self.__signature__ = self._signature.for_python()

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

    def _again(self, found: Arguments) -> Optional[List[Any]]:
        return None

    def _teach(self, kernel: Kernel, found: Arguments, views: List[View]) -> None:
        pass

    def _forget(self) -> None:
        """Kernels have gone."""


class Bound:
    """A kernel with its arguments; calling it computes again, into the same results."""

    def __init__(self, run: Callable[[], Any], results: Any):
        self._run = run
        self.results = results

    def __call__(self) -> Any:
        self._run()
        return self.results


def make(source: Dict[str, Any], definition: "Def", options: Options) -> Function:
    """A function of the class that is fastest here."""
    return fast.function_class(Function, options.device not in ("", "host"))(source, definition, options)


def _remake(source: Dict[str, Any], definition: "Def", options: Options, names: List[str]) -> Function:
    """A function that was pickled."""
    f = make(source, definition, options)
    f._signature.names = names
    return f
