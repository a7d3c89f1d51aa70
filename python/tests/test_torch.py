"""Operators of PyTorch: by a stub of its protocol, and by PyTorch itself where it is installed."""

import importlib.util
import unittest

from support import MM, QUIET, Case, np, ricci

_REAL = importlib.util.find_spec("torch") is not None
if not _REAL:
    import stub_torch

    stub_torch.install()

import ricci.torch  # noqa: E402

_GRADIENT = """
def grad(float(M,N) d_C, float(M,K) A, float(K,N) B) -> (d_A, d_B) {
  d_A(i,k) +=! d_C(i,j) * B(k,j)
  d_B(k,j) +=! A(i,k) * d_C(i,j)
}"""


@unittest.skipIf(_REAL, "PyTorch is installed")
class TestStub(Case):
    def tensor(self, *shape, grad=False):
        return stub_torch.Tensor(self.floats(*shape), grad)

    def test_operator_and_gradient(self) -> None:
        mm = ricci.torch.op("mm", MM, gradient=_GRADIENT)
        A, B = self.tensor(4, 6, grad=True), self.tensor(6, 3, grad=True)
        C = mm(A, B)
        self.assertClose(C.array, A.array @ B.array)
        context = stub_torch.Context()
        mm.setup(context, (A, B), C)
        d_C = self.tensor(4, 3)
        d_A, d_B = mm.backward(context, d_C)
        self.assertClose(d_A.array, d_C.array @ B.array.T)
        self.assertClose(d_B.array, A.array.T @ d_C.array)
        self.assertIn("ricci::mm_backward", stub_torch.registered)

    def test_fakes_have_shapes_alone(self) -> None:
        conv = ricci.torch.op("conv", "def conv(float(N) x, float(K) w) -> (y) { y(i) +=! x(i+k) * w(k) }")
        N, K = stub_torch.Size("N"), stub_torch.Size("K")
        y = conv(stub_torch.Fake([N]), stub_torch.Fake([K]))
        self.assertEqual(([n.text for n in y.shape], y.dtype), (["((N-K)+1)"], np.float32))

    def test_numbers_sizes_and_what_is_updated(self) -> None:
        axpy = ricci.torch.op("axpy", ricci.compile("def axpy(float a, float(N) x) -> (y, s) { y(i) += a * x(i)  s +=! x(i) }", options=QUIET))
        x, y = self.tensor(5), self.tensor(5)
        want = y.array + 2 * x.array
        s = axpy(2.0, x, y)
        self.assertClose(y.array, want)
        self.assertClose(s.array, x.array.sum())
        fill = ricci.torch.op("fill", "def fill(float v) -> (float(N) y) { y(i) = v }")
        self.assertEqual(fill(2.0, 3).array.tolist(), [2, 2, 2])

    def test_refused(self) -> None:
        for gradient in ("def g(float(M,N) C) -> (d_A) { d_A(i,j) = C(i,j) }", "def g(float(M,N) d_C) -> (A) { A(i,j) = d_C(i,j) }"):
            with self.assertRaisesRegex(ricci.ArgumentError, "expected"):
                ricci.torch.op("wrong", MM, gradient=gradient)
        self.assertFalse([n for n in stub_torch.registered if "wrong" in n])
        with self.assertRaisesRegex(ricci.ArgumentError, "no name"):
            ricci.torch.op("a b", MM)


@unittest.skipUnless(_REAL, "PyTorch is not installed")
class TestPyTorch(Case):
    def test_operator(self) -> None:
        import torch

        mm = ricci.torch.op("mm", MM, gradient=_GRADIENT)
        A, B = (torch.from_numpy(self.floats(4, 4)).requires_grad_() for _ in range(2))
        torch.library.opcheck(mm, (A, B))
        mm(A, B).sum().backward()
        self.assertClose(A.grad.numpy(), np.ones((4, 4), np.float32) @ B.detach().numpy().T)


if __name__ == "__main__":
    unittest.main()
