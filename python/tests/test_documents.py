"""The pieces of Python in docs/python.md and in README.md run as they stand there."""

import contextlib
import io
import os
import re
import unittest

from support import Case

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class TestDocuments(Case):
    def test_blocks(self) -> None:
        for name, least in (("docs/python.md", 7), ("README.md", 1)):
            with open(os.path.join(_ROOT, name), encoding="utf-8") as f:
                text = f.read()
            blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
            self.assertGreaterEqual(len(blocks), least, name)
            names: dict = {"__name__": "document"}
            for block in blocks:
                line = text.count("\n", 0, block.start(1))
                code = compile("\n" * line + block.group(1), os.path.join(_ROOT, name), "exec")
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, names)


if __name__ == "__main__":
    unittest.main()
