"""DLPack from Python: the structures, and capsules of any producer as NumPy arrays without a copy.

NumPy reads only what its own version knows (capsules with a version from 2.1 on), and has no
bfloat16; so capsules are read here. Both forms are known: "dltensor", and "dltensor_versioned"
whose flags say what may not be written.
"""

import ctypes
from typing import Any, Callable, Collection, Optional, Tuple

import numpy as np

from . import types
from .errors import ArgumentTypeError

CPU = 1
_DEVICES = {2: "a CUDA device", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device", 10: "a ROCm device"}
# Memory of the host that a device can reach, too, is memory of the host.
_HOST = {1, 3, 11}

READ_ONLY = 1  # of the flags of a versioned tensor


class DLTensor(ctypes.Structure):
    """DLTensor of dlpack.h, its device and type written out."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class _Owner:
    """Holds what a capsule gave until no array uses it; NumPy makes arrays of its interface."""

    def __init__(self, managed: Any, address: int, interface: dict):
        self._managed = managed
        self._address = address
        self.__array_interface__ = interface

    def __del__(self) -> None:
        managed, self._managed = self._managed, None
        if managed is not None and managed.deleter:
            _DELETER(managed.deleter)(self._address)


def device_of(x: Any, name: str) -> Tuple[int, int]:
    """The kind and the number of the device that the memory of x is on."""
    ask = getattr(x, "__dlpack_device__", None)
    if ask is None:
        return CPU, 0
    kind, number = _asked(ask, x, name)
    return int(kind), int(number)


def export(x: Any, name: str, **more: Any) -> Any:
    """Asks x for a capsule, with a version where x knows of versions."""
    try:
        return _asked(lambda: x.__dlpack__(max_version=(1, 1), **more), x, name, older=TypeError)
    except TypeError as e:
        if isinstance(e, ArgumentTypeError):
            raise
        return _asked(lambda: x.__dlpack__(**more), x, name)


def _asked(ask: Callable[[], Any], x: Any, name: str, older: Any = ()) -> Any:
    """What x answers; what it says against being used is the error."""
    try:
        return ask()
    except older:  # a producer that is older than versions
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise ArgumentTypeError(f"{name} is a {type(x).__module__}.{type(x).__name__} whose memory cannot be used: {e}") from e


def array_of(x: Any, name: str, there: Collection[int] = _HOST, **more: Any) -> Tuple[np.ndarray, types.ElementType]:
    """An array over the memory of an object that has ``__dlpack__``, of one of the kinds of devices, and the type of its elements."""
    kind, _ = device_of(x, name)
    if kind not in there:
        where = _DEVICES.get(kind, f"a device of the kind {kind}")
        raise ArgumentTypeError(f"{name} is in the memory of {where}, and a call takes arrays in the memory of the processor; pass a copy, such as {name}.cpu()")
    return array_of_capsule(export(x, name, **more), name, there)


# The names are compared by their address by nobody, but must live as long as capsules have them.
_USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}


def array_of_capsule(capsule: Any, name: str, there: Collection[int] = _HOST) -> Tuple[np.ndarray, types.ElementType]:
    """An array over what a capsule holds; the capsule is used up."""
    kind = next((k for k in _USED if _is_valid(capsule, k)), None)
    if kind is None:
        raise ArgumentTypeError(f"{name}: __dlpack__ gave no capsule named dltensor or dltensor_versioned, or one that was used before")
    address = _get_pointer(capsule, kind)
    read_only = False
    if kind == b"dltensor_versioned":
        managed = _Versioned.from_address(address)
        if managed.major != 1:
            raise ArgumentTypeError(f"{name} speaks version {managed.major}.{managed.minor} of DLPack, and version 1 is known here")
        read_only = bool(managed.flags & READ_ONLY)
    else:
        managed = _Managed.from_address(address)
    interface, element = _interface(managed.tensor, read_only, name, there)
    _set_name(capsule, _USED[kind])  # from here on the tensor is ours to give back
    return np.asarray(_Owner(managed, address, interface)), element


def _interface(t: DLTensor, read_only: bool, name: str, there: Collection[int]) -> Tuple[dict, types.ElementType]:
    if t.device_type not in there:
        raise ArgumentTypeError(f"{name} is in the memory of another device than it says")
    element: Optional[types.ElementType] = types.of_dlpack(t.code, t.bits) if t.lanes == 1 else None
    if element is None:
        kind = {5: "complex numbers"}.get(t.code, f"elements of DLPack's kind {t.code}")
        raise ArgumentTypeError(f"{name} has {kind} of {t.bits} bits, {t.lanes} at a time, which Ricci lacks; it has {', '.join(types.BY_NAME)}")
    shape = tuple(t.shape[k] for k in range(t.ndim))
    size = element.dtype.itemsize
    strides = None  # row-major, as old producers say it
    if t.strides and t.ndim:
        strides = tuple(t.strides[k] * size for k in range(t.ndim))
    address = (t.data or 0) + t.byte_offset
    if not address and 0 not in shape:
        raise ArgumentTypeError(f"{name}: __dlpack__ gave no memory")
    interface = {
        "version": 3,
        "shape": shape,
        "typestr": element.dtype.str,
        "data": (address or np.empty(1).ctypes.data, read_only),
        "strides": strides,
    }
    return interface, element
