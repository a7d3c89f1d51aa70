// Calls measures what the ways to call a def cost, on one so small that it computes next to
// nothing.
//
//	go run ./examples/go/calls
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

var program = ricci.MustParse("axpy.tc", `
def axpy(float a, float(N) X, float(N) Y) -> (Z) { Z(i) = a * X(i) + Y(i) }`)

// Arguments are those of axpy: scalars are Go's numbers, vectors slices.
type Arguments struct {
	A       float32
	X, Y, Z []float32
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "calls:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	defer program.Close()
	axpy := program.MustDef("axpy")
	a := tensor.Scalar(float32(10))
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 4))
	y := tensor.Must(tensor.FromSlice([]float32{5, 6, 7, 8}, 4))
	z := tensor.Must(tensor.New(tensor.Float32, 4))
	named := map[string]*tensor.Tensor{"a": a, "X": x, "Y": y}

	typed := ricci.MustTyped[Arguments](axpy, ricci.Options{})
	slices := Arguments{A: 10, X: []float32{1, 2, 3, 4}, Y: []float32{5, 6, 7, 8}, Z: make([]float32, 4)}
	kernel, err := axpy.CompileFor(ctx, named, ricci.Options{})
	if err != nil {
		return err
	}
	defer kernel.Close()
	call, err := kernel.Bind(a, x, y, z)
	if err != nil {
		return err
	}
	defer call.Close()

	for _, way := range []struct {
		name string
		call func() error
	}{
		{"Call.Run", call.Run},
		{"Kernel.Run", func() error { return kernel.Run(ctx, a, x, y, z) }},
		{"Def.RunInto", func() error { return axpy.RunInto(ctx, a, x, y, z) }},
		{"Typed.Run", func() error { return typed.Run(ctx, &slices) }},
		{"Def.Run", func() error { _, err := axpy.Run(ctx, named); return err }},
		{"tensor.New", func() error { _, err := tensor.New(tensor.Float32, 4); return err }},
	} {
		took, err := fastest(way.call)
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %v\n", way.name, took)
	}
	fmt.Println(slices.Z, z)
	return nil
}

// fastest returns the time of a call in the best of some rounds: the others waited for something
// else.
func fastest(call func() error) (best time.Duration, err error) {
	const rounds, calls = 20, 10_000
	for range rounds {
		start := time.Now()
		for range calls {
			if err := call(); err != nil {
				return 0, err
			}
		}
		if took := time.Since(start) / calls; best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}
