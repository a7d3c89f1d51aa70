"""What callers pass, as arrays that a kernel can be given: the same memory, never a copy."""

from typing import Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import dlpack, types
from .errors import ArgumentError, ArgumentTypeError, OutOfMemory


class View(NamedTuple):
    """An array over the caller's memory and the type of its elements, which for bfloat16 the array does not know."""

    array: np.ndarray  # of memory that nobody here may look into where place is no processor
    type: types.ElementType
    place: Tuple[int, int] = (dlpack.CPU, 0)  # the kind and the number of a device of DLPack
    owner: Any = None  # what was passed, of memory elsewhere


def adopt(x: Any, name: str, wanted: Optional[types.ElementType] = None, written: bool = False) -> View:
    """The memory of an argument, whatever library it is of. Errors say how to make an array of the type that is wanted."""
    if isinstance(x, np.ndarray):
        return of_array(x, name, wanted, written)
    if hasattr(x, "__dlpack__") and not isinstance(x, np.generic):
        # Arrays of NumPy's interface say more: NumPy before 2.1 does not export what is read-only.
        if not hasattr(x, "__array_interface__"):
            array, element = dlpack.array_of(x, name)
            return View(array, element)
    if hasattr(x, "__array_interface__") and not isinstance(x, np.generic):
        try:
            array = np.asarray(x)
        except Exception as e:  # what it says of its memory is wrong
            raise ArgumentTypeError(f"{name} is a {type_name(x)} whose memory cannot be used: {e}") from e
        return of_array(array, name, wanted, written)
    if isinstance(x, (list, tuple)):
        raise ArgumentTypeError(f"{name} is a {type(x).__name__}, whose type of elements is not said; pass np.asarray({name}, dtype=np.float32), for instance")
    if not isinstance(x, (np.generic, bytes)):
        try:
            return of_array(np.asarray(memoryview(x)), name, wanted, written)
        except (TypeError, ValueError):
            pass  # no buffer, or one of elements that NumPy does not know
    if hasattr(x, "__cuda_array_interface__"):
        raise ArgumentTypeError(f"{name} is in the memory of a CUDA device; pass a copy in the memory of the processor, such as {name}.copy_to_host(), or compile for arrays there: ricci.compile(…, device=\"cuda\")")
    way_out = f"; pass np.asarray({name})" if hasattr(x, "__array__") else ""
    raise ArgumentTypeError(f"{name} is a {type_name(x)}, and no array: it has neither __dlpack__ nor __array_interface__{way_out}")


def type_name(x: Any) -> str:
    """The type of an object for people."""
    t = type(x)
    return t.__name__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__name__}"


def count_of(n: int, what: str) -> str:
    """How many: "1 dimension", "2 dimensions"."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def of_array(x: np.ndarray, name: str, wanted: Optional[types.ElementType] = None, written: bool = False) -> View:
    """The view of an array of NumPy."""
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            raise ArgumentTypeError(f"{name} is a masked array, and programs know no masks; pass {name}.filled(0), or {name}.data and {name}.mask")
        x = x.view(np.ndarray)
    element = types.of_dtype(x.dtype)
    if element is None:
        raise ArgumentTypeError(f"{name} {types.why_not(x.dtype, name, wanted, written)}")
    if not x.dtype.isnative:
        raise ArgumentTypeError(f"{name} has elements in the byte order of another machine ({x.dtype.str}); {types.way_out(name, wanted or element, written)}")
    if x.dtype != element.dtype:  # bfloat16 of ml_dtypes
        x = x.view(element.dtype)
    return View(x, element)


def empty(shape: Sequence[int], element: types.ElementType, name: str) -> View:
    """A new array for an output."""
    try:
        return View(np.empty(shape, element.dtype), element)
    except (MemoryError, ValueError) as e:  # NumPy says ValueError where the number of bytes has more than 64 bits
        raise OutOfMemory(f"there is no memory for {name}, {element.name} of the shape {tuple(shape)}: {e}") from None


def strides_of(v: View, name: str) -> Tuple[int, ...]:
    """The strides in elements. What lies between elements is an error with the way out."""
    size = v.type.dtype.itemsize
    if v.array.ctypes.data % size and v.array.size:
        raise ArgumentError(f"{name} begins at an address that is no multiple of {size} bytes; pass a copy, {name}.copy()")
    out = []
    for extent, stride in zip(v.array.shape, v.array.strides):
        if stride % size:
            if extent > 1:
                raise ArgumentError(f"the elements of {name} are {stride} bytes apart, no multiple of their size {size}; pass a copy, {name}.copy()")
            stride = size
        out.append(stride // size)
    return tuple(out)


def dense_strides(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """The strides of a row-major array, in elements."""
    out, step = [], 1
    for extent in reversed(shape):
        out.append(step)
        step *= max(extent, 1)
    return tuple(reversed(out))


def scalar(x: Any, element: types.ElementType, name: str) -> View:
    """A number of Python or NumPy as an array without dimensions, where the type has it."""
    if isinstance(x, np.generic):
        given = types.of_dtype(x.dtype)
        if given is not None and given.name == element.name:
            return View(np.asarray(x), element)
        x = x.item()
    if isinstance(x, (bool, int, float)):
        return View(_number(x, element, name), element)
    way_out = f"; pass float({name})" if hasattr(x, "__float__") else ""  # such as fractions
    raise ArgumentTypeError(f"{name} is {x!r:.40}, and the program takes a number of the type {element.name}{way_out}")


def _number(x: Any, element: types.ElementType, name: str) -> np.ndarray:
    if element.name == "bool":
        if x in (0, 1):
            return np.array(bool(x))
        raise ArgumentError(f"{name} is {x!r}, and the program takes a bool")
    if element.dtype.kind == "f" or element.name == "bfloat16":
        try:
            x = float(x)
        except OverflowError:
            raise ArgumentError(f"{name} is a whole number of {x.bit_length()} bits, and {element.name} has none so large") from None
    if element.name == "bfloat16":
        bits = int(np.float32(x).view(np.uint32))
        if x != x:
            return np.array(0x7FC0, np.uint16)
        return np.array(((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) & 0xFFFF, np.uint16)
    if element.dtype.kind == "f":
        return np.array(x, element.dtype)
    limits = np.iinfo(element.dtype)
    if x != int(x) if x == x and abs(x) != float("inf") else True:
        raise ArgumentTypeError(f"{name} is {x!r}, and the program takes an {element.name}; pass int({name}) if that is meant")
    if not limits.min <= int(x) <= limits.max:
        raise ArgumentError(f"{name} is {x!r}, and {element.name} ends at {limits.min} and {limits.max}")
    return np.array(int(x), element.dtype)


_MOST = 1 << 20  # offsets that are compared one by one


def overlaps_itself(a: np.ndarray) -> bool:
    """Whether two elements share memory, as in broadcast arrays: such an array has no place for results."""
    steps = sorted((abs(s), n) for n, s in zip(a.shape, a.strides) if n > 1)
    reach = a.itemsize
    for step, extent in steps:
        if step < reach:
            break
        reach = step * (extent - 1) + reach
    else:
        return False
    if a.size > _MOST:
        return True  # interleaved in some way; nobody makes such large ones
    offsets = np.zeros((), np.int64)
    for n, s in zip(a.shape, a.strides):
        offsets = np.add.outer(offsets, np.arange(n) * s)
    gaps = np.diff(np.sort(offsets.ravel()))
    return bool((gaps < a.itemsize).any())
