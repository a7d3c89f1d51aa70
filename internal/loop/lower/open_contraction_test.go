package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// openTypes are types of two operands and their products.
var openTypes = [][3]string{
	{"float32", "float32", "float32"}, {"float64", "float64", "float64"}, {"bfloat16", "bfloat16", "float32"},
	{"uint8", "int8", "int32"}, {"int8", "int8", "int32"}, {"int16", "int16", "int32"}, {"float16", "float16", "float32"},
}

// openFeatures are of processors with and without units for groups.
var openFeatures = [][]string{{"avx512bw", "avx512vnni", "amx_int8", "amx_bf16"}, {"avx512bw", "avx512vnni"}, {"avx512bw"}, nil}

// TestOpenContractions runs the default schedules of contractions whose sizes are not known, for
// some sizes, in the evaluator of loops. They are proved to stay in bounds for all.
func TestOpenContractions(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	blocked, matrix, groups := 0, 0, 0
	draws := sweep.Draws(t, 30, 240)
	for range draws {
		shape, types := matrixShapes[draw.IntN(len(matrixShapes))], openTypes[draw.IntN(len(openTypes))]
		p := readProgram(t, openContraction(shape.a, shape.b, shape.c, shape.indices, types))
		for _, i := range shape.indices {
			p.sizes[strings.ToUpper(string(i))] = []int64{1, 3, 7, 16, 17, 33, 40}[draw.IntN(7)]
		}
		p.sizes["K"] = []int64{1, 5, 17, 64, 65, 131}[draw.IntN(6)]
		if shape.indices[0] == 'b' {
			p.sizes["B"] = 2
		}
		keep := map[string]bool{}
		for name := range p.sizes {
			keep[name] = draw.IntN(5) > 0
		}
		g, err := p.f.Specialise(p.sizes, keep)
		if err != nil {
			t.Fatal(err)
		}
		machine := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 1 << 12, L2: 1 << 14, L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: openFeatures[draw.IntN(4)]}
		tree, err := standard.Default(g, machine)
		if err != nil || tree.Fallback != nil {
			t.Fatal(err, tree.Fallback)
		}
		text := schedule.Print(tree)
		for word, count := range map[string]*int{"place": &blocked, "matrix": &matrix, "group": &groups} {
			if strings.Contains(text, word) {
				*count++
			}
		}
		f, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := loop.Verify(f); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, loop.Print(f))
		}
		verify(t, p, tree, keep, evaluate)
	}
	if blocked < draws*2/3 || matrix < draws/12 || groups < draws/5 {
		t.Errorf("only %d of the schedules have blocks, %d use matrix units, %d groups", blocked, matrix, groups)
	}
}

// openContraction is a sum of products of A and B with a size for every index.
func openContraction(a, b, c, indices string, types [3]string) string {
	var sizes strings.Builder
	for _, i := range indices {
		tensor, subscripts := "A", a
		if !strings.ContainsRune(a, i) {
			tensor, subscripts = "B", b
		}
		fmt.Fprintf(&sizes, "  size %s = dim %d of %s\n", strings.ToUpper(string(i)), strings.Count(subscripts[:strings.IndexRune(subscripts, i)], ","), tensor)
	}
	loops := ""
	for _, i := range indices {
		loops += fmt.Sprintf(", %c in 0:%s", i, strings.ToUpper(string(i)))
		if i >= 'k' {
			loops += " reduce +"
		}
	}
	return fmt.Sprintf("func product {\n%s  in A: %s[%s]\n  in B: %s[%s]\n  out C: %s[%s]\n  for %s { C[%s] = %s(A[%s]) * %s(B[%s]) }\n}",
		&sizes, types[0], strings.ToUpper(a), types[1], strings.ToUpper(b), types[2], strings.ToUpper(c), loops[2:], c, types[2], a, types[2], b)
}
