# What the programs that package numpytest writes call: the operations of ein that NumPy has
# otherwise, and a driver. Numbers keep their types; integers wrap.
import sys

import numpy as np

np.seterr(all="ignore")


def axis(k, rank, low, extent):
    """The values of index k of a statement, along axis k."""
    shape = [1] * rank
    shape[k] = max(extent, 0)
    return np.arange(low, low + max(extent, 0), dtype=np.int64).reshape(shape)


def places(a, lows, subscripts):
    shape = np.broadcast_shapes(*[np.shape(s) for s in subscripts])
    return tuple(np.broadcast_to(np.clip(s - low, 0, max(n - 1, 0)), shape) for s, low, n in zip(subscripts, lows, a.shape)), shape


def read(a, lows, *subscripts):
    """Elements of an array. A place outside of it is that of a branch that is not taken."""
    if not subscripts:
        return a[()]
    at, shape = places(a, lows, subscripts)
    return np.zeros(shape, a.dtype) if a.size == 0 else a[at]


def write(a, lows, value, *subscripts):
    if not subscripts:
        a[()] = np.reshape(value, ()).astype(a.dtype)
        return
    at, shape = places(a, lows, subscripts)
    if value.size:
        a[at] = np.broadcast_to(value, np.broadcast_shapes(shape, np.shape(value))).reshape(np.shape(value) if np.size(value) >= np.prod(shape) else shape).astype(a.dtype)


def divide(x, y):
    if np.issubdtype(np.asarray(x).dtype, np.integer):
        return np.where(y == 0, np.zeros_like(x), x // np.where(y == 0, np.ones_like(y), y)).astype(np.asarray(x).dtype)
    return x / y


def modulo(x, y):
    if np.issubdtype(np.asarray(x).dtype, np.integer):
        return np.where(y == 0, np.zeros_like(x), x % np.where(y == 0, np.ones_like(y), y)).astype(np.asarray(x).dtype)
    return np.mod(x, y)


def smaller(x, y):
    return np.where(y < x, y, x)


def larger(x, y):
    return np.where(y > x, y, x)


def digits(x):
    return 8 * np.asarray(x).dtype.itemsize


def shifted_left(x, y):
    inside = (y >= 0) & (y < digits(x))
    return np.where(inside, np.left_shift(x, np.where(inside, y, 0).astype(x.dtype)), 0).astype(x.dtype)


def shifted_right(x, y):
    inside = (y >= 0) & (y < digits(x))
    return np.where(inside, np.right_shift(x, np.where(inside, y, 0).astype(x.dtype)), np.where(x < 0, -1, 0)).astype(x.dtype)


def counted(x, count):
    x = np.asarray(x)
    texts = [bin(int(v) % (1 << digits(x)))[2:].zfill(digits(x)) for v in x.ravel()]
    return np.array([count(t) for t in texts], x.dtype).reshape(x.shape)


def ones(x):
    return counted(x, lambda text: text.count("1"))


def leading(x):
    return counted(x, lambda text: len(text) - len(text.lstrip("0")))


def cast(x, to):
    x, to = np.asarray(x), np.dtype(to)
    if to == np.bool_:
        return x != 0
    if np.issubdtype(x.dtype, np.floating) and np.issubdtype(to, np.integer):
        low, high = np.iinfo(to).min, np.iinfo(to).max
        whole = np.trunc(np.where(np.isnan(x), 0, x).astype(np.float64))
        inside = (whole >= low) & (whole < float(high))
        return np.where(inside, np.where(inside, whole, 0).astype(to), np.where(whole < 0, to.type(low), to.type(high)))
    return x.astype(to)


def step(f, left, right):
    """Combines two tuples by an operator."""
    return [np.asarray(v) for v in f(*left, *right)]


def along(values, k):
    """The slices of a tuple along an axis, each with that axis kept."""
    for at in range(values[0].shape[k]):
        yield [np.take(v, [at], axis=k) for v in values]


def start(values, k, identity):
    one = [list(v.shape) for v in values]
    for shape in one:
        shape[k] = 1
    return [np.broadcast_to(np.asarray(i, dtype=v.dtype), shape) for i, v, shape in zip(identity, values, one)]


def fold(values, k, f, identity):
    result = start(values, k, identity) if identity is not None else None
    for part in along(values, k):
        result = part if result is None else step(f, result, part)
    return [np.asarray(r, dtype=v.dtype) for r, v in zip(result, values)]


def scan(values, k, f, identity):
    result, all = start(values, k, identity) if identity is not None else None, [[] for _ in values]
    for part in along(values, k):
        result = part if result is None else step(f, result, part)
        for list, r in zip(all, result):
            list.append(r)
    return [np.concatenate(list, axis=k) if list else v for list, v in zip(all, values)]


def sums(values, k, f, identity):
    return [np.add.reduce(values[0], axis=k, keepdims=True, dtype=values[0].dtype)]


def products(values, k, f, identity):
    return [np.multiply.reduce(values[0], axis=k, keepdims=True, dtype=values[0].dtype)]


def smallest(values, k, f, identity):
    return [np.fmin.reduce(values[0], axis=k, keepdims=True, initial=identity[0])]


def largest(values, k, f, identity):
    return [np.fmax.reduce(values[0], axis=k, keepdims=True, initial=identity[0])]


def main(programs):
    directory = sys.argv[1]
    for name, program in programs.items():
        with np.load(f"{directory}/{name}.npz") as arrays:
            np.savez(f"{directory}/{name}.out.npz", **program(dict(arrays)))
