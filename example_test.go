package ricci_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// Typed calls take Go's numbers and slices.
func ExampleTyped() {
	type arguments struct {
		A       float32
		X, Y, Z []float32
	}
	program := ricci.MustParse("axpy.tc", `
def axpy(float a, float(N) X, float(N) Y) -> (Z) { Z(i) = a * X(i) + Y(i) }`)
	axpy := ricci.MustTyped[arguments](program.MustDef("axpy"), ricci.Options{})
	z := make([]float32, 3)
	if err := axpy.Run(context.Background(), &arguments{A: 10, X: []float32{1, 2, 3}, Y: []float32{4, 5, 6}, Z: z}); err != nil {
		panic(err)
	}
	fmt.Println(z)
	// Output: [14 25 36]
}

// Who has memory for the results calls the def with it.
func ExampleDef_RunInto() {
	program := ricci.MustParse("twice.tc", `def twice(float(N) X) -> (Y) { Y(i) = 2.0 * X(i) }`)
	y := tensor.Must(tensor.New(tensor.Float32, 3))
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3}, 3))
	if err := program.MustDef("twice").RunInto(context.Background(), x, y); err != nil {
		panic(err)
	}
	fmt.Println(y)
	// Output: [2. 4. 6.]
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

// A schedule is made by transforming loops.
func ExampleDef_Schedule() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	sizes := map[string]int64{"M": 256, "K": 256, "N": 256}
	mm := must(program.Def("mm"))
	s := mm.Schedule(sizes, ricci.Options{}).Tile(32).Interchange(5, 6).Parallelize(1)
	fmt.Print(s)
	kernel := must(mm.Compile(context.Background(), must(mm.SignatureForSizes(sizes)), ricci.Options{Schedule: must(s.Text())}))
	defer kernel.Close()
	// Output:
	// for (i' = 0; i' <= 7; i'++)  // parallel
	//   for (j' = 0; j' <= 7; j'++)
	//     for (k' = 0; k' <= 7; k'++)
	//       for (i = 32*i'; i <= 32*i' + 31; i++)
	//         for (k = 32*k'; k <= 32*k' + 31; k++)
	//           for (j = 32*j'; j <= 32*j' + 31; j++)
	//             C(i,j) +=! A(i,k) * B(k,j)
}

// The loops after each step, and a mark that has no effect.
func ExampleSchedule_Steps() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	mm := must(program.Def("mm"))
	s := mm.Schedule(map[string]int64{"M": 64, "K": 64, "N": 64}, ricci.Options{}).Stripmine(1, 8).Parallelize(1).Parallelize(3)
	fmt.Print(s.Steps())
	for _, w := range s.Warnings() {
		fmt.Println(w.Code, w.Message)
	}
	// Output:
	// for (i = 0; i <= 63; i++)
	//   for (j = 0; j <= 63; j++)
	//     for (k = 0; k <= 63; k++)
	//       C(i,j) +=! A(i,k) * B(k,j)
	// stripmine(l, 1, 8)
	// for (i' = 0; i' <= 7; i'++)
	//   for (i = 8*i'; i <= 8*i' + 7; i++)
	//     for (j = 0; j <= 63; j++)
	//       for (k = 0; k <= 63; k++)
	//         C(i,j) +=! A(i,k) * B(k,j)
	// parallelize(l, 1)
	// for (i' = 0; i' <= 7; i'++)  // parallel
	//   for (i = 8*i'; i <= 8*i' + 7; i++)
	//     for (j = 0; j <= 63; j++)
	//       for (k = 0; k <= 63; k++)
	//         C(i,j) +=! A(i,k) * B(k,j)
	// parallelize(l, 3)
	// for (i' = 0; i' <= 7; i'++)  // parallel
	//   for (i = 8*i'; i <= 8*i' + 7; i++)
	//     for (j = 0; j <= 63; j++)  // in order: i', further out, is parallel
	//       for (k = 0; k <= 63; k++)
	//         C(i,j) +=! A(i,k) * B(k,j)
	// E1218 the parallel loop j of parallelize(l, 3) has no effect: i', further out, is parallel
}

// A script in TeML is a schedule, too, which other steps may follow. Errors have a code and a
// place.
func ExampleSchedule_Script() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	mm := must(program.Def("mm"))
	s := mm.Schedule(map[string]int64{"M": 64, "K": 64, "N": 64}, ricci.Options{})
	fmt.Print(s.Script("rows.teml", "l = interchange(build(C), 2, 3)\ncodegen(l)").Vectorize(3))
	err := s.Script("rows.teml", "l = interchange(build(C), 3, 4)\ncodegen(l)").Err()
	var d *ricci.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d.Code, d.Span, d.Message)
	}
	// Output:
	// for (i = 0; i <= 63; i++)
	//   for (k = 0; k <= 63; k++)
	//     for (j = 0; j <= 63; j++)  // vectors
	//       C(i,j) +=! A(i,k) * B(k,j)
	// E0714 rows.teml:1:5 interchange(build(C), 3, 4), equation (21): there is no level 4: the nest is a chain of 3 loops, with one statement inside
}

// A schedule that breaks a dependence is refused; the error names the step.
func ExampleSchedule_Text() {
	program := must(ricci.Parse("blur.tc", `
def blur(float(N) X) -> (T, Y) {
    T(i) = X(i) * 2 where i in 0:N-1
    Y(i) = T(N-2-i)
}`))
	blur := must(program.Def("blur"))
	_, err := blur.Schedule(map[string]int64{"N": 100}, ricci.Options{}).Of("T").FuseOuter("Y", 1).Text()
	var d *ricci.Diagnostic
	if errors.As(err, &d) {
		step, _, _ := strings.Cut(d.Message, ":")
		fmt.Println(step)
		for _, note := range d.Notes {
			fmt.Println(note.Message)
		}
	}
	// Output:
	// fuse_outer(l1, l2, 1) breaks a dependence
	// the statement Y(i) = T(N-2-i)
	// the first access, for example in the statement of T at i = 98
	// the second access, for example in the statement of Y at i = 0
}

// A Call checks its arguments once, for kernels that are called very often.
func ExampleKernel_Bind() {
	ctx := context.Background()
	program := must(ricci.Parse("step.tc", `
def step(float a, float(N) g) -> (float(N) w) { w(i) = w(i) - a * g(i) }`))
	step := must(program.Def("step"))
	a, g := tensor.Scalar(float32(0.5)), must(tensor.FromSlice([]float32{2, 4}, 2))
	w := must(tensor.FromSlice([]float32{10, 10}, 2))
	kernel := must(step.CompileFor(ctx, map[string]*tensor.Tensor{"a": a, "g": g, "w": w}, ricci.Options{}))
	defer kernel.Close()
	call := must(kernel.Bind(a, g, w))
	defer call.Close()
	for range 3 {
		if err := call.Run(); err != nil {
			panic(err)
		}
	}
	fmt.Println(w)
	// Output: [7. 4.]
}

// Any result can be compared with that of the reference evaluator.
func ExampleDef_Check() {
	ctx := context.Background()
	program := must(ricci.Parse("sum.tc", `def sum(float(N) x) -> (s) { s +=! x(i) }`))
	sum := must(program.Def("sum"))
	x := must(tensor.New(tensor.Float32, 1000))
	tensor.FillRandom(x, 1)
	args := map[string]*tensor.Tensor{"x": x}
	results := must(sum.Run(ctx, args))
	_, err := sum.Check(ctx, args, results, nil)
	fmt.Println("as it should be:", err == nil)
	results["s"].SetFloat(results["s"].Float() + 1)
	_, err = sum.Check(ctx, args, results, nil)
	var d *ricci.Diagnostic
	fmt.Println("one more:", errors.As(err, &d) && d.Code == "E0628")
	// Output:
	// as it should be: true
	// one more: true
}

// Stages are texts: what a def becomes on its way to code.
func ExampleDef_Stage() {
	program := must(ricci.Parse("conv.tc", `
def conv(float(N) X, float(K) W) -> (Y) { Y(i) +=! X(i+k) * W(k) }`))
	conv := must(program.Def("conv"))
	fmt.Print(must(conv.Stage(context.Background(), ricci.StageEin, map[string]int64{"N": 100, "K": 5}, ricci.Options{})))
	// Output:
	// func conv {
	//   in X: float32[100]
	//   in W: float32[5]
	//   out Y: float32[96]
	//   for i in 0:96, k in 0:5 reduce + {
	//     Y[i] = X[i + k] * W[k]
	//   }
	// }
}

// Build writes a def for programs that know nothing of Ricci.
func ExampleDef_Build() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	dir := must(os.MkdirTemp("", "build-*"))
	defer os.RemoveAll(dir)
	mm := must(program.Def("mm"))
	for _, path := range must(mm.Build(context.Background(), ricci.BuildOptions{Sizes: map[string]int64{"M": 4, "N": 4, "K": 4}, Dir: dir})) {
		fmt.Println(filepath.Base(path))
	}
	// Output:
	// mm.c
	// mm.h
}

// The guard is a second opinion on whether a def stays in bounds.
func ExampleDef_Guard() {
	program := must(ricci.Parse("conv.tc", `
def conv(float(N) X, float(K) W) -> (Y) { Y(i) +=! X(i+k) * W(k) }`))
	guard := must(must(program.Def("conv")).Guard())
	fmt.Println(guard.Verdict)
	for _, c := range guard.Conditions {
		fmt.Println("when", c.Text)
	}
	// Output:
	// safe
	// when N >= K
}

// An estimate predicts the time of a call, and how far that is from the limit of the machine.
func ExampleDef_Estimate() {
	program := must(ricci.Parse("mm.tc", `
def mm(float(M,K) A, float(K,N) B) -> (C) {
    C(i,j) +=! A(i,k) * B(k,j)
}`))
	mm := must(program.Def("mm"))
	e := must(mm.Estimate(context.Background(), map[string]int64{"M": 1024, "N": 1024, "K": 1024}, ricci.Options{}))
	fmt.Println(e.Seconds() > 0, e.Seconds() >= e.Floor())
	// Output: true true
}

// A schedule that breaks a dependence is refused.
func ExampleOptions_schedule() {
	program := must(ricci.Parse("pairs.tc", `
def pairs(float(N) x) -> (y, z) {
  y(i) = 2 * x(i)
  z(i) = y(i) + y(i + 1)
}`))
	pairs := must(program.Def("pairs"))
	signature := must(pairs.SignatureForSizes(map[string]int64{"N": 1000}))
	for _, z := range []string{"S1.i", "S1.i+1"} {
		_, err := pairs.Compile(context.Background(), signature, ricci.Options{Schedule: `
domain S0[i]; S1[i]
band S0.i ` + z + `
  sequence
    filter S0
    filter S1`})
		var d *ricci.Diagnostic
		if errors.As(err, &d) {
			fmt.Println(z, d.Code)
		} else {
			fmt.Println(z, err)
		}
	}
	// Output:
	// S1.i E0711
	// S1.i+1 <nil>
}
