package teil

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How operations are counted
//
// The count is that of Figure 6, read as a program: the value of an expression at an
// index computes the values of its operands at theirs. An arithmetic operation counts
// one, a reduction over n places n, besides what the operand costs at each of them;
// moving and converting values costs nothing. So the operator A ⊗ B ⊗ C with contractions inside of
// each other costs 2n⁶ + 2n⁵ + 2n⁴, and lifted 6n⁴.

// Count returns the number of operations of the statements of a program, as a
// polynomial of the sizes.
func (t *Typing) Count() affine.Expr {
	total := affine.Const(0)
	for _, s := range t.Program.Statements {
		total = total.Add(t.Context.count(s.Value))
	}
	return total
}

// count returns the number of operations for all values of an expression.
func (c *Context) count(e syntax.Expr) affine.Expr {
	shape, _ := c.Type(e)
	return shape.elements().Mul(c.each(e))
}

// elements returns the number of elements of a shape.
func (s Shape) elements() affine.Expr {
	total := affine.Const(1)
	for _, n := range s {
		total = total.Mul(n)
	}
	return total
}

// each returns the number of operations for one value of an expression.
func (c *Context) each(e syntax.Expr) affine.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok {
		return affine.Const(0)
	}
	total := affine.Const(0)
	for _, operand := range o.Operands {
		total = total.Add(c.each(operand))
	}
	if o.Op.Cast != tensor.Invalid {
		return total
	}
	switch o.Op.Class {
	case syntax.Elementwise, syntax.Multiplication, syntax.OuterProduct:
		return total.AddConst(1)
	case syntax.Reduction, syntax.Contraction, syntax.Folding:
		shape, _ := c.Type(o.Operands[0])
		return total.AddConst(1).Mul(shape.at(o.Position(0)))
	}
	return total
}

// liftedCount returns the number of operations when every reduction inside of another
// operation has a statement of its own.
func (c *Context) liftedCount(e syntax.Expr) affine.Expr {
	var apart []syntax.Expr
	shape, _ := c.Type(e)
	total := shape.elements().Mul(c.eachLifted(e, true, &apart))
	for _, part := range apart {
		total = total.Add(c.liftedCount(part))
	}
	return total
}

// eachLifted is each without the parts that get statements of their own, which it
// notes; top says that e is no operand of an operation that takes it several times.
func (c *Context) eachLifted(e syntax.Expr, top bool, apart *[]syntax.Expr) affine.Expr {
	o, ok := e.(*syntax.Operation)
	switch {
	case !ok:
		return affine.Const(0)
	case !top && standsApart(o):
		*apart = append(*apart, e)
		return affine.Const(0)
	case isReduction(o):
		shape, _ := c.Type(o.Operands[0])
		return c.eachLifted(o.Operands[0], true, apart).AddConst(1).Mul(shape.at(o.Position(0)))
	case once[o.Op.Name]:
		return c.eachLifted(o.Operands[0], top, apart)
	}
	total := affine.Const(1)
	if o.Op.Class == syntax.Reindex || isGather(o) || o.Op.Cast != tensor.Invalid {
		total = affine.Const(0)
	}
	for _, operand := range o.Operands {
		total = total.Add(c.eachLifted(operand, false, apart))
	}
	if isFold(o) {
		shape, _ := c.Type(o.Operands[0])
		return total.Mul(shape.at(o.Position(0)))
	}
	return total
}

// typicalSize stands for sizes that are not known when two counts are compared: the
// operators of the paper have dimensions of 2 to 20.
const typicalSize = 16

// estimate returns the value of a count for typical sizes.
func estimate(count affine.Expr) float64 {
	env := map[string]int64{}
	for _, name := range symbolsOf(count) {
		env[name] = typicalSize
	}
	n, err := count.Eval(env)
	if err != nil {
		return 1e300
	}
	return float64(n)
}
