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
@unittest.skipUnless(hasattr(np.ndarray, "__dlpack__"), "the stub rests on NumPy's DLPack, from 1.22 on")
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
        self.assertEqual(fill(2.0, 3, "cpu").array.tolist(), [2, 2, 2])

    def test_refused(self) -> None:
        for gradient in ("def g(float(M,N) C) -> (d_A) { d_A(i,j) = C(i,j) }", "def g(float(M,N) d_C) -> (A) { A(i,j) = d_C(i,j) }"):
            with self.assertRaisesRegex(ricci.ArgumentError, "expected"):
                ricci.torch.op("wrong", MM, gradient=gradient)
        self.assertFalse([n for n in stub_torch.registered if "wrong" in n])
        with self.assertRaisesRegex(ricci.ArgumentError, "no name"):
            ricci.torch.op("a b", MM)


@unittest.skipUnless(_REAL, "PyTorch is not installed")
class TestPyTorch(Case):
    """What was run with PyTorch 2.6 of Debian 13."""

    def tensor(self, *shape):
        return torch.from_numpy(self.floats(*shape)).requires_grad_()

    def test_operator(self) -> None:
        mm = ricci.torch.op("real_mm", MM, gradient=_GRADIENT)
        A, B = self.tensor(4, 5), self.tensor(5, 3)
        torch.library.opcheck(mm, (A, B))
        mm(A, B).sum().backward()
        self.assertClose(A.grad.numpy(), np.ones((4, 3), np.float32) @ B.detach().numpy().T)
        torch.library.opcheck(mm, (A.mT.contiguous().mT, B[:, ::2]))  # strides

    def test_compiled_graphs(self) -> None:
        mm = ricci.torch.op("compiled_mm", MM, gradient=_GRADIENT)
        f = torch.compile(lambda a, b: torch.relu(mm(a, b) - 1).sum(), fullgraph=True, dynamic=True, backend="aot_eager")
        for n in (4, 7, 9):
            A, B, b = self.tensor(n, 5), self.tensor(5, 3), None
            f(A, B).backward()
            b = B.detach().numpy()
            mask = (A.detach().numpy() @ b > 1).astype(np.float32)
            self.assertClose(A.grad.numpy(), mask @ b.T)
        exported = torch.export.export(_Module(mm), (self.tensor(4, 5), self.tensor(5, 3)))
        self.assertIn("ricci.compiled_mm", str(exported.graph))

    def test_numbers_sizes_and_what_is_updated(self) -> None:
        axpy = ricci.torch.op("real_axpy", ricci.compile("def axpy(float a, float(N) x) -> (y, s) { y(i) += a * x(i)  s +=! x(i) }", options=QUIET))
        x, y = self.tensor(5).detach(), self.tensor(5).detach()
        want = y.numpy() + 2 * x.numpy()
        torch.library.opcheck(axpy, (2.0, x, y.clone()))
        self.assertClose(axpy(2.0, x, y).numpy(), x.numpy().sum())
        self.assertClose(y.numpy(), want)
        fill = ricci.torch.op("real_fill", "def fill(float v) -> (float(N) y) { y(i) = v }")
        self.assertEqual(fill(2.0, 3, torch.device("cpu")).tolist(), [2, 2, 2])
        torch.library.opcheck(fill, (2.0, 3, torch.device("cpu")))

    def test_tensors_are_arrays(self) -> None:
        """A function of Ricci takes tensors themselves: bfloat16, strides, and errors by name."""
        f = ricci.compile("def f(bfloat16(N) x) -> (y) { y(i) = x(i) + x(i) }")
        x = torch.arange(10, dtype=torch.bfloat16)
        y = torch.empty(5, dtype=torch.bfloat16)
        self.assertIs(f(x[::2], out=y), y)
        self.assertEqual(y.tolist(), [0, 4, 8, 12, 16])
        mm = ricci.compile(MM)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "A .*tensor.detach"):
            mm(self.tensor(2, 2), self.tensor(2, 2))
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "float64"):
            mm(torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2))
        with self.assertRaises(ricci.ArgumentTypeError):
            mm(torch.ones(2, 2, device="meta"), torch.ones(2, 2))


if _REAL:
    import torch

    class _Module(torch.nn.Module):
        def __init__(self, f):
            super().__init__()
            self.f = f

        def forward(self, a, b):
            return self.f(a, b)


if __name__ == "__main__":
    unittest.main()
