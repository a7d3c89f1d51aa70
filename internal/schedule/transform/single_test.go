package transform

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// TestSingles fuses levels of one iteration with longer ones, in any order, over points and
// blocks, inside of blocks or not, and takes random steps behind that: no dependence is there to break,
// nothing is refused, each tree reads as it prints, and all compute what the evaluator does.
func TestSingles(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[9, 6]
  in D: int32[9, 6]
  out B: int32[9, 6]
  out C: int32[9, 6]
  out s: int32[9]
  for i in 0:9, j in 0:6 { B[i, j] = A[i, j] * 2i32 }
  for k in 0:9, l in 0:6 { C[k, l] = D[k, l] + 1i32 }
  for m in 0:9, n in 0:6 reduce + { s[m] = A[m, n] * D[m, n] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		pick := func(lo, hi int, what string) int64 { return int64(rapid.IntRange(lo, max(lo, hi)).Draw(t, what)) }
		apply := func(name string, nests []*Nest, args ...int64) *Nest {
			tr, _ := Lookup(name)
			n, err := tr.Apply(nests, Ints(args...), Call{})
			if err != nil {
				return nests[0]
			}
			return n
		}
		nests := []*Nest{Build(f, 0), Build(f, 1), Build(f, 2)}
		for k, n := range nests {
			switch pick(0, 4, "form") {
			case 0:
				n = inTiles(t, n, 4)
				n = apply("stripmine", []*Nest{n}, 3, 4)
			case 1:
				n = apply("stripmine", []*Nest{n}, pick(1, 2, "level"), 20)
			case 2:
				n = apply("stripmine", []*Nest{n}, pick(1, 2, "level"), 1)
			case 3:
				n = inTiles(t, n, 4)
			}
			for range pick(0, 2, "exchanges") {
				a := pick(1, 3, "outer")
				n = apply("interchange", []*Nest{n}, a, a+pick(1, 2, "inner"))
			}
			nests[k] = n
		}
		for range pick(0, 3, "fusions") {
			if len(nests) == 1 {
				break
			}
			before := nests[0]
			if nests[0] = apply("fuse_union", nests[:2], pick(1, 4, "levels")); nests[0] != before {
				nests = slices.Delete(nests, 1, 2)
			}
		}
		for k := range nests {
			nests[k] = drawSteps(t, nests[k], []string{"interchange", "stripmine", "reverse", "vectorize", "parallelize", "skew", "unroll"})
		}
		tree, _, err := Tree(f, nests, Options{Machine: small})
		if err != nil {
			t.Fatalf("%v\n%v", err, nests)
		}
		text := schedule.Print(tree)
		if again, err := schedule.Parse(text); err != nil || schedule.Print(again) != text {
			t.Fatalf("%v:\n%s", err, text)
		}
		if schedule.WithSingles(f, tree) != f {
			shared++
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, text)
	})
	if t.Logf("%d trees with coordinates of one value", shared); shared == 0 && !testing.Short() {
		t.Error("no level of one iteration was shared")
	}
}

// TestPointsOutside: blocks are fused although the points in them are visited further out, together
// with the one iteration that the other statement has there.
func TestPointsOutside(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[9, 6]
  in D: int32[9, 6]
  out B: int32[9, 6]
  out C: int32[9, 6]
  for i in 0:9, j in 0:6 { B[i, j] = A[i, j] * 2i32 }
  for k in 0:9, l in 0:6 { C[k, l] = D[k, l] + 1i32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`domain S0[i, j]; S1[k, l]
band S0.j S1.1 | S0.i tile 4 S1.l tile 4 | S0.j tile 4 S1.k tile 4
  sequence
    filter S0
      band S0.i
    filter S1
      band S1.k | S1.l
`, `domain S0[i, j]; S1[k, l]
band S0.i S1.1 | S0.j tile 4 S1.k tile 4 | S0.i tile 4 S1.l tile 4
  sequence
    filter S0
      band S0.j
    filter S1
      band S1.k | S1.l
`, `domain S0[i, j]; S1[k, l]
band S0.i S1.1 | S0.j tile 4 S1.k tile 4 | S0.i tile 4 parallel S1.l+3 tile 4
  sequence
    filter S0
      band S0.j
    filter S1
      band S1.k | S1.l+3
`} {
		tree, err := schedule.Parse(text)
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := scheduletest.Subject{F: f, G: f, Args: args}
			got, gotErr := s.Loops(t, tree)
			s.Matches(t, got, gotErr, text)
		})
	}
}

// TestSkewBesideBlocks skews a fused loop of which one statement has blocks further in: its points stay
// what they are in these, and numbers of blocks are added.
func TestSkewBesideBlocks(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[9, 6]
  out B: int32[9, 6]
  out C: int32[9, 6]
  for i in 0:9, j in 0:6 { B[i, j] = A[i, j] * 2i32 }
  for k in 0:9, l in 0:6 { C[k, l] = A[k, l] + 1i32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(name string, nests []*Nest, args ...int64) *Nest {
		tr, _ := Lookup(name)
		n, err := tr.Apply(nests, Ints(args...), Call{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	blocks := apply("stripmine", []*Nest{Build(f, 1)}, 1, 20)
	blocks = apply("interchange", []*Nest{blocks}, 1, 3)
	n := apply("fuse_union", []*Nest{Build(f, 0), blocks}, 2)
	n = apply("skew", []*Nest{n}, 1, 2, 2)
	tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small})
	if err != nil {
		t.Fatalf("%v\n%v", err, n)
	}
	rapid.Check(t, func(t *rapid.T) {
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
}
