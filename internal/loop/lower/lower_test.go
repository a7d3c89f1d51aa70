package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// machines are hosts of different widths; parallelism is always worthwhile there.
func machines() map[string]*machine.Processor {
	return map[string]*machine.Processor{
		"wide":   {VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 4},
		"narrow": {VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 256 << 10, L3: 4 << 20, Cores: 1},
		"small":  {VectorBytes: 32, VectorRegisters: 16, L1: 2 << 10, L2: 16 << 10, L3: 64 << 10, Cores: 2},
	}
}

// TestPrograms runs every program in testdata by the order of the program and by the
// schedules that are the default on several machines, with sizes that are known and ones that
// are not, and compiled for this machine.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.ein")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for n, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { inManyOrders(t, readProgram(t, string(text)), n%3 == 0 || sweep.Long(t)) })
	}
}

func inManyOrders(t *testing.T, p program, compiled bool) {
	known, err := p.f.Specialise(p.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for s := range p.sizes {
		all[s] = true
	}
	try := func(name string, tree *schedule.Tree, keep map[string]bool, run runner) {
		t.Run(name, func(t *testing.T) {
			t.Log("\n" + schedule.Print(tree))
			verify(t, p, tree, keep, run)
		})
	}
	byDefault := func(f *ein.Func, m *machine.Processor) *schedule.Tree {
		tree, err := standard.Default(f, m)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	try("canonical", schedule.Canonical(p.f), nil, evaluate)
	try("canonical dynamic", schedule.Canonical(p.f), all, evaluate)
	for name, m := range machines() {
		try(name, byDefault(known, m), nil, evaluate)
	}
	try("wide dynamic", byDefault(p.f, machines()["wide"]), all, evaluate)
	if compiled && !testing.Short() { // which has a compiler at work for every program
		try("compiled", byDefault(known, machine.Host()), nil, execute)
	}
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
