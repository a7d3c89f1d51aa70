package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMatrixConvolutions runs the default schedules of convolutions on machines with matrix
// units, in the evaluator of loops: of images with the channels outside or innermost, of
// windows that are apart, whose points are apart, and in groups of channels.
func TestMatrixConvolutions(t *testing.T) {
	draw := rand.New(rand.NewPCG(15, 16))
	found := 0
	draws := sweep.Draws(t, 20, 160)
	for range draws {
		x, y, sum := tensor.BFloat16, tensor.BFloat16, tensor.Float32
		if draw.IntN(2) == 0 {
			bytes := []tensor.DType{tensor.Int8, tensor.Uint8}
			x, y, sum = bytes[draw.IntN(2)], bytes[draw.IntN(2)], tensor.Int32
		}
		result := sum
		if sum == tensor.Float32 && draw.IntN(4) == 0 {
			result = tensor.BFloat16
		}
		step, dilation := 1+draw.IntN(3), 1+draw.IntN(2)
		sizes := map[string]int{"n": 1 + draw.IntN(2), "g": 1 + draw.IntN(2), "f": 1 + draw.IntN(36), "h": 1 + draw.IntN(3), "w": 1 + draw.IntN(20),
			"c": 7 + draw.IntN(40), "r": 1 + draw.IntN(2), "s": 1 + draw.IntN(3)}
		window := func(at, of string) string { return fmt.Sprintf("%di64 * %s + %di64 * %s", step, at, dilation, of) }
		extent := func(at, of string) int { return step*(sizes[at]-1) + dilation*(sizes[of]-1) + 1 + draw.IntN(2) }
		rows, columns := window("h", "r"), window("w", "s")
		image, filter, out := []string{"n", "g", "c", rows, columns}, []string{"g", "f", "c", "r", "s"}, []string{"n", "g", "f", "h", "w"}
		if draw.IntN(2) == 0 {
			image, filter, out = []string{"n", rows, columns, "g", "c"}, []string{"g", "r", "s", "c", "f"}, []string{"n", "h", "w", "g", "f"}
		}
		high, wide := extent("h", "r"), extent("w", "s")
		dims := func(subscripts []string) string {
			var list []string
			for _, s := range subscripts {
				n := sizes[s]
				switch s {
				case rows:
					n = high
				case columns:
					n = wide
				}
				list = append(list, fmt.Sprint(n))
			}
			return strings.Join(list, ", ")
		}
		loops := ""
		for _, i := range append(append([]string{}, out...), "c", "r", "s") {
			loops += fmt.Sprintf(", %s in 0:%d", i, sizes[i])
			if strings.Contains("crs", i) {
				loops += " reduce +"
			}
		}
		at := func(name string, subscripts []string) string {
			return name + "[" + strings.Join(subscripts, ", ") + "]"
		}
		value := fmt.Sprintf("%s(%s) * %s(%s)", sum, at("X", image), sum, at("V", filter))
		if result != sum {
			value = at("X", image) + " * " + at("V", filter)
		}
		p := readProgram(t, fmt.Sprintf("func convolution {\n  in X: %s[%s]\n  in V: %s[%s]\n  out Y: %s[%s]\n  for %s { %s = %s }\n}",
			x, dims(image), y, dims(filter), result, dims(out), loops[2:], at("Y", out), value))
		machine := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 1 << 12, L2: 1 << (14 + draw.IntN(6)), L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: []string{"avx512bw", "amx_int8", "amx_bf16"}}
		tree := p.defaultTree(t, machine)
		if strings.Contains(schedule.Print(tree), "matrix") {
			found++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if found < draws*5/8 {
		t.Errorf("only %d of the schedules use matrix units", found)
	}
}
