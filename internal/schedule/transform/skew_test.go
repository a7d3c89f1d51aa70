package transform

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// inTiles is the tile of std.teml: all levels in blocks of v, the loops over blocks outside.
func inTiles(t interface{ Fatal(...any) }, n *Nest, v int64) *Nest {
	apply := func(name string, args ...int64) {
		tr, _ := Lookup(name)
		var err error
		if n, err = tr.Apply([]*Nest{n}, Ints(args...), Call{}); err != nil {
			t.Fatal(err)
		}
	}
	d := int64(len(n.Loops()))
	for r := range d {
		apply("stripmine", 2*r+1, v)
	}
	for r := int64(1); r <= d; r++ { // block r comes behind those before it
		for k := 2*r - 1; k > r; k-- {
			apply("interchange", k-1, k)
		}
	}
	return n
}

// TestSkewedReductions runs random nests around a sum of which some level is skewed by
// another, reduced or not: no order of them breaks a dependence, none is refused, and all
// compute what the evaluator does.
func TestSkewedReductions(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in A: int32[5, 7]
  in B: int32[7, 6]
  in D: int32[5, 6]
  out C: int32[5, 6]
  for i in 0:5, j in 0:6, k in 0:7 reduce + {
    C[i, j] = A[i, k] * B[k, j] + D[i, j]
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := Build(f, 0)
		try := func(name string, args ...int64) bool {
			tr, _ := Lookup(name)
			next, err := tr.Apply([]*Nest{n}, Ints(args...), Call{})
			if err == nil {
				n = next
			}
			return err == nil
		}
		pick := func(lo, hi int, what string) int64 { return int64(rapid.IntRange(lo, max(lo, hi)).Draw(t, what)) }
		for range rapid.IntRange(0, 2).Draw(t, "exchanges before") {
			try("interchange", 1, pick(2, 3, "level"))
		}
		first := pick(1, 2, "by")
		if !try("skew", first, pick(int(first)+1, 3, "skewed"), rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(t, "factor")) {
			t.Fatal("a level of three cannot be skewed")
		}
		for range rapid.IntRange(0, 2).Draw(t, "more skews") {
			a := pick(1, 2, "outer")
			b := pick(int(a)+1, 3, "inner")
			try("interchange", a, b)
			try("skew", a, b, rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(t, "factor"))
		}
		switch pick(0, 2, "cut") {
		case 1:
			try("stripmine", pick(1, 3, "level"), pick(1, 4, "block"))
		case 2:
			n = inTiles(t, n, pick(1, 4, "block"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			d := len(n.Loops())
			switch pick(0, 5, "change") {
			case 0:
				try("reverse", pick(1, d, "level"))
			case 1:
				try("parallelize", pick(1, d, "level"))
			case 2:
				try("vectorize", pick(1, d, "level"))
			case 3:
				try("unroll", pick(1, d, "level"))
			default:
				a := pick(1, d-1, "outer")
				try("interchange", a, pick(int(a)+1, d, "inner"))
			}
		}
		tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small})
		if err != nil {
			t.Fatalf("%v\n%v", err, n)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
}
