"""Arrays of other libraries: objects that speak DLPack, or have __array_interface__, and nothing else."""

import ctypes
import gc
import unittest

from support import MM, Case, np, ricci

from ricci import dlpack

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Of a capsule that goes, whose references cannot be counted any more.
_is_still = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class Tensor:
    """A tensor of another library: no array of NumPy, no interface but DLPack's. Its capsules give back what they hold if nobody has taken it."""

    alive: dict = {}

    def __init__(self, array: np.ndarray, versioned=True, read_only=False, strides=True, offset=0, device=(1, 0), code=None, major=1):
        self.array, self.versioned, self.read_only, self.with_strides, self.offset = array, versioned, read_only, strides, offset
        self.device, self.code, self.major = device, code, major
        self.exported = self.deleted = 0

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, max_version=None, **keywords):
        if not self.versioned and (max_version or keywords):
            raise TypeError("__dlpack__ takes no keywords")
        versioned = max_version is not None
        if (self.read_only or self.major != 1) and not versioned:
            raise BufferError("there is no capsule without a version that says this")
        a, kinds = self.array, {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}
        managed = dlpack._Versioned() if versioned else dlpack._Managed()
        t = managed.tensor
        t.data, t.byte_offset = a.ctypes.data - self.offset, self.offset
        t.device_type, t.device_id = self.device
        t.ndim, t.code, t.bits, t.lanes = a.ndim, kinds[a.dtype.kind] if self.code is None else self.code, a.itemsize * 8, 1
        shape = (ctypes.c_int64 * max(1, a.ndim))(*a.shape)
        steps = (ctypes.c_int64 * max(1, a.ndim))(*[s // a.itemsize for s in a.strides])
        t.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        if self.with_strides:
            t.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))

        def delete(_address):
            self.deleted += 1
            Tensor.alive.pop(key, None)

        deleter = dlpack._DELETER(delete)
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p).value
        if versioned:
            managed.major, managed.minor, managed.flags = self.major, 0, 1 if self.read_only else 0
        self.exported += 1
        key, held = (id(self), self.exported), (self, managed, shape, steps, deleter)
        Tensor.alive[key] = held  # as a producer does: until its deleter is called
        return _new_capsule(ctypes.addressof(managed), b"dltensor_versioned" if versioned else b"dltensor", _forgotten)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _forgotten(capsule):
    """The destructor of a capsule: what nobody has taken is given back."""
    for name, kind in ((b"dltensor_versioned", dlpack._Versioned), (b"dltensor", dlpack._Managed)):
        if _is_still(capsule, name):
            address = _pointer_of(capsule, name)
            dlpack._DELETER(kind.from_address(address).deleter)(address)


class Interface:
    """An array with __array_interface__ alone."""

    def __init__(self, array: np.ndarray):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class TestDLPack(Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.mm = ricci.compile(MM)

    def test_inputs(self) -> None:
        A, B = self.floats(4, 6), self.floats(6, 4)
        for versioned in (True, False):
            for x, keywords in ((B, {}), (B[::-1, ::-1], {}), (B, {"strides": False}), (B.T.copy().T, {}), (B, {"offset": 8})):
                t = Tensor(x, versioned, **keywords)
                for _ in range(3):  # the first call looks at it in Python, the others in C, where there is C
                    self.assertClose(self.mm(A, t), A @ x)
                gc.collect()
                self.assertEqual((t.deleted, t.exported > 2), (t.exported, True), "the producer's memory is given back once for each capsule")
        self.assertFalse(Tensor.alive)
        self.assertClose(self.mm(Interface(A), Interface(B.T.copy().T)), A @ B)

    def test_outputs(self) -> None:
        A, B = self.floats(4, 6), self.floats(6, 4)
        C = np.zeros((4, 4), np.float32)
        for out in (Tensor(C), Tensor(C, versioned=False), Interface(C)):
            C[...] = 0
            self.assertIs(self.mm(Tensor(A), B, out=out), out)
            self.assertClose(C, A @ B)
        with self.assertRaisesRegex(ricci.ArgumentError, "read-only"):
            self.mm(A, B, out=Tensor(C, read_only=True))
        self.assertClose(self.mm(Tensor(A, read_only=True), B), A @ B)
        C.flags.writeable = False
        with self.assertRaisesRegex(ricci.ArgumentError, "read-only"):
            self.mm(A, B, out=Interface(C))

    def test_refused(self) -> None:
        A, B = self.floats(4, 6), self.floats(6, 4)
        for t, message in (
            (Tensor(A, device=(2, 0)), "CUDA"),
            (Tensor(A, device=(99, 1)), "kind 99"),
            (Tensor(A, major=2), "version 2"),
            (Tensor(A.astype(np.complex64)), "complex"),
            (Tensor(A.view(np.int32)), "int32"),
            (Tensor(A[0]), "1 dimension,"),
        ):
            with self.assertRaisesRegex((ricci.ArgumentTypeError, ricci.ArgumentError), message):
                self.mm(t, B)

        class Unwilling(Tensor):
            def __dlpack__(self, max_version=None, **keywords):
                raise RuntimeError("use x.detach()")

        with self.assertRaisesRegex(ricci.ArgumentTypeError, "A .*Unwilling.*use x.detach"):
            self.mm(Unwilling(A), B)
        on_card = type("Card", (), {"__cuda_array_interface__": {"shape": (2, 2), "typestr": "<f4", "data": (64, False), "version": 3}})()
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "B is in the memory of a CUDA device.*copy_to_host"):
            self.mm(A, on_card)
        t = Tensor(A)
        capsule = t.__dlpack__()
        dlpack.array_of_capsule(capsule, "A")
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "used before"):
            dlpack.array_of_capsule(capsule, "A")

    def test_bfloat16(self) -> None:
        f = ricci.compile("def f(bfloat16(N) x) -> (y) { float y(i) = x(i) }")
        x = np.array([0x3F80, 0xC000], np.uint16)
        for _ in range(2):
            self.assertEqual(f(Tensor(x, code=4)).tolist(), [1.0, -2.0])
            with self.assertRaisesRegex(ricci.ArgumentTypeError, "uint16"):
                f(x)


if __name__ == "__main__":
    unittest.main()
