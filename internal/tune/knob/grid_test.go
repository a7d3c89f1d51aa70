package knob

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestGrids makes spaces around default schedules for machines with groups: the origin is the default, points differ in the numbers of items
// and of groups' blocks, most are legal and fit into the machine (histograms have local memory for each item).
func TestGrids(t *testing.T) {
	files, err := filepath.Glob("../../schedule/grids/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no functions", err)
	}
	for _, name := range []string{"opencl", "cuda+wrp"} {
		m, err := machine.Named(name).Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		legal, all, items := 0, 0, map[int64]bool{}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ein.ParseFunc(file, string(archive.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := grids.Default(f, *m.Grid)
			if err != nil {
				t.Fatal(err)
			}
			s := Of(f, tree, m)
			points, err := space.New(s.Groups()...)
			if err != nil {
				t.Fatalf("%s: %v\n%s", file, err, schedule.Print(tree))
			}
			if _, err := points.Index(s.Origin()); err != nil {
				t.Errorf("%s: the origin %v: %v\n%s", file, s.Origin(), err, schedule.Print(tree))
			}
			if same, err := s.Tree(s.Origin()); err != nil || schedule.Print(same) != schedule.Print(tree) {
				t.Errorf("%s: the tree of the origin is\n%s(%v), expected\n%s", file, schedule.Print(same), err, schedule.Print(tree))
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range sweep.Draws(t, 20, 400) {
				made, err := s.Tree(points.Random(rng))
				if all++; err != nil || schedule.Check(f, made) != nil {
					continue
				}
				lowered, err := lower.Lower(f, made, lower.Options{Machine: m})
				if err == nil {
					err = loop.Verify(lowered)
				}
				if err != nil {
					t.Errorf("%s: %v\n%s", file, err, schedule.Print(made))
					continue
				}
				if loop.VerifyFor(lowered, lower.Capacity(m)) != nil {
					continue // sums of more items than the local memory has room for
				}
				legal++
				for _, g := range loop.Grids(lowered) {
					items[g.GroupItems()] = true
				}
			}
		}
		if 10*legal < 8*all || len(items) < 10 {
			t.Errorf("%s: %d of %d random points are legal, with groups of %d sizes", name, legal, all, len(items))
		}
	}
}
