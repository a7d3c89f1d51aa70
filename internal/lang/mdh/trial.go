package mdh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How laws are tried
//
// Both sides of a law are written out over operands that are elements of arrays,
// and the reference evaluator computes them for random arrays: small whole numbers
// and quarters, so that sums and products of floats are exact and ties are common.
// Integers must be equal, floats up to rounding. A sample in which some result is
// infinite or not a number decides nothing. The arrays are the same in every run.
//
// Where an operator compares with numbers of its own, or saturates at them, small
// operands do not reach the other branch. A third of the samples is therefore drawn
// around the constants of its expressions: also large ones, as far as arithmetic with
// them is exact in the type of the operands. Past that the types wrap around or
// round, which is no reason against an operator; its constants are left out.

// samples is how many operands a law is tried with.
const samples = 512

// A law is two expressions over operands that must be equal.
type law struct {
	name        string
	operands    int
	left, right string // for messages, over a, b, c, d
	sides       func(x []value) (left, right value)
}

// A verdict is what the trial of a law found.
type verdict struct {
	broken    bool
	undecided bool
	example   string
}

// try computes both sides of a law for random operands.
func (c *instance) try(shape value, l law) verdict {
	f := &ein.Func{Name: "law"}
	at := &ein.Index{Name: "n", Extent: affine.Const(samples)}
	args := map[string]*tensor.Tensor{}
	operands := make([]value, l.operands)
	random := rand.New(rand.NewPCG(1, 2))
	for k := range operands {
		var list []value
		for n, leaf := range leaves(shape) {
			t := &ein.Tensor{Name: fmt.Sprintf("%c%d", 'a'+k, n), Type: leaf.(scalar).Type(), Dims: []ein.Dim{{Extent: affine.Const(samples)}}}
			f.Tensors = append(f.Tensors, t)
			list = append(list, scalar{&ein.Access{Tensor: t, Subscripts: []ein.Expr{&ein.IndexRef{Index: at}}}})
		}
		operands[k] = rebuild(shape, &list)
	}
	comprehension := &ein.Comprehension{Indices: []*ein.Index{at}}
	f.Body = []*ein.Comprehension{comprehension}
	results := c.inOwnBinder(func() value {
		left, right := l.sides(operands)
		return tuple{left, right}
	})
	for n, e := range results {
		t := &ein.Tensor{Name: fmt.Sprintf("r%d", n), Type: e.Type(), Role: ein.Output, Dims: []ein.Dim{{Extent: affine.Const(samples)}}}
		f.Tensors = append(f.Tensors, t)
		comprehension.Writes = append(comprehension.Writes, &ein.Write{Tensor: t, Subscripts: []ein.Expr{&ein.IndexRef{Index: at}}})
		comprehension.Values = append(comprehension.Values, e)
	}
	constants := constantsOf(results)
	for _, t := range f.ByRole(ein.Input) {
		args[t.Name] = draw(t.Type, constants, random)
	}
	outputs, err := ein.Evaluate(f, args, ein.EvalOptions{})
	if err != nil {
		panic(source.Internalf("laws of mdh", c.syntax.Pos, "%s: %w", l.name, err))
	}
	return judge(l, args, outputs, len(results)/2, len(leaves(shape)))
}

// mostConstant bounds the constants around which operands of a type are drawn: sums of
// some of them do not wrap around, and products of some of them are finite.
func mostConstant(t tensor.DType) float64 {
	switch {
	case t.IsFloat() && t.Size() >= 8:
		return 1e60
	case t.IsFloat():
		return 1e9
	}
	return math.Exp2(float64(8*t.Size() - 4))
}

// constantsOf lists the absolute values of the numbers in expressions.
func constantsOf(list []ein.Expr) (constants []float64) {
	for _, e := range list {
		ein.Walk(e, func(e ein.Expr) bool {
			if k, ok := e.(*ein.Const); ok {
				v := math.Abs(float64(k.Int()))
				if k.DType.IsFloat() {
					v = math.Abs(k.Float())
				}
				if v != 0 && !math.IsInf(v, 0) && !math.IsNaN(v) && !slices.Contains(constants, v) {
					constants = append(constants, v)
				}
			}
			return true
		})
	}
	return constants
}

// exactConstant bounds the constants that are themselves operands: sums of whole numbers
// of that size are exact in all types of floats.
const exactConstant = 1 << 22

// around draws a number between -1.5 and 1.5 times a constant, of few bits, so that
// sums and products are exact; or one very near to the constant or to its opposite, for
// ties.
func around(constant float64, random *rand.Rand) float64 {
	step := math.Exp2(math.Floor(math.Log2(constant)) - 3)
	v := constant * (3*random.Float64() - 1.5)
	if random.IntN(4) == 0 {
		v = constant + float64(random.IntN(5)-2)*step
		if random.IntN(3) == 0 {
			v = -v
		}
		if constant <= exactConstant {
			return v
		}
	}
	return math.Round(v/step) * step
}

// draw fills an array with numbers for which most arithmetic is exact. The same
// samples of all operands lie around the same constant.
func draw(t tensor.DType, constants []float64, random *rand.Rand) *tensor.Tensor {
	a, err := tensor.New(t, samples)
	if err != nil {
		panic(source.Internalf("laws of mdh", source.Span{}, "%w", err))
	}
	constants = slices.DeleteFunc(slices.Clone(constants), func(v float64) bool { return v > mostConstant(t) })
	for n := range samples {
		v := small(n, t.IsFloat(), random)
		if len(constants) > 0 && n%3 == 2 {
			v = around(constants[n/3%len(constants)], random)
		}
		switch t.Kind() {
		case tensor.KindFloat:
			a.SetFloat(v, n)
		case tensor.KindUint:
			a.SetInt(int64(math.Abs(v)), n)
		case tensor.KindBool:
			a.SetInt(int64(v)&1, n)
		default:
			a.SetInt(int64(v), n)
		}
	}
	return a
}

// small draws a whole number, or a quarter of one.
func small(n int, isFloat bool, random *rand.Rand) float64 {
	most := int64(4)
	if n%4 == 3 {
		most = 40
	}
	v := float64(random.Int64N(2*most+1) - most)
	if isFloat && n%2 == 1 {
		v /= 4
	}
	return v
}

// judge compares the sides, which have so many components, for operands of some width; the example is the sample with the smallest operands.
func judge(l law, args, outputs map[string]*tensor.Tensor, components, width int) verdict {
	v := verdict{undecided: true}
	smallest := math.Inf(1)
	for n := range samples {
		finite, same := true, true
		for k := range components {
			x, y := outputs[fmt.Sprintf("r%d", k)], outputs[fmt.Sprintf("r%d", components+k)]
			ok, isFinite := equalAt(x, y, n)
			same, finite = same && ok, finite && isFinite
		}
		if !finite {
			continue
		}
		v.undecided = false
		if size := magnitude(args, n); !same && size < smallest {
			smallest, v.broken = size, true
			v.example = describe(l, args, outputs, components, width, n)
		}
	}
	return v
}

func equalAt(x, y *tensor.Tensor, n int) (equal, finite bool) {
	if !x.DType().IsFloat() {
		return x.Bits(n) == y.Bits(n), true
	}
	a, b := x.Float(n), y.Float(n)
	if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return true, false
	}
	tolerance := 1e-10
	if x.DType() == tensor.Float32 {
		tolerance = 1e-4
	}
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b)), true
}

func magnitude(args map[string]*tensor.Tensor, n int) (sum float64) {
	for _, t := range args {
		sum += math.Abs(numberOf(t, n))
	}
	return sum
}

// describe writes a sample: "for a = 1, b = 2: f(a, b) is 3, but f(b, a) is 4".
func describe(l law, args, outputs map[string]*tensor.Tensor, components, width, n int) string {
	operand := func(name string, from map[string]*tensor.Tensor, first, components int) string {
		parts := make([]string, components)
		for k := range parts {
			parts[k] = fmt.Sprint(numberOf(from[fmt.Sprintf("%s%d", name, first+k)], n))
		}
		if components == 1 {
			return parts[0]
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	operands := make([]string, l.operands)
	for k := range operands {
		name := string(rune('a' + k))
		operands[k] = name + " = " + operand(name, args, 0, width)
	}
	return fmt.Sprintf("for %s: %s is %s, but %s is %s", joinWords(operands), l.left, operand("r", outputs, 0, components), l.right, operand("r", outputs, components, components))
}

// numberOf is an element for people.
func numberOf(t *tensor.Tensor, n int) float64 {
	switch t.DType().Kind() {
	case tensor.KindFloat:
		return t.Float(n)
	case tensor.KindUint, tensor.KindBool:
		return float64(t.Uint(n))
	}
	return float64(t.Int(n))
}
