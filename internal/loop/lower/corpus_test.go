package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// TestLoopsOfTheCorpus records what the loops of the corpus consist of: of default schedules for two
// machines, and of drawn schedules. What makes kernels only slower, such as a prefetch or a vector
// that is missing, breaks no other test.
func TestLoopsOfTheCorpus(t *testing.T) {
	machines := []*machine.Processor{
		{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 4},
		{VectorBytes: 16, VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: 2},
	}
	var out strings.Builder
	err := pipelinetest.Corpus(20, func(sample pipelinetest.Sample) {
		number := int(sample.Seed())
		one := &pipelinetest.Case{Name: "kernel", Func: sample.Func, Sizes: sample.Sizes, Machine: machines[number%2]}
		if number%3 == 0 && sample.File == "a.tc" || !one.DrawArguments(sample.From, 20000) {
			return
		}
		prepare, how := one.PrepareDefault, ""
		if number%3 > 1 || number%6 == 0 {
			prepare, how = func() error { return one.Prepare(sample.From) }, " drawn"
		}
		if err := prepare(); err != nil {
			t.Errorf("%v\n%s", err, one)
			return
		}
		fmt.Fprintf(&out, "%s%s: %s\n", sample.Name, how, partsOf(one.Loop))
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Text(t, "testdata/loops.txt", out.String())
}

// partsOf counts the statements and expressions of a kernel.
func partsOf(f *loop.Func) string {
	counts := map[string]int{}
	masked := func(mask loop.Expr) string {
		if mask != nil {
			return " masked"
		}
		return ""
	}
	loop.Walk(f.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			switch s := s.(type) {
			case *loop.For:
				counts[[]string{"loop", "parallel", "unrolled"}[s.Kind]]++
				if loop.TurnOf(s) != nil {
					counts["turn"]++
				}
			case *loop.If:
				counts["if"]++
			case *loop.Alloc:
				counts[fmt.Sprintf("%d B on the stack", s.Buffer.Length*int64(s.Buffer.Type.Elem.Size()*s.Buffer.Type.Lanes))]++
			case *loop.Store:
				word := fmt.Sprintf("store %d%s", s.Value.Type().Lanes, masked(s.Mask))
				if s.Stream {
					word += " past the caches"
				}
				if s.Kept {
					word += " kept"
				}
				counts[word]++
			case *loop.Prefetch:
				counts["prefetch"]++
			case *loop.Check:
				counts["check"]++
			case *loop.Transpose, *loop.Multiply:
				counts[strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", s), "*loop."))]++
			}
		},
		Expr: func(e loop.Expr) {
			switch e := e.(type) {
			case *loop.Load:
				counts[fmt.Sprintf("load %d%s", e.Lanes, masked(e.Mask))]++
			case *loop.MulAdd:
				counts[fmt.Sprintf("muladd %d", e.Type().Lanes)]++
			case *loop.Binary:
				if e.Type().Elem.IsFloat() || e.Type().Lanes > 1 {
					counts[fmt.Sprintf("%s %d", e.Op, e.Type().Lanes)]++
				} else {
					counts["whole number"]++
				}
			case *loop.Fold, *loop.Dot, *loop.Distances, *loop.Shift, *loop.Lane, *loop.Lead, *loop.Call, *loop.Select, *loop.Cast:
				counts[strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "*loop."))]++
			}
		},
	})
	var words []string
	for word, n := range counts {
		words = append(words, fmt.Sprintf("%d %s", n, word))
	}
	slices.Sort(words)
	if f.Workspace > 0 {
		words = append(words, fmt.Sprintf("workspace of %d B", f.Workspace))
	}
	return strings.Join(words, ", ")
}
