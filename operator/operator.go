// Package operator builds tensor operators from Go, as they occur in high-order methods
// of computational fluid dynamics: tensor products of matrices, linear combinations
// and compositions of them, applied to tensors. The result is a TeIL program, with
// the same checks, rewrites and errors as a file *.teil.
//
//	A := operator.Matrix("A", "m", "n")
//	u := operator.Tensor("u", "n", "n", "n")
//	v := operator.Product(A, A, A).Apply(u)
//	program, err := operator.Program{Name: "interpolate", Outputs: []operator.Output{{Name: "v", Value: v}}}.Compile()
//
// docs/teil.md describes the operator language.
package operator

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// How it works
//
// Values carry their expression of the operator language, their shape, and what they
// are made of. A program collects the declarations behind its outputs, becomes a
// syntax tree, the tree its text, and the text is compiled like a file; so it is the
// checker of TeIL that refuses what does not fit, and diagnostics show the lines of
// Text.

// A Size is a number such as "8", a name, or an expression such as "2*n - 1".
type Size string

// A declaration is an input, or a local with its value.
type declaration struct {
	name  string
	shape []Size
	value *Value // nil for an input
}

// A Value is a tensor.
type Value struct {
	expr  syntax.Expr
	shape []Size
	needs []*declaration
}

// An Operator maps tensors to tensors.
type Operator struct {
	expr    syntax.Expr
	out, in []Size
	needs   []*declaration
}

// Tensor declares an input.
func Tensor(name string, sizes ...Size) *Value {
	return variable(&declaration{name: name, shape: sizes})
}

// Scalar declares an input without dimensions.
func Scalar(name string) *Value { return Tensor(name) }

// Number is a scalar constant.
func Number(x float64) *Value {
	return &Value{expr: &syntax.Number{Text: strconv.FormatFloat(x, 'g', -1, 64)}}
}

func variable(d *declaration) *Value {
	return &Value{expr: &syntax.Var{Name: d.name}, shape: d.shape, needs: []*declaration{d}}
}

// As computes a value once, into a local of that name.
func (v *Value) As(name string) *Value {
	return variable(&declaration{name: name, shape: v.shape, value: v})
}

// Matrix declares an input [m, n], an operator from n to m.
func Matrix(name string, m, n Size) *Operator { return Tensor(name, m, n).Operator() }

// Operator makes an operator of a value with two dimensions: the outputs, then the
// inputs.
func (v *Value) Operator() *Operator {
	o := &Operator{expr: v.expr, needs: v.needs}
	if len(v.shape) == 2 {
		o.out, o.in = v.shape[:1], v.shape[1:]
	}
	return o
}

// Transposed exchanges the two dimensions of a matrix.
func (v *Value) Transposed() *Value {
	shape := slices.Clone(v.shape)
	slices.Reverse(shape)
	return &Value{expr: syntax.Operate("transp", []int{1, 2}, v.expr), shape: shape, needs: v.needs}
}

// Transposed exchanges inputs and outputs of an operator that is one matrix.
func (o *Operator) Transposed() *Operator {
	v := &Value{expr: o.expr, shape: slices.Concat(o.out, o.in), needs: o.needs}
	return v.Transposed().Operator()
}

// Identity is the operator on a dimension of size n that changes nothing.
func Identity(n Size) *Operator {
	size, err := affine.Parse(string(n))
	if err != nil {
		size = affine.Symbol(string(n)) // refused where the text is read
	}
	return &Operator{expr: &syntax.Identity{Size: syntax.Size{Value: size}}, out: []Size{n}, in: []Size{n}}
}

// Product is the tensor product of operators, one for each dimension or more.
func Product(first *Operator, more ...*Operator) *Operator {
	for _, o := range more {
		first = first.infix("*", o, slices.Concat(first.out, o.out), slices.Concat(first.in, o.in))
	}
	return first
}

func (o *Operator) infix(sign string, p *Operator, out, in []Size) *Operator {
	return &Operator{expr: &syntax.Infix{Op: sign, X: o.expr, Y: p.expr}, out: out, in: in, needs: slices.Concat(o.needs, p.needs)}
}

// Plus is the sum of two operators with the same inputs and outputs.
func (o *Operator) Plus(p *Operator) *Operator { return o.infix("+", p, o.out, o.in) }

// Minus is the difference of two operators with the same inputs and outputs.
func (o *Operator) Minus(p *Operator) *Operator { return o.infix("-", p, o.out, o.in) }

// After is the composition that applies p first.
func (o *Operator) After(p *Operator) *Operator { return o.infix(".", p, o.out, p.in) }

// Times multiplies an operator by a scalar.
func (o *Operator) Times(s *Value) *Operator {
	return s.scalar().infix("*", o, o.out, o.in)
}

// scalar is the operator on no dimensions that multiplies.
func (v *Value) scalar() *Operator { return &Operator{expr: v.expr, needs: v.needs} }

// Apply applies an operator to a tensor, whose dimensions are the inputs.
func (o *Operator) Apply(v *Value) *Value {
	return &Value{expr: &syntax.Apply{Head: o.expr, Args: []syntax.Expr{v.expr}}, shape: o.out, needs: slices.Concat(o.needs, v.needs)}
}

func (v *Value) with(operation string, w *Value) *Value {
	return &Value{expr: syntax.Operate(operation, nil, v.expr, w.expr), shape: v.shape, needs: slices.Concat(v.needs, w.needs)}
}

// Plus is the sum, element by element, of tensors of one shape.
func (v *Value) Plus(w *Value) *Value { return v.with("add", w) }

// Minus is the difference, element by element.
func (v *Value) Minus(w *Value) *Value { return v.with("sub", w) }

// Mul is the product, element by element.
func (v *Value) Mul(w *Value) *Value { return v.with("mul", w) }

// Over is the quotient, element by element.
func (v *Value) Over(w *Value) *Value { return v.with("div", w) }

// Times multiplies a tensor by a scalar.
func (v *Value) Times(s *Value) *Value {
	product := s.with("mul", v)
	product.shape = v.shape
	return product
}

// An Output is a result with its name.
type Output struct {
	Name  string
	Value *Value
}

// A Program computes outputs from the inputs that their values are made of.
type Program struct {
	Name    string
	Element string // of all tensors, such as "float"; "double" if empty
	Outputs []Output
	// Direct computes everything as it is written, without rewriting and lifting.
	Direct bool
}

// Text returns the program as a file *.teil.
func (p Program) Text() (string, error) {
	c := &collector{program: p, tree: &syntax.Program{Name: syntax.Name{Name: p.Name}}, seen: map[string]*declaration{}}
	if p.Direct {
		c.tree.Direct = &syntax.Name{Name: "direct"}
	}
	for _, o := range p.Outputs {
		c.collect(o.Value.needs)
		c.allocate(o.Name, o.Value.shape, syntax.Out)
		c.assign(o.Name, o.Value)
	}
	return syntax.Print(&syntax.File{Programs: []*syntax.Program{c.tree}}), c.err
}

// Compile checks the program, as ricci.Parse does for its text.
func (p Program) Compile() (*ricci.Program, error) {
	text, err := p.Text()
	if err != nil {
		return nil, err
	}
	return ricci.Parse(p.Name+".teil", text)
}

// A collector makes the syntax tree.
type collector struct {
	program Program
	tree    *syntax.Program
	seen    map[string]*declaration
	err     error
}

// collect declares what values are made of, what they need themselves first.
func (c *collector) collect(needs []*declaration) {
	for _, d := range needs {
		switch known := c.seen[d.name]; {
		case known == d:
		case known == nil:
			c.seen[d.name] = d
			c.declare(d)
		case c.err == nil && !(known.value == nil && d.value == nil && slices.Equal(known.shape, d.shape)):
			c.err = fmt.Errorf("%s is declared twice, with different shapes or values: use one value for both", d.name)
		}
	}
}

func (c *collector) declare(d *declaration) {
	if d.value == nil {
		c.allocate(d.name, d.shape, syntax.In)
		return
	}
	c.collect(d.value.needs)
	c.allocate(d.name, d.shape, syntax.Unmarked)
	c.assign(d.name, d.value)
}

func (c *collector) allocate(name string, shape []Size, mark syntax.Mark) {
	a := &syntax.Alloc{Name: syntax.Name{Name: name}, Mark: mark}
	if c.program.Element != "" {
		a.Type = &syntax.Name{Name: c.program.Element}
	}
	for _, n := range shape {
		size, err := affine.Parse(string(n))
		if err != nil && c.err == nil {
			c.err = fmt.Errorf("%q is no size of %s: %w", n, name, err)
		}
		a.Dims = append(a.Dims, syntax.Size{Value: size})
	}
	c.tree.Allocs = append(c.tree.Allocs, a)
}

func (c *collector) assign(name string, v *Value) {
	c.tree.Statements = append(c.tree.Statements, &syntax.Statement{Targets: []syntax.Name{{Name: name}}, Value: v.expr})
}
