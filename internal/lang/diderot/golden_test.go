package diderot_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// lowered compiles a program that has no errors.
func lowered(t *testing.T, text string, options lang.Options) *strand.Program {
	t.Helper()
	unit, diagnostics := diderot.Compile(source.NewFile("in.diderot", text), options)
	if err := diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	return unit.Strands[0]
}

// TestLower records what programs are lowered to.
func TestLower(t *testing.T) {
	goldentest.Run(t, "testdata/lower/*.txtar", "strand", 1, func(t *testing.T, inputs []string) string {
		return strand.Print(lowered(t, inputs[0], lang.Options{}))
	})
}

// TestRun records what programs print and write. All images have the samples of polynomial, so that what
// kernels reproduce exactly can be checked by hand.
func TestRun(t *testing.T) {
	goldentest.Run(t, "testdata/run/*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		options := lang.Options{Double: strings.Contains(inputs[0], "// in double")}
		p := lowered(t, inputs[0], options)
		given := strand.Given{Images: map[string]*strand.ImageData{}}
		for _, i := range p.Images {
			given.Images[i.Name] = polynomial(i)
		}
		want := results(p, given, strand.Options{})
		if got := results(p, given, strand.Options{ForceBSP: true}); got != want {
			t.Errorf("step by step:\n%s\nat once:\n%s", got, want)
		}
		return want
	})
}

// polynomial is an image of 8×7×6 samples at whole coordinates: component c of it has the values
// (c+1)·(1 + 2x + x²) - xy + 3z.
func polynomial(i *strand.Image) *strand.ImageData {
	d := &strand.ImageData{Sizes: []int{8, 7, 6}[:i.Dim], Components: i.Components(), Origin: make([]float64, i.Dim), Directions: make([]float64, i.Dim*i.Dim)}
	total := 1
	for axis, size := range d.Sizes {
		d.Directions[axis*i.Dim+axis] = 1
		total *= size
	}
	for n := range total {
		x, y, z := float64(n%8), float64(n/8%7), float64(n/56)
		for c := range d.Components {
			d.Samples = append(d.Samples, float64(c+1)*(1+2*x+x*x)-x*y+3*z)
		}
	}
	return d
}

// results is all that can be seen of a run.
func results(p *strand.Program, given strand.Given, o strand.Options) string {
	var out bytes.Buffer
	o.Print = &out
	result, err := strand.Evaluate(context.Background(), p, given, 20, o)
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
		return out.String()
	}
	fmt.Fprintf(&out, "%d steps\n", result.Steps)
	for _, o := range result.Outputs {
		fmt.Fprintf(&out, "%s %s %v %v\n", o.Name, o.Data.DType(), o.Data.Shape(), o.Kinds)
		if err := tensor.Format(&out, o.Data, tensor.DefaultFormat()); err != nil {
			fmt.Fprintln(&out, err)
		}
		out.WriteString("\n")
	}
	return out.String()
}
