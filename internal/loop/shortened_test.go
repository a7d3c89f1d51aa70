package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// TestShortenedBuffers takes an element from buffers of the corpus, one from each program, and records
// which programs verify all the same: those that never use the last element, or whose buffers have
// room behind what is used. One more is an access out of bounds that is not seen.
func TestShortenedBuffers(t *testing.T) {
	machine := &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: 4}
	var accepted strings.Builder
	refused := 0
	err := pipelinetest.Corpus(9, func(sample pipelinetest.Sample) {
		number := int(sample.Seed())
		if strings.HasPrefix(sample.Name, "mdh/ccsdt") || strings.Contains(sample.Name, "convolve2d") {
			return // seconds each
		}
		one := &pipelinetest.Case{Name: "kernel", Func: sample.Func, Sizes: sample.Sizes, Machine: machine, Keep: map[string]bool{}}
		if !one.DrawArguments(sample.From, 5000) {
			return
		}
		open := len(one.Func.Sizes) > 0 && number%2 == 0
		for _, s := range one.Func.Sizes {
			one.Keep[s.Name] = open
		}
		if err := one.PrepareDefault(); err != nil || one.Unproved != nil || len(one.Loop.Buffers) == 0 {
			return
		}
		b := one.Loop.Buffers[number%len(one.Loop.Buffers)]
		if b.LengthExpr != nil {
			b.LengthExpr = &loop.Binary{Op: ein.Sub, X: b.LengthExpr, Y: loop.Int(1)}
		} else {
			b.Length--
		}
		if loop.Verify(one.Loop) != nil {
			refused++
		} else {
			fmt.Fprintf(&accepted, "%s, open sizes %v: %s\n", sample.Name, open, b.Name)
			if err := one.Interpret(); err != nil {
				t.Errorf("%s: the verifier accepts what fails: %v", sample.Name, err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&accepted, "%d are refused\n", refused)
	goldentest.Text(t, "testdata/shortened.txt", accepted.String())
}
