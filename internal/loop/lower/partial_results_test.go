package lower_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/tensor"
)

// TestKeepOrder: sums that are rounded say in which order parts are combined.
func TestKeepOrder(t *testing.T) {
	f, err := ein.ParseFunc("sums", "func sums {\n  in x: float32[22]\n  out s: float32[1]\n  for o in 0:1, k in 0:22 reduce + { s[o] = x[k] }\n}")
	if err != nil {
		t.Fatal(err)
	}
	x, _ := tensor.New(tensor.Float32, 22)
	tensor.FillRandom(x, 7)
	// at is what a point adds: k by its digits, of blocks of 6, of blocks of 3 in them, of points.
	at := func(d [3]int) float32 {
		if k := d[0]*6 + d[1]*3 + d[2]; k < 22 {
			return float32(x.FloatAt(k))
		}
		return 0
	}
	// combine adds the parts of the levels that keep theirs, the first one last, and those of the others as
	// they come.
	counts := [3]int{4, 2, 3}
	var combine func(kept, others []int, d [3]int, sum *float32)
	combine = func(kept, others []int, d [3]int, sum *float32) {
		switch {
		case len(kept) > 0:
			for n := range counts[kept[0]] {
				d[kept[0]] = n
				part := float32(0)
				combine(kept[1:], others, d, &part)
				*sum += part
			}
		case len(others) > 0:
			for n := range counts[others[0]] {
				d[others[0]] = n
				combine(nil, others[1:], d, sum)
			}
		default:
			*sum += at(d)
		}
	}
	expected, trees := map[string]float32{}, map[string]*schedule.Tree{}
	for _, test := range []struct {
		region, band string
		kept, others []int // digits
	}{
		{"private", "band S0.k tile 6 | S0.k tile 3 | S0.k partial 1", []int{2}, []int{0, 1}},
		{"private", "band S0.k tile 6 | S0.k tile 3 partial 1 | S0.k partial 2", []int{1, 2}, []int{0}},
		{"private", "band S0.k tile 6 | S0.k tile 3 unroll partial 2 | S0.k unroll partial 1", []int{2, 1}, []int{0}},
		{"private", "band S0.k | S0.k tile 3 partial 2 | S0.k tile 6 partial 1", []int{0, 1}, []int{2}},
		{"private", "band S0.k tile 3 partial 1 | S0.k tile 6 | S0.k", []int{1}, []int{0, 2}},
		{"shared", "band S0.k tile 6 parallel partial 2 | S0.k tile 3 | S0.k partial 1", []int{2, 0}, []int{1}},
		{"register", "band S0.k tile 6 | S0.k tile 3 unroll partial 2 | S0.k unroll partial 1", []int{2, 1}, []int{0}},
	} {
		tree, err := schedule.Parse("domain S0[o, k]\nband S0.o\n  accumulate S0 " + test.region + "\n    " + test.band + "\n")
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Errorf("%s: %v", test.band, err)
			continue
		}
		if again, err := schedule.Parse(schedule.Print(tree)); err != nil || schedule.Print(again) != schedule.Print(tree) {
			t.Errorf("%v\n%s", err, schedule.Print(tree))
		}
		want := float32(0)
		combine(test.kept, test.others, [3]int{}, &want)
		key := test.region + " " + test.band
		expected[key], trees[key] = want, tree
	}
	rapid.Check(t, func(t *rapid.T) {
		band := rapid.SampledFrom(slices.Sorted(maps.Keys(trees))).Draw(t, "band")
		got, err := scheduletest.Subject{F: f, G: f, Args: map[string]*tensor.Tensor{"x": x}}.Loops(t, trees[band])
		if err != nil || float32(got["s"].FloatAt(0)) != expected[band] {
			t.Fatalf("%v: %s is %v, expected %v", err, band, got["s"].FloatAt(0), expected[band])
		}
	})
}

// keepForms are reductions with operators of all kinds.
var keepForms = []string{
	"in A: float32[7, 11] in B: float32[11, 9] out C: float32[7, 9] for i in 0:7, j in 0:9, k in 0:11 reduce + { C[i, j] = A[i, k] * B[k, j] }",
	"in A: int32[7, 11] out C: int32[7] for i in 0:7, j in 0:11 reduce max { C[i] = A[i, j] }",
	"in A: bfloat16[6, 5, 7] out C: float32[6] for i in 0:6, j in 0:5 reduce *, k in 0:7 reduce * { C[i] = float32(A[i, j, k]) }",
}

// TestKeep runs reductions some of whose loops keep partial results.
func TestKeep(t *testing.T) {
	kept, parallel, drawn := 0, 0, 0
	one := func(t *rapid.T) {
		drawn++
		text := rapid.SampledFrom(keepForms).Draw(t, "form")
		f, err := ein.ParseFunc("form", "func f {"+text+"}")
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatal(err)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: g, Args: args}
		tree := keeping(t, g)
		if schedule.Check(g, tree) != nil {
			return
		}
		members := membersOf(tree.Root)
		first, parts := rapid.IntRange(0, len(members)-1).Draw(t, "first loop"), rapid.Bool().Draw(t, "parallel")
		for n := range members { // as many as are legal, from a drawn one on
			m := members[(first+n)%len(members)]
			m.Partial, m.Parallel = int64(n+1), parts
			if schedule.Check(g, tree) != nil {
				m.Partial, m.Parallel = 0, false
				continue
			}
			if kept++; m.Parallel {
				parallel++
			}
		}
		if err := schedule.Check(g, tree); err != nil {
			return
		}
		got, err := s.Loops(t, tree)
		s.Matches(t, got, err, schedule.Print(tree))
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			one(t)
		}
	})
	t.Logf("%d loops of %d trees keep partial results, %d of them parallel", kept, drawn, parallel)
	if kept < drawn/8 || drawn >= 100 && parallel == 0 {
		t.Errorf("%d loops of %d trees keep partial results, %d of them parallel", kept, drawn, parallel)
	}
}

// keeping draws a tree of one reduction with private accumulators: blocks, points and vectors in any order.
func keeping(t *rapid.T, f *ein.Func) *schedule.Tree {
	tree := schedule.Canonical(f)
	var outside, inside []*schedule.Member
	vector := rapid.IntRange(0, 2*len(f.Body[0].Indices)).Draw(t, "vector")
	var last *schedule.Member
	for k, i := range f.Body[0].Indices {
		loop := func(tile int64) *schedule.Member {
			return &schedule.Member{Loops: []schedule.Loop{{Statement: 0, Index: i.Name}}, Tile: tile, Unroll: rapid.IntRange(0, 3).Draw(t, "unroll") == 0}
		}
		point := loop(1)
		if k == vector {
			point.Vector, point.Unroll, last = 4, false, point
		} else if i.Combine.Kind == ein.Concat && rapid.Bool().Draw(t, "outside") {
			outside = append(outside, point)
		} else {
			inside = append(inside, point)
		}
		for _, tile := range []int64{4, 8} {
			if rapid.Bool().Draw(t, "cut") {
				inside = append(inside, loop(tile))
			}
		}
	}
	if len(inside) > 1 {
		inside = rapid.Permutation(inside).Draw(t, "order")
	}
	if last != nil {
		inside = append(inside, last)
	}
	a := &schedule.Accumulate{Region: rapid.SampledFrom([]schedule.Region{schedule.Private, schedule.Shared, schedule.Register}).Draw(t, "region"), Child: &schedule.Leaf{}}
	if len(inside) > 0 {
		a.Child = &schedule.Band{Members: inside, Child: &schedule.Leaf{}}
	}
	tree.Root = a
	if len(outside) > 0 {
		tree.Root = &schedule.Band{Members: outside, Child: a}
	}
	return tree
}

func membersOf(n schedule.Node) (list []*schedule.Member) {
	if b, ok := n.(*schedule.Band); ok {
		list = append(list, b.Members...)
	}
	for _, child := range schedule.Children(n) {
		list = append(list, membersOf(child)...)
	}
	return list
}
