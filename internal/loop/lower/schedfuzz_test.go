package lower_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// TestScheduleFuzz draws schedules of random functions: whatever Check accepts is
// lowered, proved to stay in bounds, and computes what the reference evaluator
// does.
func TestScheduleFuzz(t *testing.T) {
	accepted, refused, guarded, shared, counted, whole, copied, contracted := 0, 0, 0, 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.FuncWith(t, eintest.Options{NoHalf: true})
		sizes := eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Specialise(sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "optimise") {
			if g, err = rewrite.Optimise(g, numerics.Default); err != nil {
				t.Fatal(err)
			}
		}
		if len(g.Body) == 0 {
			return
		}
		tree := schedule.Canonical(g)
		mk := scheduletest.NewTrees(t, g)
		tree.Root = mk.Tree()
		mk.SkewBlocks(tree.Root, nil)
		if schedule.Check(g, tree) != nil {
			refused++
			return
		}
		accepted++
		if len(mk.Shared) > 0 {
			shared++
		}
		if schedule.LevelsOf(tree).Any() {
			counted++
		}
		placements, err := schedule.Placements(g, tree)
		if err != nil {
			t.Fatal(err)
		}
		for n, p := range placements {
			if p.In || p.Out {
				copied++
			} else if len(p.Uses) > 0 && g.Tensor(n.Tensor).Role == ein.Temp {
				contracted++
			}
		}
		if hasShared(tree.Root) {
			whole++
		}
		frames := schedule.FramesOf(g, tree)
		for s, c := range g.Body {
			if frames.Guarded(s, c) {
				guarded++
				break
			}
		}
		kernel, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatalf("lower: %v\n%s\n%s", err, g, schedule.Print(tree))
		}
		if err := loop.Verify(kernel); err != nil {
			t.Fatalf("verify: %v\n%s\n%s", err, g, schedule.Print(tree))
		}
		compare(t, f, g, tree, kernel, args, sizes)
	})
	t.Logf("%d schedules accepted, %d of them skewed or over several ranges, %d with counted blocks, %d with accumulators above a sequence, %d with those of all results, %d refused; %d blocks are copied, %d are all that a temporary has",
		accepted, guarded, counted, shared, whole, refused, copied, contracted)
}

// hasShared reports whether there are accumulators of all results in a subtree.
func hasShared(n schedule.Node) bool {
	a, ok := n.(*schedule.Accumulate)
	return ok && a.Region >= schedule.Shared || slices.ContainsFunc(schedule.Children(n), hasShared)
}
