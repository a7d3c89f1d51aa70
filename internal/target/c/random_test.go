package c

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestRandomPrograms compares random programs with the evaluator, bit for bit.
func TestRandomPrograms(t *testing.T) {
	units, programs := sweep.Draws(t, 4, 50), 12
	if testing.Short() {
		units = 1
	}
	variants := []struct {
		options Options
		flags   []string
	}{
		{Options{Parallel: Serial}, nil},
		{Options{Parallel: OpenMP}, []string{"-fopenmp"}},
		{Options{Parallel: Serial, VectorBytes: 16}, []string{"-march=x86-64"}},
		{Options{Parallel: Serial, Numerics: numerics.Strict}, nil},
	}
	for _, compiler := range compilers(t) {
		for n := range units {
			variant := variants[n%len(variants)]
			if runtime.GOARCH != "amd64" && n%len(variants) == 2 {
				variant.flags = nil
			}
			testRandomUnit(t, compiler, uint64(n), programs, variant.options, variant.flags)
		}
	}
}

func testRandomUnit(t *testing.T, compiler string, seed uint64, programs int, options Options, flags []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	list := make([]*loop.Func, programs)
	for i := range list {
		list[i] = looptest.WithWhile(r, fmt.Sprintf("p%d", i))
	}
	text, err := PrintUnit(list, options)
	if err != nil {
		t.Fatal(err)
	}
	lib := build(t, compiler, text, append(flags, "-ffp-contract=off", "-w")...)
	for _, f := range list {
		args := randomArguments(r, f)
		want, wantFault := cloneArguments(args), [2]int64{}
		fault, err := loop.EvaluateBy(context.Background(), f, want, loop.Evaluation{LeftZeros: options.Numerics != numerics.Strict})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if fault != nil {
			wantFault = [2]int64{int64(fault.Site) + 1, fault.Value}
		}
		got, gotFault := cloneArguments(args), [2]int64{}
		status := lib.call(t, Symbol(f.Name), argumentBlock(f, got, &gotFault))
		runtime.KeepAlive(got)
		if (status != 0) != (fault != nil) || !hasParallel(f) && gotFault != wantFault {
			one, _ := Print(f, options)
			t.Errorf("seed %d %s: status %d, fault %v, want %v\n%s", seed, f.Name, status, gotFault, wantFault, one)
			continue
		}
		if fault != nil && hasParallel(f) {
			continue // which iterations ran is not determined
		}
		for i, p := range f.Params {
			if p.Buffer != nil && !sameElements(p.Buffer.Type.Elem, got[i].Bytes, want[i].Bytes) {
				one, _ := Print(f, options)
				t.Fatalf("seed %d %s: buffer %s differs\n got %v\nwant %v\n%s", seed, f.Name, p.Buffer.Name, got[i].Bytes, want[i].Bytes, one)
			}
		}
	}
}

func hasParallel(f *loop.Func) bool {
	found := false
	loop.Walk(f.Body, loop.Visitor{Stmt: func(s loop.Stmt) {
		if l, ok := s.(*loop.For); ok && l.Kind == loop.Parallel {
			found = true
		}
	}})
	return found
}

// randomArguments fills the buffers with random bits, valid for their types.
func randomArguments(r *rand.Rand, f *loop.Func) []loop.Word { return looptest.Arguments(r, f) }

func cloneArguments(args []loop.Word) []loop.Word {
	clone := append([]loop.Word(nil), args...)
	for i := range clone {
		clone[i].Bytes = bytes.Clone(clone[i].Bytes)
	}
	return clone
}

// argumentBlock lays arguments out for a compiled kernel.
func argumentBlock(f *loop.Func, args []loop.Word, fault *[2]int64) []uint64 {
	block := make([]uint64, loop.HeaderWords, loop.HeaderWords+len(args))
	block[loop.WordThreads] = 2
	block[loop.WordFault] = uint64(looptest.Address(fault[:]))
	for i, p := range f.Params {
		if p.Buffer == nil {
			block = append(block, uint64(args[i].Value))
			continue
		}
		block = append(block, uint64(looptest.Address(args[i].Bytes)))
	}
	return block
}

// sameElements compares memory; NaNs are equal whatever their bits.
func sameElements(d tensor.DType, a, b []byte) bool { return looptest.Same(d, a, b) }
