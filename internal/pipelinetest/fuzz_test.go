package pipelinetest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/loop"
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
	if err := interpreted(one); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
}

// interpreted judges a case on its numbers, and on whole ones.
func interpreted(one *pipelinetest.Case) error {
	if err := interpretedOnce(one); err != nil {
		return err
	}
	whole, err := one.Whole()
	if err != nil || whole == nil {
		return err
	}
	if err := interpretedOnce(whole); err != nil {
		return fmt.Errorf("on whole numbers: %w", err)
	}
	return nil
}

func interpretedOnce(one *pipelinetest.Case) error {
	arrays, err := one.Arrays(pipelinetest.Behind)
	if err != nil {
		return err
	}
	var words []loop.Word
	for _, p := range one.Loop.Params {
		if p.Buffer == nil {
			words = append(words, loop.Word{Value: one.Sizes[p.Var.Name]})
			continue
		}
		a := arrays[p.Buffer.Name].Array
		words = append(words, loop.Word{Bytes: unsafe.Slice((*byte)(a.Pointer()), a.Len()*a.DType().Size())})
	}
	fault, err := loop.Evaluate(one.Loop, words)
	runtime.KeepAlive(arrays)
	if err == nil {
		err = one.Judge(arrays, fault != nil)
	}
	for _, a := range arrays {
		err = errors.Join(err, a.Close())
	}
	return err
}
