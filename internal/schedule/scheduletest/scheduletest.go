// Package scheduletest draws random functions for tests of makers of schedules, runs
// their loops, and compares with the reference evaluator.
package scheduletest

import (
	"errors"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

var errFault = errors.New("the kernel stopped")

// A Subject is a random function with arguments.
type Subject struct {
	F     *ein.Func // as drawn
	G     *ein.Func // with constant sizes, optimised
	Sizes map[string]int64
	Args  map[string]*tensor.Tensor
}

// Draw draws a function that has statements of every kind.
func Draw(t *rapid.T, options eintest.Options) Subject {
	f := eintest.FuncWith(t, options)
	sizes := eintest.Sizes(t)
	args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Specialise(sizes, nil)
	if err == nil {
		g, err = rewrite.Optimise(g, numerics.Default)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Subject{f, g, sizes, args}
}

// Matches compares results with the reference.
func (s Subject) Matches(t rapid.TB, got map[string]*tensor.Tensor, gotErr error, what string) {
	if err := s.compare(got, gotErr != nil); err != nil {
		t.Fatalf("%v; here: %v\n%s\n%s", err, gotErr, s.G, what)
	}
}

// Same reports whether results are those of the reference.
func (s Subject) Same(t rapid.TB, got map[string]*tensor.Tensor) bool {
	want, bounds, err := ein.EvaluateWithBounds(s.F, s.Args, ein.EvalOptions{Sizes: s.Sizes})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		compared, err := ein.Compare(got[name], want[name], bounds[name])
		if err != nil {
			t.Fatal(err)
		}
		if !compared.OK() {
			return false
		}
	}
	return true
}

// Loops lowers a tree and runs the loops in their evaluator.
func (s Subject) Loops(t rapid.TB, tree *schedule.Tree) (map[string]*tensor.Tensor, error) {
	kernel, err := lower.Lower(s.G, tree, lower.Options{})
	if err == nil {
		err = loop.Verify(kernel)
	}
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, s.G, schedule.Print(tree))
	}
	words, outputs, err := s.Words(kernel)
	if err != nil {
		t.Fatal(err)
	}
	fault, err := loop.Evaluate(kernel, words)
	if err == nil && fault != nil {
		err = errFault
	}
	return outputs, err
}

// outputs makes the arrays of results.
func (s Subject) outputs() (map[string]*tensor.Tensor, error) {
	outputs := map[string]*tensor.Tensor{}
	for _, x := range s.G.Outputs() {
		shape := make([]int, len(x.Dims))
		for d, dim := range x.Dims {
			n, err := dim.Extent.Eval(s.Sizes)
			if err != nil {
				return nil, err
			}
			shape[d] = int(max(n, 0))
		}
		a, err := tensor.New(x.Type, shape...)
		if err == nil && x.Role == ein.InOut {
			err = a.CopyFrom(s.Args[x.Name])
		}
		if err != nil {
			return nil, err
		}
		outputs[x.Name] = a
	}
	return outputs, nil
}

// bytesOf are the bytes of a contiguous tensor.
func bytesOf(a *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(a.Pointer()), a.Len()*a.DType().Size())
}

// Machine draws a small machine, so that vectors occur at small sizes.
func Machine(t *rapid.T) *machine.Processor {
	return &machine.Processor{VectorBytes: 8 << rapid.IntRange(0, 1).Draw(t, "vector"), VectorRegisters: 16, L1: 1 << 11, L2: 1 << 13, L3: 1 << 15, Cores: rapid.IntRange(1, 4).Draw(t, "cores")}
}
