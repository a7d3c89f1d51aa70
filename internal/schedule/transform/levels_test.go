package transform

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestPrefetchBlocks lets vectors ask for what the next block uses, of another index and of
// their own: in memory that many elements further on.
func TestPrefetchBlocks(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: float32[40, 64]
  out B: float32[40, 64]
  for i in 0:40, j in 0:64 { B[i, j] = A[i, j] * 2f32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		level    int64 // that is cut by 8
		distance string
	}{{1, "ahead 512"}, {2, "ahead 8"}} {
		n := Build(f, 0)
		for _, step := range []struct {
			name string
			args []int64
		}{{"stripmine", []int64{test.level, 8}}, {"vectorize", []int64{3, 4}}, {"prefetch", []int64{test.level, 3}}} {
			tr, _ := Lookup(step.name)
			if n, err = tr.Apply([]*Nest{n}, Ints(step.args...), Call{}); err != nil {
				t.Fatal(err)
			}
		}
		tree, idle, err := Tree(f, []*Nest{n}, Options{Machine: small})
		if err != nil || len(idle) > 0 {
			t.Fatalf("%v %v", err, idle)
		}
		if again, err := schedule.Parse(schedule.Print(tree)); err != nil || schedule.Print(again) != schedule.Print(tree) {
			t.Errorf("%v:\n%s", err, schedule.Print(tree))
		}
		l, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(l); strings.Count(text, test.distance) != 2 {
			t.Errorf("expected %s for A and B:\n%s", test.distance, text)
		}
		checkMeaning(t, f, tree)
	}
}

// checkMeaning executes the loops of a tree: they compute what the function means.
func checkMeaning(t *testing.T, f *ein.Func, tree *schedule.Tree) {
	t.Helper()
	args, err := eintest.Arguments(1, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
}

// TestSharedPrefetch asks vectors of two statements to prefetch, for which there is no code: the
// mark gives way, and a warning says so.
func TestSharedPrefetch(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: float32[5, 64]
  out B: float32[5, 64]
  out C: float32[5, 64]
  for i in 0:5, j in 0:64 { B[i, j] = A[i, j] * 2f32 }
  for k in 0:5, l in 0:64 { C[k, l] = A[k, l] + 1f32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	nests := []*Nest{Build(f, 0), Build(f, 1)}
	for _, step := range []struct {
		name string
		args []int64
	}{{"fuse_outer", []int64{2}}, {"vectorize", []int64{2}}, {"prefetch", []int64{1, 2}}} {
		tr, _ := Lookup(step.name)
		n, err := tr.Apply(nests, Ints(step.args...), Call{})
		if err != nil {
			t.Fatal(err)
		}
		nests = []*Nest{n}
	}
	_, idle, err := Tree(f, nests, Options{Machine: small})
	if err != nil || len(idle) != 1 || !strings.Contains(idle[0].Message, "has no effect: vectors of one statement prefetch") {
		t.Errorf("%v %v", err, idle)
	}
}

// TestOneIteration fuses a level of one iteration, that of a block of 1 or of blocks of blocks, with
// one of which blocks are as large as the range, or the range has one value.
func TestOneIteration(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[9, 3]
  in D: int32[1, 3]
  out B: int32[9, 3]
  out C: int32[1, 3]
  out E: int32[9, 3]
  for i in 0:9, j in 0:3 { B[i, j] = A[i, j] * 2i32 }
  for i in 0:1, j in 0:3 { C[i, j] = D[i, j] + 1i32 }
  for i in 0:9, j in 0:3 { E[i, j] = A[i, j] - 2i32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(name string, nests []*Nest, args ...int64) *Nest {
		t.Helper()
		tr, _ := Lookup(name)
		n, err := tr.Apply(nests, Ints(args...), Call{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	one := func(name string, n *Nest, args ...int64) *Nest { return apply(name, []*Nest{n}, args...) }
	blocks := one("stripmine", one("stripmine", Build(f, 0), 1, 4), 2, 4) // i', i'' of one iteration, i, j
	point := one("stripmine", Build(f, 0), 1, 1)                          // i', i of one iteration, j
	for name, n := range map[string]*Nest{
		"blocks with a value":       apply("fuse_outer", []*Nest{one("interchange", blocks, 1, 2), Build(f, 1)}, 1),
		"blocks with a block":       apply("fuse_outer", []*Nest{one("interchange", blocks, 1, 2), one("stripmine", Build(f, 1), 1, 5)}, 1),
		"a value with blocks":       apply("fuse_outer", []*Nest{Build(f, 1), one("interchange", blocks, 1, 2)}, 1),
		"a point with a value":      apply("fuse_outer", []*Nest{one("interchange", point, 1, 2), Build(f, 1)}, 1),
		"a block that is all":       apply("fuse_outer", []*Nest{one("interchange", one("stripmine", Build(f, 0), 1, 20), 1, 2), Build(f, 2)}, 1),
		"of ranges that may differ": apply("fuse_union", []*Nest{one("interchange", point, 1, 2), Build(f, 1)}, 1),
	} {
		nests := []*Nest{n}
		for k := range f.Body {
			if !slices.Contains(n.Statements(), k) {
				nests = append(nests, Build(f, k))
			}
		}
		tree, _, err := Tree(f, nests, Options{Machine: small})
		if err != nil {
			t.Errorf("%s: %v\n%v", name, err, n)
			continue
		}
		checkMeaning(t, f, tree)
	}
}

// TestSkewedScans skews scans, and reductions in a fixed order, along and across what they fold:
// orders that keep that of the values are accepted, the others break a dependence.
func TestSkewedScans(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  op smooth(l: int32 | r: int32) = (2i32 * l + r)
  in A: int32[4, 5]
  out S: int32[4, 5]
  out r: int32[4]
  for i in 0:4, j in 0:5 scan + { S[i, j] = A[i, j] }
  for i in 0:4, j in 0:5 reduce smooth { r[i] = A[i, j] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	legal, illegal := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var nests []*Nest
		for s := range f.Body {
			nests = append(nests, drawSteps(t, Build(f, s), []string{"skew", "skew", "interchange", "stripmine", "reverse", "unroll", "vectorize", "parallelize"}))
		}
		tree, _, err := Tree(f, nests, Options{Machine: small})
		var list source.ErrorList
		switch {
		case err == nil:
			legal++
		case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
			illegal++
			return
		default:
			t.Fatalf("%v\n%v", err, nests)
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
	t.Logf("%d legal, %d illegal", legal, illegal)
}

// TestVectorOfOne: vectors along a sum of one term, whose loop another statement shares that needs the
// sum, are scalars, and the sum is passed on early.
func TestVectorOfOne(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: float16[3, 1]
  out m: float16[3]
  out e: float16[3, 1]
  for i in 0:3, j in 0:1 reduce max { m[i] = A[i, j] }
  for k in 0:3, l in 0:1 { e[k, l] = A[k, l] - m[k] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, lanes := range []int64{0, 2} {
		n := Build(f, 0)
		for _, step := range []struct {
			name  string
			nests []*Nest
			args  []int64
		}{{"fuse_union", []*Nest{n, Build(f, 1)}, []int64{2}}, {"vectorize", []*Nest{nil}, []int64{2, lanes}}} {
			if step.nests[0] == nil {
				step.nests[0] = n
			}
			if lanes == 0 && len(step.args) == 2 {
				step.args = step.args[:1]
			}
			tr, _ := Lookup(step.name)
			if n, err = tr.Apply(step.nests, Ints(step.args...), Call{}); err != nil {
				t.Fatal(err)
			}
		}
		if tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small}); err != nil {
			t.Errorf("%d lanes: %v\n%v", lanes, err, n)
		} else if text := schedule.Print(tree); strings.Contains(text, "vector") {
			t.Error(text)
		}
	}
}
