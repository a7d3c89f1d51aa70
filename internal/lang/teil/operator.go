package teil

import (
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the operator language works
//
// Section 5 of the paper has operators on tensors: a matrix [m, n] maps vectors of n
// to vectors of m, A ⊗ B ⊗ C maps tensors of three dimensions, and operators are
// linear combinations of such products. An operator expression has as value a tree
// of those four forms. Where a product has a factor that is itself a sum, a multiple
// or a composition of products, that is moved outside, and so is a sign:
//
//	(X + Y) ⊗ Z = X ⊗ Z + Y ⊗ Z    (X ∘ Y) ⊗ Z = (X ⊗ id) ∘ (Y ⊗ Z)
//
// so that every product is one of matrices and identities. It is applied from the
// last factor to the first: contr 2 (r + 2) (prod M t) contracts the last dimension
// of t and puts the result in front, so after r steps all are in order again. The
// expressions are those of the paper, with contractions inside of products; the
// pass lift makes them fast.

// An operator maps tensors with the sizes in to tensors with the sizes out.
type operator struct {
	pos     source.Span
	in, out Shape
	form    operatorForm
	factors []factor    // of a product
	x, y    *operator   // of a sum, difference or composition; x of a multiple or negative
	scalar  syntax.Expr // of a multiple
}

type operatorForm uint8

const (
	productForm operatorForm = iota
	sumForm
	differenceForm
	compositionForm
	multipleForm
	negativeForm
)

// A factor is a matrix, or nil for the identity.
type factor struct{ matrix syntax.Expr }

// An elaborator turns an expression of the operator language into a plain one.
type elaborator struct {
	*program
	failed bool
}

// elaborate returns an expression without infix signs, applications and identities.
func (p *program) elaborate(e syntax.Expr) (syntax.Expr, bool) {
	l := &elaborator{program: p}
	e = l.tensor(e)
	return e, !l.failed
}

func (l *elaborator) errorf(pos source.Span, help, format string, args ...any) {
	if !l.failed {
		l.program.errorf(source.CodeTeILApply, pos, format, args...).WithHelp("%s", help)
	}
	l.failed = true
}

// tensor elaborates an expression that stands for a tensor.
func (l *elaborator) tensor(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Operation:
		operands := make([]syntax.Expr, len(e.Operands))
		for n, o := range e.Operands {
			operands[n] = l.tensor(o)
		}
		return e.WithOperands(operands...)
	case *syntax.Infix:
		return l.infix(e)
	case *syntax.Apply:
		return l.application(e)
	case *syntax.Identity:
		l.errorf(e.Pos, "operators are applied to tensors: (A * id n)(u)", "id is an operator and no tensor")
	}
	return e
}

// infix elaborates a sum of tensors, or a scalar times a tensor.
func (l *elaborator) infix(e *syntax.Infix) syntax.Expr {
	x, y := l.tensor(e.X), l.tensor(e.Y)
	switch e.Op {
	case "+":
		return operate(e.Pos, "add", nil, x, y)
	case "-":
		return operate(e.Pos, "sub", nil, x, y)
	case "*":
		if shape, ok := l.shape(x); ok && len(shape) > 0 {
			l.errorf(e.Pos, "element by element it is mul; the tensor product of operators is applied: (A * B)(u)", "* multiplies a tensor of shape %s, expected a scalar before the *", shape)
		}
		return operate(e.Pos, "mul", nil, x, y)
	}
	l.errorf(e.Pos, "operators are applied to tensors: (A . B)(u)", "the composition of operators is no tensor")
	return e
}

// shape returns the shape of a plain expression; a refusal is reported.
func (l *elaborator) shape(e syntax.Expr) (Shape, bool) {
	if l.failed {
		return nil, false
	}
	// The statement's check notes the conditions on sizes.
	c := *l.typing.Context
	c.Facts = c.Facts.Clone()
	shape, refusal := c.Type(e)
	if refusal != nil {
		l.refused(refusal)
		l.failed = true
	}
	return shape, !l.failed
}

// application elaborates (A * B)(u).
func (l *elaborator) application(e *syntax.Apply) syntax.Expr {
	if l.isCall(e) {
		l.failed = true
		if !l.isForeign(e) && l.resolve(e) == nil {
			return e
		}
		l.program.errorf(source.CodeTeILCall, e.Pos, "a call of a program is the whole right side of a statement").WithHelp("assign its result to a tensor, and use that")
		return e
	}
	if len(e.Args) != 1 {
		l.errorf(e.Pos, "an operator on several dimensions is applied to one tensor that has them all", "an operator is applied to one tensor, not %d", len(e.Args))
		return e
	}
	o := l.operator(e.Head)
	u := l.tensor(e.Args[0])
	shape, ok := l.shape(u)
	if !ok {
		return e
	}
	if len(o.in) != len(shape) {
		l.errorf(e.Pos, "* makes a tensor product of one operator for each dimension", "the operator maps tensors of shape %s, and is applied to one of shape %s", o.in, shape)
		return e
	}
	for k, n := range o.in {
		if !l.typing.Context.equal(n, shape[k]) {
			l.errorf(e.Pos, "a matrix [m, n] takes dimensions of size n", "the operator maps tensors of shape %s, and is applied to one of shape %s: dimension %d is %s and not %s", o.in, shape, k+1, shape[k], n)
			return e
		}
	}
	if _, name := u.(*syntax.Var); !name && o.uses() > 1 {
		u = l.named(u, shape, e)
	}
	return l.apply(o, u, e.Pos)
}

// named computes the argument of an operator that uses it several times once, before
// the statement.
func (l *elaborator) named(u syntax.Expr, shape Shape, e *syntax.Apply) syntax.Expr {
	reads := syntax.Reads(u)
	if len(reads) == 0 {
		return u
	}
	x := l.typing.newLocal("argument", shape, l.typing.Elements[reads[0]], e.Pos)
	before := l.program.errors
	l.assign(x, u, u.Span())
	l.failed = l.failed || l.program.errors > before
	return &syntax.Var{Pos: u.Span(), Name: x.Name}
}

// uses counts how often apply uses the tensor.
func (o *operator) uses() int {
	switch o.form {
	case sumForm, differenceForm:
		return o.x.uses() + o.y.uses()
	case multipleForm, negativeForm:
		return o.x.uses()
	case compositionForm:
		return o.y.uses()
	}
	return 1
}

// operator evaluates an expression that stands for an operator or a scalar, which is
// an operator on tensors without dimensions.
func (l *elaborator) operator(e syntax.Expr) *operator {
	none := &operator{pos: e.Span()}
	if l.failed {
		return none
	}
	switch e := e.(type) {
	case *syntax.Identity:
		n := Shape{e.Size.Value}
		return &operator{pos: e.Pos, in: n, out: n, factors: []factor{{}}}
	case *syntax.Infix:
		x, y := l.operator(e.X), l.operator(e.Y)
		if l.failed {
			return none
		}
		return l.combine(e, x, y)
	case *syntax.Operation:
		if e.Op.Name == "neg" && isOperator(e.Operands[0]) {
			return negative(l.operator(e.Operands[0]), e.Pos)
		}
	}
	m := l.tensor(e)
	shape, ok := l.shape(m)
	switch {
	case !ok:
	case len(shape) == 0:
		return &operator{pos: e.Span(), form: multipleForm, scalar: m, x: &operator{pos: e.Span()}}
	case len(shape) == 2:
		return &operator{pos: e.Span(), out: shape[:1], in: shape[1:], factors: []factor{{m}}}
	default:
		l.errorf(e.Span(), "an operator is made of matrices [m, n], scalars and id n", "a tensor of shape %s is no operator", shape)
	}
	return none
}

// isOperator reports whether an expression has the form of an operator, and not of a tensor.
func isOperator(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Identity, *syntax.Infix:
		return true
	case *syntax.Operation:
		return e.Op.Name == "neg" && isOperator(e.Operands[0])
	}
	return false
}

func negative(x *operator, pos source.Span) *operator {
	if x.isMatrix() {
		return &operator{pos: pos, out: x.out, in: x.in, factors: []factor{{operate(pos, "neg", nil, x.factors[0].matrix)}}}
	}
	return &operator{pos: pos, form: negativeForm, x: x, out: x.out, in: x.in}
}

// combine evaluates an infix sign between operators.
func (l *elaborator) combine(e *syntax.Infix, x, y *operator) *operator {
	switch e.Op {
	case "*":
		return l.product(x, y, e.Pos)
	case ".":
		if !l.typing.Context.sameShape(x.in, y.out) {
			l.errorf(e.Pos, "X . Y applies Y first", "the operators do not compose: the first takes tensors of shape %s, the second gives %s", x.in, y.out)
		}
		if x.isMatrix() && y.isMatrix() {
			m := operate(e.Pos, "contr", []syntax.Size{position(2), position(3)}, operate(e.Pos, "prod", nil, x.factors[0].matrix, y.factors[0].matrix))
			return &operator{pos: e.Pos, out: x.out, in: y.in, factors: []factor{{m}}}
		}
		return &operator{pos: e.Pos, form: compositionForm, x: x, y: y, out: x.out, in: y.in}
	}
	if !l.typing.Context.sameShape(x.in, y.in) || !l.typing.Context.sameShape(x.out, y.out) {
		l.errorf(e.Pos, "both operators have the same inputs and outputs", "the operators do not add up: one maps %s to %s, the other %s to %s", x.in, x.out, y.in, y.out)
	}
	name, form := "add", sumForm
	if e.Op == "-" {
		name, form = "sub", differenceForm
	}
	if x.isMatrix() && y.isMatrix() {
		m := operate(e.Pos, name, nil, x.factors[0].matrix, y.factors[0].matrix)
		return &operator{pos: e.Pos, out: x.out, in: x.in, factors: []factor{{m}}}
	}
	return &operator{pos: e.Pos, form: form, x: x, y: y, out: x.out, in: x.in}
}

// isMatrix reports whether an operator is a single matrix, so that it can be
// computed with before it is applied.
func (o *operator) isMatrix() bool {
	return o.form == productForm && len(o.factors) == 1 && o.factors[0].matrix != nil
}

// product is the tensor product, with sums, multiples and compositions moved outside.
func (l *elaborator) product(x, y *operator, pos source.Span) *operator {
	out, in := append(append(Shape{}, x.out...), y.out...), append(append(Shape{}, x.in...), y.in...)
	node := func(form operatorForm, a, b *operator) *operator {
		return &operator{pos: pos, form: form, x: a, y: b, out: out, in: in}
	}
	switch {
	case x.form == multipleForm:
		return &operator{pos: pos, form: multipleForm, scalar: x.scalar, x: l.product(x.x, y, pos), out: out, in: in}
	case y.form == multipleForm:
		return &operator{pos: pos, form: multipleForm, scalar: y.scalar, x: l.product(x, y.x, pos), out: out, in: in}
	case x.form == negativeForm:
		return node(negativeForm, l.product(x.x, y, pos), nil)
	case y.form == negativeForm:
		return node(negativeForm, l.product(x, y.x, pos), nil)
	case x.form == sumForm || x.form == differenceForm:
		return node(x.form, l.product(x.x, y, pos), l.product(x.y, y, pos))
	case y.form == sumForm || y.form == differenceForm:
		return node(y.form, l.product(x, y.x, pos), l.product(x, y.y, pos))
	case x.form == compositionForm:
		return node(compositionForm, l.product(x.x, identity(y.out, pos), pos), l.product(x.y, y, pos))
	case y.form == compositionForm:
		return node(compositionForm, l.product(identity(x.out, pos), y.x, pos), l.product(x, y.y, pos))
	}
	return &operator{pos: pos, factors: append(append([]factor{}, x.factors...), y.factors...), out: out, in: in}
}

func identity(s Shape, pos source.Span) *operator {
	return &operator{pos: pos, in: s, out: s, factors: make([]factor, len(s))}
}

// apply returns the operator's value at a tensor.
func (l *elaborator) apply(o *operator, t syntax.Expr, pos source.Span) syntax.Expr {
	switch o.form {
	case sumForm:
		return operate(pos, "add", nil, l.apply(o.x, t, pos), l.apply(o.y, t, pos))
	case differenceForm:
		return operate(pos, "sub", nil, l.apply(o.x, t, pos), l.apply(o.y, t, pos))
	case compositionForm:
		return l.apply(o.x, l.apply(o.y, t, pos), pos)
	case multipleForm:
		return operate(pos, "mul", nil, o.scalar, l.apply(o.x, t, pos))
	case negativeForm:
		return operate(pos, "neg", nil, l.apply(o.x, t, pos))
	}
	rank := len(o.factors)
	for k := rank - 1; k >= 0; k-- {
		if m := o.factors[k].matrix; m != nil {
			t = operate(pos, "contr", []syntax.Size{position(2), position(rank + 2)}, operate(pos, "prod", nil, m, t))
			continue
		}
		for i := rank - 1; i >= 1; i-- { // the last dimension comes to the front
			t = exchanged(t, i)
		}
	}
	return t
}
