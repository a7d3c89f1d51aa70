"""Calls the functions of a package that TestWheel has made."""

import inspect
import threading

import numpy as np

import of_two as two

rng = np.random.default_rng(1)
A, B = rng.random((7, 5)).astype("f"), rng.random((5, 9)).astype("f")
C = two.mm(A, B)
assert np.allclose(C, A @ B, atol=1e-5)
assert list(inspect.signature(two.mm).parameters) == ["A", "B", "out"] and "float32" in str(two.mm.__annotations__["A"])
assert list(inspect.signature(two.gather).parameters) == ["A", "I", "lambda_", "b", "out"]

out = np.zeros((7, 9), "f")
assert two.mm(A, B, out=out) is out and np.allclose(out, C)
out = np.zeros((9, 7), "f").T
assert two.mm(A[::-1], np.asfortranarray(B), out=out) is out and np.allclose(out, A[::-1] @ B, atol=1e-5)
square = rng.random((6, 6)).astype("f")
product = square @ square
assert np.allclose(two.mm(square, square, out=square), product, atol=1e-4)

I = np.array([0, 3, 6], "i")
G, n = two.gather(A, I, 0.5, -3)
assert np.allclose(G, A[I] * 0.5 - 3) and np.allclose(n, A.sum()) and n.shape == ()
x, v = np.ones(4, "f"), np.arange(4).astype("f")
r, y = two.step(x, v)
assert r is v and (v == [1, 2, 3, 4]).all() and (y == 2 * v).all()
assert (two.function(2.0, N=4) == [0, 2, 4, 6]).all()
assert (two.function(2, out=np.empty(3, "f")) == [0, 2, 4]).all()


class Other:
    """An array of another library."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **named):
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


if hasattr(np, "from_dlpack"):
    assert np.allclose(two.mm(Other(A), Other(B)), C)


def fails(kind, says, f, *arguments, **named):
    try:
        f(*arguments, **named)
    except kind as e:
        assert says in str(e), str(e)
    else:
        raise AssertionError(f"no error, expected: {says}")


fails(TypeError, "A has elements of type float64, expected float32; A.astype(numpy.float32)", two.mm, A.astype("d"), B)
fails(TypeError, "A is a list, expected an array", two.mm, [[1]], B)
fails(TypeError, "of type >f4", two.mm, A, B.astype(">f4"))
fails(TypeError, "of type object", two.mm, A, B.astype(object))
fails(ValueError, "dimension 0 of B has the extent 7, expected 5", two.mm, A, A)
fails(ValueError, "B has 1 dimension,", two.mm, A, B[0])
fails(ValueError, "M must be at least 1", two.mm, A[:0], B)
fails(ValueError, "C is read-only", two.mm, A, B, out=np.broadcast_to(np.float32(1), (7, 9)))
fails(ValueError, "C has the shape (2, 2), expected (7, 9)", two.mm, A, B, out=np.zeros((2, 2), "f"))
fails(IndexError, "A is read at 8 in dimension 0", two.gather, A, I + 2, 1.0, 2)
fails(TypeError, "b is 200, expected a number of type int8", two.gather, A, I, 1.0, 200)
fails(TypeError, "b is 2.5", two.gather, A, I, 1.0, 2.5)
fails(TypeError, "v is a list", two.step, x, [1, 2])
fails(ValueError, "the size N is not given", two.function, 2.0)

wrong = []


def work():
    for _ in range(50):
        if not np.allclose(two.mm(A, B), C):
            wrong.append(1)


threads = [threading.Thread(target=work) for _ in range(12)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong
print("ok")
