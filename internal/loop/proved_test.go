package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// TestProofsOfOpenSizes makes default schedules of a third of the corpus for sizes that stay open, on two
// machines, and records which of the loops are not proved to stay in bounds. A prover that
// proves less makes them slow (E0629, and plain schedules) and breaks no other test.
func TestProofsOfOpenSizes(t *testing.T) {
	machines := []*machine.Processor{
		{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 4},
		{VectorBytes: 16, VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: 2},
	}
	proved := 0
	var unproved strings.Builder
	err := pipelinetest.Corpus(5, func(sample pipelinetest.Sample) {
		if isSlow(sample.Name) || sample.Seed()%3 != 0 {
			return // many of the slow ones are unproved, after seconds
		}
		one := &pipelinetest.Case{Name: "kernel", Func: sample.Func, Sizes: sample.Sizes, Machine: machines[len(sample.Name)%2], Keep: map[string]bool{}}
		if len(one.Func.Sizes) == 0 || !one.DrawArguments(sample.From, 20000) {
			return
		}
		for _, s := range one.Func.Sizes {
			one.Keep[s.Name] = true
		}
		if err := one.PrepareDefault(); err != nil {
			fmt.Fprintf(&unproved, "%s: no schedule\n", sample.Name)
		} else if one.Unproved != nil {
			fmt.Fprintf(&unproved, "%s\n", sample.Name)
		} else {
			proved++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&unproved, "%d are proved\n", proved)
	goldentest.Text(t, "testdata/unproved.txt", unproved.String())
}
