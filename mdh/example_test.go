package mdh_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/mdh"
	"github.com/ricci-lang/ricci/tensor"
)

// def compiles a program and returns one of its computations.
func def(p mdh.Program, name string) *ricci.Def {
	program, err := p.Compile()
	if err != nil {
		log.Fatal(err)
	}
	d, err := program.Def(name)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// ps combines prefixes: every result is the sum of what is before it, and its own.
func ExamplePS() {
	scan := mdh.Computation{
		Name: "scan", Sizes: []string{"N"},
		Out: []mdh.Buffer{{Name: "y", Type: "int32", Index: mdh.At(0)}},
		Hom: mdh.Hom{Over: mdh.Sizes("N"), F: mdh.Identity, Combine: []mdh.Combine{mdh.PS(mdh.Add)}},
		Inp: []mdh.Buffer{{Name: "x", Type: "int32", Index: mdh.At(0)}},
	}
	x, err := tensor.FromSlice([]int32{1, 2, 3, 4}, 4)
	if err != nil {
		log.Fatal(err)
	}
	results, err := def(mdh.Program{Name: "scan", Computations: []mdh.Computation{scan}}, "scan").Run(context.Background(), map[string]*tensor.Tensor{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results["y"])
	// Output: [ 1  3  6 10]
}

// The scalar function of a computation may depend on the indices, and take steps: here so many of
// Collatz's, as long as a number is not 1.
func ExampleIterate() {
	steps := mdh.Computation{
		Name: "collatz", Sizes: []string{"N"},
		Out: []mdh.Buffer{{Name: "steps", Type: "int64", Index: mdh.At(0)}},
		Hom: mdh.Hom{Over: mdh.Sizes("N"), Combine: []mdh.Combine{mdh.CC}, F: func(_, i []mdh.Expr) []mdh.Expr {
			state := []mdh.State{{Name: "n", Type: "int64", From: i[0].Add(mdh.Int(1))}, {Name: "taken", Type: "int64", From: mdh.Int(0)}}
			return []mdh.Expr{mdh.Iterate(20, state,
				func(s []mdh.Expr) mdh.Expr { return s[0].Gt(mdh.Int(1)) },
				func(s []mdh.Expr) []mdh.Expr {
					half, more := s[0].Div(mdh.Int(2)), s[0].Mul(mdh.Int(3)).Add(mdh.Int(1))
					return []mdh.Expr{mdh.If(s[0].Mod(mdh.Int(2)).Eq(mdh.Int(0)), half, more), s[1].Add(mdh.Int(1))}
				},
				func(s []mdh.Expr) mdh.Expr { return s[1] })}
		}},
	}
	results, err := def(mdh.Program{Name: "collatz", Computations: []mdh.Computation{steps}}, "collatz").
		RunWith(context.Background(), nil, map[string]int64{"N": 8}, ricci.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results["steps"])
	// Output: [ 0  1  7  2  5  8 16  3]
}

// What is wrong with a program is said of its text, as of a file.
func ExampleProgram_Compile() {
	wrong := matvec()
	wrong.Hom.Combine = wrong.Hom.Combine[:1]
	p := mdh.Program{Name: "linear", Computations: []mdh.Computation{wrong}}
	_, err := p.Compile()
	fmt.Println(err)
	// Output:
	// linear.mdh:3:3: error[E1005]: md_hom has 2 sizes and 1 combine operator
}

// Computations compose: a product of matrices and the largest number of each block of its rows.
func ExampleComposition() {
	matmul := mdh.Computation{
		Name: "matmul", Sizes: []string{"I", "J", "K"},
		Out: []mdh.Buffer{{Name: "C", Type: "float32", Index: mdh.At(0, 1)}},
		Hom: mdh.Hom{Over: mdh.Sizes("I", "J", "K"), F: mdh.Product, Combine: []mdh.Combine{mdh.CC, mdh.CC, mdh.PW(mdh.Add)}},
		Inp: []mdh.Buffer{{Name: "A", Type: "float32", Index: mdh.At(0, 2)}, {Name: "B", Type: "float32", Index: mdh.At(2, 1)}},
	}
	pool := mdh.Computation{
		Name: "pool", Sizes: []string{"I", "J"},
		Out: []mdh.Buffer{{Name: "y", Type: "float32", Index: mdh.At(0, 1)}},
		Hom: mdh.Hom{Over: mdh.Sizes("I", "J"), F: mdh.Identity, Combine: []mdh.Combine{mdh.PW(mdh.Max).At(func(i mdh.Expr) mdh.Expr { return i.Div(mdh.Int(2)) }), mdh.CC}},
		Inp: []mdh.Buffer{{Name: "x", Type: "float32", Index: mdh.At(0, 1)}},
	}
	both := mdh.Composition{
		Name: "both", Sizes: []string{"I", "J", "K"},
		Inputs:  []mdh.Buffer{{Name: "A", Type: "float32", Extents: mdh.Sizes("I", "K")}, {Name: "B", Type: "float32", Extents: mdh.Sizes("K", "J")}},
		Outputs: []string{"y"},
		Steps:   []mdh.Step{{Results: []string{"C"}, Apply: "matmul", Buffers: []string{"A", "B"}}, {Results: []string{"y"}, Apply: "pool", Buffers: []string{"C"}}},
	}
	a, errA := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	b, errB := tensor.FromSlice([]float32{1, 0, 0, -1}, 2, 2)
	if errA != nil || errB != nil {
		log.Fatal(errA, errB)
	}
	d := def(mdh.Program{Name: "both", Computations: []mdh.Computation{matmul, pool}, Compositions: []mdh.Composition{both}}, "both")
	results, err := d.Run(context.Background(), map[string]*tensor.Tensor{"A": a, "B": b})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results["y"])
	// Output:
	// [[ 3. -2.]
	//  [ 5. -6.]]
}
