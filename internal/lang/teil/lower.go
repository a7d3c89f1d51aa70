package teil

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How lowering works
//
// Figure 6 says what an expression is at an index κ in terms of its operands at other
// indices. Read from the left, that is a function of κ: transp exchanges two entries,
// diag copies one, proj puts in a constant, expa drops one, prod cuts κ in two; a
// reduction puts in an index of its own. So each statement becomes one comprehension
// over the indices of its shape and those of its reductions, in which collective
// operations other than arithmetic have left nothing but subscripts.
//
// A comprehension folds its whole value, so a reduction may stand only where it is
// outermost, up to operations that move values; lift has seen to that. A
// comprehension reads before it writes, as rule St-Stmt says.

// lower returns the program as a function of ein, rewritten unless it is direct.
func (t *Typing) lower() *lang.Def {
	r := t.Optimise()
	l := &lowerer{Typing: r.Result, f: &ein.Func{Pos: t.Source.Pos, Name: t.Name, Direct: t.Source.Direct != nil}, tensors: map[string]*ein.Tensor{}, operators: map[*syntax.Fold]*ein.Operator{}}
	l.declare()
	def := &lang.Def{Name: t.Name, Pos: t.Source.Pos, Func: l.f, Tensors: l.f.Tensors, Warnings: t.warnings}
	for rest := l.Program.Statements; len(rest) > 0; {
		s := rest[0]
		if call, ok := s.Value.(*syntax.Apply); ok {
			l.f.Body = append(l.f.Body, l.foreign(s, call)...)
			def.Statements = append(def.Statements, &lang.Statement{Pos: s.Pos})
			rest = rest[1:]
			continue
		}
		several := rest[:together(rest)]
		rest = rest[len(several):]
		c := l.statement(several)
		l.f.Body = append(l.f.Body, c)
		ranges := &lang.Statement{Pos: s.Pos}
		for _, i := range c.Indices {
			ranges.Indices = append(ranges.Indices, lang.Index{Pos: i.Pos, Name: i.Name, Extent: i.Extent, Combine: i.Combine.Kind})
		}
		def.Statements = append(def.Statements, ranges)
	}
	return def
}

type lowerer struct {
	*Typing
	f       *ein.Func
	tensors map[string]*ein.Tensor

	comprehension *ein.Comprehension // of the current statement
	element       tensor.DType       // of the expression at hand
	places        []ein.Expr         // subscripts that are tested
	components    []ein.Expr         // the values of a reduction of tuples

	operators map[*syntax.Fold]*ein.Operator
	locals    map[string]*ein.Local // the parameters of the fold at hand
}

var roles = map[syntax.Mark]ein.Role{syntax.Unmarked: ein.Temp, syntax.In: ein.Input, syntax.Out: ein.Output, syntax.InOut: ein.InOut}

func (l *lowerer) declare() {
	for _, a := range l.Program.Allocs {
		t := &ein.Tensor{Pos: a.Pos, Name: a.Name.Name, Type: l.Elements[a.Name.Name], Role: roles[a.Mark]}
		for _, d := range a.Dims {
			t.Dims = append(t.Dims, ein.Dim{Extent: d.Value})
		}
		l.tensors[t.Name] = t
		l.f.Tensors = append(l.f.Tensors, t)
	}
	for _, s := range l.Sizes {
		size := &ein.Size{Pos: s.Pos, Name: s.Name}
		if size.Tensor, size.Dim = l.origin(s.Name); l.isScalarSize(s.Name) {
			size.Tensor, size.Dim = l.tensors[s.Name], ein.ScalarValue
		}
		l.f.Sizes = append(l.f.Sizes, size)
	}
	seen := map[string]bool{}
	for _, c := range l.Context.Conditions {
		if text := c.Expr.String(); !seen[text] {
			seen[text] = true
			l.f.Requires = append(l.f.Requires, &ein.Condition{Pos: c.Pos, Expr: c.Expr, Reason: c.Reason})
		}
	}
}

// origin finds the dimension that a size is, or from whose extent it can be computed,
// first among the inputs; else the size is given by its name.
func (l *lowerer) origin(size string) (*ein.Tensor, int) {
	for _, list := range [][]*ein.Tensor{l.f.ByRole(ein.Input, ein.InOut), l.f.ByRole(ein.Output)} {
		for _, exact := range []bool{true, false} {
			for _, t := range list {
				for k, d := range t.Dims {
					name, symbol := d.Extent.IsSymbol()
					if symbol && name == size || !exact && alone(d.Extent, size) {
						return t, k
					}
				}
			}
		}
	}
	return nil, 0
}

// alone reports whether an extent is computed from one size, by + and *.
func alone(extent affine.Expr, size string) bool {
	coefficient, rest, linear := extent.Linear(size)
	_, constant := rest.IsConst()
	return linear && constant && coefficient != 0
}

// statement lowers x = e, or several statements that take components of one reduction.
func (l *lowerer) statement(several []*syntax.Statement) *ein.Comprehension {
	s := several[0]
	x := l.tensors[s.Targets[0].Name]
	l.comprehension, l.places = &ein.Comprehension{Pos: s.Pos}, nil
	l.element = x.Type
	var at []ein.Expr
	var places []place
	for _, d := range x.Dims {
		i := l.index("i", d.Extent, s.Pos)
		at, places = append(at, i), append(places, place{index: i, step: affine.Const(1)})
	}
	value := l.value(l.narrow(s.Value, x, at, places), at)
	write := &ein.Write{Pos: s.Pos, Tensor: x}
	for _, p := range places {
		write.Subscripts = append(write.Subscripts, p.subscript())
	}
	l.comprehension.Writes, l.comprehension.Values = []*ein.Write{write}, []ein.Expr{value}
	if op := foldOf(s.Value); op != nil {
		l.complete(several, op, write)
	}
	return l.comprehension
}

// index adds an index to the comprehension.
func (l *lowerer) index(letter string, extent affine.Expr, pos source.Span) *ein.IndexRef {
	name := letter + strconv.Itoa(len(l.comprehension.Indices)+1)
	for l.isSize(name) {
		name += "_"
	}
	i := &ein.Index{Pos: pos, Name: name, Extent: extent}
	l.comprehension.Indices = append(l.comprehension.Indices, i)
	return &ein.IndexRef{Pos: pos, Index: i}
}

func (l *lowerer) isSize(name string) bool {
	for _, s := range l.Sizes {
		if s.Name == name {
			return true
		}
	}
	return false
}

// value is the meaning of e at the index at, which counts from 0.
func (l *lowerer) value(e syntax.Expr, at []ein.Expr) ein.Expr {
	switch e := e.(type) {
	case *syntax.Var:
		if parameter := l.locals[e.Name]; parameter != nil {
			return &ein.LocalRef{Pos: e.Pos, Local: parameter}
		}
		t := l.tensors[e.Name]
		var access ein.Expr = &ein.Access{Pos: e.Pos, Tensor: t, Subscripts: at, Checked: l.isTested(at)}
		if t.Type.IsHalf() {
			access = &ein.Cast{Pos: e.Pos, To: t.Type.Compute(), X: access}
		}
		return access
	case *syntax.Number:
		c, err := numberOf(e.Text, l.element)
		if err != nil {
			panic(source.Internalf("lower", e.Pos, "%w", err))
		}
		c.Pos = e.Pos
		return c
	case *syntax.Operation:
		return l.operation(e, at)
	}
	panic(source.Internalf("lower", e.Span(), "%T was not elaborated", e))
}

func (l *lowerer) operation(e *syntax.Operation, at []ein.Expr) ein.Expr {
	switch e.Op.Class {
	case syntax.Elementwise:
		return l.elementwise(e, at)
	case syntax.Multiplication, syntax.OuterProduct:
		rank := len(l.shape(e.Operands[0]))
		left, right := at[:rank], at
		if e.Op.Class == syntax.OuterProduct {
			right = at[rank:]
		}
		return &ein.Binary{Pos: e.Pos, Op: ein.Mul, X: l.value(e.Operands[0], left), Y: l.value(e.Operands[1], right)}
	case syntax.Gathering:
		return l.gathered(e, at)
	case syntax.Reduction, syntax.Contraction:
		return l.reduction(e, at)
	case syntax.Folding:
		return l.folded(e, at)
	}
	switch e.Op.Name {
	case "iota":
		return at[0]
	case "size":
		return sizeValue(e.Args[0].Value, e.Pos)
	case "pad":
		return l.padded(e, at)
	case "replace":
		return l.replaced(e, at)
	}
	return l.value(e.Operands[0], l.reindex(e, at))
}

// padded is the operand where the index is in the middle, and 0 elsewhere.
func (l *lowerer) padded(e *syntax.Operation, at []ein.Expr) ein.Expr {
	binary := func(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Pos: e.Pos, Op: op, X: x, Y: y} }
	i := e.Position(0)
	size := l.shape(e.Operands[0]).at(i)
	at = append([]ein.Expr{}, at...)
	at[i-1] = binary(ein.Sub, at[i-1], sizeValue(e.Args[1].Value, e.Pos))
	condition := binary(ein.And, binary(ein.Ge, at[i-1], sizeValue(affine.Expr{}, e.Pos)), binary(ein.Lt, at[i-1], sizeValue(size, e.Pos)))
	zero := l.value(&syntax.Number{Pos: e.Pos, Text: "0"}, nil)
	return &ein.Select{Pos: e.Pos, Cond: condition, Then: l.value(e.Operands[0], at), Else: zero}
}

func (l *lowerer) shape(e syntax.Expr) Shape {
	s, refusal := l.Context.Type(e)
	if refusal != nil {
		panic(source.Internalf("lower", e.Span(), "%v in %s", refusal, syntax.PrintExpr(e)))
	}
	return s
}

func (l *lowerer) elementwise(e *syntax.Operation, at []ein.Expr) ein.Expr {
	var operands []ein.Expr
	outer := l.element
	for n, o := range e.Operands {
		l.element = l.elementOfOperand(e, n, outer)
		operands = append(operands, l.value(o, at))
	}
	l.element = outer
	switch {
	case e.Op.Builtin != nil:
		return &ein.Call{Pos: e.Pos, Func: e.Op.Builtin, Args: operands}
	case e.Op.Cast != tensor.Invalid:
		if to := e.Op.Cast.Compute(); operands[0].Type() != to {
			return &ein.Cast{Pos: e.Pos, To: to, X: operands[0]}
		}
		return operands[0]
	case e.Op.Name == "not":
		return &ein.Unary{Pos: e.Pos, Op: ein.Not, X: operands[0]}
	case e.Op.Name == "bitnot":
		return ein.Complement(operands[0], e.Pos)
	case e.Op.Name == "neg":
		return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: operands[0]}
	case e.Op.Name == ein.AbsoluteName:
		return ein.Absolute(operands[0], e.Pos)
	case len(operands) == 1:
		return &ein.Unary{Pos: e.Pos, Op: ein.BitFunctions()[e.Op.Name], X: operands[0]}
	case len(operands) == 3:
		return &ein.Select{Pos: e.Pos, Cond: operands[0], Then: operands[1], Else: operands[2]}
	}
	op := e.Op.Binary
	if operands[0].Type() == tensor.Bool {
		op = onBools(op)
	}
	return &ein.Binary{Pos: e.Pos, Op: op, X: operands[0], Y: operands[1]}
}

// onBools is an operator on bools: the least of two is their conjunction.
func onBools(op ein.BinaryOp) ein.BinaryOp {
	switch op {
	case ein.Min:
		return ein.And
	case ein.Max:
		return ein.Or
	}
	return op
}

// reduction puts a new index at one position; a contraction also at the other one.
func (l *lowerer) reduction(e *syntax.Operation, at []ein.Expr) ein.Expr {
	i := e.Position(0)
	m := l.index("r", l.shape(e.Operands[0]).at(i), e.Pos)
	combine := e.Op.Combine
	if l.element == tensor.Bool {
		combine = map[ein.OperatorKind]ein.OperatorKind{ein.MinOp: ein.AndOp, ein.MaxOp: ein.OrOp}[combine]
	}
	m.Index.Combine = ein.Combine{Kind: ein.Reduce, Op: ein.BuiltinOperator(combine, l.element.Compute())}
	at = inserted(at, i, m)
	if e.Op.Class == syntax.Contraction {
		at = inserted(at, e.Position(1), m)
	}
	return l.value(e.Operands[0], at)
}

func inserted(at []ein.Expr, i int, x ein.Expr) []ein.Expr {
	list := append([]ein.Expr{}, at[:i-1]...)
	return append(append(list, x), at[i-1:]...)
}

// reindex returns the index at which Figure 6 takes the operand.
func (l *lowerer) reindex(e *syntax.Operation, at []ein.Expr) []ein.Expr {
	i := e.Position(0)
	binary := func(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Pos: e.Pos, Op: op, X: x, Y: y} }
	at = append([]ein.Expr{}, at...)
	switch e.Op.Name {
	case "transp":
		j := e.Position(1)
		at[i-1], at[j-1] = at[j-1], at[i-1]
	case "diag":
		return inserted(at, e.Position(1), at[i-1])
	case "expa":
		return removed(at, i)
	case "proj":
		return inserted(at, i, sizeValue(e.Args[1].Value.AddConst(-1), e.Pos))
	case "shift":
		at[i-1] = binary(ein.Add, at[i-1], sizeValue(e.Args[1].Value, e.Pos))
	case "window":
		at[i-1] = binary(ein.Add, at[i-1], at[i])
		return removed(at, i+1)
	case "stride":
		at[i-1] = binary(ein.Mul, sizeValue(e.Args[1].Value, e.Pos), at[i-1])
	case "flip":
		at[i-1] = binary(ein.Sub, sizeValue(l.shape(e.Operands[0]).at(i).AddConst(-1), e.Pos), at[i-1])
	default:
		read, ok := indexMaps[e.Op.Name]
		if !ok {
			panic(source.Internalf("lower", e.Pos, "%s is no operation that moves values", e.Op.Name))
		}
		at[i-1] = read(maker{e}, at[i-1], l.shape(e.Operands[0]).at(i), e.Args[1:])
	}
	return at
}

// sizeValue is a size as a subscript.
func sizeValue(n affine.Expr, pos source.Span) ein.Expr {
	if v, ok := n.IsConst(); ok {
		return &ein.Const{Pos: pos, DType: tensor.Int64, Bits: uint64(v)}
	}
	return &ein.SizeRef{Pos: pos, Size: n}
}
