"""einsum: a part of NumPy's own tests (numpy_einsum.py runs all), drawn contractions, and what is Ricci's own."""

import unittest

import numpy_einsum
from support import Case, np, ricci

# Few kernels, and every part of einsum: errors, views, paths, orders, broadcasting, types.
_PART = {
    "test_einsum_errors", "test_einsum_views", "test_output_order", "test_path_type_input_invalid", "test_path_type_input_internal_trace",
    "test_small_boolean_arrays", "test_einsum_fixed_collapsingbug", "test_combined_views_mapping", "test_subscript_range", "test_spaces", "test_out_is_res",
    "test_overlap", "test_different_paths[b]", "test_einsum_all_contig_non_contig_output",
}


class TestNumPy(unittest.TestCase):
    def test_part(self) -> None:
        try:
            count, failed = numpy_einsum.run(lambda name: name in _PART)
        except ImportError as e:
            self.skipTest(str(e))
        self.assertEqual([], failed, "\n".join(trace for _, trace in failed))
        self.assertGreaterEqual(count, 10)


class TestEinsum(Case):
    def test_drawn(self) -> None:
        """Random subscripts, sizes of 1 among them, in arrays of random layout."""
        for seed in range(12):
            r = np.random.default_rng(seed)
            sizes = {c: int(r.integers(1, 5)) for c in "abcd"}
            terms = ["".join(r.choice(list("abcd"), r.integers(0, 4))) for _ in range(r.integers(1, 4))]
            letters = sorted(set("".join(terms)))
            output = "".join(r.permutation([c for c in letters if r.random() < 0.5]))
            operands = []
            for term in terms:
                once = {c: 1 if r.random() < 0.15 else sizes[c] for c in term}
                axes = r.permutation(len(term))
                x = r.integers(-3, 4, [once[term[k]] for k in axes]).astype("int64")
                operands.append(x.transpose(np.argsort(axes)))
            text = ",".join(terms) + "->" + output
            want = np.einsum(text, *operands)
            got = ricci.einsum(text, *operands)
            np.testing.assert_array_equal(got, want, err_msg=text)
            self.assertEqual((got.dtype, np.shape(got)), (want.dtype, np.shape(want)))

    def test_types(self) -> None:
        a = np.ones((2, 2), np.complex64)
        with self.assertRaisesRegex(TypeError, "complex64.*fallback"):
            ricci.einsum("ij,jk", a, a)
        np.testing.assert_array_equal(ricci.einsum("ij,jk", a, a, fallback="numpy"), a @ a)
        with self.assertRaises(ValueError):
            ricci.einsum("ij,jk", a, a, fallback="jax")
        mixed = ricci.einsum("i,i->i", np.arange(3, dtype=np.int8), np.ones(3, np.float32))
        self.assertEqual(mixed.dtype, np.float32)
        swapped = np.arange(3, dtype=">f8")
        np.testing.assert_array_equal(ricci.einsum("i,i->i", swapped, swapped), [0, 1, 4])
        with self.assertRaisesRegex(TypeError, "casting"):
            ricci.einsum("i,i->i", swapped, swapped, dtype="float32")

    def test_arrays_of_other_kinds(self) -> None:
        from test_dlpack import Tensor

        a, b = self.floats(3, 4), self.floats(4, 2)
        for _ in range(2):
            self.assertClose(ricci.einsum("ij,jk", Tensor(a), Tensor(b)), a @ b)
            unaligned = np.zeros(4 * 12 + 1, np.uint8)[1:].view(np.float32).reshape(3, 4)
            unaligned[...] = a
            self.assertClose(ricci.einsum("ij,jk", a, b), a @ b)
            self.assertClose(ricci.einsum("ij,jk", unaligned, b), a @ b)
            with self.assertRaises(TypeError):
                ricci.einsum("ij,jk", a, b, optimize="fast")
        with self.assertRaisesRegex(TypeError, "bfloat16"):
            ricci.einsum("i->", Tensor(np.zeros(3, np.uint16), code=4))

    def test_an_ellipsis_beside_the_last_letters(self) -> None:
        a = self.random.integers(0, 9, (3, 3, 3))
        for text in ("z...->z...", "...z->z...", "zz...->...", "y...z->...zy", "...z->...", "z...,Z...->Zz..."):
            operands = [a] * (1 + text.count(","))
            np.testing.assert_array_equal(ricci.einsum(text, *operands), np.einsum(text, *operands), text)

    def test_nothing(self) -> None:
        np.testing.assert_array_equal(ricci.einsum("ij,jk", np.ones((2, 0)), np.ones((0, 3))), np.zeros((2, 3)))
        self.assertEqual(ricci.einsum("ij,jk", np.ones((0, 2)), np.ones((2, 3))).shape, (0, 3))
        out = np.ones((2, 3))
        self.assertIs(ricci.einsum("ij,jk", np.ones((2, 0)), np.ones((0, 3)), out=out), out)
        self.assertFalse(out.any())


if __name__ == "__main__":
    unittest.main()
