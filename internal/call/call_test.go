package call

import (
	"context"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// parse makes the def of a program of TC, and closes its kernels when the test ends.
func parse(t *testing.T, text string) *Def {
	t.Helper()
	file := source.NewFile("test.tc", text)
	unit, diagnostics := notations.Of(file.Name).Compile(file, lang.Options{})
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	memory := NewMemory()
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	return NewDef(&compile.Def{Def: unit.Defs[0], Files: unit.Files, Extension: ".tc"}, memory)
}

// onEvaluator has loops evaluated: kernels of which nothing is compiled.
func onEvaluator() Options {
	return Options{Options: compile.Options{Device: "evaluator", NoCache: true}}
}

// array makes an array of numbers.
func array(t *testing.T, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(tensor.Float32, shape...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillRandom(x, 1)
	return x
}

type tensors = map[string]*tensor.Tensor

// run calls a def, and compares the results with those of the reference evaluator.
func run(t *testing.T, d *Def, args tensors, options Options) {
	t.Helper()
	out, err := d.Run(context.Background(), args, nil, &options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(context.Background(), args, out, nil); err != nil {
		t.Error(err)
	}
}
