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
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestSpaces makes spaces around the default schedules of all kinds of functions:
// the origin is the default itself, and most random points are legal and can be
// lowered.
func TestSpaces(t *testing.T) {
	files, err := filepath.Glob("../../schedule/standard/testdata/default/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no functions", err)
	}
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	legal, all := 0, 0
	for _, file := range sweep.Some(t, files, 3) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ein.ParseFunc(file, string(archive.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := standard.Default(f, m)
		if err != nil {
			t.Fatal(err)
		}
		s := Of(f, tree, nil)
		points, err := space.New(s.Groups()...)
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, schedule.Print(tree))
		}
		origin := s.Origin()
		if _, err := points.Index(origin); err != nil {
			t.Errorf("%s: the origin %v: %v\n%s", file, origin, err, schedule.Print(tree))
		}
		if same, err := s.Tree(origin); err != nil || schedule.Print(same) != schedule.Print(tree) {
			t.Errorf("%s: the tree of the origin is\n%s(%v), expected\n%s", file, schedule.Print(same), err, schedule.Print(tree))
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			p := points.Random(rng)
			made, err := s.Tree(p)
			if all++; err != nil || schedule.Check(f, made) != nil {
				continue
			}
			legal++
			lowered, err := lower.Lower(f, made, lower.Options{})
			if err == nil {
				err = loop.Verify(lowered)
			}
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", file, points.Text(p), err, schedule.Print(made))
			}
		}
	}
	t.Logf("%d of %d random points are legal", legal, all)
	if 10*legal < 9*all {
		t.Errorf("only %d of %d random points are legal", legal, all)
	}
}

func TestPermutations(t *testing.T) {
	list := []*schedule.Member{{Tile: 1}, {Tile: 2}, {Tile: 3}, {Tile: 4}}
	seen := map[[4]int64]bool{}
	for n := range int64(24) {
		var key [4]int64
		for i, m := range permuted(list, n) {
			key[i] = m.Tile
		}
		seen[key] = true
		if n == 0 && key != [4]int64{1, 2, 3, 4} {
			t.Errorf("permutation 0 is %v", key)
		}
	}
	if len(seen) != 24 {
		t.Errorf("%d different permutations", len(seen))
	}
}
