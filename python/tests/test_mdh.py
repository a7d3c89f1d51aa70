"""Programs of MDH as decorated functions."""

import math
import unittest
import warnings

from support import Case, np, ricci

from ricci.mdh import CC, PS, PW, Buffer, fp32, fp64, inp, inp_view, int32, md_hom, mdh, out, out_view, sizes, where


def matvec(T, I, K):
    """Listing 5 of the paper."""

    @mdh(out(w=Buffer[T, [I]]),
         inp(M=Buffer[T, [I, K]], v=Buffer[T, [K]]))
    def mdh_matvec():
        def mul(out, inp):
            out['w'] = inp['M'] * inp['v']

        def scalar_plus(res, lhs, rhs):
            res['w'] = lhs['w'] + rhs['w']

        return (
            out_view[T](w=[lambda i, k: (i)]),
            md_hom[I, K](mul, (CC, PW(scalar_plus))),
            inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]))

    return mdh_matvec


class TestMDH(Case):
    def test_matvec(self) -> None:
        M, v = self.floats(5, 7), self.floats(7)
        for f in (matvec(fp32, 5, 7), matvec(np.float32, *sizes("I, K"))):
            self.assertClose(f(M, v), M @ v)
        with self.assertRaises(ricci.ArgumentError):
            matvec(fp32, 5, 8)(M, v)

    def test_stencil(self) -> None:
        N, = sizes("N")

        @mdh(out(y=Buffer[fp32, [N]], d=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N + 2]]))
        def jacobi():
            def f(out, inp, i):
                out['y'] = (inp['x', 1] + inp['x', 2] + inp['x', 3]) / 3.0
                out['d'] = where((i % 2 == 0) & ~(inp['x', 2] < 0.5), np.sqrt(inp['x', 2]), np.maximum(-inp['x', 1], -0.25)) ** 2

            return out_view[fp32, fp32](y=[lambda i: i], d=[lambda i: i])(
                md_hom[N](f, (CC,))(inp_view[fp32](x=[lambda i: i, lambda i: i + 1, lambda i: i + 2])))

        x = self.floats(12)
        y, d = jacobi(x)
        self.assertClose(y, (x[:-2] + x[1:-1] + x[2:]) / 3)
        i = np.arange(10)
        self.assertClose(d, np.where((i % 2 == 0) & (x[1:-1] >= 0.5), x[1:-1], np.maximum(-x[:-2], -0.25) ** 2))

    def test_own_operators(self) -> None:
        I, J = sizes("I, J")

        @mdh(out(best=Buffer[fp64, [I]], at=Buffer[int32, [I]]), inp(x=Buffer[fp64, [I, J]]))
        def largest():
            def f(out, inp, i, j):
                out['best'] = inp['x']
                out['at'] = int32(j)

            def later(res, lhs, rhs):
                take = (rhs['best'] > lhs['best']) | (rhs['best'] == lhs['best']) & (rhs['at'] < lhs['at'])
                res['best'] = where(take, rhs['best'], lhs['best'])
                res['at'] = where(take, rhs['at'], lhs['at'])

            return (
                out_view[fp64, int32](best=[lambda i, j: i], at=[lambda i, j: i]),
                md_hom[I, J](f, (CC, PW(later))),
                inp_view[fp64](x=[lambda i, j: (i, j)]))

        x = self.random.integers(0, 4, (6, 9)).astype(np.float64)
        best, at = largest(x)
        np.testing.assert_array_equal(best, x.max(1))
        np.testing.assert_array_equal(at, x.argmax(1))

    def test_prefix_sums(self) -> None:
        N, = sizes("N")

        @mdh(out(y=Buffer[int32, [N]]), inp(x=Buffer[int32, [N]]))
        def scan():
            def f(out, inp):
                out['y'] = inp['x']

            def plus(res, lhs, rhs):
                res['y'] = lhs['y'] + rhs['y']

            return out_view[int32](y=[lambda i: i]), md_hom[N](f, (PS(plus),)), inp_view[int32](x=[lambda i: i])

        np.testing.assert_array_equal(scan(np.arange(9, dtype=np.int32)), np.arange(9).cumsum())

    def test_what_cannot_be_traced(self) -> None:
        """Each error points at the line of the function."""

        def if_of_a_value(out, inp):
            if inp['x'] > 0:  # HERE
                out['y'] = inp['x']

        def python_max(out, inp):
            out['y'] = max(inp['x'], inp['x'])  # HERE

        def function_of_math(out, inp):
            out['y'] = math.sqrt(inp['x'])  # HERE

        def unknown_input(out, inp):
            out['y'] = inp['z']  # HERE

        def unknown_output(out, inp):
            out['z'] = inp['x']  # HERE

        def two_types(out, inp):
            out['y'] = inp['x'] * inp['k']  # HERE

        def quotient_of_integers(out, inp):
            out['y'] = fp32(inp['k'] / 2)  # HERE

        def wrong_name(out, inp):
            out['y'] = inp['x'] + undefined  # noqa: F821 HERE

        def an_array(out, inp):
            out['y'] = inp['x'] * np.ones(3)  # HERE

        def no_value(out, inp):  # HERE
            inp['x'] + 1

        def loop(out, inp):
            for k in range(inp['k']):  # HERE
                out['y'] = inp['x']

        N, = sizes("N")
        cases = [if_of_a_value, python_max, function_of_math, unknown_input, unknown_output, two_types, quotient_of_integers, wrong_name, an_array, no_value, loop]
        for body in cases:
            with self.assertRaises(ricci.ProgramError, msg=body.__name__) as caught:

                @mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]], k=Buffer[int32, [N]]))
                def wrong():
                    return out_view[fp32](y=[lambda i: i]), md_hom[N](body, (CC,)), inp_view[fp32, int32](x=[lambda i: i], k=[lambda i: i])

            with open(__file__) as f:
                line = f.read().split("\n")[caught.exception.lineno - 1]
            self.assertIn("HERE", line, f"{body.__name__}: {caught.exception}")
            self.assertIn("^^", str(caught.exception))

    def test_parts_that_do_not_fit(self) -> None:
        N, = sizes("N")

        def f(out, inp):
            out['y'] = inp['x']

        def refused(body, message):
            with self.assertRaisesRegex(ricci.ProgramError, message):
                mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]]))(body)

        view_out, view_inp = out_view[fp32](y=[lambda i: i]), inp_view[fp32](x=[lambda i: i])
        refused(lambda: None, "no out_view")
        refused(lambda: (view_out, md_hom[N](f, (CC, CC)), view_inp), "1 dimension and 2 combine operators")
        refused(lambda: (view_out, md_hom[N](f, (sum,)), view_inp), "no combine operator")
        refused(lambda: (out_view[fp64](y=[lambda i: i]), md_hom[N](f, (CC,)), view_inp), "declared as float32")
        refused(lambda: (view_out, md_hom[N](f, (CC,)), inp_view[fp32](z=[lambda i: i])), "does not declare")
        refused(lambda: (view_out, md_hom[N](f, (CC,)), inp_view[fp32](x=[lambda i, j: i])), "2 parameters")
        refused(lambda: (view_out, md_hom[N](f, (CC,)), inp_view[fp32](x=[lambda i: (i, i)])), "2 subscripts")
        refused(lambda: (view_out, md_hom[N](f, (CC,)), inp_view[fp32](x=[lambda i: i + 1])), "E10|E0")

    def test_warnings(self) -> None:
        N, = sizes("N")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]], z=Buffer[fp32, [N]]))(
                lambda: (out_view[fp32](y=[lambda i: i]), md_hom[N](lambda out, inp: out.__setitem__('y', inp['x']), (CC,)),
                         inp_view[fp32, fp32](x=[lambda i: i], z=[lambda i: i])))
        self.assertIn("E1015", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)


if __name__ == "__main__":
    unittest.main()
