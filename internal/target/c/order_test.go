package c

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/tensor"
)

// hostileNumbers are those of which minima and maxima could be another one.
var hostileNumbers = []float64{math.NaN(), math.Inf(-1), -1e30, -1, -0x1p-149, math.Copysign(0, -1), 0, 0x1p-149, 1, math.Nextafter(1, 2), 1e30, math.Inf(1)}

// An extremeCase computes a minimum or maximum of two numbers, or folds those of a vector.
type extremeCase struct {
	name  string
	value func(x, y loop.Expr) loop.Expr
	// want is the value of two numbers by numerics strict, and by default.
	strict, plain func(x, y float64) float64
}

func extremeCases() []extremeCase {
	exact := func(name string) func(x, y float64) float64 {
		f, _ := ein.LookupBuiltin(name)
		return func(x, y float64) float64 { return f.Eval64([]float64{x, y}) }
	}
	// The operators keep a NaN on the left, and are otherwise the functions; by default they keep the left one of two zeros.
	keeping := func(f func(x, y float64) float64, plain bool) func(x, y float64) float64 {
		return func(x, y float64) float64 {
			if x != x || plain && x == y {
				return x
			}
			return f(x, y)
		}
	}
	var list []extremeCase
	for name, op := range map[string]ein.BinaryOp{"min": ein.Min, "max": ein.Max} {
		f := exact("f" + name)
		list = append(list,
			extremeCase{name, operation(op), keeping(f, false), keeping(f, true)},
			extremeCase{"f" + name, func(x, y loop.Expr) loop.Expr { return call("f"+name, x, y) }, f, f})
	}
	return list
}

// TestExtremes: minima and maxima have one rule about NaNs and zeros, as operators and as functions, of scalars and of
// vectors, with strict numerics to the sign of a zero.
func TestExtremes(t *testing.T) {
	x, y := make([]float64, mathSamples), make([]float64, mathSamples)
	for i := range x {
		x[i], y[i] = hostileNumbers[i%len(hostileNumbers)], hostileNumbers[i/len(hostileNumbers)%len(hostileNumbers)]
	}
	for _, compiler := range compilers(t) {
		for _, level := range runnableLevels() {
			for _, mode := range []numerics.Mode{numerics.Default, numerics.Strict} {
				t.Run(fmt.Sprintf("%s/%v", level.Name, mode), func(t *testing.T) {
					for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
						u := newUnit(Options{VectorBytes: level.VectorBytes, Numerics: mode})
						widths := slices.Compact([]int{1, 2, level.VectorBytes / d.Size(), 2 * level.VectorBytes / d.Size()})
						for _, c := range extremeCases() {
							for _, lanes := range widths {
								u.kernel(extremeKernel(c, d, lanes), Symbol(fmt.Sprintf("%s_%d", c.name, lanes)), "")
							}
						}
						lib := build(t, compiler, u.String(), (Target{}).Flags(level.Name)...)
						for _, c := range extremeCases() {
							want := c.plain
							if mode == numerics.Strict {
								want = c.strict
							}
							for _, lanes := range widths {
								checkExtremes(t, fmt.Sprintf("%s of %d %s", c.name, lanes, d), want, runExtreme(t, lib, c, d, lanes, x, y), x, y, d)
							}
						}
					}
				})
			}
		}
	}
}

// extremeKernel is mathKernel with the expression of a case.
func extremeKernel(c extremeCase, d tensor.DType, lanes int) *loop.Func {
	b, _ := ein.LookupBuiltin("fmax")
	f := mathKernel(b, d, lanes)
	store := f.Body[0].(*loop.For).Body[0].(*loop.Store)
	args := store.Value.(*loop.Call).Args
	store.Value = c.value(args[0], args[1])
	f.Name = c.name
	return f
}

func runExtreme(t *testing.T, lib library, c extremeCase, d tensor.DType, lanes int, x, y []float64) []float64 {
	t.Helper()
	args := make([]uint64, loop.HeaderWords)
	name := Symbol(fmt.Sprintf("%s_%d", c.name, lanes))
	if d == tensor.Float64 {
		out := make([]float64, mathSamples)
		lib.call(t, name, append(args, address(x), address(y), address(out)))
		return out
	}
	var narrow [3][]float32
	for k, from := range [][]float64{x, y, x} {
		for _, v := range from {
			narrow[k] = append(narrow[k], float32(v))
		}
	}
	lib.call(t, name, append(args, address(narrow[0]), address(narrow[1]), address(narrow[2])))
	out := make([]float64, mathSamples)
	for i, v := range narrow[2] {
		out[i] = float64(v)
	}
	return out
}

func checkExtremes(t *testing.T, name string, want func(x, y float64) float64, got, x, y []float64, d tensor.DType) {
	t.Helper()
	for i, v := range got {
		w := want(rounded(d, x[i]), rounded(d, y[i]))
		if math.Float64bits(v) != math.Float64bits(w) && !(v != v && w != w) {
			t.Errorf("%s: %v and %v give %v instead of %v", name, x[i], y[i], v, w)
			return
		}
	}
}

// TestFoldsOfExtremes: a vector's least number with strict numerics is that of its lanes in any order.
func TestFoldsOfExtremes(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1)}
	for _, compiler := range compilers(t) {
		for _, level := range runnableLevels() {
			lanes := level.VectorBytes / 4
			u := newUnit(Options{VectorBytes: level.VectorBytes, Numerics: numerics.Strict})
			for name, op := range map[string]ein.BinaryOp{"fold_min": ein.Min, "fold_max": ein.Max} {
				c := extremeCase{name: name, value: func(x, _ loop.Expr) loop.Expr {
					return &loop.Broadcast{X: &loop.Fold{Op: op, X: x}, Lanes: lanes}
				}}
				u.kernel(extremeKernel(c, tensor.Float32, lanes), Symbol(fmt.Sprintf("%s_%d", name, lanes)), "")
			}
			lib := build(t, compiler, u.String(), (Target{}).Flags(level.Name)...)
			x := make([]float64, mathSamples)
			for i := range x { // one of the other sign in each lane, in turn
				row := i / lanes
				x[i] = numbers[row/lanes%2]
				if row%lanes == i%lanes {
					x[i] = -x[i]
				}
			}
			for name, sign := range map[string]bool{"fold_min": true, "fold_max": false} {
				for i, v := range runExtreme(t, lib, extremeCase{name: name}, tensor.Float32, lanes, x, x) {
					if v != 0 || math.Signbit(v) != sign {
						t.Fatalf("%s, %s: %v at %d", level.Name, name, v, i)
					}
				}
			}
		}
	}
}
