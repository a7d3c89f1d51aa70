package mapping

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

const paperFile = "testdata/paper.txtar"

// TestPaperGrids: the rows of the paper's figures are one launch each, which the evaluator of loops runs without races, with the
// results of the reference.
func TestPaperGrids(t *testing.T) {
	archive, err := txtar.ParseFile(paperFile)
	if err != nil {
		t.Fatal(err)
	}
	grid, ok := machine.Named("cuda").Grid()
	if !ok {
		t.Fatal("cuda has no groups")
	}
	for k := 0; k+1 < len(archive.Files); k += 2 {
		name, text := strings.TrimSuffix(archive.Files[k].Name, ".ein"), string(archive.Files[k+1].Data)
		t.Run(name, func(t *testing.T) {
			f, err := ein.ParseFunc(name, string(archive.Files[k].Data))
			if err != nil {
				t.Fatal(err)
			}
			o, err := Parse(strings.TrimSpace(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			made, err := Explain(f, &machine.Processor{Grid: &grid}, o)
			if err != nil {
				t.Fatalf("%v\n%s", err, schedule.Print(made.Tree))
			}
			p := scheduletest.Pair{Tree: made.Tree}
			p.F, p.G, p.Sizes = f, f, map[string]int64{}
			if p.Args, err = eintest.Arguments(5, f, nil); err != nil {
				t.Fatal(err)
			}
			kernel, proved, err := p.Lower()
			if err != nil || !proved {
				t.Fatalf("proved %t: %v\n%s", proved, err, p)
			}
			if n := len(loop.Grids(kernel)); n != 1 {
				t.Errorf("%d launches\n%s", n, schedule.Print(made.Tree))
			}
			local := len(loop.Grids(kernel)[0].Local) > 0
			if local != o.Shared {
				t.Errorf("local memory %t, asked for %t", local, o.Shared)
			}
			for order := range uint64(2) {
				if err := p.Judge(kernel, order); err != nil {
					t.Errorf("%v\n%s", err, p)
				}
			}
		})
	}
}

// TestDrawnGrids makes trees of random options for random functions on a device: all are legal, fit the device, and compute what the
// functions mean without races.
func TestDrawnGrids(t *testing.T) {
	one := func(list ...int64) func(t *rapid.T, what string) int64 {
		return func(t *rapid.T, what string) int64 { return rapid.SampledFrom(list).Draw(t, what) }
	}
	tile, count := one(0, 1, 2, 3, 4, 8), one(1, 2, 3, 4)
	few := func(t *rapid.T, draw func(*rapid.T, string) int64, most int, what string) (list []int64) {
		for range rapid.IntRange(0, most).Draw(t, what) {
			list = append(list, draw(t, what))
		}
		return list
	}
	launches, local := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, ok := scheduletest.DrawPair(t)
		if !ok || schedule.Check(p.G, schedule.Canonical(p.G)) != nil { // statements that read what they write, in no order that is legal
			return
		}
		o := Options{
			Fusion: rapid.SampledFrom(strategies).Draw(t, "fuse"), Unroll: int64(1) << rapid.IntRange(0, 4).Draw(t, "unroll"),
			Tile: few(t, tile, 4, "tile"), Threads: few(t, count, 3, "threads"), Blocks: few(t, count, 3, "blocks"),
			Shared: rapid.Bool().Draw(t, "shared"), Private: rapid.Bool().Draw(t, "private"),
		}
		grid := machine.Grid{Local: 1 << rapid.IntRange(6, 12).Draw(t, "local"), Items: rapid.SampledFrom([]int64{1, 4, 12, 64}).Draw(t, "items"), Along: [3]int64{0, 0, 2}}
		made, err := Explain(p.G, &machine.Processor{Grid: &grid}, o)
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", o, err, p.G, schedule.Print(made.Tree))
		}
		p.Tree, p.How = made.Tree, o.String()
		kernel, proved, err := p.Lower()
		if err == nil && proved {
			err = loop.VerifyFor(kernel, loop.Capacity{Local: grid.Local, Items: grid.Items, Along: grid.Along})
		}
		if err == nil {
			err = p.Judge(kernel, 1)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", o, err, p)
		}
		for _, g := range loop.Grids(kernel) {
			launches++
			if len(g.Local) > 0 {
				local++
			}
		}
	})
	t.Logf("%d launches, %d with local memory", launches, local)
}

// TestGridOptions says what is done with options that a device cannot obey, and what the space of a device has.
func TestGridOptions(t *testing.T) {
	f, err := ein.ParseFunc("product", `func product {
  in A: float32[64, 64]
  in B: float32[64, 64]
  out C: float32[64, 64]
  for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine.Processor{Grid: &machine.Grid{Local: 128, Items: 64, Along: [3]int64{0, 0, 1}}}
	for text, want := range map[string]string{
		".tile(8, 8).mapToThreads(8, 8)":                        "",
		".tile(8, 8).mapToThreads(128, 8)":                      "mapToThreads asks for 128 threads along x, and a group has 64 there; mapToThreads asks for 8 threads along y, and a group has 1 there",
		".tile(8, 8).mapToThreads(8, 4, 2)":                     "mapToThreads asks for 2 threads along z, and a group has 1 there",
		".tile(8, 8).mapToThreads(8, 8).useSharedMemory(true)":  "useSharedMemory has no effect on S0: nothing is read several times, or its block has no room, or copies are not legal there",
		".tile(8, 8, 2).mapToThreads(8).useSharedMemory(true)":  "",
		".tile(8).mapToThreads(8).unrollCopyShared(true)":       "unrollCopyShared has no effect: copies are vector loops",
		"naive.tile(4, 4).mapToThreads(4, 4).mapToBlocks(2, 2)": "",
	} {
		o, err := Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := Explain(f, m, o)
		if err != nil {
			t.Fatal(err)
		}
		var idle []string
		for _, r := range made.Idle {
			idle = append(idle, r.Text)
		}
		if got := strings.Join(idle, "; "); got != want {
			t.Errorf("%s: %q, expected %q\n%s", text, got, want, schedule.Print(made.Tree))
		}
	}
	s := NewSpace(f, m, Default())
	o, err := s.Options(s.Point(Options{Fusion: Max, Tile: []int64{8, 16}, Threads: []int64{16, 4}, Unroll: 2, Private: true}))
	if err != nil || o.String() != ".fuse(max).tile(8, 16, 0).unroll(2).mapToThreads(16, 4).useSharedMemory(false).usePrivateMemory(true)" {
		t.Errorf("%v, %v", o, err)
	}
}
