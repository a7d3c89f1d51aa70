"""Writes files.zip, the golden files of TestGoldenFiles: python3 files.py

Every member NAME.npy, NAME.npz is a file as NumPy writes it; expected.json has
for each the element type, shape and values, or a part of the error. Recorded
with NumPy 1.24.
"""

import io
import json
import zipfile

import numpy as np

expected = {}
archive = zipfile.ZipFile("files.zip", "w", zipfile.ZIP_DEFLATED)


def store(name, data, **facts):
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    expected[name] = facts


def values_of(array):
    return [str(v) for v in np.ascontiguousarray(array).reshape(-1).tolist()]


def npy(name, array, version=None, same=True, **facts):
    """same: Ricci writes the same bytes."""
    b = io.BytesIO()
    np.lib.format.write_array(b, array, version=version, allow_pickle=True)
    if not facts:
        facts = {"dtype": array.dtype.newbyteorder("=").name, "shape": list(array.shape), "values": values_of(array)}
    store(name + ".npy", b.getvalue(), same=same, **facts)


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
for dtype in DTYPES:
    base = np.array([[0, 1, 2], [100, 125, 7]]).astype(dtype)
    npy(f"{dtype}", base)
    npy(f"{dtype}_fortran", np.asfortranarray(base))
    npy(f"{dtype}_big", base.astype(np.dtype(dtype).newbyteorder(">")), same=base.dtype.itemsize == 1)
npy("scalar", np.array(-2.5))
npy("empty", np.zeros((0, 3), "f4"))
npy("one", np.array([7], "i8"))
npy("column", np.array([[1.0], [2.0]]))
npy("strided", np.arange(24.0).reshape(4, 6)[::2, ::-1])
npy("cube_fortran", np.asfortranarray(np.arange(24, dtype="i2").reshape(2, 3, 4)))
npy("rank6", np.arange(64, dtype="u1").reshape(2, 2, 2, 2, 2, 2))
npy("long_header", np.zeros((1,) * 30, "i4"))
npy("version2", np.arange(4.0), version=(2, 0), same=False)
npy("version3", np.arange(4.0), version=(3, 0), same=False)
npy("nan", np.array([np.nan, np.inf, -np.inf, -0.0]))
npy("object", np.array([{}, None]), error="'|O'")
npy("complex", np.array([1j]), error="'<c16'")
npy("record", np.zeros(2, [("a", "i4"), ("b", "f8")]), error="[('a', '<i4'), ('b', '<f8')]")
npy("text", np.array(["ab"]), error="'<U2'")
npy("bytes", np.array([b"ab"]), error="'|S2'")
npy("date", np.array(["2020-01-01"], "M8[D]"), error="'<M8[D]'")
npy("raw", np.zeros(2, "V2"), dtype="bfloat16", shape=[2], values=["0.0", "0.0"], same=False)

for name, save in [("savez", np.savez), ("compressed", np.savez_compressed)]:
    b = io.BytesIO()
    save(b, a=np.arange(6, dtype="f4").reshape(2, 3), b=np.array(True), c=np.arange(6.0).reshape(2, 3).T)
    store(name + ".npz", b.getvalue())

archive.writestr(zipfile.ZipInfo("expected.json"), json.dumps(expected), zipfile.ZIP_DEFLATED)
archive.close()
