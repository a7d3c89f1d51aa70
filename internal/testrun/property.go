package testrun

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/tensor"
)

// defaultTrials is how often a property is tried; largestSize bounds the sizes
// that the block does not fix.
const (
	defaultTrials = 5
	largestSize   = 9
)

// properties tries every property of the block on random arguments.
func (r *runner) properties(b *testblock.Block) error {
	trials := b.Trials
	if trials == 0 {
		trials = defaultTrials
	}
	for _, p := range b.Properties {
		for _, target := range r.targets() {
			for trial := range trials {
				seed := r.options.Seed + uint64(trial)
				if err := r.trial(b, p, target, seed); err != nil {
					return fmt.Errorf("on %s, trial %d (seed %d): %w", r.options.place(target), trial+1, seed, err)
				}
			}
		}
	}
	return nil
}

// trial draws the variables of a property and compares its sides.
func (r *runner) trial(b *testblock.Block, p testblock.Property, target ricci.Target, seed uint64) error {
	e := &expression{r: r, target: target, variables: map[string]*tensor.Tensor{}}
	if err := e.draw(b, p, seed); err != nil {
		return err
	}
	left, err := e.eval(p.Left)
	if err != nil {
		return err
	}
	right, err := e.eval(p.Right)
	if err != nil {
		return err
	}
	if fmt.Sprint(left.Shape()) != fmt.Sprint(right.Shape()) {
		return fmt.Errorf("the sides have the shapes %v and %v", left.Shape(), right.Shape())
	}
	// A side is a result of several kernels: ten times the tolerance of one.
	limit := 10 * max(defaultTolerance(left.DType()), defaultTolerance(right.DType()))
	if b.Tolerance != nil {
		limit = *b.Tolerance
	}
	if ok, where := tensor.AllClose(left, right, limit, limit*math.Max(scale(left), scale(right))); !ok {
		return fmt.Errorf("the sides differ at %v: %s and %s%s", where, number(left, where), number(right, where), e.counterexample(p))
	}
	return nil
}

// expression evaluates the sides of a property.
type expression struct {
	r         *runner
	target    ricci.Target
	variables map[string]*tensor.Tensor
}

// counterexample prints the variables, if they are small.
func (e *expression) counterexample(p testblock.Property) string {
	var b strings.Builder
	for _, name := range p.Variables() {
		if t := e.variables[name]; t.Len() <= 100 {
			fmt.Fprintf(&b, "\n%s =\n%s", name, t)
		}
	}
	return b.String()
}

// eval computes a side: calls of defs with one result, variables, numbers, and
// element-wise arithmetic on these.
func (e *expression) eval(x syntax.Expr) (*tensor.Tensor, error) {
	switch x := x.(type) {
	case *syntax.Paren:
		return e.eval(x.X)
	case *syntax.Name:
		return e.variables[x.Name], nil
	case *syntax.Number:
		v, err := strconv.ParseFloat(x.Text, 64)
		return tensor.Scalar(v), err
	case *syntax.Unary:
		if x.Op != "-" {
			return nil, fmt.Errorf("%s is not allowed in a property", x.Op)
		}
		v, err := e.eval(x.X)
		if err != nil {
			return nil, err
		}
		return elementwise("-", tensor.Scalar(0.0), v)
	case *syntax.Binary:
		left, err := e.eval(x.X)
		if err != nil {
			return nil, err
		}
		right, err := e.eval(x.Y)
		if err != nil {
			return nil, err
		}
		return elementwise(x.Op, left, right)
	case *syntax.Apply:
		return e.call(x)
	}
	return nil, fmt.Errorf("%q is not allowed in a property", x.Span().Text())
}

// callee returns the def that a call means, with one result and as many
// parameters as the call has arguments.
func (e *expression) callee(x *syntax.Apply) (*ricci.Def, error) {
	def, err := e.r.program.Def(x.Func.Name)
	if err != nil {
		return nil, err
	}
	if n := len(def.Inputs()); len(x.Args) != n {
		return nil, fmt.Errorf("%s takes %d arguments, found %d", def.Name(), n, len(x.Args))
	}
	if len(def.Outputs()) != 1 {
		return nil, fmt.Errorf("%s has %d results, expected one in a property", def.Name(), len(def.Outputs()))
	}
	return def, nil
}

func (e *expression) call(x *syntax.Apply) (*tensor.Tensor, error) {
	def, err := e.callee(x)
	if err != nil {
		return nil, err
	}
	inputs := def.Inputs()
	args, sizes := map[string]*tensor.Tensor{}, map[string]int64{}
	for i, p := range inputs {
		v, err := e.eval(x.Args[i])
		if err != nil {
			return nil, err
		}
		if v.DType() != p.DType {
			if v, err = v.Convert(p.DType); err != nil {
				return nil, err
			}
		}
		args[p.Name] = v
	}
	for _, p := range inputs {
		for k, dim := range p.Dims {
			if affine.IsWord(dim) && k < args[p.Name].Rank() {
				sizes[dim] = int64(args[p.Name].Dim(k))
			}
		}
	}
	results, err := def.RunWith(e.r.ctx, args, sizes, e.r.options.compile(def, e.target))
	if err != nil {
		return nil, err
	}
	return results[def.Outputs()[0].Name], nil
}

// elementwise applies an operator to two tensors of one shape, or to a tensor
// and a scalar, in float64; the result has the type of the tensor.
func elementwise(op string, a, b *tensor.Tensor) (*tensor.Tensor, error) {
	apply, ok := map[string]func(x, y float64) float64{
		"+": func(x, y float64) float64 { return x + y },
		"-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 { return x * y },
		"/": func(x, y float64) float64 { return x / y },
	}[op]
	if !ok {
		return nil, fmt.Errorf("%s is not allowed in a property", op)
	}
	like := a
	if a.Rank() == 0 {
		like = b
	}
	x, err := a.Broadcast(like.Shape()...)
	if err != nil {
		return nil, err
	}
	y, err := b.Broadcast(like.Shape()...)
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(like.DType(), like.Shape()...)
	if err != nil {
		return nil, err
	}
	index := make([]int, out.Rank())
	for offset := range out.Offsets() {
		out.SetFloatAt(offset, apply(x.Float(index...), y.Float(index...)))
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < out.Dim(d) {
				break
			}
			index[d] = 0
		}
	}
	return out, nil
}
