"""What the notation has beyond Listing 5 of the paper: records, tables, operators, compositions."""

import functools
import operator
import unittest

from support import Case, np, ricci

from ricci.mdh import (
    CC, PS, PW, Buffer, Record, Table, fp32, fp64, index, inp, inp_view, int32, int64, iterate, md_hom, mdh, minimum, op, out, out_view, sizes, undefined,
    where,
)

I, J, K, N, H, W = sizes("I J K N H W")

# What is computed here is small: the evaluator is quicker than a C compiler.
mdh = functools.partial(mdh, options=ricci.Options(device="evaluator"))


class TestRecords(Case):
    def test_record_linkage(self) -> None:
        """Figure 16's PRL, in small: new entries beside a registry."""
        Person = Record("Person", given=int32, year=int32)
        Match = Record("Match", weight=fp32, entry=int64)

        def field(a, b, agree, differ):
            return where((a == 0) | (b == 0), fp32(0), where(a == b, agree, differ))

        def better(res, lhs, rhs):
            l, r = lhs['M'], rhs['M']
            res['M'] = where((l.weight > r.weight) | ((l.weight == r.weight) & (l.entry <= r.entry)), l, r)

        @mdh(out(M=Buffer[Match, [I]]), inp(N=Buffer[Person, [I]], E=Buffer[Person, [J]]))
        def prl():
            def weight(out, inp, i, j):
                n, e = inp['N'], inp['E']
                out['M'] = Match(field(n.given, e.given, 6.5, -3.25) + field(n['year'], e['year'], 5.5, -4.5), entry=j)

            return (out_view[Match](M=lambda i, j: i), md_hom[I, J](weight, (CC, PW(better))),
                    inp_view[Person, Person](N=lambda i, j: i, E=lambda i, j: j))

        new, known = np.zeros(5, Person.dtype), np.zeros(9, Person.dtype)
        for a in (new, known):
            a["given"], a["year"] = self.random.integers(0, 4, a.shape), self.random.integers(0, 3, a.shape)

        def one(x, y, agree, differ):
            return np.where((x == 0) | (y == 0), 0, np.where(x == y, agree, differ))

        want = one(new["given"][:, None], known["given"], 6.5, -3.25) + one(new["year"][:, None], known["year"], 5.5, -4.5)
        for result in (prl(new, known), prl(N=new, E=known), prl(new["given"], new["year"], known["given"].copy(), known["year"]),
                       prl(new, known["given"], known["year"].copy())):
            np.testing.assert_array_equal(result.M_weight, want.max(1))
            np.testing.assert_array_equal(result.M_entry, want.argmax(1))
        with self.assertRaisesRegex(ricci.ArgumentError, "no field 'year'"):
            prl(new[["given"]], known)
        with self.assertRaisesRegex(ricci.ArgumentError, "buffer of records"):
            prl(N=new["given"], E=known)

    def test_operators_with_laws(self) -> None:
        """Mean and variance by merging (Chan), whose laws hold up to rounding."""
        Statistics = Record("Statistics", n=fp64, mean=fp64, squares=fp64)

        @op(identity=Statistics(0, 0, 0), assume=("associative", "commutative", "neutral"))
        def merge(res, lhs, rhs):
            l, r = lhs['S'], rhs['S']
            n, d = l.n + r.n, r.mean - l.mean
            res['S'] = where(n == 0, l, Statistics(n, l.mean + d * r.n / n, l.squares + r.squares + d * d * l.n * r.n / n))

        @mdh(out(S=Buffer[Statistics]), inp(x=Buffer[fp64, [N]]))
        def statistics():
            def of_one(out, inp):
                out['S'] = Statistics(1, inp['x'], 0)

            return out_view[Statistics](S=lambda i: ()), md_hom[N](of_one, (PW(merge),)), inp_view[fp64](x=lambda i: i)

        x = self.random.random(1000)
        n, mean, squares = statistics(x)
        np.testing.assert_allclose([n, mean, squares], [1000, x.mean(), x.var() * 1000])
        self.assertIn("identity Statistics(0, 0, 0) assume associative, commutative, neutral", statistics.text)

    def test_records_are_no_numbers(self) -> None:
        Pair = Record("Pair", a=fp32, b=fp32)
        cases = {
            "takes scalars": lambda x: x + x,
            "no field c": lambda x: x.c,
            "each is given once": lambda x: Pair(x.a),
            "Pair.a is float32": lambda x: Pair(fp64(x.a), x.b),
        }
        for message, f in cases.items():
            def body(out, inp):
                out['y'] = f(inp['x'])

            with self.assertRaisesRegex(ricci.ProgramError, message):
                mdh(out(y=Buffer[Pair, [N]]), inp(x=Buffer[Pair, [N]]))(
                    lambda: (out_view[Pair](y=lambda i: i), md_hom[N](body, CC), inp_view[Pair](x=lambda i: i)))


class TestScalarFunctions(Case):
    def test_what_is_used_twice_is_written_once(self) -> None:
        @mdh(out(y=Buffer[fp64, [N]]), inp(x=Buffer[fp64, [N]]))
        def squares():
            def f(out, inp):
                x = inp['x'] / 2
                for _ in range(40):  # 2^40 operations as a tree
                    x = (x * x + x) * 0.5 + x * 0.25
                out['y'] = x

            return out_view[fp64](y=lambda i: i), md_hom[N](f, CC), inp_view[fp64](x=lambda i: i)

        x = self.random.random(7)
        want = x / 2
        for _ in range(40):
            want = (want * want + want) * 0.5 + want * 0.25
        np.testing.assert_allclose(squares(x), want)
        self.assertLess(len(squares.text), 4000)

    def test_a_long_sum_is_taken_apart(self) -> None:
        @mdh(out(y=Buffer[fp64, [N]]), inp(x=Buffer[fp64, [N]]))
        def long():
            def f(out, inp):
                s = inp['x']
                for k in range(500):
                    s = s + inp['x'] * k
                out['y'] = s

            return out_view[fp64](y=lambda i: i), md_hom[N](f, CC), inp_view[fp64](x=lambda i: i)

        np.testing.assert_allclose(long(np.arange(3.0)), np.arange(3.0) * (1 + 499 * 500 / 2))

    def test_elements_that_are_not_there_are_not_used(self) -> None:
        """A value that is used in one case alone may be of elements that do not exist in the other."""
        @mdh(out(y=Buffer[fp64, [N]]), inp(x=Buffer[fp64, [N]]))
        def differences():
            def f(out, inp, i):
                d = inp['x', 1] - inp['x', 2]
                out['y'] = where(i > 0, (d * d + d) * (d + 1), inp['x', 1])

            return out_view[fp64](y=lambda i: i), md_hom[N](f, CC), inp_view[fp64](x=[lambda i: i, lambda i: i - 1])

        x = self.random.random(6)
        d = x[1:] - x[:-1]
        np.testing.assert_allclose(differences(x), np.concatenate([x[:1], (d * d + d) * (d + 1)]))

    def test_names_stand_in_the_branch_that_needs_them(self) -> None:
        @mdh(out(y=Buffer[fp64, [N]]), inp(x=Buffer[fp64, [N]]))
        def halves():
            def f(out, inp, i):
                x = inp['x']
                common = ((x + 1) * (x + 2) + 3) * (x + 4)
                once = common
                for k in range(60):
                    once = (once + k) * 0.5 + x
                out['y'] = where(x < 0.5, where(x < 0.25, once * once, common), common * once)

            return out_view[fp64](y=lambda i: i), md_hom[N](f, CC), inp_view[fp64](x=lambda i: i)

        x = self.random.random(50)
        once = common = ((x + 1) * (x + 2) + 3) * (x + 4)
        for k in range(60):
            once = (once + k) * 0.5 + x
        np.testing.assert_allclose(halves(x), np.where(x < 0.5, np.where(x < 0.25, once * once, common), common * once))
        self.assertRegex(halves.text, r"(?s)-> let t\d+ = \(\(x \+ 1\).*; if x < 0.5")

    def test_iteration(self) -> None:
        @mdh(out(n=Buffer[int32, [H, W]]), inp())
        def mandelbrot():
            def escape(out, inp, i, j):
                re = fp32(-2.25) + 3 * (fp32(j) + 0.5) / fp32(W)
                im = fp32(-1.25) + 2.5 * (fp32(i) + 0.5) / fp32(H)
                x, y, n = iterate(32, (fp32(0), fp32(0), int32(0)), lambda x, y, n: (x * x - y * y + re, 2 * x * y + im, n + 1),
                                  while_=lambda x, y, n: x * x + y * y <= 4)
                out['n'] = n

            return out_view[int32](n=lambda i, j: (i, j)), md_hom[H, W](escape, (CC, CC)), inp_view[()]()

        np.testing.assert_array_equal(mandelbrot(H=5, W=8), [
            [1, 2, 3, 3, 4, 8, 4, 2], [1, 3, 4, 5, 18, 32, 32, 4], [1, 32, 32, 32, 32, 32, 32, 4], [1, 3, 4, 5, 18, 32, 32, 4], [1, 2, 3, 3, 4, 8, 4, 2]])

    def test_nested_iterations(self) -> None:
        @mdh(out(y=Buffer[int64, [N]]), inp(x=Buffer[int64, [N]]))
        def nested():
            def f(out, inp):
                out['y'] = iterate(3, inp['x'], lambda s: iterate(2, int64(0), lambda t: t + s + 1) + s) + iterate(2, int64(1), lambda s: s * inp['x'])

            return out_view[int64](y=lambda i: i), md_hom[N](f, CC), inp_view[int64](x=lambda i: i)

        x = np.arange(5)
        s = x
        for _ in range(3):
            s = 2 * (s + 1) + s
        np.testing.assert_array_equal(nested(x), s + x * x)

    def test_signs_and_names(self) -> None:
        x, y = self.floats(6) + 1, self.floats(6) + 1
        for f, want in (("*", x * y), (operator.truediv, x / y), (np.maximum, np.maximum(x, y)), (np.hypot, np.hypot(x, y)), ("atan2", np.arctan2(x, y))):
            g = mdh(out(z=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]], y=Buffer[fp32, [N]]))(
                lambda: (out_view[fp32](z=lambda i: i), md_hom[N](f, CC), inp_view[fp32, fp32](x=lambda i: i, y=lambda i: i)))
            self.assertClose(g(x, y), want)


    def test_parameters_with_a_value_are_none(self) -> None:
        """As in functions that a loop makes."""
        @mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N + 2]]))
        def shifted():
            def f(out, inp, factor=2):
                out['y'] = (inp['x', 1] + inp['x', 2]) * factor

            return out_view[fp32](y=lambda i: i), md_hom[N](f, CC), inp_view[fp32](x=[(lambda i, k=k: i + k) for k in (0, 2)])

        x = self.floats(6)
        self.assertClose(shifted(x), 2 * (x[:-2] + x[2:]))

    def test_functions_of_all_kinds(self) -> None:
        class Twice:
            def __call__(self, out, inp):
                out['y'] = inp['x'] * 2

        x = self.floats(3)
        for f in (Twice(), functools.partial(lambda k, out, inp: out.__setitem__('y', inp['x'] * k), 2)):
            g = mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]]))(
                lambda: (out_view[fp32](y=lambda i: i), md_hom[N](f, CC), inp_view[fp32](x=lambda i: i)))
            self.assertClose(g(x), 2 * x)

    def test_nonsense(self) -> None:
        def endless(out, inp):
            return endless(out, inp)

        def made(f):
            return mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N]]))(
                lambda: (out_view[fp32](y=lambda i: i), md_hom[N](f, CC), inp_view[fp32](x=lambda i: i)))

        for message, f in (
            ("calls itself without end", lambda: made(endless)), ("no scalar function", lambda: made(3)), ("2 operands|1 operand", lambda: made(np.add)),
            ("E1002", lambda: made("nothing")), ("mdh takes out", lambda: mdh(3)), ("no type of elements", lambda: Buffer["foo", [N]]),
            ("lists of equal lengths", lambda: Table([[1, 2], [3]])), ("lists of equal lengths", lambda: Table([])), ("is no size", lambda: Buffer[fp32, [2.5]]),
            ("no name of a record", lambda: Record("a b", x=fp32)), ("fields are scalars", lambda: Record("R", x=Record("S", y=fp32))),
        ):
            with self.assertRaisesRegex(ricci.Error, message):
                f()


class TestTables(Case):
    def test_stencil_of_any_shape(self) -> None:
        star = Table([[0, 1], [1, 0], [1, 1], [1, 2], [2, 1]], name="star")
        weights = Table(np.float32([0.125, 0.125, 0.5, 0.125, 0.125]), name="weights")

        @mdh(out(y=Buffer[fp32, [H, W]]), inp(x=Buffer[fp32, [H + 2, W + 2]]))
        def five_points():
            def f(out, inp, i, j, k):
                out['y'] = weights[k] * inp['x']

            return (out_view[fp32](y=lambda i, j, k: (i, j)), md_hom[H, W, len(star)](f, (CC, CC, PW("+"))),
                    inp_view[fp32](x=lambda i, j, k: (i + star[k, 0], j + star[k][1])))

        x = self.floats(7, 9)
        self.assertClose(five_points(x), x[1:-1, 1:-1] * 0.5 + (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.125)
        self.assertIn("const star = [[0, 1], [1, 0]", five_points.text)

    def test_index_sets(self) -> None:
        for taps in ({0, 1, 4, 9}, Table([0, 1, 4, 9], name="w")):  # a name that an input has
            @mdh(out(y=Buffer[fp32, [N]]), inp(x=Buffer[fp32, [N + 9]], w=Buffer[fp32, [10]]))
            def dilated():
                return (out_view[fp32](y=lambda i, k: i), md_hom[N, taps]("*", (CC, PW("+"))),
                        inp_view[fp32, fp32](x=lambda i, k: i + k, w=lambda i, k: k))

            x, w = self.floats(15), self.floats(10)
            self.assertClose(dilated(x, w), sum(x[k:k + 6] * w[k] for k in (0, 1, 4, 9)))

    def test_where_results_go(self) -> None:
        swapped = Table([2, 1, 0])

        @mdh(out(bgr=Buffer[np.uint8, [N, 3]]), inp(rgb=Buffer[np.uint8, [N, 3]]))
        def bgr():
            return (out_view[np.uint8](bgr=lambda i, c: (i, swapped[c])), md_hom[N, 3]("id", (CC, CC)), inp_view[np.uint8](rgb=lambda i, c: (i, c)))

        x = self.random.integers(0, 256, (4, 3)).astype(np.uint8)
        np.testing.assert_array_equal(bgr(x), x[:, ::-1])
        self.assertEqual(swapped[0], 2)


class TestCombineOperators(Case):
    def test_several_results(self) -> None:
        @mdh(out(total=Buffer[fp64], most=Buffer[fp64]), inp(x=Buffer[fp64, [N]]))
        def both():
            def twice(out, inp):
                out['total'] = out['most'] = inp['x']

            return out_view[fp64, fp64](total=lambda i: (), most=lambda i: ()), md_hom[N](twice, (PW("+", max),)), inp_view[fp64](x=lambda i: i)

        x = self.random.random(100)
        np.testing.assert_allclose(both(x), [x.sum(), x.max()])

        @mdh(out(value=Buffer[fp64], place=Buffer[int64]), inp(x=Buffer[fp64, [N]]))
        def least():
            def f(out, inp, i):
                out['value'], out['place'] = inp['x'], i

            return out_view[fp64, int64](value=lambda i: (), place=lambda i: ()), md_hom[N](f, PW("argmin")), inp_view[fp64](x=lambda i: i)

        self.assertEqual(tuple(map(float, least(x))), (x.min(), x.argmin()))

    def test_several_index_functions(self) -> None:
        @mdh(out(y=Buffer[fp64, [2 * N]]), inp(x=Buffer[fp64, [N, K]]))
        def sums():
            def f(out, inp):
                out['y', 1], out['y', 2] = inp['x'], -inp['x']

            def each(res, lhs, rhs):
                res['y', 1] = lhs['y', 1] + rhs['y', 1]
                res['y', 2] = minimum(lhs['y', 2], rhs['y', 2])

            return (out_view[fp64](y=[lambda i, k: 2 * i, lambda i, k: 2 * i + 1]), md_hom[N, K](f, (CC, PW(each))),
                    inp_view[fp64](x=lambda i, k: (i, k)))

        x = self.random.random((4, 5))
        np.testing.assert_allclose(sums(x), np.stack([x.sum(1), -x.max(1)], 1).ravel())

    def test_index_set_functions(self) -> None:
        @mdh(out(y=Buffer[fp32, [N, 3]]), inp(x=Buffer[fp32, [4 * N, 3]]))
        def pool():
            return (out_view[fp32](y=lambda i, c: (i, c)), md_hom[4 * N, 3]("id", (PW(np.maximum).at(lambda i: i // 4), CC)),
                    inp_view[fp32](x=lambda i, c: (i, c)))

        x = self.floats(12, 3)
        self.assertClose(pool(x), x.reshape(3, 4, 3).max(1))

    def test_inputs_that_are_taken_apart(self) -> None:
        """Definition 26: the differences of prefix sums are squared and summed again."""
        @mdh(out(y=Buffer[fp64, [N]]), inp(x=Buffer[fp64, [N]]))
        def squares():
            def f(out, inp):
                out['y'] = inp['x'] ** 2

            return out_view[fp64](y=lambda i: i), md_hom[N]((PS("+"),), f, (PS("+"),)), inp_view[fp64](x=lambda i: i)

        self.assertEqual(squares(np.array([1.0, 3, 6])).tolist(), [1, 5, 14])

    def test_order(self) -> None:
        """An ordered operator makes one step of its left operand."""
        @op(ordered=True)
        def horner(res, lhs, rhs):
            res['p'] = lhs['p'] * 2 + rhs['p']

        @mdh(out(p=Buffer[int64]), inp(digits=Buffer[int64, [N]]))
        def binary():
            return out_view[int64](p=lambda i: ()), md_hom[N]("id", PW(horner)), inp_view[int64](digits=lambda i: i)

        self.assertEqual(int(binary(np.array([1, 0, 1, 1]))), 11)

        def halves(res, lhs, rhs):
            res['p'] = lhs['p'] - rhs['p']

        with self.assertRaisesRegex(ricci.ProgramError, r"(?s)res\['p'\]|def halves.*E10"):
            mdh(out(p=Buffer[int64]), inp(digits=Buffer[int64, [N]]))(
                lambda: (out_view[int64](p=lambda i: ()), md_hom[N]("id", PW(halves)), inp_view[int64](digits=lambda i: i)))

    def test_cells_that_no_point_writes(self) -> None:
        def spread(**said):
            return mdh(out(y=Buffer[fp32, [2 * N - 1]]), inp(x=Buffer[fp32, [N]]))(
                lambda: (out_view[fp32](y=index(lambda i: 2 * i, **said)), md_hom[N]("id", CC), inp_view[fp32](x=lambda i: i)))

        x = self.floats(4)
        self.assertClose(spread(fill=-1)(x), [x[0], -1, x[1], -1, x[2], -1, x[3]])
        self.assertClose(spread(fill=undefined)(x)[::2], x)
        with self.assertRaisesRegex(ricci.ProgramError, "E10"):
            spread()


def matmul(T, I, J, K):
    @mdh(out(C=Buffer[T, [I, J]]), inp(A=Buffer[T, [I, K]], B=Buffer[T, [K, J]]))
    def matmul():
        return (out_view[T](C=lambda i, j, k: (i, j)), md_hom[I, J, K]("*", (CC, CC, PW("+"))),
                inp_view[T, T](A=lambda i, j, k: (i, k), B=lambda i, j, k: (k, j)))
    return matmul


def rows(T, f, name, I, J):
    """A value for each row."""
    def body():
        return out_view[T](r=lambda i, j: i), md_hom[I, J]("id", (CC, PW(f))), inp_view[T](x=lambda i, j: (i, j))
    body.__name__ = name
    return mdh(out(r=Buffer[T, [I]]), inp(x=Buffer[T, [I, J]]))(body)


def with_rows(T, f, name, I, J):
    """A function of an element and the value of its row."""
    def body():
        return (out_view[T](y=lambda i, j: (i, j)), md_hom[I, J](f, (CC, CC)), inp_view[T, T](x=lambda i, j: (i, j), r=lambda i, j: i))
    body.__name__ = name
    return mdh(out(y=Buffer[T, [I, J]]), inp(x=Buffer[T, [I, J]], r=Buffer[T, [I]]))(body)


class TestCompositions(Case):
    def test_attention(self) -> None:
        """A composition of compositions, generic in its type, with computations that have one name."""
        M, E, D = sizes("M E D")

        def attention(T):
            def power(out, inp):
                out['y'] = np.exp(inp['x'] - inp['r'])

            @mdh(out(P=Buffer[T, [I, J]]), inp(S=Buffer[T, [I, J]]))
            def softmax(S):
                p = with_rows(T, power, "map", I, J)(S, rows(T, max, "fold", I, J)(S))
                return with_rows(T, "/", "map", I, J)(p, rows(T, "+", "fold", I, J)(p))

            @mdh(out(S=Buffer[T, [I, J]]), inp(Q=Buffer[T, [I, E]], K=Buffer[T, [J, E]]))
            def scores():
                return (out_view[T](S=lambda i, j, e: (i, j)), md_hom[I, J, E]("*", (CC, CC, PW("+"))),
                        inp_view[T, T](Q=lambda i, j, e: (i, e), K=lambda i, j, e: (j, e)))

            @mdh(out(O=Buffer[T, [N, D]]), inp(Q=Buffer[T, [N, E]], K=Buffer[T, [M, E]], V=Buffer[T, [M, D]]))
            def attention(Q, K, V):
                return matmul(T, I, J, K_)(softmax(scores(Q, K)), V)

            return attention

        K_ = K
        for T in (fp32, fp64):
            f = attention(T)
            dtype = {"float32": np.float32, "float64": np.float64}[T.name]
            Q, K1, V = (self.random.random(s).astype(dtype) for s in ((5, 3), (7, 3), (7, 4)))
            p = np.exp(Q @ K1.T)
            np.testing.assert_allclose(f(Q, K1, V), p / p.sum(1, keepdims=True) @ V, rtol=1e-5)
            self.assertIn("map_2", f.text)

    def test_conjugate_gradients(self) -> None:
        """Buffers that are updated in place, numbers, several outputs."""
        def axpy_of(out, inp):
            out['y'] = inp['a'] * inp['x'] + inp['y']

        @mdh(out(y=Buffer[fp64, [N]]), inp(a=Buffer[fp64], x=Buffer[fp64, [N]], y=Buffer[fp64, [N]]))
        def axpy():
            return out_view[fp64](y=lambda i: i), md_hom[N](axpy_of, CC), inp_view[fp64, fp64, fp64](a=lambda i: (), x=lambda i: i, y=lambda i: i)

        @mdh(out(s=Buffer[fp64]), inp(x=Buffer[fp64, [N]], y=Buffer[fp64, [N]]))
        def dot():
            return out_view[fp64](s=lambda i: ()), md_hom[N]("*", PW("+")), inp_view[fp64, fp64](x=lambda i: i, y=lambda i: i)

        @mdh(out(w=Buffer[fp64, [I]]), inp(M=Buffer[fp64, [I, K]], v=Buffer[fp64, [K]]))
        def matvec():
            return out_view[fp64](w=lambda i, k: i), md_hom[I, K]("*", (CC, PW("+"))), inp_view[fp64, fp64](M=lambda i, k: (i, k), v=lambda i, k: k)

        @mdh(out(step=Buffer[fp64], back=Buffer[fp64]), inp(b=Buffer[fp64], c=Buffer[fp64]))
        def steps():
            def f(out, inp):
                out['step'], out['back'] = inp['b'] / inp['c'], -inp['b'] / inp['c']

            return out_view[fp64, fp64](step=lambda: (), back=lambda: ()), md_hom[()](f, ()), inp_view[fp64, fp64](b=lambda: (), c=lambda: ())

        @mdh(out(x=Buffer[fp64, [N]], r=Buffer[fp64, [N]]), inp(A=Buffer[fp64, [N, N]], x=Buffer[fp64, [N]], r=Buffer[fp64, [N]], p=Buffer[fp64, [N]]))
        def step(A, x, r, p):
            q = matvec(A, p)
            step, back = steps(dot(r, r), dot(p, q))
            x = axpy(step, p, x)
            return x, axpy(0.5, q, axpy(back, q, r))

        A = np.diag([2.0, 3, 4])
        x, r = np.zeros(3), np.array([2.0, 4, 1])
        p = r.copy()
        q = A @ p
        a = r @ r / (p @ q)
        want = x + a * p, r - a * q + 0.5 * q
        got = step(A, p, x, r)  # what is updated stands behind the inputs
        np.testing.assert_allclose(got, want)
        self.assertIs(got.x, x)
        self.assertRegex(step.text, r"(?m)^    r := axpy\(back, w, r\);$")

    def test_refused(self) -> None:
        """Errors are at the line of the step."""
        mm, fp64_mm = matmul(fp32, I, J, K), matmul(fp64, I, J, K)
        A = np.ones((2, 2), np.float32)

        def rank(X, Y):
            return mm(X, rows(fp32, "+", "sums", I, J)(Y))  # HERE

        def kind(X, Y):
            return fp64_mm(X, Y)  # HERE

        def missing(X, Y):
            return mm(X)  # HERE

        def array(X, Y):
            return mm(X, A)  # HERE

        def number(X, Y):
            return mm(X, Y + 1)  # HERE

        def unknown_size(X, Y):
            return mm(X, Y, P=3)  # HERE

        def extents(X, Y):
            return mm(mm(X, Y, I=3, J=4, K=5), Y)  # HERE

        def same(X, Y):  # HERE
            return X

        def two(X, Y):  # HERE
            return mm(X, Y), mm(Y, X)

        for body in (rank, kind, missing, array, number, unknown_size, extents, same, two):
            with self.assertRaises(ricci.ProgramError, msg=body.__name__) as caught:
                mdh(out(Z=Buffer[fp32, [I, J]]), inp(X=Buffer[fp32, [I, K]], Y=Buffer[fp32, [K, J]]))(body)
            with open(__file__) as f:
                line = f.read().split("\n")[caught.exception.lineno - 1]
            self.assertIn("HERE", line, f"{body.__name__}: {caught.exception}")

    def test_what_is_updated_is_read_no_more(self) -> None:
        @mdh(out(y=Buffer[fp64, [N]]), inp(y=Buffer[fp64, [N]]))
        def double():
            def f(out, inp):
                out['y'] = inp['y'] * 2

            return out_view[fp64](y=lambda i: i), md_hom[N](f, CC), inp_view[fp64](y=lambda i: i)

        with self.assertRaisesRegex(ricci.ProgramError, "what it was is read here"):
            @mdh(out(y=Buffer[fp64, [N]], z=Buffer[fp64, [N]]), inp(y=Buffer[fp64, [N]]))
            def wrong(y):
                twice = double(y)
                return twice, double(y)


if __name__ == "__main__":
    unittest.main()
