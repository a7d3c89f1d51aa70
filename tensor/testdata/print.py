"""Prints the golden cases of TestPrintGolden: python3 print.py [RANDOM_CASES] > print.jsonl

Each line has an array (its element type, shape and the bits of its elements, or
"iota" for 0, 1, 2, …) and what NumPy prints for it. Recorded with NumPy 1.24.
"""

import json
import sys

import numpy as np

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def emit(array, iota=False):
    case = {"dtype": str(array.dtype), "shape": list(array.shape), "text": str(array)}
    if iota:
        case["iota"] = True
    else:
        size = array.dtype.itemsize
        flat = np.ascontiguousarray(array).reshape(-1)
        case["bits"] = flat.view(f"u{size}").tolist()
    print(json.dumps(case, ensure_ascii=False))


def by_hand():
    nan, inf = float("nan"), float("inf")
    lists = [
        [], [0], [1], [-1], [1.5, 2.25], [0.1, 0.2, 0.3], [-0.0, 0.0], [nan], [inf], [-inf], [nan, 1.5], [1, -inf, 2],
        [1e10, 1.5], [1e-5, 1], [0.0001], [0.00009], [1000, 1], [1001, 1], [99999999], [100000000], [1e300, 1e-300],
        [1e100, 1e10], [1 / 3, 2 / 3], [1e16], [123456.789], [nan, 1e-10], [inf, 1e10], [-1e-10, 2], [0.99999999999],
        [9.999999999e9, 1], [5e-324], [65504, 1], [1e-7, nan, -inf], [1.0, 10.0, 100.0], [12.5, -7.25, nan],
    ]
    for values in lists:
        for dtype in FLOATS:
            with np.errstate(over="ignore"):
                emit(np.array(values, dtype))
    for values in ([], [0], [1, -1], [100, -7, 3], [1, 22, 111]):
        for dtype in ["int8", "int64"]:
            emit(np.array(values, dtype))
    for values in ([True], [False, True], [[True, True], [False, False]]):
        emit(np.array(values))
    emit(np.array([2**64 - 1, 0], "uint64"))
    emit(np.array([-(2**63), 2**63 - 1]))
    for shape in [(), (1,), (30,), (3, 4), (2, 3, 4), (2, 1, 2, 2), (5, 40), (1000,), (1001,), (10, 101), (4, 7, 50),
                  (1001, 1), (1, 1001), (6, 200), (7, 200), (2, 2, 2, 2, 70), (3, 0), (0,)]:
        for dtype in ["int32", "float32", "float64"]:
            n = int(np.prod(shape))
            emit(np.arange(n, dtype=dtype).reshape(shape), iota=True)
    for value in [0, 1, -1.5, 0.1, 1e-4, 9.9e-5, 1e15, 1e16, 1.5e-7, 1e22, nan, inf, -inf, 2 / 3, 123456789]:
        for dtype in FLOATS:
            with np.errstate(over="ignore"):
                emit(np.array(value, dtype))
    for value, dtype in [(True, "bool"), (False, "bool"), (-5, "int8"), (2**64 - 1, "uint64")]:
        emit(np.array(value, dtype))


def random_cases(count):
    rng = np.random.default_rng(1)
    for _ in range(count):
        shape = tuple(rng.integers(1, 6, rng.integers(0, 4)))
        kind = rng.integers(0, 5)
        if kind == 0:
            dtype = np.dtype(rng.choice(INTEGERS))
            info = np.iinfo(dtype)
            array = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
            if rng.integers(2):
                array = array % dtype.type(100)
            emit(np.asarray(array, dtype))
            continue
        dtype = np.dtype(FLOATS[rng.integers(0, 3)])
        with np.errstate(all="ignore"):
            if kind == 1:  # any bits
                size = dtype.itemsize
                array = rng.integers(0, 2 ** (8 * size), shape, f"u{size}" if size < 8 else "u8", endpoint=False) if size < 8 \
                    else rng.integers(0, 2**63, shape, "u8")
                array = np.asarray(array).view(dtype)
            elif kind == 2:
                array = rng.normal(size=shape)
            elif kind == 3:
                array = np.round(rng.normal(size=shape) * 100, rng.integers(0, 4))
            else:
                array = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 9)
            array = np.asarray(array).astype(dtype)
            if array.size and rng.integers(6) == 0:
                array.reshape(-1)[0] = rng.choice([np.nan, np.inf, -np.inf])
        emit(array)


by_hand()
random_cases(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
