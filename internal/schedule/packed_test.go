package schedule_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPackedBlocks: the blocks of an input are copied before everything else where they are those of
// equal tiles of whole arrays.
func TestPackedBlocks(t *testing.T) {
	const product = `func product {
  in A: float32[24, 24]
  in B: float32[24, 24]
  out C: float32[24, 24]
  for i in 0:24, j in 0:24, k in 0:24 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	const window = `func window {
  in B: float32[40, 24]
  out C: float32[24, 24]
  for i in 0:24, j in 0:24, k in 0:8 reduce + { C[i, j] = B[i + k, j] }
}`
	const gather = `func gather {
  in A: int64[24, 24]
  in B: float32[24, 24]
  out C: float32[24, 24]
  for i in 0:24, j in 0:24, k in 0:24 reduce + { C[i, j] = B[max(0i64, min(A[i, k], 23i64)), j] }
}`
	for _, test := range []struct {
		program, outer, inner string
		packed                bool
	}{
		{product, "S0.j tile 8", "S0.i tile 6", true},
		{product, "S0.j tile 12", "S0.j tile 4", true},
		{product, "S0.j tile 12", "S0.j tile 5", false},
		{product, "S0.j tile 4", "S0.j tile 12", false},
		{product, "S0.j tile 12", "S0.j tile 4 unroll", true},
		{product, "S0.i tile 12", "S0.i tile 5", true},
		{product, "S0.k tile 12", "S0.k tile 6", true},
		{product, "S0.k tile 12", "S0.k tile 7", false},
		{product, "S0.j tile 12 | S0.k tile 12", "S0.j tile 4 | S0.k tile 6", true},
		{product, "S0.j tile 12 | S0.k tile 12", "S0.j tile 4 | S0.k tile 5", false},
		{window, "S0.j tile 12", "S0.j tile 4", true},
		{window, "S0.j tile 12", "S0.j tile 5", false},
		{gather, "S0.j tile 12", "S0.j tile 4", false},
	} {
		f, err := ein.ParseFunc("packed", test.program)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j, k]
accumulate S0 private
  band %s
    band %s
      place B workspace
        band S0.i | S0.k | S0.j
`, test.outer, test.inner))
		if err != nil {
			t.Fatal(err)
		}
		placements, err := schedule.Placements(f, tree)
		if err != nil {
			t.Errorf("%s of %s, then %s: %v", f.Name, test.outer, test.inner, err)
		}
		for _, p := range placements {
			if p.Before != test.packed {
				t.Errorf("%s of %s, then %s: copied before is %v", f.Name, test.outer, test.inner, p.Before)
			}
		}
	}
}

// TestThreadsHaveRoom has sums in the order of the program, around scans whose positions all need an
// accumulator.
func TestThreadsHaveRoom(t *testing.T) {
	const positions = machine.StackBytes / 4
	for _, test := range []struct {
		loops string
		bytes int
		want  bool
	}{
		{"for i in 0:8, k in 0:9 reduce + { Y[i, 0i64] = X[i, k, 0i64] }", 64, true},
		{"for i in 0:8, k in 0:9 reduce + ordered { Y[i, 0i64] = X[i, k, 0i64] }", 64, true},
		{"for i in 0:8, k in 0:9 reduce + ordered, l in 0:100 scan + { Y[i, l] = X[i, k, l] }", 64, true},
		// The sum has an accumulator for each position, the scan one.
		{fmt.Sprintf("for i in 0:8, k in 0:9 reduce + ordered, l in 0:%d scan + { Y[i, l] = X[i, k, l] }", positions-1), 4, true},
		{fmt.Sprintf("for i in 0:8, k in 0:9 reduce + ordered, l in 0:%d scan + { Y[i, l] = X[i, k, l] }", positions), 4, false},
		{fmt.Sprintf("for i in 0:8, k in 0:9 reduce + ordered, l in 0:%d scan + { Y[i, l] = X[i, k, l] }", positions-1), 64, false},
		{fmt.Sprintf("for i in 0:8, k in 0:9 reduce + ordered, l in 0:%d scan + { Y[i, l] = X[i, k, l] }", positions/16-1), 64, true},
		{fmt.Sprintf("for i in 0:8, k in 0:9 reduce + ordered, l in 0:%d scan + { Y[i, l] = X[i, k, l] }", positions/16-1), 0, true},
		{"for i in 0:8, k in 0:9 reduce + ordered, l in 0:N scan + { Y[i, l] = X[i, k, l] }", 4, false},
	} {
		f, err := ein.ParseFunc("ordered", "func ordered {\n  size N\n  in X: float32[8, 9, 300000]\n  out Y: float32[8, 300000]\n  "+test.loops+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		if got := schedule.ThreadsHaveRoom(f.Body[0], test.bytes); got != test.want {
			t.Errorf("%s in vectors of %d bytes: %v", test.loops, test.bytes, got)
		}
	}
}

// TestPlacedResults: a block of a result that grows in it is read before, one that is complete is not.
func TestPlacedResults(t *testing.T) {
	f, err := ein.ParseFunc("product", `func product {
  in A: float32[24, 24]
  in B: float32[24, 24]
  out C: float32[24, 24]
  for i in 0:24, j in 0:24, k in 0:24 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tree    string
		in, out bool
	}{
		{"accumulate S0 output\n  band S0.k tile 8\n    place C private\n      band S0.i | S0.j | S0.k\n", true, true},
		{"band S0.i tile 8\n  place C private\n    accumulate S0 output\n      band S0.k | S0.i | S0.j\n", false, true},
		{"band S0.i tile 8\n  place C private\n    accumulate S0 private\n      band S0.k | S0.i | S0.j\n", false, true},
		{"band S0.i tile 8\n  place A private\n    accumulate S0 output\n      band S0.k | S0.i | S0.j\n", true, false},
	} {
		tree, err := schedule.Parse("domain S0[i, j, k]\n" + test.tree)
		if err != nil {
			t.Fatal(err)
		}
		placements, err := schedule.Placements(f, tree)
		if err != nil || len(placements) != 1 {
			t.Errorf("%d places: %v\n%s", len(placements), err, test.tree)
		}
		for _, p := range placements {
			if p.In != test.in || p.Out != test.out || p.Before || p.Region != schedule.Private {
				t.Errorf("got %+v\n%s", p, test.tree)
			}
		}
	}
}

// TestApart: the points of a reduced index have partial results of their own where nothing else keeps
// them apart.
func TestApart(t *testing.T) {
	f, err := ein.ParseFunc("sums", "func sums {\n  in A: float32[24, 24]\n  out C: float32[24]\n  for i in 0:24, k in 0:24 reduce + { C[i] = A[i, k] }\n}")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tree  string
		legal bool
	}{
		{"band S0.i\n  accumulate S0 private\n    band S0.k tile 4\n      band S0.k unroll apart\n", true},
		{"band S0.i\n  accumulate S0 register\n    band S0.k tile 4\n      band S0.k unroll apart\n", false},
		{"band S0.i tile 8\n  accumulate S0 private\n    band S0.k tile 4\n      band S0.k unroll apart\n        band S0.i vector 8\n", false},
		{"band S0.i\n  accumulate S0 private\n    band S0.k tile 4\n      band S0.k apart\n", false},
	} {
		tree, err := schedule.Parse("domain S0[i, k]\n" + test.tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := schedule.Check(f, tree); (err == nil) != test.legal {
			t.Errorf("%v\n%s", err, test.tree)
		}
	}
}
