"""Calls: arguments of every kind, results, errors."""

import array
import ctypes
import gc
import inspect
import os
import pickle
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
import unittest
import warnings
from fractions import Fraction

from support import MM, QUIET, SCALE, Case, in_another_process, np, ricci

from ricci import binary, dlpack, fast, kernel, service

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Own(np.ndarray):
    """A subclass of arrays."""


class HasArray:
    """An object that can make an array, a copy perhaps."""

    def __array__(self, dtype=None):
        return np.ones((5, 7), np.float32)


class Nowhere:
    """An object that says something of its memory that cannot be."""

    __array_interface__ = {"shape": (5, 7), "typestr": "<f4", "data": (0, False), "version": 3}


class TestCalls(Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.mm = ricci.compile(MM)
        cls.scale = ricci.compile(SCALE)

    def test_product(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        C = self.mm(A, B)
        self.assertEqual((C.shape, C.dtype, C.flags.c_contiguous), ((5, 3), np.float32, True))
        self.assertClose(C, A @ B)
        self.assertClose(self.mm(A, B=B), A @ B)
        self.assertClose(self.mm(B=B, A=A), A @ B)

    def test_the_fast_way_is_there(self) -> None:
        if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")) or not shutil.which("gcc"):
            self.skipTest("the headers of Python (python3-dev) or gcc are missing")
        self.assertIsNotNone(fast._module())

    def test_strides(self) -> None:
        A, B = self.floats(14, 5).T[:, ::2], self.floats(7, 6)[::-1, ::-2]
        for _ in range(2):  # the slow way, and the fast one
            self.assertClose(self.mm(A, B), A @ B)
        row = np.broadcast_to(self.floats(1, 7), (5, 7))  # steps of 0
        self.assertClose(self.mm(row, B), row @ B)
        self.assertClose(self.mm(np.asfortranarray(A), np.asfortranarray(B)), A @ B)

    def test_out(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        for out in (np.empty((5, 3), np.float32), np.empty((3, 5), np.float32).T, np.empty((5, 6), np.float32)[:, ::-2]):
            for _ in range(2):
                out[...] = 0
                self.assertIs(self.mm(A, B, out=out), out)
                self.assertClose(out, A @ B)
                self.assertClose(self.mm(A, B), A @ B)  # new outputs are dense, whatever was seen before
        for wrong in (np.empty((3, 5), np.float32), np.empty((5, 3)), np.empty(15, np.float32), "x"):
            with self.assertRaises((ricci.ArgumentError, ricci.ArgumentTypeError)):
                self.mm(A, B, out=wrong)

    def test_out_shares_memory_with_an_input(self) -> None:
        A = self.floats(5, 5)
        want = A @ A
        for _ in range(2):
            B = A.copy()
            self.mm(B, B, out=B)
            self.assertClose(B, want)

    def test_outputs_that_share_memory(self) -> None:
        two = ricci.compile("def two(float(N) x) -> (y, z) { y(i) = x(i) + 1.0  z(i) = 2.0 * x(i) }")
        x, y = self.floats(6), np.empty(6, np.float32)
        for _ in range(2):
            result = two(x)
            self.assertEqual(result._fields, ("y", "z"))
            self.assertClose(result.z, 2 * x)
        y, z = two(x, out=(y, None))
        self.assertClose(y, x + 1)
        self.assertClose(two(x, out={"z": y}).z, 2 * x)
        for out in ((y, y), (y, y[::-1]), (y,), {"w": y}, y):
            with self.assertRaises(ricci.ArgumentError):
                two(x, out=out)

    def test_in_place(self) -> None:
        axpy = ricci.compile("def axpy(float a, float(N) x) -> (y) { y(i) += a * x(i) }", options=QUIET)
        x, y = self.floats(9), self.floats(9)
        want = y + 2 * x
        self.assertIs(axpy(2.0, x, y), y)
        self.assertClose(y, want)
        self.assertIs(axpy(2.0, x, y=y), y)
        self.assertIs(axpy(2.0, x, out=y), y)
        self.assertClose(y, want + 4 * x)
        with self.assertRaisesRegex(ricci.ArgumentError, "the argument y is missing; .* updated in place"):
            axpy(2.0, x)
        with self.assertRaisesRegex(ricci.ArgumentError, "updated in place"):
            axpy(2.0, x, y, out=x)

    def test_scalars(self) -> None:
        x = self.floats(4)
        for a in (3, 3.0, np.float32(3), np.float64(3), np.int8(3), True + 2, np.array(3, np.float32)):
            for _ in range(2):
                self.assertClose(self.scale(a, x), 3 * x)
        for wrong in ("3", None, [3], 3j, np.array([3], np.float32), np.array(3.0)):
            with self.assertRaises((ricci.ArgumentError, ricci.ArgumentTypeError)):
                self.scale(wrong, x)
        for wrong, message in (("3", "a is '3', and the program takes a number"), (3j, "number of the type float32"), (Fraction(1, 2), "pass float\\(a\\)"),
                               (10**400, "has none so large"), (np.array([3], np.float32), "pass a.item\\(\\)"), ([3], "a list")):
            with self.assertRaisesRegex((ricci.ArgumentError, ricci.ArgumentTypeError), message):
                self.scale(wrong, x)
        count = ricci.compile("def count(int8 n, float(N) x) -> (y) { y(i) = x(i) * n }")
        self.assertClose(count(3.0, x), 3 * x)
        for wrong in (128, -129, 2.5, float("nan"), float("inf"), 1 << 70):
            with self.assertRaises((ricci.ArgumentError, ricci.ArgumentTypeError)):
                count(wrong, x)

    def test_scalars_that_are_sizes(self) -> None:
        every = ricci.compile("def every(int s, float(N) x) -> (y) { y(i) = x(s*i) where i in 0:(N-1)/s+1 }")
        x = self.floats(10)
        for s in (1, 2, 3, 2):
            self.assertClose(every(s, x), x[::s])
        with self.assertRaisesRegex(ricci.ArgumentError, "s >= 1"):
            every(0, x)

    def test_sizes(self) -> None:
        fill = ricci.compile("def fill(float v) -> (float(N) y) { y(i) = v }")
        self.assertClose(fill(2.5, N=3), np.full(3, 2.5))
        self.assertClose(fill(2.5, sizes={"N": 4}), np.full(4, 2.5))
        with self.assertRaisesRegex(ricci.ArgumentError, "the size N"):
            fill(2.5)
        for wrong, message in (("3", "no whole number"), (1.5, "no whole number"), (1 << 70, "64 bits"), (-3, "E0606")):
            with self.assertRaisesRegex((ricci.ArgumentTypeError, ricci.ArgumentError), message):
                fill(2.5, N=wrong)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "not a dict"):
            fill(2.5, sizes=3)
        A, B = self.floats(4, 3), self.floats(3, 2)
        for _ in range(2):  # also when the layout is known
            with self.assertRaisesRegex(ricci.ArgumentError, "E0605"):
                self.mm(A, B, M=7)
            self.assertClose(self.mm(A, B, M=4), A @ B)
            self.mm(A, B)

    def test_outputs_that_do_not_fit(self) -> None:
        two = ricci.compile("def two(float(N) x) -> (y, z) { y(i) = x(i)  z(i,j) = x(i) * x(j) }")
        with self.assertRaisesRegex(ricci.OutOfMemory, "there is no memory for z, float32 of the shape"):
            two(np.broadcast_to(np.float32(1), 1 << 22))

    def test_all_types(self) -> None:
        for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"):
            x = (np.arange(6) % 2).astype(name)
            f = ricci.compile(f"def f({name}(N) x) -> (y) {{ y(i) = x(N-1-i) }}")
            y = f(x)
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, x[::-1])

    def test_bad_arrays(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        records = np.zeros((7, 3), [("a", "f4"), ("b", "f4")])
        cases = [
            (A.astype(np.float64), "float64.*astype"),
            (A.astype(">f4"), "byte order.*pass A.astype\\(np.float32\\)"),
            (A.astype(object), "Python objects; pass A.astype\\(np.float32\\)"),
            (A.astype(np.complex64), "complex.*pass A.real"),
            (A.astype(np.longdouble), "float128|longdouble"),
            (A[0], "1 dimension,"),
            (A > 0.5, "pass A.astype\\(np.float32\\)"),
            (Nowhere(), "Nowhere whose memory cannot be used"),
            (A[None], "3 dimensions"),
            ([[1.0]], "a list"),
            (None, "no array"),
            ("A", "no array"),
            (np.array(["a"]), "str"),
            (np.zeros((5, 7), "M8[s]"), "datetime64"),
            (np.broadcast_to(np.float32(1), ()), "0 dimensions"),
            (np.ma.masked_array(A, A > 0.5), "masked"),
            (b"bytes", "no array"),
            (HasArray(), "np.asarray"),
        ]
        for wrong, message in cases:
            with self.assertRaisesRegex((ricci.ArgumentError, ricci.ArgumentTypeError), message):
                self.mm(wrong, B)
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "byte order.*pass np.empty\\(…, np.float32\\)"):  # a copy would take the results
            self.mm(A, B, out=np.zeros((5, 3), ">f4"))
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "records.*B\\['a'\\]"):
            self.mm(A, records)
        with self.assertRaisesRegex(ricci.ArgumentError, "no multiple"):  # fields of records lie between others
            self.mm(A, np.zeros((7, 3), [("a", "f4"), ("b", "u1")])["a"])
        self.assertClose(self.mm(A, records["a"]), np.zeros((5, 3)))
        unaligned = np.zeros(4 * 21 + 1, np.uint8)[1:].view(np.float32).reshape(7, 3)
        with self.assertRaisesRegex(ricci.ArgumentError, "multiple of (the )?4"):
            self.mm(A, unaligned)

    def test_arrays_of_other_kinds(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        for _ in range(2):
            self.assertClose(self.mm(A.view(Own), B.view(Own)), A @ B)
            self.assertClose(self.mm(memoryview(A), B), A @ B)
            self.assertClose(self.scale(2.0, array.array("f", [1, 2])), [2, 4])
        out = np.empty((5, 3), np.float32).view(Own)
        self.assertIs(self.mm(A, B, out=out), out)
        self.assertClose(out, A @ B)

    def test_outputs_beside_each_other(self) -> None:
        f = ricci.compile("def f(float(N,M) x) -> (y, z) { y(i,j) = 2 * x(i,j)  z(i,j) = 3 * x(i,j) }")
        x, both = self.floats(4, 3), np.zeros((4, 6), np.float32)
        for y, z in ((both[:, ::2], both[:, 1::2]), (both[:, :3], both[:, 3:])):
            f(x, out=(y, z))
            self.assertClose(y, 2 * x)
            self.assertClose(z, 3 * x)
        with self.assertRaisesRegex(ricci.ArgumentError, "share memory"):
            f(x, out=(both[:, :3], both[:, 2:5]))

    def test_outputs_that_overlap_themselves(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        memory = np.empty(64, np.float32)
        for strides in ((0, 4), (4, 4), (4, 0), (8, 4), (4, 8)):
            out = np.lib.stride_tricks.as_strided(memory, (5, 3), strides)
            with self.assertRaisesRegex(ricci.ArgumentError, "share memory"):
                self.mm(A, B, out=out)
        for strides in ((12, 4), (4, 20), (8, 44), (16, 4), (12, 16)):
            out = np.lib.stride_tricks.as_strided(memory, (5, 3), strides)
            self.assertClose(self.mm(A, B, out=out), A @ B)
        woven = np.lib.stride_tricks.as_strided(memory, (5, 3), (8, 16))  # elements at 2i + 4j: 4 is there twice
        with self.assertRaisesRegex(ricci.ArgumentError, "share memory"):
            self.mm(A, B, out=woven)

    def test_bad_shapes(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        self.mm(A, B)
        with self.assertRaisesRegex(ricci.ArgumentError, "E0605|E0613"):
            self.mm(A, B[:6])
        with self.assertRaises(ricci.ArgumentError):
            self.mm(A[:0], B)  # N >= 1 unless the program allows nothing
        with self.assertRaisesRegex(ricci.ArgumentError, "takes 2 arguments, and 3"):
            self.mm(A, B, A)
        with self.assertRaisesRegex(ricci.ArgumentError, "given twice"):
            self.mm(A, B, A=A)
        with self.assertRaisesRegex(ricci.ArgumentError, "no parameter 'D'"):
            self.mm(A, B, D=A)

    def test_read_only(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        A.flags.writeable = B.flags.writeable = False
        out = np.empty((5, 3), np.float32)
        self.assertClose(self.mm(A, B, out=out), A @ B)
        out.flags.writeable = False
        for _ in range(2):
            with self.assertRaisesRegex(ricci.ArgumentError, "read-only"):
                self.mm(A, B, out=out)

    def test_bounds_that_depend_on_data(self) -> None:
        gather = ricci.compile("def gather(float(N) x, int32(M) I) -> (y) { y(i) = x(I(i)) }")
        x = self.floats(5)
        self.assertClose(gather(x, np.array([4, 0], np.int32)), x[[4, 0]])
        for _ in range(2):
            with self.assertRaises(ricci.RangeError) as caught:
                gather(x, np.array([4, 5], np.int32))
        self.assertIn("^", str(caught.exception))
        self.assertIsInstance(caught.exception, IndexError)

    def test_bind(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        call = self.mm.bind(A, B)
        C = call()
        self.assertClose(C, A @ B)
        A += 1
        self.assertIs(call(), C)
        self.assertClose(C, A @ B)

    def test_many_shapes(self) -> None:
        f = ricci.compile("def f(float(N) x) -> (y) { y(i) = 2.0 * x(i) }", kernels=2)
        for n in range(1, 12):
            x = self.floats(n)
            self.assertClose(f(x), 2 * x)
        self.assertLessEqual(len(f._kernels), 2)
        with self.assertRaises(ricci.ArgumentError):
            f(self.floats(0))

    def test_no_leak(self) -> None:
        A, B, out = self.floats(4, 4), self.floats(4, 4), np.empty((4, 4), np.float32)
        self.mm(A, B)

        def resident() -> int:
            gc.collect()
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before = resident()
        for _ in range(100_000):
            self.mm(A, B)
            self.mm(A, B, out=out)
        self.assertLess(resident() - before, 4 << 20)

    def test_threads(self) -> None:
        shapes = [(n, n + 1, n + 2) for n in range(3, 7)]
        pairs = [(self.floats(m, k), self.floats(k, n)) for m, k, n in shapes]
        mm, wrong = ricci.compile(MM), []

        def work() -> None:
            for _ in range(200):
                for A, B in pairs:
                    if not np.allclose(mm(A, B), A @ B):
                        wrong.append(A.shape)

        threads = [threading.Thread(target=work) for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_pickle(self) -> None:
        A, B = self.floats(5, 7), self.floats(7, 3)
        renamed = ricci.compile(MM)
        renamed.rename(["left", "right"], lambda: None)
        self.assertClose(pickle.loads(pickle.dumps(renamed))(left=A, right=B), A @ B)

    def test_python_alone(self) -> None:
        """Without the extension everything is the same."""
        text = in_another_process(
            "import os; os.environ['RICCI_FAST'] = '0'\n"
            "from support import *\nmm = ricci.compile(MM)\nA = np.ones((3, 4), 'f4'); B = np.ones((4, 2), 'f4')\n"
            "out = np.empty((3, 2), 'f4')\nassert mm(A, B, out=out) is out\nprint(mm(A, B).tolist(), type(mm).__mro__[1].__name__)")
        self.assertEqual(text.strip(), "[[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]] _Python")


class TestABI(Case):
    def test_structures(self) -> None:
        """The structures of Python and of fast.c are those of ricci.h."""
        header = os.path.join(_ROOT, "internal", "abi", "ricci.h")
        if not shutil.which("gcc") or not os.path.exists(header):
            self.skipTest("no compiler, or no checkout")
        tests = []
        for c, python, names in (
            ("ricci_call", kernel._CallStructure, [n for n, _ in kernel._CallStructure._fields_]),
            ("DLTensor", dlpack.DLTensor, ["data", "ndim", "shape", "strides", "byte_offset"]),
        ):
            tests.append(f"sizeof({c}) == {ctypes.sizeof(python)}")
            tests += [f"offsetof({c}, {n}) == {getattr(python, n).offset}" for n in names]
        with open(os.path.join(_ROOT, "python", "ricci", "fast.c")) as f:
            own = f.read()
        structures = own[own.index("typedef struct {\n  void *data"):own.index("typedef int32_t (*Kernel)")]
        tests += ["sizeof(Call) == sizeof(ricci_call)", "sizeof(Tensor) == sizeof(DLTensor)"]
        tests += [f"offsetof(Call, {n}) == offsetof(ricci_call, {n})" for n, _ in kernel._CallStructure._fields_]
        tests += [f"offsetof(Tensor, {n}) == offsetof(DLTensor, {n})" for n in ("data", "ndim", "shape", "strides", "byte_offset")]
        text = f'#include <stddef.h>\n#include "{header}"\n{structures}\n' + "".join(f'_Static_assert({t}, "{t}");\n' for t in tests)
        done = subprocess.run(["gcc", "-fsyntax-only", "-xc", "-"], input=text, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class TestProcesses(Case):
    def test_fork(self) -> None:
        mm = ricci.compile(MM)
        A, B = self.floats(300, 300), self.floats(300, 300)
        want = A @ B
        self.assertClose(mm(A, B), want)  # in threads of the library
        child = os.fork()
        if child == 0:
            status = 1
            try:
                mine = ricci.compile(SCALE)
                x = np.ones(3, np.float32)
                status = 0 if np.allclose(mm(A, B), want, rtol=1e-4) and mine(2.0, x).tolist() == [2, 2, 2] else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertClose(mm(A, B), want)
        self.assertClose(ricci.compile(SCALE)(3.0, A[0]), 3 * A[0])

    def test_the_service_dies(self) -> None:
        ricci.compile(MM)
        os.kill(service._current()._process.pid, signal.SIGKILL)
        A, B = self.floats(2, 11), self.floats(11, 3)
        self.assertClose(ricci.compile(MM)(A, B), A @ B)

    def test_commands_that_are_none(self) -> None:
        for command, message in (("/bin/true", "no command of Ricci"), ("/nonexistent", "RICCI_BIN"), (_ROOT, "RICCI_BIN"), (self._of_no_machine(), "cannot be executed: Exec format error"), (self._of_another_version(), "protocol 99")):
            text = in_another_process("""
from support import *
try:
    ricci.compile(MM)
except ricci.BuildError as e:
    print(e)
""", RICCI_BIN=command)
            self.assertIn(message, text)

    def _of_no_machine(self) -> str:
        handle, path = tempfile.mkstemp()
        self.addCleanup(os.unlink, path)
        os.write(handle, b"\x7fELF")
        os.fchmod(handle, 0o755)
        os.close(handle)
        return path

    def _of_another_version(self) -> str:
        """A command that answers as one of the future would, and writes lines that are nothing."""
        d = tempfile.TemporaryDirectory()
        self.addCleanup(d.cleanup)
        path = os.path.join(d.name, "ricci")
        with open(path, "w") as f:
            f.write("""#!/bin/sh
read -r line
echo nonsense; echo '[]'; echo '{"id": 77, "result": {}}'
echo '{"id": 1, "result": {"protocol": 99}}'
cat >/dev/null
""")
        os.chmod(path, 0o755)
        return path

    def test_nonsense_is_answered(self) -> None:
        with self.assertRaises(ricci.Error):
            service.ask("no such method", {})
        with self.assertRaises(ricci.Error):
            service.ask("compile", {"nonsense": 1})
        with self.assertRaisesRegex(ricci.ArgumentError, "take 65 MiB as text, and a request has at most 64"):
            service.ask("check", {"program": {"text": "x" * (65 << 20)}})

    def test_without_a_compiler(self) -> None:
        """The service computes; results, in-place updates and errors are the same."""
        text = in_another_process("""
import os
os.environ['PATH'] = os.environ['RICCI_CC'] = '/nonexistent'
os.environ['RICCI_CACHE'] += '-without'
from support import *
mm = ricci.compile(MM)
A, B = np.ones((200, 300), 'f4'), np.ones((300, 2), 'f4')  # too large for a request: they go by way of a file
out = np.empty((2, 200), 'f4').T
assert mm(A, B, out=out) is out and (out == 300).all() and (mm(A, B) == 300).all()
axpy = ricci.compile('def axpy(float a, float(N) x) -> (y) { y(i) += a * x(i) }', warnings='ignore')
y = np.ones(2, 'f4')
assert axpy(2.0, np.ones(2, 'f4'), y) is y and y.tolist() == [3, 3]
try:
    mm(A, B, out=out[:5])
except ricci.ArgumentError as e:
    print('refused')
""", RICCI_BIN=binary.find())
        self.assertEqual(text.strip(), "refused")


class TestPrograms(Case):
    def test_errors_have_carets(self) -> None:
        with self.assertRaises(ricci.ProgramError) as caught:
            ricci.compile("def f(float(N) x) -> (y) {\n  y(i) = x(i+1) where i in 0:N\n}")
        e = caught.exception
        self.assertIsInstance(e, SyntaxError)
        self.assertIn("  2 |   y(i) = x(i+1) where i in 0:N\n    |          ^^^^^^", str(e))
        self.assertEqual((e.lineno, e.offset, e.diagnostics[0].code), (2, 10, "E0303"))
        for text in ("", "def", "def f(", "\0", "def f(float(N) x) -> (y) { y(i) = z(i) }", "ß" * 99):
            with self.assertRaises(ricci.Error):
                ricci.compile(text)
        with self.assertRaises(TypeError):
            ricci.compile(7)
        with self.assertRaisesRegex(TypeError, "@ricci.function takes it"):
            ricci.compile(lambda x: x)
        with self.assertRaises(TypeError):
            ricci.compile(MM, options="fast")

    def test_warnings(self) -> None:
        text = "def f(float(N) x) -> (y) { y(i) += x(i) }"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ricci.compile(text)
        self.assertIn("E0402", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)
        with self.assertRaisesRegex(ricci.ProgramError, "E0402"):
            ricci.compile(text, warnings="error")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ricci.compile(text, warnings="ignore")

    def test_decorator(self) -> None:
        @ricci.function
        def twice(values):
            """Twice as much.

            def twice(float(N) x) -> (y) { y(i) = 2.0 * x(i) }
            """

        x = self.floats(3)
        self.assertClose(twice(x), 2 * x)
        self.assertClose(twice(values=x), 2 * x)
        self.assertEqual(twice.__name__, "twice")
        with self.assertRaisesRegex(ricci.ArgumentError, "2 parameters"):

            @ricci.function
            def thrice(a, b):
                """def thrice(float(N) x) -> (y) { y(i) = 3.0 * x(i) }"""

        with self.assertRaises(ricci.ProgramError) as caught:

            @ricci.function
            def wrong(x):
                """def wrong(float(N) x) -> (y) {
                  y(i) = z(i)
                }"""

        with open(__file__) as f:
            line = f.read().split("\n")[caught.exception.lineno - 1]
        self.assertIn("y(i) = z(i)", line)
        with self.assertRaisesRegex(ricci.ProgramError, "no program"):
            ricci.function(lambda x: x)

    def test_options(self) -> None:
        cases = [("threads", -1, "0 or more"), ("threads", "2", "a whole number"), ("memory", 1.5, "a whole number"), ("memory", 1 << 70, "0 or more"), ("schedule", 3, "a text"),
                 ("tune_seconds", float("nan"), "0 or more"), ("tune_seconds", "x", "a number"), ("dynamic", 3, "a sequence"), ("warnings", "loud", "'ignore'")]
        for name, wrong, message in cases:
            with self.assertRaisesRegex((ricci.ArgumentError, ricci.ArgumentTypeError), f"Options.{name} is .*{message}"):
                ricci.Options(**{name: wrong})
        self.assertEqual(ricci.Options(threads=np.int32(2), device=None, dynamic="N"), ricci.Options(threads=2, dynamic=["N"]))
        for wrong in (lambda: ricci.compile(MM, "mn"), lambda: ricci.compile(b"def"), lambda: ricci.function(3), lambda: ricci.compile(MM, options={}), lambda: ricci.save_schedules("x", 3),
                      lambda: ricci.einsum("ij,jk->il", np.ones((2, 2)), np.ones((2, 2))), lambda: ricci.einsum("i->", np.array([1, 2], object))):
            with self.assertRaises((ricci.ArgumentError, ricci.ArgumentTypeError)):
                wrong()

    def test_programs(self) -> None:
        p = ricci.program(MM + SCALE)
        self.assertEqual(list(p), ["mm", "scale"])
        self.assertIs(p.mm, p["mm"])
        with self.assertRaises(KeyError):
            p["nothing"]
        with self.assertRaises(AttributeError):
            p.nothing
        with self.assertRaisesRegex(ricci.ArgumentError, "2 defs"):
            ricci.compile(MM + SCALE)
        self.assertEqual(ricci.compile(MM + SCALE, "scale").signature, "scale(float32 a, float32(N) x) -> (float32(N) y)")

    def test_files_of_all_notations(self) -> None:
        examples = os.path.join(_ROOT, "examples")
        found = ricci.load(os.path.join(examples, "tc", "matmul.tc"))
        self.assertIn("matmul", found.defs)
        for path in ("mdh/linear.mdh", "teil/interpolate.teil"):
            if os.path.exists(os.path.join(examples, path)):
                self.assertTrue(ricci.load(os.path.join(examples, path)).defs)
        with self.assertRaises(FileNotFoundError):
            ricci.load("nothing.tc")

    def test_stages(self) -> None:
        mm = ricci.compile(MM)
        with self.assertRaisesRegex(ricci.ArgumentError, "not been called"):
            mm.schedule
        A, B = self.floats(5, 7), self.floats(7, 3)
        mm(A, B)
        self.assertIn("band", mm.schedule)
        self.assertIn("ricci_mm", mm.source("c"))
        self.assertIn("mm(A: 5x7, B: 7x3)\n", str(mm.explain()))
        self.assertIn("<pre", mm.explain()._repr_html_())
        C = np.empty((5, 21), np.float32)[:, ::7]
        texts = {mm.source("c", A, B), mm.source("c", A, B, out=C), mm.source("c", A, B[::-1])}
        self.assertEqual(len(texts), 3)  # strides of inputs and outputs are those of the code
        self.assertClose(ricci.compile(MM, schedule=mm.schedule)(A, B), A @ B)

    def test_what_editors_show(self) -> None:
        self.assertEqual(str(inspect.signature(ricci.compile(MM))), "(A, B, *, out=None)")
        self.assertEqual(str(inspect.signature(ricci.compile("def fill(float v) -> (float(N) y) { y(i) = v }"))), "(v, *, N, out=None)")
        odd = ricci.compile("def f(float(N) lambda) -> (y) { y(i) = lambda(i) }")  # no name of Python
        self.assertIsNone(odd.__signature__)
        self.assertEqual(odd(**{"lambda": self.floats(2)}).shape, (2,))
        self.assertIn("mm(float32(M, K) A", ricci.compile(MM).__doc__)

    def test_check(self) -> None:
        mm = ricci.compile(MM)
        A, B = self.floats(5, 7), self.floats(7, 3)
        report = mm.check(A, B)
        self.assertIn("all 15", repr(report))
        self.assertEqual(report.values["C"]["mismatches"], 0)
        mm._compute = lambda found: [found.inputs[0].array[:, :3] * 0]  # a kernel that is wrong
        with self.assertRaisesRegex(ricci.CheckError, "E0628"):
            mm.check(A, B)
        axpy = ricci.compile("def axpy(float a, float(N) x) -> (y) { y(i) += a * x(i) }", options=QUIET)
        x, y = self.floats(9), self.floats(9)
        want = y + 2 * x
        axpy.check(2.0, x, y)
        self.assertClose(y, want)


if __name__ == "__main__":
    unittest.main()
