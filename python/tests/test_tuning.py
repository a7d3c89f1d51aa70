"""Searches, interrupts, options and files of schedules."""

import os
import tempfile
import unittest

from support import MM, Case, in_another_process, np, ricci

from ricci import places
from ricci.progress import Progress


class TestTuning(Case):
    def test_an_interrupt_ends_a_search(self) -> None:
        text = in_another_process("""
from support import *
import _thread, threading, time
mm = ricci.compile(MM)
A, B = np.ones((24, 24), 'f4'), np.ones((24, 24), 'f4')
mm(A, B)
threading.Timer(1.0, _thread.interrupt_main).start()
start = time.monotonic()
try:
    mm.tune(A, B, seconds=100)
    print('kept')
except KeyboardInterrupt:
    print('interrupted')
assert time.monotonic() - start < 60
assert mm(A, B)[0, 0] == 24
""")
        self.assertIn(text.strip(), ("kept", "interrupted"))

    def test_refused(self) -> None:
        mm = ricci.compile(MM)
        for seconds in (0, -1, float("nan")):
            with self.assertRaisesRegex(ricci.ArgumentError, "seconds"):
                mm.tune(self.floats(3, 3), self.floats(3, 3), seconds=seconds)
        with self.assertRaises(ValueError):
            ricci.Options(warnings="sometimes")
        with self.assertRaises(TypeError):
            ricci.compile(MM, no_such_option=1)
        unknown = ricci.compile(MM, level="avx1024")
        with self.assertRaisesRegex(ricci.Unavailable, "E0627"):
            unknown(self.floats(3, 3), self.floats(3, 3))
        self.assertFalse(unknown.runs_in_service)  # which has no such level, either
        with self.assertRaises(ricci.ProgramError):
            ricci.compile(MM, schedule="nonsense")(self.floats(3, 3), self.floats(3, 3))

    def test_a_file_of_schedules(self) -> None:
        A, B = self.floats(9, 8), self.floats(8, 7)
        mm = ricci.compile(MM)
        mm(A, B)
        # As tune leaves them: a good one, one that loops as the program is written, and one of another program.
        plain = "domain S0[i, j, k]\nband S0.i\n  band S0.j\n    band S0.k\n"
        mm.schedules = {"mm(A: 9x8, B: 8x7)": {mm.schedule: 1e-6, plain: 2e-6, "nonsense": 3e-6}}
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "best.json")
            self.assertEqual(ricci.save_schedules(path, mm), 3)
            options = ricci.Options.load(path)
            loaded = ricci.compile(MM, options=options)
            self.assertClose(loaded(A, B), A @ B)
            self.assertEqual([k.schedule_kind for k in loaded._kernels.values()], ["given"])
            loaded(B, A.T.copy()[:7])  # no layout of the file
            self.assertEqual([k.schedule_kind for k in loaded._kernels.values()], ["given", "default"])
            for text in ("", "[]", "{}", '{"ricci": "schedules", "schedules": [1]}'):
                with open(path, "w") as f:
                    f.write(text)
                with self.assertRaisesRegex(ricci.ArgumentError, "no file of schedules"):
                    ricci.Options.load(path)

    def test_factories(self) -> None:
        self.assertTrue(ricci.Options.naive(threads=1).untuned)
        self.assertEqual(ricci.Options.cached(), ricci.Options())
        self.assertEqual(ricci.Options.tuned(3).tune_seconds, 3)
        A, B = self.floats(4, 4), self.floats(4, 4)
        self.assertClose(ricci.compile(MM, options=ricci.Options.naive(threads=1, numerics="strict"))(A, B), A @ B)


class TestPlaces(Case):
    def test_a_cache_that_cannot_be_written(self) -> None:
        text = in_another_process("""
import os
os.environ['RICCI_CACHE'] = '/proc/nothing'
from ricci import places
first = places.cache()
assert os.path.isdir(first) and first == places.cache()
print('made')
""")
        self.assertEqual(text.strip(), "made")

    def test_who_can_change_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as d:
            self.assertTrue(places.is_ours(d))
            os.chmod(d, 0o777)
            self.assertFalse(places.is_ours(d))
            inner = os.path.join(d, "inner")
            os.mkdir(inner, 0o700)
            self.assertFalse(places.is_ours(inner), "others could put another directory in its place")
            os.chmod(d, 0o1777)
            self.assertTrue(places.is_ours(inner))

    def test_progress_is_for_terminals(self) -> None:
        with Progress("nothing", delay=0) as p:
            p.say("still nothing")
        self.assertEqual(p._shown, -1)


if __name__ == "__main__":
    unittest.main()
