package lower_test

import (
	"runtime"
	"testing"
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
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/tensor"
)

// TestRandom lowers random functions for random machines, with some sizes
// symbolic, and compares the loop evaluator with the reference evaluator.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		sizes := eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		keep := map[string]bool{}
		dynamic := rapid.Bool().Draw(t, "dynamic")
		for _, s := range f.Sizes {
			keep[s.Name] = dynamic && rapid.IntRange(0, 3).Draw(t, "keep "+s.Name) == 0
		}
		g, err := f.Specialise(sizes, keep)
		if err != nil {
			t.Fatal(err)
		}
		if g, err = rewrite.Optimise(g, numerics.Default); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		m := &machine.Processor{VectorBytes: rapid.SampledFrom([]int{8, 16}).Draw(t, "vector"), VectorRegisters: 16,
			L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: rapid.SampledFrom([]int{1, 4}).Draw(t, "cores")}
		tree, err := standard.Default(g, m)
		if err != nil {
			t.Fatalf("%v\n%s", err, g)
		}
		if tree.Fallback != nil {
			t.Fatalf("%v\n%s", tree.Fallback, g)
		}
		if rapid.Bool().Draw(t, "canonical") {
			tree = schedule.Canonical(g)
		}
		kernel, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, g, schedule.Print(tree))
		}
		if err := loop.Verify(kernel); err != nil && len(g.Sizes) == 0 {
			t.Fatalf("%v\n%s\n%s", err, g, schedule.Print(tree))
		}
		compare(t, f, g, tree, kernel, args, sizes)
	})
}

func compare(t *rapid.T, f, g *ein.Func, tree *schedule.Tree, kernel *loop.Func, args map[string]*tensor.Tensor, sizes map[string]int64) {
	want, bounds, wantErr := ein.EvaluateWithBounds(f, args, ein.EvalOptions{Sizes: sizes})
	p := newProgram(f, sizes)
	outputs := map[string]*tensor.Tensor{}
	shapes, err := f.Shapes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.Outputs() {
		a, err := tensor.New(x.Type, ints(shapes[x.Name])...)
		if err != nil {
			t.Fatal(err)
		}
		if x.Role == ein.InOut {
			if err := a.CopyFrom(args[x.Name]); err != nil {
				t.Fatal(err)
			}
		}
		outputs[x.Name] = a
	}
	fault, err := loop.Evaluate(kernel, words(p, kernel, args, outputs))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, g, schedule.Print(tree))
	}
	runtime.KeepAlive(args)
	if (fault != nil) != (wantErr != nil) {
		t.Fatalf("evaluator %v, kernel %v\n%s\n%s", wantErr, fault, g, schedule.Print(tree))
	}
	for name := range want {
		c, err := ein.Compare(outputs[name], want[name], bounds[name])
		if err != nil {
			t.Fatal(err)
		}
		if !c.OK() {
			t.Fatalf("%s: %v\n%s\n%s\n%s", name, c.Worst, f, g, schedule.Print(tree))
		}
	}
}

func ints(list []int64) []int {
	result := make([]int, len(list))
	for i, n := range list {
		result[i] = int(n)
	}
	return result
}

// words makes the arguments of the loop evaluator.
func words(p program, f *loop.Func, args, outputs map[string]*tensor.Tensor) []loop.Word {
	var list []loop.Word
	for _, w := range f.Params {
		if w.Buffer == nil {
			list = append(list, loop.Word{Value: p.sizes[w.Var.Name]})
			continue
		}
		a := outputs[w.Buffer.Name]
		if a == nil {
			a = args[w.Buffer.Name]
		}
		list = append(list, loop.Word{Bytes: unsafe.Slice((*byte)(a.Pointer()), a.Len()*a.DType().Size())})
	}
	return list
}
