package ricci_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// must keeps the examples short; programs handle the error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func Example() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	a := must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	b := must(tensor.FromSlice([]float32{1, 1, 0, 1}, 2, 2))
	mm := must(program.Def("mm"))
	results := must(mm.Run(context.Background(), map[string]*tensor.Tensor{"A": a, "B": b}))
	fmt.Println(results["C"])
	// Output:
	// [[1. 3.]
	//  [3. 7.]]
}

// Who calls a kernel often compiles it once and preallocates the outputs.
func ExampleKernel_Run() {
	ctx := context.Background()
	program := must(ricci.Parse("axpy.tc", `
def axpy(float a, float(N) X, float(N) Y) -> (Z) { Z(i) = a * X(i) + Y(i) }`))
	axpy := must(program.Def(""))
	alpha := tensor.Scalar(float32(10))
	x := must(tensor.FromSlice([]float32{1, 2, 3}, 3))
	y := must(tensor.FromSlice([]float32{4, 5, 6}, 3))
	z := must(tensor.New(tensor.Float32, 3))
	kernel := must(axpy.CompileFor(ctx, map[string]*tensor.Tensor{"a": alpha, "X": x, "Y": y}, ricci.Options{}))
	defer kernel.Close()
	if err := kernel.Run(ctx, alpha, x, y, z); err != nil {
		panic(err)
	}
	fmt.Println(z)
	// Output: [14. 25. 36.]
}

func ExampleDef_Ranges() {
	program := must(ricci.Parse("conv.tc", `
def conv(float(N) X, float(K) W) -> (Y) { Y(i) +=! X(i+k) * W(k) }`))
	conv := must(program.Def("conv"))
	fmt.Println(conv)
	fmt.Print(must(conv.RangesFor(map[string]int64{"N": 100, "K": 5})))
	// Output:
	// conv(float32(N) X, float32(K) W) -> (float32(N - K + 1) Y)
	// def conv
	//   tensor X  dimension 0  min 0  extent 100
	//   tensor W  dimension 0  min 0  extent 5
	//   tensor Y  dimension 0  min 0  extent 96
	//   index i  min 0  extent 96
	//   index k  min 0  extent 5
}

// A program can examine what is wrong.
func ExampleDiagnostic() {
	_, err := ricci.Parse("sum.tc", `def sum(float(N) A) -> (S) { S +=! B(i) }`)
	var d *ricci.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d.Code, d.Span.Text(), d.Span)
	}
	// Output: E0201 B sum.tc:1:36
}
