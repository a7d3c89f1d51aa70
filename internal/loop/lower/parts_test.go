package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestParts runs contractions of float32 by schedules for a matrix unit that multiplies parts, in the
// evaluator of loops: of all results or of blocks, in the output or in arrays, with operands placed or
// not, as one product for several indices or in loops, some of no points.
func TestParts(t *testing.T) {
	draw := rand.New(rand.NewPCG(23, 29))
	shapes := append(slices.Clone(matrixShapes), matrixShape{"b, i, k", "k, j", "b, i, j", "bijk"}, matrixShape{"i, k", "k, b, j", "i, b, j", "bijk"},
		matrixShape{"b, i, k", "j, k", "b, i, j", "ibjk"}, matrixShape{"i, k, l", "k, l, j", "i, j", "ijkl"},
		matrixShape{"i, k, l", "l, k, b, j", "i, b, j", "ibjkl"}, // indices of these are joined
		matrixShape{"i, l, k", "b + l, k, j", "i, b, j", "ibjkl"}, matrixShape{"i, l, k", "k, b, j + l", "b, i, j", "ibjkl"}, matrixShape{"i, k, l", "k, j + l", "i, j", "ijkl"},
		matrixShape{"k, l, i", "b, k, j + j + l", "b, i, j", "bijkl"}) // these have windows
	multiplied := 0
	draws := sweep.Draws(t, 60, 480)
	for range draws {
		shape := shapes[draw.IntN(len(shapes))]
		sizes := map[string]int{"b": 1 + draw.IntN(3), "l": 1 + draw.IntN(3)}
		for _, i := range []string{"i", "j", "k"} {
			if sizes[i] = 1 + draw.IntN(40); draw.IntN(20) == 0 {
				sizes[i] = 0
			}
		}
		dims, loops := shape.ofSizes(sizes)
		p := readProgram(t, fmt.Sprintf("func product {\n  in A: float32[%s]\n  in B: float32[%s]\n  out C: float32[%s]\n  for %s { C[%s] = A[%s] * B[%s] }\n}",
			dims(shape.a), dims(shape.b), dims(shape.c), loops, shape.c, shape.a, shape.b))
		text := partsTree(draw, shape.indices, shape.c[len(shape.c)-1:], strings.Contains(shape.b, "+"))
		tree, err := schedule.Parse(text)
		if err == nil {
			err = schedule.Check(p.f, tree)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		verify(t, p, tree, nil, evaluate)
		f, err := lower.Lower(p.f, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(loop.Print(f), "multiply") {
			multiplied++
		}
	}
	if multiplied < draws*2/3 {
		t.Errorf("only %d of the schedules multiply parts", multiplied)
	}
}

// partsTree draws a schedule of a contraction with results along a vector.
func partsTree(draw *rand.Rand, indices, vector string, windows bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "domain S0[%s]\n", strings.Join(strings.Split(indices, ""), ", "))
	depth := 0
	line := func(text string) {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), text)
		depth++
	}
	var blocks []string
	for _, i := range indices {
		if draw.IntN(3) == 0 && i < 'k' {
			blocks = append(blocks, fmt.Sprintf("S0.%c tile %d coincident", i, 2+draw.IntN(20)))
		}
	}
	if len(blocks) > 0 {
		line("band " + strings.Join(blocks, " | "))
	}
	region := []string{"output", "output", "register"}[draw.IntN(3)]
	if region == "register" && draw.IntN(2) == 0 {
		line("accumulate S0 output")
		line(fmt.Sprintf("band S0.k tile %d", 2+draw.IntN(30)))
	}
	if draw.IntN(3) == 0 && !windows {
		line("place " + []string{"A", "B"}[draw.IntN(2)] + " private")
	}
	line("accumulate S0 " + region)
	inside := []string{"S0.k group 1 matrix" + cut(draw, windows)}
	for _, i := range indices {
		if string(i) != vector && i != 'k' {
			inside = append(inside, fmt.Sprintf("S0.%c", i))
		}
	}
	draw.Shuffle(len(inside), func(a, b int) { inside[a], inside[b] = inside[b], inside[a] })
	line("band " + strings.Join(append(inside, "S0."+vector+" vector 8"), " | "))
	return b.String()
}

// cut draws marks that say how a product is cut.
func cut(draw *rand.Rand, windows bool) (marks string) {
	kind := ein.PartsProduct
	if windows {
		kind = ein.WindowProduct
	} else if draw.IntN(2) == 0 {
		marks += " keep " + []string{"A", "B"}[draw.IntN(2)]
	}
	for _, r := range ein.BlockingRows() {
		if r.Of&kind == 0 || draw.IntN(2) == 0 {
			continue
		}
		var numbers []string
		for _, most := range r.Most {
			numbers = append(numbers, fmt.Sprint(1+draw.Int64N(min(most, 20))))
		}
		marks += " " + r.Word + " " + strings.Join(numbers, "/")
	}
	if draw.IntN(2) == 0 {
		marks += fmt.Sprintf(" room %d", ein.LeastPartsBlocks*ein.PartsBlockBytes+draw.IntN(100000))
	}
	return marks
}

// TestCuts: what a tree says of how products are cut is in the loops.
func TestCuts(t *testing.T) {
	floats := readProgram(t, "func f {\n  in A: float32[300, 500]\n  in B: float32[500, 400]\n  out C: float32[300, 400]\n  for i in 0:300, j in 0:400, k in 0:500 reduce + { C[i, j] = A[i, k] * B[k, j] }\n}")
	windows := readProgram(t, "func f {\n  in X: float32[8, 400]\n  in K: float32[16, 8, 3]\n  out Y: float32[16, 398]\n  for i in 0:16, j in 0:398, k in 0:8 reduce +, s in 0:3 reduce + { Y[i, j] = X[k, j + s] * K[i, k, s] }\n}")
	bytes := readProgram(t, "func f {\n  in A: int8[30, 64]\n  in B: int8[64, 40]\n  out C: int32[30, 40]\n  for i in 0:30, j in 0:40, k in 0:64 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }\n}")
	for _, test := range []struct {
		p           program
		marks, want string
	}{
		{floats, "1 matrix", "500 in B_parts\n"},
		{floats, "1 matrix pass 7/3 panels 5 tries 2 near 1 lines 6 keep A", "500 in B_parts pass 7, 3 panels 5 tries 2 near 1 lines 6 keep rows\n"},
		{floats, "1 matrix keep B room 61440", "500 in B_parts keep columns\n"},
		{floats, "1 matrix room 61440", "buffer B_parts bfloat16[30720] private"},
		{windows, "1 matrix depth 2 weigh 4/3/2/1 chunks 9 asks 8/7 room 102400", "; 3 by 1, 1 depth 2 weigh 4, 3, 2, 1 chunks 9 asks 8, 7\n"},
		{windows, "1 matrix room 102400", "buffer X_parts bfloat16[51200] private"},
		{bytes, "4 matrix tiles 8/7/6 lines 5", "64 tiles 8, 7, 6 lines 5\n"},
	} {
		text := "domain S0[i, j, k]\naccumulate S0 output\n  band S0.k group " + test.marks + " | S0.i | S0.j vector 16\n"
		switch test.p.f {
		case windows.f:
			text = strings.NewReplacer("[i, j, k]", "[i, j, k, s]", "| S0.i", "| S0.s | S0.i").Replace(text)
		case bytes.f:
			text = strings.Replace(text, "accumulate S0 output\n", "place B private\n  accumulate S0 private\n  ", 1)
		}
		tree, err := schedule.Parse(text)
		if err == nil {
			err = schedule.Check(test.p.f, tree)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		f, err := lower.Lower(test.p.f, tree, lower.Options{})
		if err == nil {
			err = loop.Verify(f)
		}
		if err != nil || !strings.Contains(loop.Print(f), test.want) {
			t.Errorf("%v: expected %q in\n%s", err, test.want, loop.Print(f))
		}
	}
}

// TestWindowsInParts lowers the default schedules of convolutions on machines with matrix units: TestParts runs such
// loops, of smaller sizes.
func TestWindowsInParts(t *testing.T) {
	draw := rand.New(rand.NewPCG(31, 37))
	found := 0
	for range 160 {
		b, f, c, h, w, r, s := 1+draw.IntN(5), 17+draw.IntN(200), 32+draw.IntN(200), 1+draw.IntN(60), 8+draw.IntN(50), 1+draw.IntN(4), 1+draw.IntN(4)
		p := readProgram(t, fmt.Sprintf("func layer {\n  in I: float32[%d, %d, %d, %d]\n  in K: float32[%d, %d, %d, %d]\n  out O: float32[%d, %d, %d, %d]\n"+
			"  for b in 0:%[9]d, f in 0:%[10]d, h in 0:%[11]d, w in 0:%[12]d, c in 0:%[2]d reduce +, r in 0:%[7]d reduce +, s in 0:%[8]d reduce + { O[b, f, h, w] = I[b, c, h + r, w + s] * K[f, c, r, s] }\n}",
			b, c, h+r-1, w+s-1, f, c, r, s, b, f, h, w))
		tree := p.defaultTree(t, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 1 + draw.IntN(3), Features: []string{"avx512bw", "amx_bf16"}})
		k, err := lower.Lower(p.f, tree, lower.Options{})
		if err == nil {
			err = loop.Verify(k)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, schedule.Print(tree))
		}
		if strings.Contains(loop.Print(k), " run ") {
			found++
		}
	}
	if found < 20 {
		t.Errorf("only %d of the schedules multiply parts of planes", found)
	}
}
