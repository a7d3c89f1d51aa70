package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

type matrixShape struct{ a, b, c, indices string }

// matrixShapes are the contractions of TestMatrix: what the operands and the result are
// subscripted with, and the indices.
var matrixShapes = []matrixShape{
	{"i, k", "k, j", "i, j", "ijk"},
	{"k, i", "k, j", "i, j", "ijk"},
	{"i, k", "j, k", "i, j", "ijk"},
	{"k, i", "j, k", "j, i", "ijk"},
	{"b, i, k", "b, k, j", "b, i, j", "bijk"},
	{"i, k, l", "l, j, k", "i, j", "ijkl"},
	{"k, i, l", "k, l, j", "j, i", "ijkl"},
	{"i, b, k", "k, j", "i, b, j", "ibjk"},
	{"i, k", "k, b, j", "b, i, j", "bijk"},
	{"l, i, k", "k, l, j, b", "b, j, i", "bijkl"},
}

// ofSizes returns what writes the sizes of indices for subscripts, and the loops over all indices.
func (s matrixShape) ofSizes(sizes map[string]int) (dims func(subscripts string) string, loops string) {
	dims = func(subscripts string) string {
		for i, n := range sizes {
			subscripts = strings.ReplaceAll(subscripts, i, fmt.Sprint(n))
		}
		return subscripts
	}
	for _, i := range s.indices {
		loops += fmt.Sprintf(", %c in 0:%d", i, sizes[string(i)])
		if i >= 'k' {
			loops += " reduce +"
		}
		if sizes[string(i)] == 0 {
			loops += " or empty"
		}
	}
	return dims, loops[2:]
}

// TestMatrix runs the default schedules of contractions on machines with matrix units, in
// the evaluator of loops.
func TestMatrix(t *testing.T) {
	draw := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 80 {
		shape := matrixShapes[draw.IntN(len(matrixShapes))]
		x, y, sum := tensor.BFloat16, tensor.BFloat16, tensor.Float32
		if draw.IntN(2) == 0 {
			bytes := []tensor.DType{tensor.Int8, tensor.Uint8}
			x, y, sum = bytes[draw.IntN(2)], bytes[draw.IntN(2)], tensor.Int32
		}
		result := sum
		if sum == tensor.Float32 && draw.IntN(4) == 0 {
			result = tensor.BFloat16
		}
		sizes := map[string]int{"b": 1 + draw.IntN(3), "l": 1 + draw.IntN(3)}
		for _, i := range []string{"i", "j", "k"} {
			sizes[i] = []int{3, 4, 7, 16, 17, 32, 33, 40}[draw.IntN(8)]
		}
		if draw.IntN(2) == 0 {
			sizes["k"] = 64 + draw.IntN(40)
		}
		dims, loops := shape.ofSizes(sizes)
		value := fmt.Sprintf("%s(A[%s]) * %s(B[%s])", sum, shape.a, sum, shape.b)
		if result != sum {
			value = fmt.Sprintf("A[%s] * B[%s]", shape.a, shape.b)
		}
		p := readProgram(t, fmt.Sprintf("func product {\n  in A: %s[%s]\n  in B: %s[%s]\n  out C: %s[%s]\n  for %s { C[%s] = %s }\n}",
			x, dims(shape.a), y, dims(shape.b), result, dims(shape.c), loops, shape.c, value))
		machine := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 1 << 12, L2: 1 << 14, L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: []string{"avx512bw", "amx_int8", "amx_bf16"}}
		tree := p.defaultTree(t, machine)
		if strings.Contains(schedule.Print(tree), "matrix") {
			found++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if found < 30 {
		t.Errorf("only %d of the schedules use matrix units", found)
	}
}
