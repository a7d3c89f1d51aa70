package ricci_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// A wavefront of tiles computes on one and on several threads what the steps one after the
// other do, and the evaluator.
func TestWavefrontOfTiles(t *testing.T) {
	const file = "examples/teml/jacobi.teml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ricci.Parse(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	x := random(t, tensor.Float32, 1, 203, 1037)
	for _, name := range []string{"jacobi_sweeps", "jacobi_wavefront"} {
		d, err := p.Def(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := d.Evaluate(context.Background(), tensors{"X": x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, %d threads", name, threads), func(t *testing.T) {
				out := random(t, tensor.Float32, 2, 195, 1029)
				k := compile(t, d, tensors{"X": x}, ricci.Options{Target: ricci.C, Threads: threads})
				if err := k.Run(context.Background(), x, out); err != nil {
					t.Fatal(err)
				}
				if ok, at := tensor.AllClose(out, want["out"], 1e-6, 1e-6); !ok {
					t.Errorf("wrong at %v", at)
				}
			})
		}
	}
}
