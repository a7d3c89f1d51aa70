package schedule

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// Products for a matrix unit, and a loop of a tree for each, behind whose mark "matrix" more is said.
const (
	productOfBytes = `
func bytes {
  in A: int8[64, 64]
  in B: int8[64, 64]
  out C: int32[64, 64]
  for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }
}`
	bytesTree = `domain S0[i, j, k]
place B private
  accumulate S0 private
    band S0.k group 4 matrix… | S0.i | S0.j vector 16`
	productOfFloats = `
func floats {
  in A: float32[64, 64]
  in B: float32[64, 64]
  out C: float32[64, 64]
  for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	square = `
func square {
  in A: float32[64, 64]
  out C: float32[64, 64]
  for i in 0:64, j in 0:64, k in 0:64 reduce + { C[i, j] = A[i, k] * A[k, j] }
}`
	floatsTree = `domain S0[i, j, k]
accumulate S0 output
  band S0.k group 1 matrix… | S0.i | S0.j vector 16`
	windowsOfFloats = `
func windows {
  in X: float32[8, 66, 66]
  in K: float32[16, 8, 3, 3]
  out Y: float32[16, 64, 64]
  for f in 0:16, h in 0:64, w in 0:64, c in 0:8 reduce +, r in 0:3 reduce +, s in 0:3 reduce + { Y[f, h, w] = X[c, h + r, w + s] * K[f, c, r, s] }
}`
	windowsTree = `domain S0[f, h, w, c, r, s]
accumulate S0 output
  band S0.c group 1 matrix… | S0.r | S0.s | S0.f | S0.h | S0.w vector 16`
)

// TestCuts reads trees that say how a product is cut, of which some are refused.
func TestCuts(t *testing.T) {
	for _, test := range []struct{ f, tree, marks, want string }{
		{productOfBytes, bytesTree, "tiles 8/16/4 lines 2", ""},
		{productOfFloats, floatsTree, "pass 8/2 panels 4 tries 1 near 2 lines 3 room 65536 keep B", ""},
		{windowsOfFloats, windowsTree, "depth 3 weigh 1/2/3/4 chunks 5 asks 64/1 tries 1 near 2 lines 3 room 524288", ""},
		{productOfBytes, bytesTree, "pass 8/2", `S0 is cut as it cannot be: groups say no "pass"`},
		{productOfBytes, bytesTree, "room 65536", "has no parts, for which there would be room"},
		{productOfFloats, floatsTree, "chunks 2", `parts of float32 say no "chunks"`},
		{productOfFloats, floatsTree, "room 18431", "there is room for 18432 to 1048576 bytes of parts, found 18431"},
		{productOfFloats, floatsTree, "room 1048577", "bytes of parts, found 1048577"},
		{productOfFloats, floatsTree, "keep C", "'keep' names one of two operands, and those of S0 are A and B"},
		{square, floatsTree, "keep A", "'keep' names one of two operands"},
		{windowsOfFloats, windowsTree, "keep X", "parts of an operand are kept in products of float32 without windows"},
		{windowsOfFloats, windowsTree, "room 1048576", ""},
	} {
		tree, err := Parse(strings.Replace(test.tree, "…", " "+test.marks, 1))
		if err != nil {
			t.Errorf("%s: %v", test.marks, err)
			continue
		}
		if text := Print(tree); !strings.Contains(text, "matrix "+test.marks+" |") {
			t.Errorf("printed is\n%s", text)
		}
		if err := Check(parseFunc(t, test.f), tree); test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, expected %q", test.marks, err, test.want)
		}
	}
	for _, marks := range []string{"tiles 17/16/16", "tiles 16/16", "pass 8", "pass 0/1", "lines 0", "weigh 1/2/3", "near 17", "depth -1"} {
		if _, err := Parse(strings.Replace(floatsTree, "…", " "+marks, 1)); err == nil || !strings.Contains(err.Error(), "from 1 to") {
			t.Errorf("%s: %v", marks, err)
		}
	}
}

// TestCutsOfMachines changes one fact of a machine, and asks for what a product is cut into.
func TestCutsOfMachines(t *testing.T) {
	usual := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, Cores: 2}
	with := func(change func(m *machine.Processor)) *machine.Processor {
		m := *usual
		change(&m)
		return &m
	}
	for _, test := range []struct {
		f, tree string
		machine *machine.Processor
		want    string
	}{
		{productOfBytes, bytesTree, usual, "tiles 16/16/16 lines 4"},
		{productOfBytes, bytesTree, usual.WithValue(machine.TileRows, 8), "tiles 8/16/8 lines 4"},
		{productOfBytes, bytesTree, usual.WithValue(machine.TileRow, 32), "tiles 16/8/8 lines 4"},
		{productOfBytes, bytesTree, with(func(m *machine.Processor) { m.VectorRegisters = 8 }), "tiles 16/16/16 lines 2"},
		{productOfFloats, floatsTree, usual, "pass 16/4 panels 32 tries 4 near 4 lines 4 room 983040"},
		{productOfFloats, floatsTree, with(func(m *machine.Processor) { m.L2 = 512 << 10 }), "pass 8/2 panels 34 tries 4 near 4 lines 4 room 524288"},
		{productOfFloats, floatsTree, with(func(m *machine.Processor) { m.L2 = 64 << 10 }), "pass 1/1 panels 8 tries 4 near 4 lines 4 room 65536"},
		{productOfFloats, floatsTree, usual.WithValue(machine.PartsBytes, 480<<10), "pass 8/2 panels 32 tries 4 near 4 lines 4 room 491520"},
		{productOfFloats, floatsTree, with(func(m *machine.Processor) { m.L1 = 16 << 10 }), "pass 16/4 panels 32 tries 4 near 2 lines 4 room 983040"},
		{windowsOfFloats, windowsTree, usual, "weigh 1500/620/3000/20 chunks 64 asks 256/2 tries 4 near 4 lines 4 room 917504"},
		{windowsOfFloats, windowsTree, usual.WithValue(machine.PlaneBytes, 200<<10), "weigh 1500/620/3000/20 chunks 64 asks 256/2 tries 4 near 4 lines 4 room 204800"},
		{windowsOfFloats, windowsTree, usual.WithValue(machine.WindowRow, 2).WithValue(machine.WindowProduct, 700), "weigh 2000/700/3000/20 chunks 64 asks 256/2 tries 4 near 4 lines 4 room 917504"},
		{windowsOfFloats, windowsTree, usual.WithValue(machine.WindowSums, 109).WithValue(machine.WindowPoints, 0.5), "weigh 1500/620/100/1 chunks 64 asks 256/2 tries 4 near 4 lines 4 room 917504"},
	} {
		f := parseFunc(t, test.f)
		tree, err := Parse(strings.Replace(test.tree, "…", " tries 7 room 65536", 1)) // which is taken away
		if err != nil {
			t.Fatal(err)
		}
		if CutProducts(f, tree, test.machine); !strings.Contains(Print(tree), "matrix "+test.want+" |") {
			t.Errorf("expected %s in\n%s", test.want, Print(tree))
		}
		if err := Check(f, tree); err != nil {
			t.Error(err)
		}
	}
}

// TestRoomOfParts: what there is room for is enough for a step, and no more than is said.
func TestRoomOfParts(t *testing.T) {
	if usual := ein.PartsRoom(ein.Blocking{}, ein.PartsRoomBytes, 4096, 4096, 4096, 1); usual*2 != ein.PartsRoomBytes {
		t.Errorf("%d parts", usual)
	}
	for _, pass := range []int64{1, 3, 16, 200} {
		for bytes := int64(ein.LeastPartsBlocks * ein.PartsBlockBytes); bytes < 2<<20; bytes += 99999 {
			for _, n := range []int64{1, 40, 500, 100000} {
				room := 2 * ein.PartsRoom(ein.Blocking{Pass: pass, Least: 1}, bytes, n, 70, n, 3)
				if room > bytes || room < ein.LeastPartsBlocks*ein.PartsBlockBytes {
					t.Errorf("%d bytes of %d for %d in passes of %d", room, bytes, n, pass)
				}
			}
		}
	}
}
