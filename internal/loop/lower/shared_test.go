package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// drawReductions draws sums and element-wise statements over n by m points that use each
// other's results, so that some may share the loop over a reduced index, and others not.
func drawReductions(t *rapid.T, n, m string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func f {\n  in X: float32[%s, %s]\n  inout A: float32[%s + 2]\n  inout B: float32[%s + 2, %s + 2]\n  inout C: float32[%s + 2]\n", n, m, n, n, m, n)
	draw := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "choice") }
	i := func() string { return draw("i", "i + 1i64", "i + 1i64", "i + 2i64") }
	j := func() string { return draw("j", "j + 1i64", "j + 1i64", "j + 2i64") }
	value := func() string {
		return draw("A["+i()+"]", "C["+i()+"]", "B["+i()+", "+j()+"]", "A["+i()+"] * X[i, j]", "C["+i()+"] * B["+i()+", "+j()+"]", "X[i, j]")
	}
	for range rapid.IntRange(2, 3).Draw(t, "statements") {
		before := draw("", "", "accumulate + ")
		if target := draw("A", "B", "C"); target == "B" {
			fmt.Fprintf(&text, "  for i in 0:%s, j in 0:%s %s{ B[i + 1i64, j + 1i64] = %s }\n", n, m, before, value())
		} else {
			fmt.Fprintf(&text, "  for i in 0:%s, j in 0:%s reduce + %s{ %s[i + 1i64] = %s }\n", n, m, before, target, value())
		}
	}
	return text.String() + "}"
}

// sharing draws a tree in which all statements share the loops over i and j, with the
// accumulators of sums between, and what is left of j below.
func sharing(t *rapid.T, f *ein.Func) schedule.Node {
	below := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	shared := func(index string) *schedule.Member {
		m := &schedule.Member{Tile: int64(1 + 2*below(2, "tile")), Reverse: below(4, "reverse") == 0}
		shifts := below(2, "shifts") == 0
		for s := range f.Body {
			l := schedule.Loop{Statement: s, Index: index}
			if shifts {
				l.Shift = int64(below(3, "shift"))
			}
			m.Loops = append(m.Loops, l)
		}
		return m
	}
	points := func(m *schedule.Member) *schedule.Member {
		p := *m
		p.Tile = 1
		return &p
	}
	rows, columns := shared("i"), shared("j")
	sequence := &schedule.Sequence{}
	for s, c := range f.Body {
		var rest schedule.Node = &schedule.Leaf{}
		for _, m := range []*schedule.Member{columns, rows} {
			if m.Tile == 1 {
				continue
			}
			rest = &schedule.Band{Members: []*schedule.Member{{Loops: []schedule.Loop{m.Loops[s]}, Tile: 1}}, Child: rest}
			if len(ein.Reduced(c)) > 0 && m == columns && below(2, "further accumulators") == 0 {
				rest = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: rest}
			}
		}
		sequence.Children = append(sequence.Children, &schedule.Filter{Statements: []int{s}, Child: rest})
	}
	var tree schedule.Node = &schedule.Band{Members: []*schedule.Member{columns}, Child: sequence}
	for s, c := range f.Body {
		if len(ein.Reduced(c)) > 0 {
			region := rapid.SampledFrom([]schedule.Region{schedule.Register, schedule.Private, schedule.Output, schedule.Early}).Draw(t, "region")
			tree = &schedule.Accumulate{Statement: s, Region: region, Child: tree}
		}
	}
	members := []*schedule.Member{rows}
	if rows.Tile > 1 && below(2, "all of a tile") == 0 {
		members = append(members, points(rows))
		for _, child := range sequence.Children {
			child.Child = withoutRows(child.Child)
		}
	}
	return &schedule.Band{Members: members, Child: tree}
}

// withoutRows leaves out the loops over i.
func withoutRows(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Band:
		if n.Members[0].Loops[0].Index == "i" {
			return withoutRows(n.Child)
		}
		n.Child = withoutRows(n.Child)
	case *schedule.Accumulate:
		n.Child = withoutRows(n.Child)
	}
	return n
}

// TestSharedReductions draws trees in which other statements run in the life of
// accumulators, and compares the legal ones with the evaluator.
func TestSharedReductions(t *testing.T) {
	shared, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		symbolic := rapid.Bool().Draw(t, "symbolic")
		sizes := map[string]int64{"n": rapid.Int64Range(1, 9).Draw(t, "n"), "m": rapid.Int64Range(1, 9).Draw(t, "m")}
		n, m, known := fmt.Sprint(sizes["n"]), fmt.Sprint(sizes["m"]), ""
		if symbolic {
			n, m, known = "n", "m", "func f {\n  size n = dim 0 of X\n  size m = dim 1 of X\n"
		}
		text := drawReductions(t, n, m)
		if symbolic {
			text = known + strings.TrimPrefix(text, "func f {\n")
		} else {
			sizes = nil
		}
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		tree := schedule.Canonical(f)
		tree.Root = sharing(t, f)
		if schedule.Check(f, tree) != nil {
			refused++
			return
		}
		shared++
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, schedule.Print(tree))
		}
		if err := loop.Verify(kernel); err != nil && !(symbolic && errors.Is(err, loop.ErrUnproved)) {
			t.Fatalf("verify: %v\n%s\n%s", err, f, schedule.Print(tree))
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f, f, tree, kernel, args, sizes)
	})
	t.Logf("%d trees accepted, %d refused", shared, refused)
}
