package estimate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// differentMachines are unlike in all that the model reads.
var differentMachines = []*machine.Processor{
	processor(1),
	{VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 512 << 10, L3: 16 << 20, Cores: 8, Features: []string{"sse2", "avx", "avx2", "fma"}},
	{VectorBytes: 16, VectorRegisters: 32, L1: 64 << 10, L2: 1 << 20, L3: 32 << 20, Cores: 4},
}

// TestDirections: what a machine does worse makes no schedule faster, and some slower.
func TestDirections(t *testing.T) {
	texts := []string{matmul, jacobi, softmax,
		`func columns { in X: float32[3000, 2048] out s: float32[2048] for j in 0:2048, i in 0:3000 reduce + { s[j] = X[i, j] } }`,
		`func sum { in X: float32[100000] out s: float32[] for i in 0:100000 reduce + { s[] = X[i] } }`,
		`func transposed { in X: float32[2048, 2048] out Y: float32[2048, 2048] for i in 0:2048, j in 0:2048 { Y[i, j] = X[j, i] } }`,
		`func quotient { in X: float32[500] in Y: float32[500] out Z: float32[500] for i in 0:500 { Z[i] = X[i] / Y[i] } }`,
		`func scattered { in X: float32[40, 30] in p: int32[40] out Y: float32[40, 30] for i in 0:40, j in 0:30 { Y[i, j] = X[p[i], j] } }`,
		`func across { in X: float32[40, 12, 8] in W: float32[12, 8] out Y: float32[8, 40] for k in 0:8, i in 0:40, j in 0:12 reduce + { Y[k, i] = X[i, j, k] * W[j, k] } }`,
		`func running { in X: float32[2000, 2048] out Y: float32[2000, 2048] for i in 0:2000 scan +, j in 0:2048 { Y[i, j] = X[i, j] } }`,
		`func short { in X: float32[4000, 20] in Y: float32[20] out Z: float32[4000] for i in 0:4000, j in 0:20 reduce + { Z[i] = X[i, j] * Y[j] } }`}
	ratio := func(name string, value float64) change {
		return func(m *machine.Processor) *machine.Processor {
			other := *m
			other.Given.Set(name, value)
			return &other
		}
	}
	slower := func(layer int, factor float64) change {
		return func(m *machine.Processor) *machine.Processor {
			other, peaks := *m, *m.Speeds()
			peaks.Layers = append([]machine.Memory{}, peaks.Layers...)
			l := &peaks.Layers[layer]
			for _, s := range []*machine.Speed{&l.Read, &l.Write, &l.Copy} {
				s.One, s.All = s.One/factor, s.All/factor
			}
			other.Peaks = &peaks
			return &other
		}
	}
	worsen(t, texts, differentMachines, map[string]change{
		"longer runs":      times(machine.Run, 8),
		"fewer streams":    times(machine.Streams, 0.1),
		"fewer ways":       times(machine.Ways, 0.25),
		"a slower clock":   times(machine.Clock, 0.5),
		"slow threads":     times(machine.Fork, 10),
		"slow decoding":    times(machine.Decode, 0.25),
		"little decoded":   times(machine.Decoded, 0.005),
		"fewer loads":      times(machine.Loads, 0.25),
		"dear loops":       times(machine.Iteration, 4),
		"dear branches":    times(machine.Mispredict, 10),
		"nothing foreseen": times(machine.Foreseen, 0.1),
		"fewer units":      times(machine.Units, 0.25),
		"slow additions":   times(machine.AddLatency, 8),
		"slow division":    times(machine.Divide, 4),
		"few stores":       times(machine.Stores, 0.25),
		"dear gathers":     times(machine.LaneIn, 5),
		"dear scatters":    times(machine.LaneOut, 5),
		"dear asking":      ratio("asked-sums", 1.5),
		"dear near asking": ratio("asked-near-sums", 1.5),
		"dear rows ahead":  ratio("asked-rows", 1.5),
		"dear short runs":  times(machine.ShortRuns, 3),
		"slow beginnings":  times(machine.Drain, 10),
		"a slow guess":     times(machine.OneCore, 0.2),
		"a slow guess, L2": times(machine.NextBytes, 0.2),
		"a slow guess, L3": times(machine.LastBytes, 0.2),
		"dear sets":        ratio("shared-sets", 2),
		"a slower L2":      slower(1, 4),
		"a slower L3":      slower(2, 4),
		"a slower memory":  slower(3, 4),
	})
}

// TestDirectionsOfMatrices is TestDirections for products that a matrix unit computes.
func TestDirectionsOfMatrices(t *testing.T) {
	texts := []string{matmul, `func bytes { in A: int8[256, 256] in B: int8[256, 256] out C: int32[256, 256] for i in 0:256, j in 0:256, k in 0:256 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) } }`,
		`func transposed { in A: float32[512, 512] in B: float32[512, 512] out C: float32[512, 512] for i in 0:512, j in 0:512, k in 0:512 reduce + { C[i, j] = A[i, k] * B[j, k] } }`,
		`func windows { in I: float32[64, 58, 58] in K: float32[64, 64, 3, 3] out O: float32[64, 56, 56]
  for n in 0:64, y in 0:56, x in 0:56, c in 0:64 reduce +, r in 0:3 reduce +, s in 0:3 reduce + { O[n, y, x] = I[c, y + r, x + s] * K[n, c, r, s] } }`}
	unit := *processor(1)
	unit.Features = append(slices.Clone(unit.Features), "amx_int8", "amx_bf16")
	worsen(t, texts, []*machine.Processor{&unit}, map[string]change{
		"slow products of tiles":   times(machine.TileCycles, 4),
		"low tiles":                times(machine.TileRows, 0.5),
		"narrow tiles":             times(machine.TileRow, 0.5),
		"dear calls":               times(machine.PartsCall, 4),
		"dear parts":               times(machine.PartsProduct, 1.5),
		"dear parts that are kept": times(machine.PartsKept, 2),
		"dear parts that pass by":  times(machine.PartsPassing, 2),
		"dear transpositions":      times(machine.PartsTransposed, 4),
		"dear rows of windows":     times(machine.WindowRow, 2),
		"dear points of windows":   times(machine.WindowPoints, 2),
		"dear sums of windows":     times(machine.WindowSums, 2),
	})
}

// A change makes one fact of a machine worse.
type change = func(*machine.Processor) *machine.Processor

func times(q machine.Quantity, factor float64) change {
	return func(m *machine.Processor) *machine.Processor { return m.WithValue(q, factor*m.Value(q)) }
}

// worsen estimates the default schedules of programs on machines before and after changes.
func worsen(t *testing.T, texts []string, machines []*machine.Processor, changes map[string]change) {
	t.Helper()
	for fact, change := range changes {
		worse := 0
		for _, text := range texts {
			f := function(t, text)
			for _, m := range machines {
				tree, err := standard.Default(f, m)
				if err != nil {
					t.Fatal(err)
				}
				seconds := func(m *machine.Processor) float64 {
					r, err := estimate.Estimate(f, tree, m)
					if err != nil {
						t.Fatal(err)
					}
					return r.Seconds
				}
				switch before, after := seconds(m), seconds(change(m)); {
				case after < before*(1-1e-9):
					t.Errorf("%s: %s takes %g s instead of %g on %+v", fact, f.Name, after, before, m)
				case after > before*(1+1e-9):
					worse++
				}
			}
		}
		if worse == 0 {
			t.Errorf("%s changes no estimate", fact)
		}
	}
}

// TestSlowMemoryChangesRanks: to cut the sums of a product keeps its columns in the nearest cache, and takes the results from
// the memory again for each part, which only a fast memory pays.
func TestSlowMemoryChangesRanks(t *testing.T) {
	const product = `func product {
  in A: float32[2000, 2000]
  in B: float32[2000, 2000]
  out C: float32[2000, 2000]
  for i in 0:2000, j in 0:2000, k in 0:2000 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	f := function(t, product)
	plain, err := schedule.Parse(`domain S0[i, j, k]
band S0.j tile 32 | S0.i tile 6
  accumulate S0 register
    band S0.k
      band S0.i unroll | S0.j vector 16 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	blocked, err := schedule.Parse(`domain S0[i, j, k]
accumulate S0 output
  band S0.k tile 64
    band S0.j tile 16
      band S0.i tile 6
        accumulate S0 register
          band S0.k
            band S0.i unroll | S0.j vector 16 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	ratio := func(m *machine.Processor) float64 {
		var seconds [2]float64
		for n, tree := range []*schedule.Tree{plain, blocked} {
			if err := schedule.Check(f, tree); err != nil {
				t.Fatal(err)
			}
			r, err := estimate.Estimate(f, tree, m)
			if err != nil {
				t.Fatal(err)
			}
			seconds[n] = r.Seconds
		}
		return seconds[0] / seconds[1]
	}
	small := *processor(1)
	small.L2, small.L3 = 256<<10, 512<<10
	last := math.Inf(1)
	for n, read := range []float64{1000e9, 12e9, 3e9, 1e9} {
		peaks := *small.Speeds()
		peaks.Layers = append([]machine.Memory{}, peaks.Layers...)
		l := &peaks.Layers[len(peaks.Layers)-1]
		l.Read = machine.Speed{One: read, All: read}
		l.Write, l.Copy = l.Read, l.Read
		m := small
		m.Peaks = &peaks
		now := ratio(&m)
		if now > last || n == 0 && now < 1.1 || n == 3 && now > 0.9 {
			t.Errorf("with %g bytes per second the plain schedule takes %g of the time of the other one", read, now)
		}
		last = now
	}
}
