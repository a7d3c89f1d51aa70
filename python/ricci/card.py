"""Arrays in the memory of a card of CUDA.

A function of ``ricci.compile(…, device="cuda")`` that is given such arrays launches its kernel on them in a stream, and
copies nothing. Arrays say of themselves where they are, by DLPack or ``__cuda_array_interface__``; nobody here reads an
element, or needs the driver: the kernel's library has that.
"""

import ctypes
import sys
from typing import Any, Dict, Iterable, Optional, Sequence

import numpy as np

from . import dlpack, types
from .arrays import View
from .errors import ArgumentError, ArgumentTypeError

KIND = 2  # of DLPack's devices
DEFAULT = 1  # the stream that others wait for, by its number in DLPack and in CUDA

# Where libraries have the address of a stream.
_ADDRESSES = ("cuda_stream", "ptr", "handle")

# How libraries tell the stream in which they queue at present, on the card of an array of theirs.
_PRESENT: Dict[str, Any] = {
    "torch": lambda library, x: library.cuda.current_stream(x.device),
    "cupy": lambda library, x: library.cuda.get_current_stream(),
}

# How libraries make arrays on the card of one of theirs.
_MAKERS: Dict[str, Any] = {
    "torch": lambda library, like, shape, name: library.empty(shape, dtype=getattr(library, name), device=like.device),
    "cupy": lambda library, like, shape, name: library.empty(shape, dtype=name),
}


def stream_of(x: Any) -> int:
    """A stream as the number that DLPack and CUDA have for it; None is the default one."""
    if x is None or (isinstance(x, int) and x == 0):
        return DEFAULT
    if hasattr(x, "__cuda_stream__"):
        return int(x.__cuda_stream__()[1]) or DEFAULT
    for name in _ADDRESSES:
        value = getattr(x, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or DEFAULT)
    try:
        return int(x.__index__())
    except AttributeError:
        raise ArgumentTypeError(f"stream= is a {type(x).__name__}; pass a stream of PyTorch or CuPy, or its address") from None


def present(arguments: Iterable[Any]) -> int:
    """The stream in which the library of the first array on a card queues at present; the default one where none tells."""
    for x in arguments:
        library = _library_of(x)
        if library in _PRESENT and library in sys.modules and is_there(x):
            return stream_of(_PRESENT[library](sys.modules[library], x))
    return DEFAULT


def _library_of(x: Any) -> str:
    return type(x).__module__.split(".")[0]


def is_there(x: Any) -> bool:
    """Whether x is an array in the memory of a card."""
    if isinstance(x, np.ndarray) or not (hasattr(x, "__dlpack_device__") or hasattr(x, "__cuda_array_interface__")):
        return False
    return not hasattr(x, "__dlpack_device__") or dlpack.device_of(x, "an argument")[0] == KIND


def adopt(x: Any, name: str, stream: int) -> View:
    """The memory of an array on a card; what its library has queued is done before what is queued in the stream from now on."""
    if hasattr(x, "__dlpack__"):
        array, element = dlpack.array_of(x, name, (KIND,), stream=stream)
        return View(array, element, dlpack.device_of(x, name), x)
    said = x.__cuda_array_interface__
    if said.get("mask") is not None:
        raise ArgumentTypeError(f"{name} is a masked array, and programs know no masks")
    element = types.of_dtype(np.dtype(said["typestr"]))
    if element is None:
        raise ArgumentTypeError(f"{name} {types.why_not(np.dtype(said['typestr']), name)}")
    if said.get("stream") not in (None, stream):
        _wait(said["stream"])
    return View(np.asarray(_Interface(said)), element, (KIND, _number_of(x)), x)


class _Interface:
    """What NumPy makes an array of."""

    def __init__(self, said: Dict[str, Any]):
        address, read_only = said["data"]
        self.__array_interface__ = {
            "version": 3, "shape": tuple(said["shape"]), "typestr": said["typestr"], "strides": said.get("strides"), "data": (address or np.empty(1).ctypes.data, read_only)}


def _number_of(x: Any) -> int:
    """The number of the card, which the interface does not say: CuPy's, and else the first."""
    return int(getattr(getattr(x, "device", 0), "id", 0) or 0)


def _wait(stream: int) -> None:
    """Waits for what a library has queued elsewhere."""
    driver = ctypes.CDLL("libcuda.so.1")
    code = driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    if code:
        raise ArgumentError(f"the stream of an argument has failed: CUDA error {code}")


def empty(views: Sequence[Optional[View]], shape: Sequence[int], element: types.ElementType, name: str) -> Any:
    """A new array on the card of the others, by the library of one of them."""
    for v in views:
        library = _library_of(v.owner) if v is not None and v.place[0] == KIND else ""
        if v is not None and library in _MAKERS and library in sys.modules:
            return _MAKERS[library](sys.modules[library], v.owner, tuple(shape), element.name)
    raise ArgumentError(f"{name} is a result on a card, for which the libraries {' and '.join(_MAKERS)} make arrays; pass one, out=, of the shape {tuple(shape)} and the type {element.name}")
