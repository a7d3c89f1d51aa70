package standard

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestMatrixMachines changes a fact of a machine with a matrix unit, and asks for what changes in the default schedules.
func TestMatrixMachines(t *testing.T) {
	const bytes = `func f { in A: int8[500, 512] in B: int8[512, 500] out C: int32[500, 500] for i in 0:500, j in 0:500, k in 0:512 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) } }`
	const layer = `func f { in I: int8[64, 58, 58] in K: int8[64, 64, 3, 3] out O: int32[64, 56, 56]
  for n in 0:64, y in 0:56, x in 0:56, c in 0:64 reduce +, r in 0:3 reduce +, s in 0:3 reduce + { O[n, y, x] = int32(I[c, y + r, x + s]) * int32(K[n, c, r, s]) } }`
	const floats = `func f { in A: float32[500, 500] in B: float32[500, 500] out C: float32[500, 500] for i in 0:500, j in 0:500, k in 0:500 reduce + { C[i, j] = A[i, k] * B[k, j] } }`
	const windows = `func f { in I: float32[64, 58, 58] in K: float32[64, 64, 3, 3] out O: float32[64, 56, 56]
  for n in 0:64, y in 0:56, x in 0:56, c in 0:64 reduce +, r in 0:3 reduce +, s in 0:3 reduce + { O[n, y, x] = I[c, y + r, x + s] * K[n, c, r, s] } }`
	usual := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 1, Features: []string{"avx512bw", "amx_int8", "amx_bf16"}}
	small := *usual
	small.L2 = 512 << 10
	const byVectors = "vector 16 unroll"
	for _, test := range []struct {
		fact, program string
		machine       *machine.Processor
		has, hasNot   string
	}{
		{"usual", bytes, usual, "S0.i tile 32 coincident | S0.j tile 32", ""},
		{"tiles of eight rows", bytes, usual.WithValue(machine.TileRows, 8), "band S0.i tile 16 ", "tiles 16/"},
		{"tiles of eight columns", bytes, usual.WithValue(machine.TileRow, 32), "tiles 16/8/8", "S0.i tile 32 coincident | S0.j tile 32"},
		{"tiles of eight rows", layer, usual.WithValue(machine.TileRows, 8), "tiles 8/16/8", ""},
		{"four tiles", bytes, usual.WithValue(machine.Tiles, 4), byVectors, "matrix"},
		{"four tiles", layer, usual.WithValue(machine.Tiles, 4), "", "matrix"},
		{"four tiles", floats, usual.WithValue(machine.Tiles, 4), byVectors, "matrix"},
		{"usual", floats, usual, "panels 32 tries 4 near 4 lines 4 room 983040", ""},
		{"tiles of eight rows, of which parts have no panels", floats, usual.WithValue(machine.TileRows, 8), byVectors, "matrix"},
		{"a small L2", floats, &small, "pass 8/2 panels 34 tries 4 near 4 lines 4 room 524288", ""},
		{"dear products of parts", floats, usual.WithValue(machine.PartsProduct, 2000), byVectors, "matrix"},
		{"slow vectors", floats, usual.WithValue(machine.PartsProduct, 2000).WithValue(machine.Units, 0.5), "matrix", ""},
		{"usual", windows, usual, "room 917504", ""},
		{"a small L2", windows, &small, "room 524288", ""},
		{"dear products of windows", windows, usual.WithValue(machine.PartsProduct, 2000), "", "matrix"},
		{"room for nothing", windows, usual.WithValue(machine.PlaneBytes, 20<<10), "", "matrix"},
	} {
		f := parseFunc(t, test.program)
		tree, err := Default(f, test.machine)
		if err != nil || tree.Fallback != nil {
			t.Fatal(err, tree.Fallback)
		}
		text := schedule.Print(tree)
		if !strings.Contains(text, test.has) || test.hasNot != "" && strings.Contains(text, test.hasNot) {
			t.Errorf("%s: expected %q and no %q in\n%s", test.fact, test.has, test.hasNot, text)
		}
	}
}
