"""Functions of JAX: by a stub of what is used of it and of XLA, and by JAX itself where it is installed."""

import importlib.util
import unittest
from unittest import mock

from support import MM, QUIET, Case, np, ricci

_REAL = importlib.util.find_spec("jax") is not None
if not _REAL:
    import stub_jax

    jax = stub_jax.install()

import ricci.jax  # noqa: E402

_GRADIENT = """
def grad(float(M,N) d_C, float(K,N) B) -> (d_A) {
  d_A(i,k) +=! d_C(i,j) * B(k,j)
}"""
_REPEAT = "def repeat(float(N) x, int32 k) -> (y) { y(i,j) = x(i) * j where j in 0:k }"
_AXPY = "def axpy(float a, float(N) x) -> (y, s) { y(i) += a * x(i)  s +=! x(i) }"


@unittest.skipIf(_REAL, "JAX is installed")
class TestStub(Case):
    def test_function_and_gradient(self) -> None:
        A, B = self.floats(4, 6), self.floats(6, 3)
        mm = ricci.jax.function(MM, gradient=_GRADIENT)
        self.assertClose(mm(A, B), A @ B)
        d_A, d_B = stub_jax.gradient(mm, A, B)
        self.assertClose(d_A, np.ones((4, 3)) @ B.T)
        self.assertEqual((d_B.shape, d_B.any()), (B.shape, False))

    def test_xla_calls_kernels(self) -> None:
        mm = ricci.jax.function(MM)
        before, targets = jax.ffi.calls, len(jax.ffi.targets)
        for n in (2, 3, 2):
            A, B = self.floats(n, 7), self.floats(7, 2)
            self.assertClose(mm(A, B), A @ B)
        self.assertEqual((jax.ffi.calls, len(jax.ffi.targets)), (before + 3, targets + 2))

    def test_callback(self) -> None:
        """Where XLA has other devices, or no such interface, Python is called."""
        A, B = self.floats(4, 6), self.floats(6, 3)
        for patch in (mock.patch.object(jax, "default_backend", lambda: "gpu"), mock.patch.object(jax, "ffi", None)):
            with patch:
                if jax.ffi is None:
                    del jax.ffi
                before = len(stub_jax.FFI.targets)
                self.assertClose(ricci.jax.function(MM)(A, B), A @ B)
                y, s = ricci.jax.function(ricci.compile(_AXPY, options=QUIET))(2.0, A[0], A[1])
                self.assertClose(y, A[1] + 2 * A[0])
                self.assertEqual(len(stub_jax.FFI.targets), before)

    def test_results_and_sizes(self) -> None:
        conv = ricci.jax.function("def conv(float(N) x, float(K) w) -> (y, s) { y(i) +=! x(i+k) * w(k)  s +=! x(i) }")
        x, w = self.floats(9), self.floats(3)
        y, s = conv(x, w)
        self.assertClose(y, np.convolve(x, w[::-1], "valid"))
        self.assertClose(s, x.sum())
        fill = ricci.jax.function("def fill(float v) -> (float(N) y) { y(i) = v }")
        for n in range(1, 13):  # the later ones share a kernel, to which the result tells its size
            self.assertEqual(fill(2.0, n).tolist(), [2] * n)
        with self.assertRaisesRegex(ricci.ArgumentError, "takes 2 arguments"):
            fill(2.0)

    def test_what_is_updated(self) -> None:
        """Arrays of JAX do not change: the new values are results."""
        axpy = ricci.jax.function(ricci.compile(_AXPY, options=QUIET))
        x, y = self.floats(5), self.floats(5)
        kept = y.copy()
        new, total = axpy(2.0, x, y)
        self.assertClose(new, y + 2 * x)
        self.assertClose(total, x.sum())
        self.assertEqual(y.tolist(), kept.tolist())

    def test_numbers_that_decide_about_shapes(self) -> None:
        repeat = ricci.jax.function(_REPEAT, gradient="def grad(float(N,k) d_y, int32 k) -> (d_x) { d_x(i) +=! d_y(i,j) * j where j in 0:k }")
        x = self.floats(4)
        self.assertClose(repeat(x, 3), np.outer(x, np.arange(3)))
        self.assertClose(stub_jax.gradient(repeat, x, 3)[0], np.full(4, 3))
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "k decides about shapes, and is not known when JAX traces"):
            repeat(x, stub_jax.Traced((), np.int32))

    def test_errors(self) -> None:
        A = self.floats(4, 6)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "takes float32"):
            ricci.jax.function(MM)(A, A.T.astype(np.float64))
        gather = ricci.jax.function("def gather(float(N) x, int32(M) I) -> (y) { y(i) = x(I(i)) }")
        with self.assertRaisesRegex(stub_jax.XlaRuntimeError, "OUT_OF_RANGE: (?s:.)*x is read at 9"):
            gather(A[0], np.array([0, 9], np.int32))

    def test_types(self) -> None:
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
            written = {"bool": "bool", "float16": "half", "float32": "float", "float64": "double"}.get(name, name)
            keep = ricci.jax.function(f"def keep({written}(N) x) -> (y) {{ y(i) = x(i) }}")
            x = np.array([0, 1, 1], name)
            self.assertEqual(keep(x).tolist(), x.tolist())

    def test_wide_types(self) -> None:
        double = ricci.jax.function("def twice(double(N) x) -> (y) { y(i) = 2 * x(i) }")
        x = self.floats(3, dtype="float64")
        self.assertClose(double(x), 2 * x)
        with mock.patch.object(jax.config, "jax_enable_x64", False):
            with self.assertRaisesRegex(ricci.ArgumentTypeError, "x is float64, and JAX has 32 bits"):
                double(x)

    def test_layouts(self) -> None:
        """The stub passes what the header of XLA says: offsets in bytes."""
        frame, buffer, api = stub_jax._Frame, stub_jax._Buffer, stub_jax._Api
        self.assertEqual([frame.args.offset, frame.rets.offset, frame.attrs.offset, frame.future.offset], [40, 80, 120, 168])
        self.assertEqual([buffer.dtype.offset, buffer.data.offset, buffer.rank.offset, buffer.dims.offset], [16, 24, 32, 40])
        self.assertEqual([api.api_version.offset, api.internal_api.offset, api.error_create.offset], [16, 40, 48])


@unittest.skipUnless(_REAL, "JAX is not installed")
class TestJAX(Case):
    def test_function(self) -> None:
        import jax

        A, B = self.floats(4, 6), self.floats(6, 3)
        mm = ricci.jax.function(MM, gradient=_GRADIENT)
        self.assertClose(jax.jit(mm)(A, B), A @ B)
        self.assertClose(jax.grad(lambda a: mm(a, B).sum())(A), np.ones((4, 3), np.float32) @ B.T)
        self.assertClose(jax.vmap(mm, (0, None))(np.stack([A, 2 * A]), B)[1], 2 * A @ B)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "jax_enable_x64"):
            ricci.jax.function("def twice(double(N) x) -> (y) { y(i) = 2 * x(i) }")(A[0].astype(np.float64))
        axpy = jax.jit(ricci.jax.function(ricci.compile(_AXPY, options=QUIET)))
        self.assertClose(axpy(2.0, A[0], A[1])[0], A[1] + 2 * A[0])


if __name__ == "__main__":
    unittest.main()
