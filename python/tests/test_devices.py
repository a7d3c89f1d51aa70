"""Devices other than the processor: by way of the service, with copies that are counted."""

import unittest

from support import MM, QUIET, Case, in_another_process, np, ricci

from ricci import service


def _usable(name: str) -> bool:
    return any(d["name"] == name and d["usable"] for d in service.ask("doctor", {})["devices"])


class TestDevices(Case):
    def test_calls(self) -> None:
        devices = ["evaluator"] + ["opencl:0"] * _usable("opencl")
        for device in devices:
            mm = ricci.compile(MM, device=device)
            A, B = self.floats(7, 5), self.floats(5, 6)
            C = np.empty((7, 6), np.float32)
            self.assertClose(mm(A, B), A @ B)
            self.assertIs(mm(A, B[:, ::-1].copy()[:, ::-1], out=C), C)
            self.assertClose(C, A @ B)
            self.assertEqual(mm.copies, (6, 2 * 4 * (35 + 30 + 42)))
            again = mm.bind(A, B)
            A[:] = 1
            self.assertClose(again(), A @ B)
            self.assertClose(again.results, A @ B)
            self.assertIn("mm", str(mm.explain()))
        self.assertEqual(ricci.compile(MM)(A, B).shape, (7, 6))  # beside it, on the processor

    def test_updates_and_several_results(self) -> None:
        f = ricci.compile("def f(float a, float(N) x) -> (y, s) { y(i) += a * x(i)  s +=! x(i) }", options=QUIET.replace(device="evaluator"))
        x, y = self.floats(5), self.floats(5)
        want = y + 2 * x
        got = f(2.0, x, y)
        self.assertIs(got.y, y)
        self.assertClose(y, want)
        self.assertClose(got.s, x.sum())
        once = f.bind(2.0, x, y)
        once()
        self.assertClose(y, want + 2 * x)
        self.assertIs(once.results.y, y)

    def test_large_arrays_are_files(self) -> None:
        f = ricci.compile("def f(int64(N) x) -> (y, b) { y(i) = x(i) * 2  b(i) = x(i) > 3 }", device="evaluator")
        x = np.arange(20000)
        y, b = f(x)
        np.testing.assert_array_equal(y, x * 2)
        np.testing.assert_array_equal(b, x > 3)

    def test_what_is_not_there(self) -> None:
        x = self.floats(3)
        for device in ("cuda:99", "there is none"):
            f = ricci.compile("def f(float(N) x) -> (y) { y(i) = x(i) }", device=device)
            with self.assertRaises(ricci.Unavailable):
                f(x)

    def test_it_is_said(self) -> None:
        said = in_another_process("""
import contextlib, io, numpy as np, ricci
with contextlib.redirect_stderr(io.StringIO()) as said:
    f = ricci.compile("def f(float(N) x) -> (y) { y(i) = x(i) }", device="evaluator")
    f(np.zeros(3, np.float32)), f(np.zeros(3, np.float32))
print(said.getvalue())
""", RICCI_QUIET="")
        self.assertEqual(said.count("f runs on evaluator by way of the service: each call copies its arrays there and back"), 1)


if __name__ == "__main__":
    unittest.main()
