"""Cells of notebooks, and how objects look there; the notebook of the examples is run."""

import contextlib
import io
import json
import os
import unittest
from xml.etree import ElementTree

from support import MM, Case, ricci

from ricci.display import roofline

_EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")


class Shell:
    """As much of IPython as cells need: magic functions, names, and the value of the last line."""

    def __init__(self) -> None:
        self.names: dict = {}
        self.magics: dict = {}

    def register_magic_function(self, f, kind, name) -> None:
        assert kind == "cell"
        self.magics[name] = f

    def push(self, names) -> None:
        self.names.update(names)

    def run(self, cell: str):
        first, _, rest = cell.partition("\n")
        if first.startswith("%%"):
            name, _, line = first[2:].partition(" ")
            return self.magics[name](line, rest)
        lines = []
        for line in cell.split("\n"):
            if line.startswith("%load_ext "):
                __import__(line.split()[1]).load_ipython_extension(self)
            else:
                lines.append(line)
        exec(compile("\n".join(lines), "cell", "exec"), self.names)
        return None


class TestNotebook(Case):
    def test_cells(self) -> None:
        shell = Shell()
        shell.run("%load_ext ricci")
        value = shell.run("%%ricci --warnings ignore --threads 1\n" + MM)
        self.assertIn("<table>", value._repr_html_())
        A, B = self.floats(3, 3), self.floats(3, 3)
        self.assertClose(shell.names["mm"](A, B), A @ B)
        shell.run("%%ricci --notation=mdh\nsum<N> := out_view<float32>(s: (i) -> ()) o md_hom<N>(id, (pw(+),)) o inp_view<float32>(x: (i) -> (i))")
        self.assertClose(shell.names["sum"](A[0]), A[0].sum())
        with self.assertRaisesRegex(ricci.ArgumentError, "no '--nothing'"):
            shell.run("%%ricci --nothing 1\n" + MM)
        with self.assertRaises(ricci.ProgramError) as caught:
            shell.run("%%ricci\ndef f(float(N) x) -> (y) { y(i) = z(i) }")
        self.assertIn("^", caught.exception._render_traceback_()[0])
        self.assertIn("<pre", caught.exception._repr_html_())

    def test_html_is_escaped(self) -> None:
        f = ricci.compile("def f(float(N) x) -> (y) { y(i) = x(i) < 1 ? x(i) : 0 }")
        f(self.floats(4))
        for text in (f._repr_html_(), f.explain()._repr_html_()):
            self.assertNotIn("<script", text)
        self.assertIn("float32", f._repr_html_())

    def test_roofline(self) -> None:
        f = ricci.compile(MM)
        why = f.explain(self.floats(64, 64), self.floats(64, 64))
        self.assertRegex(str(why), r"# estimate .* times the floor")
        picture = why._repr_html_()
        svg = ElementTree.fromstring(picture[picture.index("<svg"):])
        x, y = (float(svg.find("circle").get(c)) for c in ("cx", "cy"))
        self.assertTrue(20 <= x <= 360 and 20 <= y <= 170, (x, y))
        roof = [tuple(map(float, p.split(","))) for p in svg.find("polyline").get("points").split()]
        self.assertGreaterEqual(y, min(v for _, v in roof), "nothing is above the roof")
        self.assertIn("operations for a byte", svg.find("text").text)
        self.assertEqual(roofline({}), "")

    def test_the_tour(self) -> None:
        with open(os.path.join(_EXAMPLES, "tour.ipynb"), encoding="utf-8") as f:
            book = json.load(f)
        self.assertEqual(book["nbformat"], 4)
        shell, ran = Shell(), 0
        for cell in book["cells"]:
            self.assertEqual(cell.get("outputs", []), [])
            if cell["cell_type"] == "code":
                with contextlib.redirect_stdout(io.StringIO()):
                    shell.run("".join(cell["source"]))
                ran += 1
        self.assertGreaterEqual(ran, 6)


class TestSideBySide(Case):
    def test_small(self) -> None:
        import sys

        sys.path.insert(0, _EXAMPLES)
        import side_by_side

        self.assertGreaterEqual(len(side_by_side.KERNELS), 20)
        every = bool(os.environ.get("RICCI_LONG"))
        for k in side_by_side.KERNELS if every else side_by_side.KERNELS[::5]:
            side_by_side.check(k, 8)


if __name__ == "__main__":
    unittest.main()
