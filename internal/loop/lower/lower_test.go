package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// programs calls test for every program in testdata.
func programs(t *testing.T, test func(t *testing.T, p program)) {
	files, err := filepath.Glob("testdata/programs/*.ein")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { test(t, readProgram(t, string(text))) })
	}
}

func TestCanonical(t *testing.T) {
	programs(t, func(t *testing.T, p program) { verify(t, p, schedule.Canonical(p.f), nil, evaluate) })
}

func TestDynamic(t *testing.T) {
	programs(t, func(t *testing.T, p program) {
		keep := map[string]bool{}
		for s := range p.sizes {
			keep[s] = true
		}
		verify(t, p, schedule.Canonical(p.f), keep, evaluate)
	})
}

// machines are hosts of different widths; parallelism is always worthwhile there.
func machines() map[string]*schedule.Machine {
	return map[string]*schedule.Machine{
		"wide":   {VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 4},
		"narrow": {VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 256 << 10, L3: 4 << 20, Cores: 1},
		"small":  {VectorBytes: 32, VectorRegisters: 16, L1: 2 << 10, L2: 16 << 10, L3: 64 << 10, Cores: 2},
	}
}

func TestDefault(t *testing.T) {
	for name, m := range machines() {
		t.Run(name, func(t *testing.T) {
			programs(t, func(t *testing.T, p program) {
				g, err := p.f.Specialise(p.sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				tree, err := schedule.Default(g, m)
				if err != nil {
					t.Fatal(err)
				}
				t.Log("\n" + schedule.Print(tree))
				verify(t, p, tree, nil, evaluate)
			})
		})
	}
}

func TestDefaultDynamic(t *testing.T) {
	programs(t, func(t *testing.T, p program) {
		keep := map[string]bool{}
		for s := range p.sizes {
			keep[s] = true
		}
		tree, err := schedule.Default(p.f, machines()["wide"])
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, keep, evaluate)
	})
}

func TestCompiled(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every program")
	}
	programs(t, func(t *testing.T, p program) {
		g, err := p.f.Specialise(p.sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Default(g, schedule.Host())
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, execute)
	})
}

// TestPaddedNarrow pads tiles of an index that is shorter than a vector: accumulators
// and copies have whole vectors for it, as the tile has.
func TestPaddedNarrow(t *testing.T) {
	p := readProgram(t, `
func narrow {
  in A: float32[4, 3]
  in B: bfloat16[3]
  out C: bfloat16[4, 2]
  for i in 0:4, j in 0:2, k in 0:3 reduce + { C[i, j] = bfloat16(A[i, k]) * B[k] }
}`)
	for _, band := range []string{
		"band S0.i tile 16 pad | S0.j\n  accumulate S0 register\n    band S0.k | S0.i vector 16 unroll",
		"band S0.j | S0.i tile 16 pad\n  accumulate S0 private\n    band S0.i tile 8 pad | S0.k | S0.i vector 8",
		"band S0.j tile 4 pad | S0.i\n  accumulate S0 register\n    band S0.k | S0.j vector 4 unroll",
		"band S0.i tile 8 pad\n  place A private\n    accumulate S0 private\n      band S0.j | S0.k tile 2\n        accumulate S0 register\n          band S0.k | S0.i vector 8 unroll",
	} {
		tree, err := schedule.Parse("domain S0[i, j, k]\n" + band + "\n")
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, evaluate)
	}
}
