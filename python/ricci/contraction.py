"""``einsum`` as NumPy's, computed by Ricci.

A call becomes one program in TC, whose order of contraction Ricci finds itself. What is made once for
a layout of operands (``_Plan``) is: which program, and how each operand is seen so that its axes run
from the slowest to the fastest in memory. Arrays that are dense in any order are dense then, so that
'ij,jk' of transposed arrays is another program and not another layout.
"""

import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import dlpack, types
from .errors import ArgumentError, ArgumentTypeError
from .function import Function
from .options import Options
from .program import compile
from .subscripts import LETTERS, Subscripts, memory_order, parse, resolve

_ORDERS = ("C", "F", "A", "K")
_numpy_einsum = np.einsum  # for views, of which nothing is computed, and as a fallback


def einsum(*arguments: Any, out: Optional[np.ndarray] = None, dtype: Any = None, order: str = "K", casting: str = "safe",
           optimize: Any = False, fallback: Optional[str] = None) -> Any:
    """``numpy.einsum`` with Ricci's kernels: the same arguments, results, casts and errors.

    ``optimize`` may be a path of ``numpy.einsum_path``, which is followed; otherwise Ricci chooses the
    order of contraction. Types that Ricci lacks (complex, longdouble, objects) are a ``TypeError``, or
    are computed by NumPy with ``fallback="numpy"``. What is a view of an operand is one, as in NumPy.
    """
    if fallback not in (None, "numpy"):
        raise ArgumentError(f"fallback is {fallback!r}; it is None or 'numpy'")
    terms, result, operands = parse(arguments)
    operands = [x if type(x) is np.ndarray else _array(x, k) for k, x in enumerate(operands)]
    if out is not None and not isinstance(out, np.ndarray):
        raise ArgumentTypeError(f"out is a {type(out).__name__}, and no array of NumPy")
    wanted = None if dtype is None else np.dtype(dtype)
    said = arguments[0] if isinstance(arguments[0], str) else (tuple(terms), result)
    key = (said, wanted, order, casting, _path_key(optimize), _by_value(operands, wanted, casting), *map(_layout, operands), None if out is None else _layout(out))
    plan = _plans.get(key)
    if plan is None:
        plan = _make_plan(terms, result, operands, out, wanted, order, casting, optimize)
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        _plans[key] = plan
    if plan.refused is not None:
        if fallback is None:
            raise ArgumentTypeError(plan.refused)
        keywords = {} if wanted is None else {"dtype": wanted}
        return _numpy_einsum(*arguments, out=out, order=order, casting=casting, optimize=optimize, **keywords)
    return plan.run(operands, out)


def _array(x: Any, operand: int) -> np.ndarray:
    """An operand as an array: what NumPy takes for one, and objects that speak nothing but DLPack."""
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array_interface__") and not hasattr(x, "__array__"):
        array, element = dlpack.array_of(x, f"operand {operand}")
        if element.name == "bfloat16":
            raise ArgumentTypeError("einsum of bfloat16: NumPy has no such elements; write a program")
        return array
    return np.asarray(x)


def _by_value(operands: Sequence[np.ndarray], wanted: Optional[np.dtype], casting: str) -> Any:
    """What depends on the values of operands: NumPy before 2 lets numbers without dimensions take the type of what they meet."""
    numbers = [a for a in operands if not a.ndim]
    if not numbers:
        return None
    common = wanted if wanted is not None else np.result_type(*operands)
    return common, tuple(np.can_cast(a, common, casting) for a in numbers)


def _layout(a: np.ndarray) -> Any:
    """What of an array decides about a plan."""
    return a.shape, a.strides, a.dtype, a.flags.aligned


def _path_key(optimize: Any) -> Any:
    """What of optimize matters: a path. Anything that NumPy does not take is an error."""
    if _is_path(optimize):
        return tuple(map(tuple, optimize[1:]))
    known = isinstance(optimize, (bool, np.bool_)) or optimize is None or optimize in ("greedy", "optimal")
    if not known and not (isinstance(optimize, tuple) and len(optimize) == 2 and optimize[0] in ("greedy", "optimal")):
        raise ArgumentTypeError(f"optimize is {optimize!r}; it is True, False, 'greedy', 'optimal' or a path of einsum_path")
    return None


def _is_path(optimize: Any) -> bool:
    return isinstance(optimize, (list, tuple)) and len(optimize) > 0 and optimize[0] == "einsum_path"


class _Plan(NamedTuple):
    run: Optional[Callable[[List[np.ndarray], Optional[np.ndarray]], Any]]
    refused: Optional[str] = None  # which type Ricci lacks


_MOST_PLANS = 1024
_plans: Dict[Any, _Plan] = {}


def _make_plan(terms: Any, result: Any, operands: Sequence[np.ndarray], out: Optional[np.ndarray], wanted: Optional[np.dtype],
               order: str, casting: str, optimize: Any) -> _Plan:
    if not isinstance(order, str) or order.upper() not in _ORDERS:
        raise ArgumentError(f"order is {order!r}; it is one of 'C', 'F', 'A', 'K'")
    np.can_cast(np.int8, np.int8, casting)  # a ValueError where there is no such casting
    subscripts, sizes = resolve(terms, result, [a.shape for a in operands])
    path = _contractions(subscripts, operands, optimize)
    shape = tuple(sizes[label] for label in subscripts.output)
    if out is not None and out.shape != shape:
        raise ArgumentError(f"out has the shape {out.shape}, and the result has {shape}")
    if out is None and wanted in (None, operands[0].dtype) and _is_view(subscripts):
        axes, kept = _sublists(subscripts.inputs[0], subscripts.output)
        return _Plan(lambda arrays, _: _numpy_einsum(arrays[0], axes, kept))
    common = wanted if wanted is not None else np.result_type(*operands)
    for k, a in enumerate(operands):
        if not np.can_cast(a if not a.ndim else a.dtype, common, casting):
            raise ArgumentTypeError(f"operand {k} has elements of {a.dtype}, and casting={casting!r} does not allow {common}")
    if out is not None and not np.can_cast(common, out.dtype, casting):
        raise ArgumentTypeError(f"the result has elements of {common}, and casting={casting!r} does not allow {out.dtype} for out")
    element = types.of_dtype(common)
    if element is None or element.name == "bfloat16":
        return _Plan(None, f"einsum of {common}: Ricci has no such elements; fallback='numpy' lets NumPy compute it")
    if 0 in sizes.values():
        return _Plan(lambda _, out: _zeros(shape, common, out))
    return _Plan(_Contraction(subscripts, sizes, operands, out, element, order, path).run)


def _sublists(*terms: Sequence[int]) -> List[List[int]]:
    """Labels as NumPy's sublists: those of an ellipsis take numbers that no letter has."""
    letters = {label for labels in terms for label in labels if label >= 0}
    free = iter(n for n in range(len(LETTERS)) if n not in letters)
    number = {label: next(free) for label in sorted({label for labels in terms for label in labels if label < 0})}
    return [[number.get(label, label) for label in labels] for labels in terms]


def _is_view(s: Subscripts) -> bool:
    return len(s.inputs) == 1 and set(s.inputs[0]) == set(s.output)


def _zeros(shape: Tuple[int, ...], dtype: np.dtype, out: Optional[np.ndarray]) -> Any:
    if out is None:
        return np.zeros(shape, dtype)[()]
    out[...] = 0
    return out


def _contractions(s: Subscripts, operands: Sequence[np.ndarray], optimize: Any) -> Optional[List[Tuple[int, ...]]]:
    """The path that the caller gives, tested as NumPy does; None where Ricci chooses."""
    if not _is_path(optimize):
        return None
    *inputs, output = _sublists(*s.inputs, s.output)
    interleaved = [x for a, labels in zip(operands, inputs) for x in (a, labels)]
    found, _ = np.einsum_path(*interleaved, output, optimize=list(optimize))
    return [tuple(step) for step in found[1:]]


class _Contraction:
    """A contraction for one layout of its operands."""

    def __init__(self, s: Subscripts, sizes: Dict[int, int], operands: Sequence[np.ndarray], out: Optional[np.ndarray],
                 element: types.ElementType, order: str, path: Optional[List[Tuple[int, ...]]]):
        self.dtype = element.dtype
        self.shape = tuple(sizes[label] for label in s.output)
        seen, named, declared = [], [], []
        for a, labels in zip(operands, s.inputs):
            view, rest = _View.of(a, labels, sizes, element)
            seen.append(view)
            named.append(rest)
            declared.append(view.type.name)
        self.views = seen
        self.direct = out is not None and out.dtype == element.dtype and out.dtype.isnative and _is_plain(out)
        if self.direct:
            slow_first = _by_strides(s.output, out)
        else:
            slow_first = memory_order(s, operands, order)
        self.to_memory = tuple(s.output.index(label) for label in slow_first)
        self.from_memory = tuple(slow_first.index(label) for label in s.output)
        self.function = _function(_text(named, slow_first, declared, element.name, path))

    def run(self, operands: List[np.ndarray], out: Optional[np.ndarray]) -> Any:
        """The result for operands of this layout."""
        seen = [view(a) for view, a in zip(self.views, operands)]
        if self.direct:
            self.function(*seen, out=out.transpose(self.to_memory))
            return out
        result = self.function(*seen)
        if len(self.shape) > 1:
            result = result.transpose(self.from_memory)
        if out is None:
            return result if self.shape else result[()]
        np.copyto(out, result, casting="unsafe")  # tested when the plan was made
        return out


class _View(NamedTuple):
    """How an operand is seen: converted, its diagonals taken, its axes in the order of memory."""

    type: types.ElementType  # in which the program gets it
    convert: Optional[np.dtype]  # where that is not what the caller has
    diagonal: Optional[List[List[int]]]  # subscripts of a view, for np.einsum
    index: Optional[Tuple[Any, ...]]  # drops axes of size 1 that are broadcast
    axes: Optional[Tuple[int, ...]]

    @classmethod
    def of(cls, a: np.ndarray, labels: Tuple[int, ...], sizes: Dict[int, int], common: types.ElementType) -> Tuple["_View", Tuple[int, ...]]:
        """How an operand is seen, and the labels that its axes have then."""
        own = types.of_dtype(a.dtype)
        convert = None
        if own is None or own.name == "bfloat16" or not _widens(own, common) or not a.dtype.isnative or not _is_plain(a):
            own, convert = common, common.dtype
            a = a.astype(common.dtype)
        diagonal = None
        if len(set(labels)) < len(labels):
            once = tuple(dict.fromkeys(labels))
            axes, kept = diagonal = _sublists(labels, once)
            a = _numpy_einsum(a, axes, kept)
            labels = once
        index = None
        if any(n == 1 and sizes[label] != 1 for label, n in zip(labels, a.shape)):
            index = tuple(0 if n == 1 and sizes[label] != 1 else slice(None) for label, n in zip(labels, a.shape))
            labels = tuple(label for label, k in zip(labels, index) if k != 0)
            a = a[index]
        slow_first = _by_strides(labels, a)
        axes = tuple(labels.index(label) for label in slow_first)
        view = cls(own, convert, diagonal, index, axes if axes != tuple(range(len(axes))) else None)
        return view, slow_first

    def __call__(self, a: np.ndarray) -> np.ndarray:
        if self.convert is not None:
            a = a.astype(self.convert)
        if self.diagonal is not None:
            a = _numpy_einsum(a, *self.diagonal)
        if self.index is not None:
            a = a[self.index]
        return a if self.axes is None else a.transpose(self.axes)


def _widens(own: types.ElementType, common: types.ElementType) -> bool:
    """Whether the program can convert elements as it reads them, to the same numbers."""
    return own.name == common.name or (common.name != "bool" and own.name != "bool" and np.can_cast(own.dtype, common.dtype, "safe"))


def _is_plain(a: np.ndarray) -> bool:
    """Whether a kernel can address the elements."""
    return a.flags.aligned and all(s % a.itemsize == 0 for n, s in zip(a.shape, a.strides) if n > 1)


def _by_strides(labels: Tuple[int, ...], a: np.ndarray) -> Tuple[int, ...]:
    """The labels of an array from the slowest axis to the fastest."""
    steps = {label: abs(s) if n > 1 else 0 for label, n, s in zip(labels, a.shape, a.strides)}
    if all(steps[x] >= steps[y] or not steps[x] for x, y in zip(labels, labels[1:])):
        return labels
    return tuple(sorted(labels, key=lambda label: -steps[label]))


def _text(named: Sequence[Tuple[int, ...]], output: Tuple[int, ...], declared: Sequence[str], common: str, path: Optional[List[Tuple[int, ...]]]) -> str:
    """The program. Indices are numbered as they occur, so that equal contractions are equal texts."""
    number: Dict[int, int] = {}
    for labels in named:
        for label in labels:
            number.setdefault(label, len(number))
    index = lambda labels: "(" + ",".join(f"i{number[label]}" for label in labels) + ")" if labels else ""
    size = lambda labels: "(" + ",".join(f"N{number[label]}" for label in labels) + ")" if labels else ""
    parameters = ", ".join(f"{t}{size(labels)} A{k}" for k, (labels, t) in enumerate(zip(named, declared)))
    convert = lambda t, access: access if t == common else f"{common}({access})"
    factors = [(labels, convert(t, f"A{k}{index(labels)}")) for k, (labels, t) in enumerate(zip(named, declared))]
    lines = []
    for step in (path or [])[:-1]:
        taken = [factors[k] for k in step]
        factors = [f for k, f in enumerate(factors) if k not in step]
        later = set(output).union(*[labels for labels, _ in factors]) if factors else set(output)
        kept = tuple(dict.fromkeys(label for labels, _ in taken for label in labels if label in later))
        target = f"T{len(lines)}{index(kept)}"
        lines.append(_statement(common, target, kept, taken))
        factors.append((kept, target))
    lines.append(_statement(common, "R" + index(output), output, factors))
    return f"def einsum({parameters}) -> (R) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _statement(common: str, target: str, output: Tuple[int, ...], factors: Sequence[Tuple[Tuple[int, ...], str]]) -> str:
    summed = any(label not in output for labels, _ in factors for label in labels)
    if common == "bool":  # NumPy's sums of bools are "or", its products "and"
        return f"{common} {target} {'max=!' if summed else '='} {' && '.join(text for _, text in factors)}"
    return f"{common} {target} {'+=!' if summed else '='} {' * '.join(text for _, text in factors)}"


@functools.lru_cache(maxsize=1024)
def _function(text: str) -> Function:
    return compile(text, options=Options(warnings="ignore"))
