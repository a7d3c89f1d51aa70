"""Arrays on a card: objects that speak DLPack, or have __cuda_array_interface__, on the card of Ricci's own tests, whose memory is the processor's."""

import os
import shutil
import subprocess
import tempfile
import unittest

from support import Case, in_another_process, ricci

from ricci import card

_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

_BODY = """
import ctypes, gc, os
from support import MM, np, ricci
from test_dlpack import Tensor

driver, context, stream = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0 and driver.cuStreamCreate(ctypes.byref(stream), 1) == 0

class OnCard(Tensor):
    def __init__(self, array, **more):
        super().__init__(array, **{"device": (2, 0), **more})
        self.streams = []
    def __dlpack__(self, max_version=None, stream=None):
        self.streams.append(stream)
        return super().__dlpack__(max_version)

class Interface:
    def __init__(self, array, **more):
        said = array.__array_interface__
        self.__cuda_array_interface__ = {"shape": said["shape"], "typestr": said["typestr"], "data": said["data"], "strides": said["strides"], "version": 3, **more}

random = np.random.default_rng(7)
A, B, C = random.random((9, 5), "f"), random.random((5, 6), "f"), np.full((9, 6), -1, "f")
mm = ricci.compile(MM, device="cuda")
a, b, c = OnCard(A), OnCard(B), OnCard(C)
assert mm(a, b, out=c) is c
assert (C == -1).all(), "it is queued, and nobody has waited"
assert driver.cuStreamSynchronize(None) == 0
np.testing.assert_allclose(C, A @ B, rtol=1e-5)
assert a.streams == [1] and a.deleted == a.exported, (a.streams, a.deleted)

C[:] = -1
class Stream: cuda_stream = stream.value
assert mm(Interface(A), OnCard(B[::-1]), out=(c,), stream=Stream) is c and c.streams[-1] == stream.value
assert driver.cuStreamSynchronize(None) == 0 and (C == -1).all(), "it is queued in that stream"
assert driver.cuStreamSynchronize(stream) == 0
np.testing.assert_allclose(C, A @ B[::-1], rtol=1e-5)

C[:] = -1
bound = mm.bind(a, Interface(B, stream=stream.value), out=c)
bound()
driver.cuCtxSynchronize()
np.testing.assert_allclose(C, A @ B, rtol=1e-5)

def refused(call, error, *words):
    try:
        call()
    except error as e:
        assert all(w in str(e) for w in words), e
    else:
        raise AssertionError(words)

refused(lambda: mm(a, b), ricci.ArgumentError, "C is a result on a card", "out=", "(9, 6)", "float32")
refused(lambda: mm(a, B, out=c), ricci.ArgumentTypeError, "B is in the memory of the processor, expected that of a CUDA device")
refused(lambda: mm(OnCard(A, device=(2, 1)), b, out=c), ricci.ArgumentTypeError, "B is on device 0, and A on device 1")
refused(lambda: mm(a, b, out=OnCard(C, read_only=True)), ricci.ArgumentError, "read-only")
refused(lambda: mm(a, b, out=c, stream="s"), ricci.ArgumentTypeError, "stream= is a str")
refused(lambda: mm.check(a, b, out=c), ricci.ArgumentTypeError, "CUDA")
refused(lambda: ricci.compile(MM)(a, b), ricci.ArgumentTypeError, "CUDA")
assert "groups" in mm.schedule

import sys, types
library = types.ModuleType("cupy")
library.made = []
def empty(shape, dtype):
    library.made.append(np.full(shape, -1, dtype))
    x = Interface(library.made[-1])
    x.array = library.made[-1]
    return x
library.empty = empty
library.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=stream.value))
sys.modules["cupy"] = library
Interface.__module__ = "cupy._core"
got = mm(Interface(A), b)
assert b.streams[-1] == stream.value, "the library's present stream"
assert driver.cuStreamSynchronize(stream) == 0
np.testing.assert_allclose(got.array, A @ B, rtol=1e-5)
assert np.allclose(mm(A, B), A @ B, rtol=1e-5), "arrays of the processor go by the service"

import stub_torch
torch = stub_torch.install()
import ricci.torch
stub_torch.stream = stream.value
operator = ricci.torch.op("mm_on_card", mm)
made = operator(torch.Tensor(A, device="cuda"), torch.Tensor(B, device="cuda"))
assert made.device == "cuda" and (made.array == -1).all(), "it is queued in PyTorch's stream"
assert driver.cuStreamSynchronize(stream) == 0
np.testing.assert_allclose(made.array, A @ B, rtol=1e-5)

import stub_jax
jax = stub_jax.install()
import ricci.jax
jax.default_backend = lambda: "gpu"
stub_jax.stream = stream.value
A += 1  # results that no memory has yet
made = ricci.jax.function(mm)(A, B)  # the stub's arrays are there where the card's are
assert jax.ffi.calls == 1, jax.ffi.calls
assert not np.allclose(made, A @ B), "it is queued in XLA's stream"
assert driver.cuStreamSynchronize(stream) == 0
np.testing.assert_allclose(made, A @ B, rtol=1e-5)

if os.environ.get("RICCI_LONG"):
    pick = ricci.compile("def pick(float(N) x, int32(M) at) -> (y) { y(i) = x(at(i)) where i in 0:M }", device="cuda", options=ricci.Options(warnings="ignore"))
    x, at = np.arange(4, dtype="f"), np.array([3, 0, 9], np.int32)
    refused(lambda: pick(OnCard(x), OnCard(at), out=OnCard(np.zeros(3, "f"))), ricci.RangeError, "x is read at 9", "^^^^")
del a, b, c, bound, got
gc.collect()
assert not Tensor.alive
print("done")
"""


class TestCard(Case):
    def test_calls(self) -> None:
        card_text = os.path.join(_ROOT, "internal/device/cuda/cudatest/testdata/card.cpp")
        shim = os.path.abspath(os.path.join(_ROOT, "internal/target/cuda/testdata/shim.h"))
        if not shutil.which("g++") or not shutil.which("gcc") or not os.path.exists(shim):
            self.skipTest("no g++ (apt-get install g++), or no checkout of Ricci")
        with tempfile.TemporaryDirectory() as directory:
            library = os.path.join(directory, "libcuda.so.1")
            subprocess.run(["g++", "-shared", "-fPIC", "-O0", f'-DSHIM="{shim}"', "-o", library, card_text], check=True)
            os.symlink(library, os.path.join(directory, "libnvrtc.so.12"))
            self.assertIn("done", in_another_process(_BODY, LD_LIBRARY_PATH=directory))

    def test_streams(self) -> None:
        class PyTorch:
            cuda_stream = 77

        class Numba:
            handle = type("c_void_p", (), {"value": None})()

        class New:
            def __cuda_stream__(self):
                return 0, 99

        for given, want in ((None, 1), (0, 1), (1, 1), (2, 2), (PyTorch(), 77), (New(), 99), (1 << 40, 1 << 40)):
            self.assertEqual(card.stream_of(given), want)
        self.assertEqual(card.stream_of(Numba()), card.DEFAULT)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "stream= is a object"):
            card.stream_of(object())


if __name__ == "__main__":
    unittest.main()
