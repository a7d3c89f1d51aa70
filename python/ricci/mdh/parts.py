"""The parts of a computation of MDH as Python objects: buffers, views, combine operators, md_hom."""

import operator
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from .elements import Element, Table, type_of
from .expression import INDEX, Scalar, SizeName


def sizes(names: str) -> Tuple[Scalar, ...]:
    """Sizes that a call finds in its arrays, instead of numbers: ``I, K = sizes("I, K")``."""
    words = names.replace(",", " ").split()
    for word in words:
        if not word.isidentifier():
            raise ArgumentError(f"{word!r} is no name of a size")
    return tuple(Scalar((SizeName(word),), INDEX) for word in words)


def extent(x: Any) -> Any:
    """A size, or a number."""
    if isinstance(x, Scalar):
        return x
    try:
        return x.__index__()
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


class BufferType(NamedTuple):
    """What a buffer is declared as."""

    type: Element
    extents: Tuple[Any, ...]


def _buffer(kind: Any, extents: Sequence[Any] = ()) -> BufferType:
    return BufferType(type_of(kind), tuple(map(extent, extents)))


Buffer = _Subscripted(_buffer, "Buffer")


class Declared(NamedTuple):
    """The inputs or the outputs of a computation."""

    role: str
    buffers: Dict[str, BufferType]


def out(**buffers: BufferType) -> Declared:
    """The outputs of a computation, by name."""
    return Declared("out", buffers)


def inp(**buffers: BufferType) -> Declared:
    """The inputs of a computation, by name. What is an output, too, is updated in place."""
    return Declared("inp", buffers)


class _Undefined:
    def __repr__(self) -> str:
        return "undefined"


undefined = _Undefined()
"""The fill of cells that have no value."""


class Index(NamedTuple):
    """The index functions of a buffer, and what is said of it."""

    functions: Tuple[Callable, ...]
    fill: Any = None  # a number, or undefined
    injective: bool = False


def index(*functions: Callable, fill: Any = None, injective: bool = False) -> Index:
    """Index functions with more to say: ``out_view[T](y = index(lambda i: 2 * i, fill=0))``.

    ``fill`` is the value of the cells that no point writes, or ``undefined`` where they have none;
    ``injective`` states that points write different cells where that cannot be proved.
    """
    return Index(functions, fill, injective)


class View:
    """A view: for each buffer the index functions of its accesses."""

    def __init__(self, role: str, kinds: Tuple[Any, ...]):
        self.role, self.kinds = role, [type_of(k) for k in kinds]
        self.accesses: Dict[str, Index] = {}

    def __call__(self, *inner: Any, **accesses: Any) -> Any:
        if inner:  # out_view[…](…)(the rest): composition
            return flatten((self, *inner))
        for name, functions in accesses.items():
            if not isinstance(functions, Index):
                functions = index(*(functions if isinstance(functions, (list, tuple)) else [functions]))
            self.accesses[name] = functions
        return self


out_view = _Subscripted(lambda *kinds: View("out_view", kinds), "out_view")
inp_view = _Subscripted(lambda *kinds: View("inp_view", kinds), "inp_view")


class Operator(NamedTuple):
    """A function ``(res, lhs, rhs)``, and what is said of it."""

    function: Callable
    identity: Any = None  # a value, or values by the names of outputs
    assume: Tuple[str, ...] = ()
    ordered: bool = False


def op(function: Optional[Callable] = None, *, identity: Any = None, assume: Any = (), ordered: bool = False) -> Any:
    """An operator with more to say; also a decorator.

    ``identity`` is the element that changes nothing (a dict by names where there are several
    outputs); ``assume`` names laws that cannot be tried: ``"associative"``, ``"commutative"``,
    ``"neutral"``; an ``ordered`` one runs from the first index to the last.
    """
    if function is None:
        return lambda f: op(f, identity=identity, assume=assume, ordered=ordered)
    return Operator(function, identity, (assume,) if isinstance(assume, str) else tuple(assume), ordered)


# Operators of the language under the names that Python has for them.
_SIGNS: Dict[Any, str] = {
    operator.add: "+", operator.mul: "*", operator.and_: "&", operator.or_: "|", operator.xor: "^", min: "min", max: "max", np.add: "+", np.multiply: "*",
    np.minimum: "min", np.maximum: "max", np.logical_and: "&&", np.logical_or: "||", np.bitwise_and: "&", np.bitwise_or: "|", np.bitwise_xor: "^",
}
_WORDS = ("+", "*", "&&", "||", "&", "|", "^", "min", "max", "argmin", "argmax")
# … and those that a scalar function can be.
_FUNCTION_SIGNS: Dict[Any, str] = {operator.sub: "-", operator.truediv: "/", np.subtract: "-", np.divide: "/", np.true_divide: "/"}


def sign_of(x: Any) -> Optional[str]:
    """The operator of the language that is meant, if one is."""
    if isinstance(x, str):
        return x if x in _WORDS else None
    try:
        return _SIGNS.get(x)
    except TypeError:  # not hashable
        return None


def function_sign(x: Any) -> Optional[str]:
    """The sign or the name of a scalar function that is given as such: ``"*"``, ``operator.mul``, ``"id"``, ``"exp"``."""
    if isinstance(x, str):
        return x
    return _FUNCTION_SIGNS.get(x) or sign_of(x)


class Combine(NamedTuple):
    """A combine operator: concatenation, or one with operators for the results."""

    kind: str
    operators: Tuple[Any, ...] = ()
    image: Optional[Callable] = None

    def at(self, image: Callable) -> "Combine":
        """With an index set function: results with one image are combined, others stand side by side. ``PW(max).at(lambda i: i // 4)`` pools."""
        return self._replace(image=image)


CC = Combine("++")


def PW(*operators: Any) -> Combine:
    """Combines pointwise: by a function ``(res, lhs, rhs)``, an ``op`` of one, an operator of the language (``"+"``, ``max``), or one for each result."""
    return Combine("pw", operators)


def PS(*operators: Any) -> Combine:
    """The prefix sums; otherwise as ``PW``."""
    return Combine("ps", operators)


class Homomorphism:
    """md_hom: its extents, and what it is called with."""

    def __init__(self, extents: Tuple[Any, ...]):
        self.extents = tuple(_index_set(x) for x in extents)
        self.function: Any = None
        self.combines: Tuple[Any, ...] = ()
        self.down: Optional[Tuple[Any, ...]] = None  # that take the inputs apart
        self.assume: Optional[str] = None
        self.ordered = False

    def __call__(self, *parts: Any, assume: Optional[str] = None, ordered: bool = False) -> Any:
        if len(parts) == 1:  # md_hom[…](f, …)(the view): composition
            return flatten((self, parts[0]))
        if len(parts) == 3:
            self.down, parts = _listed(parts[0]), parts[1:]
        if len(parts) != 2:
            raise ArgumentError("md_hom takes a function and combine operators: md_hom[I, K](f, (CC, PW(g)))")
        self.function, self.combines, self.assume, self.ordered = parts[0], _listed(parts[1]), assume, ordered
        return self


md_hom = _Subscripted(lambda *extents: Homomorphism(extents), "md_hom")


def _index_set(x: Any) -> Any:
    """A size, or the numbers of an index set, from small to large."""
    if isinstance(x, (set, frozenset, range)):
        return tuple(sorted(extent(n) for n in x))
    return x if isinstance(x, Table) else extent(x)


def _listed(x: Any) -> Tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) and not isinstance(x, Combine) else (x,)


def flatten(parts: Any) -> Tuple[Any, ...]:
    """The parts of a composition, in whatever way they were composed."""
    found: List[Any] = []
    for p in parts:
        found += flatten(p) if isinstance(p, tuple) else [p]
    return tuple(found)
