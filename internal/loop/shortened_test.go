package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/sweep"
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
		slow := isSlow(sample.Name)
		if slow && !sweep.Long(t) {
			return
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
			if !slow {
				refused++
			}
		} else {
			if !slow {
				fmt.Fprintf(&accepted, "%s, open sizes %v: %s\n", sample.Name, open, b.Name)
			}
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

// isSlow reports whether the proofs of a function of the corpus take a second or more: only sweeps try them, and no record counts them.
func isSlow(name string) bool {
	return slices.ContainsFunc([]string{"mdh/ccsdt", "convolve2d", "conv2d_stride2", "parts.teil heat", "cells_of_table", "five_if"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
