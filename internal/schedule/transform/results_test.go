package transform

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// A call of a transformation for the first nest, and those behind it that it takes.
type called struct {
	name string
	args []int64
}

const (
	rowSums = "func f {\n  in A: float32[N, M]\n  out s: float32[N]\n  for i in 0:N, k in 0:M reduce + { s[i] = A[i, k] }\n}"
	twoSums = `func f {
  in A: float32[N + 1, M]
  out s: float16[N]
  out r: float32[N + 1]
  for i in 0:N, k in 0:M reduce + { s[i] = A[i, k] }
  for i in 0:N + 1, k in 0:M reduce max { r[i] = A[i, k] }
}`
	scans = `func f {
  in A: float32[N + 1, M]
  out S: float32[N, M]
  out T: float32[N + 1, M]
  for b in 0:N, i in 0:M scan + { S[b, i] = A[b, i] }
  for b in 0:N + 1, i in 0:M { T[b, i] = A[b, i] * 2f32 }
}`
	ofOne = `func f {
  in A: float32[N, 1]
  temp m: float32[N]
  out e: float32[N, 1]
  for i in 0:N, j in 0:1 reduce max { m[i] = A[i, j] }
  for i in 0:N, j in 0:1 { e[i, j] = A[i, j] * 2f32 - m[i] }
}`
	halves = `func f {
  in A: float32[N, M]
  out s: float16[N]
  out e: float32[N, M]
  for i in 0:N, k in 0:M reduce + { s[i] = A[i, k] }
  for i in 0:N, k in 0:M { e[i, k] = A[i, k] - s[i] }
}`
	withoutIdentity = `func f {
  in A: float32[N, M]
  out s: float32[N]
  out e: float32[N, M]
  op most(l: float32 | r: float32) = (l > r ? l : r) associative commutative
  for i in 0:N, k in 0:M reduce most { s[i] = A[i, k] }
  for i in 0:N, k in 0:M { e[i, k] = A[i, k] - s[i] }
}`
	total  = "func f {\n  in A: float32[N, M]\n  out s: float32[]\n  for i in 0:N reduce +, k in 0:M reduce + { s[] = A[i, k] }\n}"
	ofNone = "func f {\n  in A: float32[N, M]\n  out s: float32[N]\n  for i in 0:N, j in 0:M reduce +, k in 0:M - 7 reduce + or empty { s[i] = A[i, j] * A[i, k] }\n}"
	decays = `func f {
  in A: float32[N, 5]
  inout s: float32[N]
  out q: float32[N, 5]
  op decay(l: float32 | r: float32) = (0.5f32 * l + r) identity (0f32)
  for i in 0:N, j in 0:5 { q[i, j] = A[i, j] READ }
  for i in 0:N, j in 0:5 reduce decay, k in 0:M - 7 reduce decay or empty { s[i] = A[i, j] }
}`
)

// results are scripts around reductions whose results are open in many places at once.
// They were refused.
var results = []struct {
	name, text string
	steps      []called
	warning    string      // of a mark that gives way
	code       source.Code // of a script that breaks a dependence
}{
	{name: "shares the loop of results with another range", text: twoSums, steps: []called{{"fuse_union", []int64{1}}, {"fuse_inner", []int64{2}}, {"interchange", []int64{1, 2}}}},
	{name: "the same in blocks", text: twoSums, steps: []called{{"fuse_union", []int64{1}}, {"fuse_inner", []int64{2}}, {"tile", []int64{3}}, {"interchange", []int64{1, 2}}, {"vectorize", []int64{4, 4}}}},
	{name: "a scan that shares it", text: scans, steps: []called{{"fuse_union", []int64{2}}, {"interchange", []int64{1, 2}}}},
	{name: "threads along a scan that shares its loop", text: scans, steps: []called{{"fuse_union", []int64{2}}, {"parallelize", []int64{2}}}, warning: "where other statements share its loops"},
	{name: "a consumer in a loop of one iteration", text: ofOne, steps: []called{{"fuse_outer", []int64{2}}}},
	{name: "a consumer in a parallel loop of one iteration", text: ofOne, steps: []called{{"fuse_outer", []int64{2}}, {"tile", []int64{2}}, {"parallelize", []int64{4}}}},
	{name: "a sum of 16 bits that is used in its loops", text: halves, steps: []called{{"shift", []int64{2, -8}}, {"fuse_union", []int64{2}}}},
	{name: "the same across rows", text: halves, steps: []called{{"shift", []int64{2, -8}}, {"fuse_union", []int64{2}}, {"interchange", []int64{1, 2}}, {"vectorize", []int64{2, 4}}}},
	{name: "the same in blocks", text: halves, steps: []called{{"shift", []int64{2, -8}}, {"fuse_union", []int64{2}}, {"tile", []int64{3}}, {"parallelize", []int64{1}}}},
	{name: "a result without identity that is used in its loops", text: withoutIdentity, steps: []called{{"shift", []int64{2, -8}}, {"fuse_union", []int64{2}}, {"interchange", []int64{1, 2}}}},
	{name: "a sum of 16 bits whose last value comes first", text: halves, steps: []called{{"shift", []int64{2, -8}}, {"fuse_union", []int64{2}}, {"reverse", []int64{2}}}, code: source.ScheduleIllegal},
	{name: "one sum skewed by blocks of another", text: total, steps: []called{{"tile", []int64{3}}, {"skew", []int64{1, 2, 1}}, {"interchange", []int64{1, 2}}}},
	{name: "skewed by what is empty", text: ofNone, steps: []called{{"skew", []int64{1, 3, 1}}, {"skew", []int64{2, 3, 1}}, {"interchange", []int64{1, 3}}}},
	{name: "what is empty, skewed by the loop of results", text: ofNone, steps: []called{{"skew", []int64{1, 3, 1}}, {"parallelize", []int64{1}}}},
	{name: "threads with results of their own", text: rowSums, steps: []called{{"interchange", []int64{1, 2}}, {"skew", []int64{1, 2, 1}}, {"parallelize", []int64{2}}}},
	{name: "threads that share results", text: rowSums, steps: []called{{"interchange", []int64{1, 2}}, {"skew", []int64{1, 2, 1}}, {"interchange", []int64{1, 2}}, {"parallelize", []int64{1}}}, warning: "would share the partial results"},
	{name: "threads that share results along blocks", text: rowSums, steps: []called{{"tile", []int64{2}}, {"interchange", []int64{1, 2}}, {"skew", []int64{1, 2, 1}}, {"interchange", []int64{1, 2}}, {"parallelize", []int64{1}}}, warning: "would share the partial results"},
	{name: "nothing to reduce in shared loops", text: strings.ReplaceAll(decays, "READ", ""), steps: []called{{"fuse_outer", []int64{2}}, {"interchange", []int64{1, 2}}}},
	{name: "nothing to reduce, after another statement has read what was there", text: strings.ReplaceAll(decays, "READ", "+ s[i]"), steps: []called{{"fuse_outer", []int64{2}}, {"interchange", []int64{1, 2}}}, code: source.ScheduleIllegal},
}

// TestOpenResults makes the scripts at many sizes, and compares what their loops compute
// with the evaluator.
func TestOpenResults(t *testing.T) {
	for _, test := range results {
		t.Run(test.name, func(t *testing.T) {
			warned, refused := false, false
			rapid.Check(t, func(t *rapid.T) {
				n, m := int64(rapid.IntRange(1, 9).Draw(t, "N")), int64(rapid.IntRange(1, 9).Draw(t, "M"))
				f, err := ein.ParseFunc("test", strings.NewReplacer("N + 1", strconv.FormatInt(n+1, 10), "M - 7", strconv.FormatInt(max(0, m-7), 10),
					"N", strconv.FormatInt(n, 10), "M", strconv.FormatInt(m, 10)).Replace(test.text))
				if err != nil {
					t.Fatal(err)
				}
				var nests []*Nest
				for s := range f.Body {
					nests = append(nests, Build(f, s))
				}
				for _, c := range test.steps {
					if c.name == "tile" {
						nests[0] = inTiles(t, nests[0], c.args[0])
						continue
					}
					tr, _ := Lookup(c.name)
					next, err := tr.Apply(nests[:tr.Nests], Ints(c.args...), Call{})
					if err != nil {
						t.Fatalf("%s: %v", c.name, err)
					}
					nests = append([]*Nest{next}, nests[tr.Nests:]...)
				}
				tree, warnings, err := Tree(f, nests, Options{Machine: small})
				var list source.ErrorList
				if errors.As(err, &list) && list[0].Code == test.code {
					refused = true
					return
				}
				if err != nil {
					t.Fatalf("%v\n%s\n%v", err, f, nests)
				}
				for _, w := range warnings {
					if test.warning == "" || !strings.Contains(w.Message, test.warning) {
						t.Fatal(w.Message)
					}
					warned = true
				}
				args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := scheduletest.Subject{F: f, G: f, Args: args}
				got, gotErr := s.Loops(t, tree)
				s.Matches(t, got, gotErr, schedule.Print(tree))
			})
			if warned != (test.warning != "") {
				t.Errorf("warned: %t", warned)
			}
			if refused != (test.code != "") {
				t.Errorf("refused: %t", refused)
			}
		})
	}
}
