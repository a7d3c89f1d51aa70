"""As much of JAX and XLA as functions of ``ricci.jax`` need, with their rules: for tests where they cannot be installed.

Handlers are asked for their version when they are registered, and called with frames as XLA lays them out, by its public
header; a callback has to keep to the shapes that it announced, and so do arguments and results.
"""

import ctypes
import sys
import types
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

_WORD = ctypes.c_void_p


class _Base(ctypes.Structure):
    """What every record begins with."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _WORD)]

    def __init__(self, **fields: Any):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class _Version(_Base):
    _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("api_version", _Version), ("traits", ctypes.c_uint32)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", _WORD), ("metadata", ctypes.POINTER(_Metadata))]


class _Buffer(_Base):
    _fields_ = [("dtype", ctypes.c_int), ("data", _WORD), ("rank", ctypes.c_int64), ("dims", ctypes.POINTER(ctypes.c_int64))]


class _List(_Base):
    _fields_ = [("size", ctypes.c_int64), ("types", ctypes.POINTER(ctypes.c_int)), ("values", ctypes.POINTER(_WORD))]


class _Attributes(_Base):
    _fields_ = [("size", ctypes.c_int64), ("types", _WORD), ("names", _WORD), ("attrs", _WORD)]


class _ErrorRequest(_Base):
    _fields_ = [("message", ctypes.c_char_p), ("errc", ctypes.c_int)]


_MAKE_ERROR = ctypes.CFUNCTYPE(_WORD, ctypes.POINTER(_ErrorRequest))


class _StreamRequest(_Base):
    _fields_ = [("ctx", _WORD), ("stream", _WORD)]


_FIND_STREAM = ctypes.CFUNCTYPE(_WORD, ctypes.POINTER(_StreamRequest))


class _Api(_Base):
    _fields_ = [("api_version", _Version), ("internal_api", _WORD), ("error_create", _MAKE_ERROR), ("others", _WORD * 3), ("stream_get", _FIND_STREAM)]


class _Frame(_Base):
    _fields_ = [("api", ctypes.POINTER(_Api)), ("ctx", _WORD), ("stage", ctypes.c_int), ("args", _List), ("rets", _List), ("attrs", _Attributes), ("future", _WORD)]


_DTYPES = {n: k for k, n in enumerate("- bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split())}
_CODES = {3: "INVALID_ARGUMENT", 8: "RESOURCE_EXHAUSTED", 11: "OUT_OF_RANGE"}
_errors: List[str] = []


@_MAKE_ERROR
def _make_error(request: Any) -> int:
    _errors.append(f"{_CODES[request.contents.errc]}: {request.contents.message.decode()}")
    return len(_errors)


stream: Any = None  # of a card


@_FIND_STREAM
def _find_stream(request: Any) -> None:
    request.contents.stream = stream


_API = _Api(api_version=_Version(major=0, minor=4), error_create=_make_error, stream_get=_find_stream)


class XlaRuntimeError(RuntimeError):
    """What JAX raises for an error of a handler."""


def _call(handler: Callable, frame: _Frame) -> None:
    error = handler(ctypes.byref(frame))
    if error:
        raise XlaRuntimeError(_errors[error - 1])


class FFI(types.ModuleType):
    """jax.ffi."""

    targets: Dict[str, Callable] = {}
    calls = 0

    @staticmethod
    def pycapsule(function: Any) -> Callable:
        return ctypes.CFUNCTYPE(_WORD, _WORD)(ctypes.cast(function, _WORD).value)

    def register_ffi_target(self, name: str, handler: Callable, platform: str = "cpu") -> None:
        assert platform == {"cpu": "cpu", "gpu": "CUDA"}[sys.modules["jax"].default_backend()] and name not in self.targets, name
        metadata = _Metadata(ctypes.sizeof(_Metadata), _Version(), 0)
        extension = _MetadataExtension(ctypes.sizeof(_MetadataExtension), 1, None, ctypes.pointer(metadata))
        _call(handler, _Frame(extension_start=ctypes.addressof(extension), api=ctypes.pointer(_API), stage=3, args=_List(), rets=_List(), attrs=_Attributes()))
        version = metadata.api_version.major, metadata.api_version.minor
        assert (0, 1) <= version <= (0, 4), version
        self.targets[name] = handler

    def ffi_call(self, name: str, results: Any, *, vmap_method: str, input_output_aliases: Dict[int, int]) -> Callable:
        assert vmap_method == "sequential"

        def call(*arguments: Any) -> Any:
            given = [np.asarray(x, order="C") for x in arguments]
            made = [np.empty(r.shape, r.dtype) for r in results]
            for k, result in input_output_aliases.items():
                if k % 2 == 0:  # XLA may put both in one place, or not
                    made[result] = given[k] = given[k].copy()
            self.calls += 1
            held, frame = _frame_of(given, made)
            _call(self.targets[name], frame)
            del held
            return made

        return call


def _frame_of(given: Sequence[np.ndarray], made: Sequence[np.ndarray]) -> Tuple[Any, _Frame]:
    held: List[Any] = []

    def list_of(arrays: Sequence[np.ndarray]) -> _List:
        buffers = []
        for x in arrays:
            dims = (ctypes.c_int64 * max(1, x.ndim))(*x.shape)
            buffers.append(_Buffer(dtype=_DTYPES[x.dtype.name], data=x.ctypes.data, rank=x.ndim, dims=dims))
            held.append(dims)
        kinds, values = (ctypes.c_int * len(arrays))(*[1] * len(arrays)), (_WORD * len(arrays))(*map(ctypes.addressof, buffers))
        held.extend([*buffers, kinds, values])
        return _List(size=len(arrays), types=kinds, values=values)

    return held, _Frame(api=ctypes.pointer(_API), stage=3, args=list_of(given), rets=list_of(made), attrs=_Attributes())


class ShapeDtypeStruct:
    """The type and shape of an array."""

    def __init__(self, shape: Any, dtype: Any):
        self.shape, self.dtype = shape, dtype


class Traced(ShapeDtypeStruct):
    """An argument whose value is not known."""

    def __index__(self) -> int:
        raise TypeError("the value of a tracer is not known")


class custom_vjp:
    """A function with its derivative, which ``gradient`` asks for."""

    last: Any = None

    def __init__(self, f: Callable):
        self._f = f

    def defvjp(self, forward: Callable, backward: Callable) -> None:
        self.forward, self.backward = forward, backward

    def __call__(self, *arguments: Any) -> Any:
        custom_vjp.last = self
        return self._f(*arguments)


def gradient(f: Callable, *arguments: Any) -> Tuple[Any, ...]:
    """The derivatives of the sum of all results by the arguments that are arrays."""
    f(*arguments)
    made = custom_vjp.last
    results, kept = made.forward(*[x for x in arguments if hasattr(x, "shape")])
    ones = tuple(map(np.ones_like, results)) if isinstance(results, tuple) else np.ones_like(results)
    found = made.backward(kept, ones)
    assert isinstance(found, tuple) and len(found) == len(kept)
    return tuple(np.zeros_like(x) if d is None else d for d, x in zip(found, kept))


def pure_callback(run: Callable, results: Any, *arguments: Any, vmap_method: str) -> Any:
    """Calls Python."""
    assert vmap_method == "sequential"
    found = run(*arguments)
    assert len(found) == len(results)
    for want, got in zip(results, found):
        assert (want.shape, want.dtype) == (got.shape, got.dtype), "a callback keeps to the shapes that it announced"
    return found


def install() -> types.ModuleType:
    """Makes this ``import jax``."""
    module = types.ModuleType("jax")
    module.ShapeDtypeStruct, module.custom_vjp, module.pure_callback = ShapeDtypeStruct, custom_vjp, pure_callback  # type: ignore[attr-defined]
    module.ffi = FFI("jax.ffi")  # type: ignore[attr-defined]
    module.config = types.SimpleNamespace(jax_enable_x64=True)  # type: ignore[attr-defined]
    module.default_backend = lambda: "cpu"  # type: ignore[attr-defined]
    sys.modules["jax"] = module
    return module
