"""Programs of strands: worlds, their steps, images, and what goes wrong."""

import contextlib
import gc
import io
import os
import tempfile
import unittest

from support import Case, in_another_process, np, ricci

from ricci import service

_EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "diderot")

# By the evaluator: no C compiler runs, which takes a second for each program.
_EVAL = ricci.Options(device="evaluator")

ROOTS = """#version 2.0
input int n;
input string name = "roots";
strand root(int i) {
  output real r = real(i);
  update {
    r = 0.5 * (r + real(i) / r);
    if (|r^2 - real(i)| < 0.001) { print(name, " ", i, "\\n"); stabilize; }
  }
}
create_array { root(i) | i in 1 .. n }
"""

SAMPLES = """#version 2.0
input vec2[] places;
input image(2)[] img;
field#0(2)[] F = img ⊛ tent;
strand sample(int k) {
  output real v = 0;
  update { v = F(places[k]);  stabilize; }
}
create_array { sample(k) | k in 0 .. length(places)-1 }
"""

FOREVER = """#version 2.0
strand s(int i) {
  output int k = 0;
  update { k += 1;  if (k < 0) { stabilize; } }
}
create_array { s(i) | i in 0 .. 9 }
"""


def quietly(f, *arguments, **named):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        return f(*arguments, **named), said.getvalue()


class TestStrands(Case):
    def test_steps_and_results(self) -> None:
        roots = ricci.strands(ROOTS)
        self.assertEqual((list(roots.inputs), roots.outputs, roots.native), (["n", "name"], ["r"], True))
        world = roots(n=4, name="√")
        self.assertEqual((world.steps, world.active, world.stable), (0, 4, 0))
        _, said = quietly(world.step)
        self.assertEqual((world.steps, world.active, world.stable, said), (1, 3, 1, "√ 1\n"))
        np.testing.assert_allclose(world.snapshot().r, [1, 1.5, 2, 2.5])
        quietly(world.run, limit=2)
        self.assertEqual((world.steps, world.active), (2, 3))
        quietly(world.run)
        self.assertEqual((world.active, world.printed), (0, "√ 1\n√ 2\n√ 3\n√ 4\n"))
        np.testing.assert_allclose(world["r"], np.sqrt([1, 2, 3, 4]), rtol=1e-3)
        self.assertEqual(world.outputs().r.dtype, np.float32)
        world.close()
        with self.assertRaisesRegex(ricci.ArgumentError, "closed"):
            world.run(limit=9)
        (found, said), want = quietly(ricci.strands(ROOTS, double=True, options=_EVAL).run, n=3), np.sqrt([1, 2, 3])
        self.assertEqual(found.r.dtype, np.float64)
        np.testing.assert_allclose(found.r, want, rtol=1e-3)

    def test_images_and_where_they_are(self) -> None:
        samples = ricci.strands(SAMPLES, options=_EVAL)
        a = self.floats(4, 5)
        places = np.array([[0, 0], [3, 2], [1.5, 2]])  # x, y
        want = [a[0, 0], a[2, 3], (a[2, 1] + a[2, 2]) / 2]
        self.assertClose(samples.run(places=places, img=a).v, want)
        self.assertClose(samples.run(places=places.tolist(), img=np.asfortranarray(a)).v, want)
        moved = ricci.Image(a, spacing=(0.5, 2), origin=(10, 20))  # rows are 0.5 apart, columns 2; (x, y) of the first sample
        self.assertClose(samples.run(places=places * [2, 0.5] + [10, 20], img=moved).v, want)
        turned = ricci.Image(a, directions=[[1, 0], [0, 1]])  # the first axis is that of x
        self.assertClose(samples.run(places=places[:, ::-1], img=turned).v, want)
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "a.npy")
            np.save(path, a)
            self.assertClose(samples.run(places=places, img=path).v, want)
        large = self.floats(300, 400)  # by way of a file
        self.assertClose(samples.run(places=[[398, 298]], img=large).v, [large[-2, -2]])

    def test_wrong_inputs(self) -> None:
        roots, samples = ricci.strands(ROOTS, options=_EVAL), ricci.strands(SAMPLES, options=_EVAL)
        a = self.floats(4, 5)
        for message, make in (
            ("no input m.*(?s:.*)n, name", lambda: roots(n=3, m=4)),
            ("n is not given", lambda: roots()),
            ("n is int, found 2.5", lambda: roots(n=2.5)),
            ("n is the text '2'.*of the type int", lambda: roots(n="2")),
            ("shape", lambda: roots(n=[1, 2])),
            ("numbers that no type has", lambda: roots(n=10**30)),
            ("several lengths|numbers that", lambda: samples(places=[[1, 2], [3]], img=a)),
            ("string", lambda: roots(n=2, name=3)),
            ("takes a string", lambda: roots(n=2, name=a)),
            ("complex|elements", lambda: samples(places=1j * a, img=a)),
            ("3 numbers|voxels of 3|files? of|axes", lambda: samples(places=a, img=self.floats(4, 5, 3))),
            ("one for each spatial axis", lambda: samples(places=a, img=ricci.Image(a, directions=[[1, 0, 0]] * 3))),
            ("of one world", lambda: samples(places=a, img=ricci.Image(a, directions=[[1], [0, 1]], origin=[0, 0]))),
            ("cannot be read|no such file", lambda: samples(places=a, img="there/is/none.nrrd")),
            ("not independent", lambda: samples(places=a, img=ricci.Image(a, directions=[[1, 0], [2, 0]]))),
        ):
            with self.assertRaisesRegex(ricci.Error, message) as caught:
                make()
            self.assertNotIsInstance(caught.exception, (ricci.ProgramError, ricci.ServiceError), message)
        with self.assertRaisesRegex(ricci.ArgumentError, "directions of an image, or its spacing"):
            ricci.Image(a, directions=[[1]], spacing=[1])

    def test_faults(self) -> None:
        """A probe outside of the image, with the place in the program."""
        world = ricci.strands(SAMPLES, options=_EVAL)(places=[[0, 0], [99, 0]], img=self.floats(4, 5))
        with self.assertRaisesRegex(ricci.RangeError, r"(?s)E1402.*strand 1.*\^\^\^"):
            world.run()
        with self.assertRaisesRegex(ricci.Error, "E14"):  # and nothing but that from then on
            world.run()
        die = ricci.strands("#version 2.0\nstrand s(int i) { output int k = i; update { die; } }\ncreate_collection { s(i) | i in 0 .. 3 }", options=_EVAL)
        with self.assertRaisesRegex(ricci.ArgumentError, "E1407"):
            die.run()

    def test_programs(self) -> None:
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "square.diderot")
            with open(path, "w") as f:
                f.write("#version 2.0\nfunction real square(real x) = x * x;\n" + ROOTS.split("\n", 1)[1])
            with self.assertRaises(FileNotFoundError):
                ricci.strands(os.path.join(d, "none.diderot"))
            self.assertEqual(list(ricci.strands(path).program.defs), ["square"])
        p = ricci.load(os.path.join(_EXAMPLES, "heron.diderot"), options=_EVAL, warnings="ignore")
        self.assertIn("better", p.defs)
        self.assertIn("strands", repr(p))
        np.testing.assert_allclose(p.strands.run(count=5)[p.strands.outputs[0]].ravel()[:1], [1], rtol=1e-3)
        with self.assertRaises(TypeError):
            ricci.strands(3)

    def test_fields_are_functions_of_points(self) -> None:
        F = ricci.program(SAMPLES, notation="diderot", options=_EVAL.replace(warnings="ignore")).F
        a, p = self.floats(4, 5), np.float32([[11, 20.5], [10, 99]])
        image = ricci.Image(a, spacing=(0.5, 2), origin=(10, 20))
        for value, inside in (F(image, p), F(img=image, p=p), F(a, np.float32([[2, 0], [0, 0.5]]), np.float32([10, 20]), p)):
            self.assertClose(value[:1], [(a[1, 0] + a[1, 1]) / 2])
            self.assertEqual(inside.tolist(), [True, False])
        self.assertClose(F(ricci.Image(a), np.float32([[1.5, 2]])).value, [(a[2, 1] + a[2, 2]) / 2])
        with self.assertRaisesRegex(ricci.ArgumentError, "img_directions is given twice"):
            F(image, p, img_directions=np.eye(2))
        with self.assertRaisesRegex(ricci.ArgumentTypeError, "p is an Image"):
            F(image, image)

    def test_worlds_end(self) -> None:
        """With their objects, and not with others of the same number in another process."""
        roots = ricci.strands(ROOTS, options=_EVAL)
        held = roots(n=1)
        for _ in range(3):
            roots(n=1)
        gc.collect()
        self.assertEqual((service.ask("doctor", {})["worlds"], held.active), (1, 1))
        said = in_another_process(f"""
import os, ricci
from ricci import service
roots = ricci.strands({ROOTS!r}, options=ricci.Options(device="evaluator"))
world = roots(n=2)
child = os.fork()
if not child:
    other = roots(n=9)  # the child has a service of its own, with a world of the same number
    try:
        world.step()
    except ricci.ServiceError:
        os._exit(0)
    os._exit(1)
print(os.waitpid(child, 0)[1], world.step(3).steps)
service.stop()
try:
    world.step()
except ricci.ServiceError as e:
    print(e)
""")
        self.assertRegex(said, r"(?m)^0 3$")
        self.assertIn("worlds do not outlive it", said)

    def test_interrupts(self) -> None:
        """Ctrl-C ends ``run`` between two steps, and the world goes on; where the service is killed, others start another one."""
        said = in_another_process(f"""
import os, signal, threading, ricci
from ricci import service
forever = ricci.strands({FOREVER!r}, options=ricci.Options(device="evaluator"))
world = forever()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    world.run()
except KeyboardInterrupt:
    before = world.steps
print(before > 0, world.step(2).steps - before, set(world.snapshot().k) == {{world.steps}})
threading.Timer(0.2, service._service._process.kill).start()
for ask in world.run, world.step, world.snapshot:
    try:
        ask()
    except ricci.ServiceError as e:
        print(e)
print(forever().step(3).steps)
""")
        lines = said.splitlines()
        self.assertEqual((lines[:2], len(lines), lines[-1]), (["True 2 True", "ricci serve ended while it worked on 'advance'"], 5, "3"), said)
        self.assertTrue(all("do not outlive it" in line for line in lines[2:4]), said)


if __name__ == "__main__":
    unittest.main()
