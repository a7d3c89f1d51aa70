package transform_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
)

// symbolic are statements over sizes that are not known: an in-place wavefront, two and
// three passes one behind the other, and the sums of rows.
const symbolic = `func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  inout U: float32[n + 2, m + 2]
  out B: float32[n, m]
  out C: float32[n - 2, m]
  out D: float32[n - 4, m]
  out E: float32[n - 2]
  require n - 4 >= 0 because "four rows are lost"
  for i in 1:n + 1, j in 1:m + 1 { U[i, j] = U[i + 1i64, j - 1i64] + U[i, j + 1i64] }
  for y in 0:n, x in 0:m { B[y, x] = X[y, x] * 2f32 }
  for y in 0:n - 2, x in 0:m { C[y, x] = B[y, x] + B[y + 1i64, x] + B[y + 2i64, x] }
  for y in 0:n - 4, x in 0:m { D[y, x] = C[y, x] + C[y + 1i64, x] + C[y + 2i64, x] }
  for y in 0:n - 2, x in 0:m reduce + { E[y] = C[y, x] }
}`

// TestSymbolicSkews makes common nests that are skewed or over several ranges, and proves
// them to stay in bounds for all sizes.
func TestSymbolicSkews(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		{"wavefront", "u = skew u 1 2 1; u = interchange u 1 2"},
		{"wavefront on threads", "u = skew u 1 2 2; u = interchange u 1 2; u = parallelize u 2"},
		{"skewed outer tiles", "u = skew u 1 2 1; u = tile u 16; u = interchange u 1 2"},
		{"skewed tiles", "u = skew u 1 2 1; u = tile u 16"},
		{"skewed tiles on threads", "u = skew u 1 2 2; u = tile u 8; u = interchange u 1 2; u = interchange u 3 4; u = parallelize u 4"},
		{"tiles of a steep skew", "u = skew u 1 2 3; u = tile u 8; u = interchange u 1 2"},
		{"a steep skew, one cut", "u = skew u 1 2 2; u = stripmine u 2 8; u = interchange u 1 2"},
		{"negative skew", "u = skew u 1 2 -1"},
		{"skewed, one cut", "u = skew u 1 2 1; u = stripmine u 2 8; u = interchange u 1 2"},
		{"skewed, inner cut", "u = skew u 1 2 1; u = interchange u 1 2; u = stripmine u 2 8"},
		{"two passes", "c = shift c 1 2; b = fuse_union b c 1"},
		{"two passes, rows cut", "c = shift c 1 2; b = fuse_union b c 1; b = stripmine b 1 16"},
		{"two passes, all shared", "c = shift c 1 2; b = fuse_union b c 2"},
		{"two passes, all shared and tiled", "c = shift c 1 2; b = fuse_union b c 2; b = tile b 8"},
		{"two passes, columns outside", "b = stripmine b 2 64; b = interchange b 1 2; c = stripmine c 2 64; c = interchange c 1 2; c = shift c 2 2; b = fuse_union b c 2; b = parallelize b 1"},
		{"two passes, vectors", "b = stripmine b 2 64; b = interchange b 1 2; b = vectorize b 3; c = stripmine c 2 64; c = interchange c 1 2; c = vectorize c 3; c = shift c 2 2; b = fuse_union b c 2; b = parallelize b 1"},
		{"three passes", "c = shift c 1 2; b = fuse_union b c 1; d = shift d 1 4; b = fuse_union b d 1"},
		{"three passes, rows cut", "c = shift c 1 2; b = fuse_union b c 1; d = shift d 1 4; b = fuse_union b d 1; b = stripmine b 1 8"},
		{"three passes, rows cut, all shared", "c = shift c 1 2; b = fuse_union b c 2; d = shift d 1 4; b = fuse_union b d 2; b = tile b 8"},
		{"three passes, skewed blocks of rows", "c = shift c 1 2; b = fuse_union b c 2; d = shift d 1 4; b = fuse_union b d 2; b = skew b 1 2 1; b = tile b 8"},
		{"sums of rows behind a pass, whose lines are asked for", "c = shift c 1 2; b = fuse_union b c 2; e = shift e 1 2; b = fuse_union b e 2; b = tile b 16 32"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := ein.ParseFunc("test", symbolic)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{t: t, f: f, nests: map[string]*transform.Nest{}}
			for k, name := range []string{"u", "b", "c", "d", "e"} {
				s.nests[name] = transform.Build(f, k)
			}
			s.run(strings.ReplaceAll(test.script, "; ", "\n"))
			if s.out.Len() > 0 {
				t.Fatal(s.out.String())
			}
			var nests []*transform.Nest
			seen := map[int]bool{}
			for _, name := range []string{"u", "b", "c", "d", "e"} {
				if n := s.nests[name]; !seen[n.Statements()[0]] {
					nests = append(nests, n)
					for _, statement := range n.Statements() {
						seen[statement] = true
					}
				}
			}
			tree, _, err := transform.Tree(f, nests, transform.Options{Machine: transform.Small})
			if err != nil {
				t.Fatal(err)
			}
			kernel, err := lower.Lower(f, tree, lower.Options{})
			if err == nil {
				err = loop.Verify(kernel)
			}
			if err != nil {
				t.Errorf("%v\n%s\n%s", err, schedule.Print(tree), loop.Print(kernel))
			}
		})
	}
}
