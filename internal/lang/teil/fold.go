package teil

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How folds work
//
// A fold combines two tuples of numbers. For each component there is an operation that
// reduces tuples, made of the elements of its operands, along a dimension, in the order of the
// places; its value is that component of the result. So every expression keeps one value, and
// one that wants two components writes two statements; those that stand side by side become
// one comprehension with several values.
//
// The expressions of a fold know its parameters alone, and no dimensions.

// A fold is one that was checked.
type fold struct {
	*syntax.Fold                // with expressions that are elaborated
	types        []tensor.DType // of the components
	context      *Context       // of the parameters
	elements     map[string]tensor.DType
}

// isFold reports whether an operation is one that a fold has declared.
func isFold(o *syntax.Operation) bool { return o.Op.Class == syntax.Folding }

// folding returns the fold of an operation.
func (t *Typing) folding(o *syntax.Operation) *fold { return t.folds[o.Op.Fold] }

// foldDimension is T-Fold: operands of one shape lose dimension i.
func foldDimension(j *judgement) (Shape, *Refusal) {
	if _, r := sameShapes(j); r != nil {
		return nil, r
	}
	return reduce(j)
}

// declareFolds checks the folds of the program.
func (p *program) declareFolds() {
	names := map[string]source.Span{}
	for _, a := range p.out.Allocs {
		names[a.Name.Name] = a.Name.Pos
	}
	maps.Copy(names, p.sizes)
	for _, o := range p.source.Folds {
		for _, n := range o.Names {
			if first, twice := names[n.Name]; twice {
				p.twice(n, first)
			}
			names[n.Name] = n.Pos
		}
		before := p.errors
		f := &fold{Fold: o, context: NewContext(), elements: map[string]tensor.DType{}}
		if p.parameters(f); p.errors == before {
			p.bodies(f)
		}
		p.typing.folds[o] = f
		p.out.Folds = append(p.out.Folds, o)
	}
}

// parameters notes the parameters of a fold with their types.
func (p *program) parameters(f *fold) {
	o := f.Fold
	for what, n := range map[string]int{"parameters for the second tuple": len(o.Right), "operations": len(o.Names), "expressions": len(o.Bodies), "expressions behind from": len(o.From)} {
		if n != len(o.Left) && (n > 0 || what[0] != 'e') {
			p.errorf(source.CodeTeILFold, o.Pos, "the fold combines tuples of %d and has %d %s", len(o.Left), n, what).
				WithHelp("there is one of each kind for every component: fold least, place (v, i : int64) (w, j) = min v w, select (lt w v) j i")
			return
		}
	}
	declare := func(n syntax.Name, t tensor.DType) {
		if _, twice := f.elements[n.Name]; twice {
			p.errorf(source.CodeTeILTwice, n.Pos, "%s is a parameter already", n.Name).WithHelp("give one of them another name")
		}
		f.elements[n.Name], f.context.Shapes[n.Name] = t, Shape{}
	}
	for k, s := range o.Left {
		t, ok := elementType(s.Type)
		if !ok || t.IsHalf() {
			d := p.errorf(source.CodeTeILElement, s.Type.Pos, "%s is no type of a parameter", s.Type.Name)
			if t.IsHalf() {
				d.WithHelp("folds compute with %s, and operands are converted: %s (…)", t.Compute(), t.Compute())
			} else {
				d.WithHelp("element types are float, double, int32, int64 and the other numbers")
			}
		}
		f.types = append(f.types, t)
		declare(s.Name, t)
		declare(o.Right[k], t)
	}
}

// bodies elaborates and checks the expressions of a fold.
func (p *program) bodies(f *fold) {
	c := *f.Fold
	f.Fold = &c
	outer := *p.typing
	p.typing.Context, p.typing.Elements = f.context, f.elements
	defer func() { p.typing.Context, p.typing.Elements = outer.Context, outer.Elements }()
	each := func(list []syntax.Expr, context *Context) []syntax.Expr {
		list = slices.Clone(list)
		p.typing.Context = context
		for k, e := range list {
			before := p.errors
			p.isScalar(e)
			if p.errors == before {
				if elaborated, ok := p.elaborate(e); ok {
					list[k] = p.ofType(elaborated, f.types[k], f.Left[k].Name.Name)
				}
			}
		}
		return list
	}
	c.Bodies = each(c.Bodies, f.context)
	c.From = each(c.From, NewContext())
}

// ofType checks that a scalar expression has the type of a component.
func (p *program) ofType(e syntax.Expr, t tensor.DType, name string) syntax.Expr {
	if _, refusal := p.typing.Context.Type(e); refusal != nil {
		p.refused(refusal)
		return e
	}
	p.element(e, t, name)
	return e
}

// isScalar reports whatever has to do with dimensions in the expression of a fold.
func (p *program) isScalar(e syntax.Expr) {
	syntax.Walk(e, func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Operation:
			if e.Op.Class != syntax.Elementwise && e.Op.Class != syntax.Multiplication {
				p.errorf(source.CodeTeILFold, e.Pos, "%s stands in the expression of a fold, which has numbers and no dimensions", e.Op.Name).
					WithHelp("what it needs besides its parameters is an operand more")
			}
		case *syntax.Apply, *syntax.Identity:
			p.errorf(source.CodeTeILFold, e.Span(), "an operator on tensors stands in an expression on numbers").WithHelp("write sums and products of the parameters")
		}
	})
}

// folds gives the caller the folds of the callee, under names of their own.
func (c *inlining) folds() map[*syntax.Fold]*syntax.Fold {
	known := map[*syntax.Fold]*syntax.Fold{}
	for _, o := range c.callee.Program.Folds {
		f, own := *c.callee.folds[o], *o
		own.Names = slices.Clone(o.Names)
		for k, n := range o.Names {
			own.Names[k].Name = freshName(c.typing.Program, c.typing.Sizes, fmt.Sprintf("%s_%d_%s", c.callee.Name, c.calls, n.Name))
		}
		elaborated := *f.Fold
		elaborated.Names = own.Names
		f.Fold = &elaborated
		known[o], c.typing.folds[&own] = &own, &f
		c.typing.Program.Folds = append(c.typing.Program.Folds, &own)
	}
	return known
}

// within runs a function while names are the parameters of a fold.
func (l *lowerer) within(f *fold, run func()) {
	outer := *l.Typing
	inner := outer
	inner.Context, inner.Elements = f.context, f.elements
	l.Typing = &inner
	run()
	l.Typing = &outer
}

// operator returns the operator of ein, which is made once for a function.
func (l *lowerer) operator(f *fold) *ein.Operator {
	if op := l.operators[f.Fold]; op != nil {
		return op
	}
	op := &ein.Operator{Name: f.Names[0].Name}
	l.locals = map[string]*ein.Local{}
	for k, s := range f.Left {
		left, right := &ein.Local{Name: s.Name.Name, DType: f.types[k]}, &ein.Local{Name: f.Right[k].Name, DType: f.types[k]}
		op.Left, op.Right = append(op.Left, left), append(op.Right, right)
		l.locals[left.Name], l.locals[right.Name] = left, right
	}
	outer := l.element
	l.within(f, func() {
		values := func(list []syntax.Expr) (values []ein.Expr) {
			for k, e := range list {
				l.element = f.types[k]
				values = append(values, l.value(e, nil))
			}
			return values
		}
		op.Body, op.Identity = values(f.Bodies), values(f.From)
	})
	l.element, l.locals = outer, nil
	l.operators[f.Fold] = op
	return op
}

// folded puts a new index at one position. The values of all components are kept for the
// statement; that of the operation's is returned.
func (l *lowerer) folded(e *syntax.Operation, at []ein.Expr) ein.Expr {
	i, f, outer := e.Position(0), l.folding(e), l.element
	m := l.index("r", l.shape(e.Operands[0]).at(i), e.Pos)
	m.Index.Combine = ein.Combine{Kind: ein.Reduce, Op: l.operator(f)}
	at = inserted(at, i, m)
	l.components = nil
	for k, o := range e.Operands {
		l.element = f.types[k]
		l.components = append(l.components, l.value(o, at))
	}
	l.element = outer
	return l.components[e.Op.Component]
}

// foldOf returns the operation of a fold that is the value of a statement, perhaps below
// operations that choose or exchange indices.
func foldOf(e syntax.Expr) *syntax.Operation {
	o, ok := e.(*syntax.Operation)
	for ok && once[o.Op.Name] {
		o, ok = o.Operands[0].(*syntax.Operation)
	}
	if ok && isFold(o) {
		return o
	}
	return nil
}

// together returns how many of the statements are one comprehension: those that take components of one
// reduction, each of which reads nothing that one before it assigns.
func together(statements []*syntax.Statement) int {
	first := foldOf(statements[0].Value)
	if first == nil {
		return 1
	}
	key := func(s *syntax.Statement) string {
		return syntax.PrintExpr(syntax.Map(s.Value, func(e syntax.Expr) syntax.Expr {
			if o, ok := e.(*syntax.Operation); ok && o.Op.Fold == first.Op.Fold {
				c := *o
				c.Op = first.Op
				return &c
			}
			return e
		}))
	}
	taken, assigned := map[int]bool{}, map[string]bool{}
	for n, s := range statements {
		o := foldOf(s.Value)
		reads := func(x string) bool { return assigned[x] }
		if o == nil || o.Op.Fold != first.Op.Fold || taken[o.Op.Component] || assigned[s.Targets[0].Name] ||
			key(s) != key(statements[0]) || slices.ContainsFunc(syntax.Reads(s.Value), reads) {
			return n
		}
		taken[o.Op.Component], assigned[s.Targets[0].Name] = true, true
	}
	return len(statements)
}

// complete completes a comprehension whose value is a component of a reduction: each component is
// written where one of the statements wants it, or to a tensor that nobody reads.
func (l *lowerer) complete(statements []*syntax.Statement, op *syntax.Operation, write *ein.Write) {
	c := l.comprehension
	c.Values, c.Writes = l.components, make([]*ein.Write, len(l.components))
	for _, s := range statements {
		c.Writes[foldOf(s.Value).Op.Component] = &ein.Write{Pos: s.Pos, Tensor: l.tensors[s.Targets[0].Name], Subscripts: write.Subscripts}
	}
	for k, t := range l.folding(op).types {
		if c.Writes[k] == nil {
			unread := &ein.Tensor{Pos: op.Pos, Name: freshName(l.Program, l.Sizes, op.Op.Fold.Names[k].Name+"_unread"), Type: t, Role: ein.Temp, Dims: write.Tensor.Dims}
			for l.tensors[unread.Name] != nil {
				unread.Name += "_"
			}
			l.tensors[unread.Name] = unread
			l.f.Tensors = append(l.f.Tensors, unread)
			c.Writes[k] = &ein.Write{Pos: op.Pos, Tensor: unread, Subscripts: write.Subscripts}
		}
	}
}
