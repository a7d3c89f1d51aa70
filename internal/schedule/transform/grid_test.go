package transform

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestGrids marks levels of drawn nests as groups and items, and promotes tensors to local memory: what is not refused runs without
// races and computes what the function means.
func TestGrids(t *testing.T) {
	legal, refused, items, local := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := scheduletest.Draw(t, eintest.Options{NoHalf: true, Statements: 2})
		if len(s.G.Body) == 0 {
			return
		}
		var nests []*Nest
		for k := range s.G.Body {
			n := Build(s.G, k)
			try := func(name string, args ...Argument) {
				tr, _ := Lookup(name)
				if next, err := tr.Apply([]*Nest{n}, args, Call{}); err == nil {
					n = next
				}
			}
			depth := int64(len(n.Loops()))
			if depth > 1 && rapid.Bool().Draw(t, "other order") {
				try("interchange", Ints(1, depth)...)
			}
			if depth > 0 && rapid.Bool().Draw(t, "blocks") {
				try("stripmine", Ints(rapid.Int64Range(1, depth).Draw(t, "cut"), rapid.Int64Range(1, 4).Draw(t, "block"))...)
			}
			depth = int64(len(n.Loops()))
			group := rapid.Int64Range(0, min(1, depth)).Draw(t, "groups")
			try("groups", Ints(group)...)
			if group > 0 && group < depth {
				at := rapid.Int64Range(group+1, depth).Draw(t, "at")
				try("items", Ints(at, rapid.Int64Range(1, 5).Draw(t, "items"))...)
				if rapid.Bool().Draw(t, "local") {
					try("promote", Int(at), Argument{Name: rapid.SampledFrom(s.G.Tensors).Draw(t, "tensor").Name}, Argument{Name: "local"})
				}
			}
			nests = append(nests, n)
		}
		tree, _, err := Tree(s.G, nests, Options{Machine: &machine.Processor{Grid: &machine.Grid{Items: 64}}})
		var list source.ErrorList
		if errors.As(err, &list) && (list[0].Code == source.ScheduleIllegal || list[0].Code == source.ScheduleMisfit) {
			refused++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s\n%v", err, s.G, nests)
		}
		if !schedule.HasGrids(tree.Root) {
			return
		}
		legal++
		if schedule.HasItems(tree.Root) {
			items++
		}
		pair := scheduletest.Pair{Subject: s, Tree: tree}
		kernel, _, err := pair.Lower()
		if err != nil {
			t.Fatalf("%v\n%s", err, pair)
		}
		for _, f := range pair.Features(kernel) {
			if f == "kernel with local memory" {
				local++
			}
		}
		if err := pair.Judge(kernel, 1); err != nil {
			t.Fatalf("%v\n%s", err, pair)
		}
	})
	t.Logf("%d legal, %d with items, %d with local memory, %d refused", legal, items, local, refused)
}
