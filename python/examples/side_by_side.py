"""Twenty kernels, each in NumPy and in Ricci: what NumPy does in several passes is one.

    PYTHONPATH=python python3 python/examples/side_by_side.py [--small] [NAME]...

prints the times of both, the least of many calls. Results are compared before.
"""

import argparse
import math
import textwrap
import time
from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np

import ricci


class Kernel(NamedTuple):
    """The same computation twice, and arguments: of a size n that is worth the while, or a small one."""

    name: str
    program: str
    numpy: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], Tuple[Any, ...]]
    size: int


KERNELS: List[Kernel] = []


def kernel(program: str, size: int, arguments: Callable[[np.random.Generator, int], Tuple[Any, ...]]) -> Callable:
    """Puts a function of NumPy beside a program."""

    def add(f: Callable) -> Callable:
        KERNELS.append(Kernel(f.__name__, textwrap.dedent(program), f, arguments, size))
        return f

    return add


def floats(r: np.random.Generator, *shape: int) -> np.ndarray:
    return r.random(shape, dtype=np.float32)


@kernel("""
    def softmax(float(N,D) X) -> (Y) {
      m(n) max=! X(n,d)
      E(n,d) = exp(X(n,d) - m(n))
      s(n) +=! E(n,d)
      Y(n,d) = E(n,d) / s(n)
    }""", 1000, lambda r, n: (floats(r, n, n),))
def softmax(X):
    E = np.exp(X - X.max(1, keepdims=True))
    return E / E.sum(1, keepdims=True)


@kernel("""
    def distances(float(N,D) A, float(M,D) B) -> (S) {
      S(i,j) +=! (A(i,d) - B(j,d)) * (A(i,d) - B(j,d))
    }""", 500, lambda r, n: (floats(r, n, 16), floats(r, n, 16)))
def distances(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(-1)


@kernel("""
    def nearest(float(N,D) A, float(M,D) B) -> (P) {
      S(i,j) +=! (A(i,d) - B(j,d)) * (A(i,d) - B(j,d))
      P(i) argmin=! S(i,j)
    }""", 500, lambda r, n: (floats(r, n, 16), floats(r, n, 16)))
def nearest(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(-1).argmin(1)


@kernel("""
    def layernorm(float(N,D) X, float(D) gain, float(D) bias) -> (Y) {
      m(n) +=! X(n,d)
      v(n) +=! (X(n,d) - m(n)/D) * (X(n,d) - m(n)/D)
      Y(n,d) = (X(n,d) - m(n)/D) / sqrt(v(n)/D + 1e-5) * gain(d) + bias(d)
    }""", 1000, lambda r, n: (floats(r, n, n), floats(r, n), floats(r, n)))
def layernorm(X, gain, bias):
    m = X.mean(1, keepdims=True)
    v = ((X - m) ** 2).mean(1, keepdims=True)
    return (X - m) / np.sqrt(v + np.float32(1e-5)) * gain + bias


@kernel("""
    def blur(float(H,W) image) -> (out) {
      rows(y,x) = (image(y,x) + 2*image(y,x+1) + image(y,x+2)) / 4
      out(y,x) = (rows(y,x) + 2*rows(y+1,x) + rows(y+2,x)) / 4
    }""", 1000, lambda r, n: (floats(r, n, n),))
def blur(image):
    rows = (image[:, :-2] + 2 * image[:, 1:-1] + image[:, 2:]) / 4
    return (rows[:-2] + 2 * rows[1:-1] + rows[2:]) / 4


@kernel("""
    def edges(float(H,W) image) -> (out) {
      dx(y,x) = image(y,x+2) - image(y,x) + 2*(image(y+1,x+2) - image(y+1,x)) + image(y+2,x+2) - image(y+2,x)
      dy(y,x) = image(y+2,x) - image(y,x) + 2*(image(y+2,x+1) - image(y,x+1)) + image(y+2,x+2) - image(y,x+2)
      out(y,x) = sqrt(dx(y,x)*dx(y,x) + dy(y,x)*dy(y,x))
    }""", 1000, lambda r, n: (floats(r, n, n),))
def edges(image):
    a, b, c = image[:-2], image[1:-1], image[2:]
    dx = a[:, 2:] - a[:, :-2] + 2 * (b[:, 2:] - b[:, :-2]) + c[:, 2:] - c[:, :-2]
    dy = c[:, :-2] - a[:, :-2] + 2 * (c[:, 1:-1] - a[:, 1:-1]) + c[:, 2:] - a[:, 2:]
    return np.sqrt(dx * dx + dy * dy)


@kernel("""
    def conv2d(float(C,H,W) image, float(F,C,K,L) filters) -> (out) {
      out(f,y,x) +=! image(c,y+k,x+l) * filters(f,c,k,l)
    }""", 64, lambda r, n: (floats(r, 8, n, n), floats(r, 16, 8, 3, 3)))
def conv2d(image, filters):
    windows = np.lib.stride_tricks.sliding_window_view(image, filters.shape[2:], (1, 2))
    return np.einsum("cyxkl,fckl->fyx", windows, filters, optimize=True)


@kernel("""
    def jacobi(float(H,W) x) -> (y) {
      y(i,j) = i > 0 && i < H-1 && j > 0 && j < W-1 ? (x(i-1,j) + x(i+1,j) + x(i,j-1) + x(i,j+1)) / 4 : x(i,j)
    }""", 1000, lambda r, n: (floats(r, n, n),))
def jacobi(x):
    y = x.copy()
    y[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
    return y


@kernel("""
    def normalise(float(N,D) X) -> (Y) {
      q(n) +=! X(n,d) * X(n,d)
      Y(n,d) = X(n,d) / max(sqrt(q(n)), 1e-12)
    }""", 1000, lambda r, n: (floats(r, n, n),))
def normalise(X):
    return X / np.maximum(np.sqrt((X * X).sum(1, keepdims=True)), np.float32(1e-12))


@kernel("""
    def gelu_layer(float(N,K) X, float(K,M) W, float(M) b) -> (Y) {
      z(n,m) +=! X(n,k) * W(k,m)
      t(n,m) = z(n,m) + b(m)
      Y(n,m) = 0.5 * t(n,m) * (1 + tanh(0.7978845608 * (t(n,m) + 0.044715 * t(n,m) * t(n,m) * t(n,m))))
    }""", 256, lambda r, n: (floats(r, n, 64), floats(r, 64, n), floats(r, n)))
def gelu_layer(X, W, b):
    t = X @ W + b
    return np.float32(0.5) * t * (1 + np.tanh(np.float32(0.7978845608) * (t + np.float32(0.044715) * t * t * t)))


@kernel("""
    def attention(float(H,Q,D) q, float(H,K,D) k, float(H,K,D) v) -> (o) {
      s(h,i,j) +=! q(h,i,d) * k(h,j,d)
      m(h,i) max=! s(h,i,j)
      e(h,i,j) = exp((s(h,i,j) - m(h,i)) / sqrt(float(D)))
      z(h,i) +=! e(h,i,j)
      u(h,i,d) +=! e(h,i,j) * v(h,j,d)
      o(h,i,d) = u(h,i,d) / z(h,i)
    }""", 128, lambda r, n: (floats(r, 4, n, 32), floats(r, 4, n, 32), floats(r, 4, n, 32)))
def attention(q, k, v):
    s = q @ k.transpose(0, 2, 1)
    e = np.exp((s - s.max(-1, keepdims=True)) / np.float32(math.sqrt(q.shape[-1])))
    return (e @ v) / e.sum(-1, keepdims=True)


@kernel("""
    def mandelbrot(float(N) re, float(M) im) -> (n) {
      a1(j,i) = re(i)*re(i) - im(j)*im(j) + re(i)  b1(j,i) = 2*re(i)*im(j) + im(j)
      a2(j,i) = a1(j,i)*a1(j,i) - b1(j,i)*b1(j,i) + re(i)  b2(j,i) = 2*a1(j,i)*b1(j,i) + im(j)
      a3(j,i) = a2(j,i)*a2(j,i) - b2(j,i)*b2(j,i) + re(i)  b3(j,i) = 2*a2(j,i)*b2(j,i) + im(j)
      int n(j,i) = int(a1(j,i)*a1(j,i) + b1(j,i)*b1(j,i) <= 4) + int(a2(j,i)*a2(j,i) + b2(j,i)*b2(j,i) <= 4) + int(a3(j,i)*a3(j,i) + b3(j,i)*b3(j,i) <= 4)
    }""", 500, lambda r, n: (np.linspace(-2, 1, n, dtype=np.float32), np.linspace(-1.5, 1.5, n, dtype=np.float32)))
def mandelbrot(re, im):
    a, b = np.broadcast_arrays(re[None], im[:, None])
    x, y, n = a, b, 0
    for _ in range(3):
        x, y = x * x - y * y + a, 2 * x * y + b
        n = n + (x * x + y * y <= 4).astype(np.int32)
    return n


@kernel("""
    def moments(float(N) x) -> (mean, variance, low, high) {
      s +=! x(i)  q +=! double(x(i)) * x(i)
      low min=! x(i)  high max=! x(i)
      mean = s / N
      variance = float(q / N) - mean*mean
    }""", 1000000, lambda r, n: (floats(r, n),))
def moments(x):
    return x.mean(), x.var(), x.min(), x.max()


@kernel("""
    def cosine(float(N,D) A, float(M,D) B) -> (S) {
      p(i,j) +=! A(i,d) * B(j,d)
      a(i) +=! A(i,d) * A(i,d)
      b(j) +=! B(j,d) * B(j,d)
      S(i,j) = p(i,j) / sqrt(a(i) * b(j))
    }""", 400, lambda r, n: (floats(r, n, 32), floats(r, n, 32)))
def cosine(A, B):
    return (A @ B.T) / np.sqrt((A * A).sum(1)[:, None] * (B * B).sum(1)[None])


@kernel("""
    def rgb_to_gray(uint8(H,W,3) image) -> (gray) {
      gray(y,x) = uint8((77*int(image(y,x,0)) + 150*int(image(y,x,1)) + 29*int(image(y,x,2)) + 128) >> 8)
    }""", 800, lambda r, n: (r.integers(0, 256, (n, n, 3), dtype=np.uint8),))
def rgb_to_gray(image):
    wide = image.astype(np.int32)
    return ((77 * wide[..., 0] + 150 * wide[..., 1] + 29 * wide[..., 2] + 128) >> 8).astype(np.uint8)


@kernel("""
    def forces(float(N,3) x, float(N) m) -> (f) {
      r(i,j) +=! (x(j,d) - x(i,d)) * (x(j,d) - x(i,d))
      w(i,j) = m(j) / ((r(i,j) + 1e-3) * sqrt(r(i,j) + 1e-3))
      f(i,d) +=! (x(j,d) - x(i,d)) * w(i,j)
    }""", 500, lambda r, n: (floats(r, n, 3), floats(r, n)))
def forces(x, m):
    d = x[None] - x[:, None]
    r = (d * d).sum(-1) + np.float32(1e-3)
    return (d * (m[None] / (r * np.sqrt(r)))[..., None]).sum(1)


@kernel("""
    def pooling(float(C,H,W) x) -> (y) {
      y(c,i,j) max=! x(c, 2*i+k, 2*j+l) where k in 0:2, l in 0:2, i in 0:H/2, j in 0:W/2
    }""", 128, lambda r, n: (floats(r, 16, n, n),))
def pooling(x):
    c, h, w = x.shape
    return x.reshape(c, h // 2, 2, w // 2, 2).max((2, 4))


@kernel("""
    def huber(float(N) x, float(N) y) -> (loss) {
      d(i) = fabs(x(i) - y(i))
      s +=! d(i) < 1 ? 0.5 * d(i) * d(i) : d(i) - 0.5
      loss = s / N
    }""", 1000000, lambda r, n: (3 * floats(r, n), floats(r, n)))
def huber(x, y):
    d = np.abs(x - y)
    return np.where(d < 1, np.float32(0.5) * d * d, d - np.float32(0.5)).mean()


@kernel("""
    def adam(float rate, float(N) g) -> (m, v, w) {
      m(i) = 0.9 * m(i) + 0.1 * g(i)
      v(i) = 0.999 * v(i) + 0.001 * g(i) * g(i)
      w(i) = w(i) - rate * m(i) / (sqrt(v(i)) + 1e-8)
    }""", 300000, lambda r, n: (0.01, floats(r, n), floats(r, n), floats(r, n), floats(r, n)))
def adam(rate, g, m, v, w):
    m[...] = np.float32(0.9) * m + np.float32(0.1) * g
    v[...] = np.float32(0.999) * v + np.float32(0.001) * g * g
    w -= np.float32(rate) * m / (np.sqrt(v) + np.float32(1e-8))
    return m, v, w


@kernel("""
    def bilinear(float(N,A) x, float(O,A,B) W, float(N,B) y) -> (z) {
      z(n,o) +=! x(n,a) * W(o,a,b) * y(n,b)
    }""", 64, lambda r, n: (floats(r, n, 40), floats(r, 50, 40, 30), floats(r, n, 30)))
def bilinear(x, W, y):
    return np.einsum("na,oab,nb->no", x, W, y, optimize=True)


def compiled(k: Kernel) -> ricci.Function:
    """The program as a function."""
    return ricci.compile(k.program, warnings="ignore")


def check(k: Kernel, n: int) -> None:
    """Compares both on arguments of a size."""
    first, second = (k.arguments(np.random.default_rng(1), n) for _ in range(2))
    want, got = k.numpy(*first), compiled(k)(*second)
    for w, g in zip(want if isinstance(want, tuple) else (want,), got if isinstance(got, tuple) else (got,)):
        np.testing.assert_allclose(g, w, rtol=2e-3, atol=1e-4, err_msg=k.name)


def least(f: Callable[[], Any], seconds: float = 0.4) -> float:
    """The least time of a call."""
    best, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--small", action="store_true", help="checks small arguments, and measures nothing")
    options = parser.parse_args()
    gains = []
    for k in KERNELS:
        if options.names and k.name not in options.names:
            continue
        check(k, 8)
        if options.small:
            print(f"{k.name:12} equal")
            continue
        check(k, k.size)
        f, arguments = compiled(k), k.arguments(np.random.default_rng(1), k.size)
        slow, fast = least(lambda: k.numpy(*arguments)), least(lambda: f(*arguments))
        gains.append(math.log(slow / fast))
        print(f"{k.name:12} NumPy {slow * 1e6:10.1f} µs   Ricci {fast * 1e6:9.1f} µs   {slow / fast:6.1f}", flush=True)
    if gains:
        print(f"{'in the mean':12} {math.exp(sum(gains) / len(gains)):47.1f}")


if __name__ == "__main__":
    main()
