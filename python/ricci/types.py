"""The element types of Ricci beside those of NumPy and DLPack.

One table; everything else asks it. bfloat16 has no type of NumPy's own: its arrays are those of
``ml_dtypes`` where a caller has them, and views of 16 bits inside of this package.
"""

from typing import NamedTuple, Optional

import numpy as np

# The codes of DLDataType.
DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT, DL_COMPLEX, DL_BOOL = 0, 1, 2, 4, 5, 6


class ElementType(NamedTuple):
    """A type of elements: its name in programs, what NumPy stores it as, and its DLDataType."""

    name: str
    dtype: np.dtype
    code: int
    bits: int


_TABLE = [
    ElementType("bool", np.dtype(np.bool_), DL_BOOL, 8),
    ElementType("int8", np.dtype(np.int8), DL_INT, 8),
    ElementType("int16", np.dtype(np.int16), DL_INT, 16),
    ElementType("int32", np.dtype(np.int32), DL_INT, 32),
    ElementType("int64", np.dtype(np.int64), DL_INT, 64),
    ElementType("uint8", np.dtype(np.uint8), DL_UINT, 8),
    ElementType("uint16", np.dtype(np.uint16), DL_UINT, 16),
    ElementType("uint32", np.dtype(np.uint32), DL_UINT, 32),
    ElementType("uint64", np.dtype(np.uint64), DL_UINT, 64),
    ElementType("float16", np.dtype(np.float16), DL_FLOAT, 16),
    ElementType("bfloat16", np.dtype(np.uint16), DL_BFLOAT, 16),
    ElementType("float32", np.dtype(np.float32), DL_FLOAT, 32),
    ElementType("float64", np.dtype(np.float64), DL_FLOAT, 64),
]

BY_NAME = {t.name: t for t in _TABLE}
_BY_DLPACK = {(t.code, t.bits): t for t in _TABLE}
# Kinds and sizes, since int64 is "l" to one producer and "q" to another.
_BY_KIND = {(t.dtype.kind, t.dtype.itemsize): t for t in _TABLE if t.name != "bfloat16"}


def of_dtype(dtype: np.dtype) -> Optional[ElementType]:
    """The type of arrays of a dtype; None where Ricci has none, as for complex numbers."""
    if dtype.names is None and dtype.subdtype is None:
        if dtype.name == "bfloat16":  # of ml_dtypes, which registers it
            return BY_NAME["bfloat16"] if dtype.itemsize == 2 else None
        return _BY_KIND.get((dtype.kind, dtype.itemsize))
    return None


def of_dlpack(code: int, bits: int) -> Optional[ElementType]:
    """The type of a DLDataType of one lane."""
    return _BY_DLPACK.get((code, bits))


def spelled(element: ElementType) -> str:
    """A type as callers write it: np.float32."""
    if element.name == "bfloat16":
        return "ml_dtypes.bfloat16"
    return "bool" if element.name == "bool" else f"np.{element.name}"


def way_out(name: str, wanted: ElementType, written: bool) -> str:
    """What to pass instead of an array of another type: a conversion, or, since results would be lost with it, a new array."""
    return f"pass np.empty(…, {spelled(wanted)})" if written else f"pass {name}.astype({spelled(wanted)})"


def why_not(dtype: np.dtype, name: str = "x", wanted: Optional[ElementType] = None, written: bool = False) -> str:
    """Why arrays of a dtype are refused, and the way out."""
    if dtype.names is not None:
        return f"is an array of records ({dtype}); pass its fields, such as {name}['{dtype.names[0]}']"
    if dtype.kind == "O":
        return f"is an array of Python objects; {way_out(name, wanted or BY_NAME['float64'], written)}"
    if dtype.kind == "c":
        return f"has elements of {dtype.name}, and Ricci has no complex numbers; pass {name}.real and {name}.imag"
    names = ", ".join(BY_NAME)
    return f"has elements of {dtype.name}, which Ricci lacks; it has {names}"
