package standard

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestFewResultsHaveSchedules draws sums of few results, and sums into segments, of any sizes: threads
// share their pieces wherever these are long, and no schedule falls back to the order of the program.
func TestFewResultsHaveSchedules(t *testing.T) {
	programs := []struct {
		text   string
		shared func(n, m int) bool // by two threads, in pieces of what is reduced
	}{
		{`func f { in x: float32[%[1]d + %[2]d] out r: float32[%[2]d] for l in 0:%[2]d, i in 0:%[1]d reduce + { r[l] = x[i] * x[i + l] } }`,
			func(n, m int) bool { return n >= 100_000 && m <= 16 }},
		{`func f { in x: int16[%[1]d + %[2]d] in y: int16[%[1]d] out r: int64[%[2]d] for l in 0:%[2]d, i in 0:%[1]d reduce + { r[l] = int64(y[i]) * int64(x[i + l]) } }`,
			func(n, m int) bool { return n >= 100_000 && m <= 16 }},
		{`func f { in x: float64[%[1]d, %[2]d] out r: float64[%[2]d] for c in 0:%[2]d, i in 0:%[1]d reduce max { r[c] = x[i, c] } }`, nil},
		{`func f { in x: float32[%[2]d, %[1]d, 3] out r: float32[3] for c in 0:3, j in 0:%[2]d reduce +, i in 0:%[1]d reduce + { r[c] = x[j, i, c] } }`, nil},
		{`func f { in x: float32[%[1]d, 17] in s: int32[%[1]d] out y: float32[%[2]d, 17] for i in 0:%[2]d, d in 0:17, n in 0:%[1]d reduce + { y[i, d] = s[n] == int32(i) ? x[n, d] : 0f32 } }`,
			func(n, m int) bool { return n >= 100*m && n >= 20_000 && m >= 1100 }},
		{`func f { in x: int32[%[2]d, %[1]d] in w: float32[%[2]d, %[1]d] out r: float32[20001] for b in 0:20001, a in 0:%[2]d reduce +, i in 0:%[1]d reduce + { r[b] = x[a, i] == int32(b) ? w[a, i] : 0f32 } }`,
			func(n, m int) bool { return n*m >= 1_000_000 }},
		{`func f { in x: uint8[%[2]d, %[1]d] out r: int64[40] for b in 0:40, a in 0:%[2]d reduce +, i in 0:%[1]d reduce + { r[b] = x[a, i] == uint8(b) ? 1i64 : 0i64 } }`,
			func(n, m int) bool { return n*m >= 1_000_000 }},
		{`func f { in x: int32[%[1]d, %[2]d] in w: float32[%[1]d, %[2]d] out r: float32[40] for b in 0:40, a in 0:%[1]d reduce +, i in 0:%[2]d reduce + { r[b] = x[a, i] == int32(b) ? w[a, i] : 0f32 } }`,
			func(n, m int) bool { return n*m >= 1_000_000 }},
		{`func f { in x: float32[%[2]d, %[1]d, 33] out r: float32[33] for c in 0:33, a in 0:%[2]d reduce +, b in 0:%[1]d reduce + { r[c] = x[a, b, c] } }`,
			func(n, m int) bool { return n*m >= 1_000_000 }},
		{`func f { in x: float64[%[1]d, 5, %[2]d, 40] in w: float64[%[1]d, %[2]d] out r: float64[5, 40] for a in 0:%[1]d reduce +, b in 0:5, c in 0:%[2]d reduce +, d in 0:40 { r[b, d] = x[a, b, c, d] * w[a, c] } }`,
			func(n, m int) bool { return n >= 100 && m >= 100 }},
		{`func f { in x: float32[1, %[2]d, 3, %[1]d, 1, 24] out r: float32[24] for a in 0:1 reduce max, b in 0:%[2]d reduce max, c in 0:3 reduce max, d in 0:%[1]d reduce max, e in 0:1 reduce max, f in 0:24 { r[f] = x[a, b, c, d, 0i64, f] } }`,
			func(n, m int) bool { return n*m >= 1_000_000 }},
	}
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(programs).Draw(rt, "program")
		n, few := rapid.IntRange(1, 400_000).Draw(rt, "n"), rapid.IntRange(1, 3000).Draw(rt, "m")
		switch rapid.IntRange(0, 2).Draw(rt, "few") {
		case 0:
			few = 1 + few%40
		case 1:
			few = 1 << (few % 6)
		}
		text := fmt.Sprintf(p.text, n, few)
		f := parseFunc(t, text)
		tree, err := Default(f, m)
		if err != nil {
			rt.Fatal(err)
		}
		if tree.Fallback != nil {
			rt.Fatalf("%v\n%s", tree.Fallback, text)
		}
		if p.shared != nil && p.shared(n, few) && !hasPieces(tree.Root) {
			rt.Fatalf("no pieces in\n%s\nof %s", schedule.Print(tree), text)
		}
	})
}

// hasPieces reports whether threads have results of their own.
func hasPieces(n schedule.Node) bool {
	if a, ok := n.(*schedule.Accumulate); ok && a.Region == schedule.Workspace {
		return true
	}
	for _, child := range schedule.Children(n) {
		if hasPieces(child) {
			return true
		}
	}
	return false
}
