package schedule

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestGridsRefused has trees with groups that are legal, and in place of what is in brackets something that is not.
func TestGridsRefused(t *testing.T) {
	const rows = `
func rows {
  in X: float32[16, 40]
  temp s: float32[16]
  out Y: float32[16, 40]
  for i in 0:16, j in 0:40 reduce + { s[i] = X[i, j] }
  for i in 0:16, j in 0:40 { Y[i, j] = X[i, j] - s[i] }
}`
	const bytes = `
func bytes {
  in X: int8[16, 40]
  out s: int8[16]
  for i in 0:16, j in 0:40 reduce + { s[i] = X[i, j] }
}`
	const gather = `
func gather {
  in X: float32[16]
  in I: int32[16, 16]
  out Y: float32[16, 16]
  for i in 0:16, j in 0:16 { Y[i, j] = X![int64(I[i, j])] }
}`
	const first = `
func first {
  in X: float32[16, 40]
  out Y: float32[16]
  op first(a: float32 | b: float32) = (a) associative
  for i in 0:16, j in 0:40 reduce first { Y[i] = X[i, j] }
}`
	const open = `
func open {
  size N = dim 1 of X
  in X: float32[16, N]
  out Y: float32[16]
  for i in 0:16, j in 0:N reduce + { Y[i] = X[i, j] }
}`
	const between = `
func between {
  size N = dim 1 of X
  in X: float32[16, N]
  out Y: float32[16, N]
  for k in 0:4 reduce +, i in 0:16, j in 0:N scan +, l in 0:3 reduce + { Y[i, j] = X[i, j] }
}`
	const counts = `
func counts {
  in X: int32[16, 40]
  out H: int32[16]
  for v in 0:16, i in 0:16 reduce +, j in 0:40 reduce + { H[v] = X[i, j] == int32(v) ? 1i32 : 0i32 }
}`
	const atomic = "domain S0[v, i, j]\naccumulate S0 workspace\n  band S0.i groups\n    accumulate S0 local atomic\n      band S0.j items 8\n        band S0.v determined\n"
	const gathered = `
func gathered {
  in X: float32[16]
  in I: int32[16, 16]
  out Y: float32[16, 16]
  for i in 0:16, j in 0:16, k in 0:4 reduce + { Y[i, j] = X![int64(I[i, j])] }
}`
	const running = `
func running {
  in X: float32[16, 40]
  out Y: float32[16, 40]
  for i in 0:16, j in 0:40 scan + { Y[i, j] = X[i, j] }
}`
	const pieces = "domain S0[i, j]\naccumulate S0 workspace tree 4\n  band S0.j tile 16 groups | S0.i groups\n    accumulate S0 local shuffle 4\n      band S0.j tile 2 items 8\n        band S0.j\n"
	const twice = `
func twice {
  in X: float32[16, 40]
  out Y: float32[16]
  out Z: float32[16]
  for i in 0:16, j in 0:40 reduce + { Y[i] = X[i, j] }
  for i in 0:16, j in 0:40 reduce max { Z[i] = X[i, j] }
}`
	const again = "domain S0[i, j]; S1[i, j]\nband S0.i S1.i groups\n  sequence\n    filter S0\n      accumulate S0 local shuffle 8\n        band S0.j items 8\n    filter S1\n      accumulate S1 local shuffle 8\n        band S1.j items 8\n"
	const tested = `
func tested {
  in X: float32[16]
  in I: int32[16, 16]
  inout Y: float32[16]
  for i in 0:16, k in 0:16 reduce + { Y[i] = X![int64(I[i, k])] * Y[i] }
}`
	const looked = `
func looked {
  in X: float32[16, 8]
  in I: int32[16, 4]
  in B: bool[16]
  out Y: float32[16, 8]
  out Z: float32[16, 8]
  out V: float32[16, 8]
  for i in 0:16, j in 0:8, k in 0:4 reduce + { Y[i, j] = X![int64(I[i, k]), j] }
  for i in 0:16, j in 0:8 { Z[i, j] = X![int64(I[i, 0i64]), j] + X![int64(I[i, 1i64]), j] }
  for i in 0:16, j in 0:8 { V[i, j] = B[i] ? X![int64(I[i, 0i64]), j] : 0f32 }
}`
	const lookedUp = "domain S0[i, j, k]; S1[i, j]; S2[i, j]\nsequence\n  filter S0\n    band S0.i tile 4 groups\n      place I local\n        place X local gathered\n          band S0.i items 4 | S0.j\n            accumulate S0 register\n              band S0.k\n  filter S1\n    band S1.i tile 4 groups\n      place I local\n        band S1.i items 4 | S1.j\n  filter S2\n    band S2.i tile 4 groups\n      place I local\n        band S2.i items 4 | S2.j\n"
	const layer = `
func layer {
  in X: float32[16, 40]
  temp s: float32[16]
  temp e: float32[16, 40]
  out Y: float32[16, 40]
  out Z: float32[16, 40]
  for i in 0:16, j in 0:40 { e[i, j] = X[i, j] * 2f32 }
  for i in 0:16, j in 0:40 { Y[i, j] = e[i, j] + 1f32 }
  for i in 0:16, j in 0:40 { Z[i, j] = Y[i, 39i64 - j] }
}`
	const scaled = "func f {\n  in X: float32[16, 40]\n  temp s: float32[16]\n  out Y: float32[16]\n  for i in 0:16 { s[i] = X[i, 0i64] }\n  for i in 0:16, k in 0:40 reduce + { Y[i] = X[i, k] * s[i] }\n}"
	const doubled = "func doubled {\n  inout Y: float32[16, 40]\n  for i in 0:16, j in 0:40 { Y[i, j] = Y[i, j] * 2f32 }\n}"
	const layers = "domain S0[i, j]; S1[i, j]; S2[i, j]\nband S0.i S1.i S2.i tile 4 groups pad\n  place e register\n    sequence\n      filter S0\n        band S0.i tile 2 items 2 | S0.j items 8\n          band S0.i\n      filter S1\n        band S1.i tile 2 items 2 | S1.j items 8\n          band S1.i\n      filter S2\n        band S2.i items 2 | S2.j items 8\n"
	const both = "domain S0[i, j]; S1[i, j]\nband S0.i S1.i groups\n  sequence\n    filter S0\n      accumulate S0 register\n        band S0.j\n    filter S1\n      band S1.j items 8\n"
	const apart = "domain S0[i, j]; S1[i, j]\nsequence\n  filter S0\n    band S0.i tile 4 groups\n      band S0.i items 4\n        accumulate S0 register\n          band S0.j\n  filter S1\n    band S1.i groups | S1.j tile 8 groups\n      band S1.j items 8\n"
	const parts = "domain S0[i, j]; S1[i, j]\nsequence\n  filter S0\n    accumulate S0 workspace items 4 tree 8\n      band S0.j tile 8 groups | S0.i tile 4 groups\n        band S0.i items 4\n          accumulate S0 register\n            band S0.j\n  filter S1\n    band S1.i groups | S1.j tile 8 groups\n      band S1.j items 8\n"
	const teams = "domain S0[i, j]; S1[i, j]\nband S0.i S1.i tile 4 groups\n  sequence\n    filter S0\n      accumulate S0 local shuffle 8\n        band S0.i items 4 | S0.j items 8\n    filter S1\n      band S1.i items 4 | S1.j items 8\n"
	for _, test := range []struct{ f, tree, old, new, want string }{
		{running, pieces, "local shuffle 4", "local", ""},
		{running, pieces, "local shuffle 4\n      band S0.j tile 2 items 8", "register\n      band S0.j tile 2", ""},
		{running, pieces, "S0.j tile 2 items 8", "S0.j reverse tile 2 items 8", "the second may come first"},
		{running, pieces, "accumulate S0 workspace tree 4\n  band S0.j tile 16 groups | S0.i groups", "accumulate S0 shared\n  band S0.i groups", "the carries further up are in shared, expected in workspace"},
		{running, pieces, "local shuffle 4\n      band S0.j tile 2 items 8", "register\n      band S0.j tile 2 items 8", "reduced in any order, without a sequence"},
		{running, pieces, "      band S0.j tile 2 items 8\n        band S0.j\n", "      band S0.j tile 8\n        band S0.j items 8\n", "the loops over items are the first ones inside"},
		{rows, teams, "local shuffle 8", "local", ""},
		{counts, atomic, "local atomic", "local", ""},
		{rows, teams, "local shuffle 8", "local atomic", "S0 is no sum, minimum, maximum or operation on bits of int32 or uint32"},
		{counts, atomic, "local atomic", "local shuffle 8 atomic", "nothing to combine by shuffles; leave out 'shuffle 8'"},
		{counts, atomic, "band S0.j items 8\n        band S0.v determined", "band S0.v items 8 | S0.j items 4", "update one array: no loop over items is over results here"},
		{counts, atomic, "local atomic", "register atomic", "update one array of accumulators that is in local"},
		{rows, teams, "local shuffle 8", "local shuffle 4", ""},
		{rows, teams, "local shuffle 8", "local shuffle 16", ""},
		{rows, teams, "local shuffle 8", "local shuffle 2", "8 items reduce together, 4 times in a group: they are no part of sub-groups of 2"},
		{rows, teams, "local shuffle 8", "local shuffle 64", "they are no part of sub-groups of 64"},
		{rows, teams, "local shuffle 8", "local shuffle 6", "a sub-group has 6 items, expected a power of two"},
		{rows, teams, "local shuffle 8\n        band S0.i items 4 | S0.j items 8", "local shuffle 8\n        band S0.j items 8 | S0.i items 4", "stands before the loops over what is reduced"},
		{rows, teams, "local shuffle 8\n        band S0.i items 4 | S0.j items 8\n    filter S1\n      band S1.i items 4 | S1.j items 8", "local\n        band S0.j items 8 | S0.i items 4\n    filter S1\n      band S1.j items 8 | S1.i items 4", ""},
		{rows, teams, "band S0.i S1.i tile 4 groups", "band S0.i S1.i tile 8 groups", "an item has one result, or a block of those that no loop over items shares out"},
		{rows, both, "accumulate S0 register", "accumulate S0 register shuffle 8", "by shuffles what each has for itself, in local, or in workspace"},
		{rows, parts, "items 4 tree 8", "tree 8 shuffle 4", ""},
		{rows, parts, "items 4 tree 8", "items 4 tree 8 shuffle 4", "are apart by those of 4 results"},
		{twice, again, "S1 local shuffle 8", "S1 local shuffle 4", "the sub-groups of a launch have 4 items, and elsewhere in it 8"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups", "S0.i tile 4 groups | S0.j tile 8 groups", ""},
		{rows, parts, "items 4 tree 8", "items 64 tree 32", "has 2048 items, and at most 1024"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups", "S0.i tile 4 groups", "right above those over what S0 reduces"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups", "S0.j tile 8 | S0.i tile 4 groups", "right above those over what S0 reduces"},
		{rows, parts, "band S0.i items 4\n", "band S0.i items 4 | S0.j tile 2\n", "each group stores its part once, and \"S0.j tile 2\" would bring several"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups\n", "S0.j tile 8 groups | S0.i tile 4 groups | S0.j tile 2\n", "each group stores its part once"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups", "S0.j+1*i tile 8 groups | S0.i tile 4 groups", "is skewed, or in another place than its order: its groups have no parts"},
		{rows, parts, "          accumulate S0 register\n            band S0.j\n", "          band S0.j\n", "each group stores its part once"},
		{rows, parts, "S0.j tile 8 groups | S0.i tile 4 groups\n        band S0.i items 4\n          accumulate S0 register\n            band S0.j\n", "S0.j groups | S0.i tile 4 groups\n        band S0.i items 4\n", "when the accumulators inside of it end, and there are none"},
		{rows, both, "accumulate S0 register", "accumulate S0 register items 4", "a launch of its own combines the parts of groups"},
		{rows, both, "accumulate S0 register", "accumulate S0 workspace", "it stands outside of groups"},
		{first, "domain S0[i, j]\nband S0.i groups\n  accumulate S0 register\n    band S0.j\n", "band S0.i groups\n  accumulate S0 register\n    band S0.j", "accumulate S0 workspace\n  band S0.j groups | S0.i groups\n    accumulate S0 register", "groups combine their parts in an order of their own"},
		{open, "domain S0[i, j]\nband S0.i groups\n  accumulate S0 register\n    band S0.j\n", "band S0.i groups\n  accumulate S0 register\n    band S0.j", "accumulate S0 workspace\n  band S0.j tile 8 groups | S0.i groups\n    accumulate S0 register\n      band S0.j", "how many groups \"S0.j tile 8 groups\" has is not known; pad its blocks"},
		{between, "domain S0[k, i, j, l]\nband S0.i\n  accumulate S0 register\n    band S0.k | S0.j | S0.l\n", "band S0.i\n", "band S0.i groups\n", "too large for every thread, or item"},
		{rows, both, "S0.i S1.i groups", "S0.i S1.i groups parallel", "run by threads, and not by groups"},
		{rows, both, "S1.j items 8", "S1.j items 8 parallel", "run by threads"},
		{rows, both, "S1.j items 8", "S1.j parallel", "a tree with groups runs on a device, which has no threads"},
		{rows, both, "S1.j items 8", "S1.j groups", "groups inside of groups"},
		{rows, both, "S0.i S1.i groups", "S0.i S1.i", "items outside of groups"},
		{rows, both, "S0.i S1.i groups", "S0.i S1.i groups items 4", "not over items as well"},
		{rows, both, "S1.j items 8", "S1.j tile 8 items 4 | S1.j items 4", "two of them are over S1.j"},
		{rows, both, "S1.j items 8", "S1.j tile 8 items 8 | S1.j tile 4 | S1.j items 8", "items inside of items"},
		{rows, both, "S1.j items 8", "S1.j vector 8 items 4", "a vector loop has no tile"},
		{rows, both, "S1.j items 8", "S1.j vector 8 stream", "nothing goes past the caches"},
		{rows, both, "accumulate S0 register", "accumulate S0 shared", ""},
		{rows, both, "accumulate S0 register", "accumulate S0 early", "in output or shared, for all, or in workspace"},
		{rows, apart, "    band S0.i tile 4 groups\n      band S0.i items 4\n        accumulate S0 register\n          band S0.j\n", "    accumulate S0 output\n      band S0.j\n        band S0.i tile 4 groups | S0.i items 4\n", ""},
		{rows, apart, "    band S0.i tile 4 groups\n      band S0.i items 4\n        accumulate S0 register\n          band S0.j\n", "    accumulate S0 shared\n      band S0.i tile 4 groups | S0.j tile 8 | S0.i items 4 | S0.j\n", ""},
		{rows, apart, "    band S0.i tile 4 groups\n      band S0.i items 4\n        accumulate S0 register\n          band S0.j\n", "    accumulate S0 shared\n      band S0.j groups | S0.i items 4\n", "would share the partial results of the reduced j"},
		{rows, apart, "S1.i groups | S1.j tile 8 groups", "S1.i groups strips 3 | S1.j tile 8 groups", ""},
		{rows, apart, "S1.i groups | S1.j tile 8 groups", "S1.i groups | S1.j tile 8 groups strips 3", "groups come in strips along two axes"},
		{rows, both, "S0.i S1.i groups", "S0.i S1.i groups strips 3", "groups come in strips along two axes"},
		{rows, both, "S1.j items 8", "S1.j items 8 strips 3", "groups come in strips along two axes"},
		{rows, apart, "S1.i groups | S1.j tile 8 groups", "S1.i tile 4 unroll | S1.i groups | S1.j tile 8 groups", "is not written out"},
		{tested, "domain S0[i, k]\nband S0.i tile 4 groups\n  band S0.i items 4\n    accumulate S0 register\n      band S0.k\n", "band S0.i items 4\n    accumulate S0 register\n      band S0.k", "accumulate S0 register\n    band S0.i items 4 | S0.k", ""},
		{emptyTable(tested), "domain S0[i, k]\nband S0.i tile 4 groups\n  band S0.i items 4\n    accumulate S0 register\n      band S0.k\n", "band S0.i items 4\n    accumulate S0 register\n      band S0.k", "accumulate S0 register\n    band S0.i items 4 | S0.k", "tests subscripts of X while it runs, which may have no elements"},
		{layer, layers, "place e register", "place e private", ""},
		{layer, layers, "band S1.i tile 2 items 2 | S1.j items 8\n          band S1.i\n", "band S1.i items 2 | S1.j items 8\n", "the items of S1 do not have the elements of e that those of S0 have"},
		{layer, layers, "band S1.i tile 2 items 2 | S1.j items 8\n          band S1.i\n", "band S1.j items 2 | S1.i items 8\n", "the items of S1 do not have the elements of e that those of S0 have"},
		{layer, layers, "place e register", "place Y register", "Y is held by the items of a group, and S2 finds its elements by something else than an index"},
		{doubled, "domain S0[i, j]\nband S0.i groups\n  band S0.j items 8\n", "  band S0.j", "  place Y register\n    band S0.j", "Y is held by the items of a group, and S0 reads what it was before"},
		{layer, layers, "place e register", "place e local pad 1", ""},
		{scaled, "domain S0[i]; S1[i, k]\nband S0.i S1.i tile 8 groups\n  sequence\n    filter S0\n      band S0.i items 8\n    filter S1\n      accumulate S1 register\n        band S1.k\n          band S1.i items 8\n", "  sequence\n    filter S0\n      band S0.i items 8\n    filter S1\n      accumulate S1 register\n        band S1.k\n          band S1.i items 8\n", "  place s register\n    sequence\n      filter S0\n        band S0.i items 8\n      filter S1\n        accumulate S1 register\n          band S1.k\n            band S1.i items 8\n", "S1 reads s, which items hold, while they sum outside of their loops"},
		{layer, layers, "place e register", "place e local vector 4", "e is computed in local memory, and not copied there"},
		{layer, layers, "place e register", "place Y local", "a temporary that is used in its group alone"},
		{layer, layers, "place e register", "place e register layout 2 1", "it is placed once, and has no layout"},
		{layer, layers, "S2.i tile 4 groups pad", "S2.i tile 5 groups pad", "at an end the items have other elements of e than in whole blocks"},
		{looked, lookedUp, "local gathered", "local", ""},
		{looked, lookedUp, "        place X local gathered\n          band S0.i items 4 | S0.j\n", "        band S0.i items 4 | S0.j\n          place X private gathered\n", "rows of a table are gathered in local memory"},
		{looked, lookedUp, "place I local\n        place X", "place I local gathered\n        place X", "the block of I is not gathered: no subscript of it reads an index array"},
		{looked, lookedUp, "place I local\n        band S1.i", "place X local gathered\n        band S1.i", "the block of X is not gathered: its reads have several subscripts"},
		{looked, lookedUp, "place I local\n        band S2.i", "place X local gathered\n        band S2.i", "the block of X is not gathered: it is read under a condition"},
		{looked, lookedUp, "place I local\n        place X", "place X local\n        place X", "it is placed further out, or further in, as well"},
		{rows, both, "S0.j", "S0.j items 8", "would share the partial results that they hold"},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j\n          band S0.i items 4", ""},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j | S0.i tile 2\n          band S0.i items 4", "there is another one between"},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j | S0.i tile 3 items 4\n          band S0.i vector 2", "vectors of 2 along S0.i"},
		{rows, apart, "S0.i tile 4 groups\n      band S0.i items 4\n        accumulate S0 register\n          band S0.j", "S0.i tile 4 groups\n      accumulate S0 register\n        band S0.j+1*i\n          band S0.i items 4", "which item has which point is not known"},
		{rows, both, "        band S0.j\n", "        place X workspace\n          band S0.j\n", "places are in register or private"},
		{rows, both, "  sequence", "  place X private\n  sequence", "would share the place of X"},
		{rows, apart, "S0.i tile 4 groups\n      band S0.i items 4", "S0.i tile 4\n      band S0.i groups", ""},
		{rows, apart, "S1.i groups | S1.j tile 8 groups\n      band S1.j items 8", "S1.i groups | S1.j tile 8 groups | S1.j items 3", ""},
		{rows, apart, "band S1.i groups | S1.j tile 8 groups\n      band S1.j items 8", "band S1.i\n      place X private\n        band S1.j groups", "would share the place of X"},
		{rows, apart, "S1.i groups | S1.j tile 8 groups", "S1.i pipeline | S1.j tile 8 groups", "pipeline"},
		{rows, both, "      band S1.j items 8\n", "      band S1.j items 8\n        place X local\n", ""},
		{rows, both, "      band S1.j items 8\n", "      place X local\n        band S1.j items 8\n", ""},
		{rows, both, "      band S1.j items 8\n", "      place X local\n        band S1.j\n", "place X inside of groups, where there are loops over items"},
		{rows, both, "      band S1.j items 8\n", "      band S1.j items 8\n        place Y local\n", "Y is written here"},
		{rows, both, "      band S1.j items 8\n", "      place X local pad 1 vector 4\n        band S1.j items 8\n", ""},
		{rows, both, "      band S1.j items 8\n", "      place X local vector 8\n        band S1.j items 8\n", "8 elements of 4 bytes are not copied at once"},
		{rows, both, "      band S1.j items 8\n", "      place X local vector 3\n        band S1.j items 8\n", "expected a power of two"},
		{rows, both, "      band S1.j items 8\n", "      place s local pad 1\n        band S1.j items 8\n", "of a block of 1 dimensions: rows of two dimensions or more are padded"},
		{rows, both, "      band S1.j items 8\n", "      place X local pad 65\n        band S1.j items 8\n", "by at most 64 elements"},
		{rows, both, "      band S1.j items 8\n", "      band S1.j items 8\n        place X private pad 1\n", "leave out pad, swizzle, vector, double, stages and async"},
		{rows, both, "      band S1.j items 8\n", "      place X local swizzle 1*8 vector 4\n        band S1.j items 8\n", ""},
		{rows, both, "      band S1.j items 8\n", "      place X local swizzle 1*8 pad 1\n        band S1.j items 8\n", "which have two or more and are not padded"},
		{rows, both, "      band S1.j items 8\n", "      place s local swizzle 1*8\n        band S1.j items 8\n", "the rows of a block of 1 dimensions"},
		{rows, both, "      band S1.j items 8\n", "      place X local swizzle 3*8\n        band S1.j items 8\n", "found \"place X local swizzle 3*8\""},
		{rows, both, "      band S1.j items 8\n", "      place X local swizzle 4*8/0\n        band S1.j items 8\n", "found \"place X local swizzle 4*8/0\""},
		{rows, both, "      band S1.j items 8\n", "      band S1.j items 8\n        place X private swizzle 1*8\n", "swizzle, vector, double"},
		{rows, both, "      band S1.j items 8\n", "      place X local double\n        band S1.j items 8\n", "blocks in turns are those of the steps"},
		{rows, both, "      band S1.j items 8\n", "      place X local async\n        band S1.j items 8\n", "put 'double' or 'stages n' before 'async'"},
		{bytes, "domain S0[i, j]\nband S0.i tile 4 groups\n  accumulate S0 register\n    band S0.j tile 8\n      place X local vector 4 double async\n        band S0.i items 4 | S0.j\n", "vector 4 double async", "double async", "1 bytes are not copied ahead at once, expected 4, 8 or 16; put 'vector 4'"},
		{rows, both, "      band S1.j items 8\n", "      place X local stages 9\n        band S1.j items 8\n", "found \"place X local stages 9\""},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j tile 8\n          place X local stages 3 async\n            band S0.i items 4 | S0.j", ""},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j tile 8\n          place X local stages 3 async\n            place X local stages 3\n              band S0.i items 4 | S0.j", "with async or without"},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j tile 8\n          place X local stages 3\n            place X local stages 4\n              band S0.i items 4 | S0.j", "all places there have as many"},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j tile 8\n          place X local double\n            band S0.i items 4 | S0.j", ""},
		{rows, apart, "band S0.i items 4\n        accumulate S0 register\n          band S0.j", "accumulate S0 register\n        band S0.j tile 8 reverse\n          place X local double\n            band S0.i items 4 | S0.j", "the steps of one serial loop"},
		{rows, both, "        band S0.j\n", "        place X local\n          band S0.j\n", "place X inside of groups, where there are loops over items"},
		{rows, both, "accumulate S0 register", "accumulate S0 local", "the loops over items are the first ones inside"},
		{rows, both, "accumulate S0 register\n        band S0.j", "accumulate S0 local\n        band S0.j items 8", ""},
		{rows, both, "accumulate S0 register\n        band S0.j", "accumulate S0 local\n        band S0.j items 4", "the items of a group are [8] along its axes, and elsewhere in the grid [4]"},
		{rows, both, "accumulate S0 register\n        band S0.j", "accumulate S0 local\n        band S0.j tile 4 items 8\n          accumulate S0 register\n            band S0.j", ""},
		{rows, apart, "accumulate S0 register", "accumulate S0 local", "inside of groups, and outside of items"},
		{rows, apart, "S0.i items 4", "S0.i skew 1*j/1 items 4", "skew"},
		{emptyTable(gathered), "domain S0[i, j, k]\nband S0.i groups | S0.j items 4\n  accumulate S0 register\n    band S0.k\n", "S0.i groups | S0.j items 4\n  accumulate S0 register\n    band S0.k", "S0.i groups\n  accumulate S0 shared\n    band S0.j items 4 | S0.k", "others would wait for an item that such a test ends"},
		{emptyTable(gather), "domain S0[i, j]\nband S0.i groups | S0.j items 4\n", "S0.i groups | S0.j items 4", "S0.i tile 4 groups | S0.i | S0.j items 4", "others would wait for an item that such a test ends"},
		{emptyTable(gather), "domain S0[i, j]\nband S0.i groups | S0.j items 4\n", "S0.i groups | S0.j items 4", "S0.i tile 4 groups | S0.i | S0.j", ""},
	} {
		f, err := ein.ParseFunc("test", test.f)
		if err != nil {
			t.Fatal(err)
		}
		check := func(text string) error {
			tree, err := Parse(text)
			if err != nil {
				return err
			}
			return Check(f, tree)
		}
		if err := check(test.tree); err != nil {
			t.Errorf("%v\n%s", err, test.tree)
		}
		if strings.Count(test.tree, test.old) != 1 {
			t.Errorf("%q is not once in\n%s", test.old, test.tree)
		}
		text := strings.Replace(test.tree, test.old, test.new, 1)
		if test.old == "  sequence" {
			head, tail, _ := strings.Cut(text, "  sequence\n")
			text = head + "  sequence\n" + "  " + strings.ReplaceAll(strings.TrimSuffix(tail, "\n"), "\n", "\n  ") + "\n"
			text = strings.Replace(text, "private\n  sequence", "private\n    sequence", 1)
		}
		err = check(text)
		if why := withoutWayOut(err); why != "" {
			t.Errorf("no way out of: %s\n%s", why, text)
		}
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%v\n%s", err, text)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("got %v, want %q\n%s", err, test.want, text)
		}
	}
}

// withoutWayOut is the first message of an error that neither says what is expected nor has a help line.
func withoutWayOut(err error) string {
	var list source.ErrorList
	errors.As(err, &list)
	for _, d := range list {
		if d.Help == "" && !strings.Contains(d.Message, ", expected ") && !strings.Contains(d.Message, "; ") {
			return d.Message
		}
	}
	return ""
}

// emptyTable is a function whose table X has perhaps no elements.
func emptyTable(f string) string {
	return strings.Replace(f, "in X: float32[16]", "size N = dim 0 of X or zero\n  in X: float32[N]", 1)
}
