"""A compiled kernel: a library that this process loads, and the function in it (docs/serve.md, "The C ABI")."""

import ctypes
import os
import threading
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import _ctypes

from . import card, dlpack, types
from .arrays import View
from .errors import ArgumentError, ArgumentTypeError, Diagnostic, Error, OutOfMemory, RangeError, ServiceError, Unavailable

ABI = 1
_READ_ONLY = 1
_MESSAGE_BYTES = 4096


class _CallStructure(ctypes.Structure):
    """ricci_call of ricci.h."""

    _fields_ = [
        ("bytes", ctypes.c_uint32),
        ("count", ctypes.c_int32),
        ("arguments", ctypes.POINTER(ctypes.POINTER(dlpack.DLTensor))),
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


# Results of the function, beside 0, and their exceptions.
_ERRORS: Dict[int, type] = {
    3: ArgumentTypeError,  # RICCI_DEVICE
    4: ArgumentTypeError,  # RICCI_TYPE
    12: OutOfMemory,  # RICCI_MEMORY
    13: RangeError,  # RICCI_BOUNDS
    14: Unavailable,  # RICCI_DRIVER
}


def error_of(code: int, message: str) -> Error:
    """The exception for a result of a kernel."""
    return _ERRORS.get(code, ArgumentError)(message or f"the kernel failed with the code {code}")


class Parameter(NamedTuple):
    """An argument in the order of a call."""

    name: str
    role: str  # "in", "out" or "inout"
    type: types.ElementType
    extents: Tuple[Optional[int], ...]  # None: depends on sizes that are variables
    strides: Optional[Tuple[int, ...]]  # in elements; None: dense and row-major


class Kernel:
    """A loaded kernel. Any number of threads may call it."""

    def __init__(self, answer: Dict[str, Any]):
        d = answer["descriptor"]
        if d["abi"] != ABI:
            raise ServiceError(f"the command makes kernels of the ABI {d['abi']}, and this package calls those of {ABI}: they are of different versions")
        self.descriptor: Dict[str, Any] = d
        self.schedule_kind: str = answer.get("schedule") or d.get("schedule", "")
        self.notices: List[str] = answer.get("notices") or []
        self.diagnostics = [Diagnostic(w) for w in answer.get("warnings") or []]
        self.parameters = [_parameter(a) for a in d["arguments"]]
        self.outputs = [p for p in self.parameters if p.role != "in"]
        self.inputs = [p for p in self.parameters if p.role == "in"]
        self.path: str = answer["libraries"][-1]
        self._library = _load(answer["libraries"])
        self.address = _symbol(self._library, answer["symbol"])
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(self.address)
        shapes = d.get("shapes")
        self._shapes = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(_symbol(self._library, shapes)) if shapes else None
        self.size_names = [s["name"] for s in d["sizes"] if s.get("given")]  # no input tells them
        self.handler = getattr(self._library.handle, answer["symbol"].replace("ricci_call_", "ricci_xla_"))  # what XLA calls

    def output_shapes(self, inputs: Sequence[View], sizes: Dict[str, int]) -> List[Tuple[int, ...]]:
        """The shapes of the outputs of a call with these inputs."""
        if all(None not in p.extents for p in self.outputs):
            return [p.extents for p in self.outputs]  # type: ignore[misc]
        call = Call(self, inputs, sizes)
        ranks = [len(p.extents) for p in self.outputs]
        extents = (ctypes.c_int64 * max(1, sum(ranks)))()
        call.run(lambda block: self._shapes(block, ctypes.addressof(extents)))
        out, at = [], 0
        for rank in ranks:
            out.append(tuple(extents[at:at + rank]))
            at += rank
        return out

    def __call__(self, views: Sequence[View], sizes: Dict[str, int], threads: int = 0, stream: Optional[int] = None) -> None:
        """Computes: inputs, then outputs. On a card it is queued in the stream."""
        Call(self, views, sizes, threads, stream).run()


class Call:
    """A kernel with its arguments: what a call needs is made once, and holds the arrays."""

    def __init__(self, kernel: Kernel, views: Sequence[View], sizes: Dict[str, int], threads: int = 0, stream: Optional[int] = None):
        self.kernel = kernel
        self.views = list(views)
        n = len(self.views)
        self._tensors = [tensor_of(v) for v in self.views]
        self._arguments = (ctypes.POINTER(dlpack.DLTensor) * max(1, n))(*[ctypes.pointer(t) for t in self._tensors])
        self._flags = bytes(0 if v.array.flags.writeable else _READ_ONLY for v in self.views)
        names = kernel.size_names
        given = bool(names) and all(s in sizes for s in names)  # else the shapes of outputs tell them
        self._sizes = (ctypes.c_int64 * len(names))(*[sizes[s] for s in names]) if given else None
        self._message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        self._block = _CallStructure(
            bytes=ctypes.sizeof(_CallStructure), count=n, arguments=self._arguments, flags=self._flags, sizes=self._sizes,
            stream=None if stream == card.DEFAULT else stream, threads=threads, message_bytes=_MESSAGE_BYTES, message=ctypes.cast(self._message, ctypes.c_char_p), argument=-1, dimension=-1)
        self._address = ctypes.addressof(self._block)
        self._lock = threading.Lock()

    def run(self, function: Any = None) -> None:
        """Calls the kernel; one thread at a time for each Call."""
        with self._lock:
            code = (function or self.kernel._function)(self._address)
            if code:
                raise error_of(code, self._message.value.decode(errors="replace"))


def tensor_of(v: View) -> dlpack.DLTensor:
    """The DLTensor of an array, which must outlive it."""
    a, rank = v.array, v.array.ndim
    shape = (ctypes.c_int64 * max(1, rank))(*a.shape)
    strides = (ctypes.c_int64 * max(1, rank))(*[s // a.itemsize for s in a.strides])
    t = dlpack.DLTensor(
        data=a.ctypes.data, device_type=v.place[0], device_id=v.place[1], ndim=rank, code=v.type.code, bits=v.type.bits, lanes=1,
        shape=ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)), strides=ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)))
    t._held = (shape, strides)
    return t


def _parameter(a: Dict[str, Any]) -> Parameter:
    strides = a.get("strides")
    return Parameter(a["name"], a["role"], types.BY_NAME[a["type"]], tuple(a.get("extents") or ()), None if strides is None else tuple(strides))


_loading = threading.Lock()
_shared: Dict[str, ctypes.CDLL] = {}  # what has the threads: never unloaded


class _Library:
    """A library that is unloaded when nothing holds it; dlopen counts how often it is loaded."""

    def __init__(self, path: str):
        self.handle = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        weakref.finalize(self, _ctypes.dlclose, self.handle._handle).atexit = False


def _load(paths: Sequence[str]) -> _Library:
    with _loading:
        for path in paths[:-1]:
            if path not in _shared:
                _shared[path] = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        try:
            return _Library(paths[-1])
        except OSError as e:
            raise Error(f"the kernel cannot be loaded: {e}") from None


def _symbol(library: _Library, name: str) -> int:
    address = ctypes.cast(getattr(library.handle, name), ctypes.c_void_p).value
    assert address is not None
    return address
