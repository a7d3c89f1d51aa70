"""Functions of JAX: by a stub of what is used of it, and by JAX itself where it is installed."""

import importlib.util
import sys
import types
import unittest

from support import MM, QUIET, Case, np, ricci

_REAL = importlib.util.find_spec("jax") is not None


class _Shape:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


class _VJP:
    """jax.custom_vjp: a function with its derivative."""

    def __init__(self, f):
        self._f = f

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, *arguments):
        return self._f(*arguments)


def _pure_callback(run, shapes, *arguments):
    found = run(*arguments)
    for want, got in zip(shapes if isinstance(shapes, tuple) else (shapes,), found if isinstance(found, tuple) else (found,)):
        assert (want.shape, want.dtype) == (got.shape, got.dtype), "a callback keeps to the shapes that it announced"
    return found


if not _REAL:
    _stub = types.ModuleType("jax")
    _stub.ShapeDtypeStruct, _stub.custom_vjp, _stub.pure_callback = _Shape, _VJP, _pure_callback
    _stub.numpy = types.SimpleNamespace(zeros_like=np.zeros_like)
    sys.modules["jax"] = _stub

import ricci.jax  # noqa: E402

_GRADIENT = """
def grad(float(M,N) d_C, float(K,N) B) -> (d_A) {
  d_A(i,k) +=! d_C(i,j) * B(k,j)
}"""


@unittest.skipIf(_REAL, "JAX is installed")
class TestStub(Case):
    def test_function_and_gradient(self) -> None:
        A, B = self.floats(4, 6), self.floats(6, 3)
        mm = ricci.jax.function(MM, gradient=_GRADIENT)
        self.assertClose(mm(A, B), A @ B)
        C, kept = mm.forward(A, B)
        d_A, d_B = mm.backward(kept, np.ones_like(C))
        self.assertClose(d_A, np.ones_like(C) @ B.T)
        self.assertEqual((d_B.shape, d_B.any()), (B.shape, False))

    def test_results_and_sizes(self) -> None:
        conv = ricci.jax.function("def conv(float(N) x, float(K) w) -> (y, s) { y(i) +=! x(i+k) * w(k)  s +=! x(i) }")
        x, w = self.floats(9), self.floats(3)
        y, s = conv(x, w)
        self.assertClose(y, np.convolve(x, w[::-1], "valid"))
        self.assertClose(s, x.sum())
        fill = ricci.jax.function("def fill(float v) -> (float(N) y) { y(i) = v }")
        self.assertEqual(fill(2.0, 3).tolist(), [2, 2, 2])
        with self.assertRaisesRegex(ricci.ArgumentError, "takes 2 arguments"):
            fill(2.0)
        with self.assertRaisesRegex(ricci.ArgumentError, "in place"):
            ricci.jax.function(ricci.compile("def f(float(N) x) -> (y) { y(i) += x(i) }", options=QUIET))


@unittest.skipUnless(_REAL, "JAX is not installed")
class TestJAX(Case):
    def test_function(self) -> None:
        import jax

        A, B = self.floats(4, 6), self.floats(6, 3)
        mm = ricci.jax.function(MM, gradient=_GRADIENT)
        self.assertClose(jax.jit(mm)(A, B), A @ B)
        self.assertClose(jax.grad(lambda a: mm(a, B).sum())(A), np.ones((4, 3), np.float32) @ B.T)


if __name__ == "__main__":
    unittest.main()
