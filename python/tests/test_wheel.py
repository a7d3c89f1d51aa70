"""The wheel: what is in it, and that it works where there is no checkout and no Go."""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import Case

from ricci import binary

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class TestWheel(Case):
    def test_wheel(self) -> None:
        script = os.path.join(_ROOT, "scripts", "wheel")
        if not os.path.exists(script):
            self.skipTest("no checkout")
        with tempfile.TemporaryDirectory() as d:
            subprocess.run([sys.executable, script, "--binary", binary.find(), d], check=True, capture_output=True)
            name, = os.listdir(d)
            with zipfile.ZipFile(os.path.join(d, name)) as wheel:
                names = wheel.namelist()
                record, = [n for n in names if n.endswith("/RECORD")]
                rows = dict(line.split(",", 1) for line in wheel.read(record).decode().split())
                self.assertEqual(sorted(rows), sorted(names))
                for n in names:
                    if n != record:
                        digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(n)).digest()).rstrip(b"=").decode()
                        self.assertEqual(rows[n].split(",")[0], f"sha256={digest}")
                self.assertLessEqual({"ricci/__init__.py", "ricci/fast.c", "ricci/mdh/trace.py", "ricci/py.typed", "ricci/bin/ricci"}, set(names))
                wheel.extractall(os.path.join(d, "site"))
            os.chmod(os.path.join(d, "site", "ricci", "bin", "ricci"), 0o755)  # as pip does
            environment = {"PYTHONPATH": os.path.join(d, "site"), "PATH": "/usr/bin:/bin", "RICCI_CACHE": os.environ["RICCI_CACHE"], "RICCI_QUIET": "1"}
            code = ("import numpy as np, ricci; f = ricci.compile('def f(float(N) x) -> (y) { y(i) = 2.0 * x(i) }'); "
                    "from ricci import binary; print(f(np.ones(3, 'f4')).tolist(), binary.find())")
            done = subprocess.run([sys.executable, "-c", code], cwd=d, env=environment, capture_output=True, text=True)
            self.assertEqual(done.stdout.strip(), f"[2.0, 2.0, 2.0] {d}/site/ricci/bin/ricci", done.stderr)


if __name__ == "__main__":
    unittest.main()
