package standard

import (
	"math"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// differentMachines are unlike in all that rules read.
var differentMachines = []*machine.Processor{
	{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2},
	{VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 512 << 10, L3: 16 << 20, Cores: 8, Features: []string{"sse2", "avx", "avx2", "fma"}},
	{VectorBytes: 16, VectorRegisters: 32, L1: 64 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 64},
}

// TestDirections changes one fact of machines, and asks whether the schedules of programs change as they should: on no
// machine in the other direction, and on most of them at all.
func TestDirections(t *testing.T) {
	times := func(q machine.Quantity, factor float64) func(*machine.Processor) *machine.Processor {
		return func(m *machine.Processor) *machine.Processor { return m.WithValue(q, factor*m.Value(q)) }
	}
	with := func(set func(*machine.Processor)) func(*machine.Processor) *machine.Processor {
		return func(m *machine.Processor) *machine.Processor {
			other := *m
			set(&other)
			return &other
		}
	}
	ratio := func(name string, value float64) func(*machine.Processor) *machine.Processor {
		return with(func(m *machine.Processor) { m.Given.Set(name, value) })
	}
	const more, less = 1, -1
	for _, test := range []struct {
		fact      string
		change    func(*machine.Processor) *machine.Processor
		what      string
		of        func(shape) float64
		direction float64
		programs  []string
	}{
		{"a smaller L1", with(func(m *machine.Processor) { m.L1 /= 4 }), "points of blocks", blocks, less, []string{"bordered", "conv_points_short", "matmul_open", "stencil_planes", "transposed_result_columns"}},
		{"a smaller L2", with(func(m *machine.Processor) { m.L2 /= 4 }), "points of blocks", blocks, less, []string{"matmul_open", "rows_short", "scans_streamed", "stencil_planes", "uneven_blocks"}},
		{"a smaller L2", with(func(m *machine.Processor) { m.L2 /= 4 }), "tasks", tasks, more, []string{"across_pages", "rows_short", "sddmm", "sgemm_relu", "transposed_result"}},
		{"a smaller L3", with(func(m *machine.Processor) { m.L3 /= 4 }), "writes past the caches", streams, more, []string{"columns", "lines_of_columns", "rows_short", "softmax_large"}},
		{"fewer registers", with(func(m *machine.Processor) { m.VectorRegisters /= 2 }), "registers of a tile", register, less, []string{"abt", "attention", "conv", "matmul", "mttkrp"}},
		{"more registers", with(func(m *machine.Processor) { m.VectorRegisters *= 2 }), "registers of a tile", register, more, []string{"abt", "attention", "conv", "matmul", "mttkrp"}},
		{"longer vectors", with(func(m *machine.Processor) { m.VectorBytes *= 2 }), "lanes", lanes, more, []string{"attention", "conv", "gather", "matmul", "scans", "softmax"}},
		{"longer vectors", with(func(m *machine.Processor) { m.VectorBytes *= 2 }), "points of blocks", blocks, more, []string{"bordered", "columns", "conv", "dot", "few_columns"}},
		{"more cores", with(func(m *machine.Processor) { m.Cores *= 4 }), "tasks", tasks, more, []string{"abt", "conv", "gemv_scaled", "matmul_shallow", "pipeline"}},
		{"one core", with(func(m *machine.Processor) { m.Cores = 1 }), "tasks", tasks, less, []string{"abt", "conv", "gemv_scaled", "matmul_shallow", "pipeline"}},
		{"longer pages", times(machine.Page, 4), "copies", copies, less, []string{"across_pages", "matmul_few_rows_streamed", "sgemm_relu"}},
		{"prefetchers that need longer runs", times(machine.Run, 4), "points of blocks", blocks, more, []string{"interleaved_fused", "interleaved_passes", "long_of_several", "transpose_short"}},
		{"lines further ahead", times(machine.Ahead, 2), "bytes ahead", ahead, more, []string{"columns", "dot", "pipeline", "scans", "softmax_large"}},
		{"longer lines", times(machine.Line, 2), "points of blocks", blocks, more, []string{"channels_last", "transpose"}},
		{"longer lines", times(machine.Line, 2), "writes past the caches", streams, less, []string{"elements_large", "stencil_planes"}},
		{"threads that start slowly", times(machine.Fork, 100), "parallel loops", parallel, less, []string{"bordered", "columns_few_rows", "dot", "softmax", "transpose"}},
		{"a faster clock", times(machine.Clock, 4), "parallel loops", parallel, less, []string{"scans", "short_rows_of_bytes", "small_layers_norm"}},
		{"a slower L2", times(machine.NextBytes, 0.25), "parallel loops", parallel, more, []string{"short_rows_of_bytes"}},
		{"slower additions", times(machine.AddLatency, 2), "registers of a tile", register, more, []string{"blocks_packed_across", "long_of_several", "matmul_open"}},
		{"fewer loads", times(machine.Loads, 0.5), "registers of a tile", register, more, []string{"blocks_packed_across", "matmul_open"}},
		{"fewer lines on their way", times(machine.Pending, 0.4), "writes past the caches", streams, less, []string{"pipeline"}},
		{"a smaller share of L3", times(machine.Share, 0.02), "writes past the caches", streams, more, []string{"softmax_large"}},
		{"fewer units", times(machine.Units, 0.5), "registers of a tile", register, less, []string{"attention", "gemv_scaled"}},
		{"sums that lose by asking", ratio("asked-sums", 1.2), "nodes that ask ahead", asked, less, []string{"columns"}},
		{"near sums that lose by asking", ratio("asked-near-sums", 1.2), "nodes that ask ahead", asked, less, []string{"dot", "columns"}},
		{"rows that lose by asking", ratio("asked-rows", 1.2), "nodes that ask ahead", asked, less, []string{"transpose", "transpose_short", "abt", "matmul_few_rows_streamed", "rows_once"}},
		{"no ways of L2", times(machine.NextWays, 0.1), "nodes that ask ahead", asked, less, []string{"conv_points_bias"}},
		{"rows in one set that cost", ratio("shared-sets", 2), "points of blocks", blocks, less, []string{"scans_crowded"}},
		{"fewer ways", with(func(m *machine.Processor) {
			m.Given.Set("shared-sets", 2)
			*m = *m.WithValue(machine.Ways, 1)
		}), "points of blocks", blocks, less, []string{"scans_crowded", "scans"}},
		{"dearer loops", times(machine.Iteration, 4), "registers of a tile", register, more, []string{"conv", "conv_first_stride2", "sgemm_relu"}},
	} {
		for _, name := range test.programs {
			f, changed := program(t, name), 0
			for _, m := range differentMachines {
				before, after := test.of(shapeOf(t, f, m)), test.of(shapeOf(t, f, test.change(m)))
				switch difference := (after - before) * test.direction; {
				case difference < 0:
					t.Errorf("%s: %g %s of %s become %g on %+v", test.fact, before, test.what, name, after, m)
				case difference > 0:
					changed++
				}
			}
			if changed < 2 {
				t.Errorf("%s: the %s of %s change on %d machines", test.fact, test.what, name, changed)
			}
		}
	}
}

// TestTilesCostMore: what the hardware does more slowly makes no register tile cheaper, and some dearer.
func TestTilesCostMore(t *testing.T) {
	for q, factor := range map[machine.Quantity]float64{
		machine.Unaligned: 2, machine.Straddle: 3, machine.Shuffle: 4, machine.NextBytes: 0.25, machine.LastBytes: 0.25,
		machine.Units: 0.5, machine.Loads: 0.5, machine.AddLatency: 2, machine.Iteration: 4, machine.LaneIn: 3, machine.LaneOut: 3, machine.LoadMiss: 5,
	} {
		dearer := 0
		for name, f := range map[string]*ein.Func{
			"conv": program(t, "conv"), "conv_first_stride2": program(t, "conv_first_stride2"), "conv_points_stride2": program(t, "conv_points_stride2"),
			"first layer": parseFunc(t, `func f { in I: float32[3, 61, 61] in K: float32[24, 3, 7, 7] out O: float32[24, 28, 28]
  for n in 0:24, y in 0:28, x in 0:28, c in 0:3 reduce +, r in 0:7 reduce +, s in 0:7 reduce + { O[n, y, x] = I[c, 2i64 * y + r, 2i64 * x + s] * K[n, c, r, s] } }`),
			"open":   parseFunc(t, `func f { size K = dim 1 of A in A: float32[60, K] in B: float32[50, K] out C: float32[60, 50] for i in 0:60, j in 0:50, k in 0:K reduce + { C[i, j] = A[i, k] * B[j, k] } }`),
			"narrow": parseFunc(t, `func f { in A: float32[3, 20] in B: float32[20, 64] out C: float32[64, 3] for j in 0:64, i in 0:3, k in 0:20 reduce + { C[j, i] = A[i, k] * B[k, j] } }`),
			"depthwise": parseFunc(t, `func f { in I: float32[32, 33, 33] in K: float32[32, 5, 5] out O: float32[32, 14, 14]
  for c in 0:32, y in 0:14, x in 0:14, r in 0:5 reduce +, s in 0:5 reduce + { O[c, y, x] = I[c, 2i64 * y + r, 2i64 * x + s] * K[c, r, s] } }`),
		} {
			for _, m := range differentMachines[:2] {
				cycles := func(m *machine.Processor) float64 {
					tile := newMaker(f, m, schedule.Options{}).designTile(0, tileProblem{copies: 1, size: func(i *ein.Index) int64 { return estimate(i.Extent) }})
					if tile == nil {
						t.Fatalf("%s has no tile on %+v", name, m)
					}
					return tile.cycles
				}
				switch before, after := cycles(m), cycles(m.WithValue(q, factor*m.Value(q))); {
				case after < 0.99*before: // tiles that differ less are the same to the search
					t.Errorf("quantity %d times %g: the tile of %s takes %g instead of %g cycles on %+v", q, factor, name, after, before, m)
				case after > before:
					dearer++
				}
			}
		}
		if dearer == 0 {
			t.Errorf("quantity %d times %g makes no tile dearer", q, factor)
		}
	}
}

// TestMasksCost: vectors of which some lanes are read are as dear as their masks.
func TestMasksCost(t *testing.T) {
	f := parseFunc(t, `func f { in A: float32[100, 100] out B: float32[100, 100] for i in 0:100, j in 0:100 { B[i, j] = j >= i ? A[i, j] : 0f32 } }`)
	for _, m := range differentMachines {
		cost := func(m *machine.Processor) float64 {
			mk := newMaker(f, m, schedule.Options{})
			return mk.vectorCost(f.Body[0], f.Body[0].Indices[1], mk.lanesOf(f.Body[0]))
		}
		if plain, dear := cost(m), cost(m.WithValue(machine.Mask, 2*m.Value(machine.Mask))); !(dear > plain) {
			t.Errorf("with masks that cost twice as much a vector costs %g instead of %g on %+v", dear, plain, m)
		}
	}
}

func program(t *testing.T, name string) *ein.Func {
	a, err := txtar.ParseFile(filepath.Join("testdata/default", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return parseFunc(t, string(a.Files[0].Data))
}

// shape is what machines change in a schedule.
type shape struct {
	blocks   float64 // logarithm of the points of all blocks together
	lanes    int     // of the longest vector
	register float64 // registers of the largest register tile
	tasks    float64 // parallel iterations
	parallel int     // loops
	ahead    int64   // bytes, of the farthest prefetch
	asked    int     // nodes that ask for anything ahead
	streams  int     // vectors that are written past the caches
	copies   int
}

func blocks(s shape) float64   { return s.blocks }
func lanes(s shape) float64    { return float64(s.lanes) }
func register(s shape) float64 { return s.register }
func tasks(s shape) float64    { return s.tasks }
func parallel(s shape) float64 { return float64(s.parallel) }
func ahead(s shape) float64    { return float64(s.ahead) }
func asked(s shape) float64    { return float64(s.asked) }
func streams(s shape) float64  { return float64(s.streams) }
func copies(s shape) float64   { return float64(s.copies) }

// shapeOf measures the default schedule of a function for a machine.
func shapeOf(t *testing.T, f *ein.Func, m *machine.Processor) shape {
	tree, err := Default(f, m)
	if err != nil || tree.Fallback != nil {
		t.Fatal(err, tree.Fallback)
	}
	type place struct {
		statement int
		index     string
	}
	s, left := shape{tasks: 1}, map[place]int64{}
	for n, c := range f.Body {
		for _, i := range c.Indices {
			left[place{n, i.Name}] = max(1, estimate(i.Extent))
		}
	}
	var visit func(n schedule.Node, points float64) // points of a register tile; 0 outside of one
	visit = func(n schedule.Node, points float64) {
		switch n := n.(type) {
		case *schedule.Accumulate:
			if points = 0; n.Region == schedule.Register {
				points = 1
			}
			if n.Fetch > 0 || n.Ahead > 0 {
				s.asked++
			}
		case *schedule.Place:
			s.copies++
			if n.NextStrip || n.NextPanel {
				s.asked++
			}
		case *schedule.Band:
			for _, m := range n.Members {
				l := place{m.Loops[0].Statement, m.Loops[0].Index}
				before, step := left[l], max(m.Tile, int64(m.Vector), 1)
				defer func() { left[l] = before }()
				left[l] = min(before, step)
				s.lanes, s.ahead = max(s.lanes, m.Vector), max(s.ahead, m.Ahead)
				if m.Stream {
					s.streams++
				}
				if m.Prefetch != "" || m.Ahead > 0 {
					s.asked++
				}
				s.asked += len(m.Fetches)
				trips := float64((before + step - 1) / step)
				switch {
				case m.Parallel:
					s.parallel++
					s.tasks *= trips
				case m.Unroll || m.Vector > 0:
					points *= trips
				}
				if !m.Unroll && m.Vector == 0 {
					s.blocks += math.Log2(float64(step))
				}
			}
			s.register = max(s.register, points)
		}
		for _, child := range schedule.Children(n) {
			visit(child, points)
		}
	}
	visit(tree.Root, 0)
	return s
}
