"""What the elements of buffers are: scalar types and records; and tables, which programs have in them."""

from typing import Any, Dict, List, Sequence, Tuple, Union

import numpy as np

from .. import types
from ..errors import ArgumentError, ArgumentTypeError
from . import expression
from .expression import Operand, Scalar, Untraceable


class ScalarType:
    """A type of elements. Called with an operand of a scalar function it converts."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, x: Any) -> Scalar:
        return expression.convert(self.name, x)

    def __repr__(self) -> str:
        return self.name


bool8 = ScalarType("bool")
int8, int16, int32, int64 = map(ScalarType, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(ScalarType, ("uint8", "uint16", "uint32", "uint64"))
fp16, bf16, fp32, fp64 = map(ScalarType, ("float16", "bfloat16", "float32", "float64"))


class Record:
    """A fixed collection of scalars: ``Match = Record("Match", weight=fp32, entry=int64)``.

    ``Match(w, j)`` makes one in a scalar function, ``m.weight`` is a field. A buffer of records is
    one array for each field, called BUFFER_FIELD; a structured array of NumPy is taken apart.
    """

    def __init__(self, name: str, **fields: Any):
        for word in (name, *fields):
            if not word.isidentifier():
                raise ArgumentError(f"{word!r} is no name of a record or a field")
        self.name = name
        self.fields: Dict[str, ScalarType] = {}
        for field, kind in fields.items():
            found = type_of(kind)
            if isinstance(found, Record):
                raise ArgumentTypeError(f"the field {field} of {name} is a record, and fields are scalars")
            self.fields[field] = found

    def __call__(self, *values: Any, **named: Any) -> Scalar:
        given = dict(zip(self.fields, values))
        twice = [n for n in named if n in given or n not in self.fields]
        if len(values) > len(self.fields) or twice or len(given) + len(named) != len(self.fields):
            raise Untraceable(f"{self.name} has the fields {', '.join(self.fields)}, and each is given once", f"{self.name}({', '.join(self.fields)})")
        given.update(named)
        pieces: List[Any] = [self, "("]
        for k, (field, kind) in enumerate(self.fields.items()):
            x = expression.operand(given[field])
            if x.type not in (None, kind.name):
                raise Untraceable(f"{self.name}.{field} is {kind}, and {x.text} is {x.type}", f"a type converts: {kind}(x)")
            pieces += [", "] * (k > 0) + [Operand(x, expression.CHOICE)]
        return Scalar((*pieces, ")"), self)

    def field(self, x: Scalar, name: str) -> Scalar:
        """The field of a value."""
        return Scalar((Operand(x, expression.ATOM), f".{name}"), self.fields[name].name)

    @property
    def dtype(self) -> np.dtype:
        """A structured dtype of NumPy with these fields, each aligned."""
        return np.dtype([(n, types.BY_NAME[t.name].dtype) for n, t in self.fields.items()], align=True)

    def __repr__(self) -> str:
        return self.name


Element = Union[ScalarType, Record]


def type_of(x: Any) -> Element:
    """A type, or what NumPy takes for one."""
    if isinstance(x, (ScalarType, Record)):
        return x
    try:
        element = types.of_dtype(np.dtype(x))
    except TypeError:
        element = None
    if element is None:
        raise ArgumentTypeError(f"{x!r} is no type of elements that Ricci has; it has {', '.join(types.BY_NAME)}")
    return ScalarType(element.name)


class Table:
    """Numbers that a program has in it: ``taps = Table([0, 1, 4])``, ``taps[k]`` in index functions and scalar functions.

    A table of tables has as many subscripts, ``star[k, 0]``. Its numbers take the type of what they
    meet, or have the one that is said. As an extent of ``md_hom`` it is the set of its numbers.
    """

    def __init__(self, values: Any, dtype: Any = None, *, name: str = "table"):
        try:
            a = np.asarray(values)
        except ValueError:  # lists of several lengths
            a = np.empty(0)
        if not a.size or a.ndim == 0 or a.dtype.kind not in "iufb":
            raise ArgumentTypeError(f"a table has numbers, in lists of equal lengths: {values!r}")
        self.values, self.name = a, name
        self.type = None if dtype is None else type_of(dtype).name

    def __getitem__(self, key: Any) -> Any:
        return self._at(key if isinstance(key, tuple) else (key,))

    def __len__(self) -> int:
        return len(self.values)

    def _at(self, keys: Tuple[Any, ...]) -> Any:
        if len(keys) > self.values.ndim:
            raise Untraceable(f"{self.name} has {self.values.ndim} subscripts, and {len(keys)} are given")
        if len(keys) < self.values.ndim:
            return _Row(self, keys)
        if not any(isinstance(k, Scalar) for k in keys):
            return self.values[keys].item()
        pieces: List[Any] = [self]
        for k in keys:
            pieces += ["[", Operand(expression.operand(k), expression.CHOICE), "]"]
        return Scalar(tuple(pieces), self.type or (None if self.values.dtype.kind == "f" else self._whole()))

    def _whole(self) -> Any:
        return "bool" if self.values.dtype.kind == "b" else None

    def text(self) -> str:
        """The value of its declaration."""
        return _text_of(self.values.tolist())

    def __repr__(self) -> str:
        return self.name


class _Row:
    """A part of a table that wants more subscripts."""

    def __init__(self, table: Table, keys: Tuple[Any, ...]):
        self._table, self._keys = table, keys

    def __getitem__(self, key: Any) -> Any:
        return self._table._at((*self._keys, *(key if isinstance(key, tuple) else (key,))))


def _text_of(values: Union[Sequence[Any], Any]) -> str:
    if isinstance(values, list):
        return f"[{', '.join(map(_text_of, values))}]"
    return expression.operand(values).text
