package strand_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// solver is a program whose strand i solves the matrix i of its input.
const solver = `strand s real %[1]s int int32 {
  input list: real[%[3]d]{}
  input count: int
  temp n: int
  param k: int
  output l: real[%[2]d]
  output v: real[%[2]d, %[2]d]
  temp m: real[%[3]d]
  create array for n = 0i32 to count - 1i32 new (n)
  begin { element m of list at k eigen %[2]d (%[4]s) values (%[5]s) vectors (%[6]s) }
  update { stabilize }
}`

func parts(name string, n int) string {
	text := ""
	for k := range n {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s.%d", name, k)
	}
	return text
}

// solve returns values and vectors of matrices, which are upper triangles.
func solve(t *testing.T, real tensor.DType, dim int, matrices [][]float64) (values, vectors []float64) {
	t.Helper()
	width := dim * (dim + 1) / 2
	p := parse(t, fmt.Sprintf(solver, real, dim, width, parts("m", width), parts("l", dim), parts("v", dim*dim)))
	var list []ein.Number
	for _, m := range matrices {
		for _, x := range m {
			list = append(list, ein.Number{Float: x})
		}
	}
	given := strand.Given{Inputs: map[string]strand.Value{"list": {Numbers: list}, "count": {Numbers: []ein.Number{{Int: int64(len(matrices))}}}}}
	result, err := strand.Evaluate(context.Background(), p, given, 0, strand.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return numbers(t, result.Outputs[0]), numbers(t, result.Outputs[1])
}

// full is a symmetric matrix of its upper triangle.
func full(m []float64, dim int) [][]float64 {
	a := make([][]float64, dim)
	for i := range a {
		a[i] = make([]float64, dim)
	}
	at := 0
	for i := range dim {
		for j := i; j < dim; j++ {
			a[i][j], a[j][i] = m[at], m[at]
			at++
		}
	}
	return a
}

// TestEigen compares V Λ Vᵀ with the matrix, and V Vᵀ with the identity: for matrices of any entries,
// with two roots that are near by any power of ten, with axes for vectors, small, and large.
func TestEigen(t *testing.T) {
	for _, real := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for dim := 2; dim <= 3; dim++ {
			r := rand.New(rand.NewPCG(uint64(dim), 5))
			var matrices [][]float64
			for n := range 1500 {
				matrices = append(matrices, draw(r, real, dim, n))
			}
			values, vectors := solve(t, real, dim, matrices)
			epsilon := 0x1p-52
			if real == tensor.Float32 {
				epsilon = 0x1p-23
			}
			for n, m := range matrices {
				judgeEigen(t, m, dim, values[n*dim:][:dim], vectors[n*dim*dim:][:dim*dim], epsilon)
				if t.Failed() {
					return
				}
			}
		}
	}
}

// draw makes a matrix, rounded to a type.
func draw(r *rand.Rand, real tensor.DType, dim, n int) []float64 {
	m := make([]float64, dim*(dim+1)/2)
	for k := range m {
		m[k] = r.NormFloat64()
	}
	switch n % 5 {
	case 0: // near multiples of the identity plus v vᵀ
		apart, scale, k := math.Pow(10, -10*r.Float64()), r.NormFloat64()*3, 0
		v := make([]float64, dim)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		for i := range dim {
			for j := i; j < dim; j++ {
				m[k] = apart*m[k] + scale*v[i]*v[j]
				if i == j {
					m[k] += scale
				}
				k++
			}
		}
	case 1: // whole numbers, of which many are 0
		for k := range m {
			m[k] = float64(r.IntN(3) - 1)
		}
	case 2:
		for k := range m {
			m[k] *= math.Pow(10, -12*r.Float64())
		}
	case 3:
		scale := math.Pow(10, 36*r.Float64()-18)
		for k := range m {
			m[k] *= scale
		}
	}
	if real == tensor.Float32 {
		for k := range m {
			m[k] = float64(float32(m[k]))
		}
	}
	return m
}

func judgeEigen(t *testing.T, m []float64, dim int, values, vectors []float64, epsilon float64) {
	t.Helper()
	a, most := full(m, dim), 0.0
	for _, x := range m {
		most = max(most, math.Abs(x))
	}
	row := func(k int) []float64 { return vectors[k*dim:][:dim] }
	for i := range dim {
		for j := range dim {
			back, product := 0.0, 0.0
			for k := range dim {
				back += row(k)[i] * values[k] * row(k)[j]
				product += row(i)[k] * row(j)[k]
			}
			if i == j {
				product--
			}
			if !(math.Abs(back-a[i][j]) <= 8*epsilon*most) || !(math.Abs(product) <= 5*epsilon) {
				t.Errorf("%v: values %v, vectors %v: V Λ Vᵀ differs by %.2g, V Vᵀ by %.2g (in units of %g)", m, values, vectors,
					math.Abs(back-a[i][j])/epsilon/most, math.Abs(product)/epsilon, epsilon)
				return
			}
		}
	}
	if !slices.IsSortedFunc(values, func(x, y float64) int { return -compareFloats(x, y) }) {
		t.Errorf("%v: values %v are not in descending order", m, values)
	}
	if d := determinant(vectors, dim); d < 0.9 {
		t.Errorf("%v: vectors %v are not right-handed: %g", m, vectors, d)
	}
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func determinant(v []float64, dim int) float64 {
	if dim == 2 {
		return v[0]*v[3] - v[1]*v[2]
	}
	return v[0]*(v[4]*v[8]-v[5]*v[7]) - v[1]*(v[3]*v[8]-v[5]*v[6]) + v[2]*(v[3]*v[7]-v[4]*v[6])
}

// TestEigenOriginal has values and vectors that the original prints, with their signs, and what
// should come out without rounding.
func TestEigenOriginal(t *testing.T) {
	h := float64(float32(math.Sqrt(0.5)))
	for _, row := range []struct {
		dim             int
		m               []float64
		values, vectors []float64
	}{
		{2, []float64{2, 1, 2}, []float64{3, 1}, []float64{h, h, -h, h}},
		{2, []float64{4, 0, 7}, []float64{7, 4}, []float64{0, 1, -1, 0}},
		{2, []float64{7, 0, 7}, []float64{7, 7}, []float64{1, 0, 0, 1}},
		{3, []float64{2, 1, 0, 2, 0, 5}, []float64{5, 3, 1}, []float64{0, 0, 1, h, h, 0, -h, h, 0}},
		{3, []float64{1, 0, 0, 2, 0, 3}, []float64{3, 2, 1}, []float64{0, 0, 1, 0, -1, 0, 1, 0, 0}},
		{3, []float64{6, 0, 0, 6, 0, 6}, []float64{6, 6, 6}, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
		{3, []float64{0, 0, 0, 0, 0, 0}, []float64{0, 0, 0}, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
	} {
		values, vectors := solve(t, tensor.Float32, row.dim, [][]float64{row.m})
		for k, x := range slices.Concat(row.values, row.vectors) {
			got := slices.Concat(values, vectors)[k]
			if !(math.Abs(got-x) <= 1e-6*max(1, math.Abs(x))) || k < row.dim && got != x || got == 0 && math.Signbit(got) {
				t.Errorf("%v: values %v, vectors %v, expected %v and %v", row.m, values, vectors, row.values, row.vectors)
				break
			}
		}
	}
}
