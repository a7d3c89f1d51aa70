package pipelinetest_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// FuzzPipeline lets the bytes of the fuzzer decide about a TC program, its sizes
// and its schedule, and compares the loops with the evaluator. It starts no
// compiler: a thousand programs a second are worth more.
func FuzzPipeline(f *testing.F) {
	for _, seed := range []string{"", "a", "\x07\x03\x01\x00\x02\x05\x01\x09\x0b", strings.Repeat("\x05\x03\x01\x02\x07\x00\x04", 60), strings.Repeat("0123456789", 30)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one := tcCase(t, "fuzzed", pipelinetest.FromBytes(data))
		if one != nil && len(one.Strides) == 0 {
			interpret(t, one)
		}
	})
}

// interpret runs a prepared case of dense arrays in the evaluator of loops.
func interpret(t *testing.T, one *pipelinetest.Case) {
	t.Helper()
	if err := one.Interpret(); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
}
