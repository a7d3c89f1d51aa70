"""Calls of compiled functions on arrays.

This file was made by Ricci, and needs nothing of it: NumPy and the compiled library beside it are
all there is. Arrays of NumPy, and whatever has ``__array_interface__`` or ``__dlpack__``, are taken as they
are where their elements lie row by row; others are copied. A function may be called by several
threads at a time.
"""

import ctypes
import json
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        ("bytes", ctypes.c_uint32),
        ("count", ctypes.c_int32),
        ("arguments", ctypes.POINTER(ctypes.POINTER(_Tensor))),
        ("flags", ctypes.c_char_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("stream", ctypes.c_void_p),
        ("threads", ctypes.c_int32),
        ("message_bytes", ctypes.c_uint32),
        ("message", ctypes.c_char_p),
        ("argument", ctypes.c_int32),
        ("dimension", ctypes.c_int32),
        ("guards", ctypes.c_int64),
    ]


_MESSAGE_BYTES = 2048
_ERRORS = {4: TypeError, 12: MemoryError, 13: IndexError}


class Function:
    """A compiled function."""

    def __init__(self, library: ctypes.CDLL, name: str) -> None:
        describe = getattr(library, "ricci_describe_" + name)
        describe.restype = ctypes.c_char_p
        self.descriptor = json.loads(describe().decode())
        self.name = self.descriptor["name"]
        self._call = getattr(library, self.descriptor["call"])
        self._shapes = getattr(library, self.descriptor["shapes"])
        arguments = self.descriptor["arguments"]
        self._inputs = [a for a in arguments if a["role"] == "in"]
        self._outputs = [a for a in arguments if a["role"] != "in"]
        self._scalar_sizes = {s["argument"] for s in self.descriptor["sizes"] if s.get("dim") == -1}

    def __call__(self, inputs: Sequence[Any], inouts: Sequence[Any], out: Any, sizes: Sequence[Optional[int]]) -> Any:
        """Computes; in-outs and ``out`` are written to. One result is an array, several are a tuple."""
        arrays = [self._array(a, x) for a, x in zip(self._inputs, inputs)]
        given = self._given(inouts, out)
        if None in sizes:
            if any(n is not None for n in sizes):
                raise ValueError(f"{self.name}: some sizes are given and others not")
            sizes = []
        shapes = self._find_shapes(arrays, given, sizes)
        results: List[np.ndarray] = []
        targets: List[Tuple[np.ndarray, np.ndarray]] = []
        for a, x, shape in zip(self._outputs, given, shapes):
            if x is None:
                x = np.empty(shape, _dtype(a))
            elif x.shape != shape:
                raise ValueError(f"{self.name}: {a['name']} has the shape {x.shape}, expected {shape}")
            elif not x.flags.writeable:
                raise ValueError(f"{self.name}: {a['name']} is read-only, and is written to")
            results.append(x)
            if not x.flags.c_contiguous:
                dense = np.ascontiguousarray(x) if a["role"] == "inout" else np.empty(shape, x.dtype)
                targets.append((x, dense))
                x = dense
            arrays.append(x)
        self._run(self._call, arrays, sizes)
        for target, dense in targets:
            target[...] = dense
        return results[0] if len(results) == 1 else tuple(results)

    def _given(self, inouts: Sequence[Any], out: Any) -> List[Optional[np.ndarray]]:
        """The arrays for outputs that the caller has."""
        outs = [a for a in self._outputs if a["role"] == "out"]
        given = (out,) if len(outs) == 1 and not isinstance(out, tuple) else (None,) * len(outs) if out is None else tuple(out)
        if len(given) != len(outs):
            raise ValueError(f"{self.name}: out has {len(given)} arrays, expected {len(outs)}")
        left, right = iter(inouts), iter(given)
        return [self._target(a, next(left) if a["role"] == "inout" else next(right)) for a in self._outputs]

    def _target(self, a: Any, x: Any) -> Optional[np.ndarray]:
        if x is None:
            return None
        view = _view(x)
        if view is None:
            raise TypeError(f"{self.name}: {a['name']} is a {type(x).__name__}, expected an array, which is written to")
        return self._typed(a, view)

    def _typed(self, a: Any, x: np.ndarray) -> np.ndarray:
        want = _dtype(a)
        if a["type"] == "bfloat16" and x.dtype.name == "bfloat16":
            return x.view(np.uint16)
        if x.dtype != want:
            hint = f"; {a['name']}.astype(numpy.{want.name}) converts it" if x.dtype.kind in "biuf" else ""
            raise TypeError(f"{self.name}: {a['name']} has elements of type {x.dtype}, expected {a['type']}{hint}")
        return x

    def _array(self, a: Any, x: Any) -> np.ndarray:
        """An input as a dense array."""
        view = _view(x)
        if view is None and not a["shape"] and isinstance(x, (bool, int, float)):
            return self._scalar(a, x)
        if view is None:
            raise TypeError(f"{self.name}: {a['name']} is a {type(x).__name__}, expected an array: numpy.asarray(…, numpy.{_dtype(a).name})")
        if view.ndim != len(a["shape"]):
            raise ValueError(f"{self.name}: {a['name']} has {view.ndim} dimension{'' if view.ndim == 1 else 's'}, expected {a['type']}({', '.join(a['shape'])})")
        view = self._typed(a, view)
        return view if view.flags.c_contiguous and view.flags.aligned else view.copy(order="C")

    def _scalar(self, a: Any, x: Any) -> np.ndarray:
        want = _dtype(a)
        if a["type"] == "bfloat16":
            bits = int(np.array(x, np.float32).view(np.uint32))
            return np.array((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 if x == x else 0x7FC0, np.uint16)
        if want.kind in "biu" and (isinstance(x, float) or not int(x) in _range(want)):
            raise TypeError(f"{self.name}: {a['name']} is {x}, expected a number of type {a['type']}")
        return np.array(x, want)

    def _find_shapes(self, arrays: Sequence[np.ndarray], given: Sequence[Any], sizes: Sequence[Optional[int]]) -> List[Tuple[int, ...]]:
        ranks = [len(a["shape"]) for a in self._outputs]
        extents = (ctypes.c_int64 * max(1, sum(ranks)))()
        self._run(self._shapes, [*arrays, *given], sizes, extents)
        shapes, at = [], 0
        for rank in ranks:
            shapes.append(tuple(extents[at : at + rank]))
            at += rank
        return shapes

    def _run(self, function: Any, arrays: Sequence[Optional[np.ndarray]], sizes: Sequence[Optional[int]], *more: Any) -> None:
        kinds = [*self._inputs, *self._outputs]
        tensors = [_tensor(a, x) for a, x in zip(kinds, arrays)]
        list_type = ctypes.POINTER(_Tensor) * len(tensors)
        pointers = list_type(*(ctypes.pointer(t) if t is not None else ctypes.POINTER(_Tensor)() for t in tensors))
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        call = _Call(bytes=ctypes.sizeof(_Call), count=len(tensors), arguments=pointers, message_bytes=_MESSAGE_BYTES)
        call.message = ctypes.cast(message, ctypes.c_char_p)
        if sizes:
            call.sizes = (ctypes.c_int64 * len(sizes))(*sizes)
        code = function(ctypes.byref(call), *more)
        if code:
            raise _ERRORS.get(code, ValueError)(message.value.decode(errors="replace").rstrip())


def _range(t: np.dtype) -> range:
    if t.kind == "b":
        return range(2)
    info = np.iinfo(t)
    return range(int(info.min), int(info.max) + 1)


def _dtype(a: Any) -> np.dtype:
    """The type of NumPy: bfloat16, which it does not have, goes by its bits."""
    return np.dtype("uint16" if a["type"] == "bfloat16" else a["type"])


def _view(x: Any) -> Optional[np.ndarray]:
    """An array over the same elements; None for what is no array."""
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x)
    if hasattr(x, "__array_interface__"):
        return np.asarray(x)
    if hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    return None


def _tensor(a: Any, x: Optional[np.ndarray]) -> Optional[_Tensor]:
    if x is None:
        return None
    code, bits = a["dlpack"]
    return _Tensor(x.ctypes.data, _Device(1, 0), x.ndim, _Type(code, bits, 1), (ctypes.c_int64 * max(1, x.ndim))(*x.shape))
