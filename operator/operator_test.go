package operator_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/operator"
	"github.com/ricci-lang/ricci/tensor"
)

func Example() {
	A := operator.Matrix("A", "m", "n")
	u := operator.Tensor("u", "n", "n", "n")
	v := operator.Product(A, A, A).Apply(u)
	program := operator.Program{Name: "interpolate", Outputs: []operator.Output{{Name: "v", Value: v}}}
	text, err := program.Text()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	compiled, err := program.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	def, err := compiled.Def("interpolate")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(def)
	// Output:
	// def interpolate
	//   alloc A : [m, n] in
	//   alloc u : [n, n, n] in
	//   alloc v : [m, m, m] out
	//   v = (A * A * A)(u)
	// interpolate(float64(m, n) A, float64(n, n, n) u) -> (float64(m, m, m) v)
}

// The inverse of the Helmholtz operator, by diagonalisation: three applications of
// matrices, a division, and three applications of their transposes.
func ExampleProgram() {
	S := operator.Tensor("S", "n", "n")
	D := operator.Tensor("D", "n", "n", "n")
	u := operator.Tensor("u", "n", "n", "n")
	forward, backward := S.Operator(), S.Transposed().Operator()
	w := operator.Product(backward, backward, backward).Apply(u).Over(D).As("w")
	v := operator.Product(forward, forward, forward).Apply(w)
	text, err := operator.Program{Name: "inverse", Outputs: []operator.Output{{Name: "v", Value: v}}}.Text()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	// Output:
	// def inverse
	//   alloc S : [n, n] in
	//   alloc u : [n, n, n] in
	//   alloc D : [n, n, n] in
	//   alloc w : [n, n, n]
	//   alloc v : [n, n, n] out
	//   w = div (((transp 1 2 S) * (transp 1 2 S) * (transp 1 2 S))(u)) D
	//   v = (S * S * S)(w)
}

// Operators are combined before they are applied: the Laplacian on a grid is a sum of tensor products
// of the one in each direction with identities.
func ExampleOperator() {
	d, n := operator.Matrix("D", "n", "n"), operator.Identity("n")
	laplacian := operator.Product(d, n).Plus(operator.Product(n, d))
	u := operator.Tensor("u", "n", "n")
	program := operator.Program{Name: "laplace", Outputs: []operator.Output{
		{Name: "v", Value: laplacian.Apply(u)},
		{Name: "w", Value: laplacian.Times(operator.Scalar("h")).After(laplacian).Apply(u)},
	}}
	text, err := program.Text()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	// Output:
	// def laplace
	//   alloc D : [n, n] in
	//   alloc u : [n, n] in
	//   alloc v : [n, n] out
	//   alloc h : [] in
	//   alloc w : [n, n] out
	//   v = (D * id n + id n * D)(u)
	//   w = ((h * (D * id n + id n * D)) . (D * id n + id n * D))(u)
}

// dense is an operator on tensors of two dimensions as the sum that defines it.
type dense func(i1, i2, j1, j2 int) float64

// TestOperators compares every way to combine operators with the sums that define
// them.
func TestOperators(t *testing.T) {
	const n = 3
	random := rand.New(rand.NewPCG(1, 2))
	elements := func(count int) []float64 {
		list := make([]float64, count)
		for k := range list {
			list[k] = float64(random.IntN(9) - 4)
		}
		return list
	}
	a, b, x := elements(n*n), elements(n*n), elements(n*n)
	delta := func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	}
	A, B, I := operator.Matrix("A", "n", "n"), operator.Matrix("B", "n", "n"), operator.Identity("n")
	s := operator.Scalar("s")
	at := func(m []float64, i, j int) float64 { return m[i*n+j] }
	for name, test := range map[string]struct {
		operator *operator.Operator
		dense    dense
	}{
		"product":     {operator.Product(A, B), func(i1, i2, j1, j2 int) float64 { return at(a, i1, j1) * at(b, i2, j2) }},
		"identity":    {operator.Product(I, B), func(i1, i2, j1, j2 int) float64 { return delta(i1, j1) * at(b, i2, j2) }},
		"transposed":  {operator.Product(A, B.Transposed()), func(i1, i2, j1, j2 int) float64 { return at(a, i1, j1) * at(b, j2, i2) }},
		"sum inside":  {operator.Product(A.Plus(B), I), func(i1, i2, j1, j2 int) float64 { return (at(a, i1, j1) + at(b, i1, j1)) * delta(i2, j2) }},
		"sum outside": {operator.Product(A, I).Minus(operator.Product(I, B)), func(i1, i2, j1, j2 int) float64 { return at(a, i1, j1)*delta(i2, j2) - delta(i1, j1)*at(b, i2, j2) }},
		"identities":  {operator.Product(A.Minus(I), I.Plus(I)), func(i1, i2, j1, j2 int) float64 { return (at(a, i1, j1) - delta(i1, j1)) * 2 * delta(i2, j2) }},
		"multiple":    {operator.Product(A.Times(s), B.Times(operator.Number(0.5))), func(i1, i2, j1, j2 int) float64 { return 2 * at(a, i1, j1) * 0.5 * at(b, i2, j2) }},
		"composition": {operator.Product(A.After(B), A), func(i1, i2, j1, j2 int) (sum float64) {
			for k := range n {
				sum += at(a, i1, k) * at(b, k, j1) * at(a, i2, j2)
			}
			return sum
		}},
		"compositions": {operator.Product(A, I).After(operator.Product(I, B).Plus(operator.Product(B, A))), func(i1, i2, j1, j2 int) (sum float64) {
			for k := range n {
				sum += at(a, i1, k) * (delta(k, j1)*at(b, i2, j2) + at(b, k, j1)*at(a, i2, j2))
			}
			return sum
		}},
		"composed factor": {operator.Product(I.After(I.Plus(B)), A), func(i1, i2, j1, j2 int) float64 { return (delta(i1, j1) + at(b, i1, j1)) * at(a, i2, j2) }},
	} {
		for _, direct := range []bool{false, true} {
			u := operator.Tensor("u", "n", "n")
			v := test.operator.Apply(u.Plus(u)).Minus(u.Mul(u).Times(s))
			used := u.Plus(u.Times(s)) // so that s is always there
			p := operator.Program{Name: "f", Direct: direct, Outputs: []operator.Output{{Name: "v", Value: v}, {Name: "w", Value: used}}}
			got := run(t, name, p, map[string][]float64{"A": a, "B": b, "u": x, "s": {2}}, n)
			for i1 := range n {
				for i2 := range n {
					want := -2 * at(x, i1, i2) * at(x, i1, i2)
					for j1 := range n {
						for j2 := range n {
							want += test.dense(i1, i2, j1, j2) * 2 * at(x, j1, j2)
						}
					}
					if math.Abs(got[i1*n+i2]-want) > 1e-9 {
						t.Fatalf("%s: v[%d, %d] is %g, expected %g", name, i1, i2, got[i1*n+i2], want)
					}
				}
			}
		}
	}
}

// run returns the output v.
func run(t *testing.T, name string, p operator.Program, values map[string][]float64, n int) []float64 {
	t.Helper()
	text, _ := p.Text()
	program, err := p.Compile()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	def, err := program.Def("f")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{}
	for x, list := range values {
		if !strings.Contains(text, "alloc "+x+" ") {
			continue
		}
		shape := []int{n, n}
		if len(list) == 1 {
			shape = nil
		}
		if args[x], err = tensor.FromSlice(list, shape...); err != nil {
			t.Fatal(err)
		}
	}
	results, err := def.Evaluate(context.Background(), args, nil)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	var list []float64
	for offset := range results["v"].Offsets() {
		list = append(list, results["v"].FloatAt(offset))
	}
	return list
}

func TestErrors(t *testing.T) {
	A, u := operator.Matrix("A", "m", "n"), operator.Tensor("u", "k", "k")
	compile := func(v *operator.Value) error {
		_, err := operator.Program{Name: "f", Outputs: []operator.Output{{Name: "v", Value: v}}}.Compile()
		return err
	}
	err := compile(operator.Product(A, A).Apply(u))
	var d *ricci.Diagnostic
	if !errors.As(err, &d) || d.Code != "E1110" || !strings.Contains(d.Message, "dimension 1 is k and not n") {
		t.Errorf("wrong sizes: %v", err)
	}
	if err := compile(u.Plus(operator.Tensor("u", "k"))); err == nil || !strings.Contains(err.Error(), "u is declared twice") {
		t.Errorf("two inputs of a name: %v", err)
	}
	if err := compile(operator.Tensor("u", "k +")); err == nil || !strings.Contains(err.Error(), "is no size of u") {
		t.Errorf("a wrong size: %v", err)
	}
	if err := compile(operator.Tensor("T", "k", "k", "k").Operator().Apply(u)); err == nil {
		t.Error("a tensor of three dimensions is an operator")
	}
}
