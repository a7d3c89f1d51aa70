package transform

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestLentMarks fuses loops of which one has marks: they hold for both where that is legal, and
// else give way with a warning of the fusion. A mark that both have is refused where it is illegal.
func TestLentMarks(t *testing.T) {
	const text = `func f {
  in A: int32[20, 12]
  out B: int32[20, 12]
  out C: int32[20, 12]
  for i in 0:20, j in 0:12 { B[i, j] = A[i, j] * 2i32 }
  for i in 0:20, j in 0:12 { C[i, j] = READ }
}`
	const same, before, broken = "B[i, j]", "B[max(i - 1i64, 0i64), j]", "has no effect: with it the schedule breaks a dependence"
	parallel, vector, prefetch := called{"parallelize", []int64{1}}, called{"vectorize", []int64{2, 4}}, called{"prefetch", []int64{1, 2}}
	cut, pad := called{"stripmine", []int64{1, 8}}, called{"pad", []int64{1}}
	for _, test := range []struct {
		name          string
		read          string
		first, second []called
		levels        int64
		marks         string // of the fused loops, outermost first
		want          string // of the warning
	}{
		{"parallel", same, []called{parallel}, nil, 1, "parallel", ""},
		{"parallel, of the second", same, nil, []called{parallel}, 2, "parallel|", ""},
		{"parallel, which is illegal", before, []called{parallel}, nil, 2, "in order|", "the parallel loop i of fuse_outer(l1, l2, 2) " + broken},
		{"vectors for one, threads for the other", same, []called{parallel}, []called{vector}, 2, "parallel|vectors of 4", ""},
		{"vectors for one, and threads that are illegal", before, []called{parallel}, []called{vector}, 2, "in order|vectors of 4", "the parallel loop i of"},
		{"vectors of different lanes", same, []called{{"vectorize", []int64{2, 8}}}, []called{vector}, 2, "|vectors of 4", ""},
		{"vectors around vectors", same, []called{{"vectorize", []int64{1, 4}}}, []called{vector}, 1, "no vectors", "the vector loop i of fuse_outer(l1, l2, 1) has no effect: "},
		{"illegal vectors", before, []called{{"vectorize", []int64{1, 4}}}, nil, 1, "vectors of 4", ""},
		{"a prefetch", same, []called{vector, prefetch}, []called{vector}, 2, "|vectors of 4, no prefetch", "the prefetching loop j of"},
		{"padded", same, []called{cut, pad}, []called{cut}, 2, "padded|", ""},
		{"padded and skewed", same, []called{cut, pad, {"skew", []int64{1, 3, 1}}}, nil, 0, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := ein.ParseFunc("test", strings.ReplaceAll(text, "READ", test.read))
			if err != nil {
				t.Fatal(err)
			}
			apply := func(nests []*Nest, step called) *Nest {
				tr, _ := Lookup(step.name)
				n, err := tr.Apply(nests, Ints(step.args...), Call{})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			nests := []*Nest{Build(f, 0), Build(f, 1)}
			for k, steps := range [][]called{test.first, test.second} {
				for _, step := range steps {
					nests[k] = apply(nests[k:k+1], step)
				}
			}
			if test.levels > 0 {
				nests = []*Nest{apply(nests, called{"fuse_outer", []int64{test.levels}})}
			}
			tree, warnings, err := Tree(f, nests, Options{Machine: small})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" && len(warnings) > 0 || test.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].Message, test.want)) {
				t.Errorf("%v, expected %q", warnings, test.want)
			}
			p := &printer{idle: IdleMarks(f, nests, Options{Machine: small})}
			var found []string
			for _, n := range chain(nests[0].body)[:test.levels] {
				marks, _, _ := strings.Cut(strings.Join(p.marks(n.loop), ", "), ": ")
				found = append(found, marks)
			}
			if got := strings.Join(found, "|"); got != test.marks {
				t.Errorf("found the marks %q, expected %q", got, test.marks)
			}
			checkMeaning(t, f, tree)
		})
	}
}
