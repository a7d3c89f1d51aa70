"""What tests share: a cache of their own, and arrays."""

import os
import sys
import tempfile
import unittest

_TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(_TESTS))

# Kernels of the tests stay out of the user's cache; RICCI_TEST_CACHE keeps them between runs.
if "RICCI_TEST_CACHE" in os.environ:
    os.environ["RICCI_CACHE"] = os.environ["RICCI_TEST_CACHE"]
elif "RICCI_CACHE" not in os.environ:
    _scratch = tempfile.TemporaryDirectory(prefix="ricci-python-tests-")
    os.environ["RICCI_CACHE"] = os.path.join(_scratch.name, "cache")
os.environ.setdefault("RICCI_QUIET", "1")

import numpy as np  # noqa: E402

import ricci  # noqa: E402

MM = "def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }"
SCALE = "def scale(float a, float(N) x) -> (y) { y(i) = a * x(i) }"
QUIET = ricci.Options(warnings="ignore")


class Case(unittest.TestCase):
    """A test with random arrays that are the same at every run."""

    def setUp(self) -> None:
        self.random = np.random.default_rng(7)

    def floats(self, *shape: int, dtype: str = "float32") -> np.ndarray:
        return self.random.random(shape).astype(dtype)

    def assertClose(self, got: np.ndarray, want: np.ndarray) -> None:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def in_another_process(body: str, **environment: str) -> str:
    """Runs Python in a fresh interpreter, and returns what it prints."""
    import subprocess

    code = "import sys; sys.path[:0] = " + repr([os.path.dirname(_TESTS), _TESTS]) + "\n" + body
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout
