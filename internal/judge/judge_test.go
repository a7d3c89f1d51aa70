package judge

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// An order adds terms x[k]·y[k], all of them multiplied by s.
type order struct {
	name string
	sum  func(x, y []float32, s float32) float32
}

// orders are those of kernels: what a right one may do.
var orders = []order{
	{"in order", func(x, y []float32, s float32) float32 { return s * chain(x, y, 0, 1) }},
	{"reversed", func(x, y []float32, s float32) float32 {
		sum := float32(0)
		for k := len(x) - 1; k >= 0; k-- {
			sum += s * x[k] * y[k]
		}
		return sum
	}},
	{"fused", func(x, y []float32, s float32) float32 {
		sum := float32(0)
		for k := range x {
			sum = float32(math.FMA(float64(s*x[k]), float64(y[k]), float64(sum)))
		}
		return sum
	}},
	{"eight lanes", func(x, y []float32, s float32) float32 { return s * lanes(x, y, 8) }},
	{"twenty-four lanes", func(x, y []float32, s float32) float32 { return s * lanes(x, y, 24) }},
	{"chunks", func(x, y []float32, s float32) float32 {
		sum, n := float32(0), (len(x)+6)/7
		for k := 0; k < len(x); k += n {
			end := min(k+n, len(x))
			sum += s * lanes(x[k:end], y[k:end], 4)
		}
		return sum
	}},
	{"pairwise", func(x, y []float32, s float32) float32 { return pairwise(x, y, s) }},
}

func chain(x, y []float32, first, step int) float32 {
	sum := float32(0)
	for k := first; k < len(x); k += step {
		sum += x[k] * y[k]
	}
	return sum
}

func lanes(x, y []float32, n int) float32 {
	sum := float32(0)
	for lane := range n {
		sum += chain(x, y, lane, n)
	}
	return sum
}

func pairwise(x, y []float32, s float32) float32 {
	if len(x) <= 2 {
		return s * chain(x, y, 0, 1)
	}
	half := len(x) / 2
	return pairwise(x[:half], y[:half], s) + pairwise(x[half:], y[half:], s)
}

// faults are mistakes of kernels: they change the terms or the result.
var faults = map[string]func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32{
	"last term dropped": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(x[:len(x)-1], y[:len(y)-1], s)
	},
	"first term dropped": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(x[1:], y[1:], s)
	},
	"one term twice": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		n := len(x)
		return sum(append(x[:n:n], x[n-1]), append(y[:n:n], y[n-1]), s)
	},
	"neighbours": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(append(x[1:len(x):len(x)], x[0]), y, s)
	},
	"a square": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(x, x, s)
	},
	"no factor": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(x, y, 1)
	},
	"other sign": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return -sum(x, y, s)
	},
	"zero": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 { return 0 },
	"a little more": func(x, y []float32, s float32, sum func(x, y []float32, s float32) float32) float32 {
		return sum(x, y, s) * (1 + 0x1p-20)
	},
}

const sumText = `func f { in X: float32[%[1]d] in Y: float32[%[1]d] in s: float32[] out z: float32[]
	for k in 0:%[1]d reduce + { z[] = s[] * X[k] * Y[k] } }`

func floats(t *tensor.Tensor) []float32 {
	var list []float32
	for o := range t.Offsets() {
		list = append(list, float32(t.FloatAt(o)))
	}
	return list
}

// sumCase is a call of a sum of n random terms, and how a kernel runs.
func sumCase(t *testing.T, n int, kernel func(x, y []float32, s float32) float32) (Case, Call) {
	t.Helper()
	f, err := ein.ParseFunc("sum", fmt.Sprintf(sumText, n))
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{}
	for seed, x := range f.Inputs() {
		var shape []int
		if len(x.Dims) > 0 {
			shape = []int{n}
		}
		if args[x.Name], err = tensor.New(x.Type, shape...); err != nil {
			t.Fatal(err)
		}
		tensor.FillRandom(args[x.Name], uint64(seed)+7)
	}
	call := func(args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		z := kernel(floats(args["X"]), floats(args["Y"]), float32(args["s"].Float()))
		return map[string]*tensor.Tensor{"z": tensor.Scalar(z)}, nil
	}
	outputs, err := call(args)
	if err != nil {
		t.Fatal(err)
	}
	return Case{Func: f, Args: args, Outputs: outputs}, call
}

// Right kernels pass, whatever their order; wrong ones do not, however long the sum.
func TestPlantedFaults(t *testing.T) {
	for _, n := range []int{10, 100, 1000, 16384, 1_000_000} {
		for number, o := range orders {
			if n > 20000 && number != 3 {
				continue
			}
			c, call := sumCase(t, n, o.sum)
			verdict, err := Kernel(context.Background(), c, call, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !verdict.OK() {
				t.Errorf("%d terms, %s: values %v, whole numbers %v", n, o.name, verdict.Values["z"].Worst, verdict.Exact["z"].Worst)
			}
			if verdict.Exact["z"].Exact != 1 {
				t.Errorf("%d terms: no numbers make the sum exact", n)
			}
			if n > 1000 && number != 3 {
				continue
			}
			for name, fault := range faults {
				if n > 20000 && name != "last term dropped" {
					continue
				}
				c, call := sumCase(t, n, func(x, y []float32, s float32) float32 { return fault(x, y, s, o.sum) })
				verdict, err := Kernel(context.Background(), c, call, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if verdict.Exact.OK() {
					t.Errorf("%d terms, %s: %s is not noticed", n, o.name, name)
				}
			}
		}
	}
}

// The bounds on the caller's own numbers notice most faults of long sums, too.
func TestFaultsOnTheCallersNumbers(t *testing.T) {
	for _, name := range []string{"other sign", "zero", "no factor", "neighbours", "a square"} {
		c, _ := sumCase(t, 16384, func(x, y []float32, s float32) float32 { return faults[name](x, y, s, orders[3].sum) })
		found, err := Values(context.Background(), c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.OK() {
			t.Errorf("%s is not noticed within %v", name, found["z"].Sharpness)
		}
	}
}

// data are terms of which the roundings are not like those of random numbers.
var data = map[string]func(i, j, columns int, random *rand.Rand) float64{
	"random":       func(i, j, columns int, random *rand.Rand) float64 { return random.Float64()*2 - 1 },
	"positive":     func(i, j, columns int, random *rand.Rand) float64 { return random.Float64() },
	"equal":        func(i, j, columns int, random *rand.Rand) float64 { return 0.1 },
	"alternating":  func(i, j, columns int, random *rand.Rand) float64 { return 0.1 * float64(1-(j&1)*2) },
	"rows":         func(i, j, columns int, random *rand.Rand) float64 { return 0.1 * float64(1-(i&1)*2) },
	"checkerboard": func(i, j, columns int, random *rand.Rand) float64 { return 0.1 * float64(1-((i+j)&1)*2) },
	"halves":       func(i, j, columns int, random *rand.Rand) float64 { return math.Copysign(0.1, float64(2*j-columns+1)) },
	"geometric":    func(i, j, columns int, random *rand.Rand) float64 { return math.Exp2(-float64((i*columns + j) % 40)) },
	"a large pair": func(i, j, columns int, random *rand.Rand) float64 {
		switch {
		case i == 3 && j == columns/2-1:
			return 1e6
		case i == 3 && j == columns/2:
			return -1e6
		}
		return random.Float64() - 0.5
	},
}

// walks are orders of a sum over rows and columns: each assigns a term to an accumulator.
var walks = map[string]func(i, j, rows, columns int) (accumulator int){
	"one":              func(i, j, rows, columns int) int { return 0 },
	"lanes of columns": func(i, j, rows, columns int) int { return j % 8 },
	"lanes of rows":    func(i, j, rows, columns int) int { return i % 16 },
	"patches":          func(i, j, rows, columns int) int { return i%4*8 + j%8 },
	"threads":          func(i, j, rows, columns int) int { return i * 4 / rows },
	"halves":           func(i, j, rows, columns int) int { return j * 2 / columns },
	"tiles":            func(i, j, rows, columns int) int { return i/8*8 + j/16 },
}

// No order of a right kernel is called wrong, on any data.
func TestOrdersStayInTheirBounds(t *testing.T) {
	for _, shape := range [][2]int{{1, 3000}, {48, 50}, {64, 64}, {9, 1000}} {
		rows, columns := shape[0], shape[1]
		f, err := ein.ParseFunc("sum", fmt.Sprintf(`func f { in X: float32[%[1]d, %[2]d] out z: float32[]
			for i in 0:%[1]d reduce +, j in 0:%[2]d reduce + { z[] = X[i, j] * 0.3f32 } }`, rows, columns))
		if err != nil {
			t.Fatal(err)
		}
		for kind, at := range data {
			x, err := tensor.New(tensor.Float32, rows, columns)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for i := range rows {
				for j := range columns {
					x.SetFloat(at(i, j, columns, random), i, j)
				}
			}
			for walk, accumulator := range walks {
				for _, columnsFirst := range []bool{false, true} {
					for _, backwards := range []bool{false, true} {
						got := walked(x, rows, columns, accumulator, columnsFirst, backwards)
						c := Case{Func: f, Args: map[string]*tensor.Tensor{"X": x}, Outputs: map[string]*tensor.Tensor{"z": tensor.Scalar(got)}}
						found, err := Values(context.Background(), c, Options{})
						if err != nil {
							t.Fatal(err)
						}
						if !found.OK() {
							t.Errorf("%v, %s, %s (columns first: %t, backwards: %t): %v", shape, kind, walk, columnsFirst, backwards, found["z"].Worst)
						}
					}
				}
			}
		}
	}
}

// walked adds the terms 0.3·x in an order.
func walked(x *tensor.Tensor, rows, columns int, accumulator func(i, j, rows, columns int) int, columnsFirst, backwards bool) float32 {
	sums := map[int]float32{}
	last := 0
	for n := range rows * columns {
		if backwards {
			n = rows*columns - 1 - n
		}
		i, j := n/columns, n%columns
		if columnsFirst {
			i, j = n%rows, n/rows
		}
		a := accumulator(i, j, rows, columns)
		sums[a] += float32(x.Float(i, j)) * 0.3
		last = max(last, a)
	}
	total := float32(0)
	for a := range last + 1 {
		total += sums[a]
	}
	return total
}
