package tc

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// boundary says what happens to accesses out of bounds.
type boundary uint8

const (
	plain    boundary = iota // they must be proved in bounds
	padded                   // pad: the whole value is replaced
	clamped                  // the nearest element
	mirrored                 // reflection that repeats the edge
	wrapped                  // modulo the size
)

// A site is an access of a statement.
type site struct {
	access *ein.Access
	span   source.Span
	target *symbol
	mode   boundary
	exists bool
	old    bool // written old(y)(…)
	known  bool // the tensor had its shape when the statement was begun
	path   []pathCondition
	asked  []pathCondition // the conditions under which the text uses it, those around all uses of a let included
	early  bool            // in a let that is computed before the value: the conditions around the let are not in path
	bare   []*ein.Index    // the index that is a whole subscript, or nil, by dimension
	// unproved is set when nothing is known about a subscript without data.
	unproved bool
}

// A guard is a pad whose condition is made when the ranges are known.
type guard struct {
	node  *ein.Select
	sites []*site
	depth int // the conditions around the pad, which begin the paths of its sites
}

// lowering makes ein expressions of one statement. Accesses are collected in
// sites, in the order of evaluation; mode is that of the innermost pad, clamp,
// mirror or wrap around the expression.
type lowering struct {
	*statement
	mode     boundary
	exists   bool
	sites    []*site
	guards   []*guard
	path     []pathCondition
	bindings []*binding // lets that are shared, in the order of binding
	values   []sizeUse
	exacts   []exactUse
}

// A sizeUse is a size that is used as a value.
type sizeUse struct {
	size affine.Expr
	pos  source.Span
}

// budgetNodes bounds the size of a lowered statement: lets that are inlined in
// subscripts and pads could otherwise double it again and again.
const budgetNodes = 200_000

func (l *lowering) spend(pos source.Span) bool {
	l.budget--
	if l.budget == 0 {
		l.errorf(source.CodeTooLarge, pos, "the statement is too large").WithHelp("compute parts of it in temporaries")
	}
	return l.budget > 0
}

// value lowers e to the type in which values of want are computed.
func (l *lowering) value(e syntax.Expr, want tensor.DType) ein.Expr {
	want = want.Compute()
	if !l.spend(e.Span()) {
		return zero(want)
	}
	t := l.types[e]
	switch {
	case t.constant && t.weak != strong:
		l.extremeLiteral(t, want, e.Span())
		return literal(t, want, e.Span())
	case t.weak != strong:
		return l.weakValue(e, want)
	case t.dtype == tensor.Int32 && l.exactProduct(e):
		return l.exactValue(e, want)
	case holdsMore(want) && l.scalarProduct(e):
		return convert(l.wide(e), want, e.Span())
	}
	return convert(l.natural(e, t.dtype), want, e.Span())
}

func zero(t tensor.DType) ein.Expr {
	if t.IsFloat() {
		return ein.FloatConst(t, 0)
	}
	return ein.IntConst(t, 0)
}

func literal(t valueType, want tensor.DType, pos source.Span) ein.Expr {
	var c *ein.Const
	switch {
	case want.IsFloat():
		c = ein.FloatConst(want, t.float)
	case t.weak == weakInt && want == tensor.Bool:
		c = ein.IntConst(want, min(1, max(t.integer, -t.integer)))
	case t.weak == weakInt:
		c = ein.IntConst(want, t.integer)
		if want.Size() < 8 && !fits(t.integer, want) { // wraps like a cast
			return &ein.Cast{Pos: pos, To: want, X: ein.IntConst(tensor.Int64, t.integer)}
		}
	default:
		return &ein.Cast{Pos: pos, To: want, X: ein.FloatConst(tensor.Float64, t.float)}
	}
	c.Pos = pos
	return c
}

// convert casts unless the type is right already.
func convert(x ein.Expr, to tensor.DType, pos source.Span) ein.Expr {
	if x.Type() == to {
		return x
	}
	return &ein.Cast{Pos: pos, To: to, X: x}
}

// weakValue lowers an expression that takes the type of what it meets and does not fold: a condition that
// chooses between literals, or a float of literals and integers.
func (l *lowering) weakValue(e syntax.Expr, want tensor.DType) ein.Expr {
	switch e := e.(type) {
	case *syntax.Paren:
		return l.value(e.X, want)
	case *syntax.Name:
		return l.letValue(l.lets[e.Name], want)
	case *syntax.Conditional:
		return l.conditional(e, func(e syntax.Expr) ein.Expr { return l.value(e, want) })
	case *syntax.Apply:
		if b, ok := boundaryFunctions[e.Func.Name]; ok {
			return l.boundaryValue(e, b, want)
		}
		if e.Func.Name == "min" || e.Func.Name == "max" {
			return l.minMax(e, want)
		}
	}
	switch t := l.types[e]; {
	case t.weak == weakFloat:
		t := l.floatOf(want)
		if l.takesPhase(e) {
			t = tensor.Float64
		}
		return convert(l.natural(e, t), want, e.Span())
	case want.IsInteger(): // 1 << n
		return l.natural(e, want)
	case t.shifted && want.IsFloat(): // which has room for 1 << 40
		return convert(l.natural(e, tensor.Int64), want, e.Span())
	}
	return convert(l.natural(e, l.types[e].settled()), want, e.Span())
}

// condition lowers to a bool.
func (l *lowering) condition(e syntax.Expr) ein.Expr {
	t := l.types[e]
	return convert(l.value(e, l.def.settled(t)), tensor.Bool, e.Span())
}

// natural lowers a strong expression to the type t.Compute().
func (l *lowering) natural(e syntax.Expr, t tensor.DType) ein.Expr {
	switch e := e.(type) {
	case *syntax.Number: // beyond int64
		return &ein.Const{Pos: e.Pos, DType: t, Bits: uint64(l.types[e].integer)}
	case *syntax.Name:
		return l.name(e, t)
	case *syntax.SizeAccess:
		return l.sizeValue(l.extentOf(e), e.Pos)
	case *syntax.Apply:
		return l.apply(e, t)
	case *syntax.Unary:
		if e.Op == "!" {
			return &ein.Unary{Pos: e.Pos, Op: ein.Not, X: l.condition(e.X)}
		}
		if e.Op == "~" {
			return ein.Complement(l.value(e.X, t), e.Pos)
		}
		return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: l.value(e.X, t)}
	case *syntax.Binary:
		return l.binary(e, t)
	case *syntax.Conditional:
		return l.conditional(e, func(e syntax.Expr) ein.Expr { return l.value(e, t) })
	case *syntax.CastExpr:
		return l.cast(e, t)
	case *syntax.Paren:
		return l.value(e.X, t)
	}
	return zero(t.Compute())
}

// cast converts; a 16-bit float is computed with in float32 and rounded when it
// is stored, so a cast to it converts to float32.
func (l *lowering) cast(e *syntax.CastExpr, to tensor.DType) ein.Expr {
	inner := l.types[e.X]
	from := l.def.settled(inner)
	switch {
	case to == tensor.Bool && inner.weak == weakInt && inner.constant: // true and false, of which conditions are made
		bit := map[bool]int64{true: 1}[inner.integer != 0]
		return &ein.Const{Pos: e.Pos, DType: to, Bits: uint64(bit)}
	case inner.weak == weakInt && to.IsInteger() || inner.weak == weakFloat && to.IsFloat():
		return l.value(e.X, to)
	case inner.weak == weakFloat && (inner.constant || l.isPhase(e.X)):
		from = tensor.Float64
	case inner.shifted && to.IsFloat():
		return l.value(e.X, to)
	case from == tensor.Int32 && holdsMore(to) && (l.exactProduct(e.X) || l.scalarProduct(e.X)):
		return l.value(e.X, to)
	}
	return convert(l.value(e.X, from), to.Compute(), e.Pos)
}

func (l *lowering) name(e *syntax.Name, t tensor.DType) ein.Expr {
	if found, ok := l.lets[e.Name]; ok {
		return l.letValue(found, t)
	}
	if found, ok := l.def.symbols[e.Name]; ok {
		return l.access(found, nil, e.Pos, false)
	}
	if _, ok := l.def.sizes[e.Name]; ok {
		return l.sizeValue(l.def.sizeValue(e.Name), e.Pos)
	}
	i := l.byName[e.Name]
	if !i.inValue.IsValid() {
		i.inValue = e.Pos
	}
	return convert(&ein.IndexRef{Pos: e.Pos, Index: i.Index}, t, e.Pos)
}

// letValue shares the value of a let through ein.Let; under a boundary function,
// where accesses have another meaning, the let is expanded in place.
func (l *lowering) letValue(found *let, want tensor.DType) ein.Expr {
	t := l.types[found.clause.Value]
	if t.weak == strong && t.dtype == tensor.Int32 && l.exactProduct(found.clause.Value) {
		return l.exactValue(found.clause.Value, want)
	}
	if holdsMore(want) && l.scalarProduct(found.clause.Value) {
		return convert(l.wide(found.clause.Value), want, found.clause.Pos)
	}
	if t.weak == weakInt || t.constant || l.mode != plain || l.exists || found.expanded {
		return l.value(found.clause.Value, want)
	}
	dtype := t.dtype
	if t.weak == weakFloat {
		dtype = l.floatOf(want)
	}
	shared := found.shared[dtype]
	if shared == nil {
		from := len(l.sites)
		value := l.value(found.clause.Value, dtype)
		reads := len(l.sites) > from
		if found.expanded = dependsOnData(l.sites[from:]); found.expanded || reads && l.isGuarded() {
			return convert(value, want.Compute(), found.clause.Pos)
		}
		for _, s := range l.sites[from:] { // computed before the value, whatever the conditions around the let are
			if !s.early {
				s.path, s.early = s.path[len(l.path):], true
			}
		}
		shared = &binding{clause: found.clause, value: value, sites: l.sites[from:len(l.sites):len(l.sites)], local: &ein.Local{Name: found.clause.Name.Name, DType: value.Type()}}
		if found.shared == nil {
			found.shared = map[tensor.DType]*binding{}
		}
		found.shared[dtype] = shared
		l.bindings = append(l.bindings, shared)
	}
	for _, s := range shared.sites {
		s.asked = s.asked[:sharedConditions(s.asked, l.path)]
	}
	return convert(&ein.LocalRef{Pos: found.clause.Pos, Local: shared.local}, want.Compute(), found.clause.Pos)
}

// A binding is a let whose value is computed once for the statement, in one type.
type binding struct {
	clause *syntax.LetClause
	local  *ein.Local
	value  ein.Expr
	sites  []*site // what the value reads
}

// floatOf is the type in which a float of literals, sizes and integers is computed where it is wanted as a type.
func (s *statement) floatOf(want tensor.DType) tensor.DType {
	if want.IsFloat() {
		return want.Compute()
	}
	return s.def.settled(valueType{weak: weakFloat})
}

// dependsOnData reports whether a subscript is only known while running. Such a
// read stays where it was written, so that a condition around it protects it.
func dependsOnData(sites []*site) bool {
	for _, s := range sites {
		for _, sub := range s.access.Subscripts {
			if _, ok := ein.AffineOf(sub); !ok {
				return true
			}
		}
	}
	return false
}

// bind wraps a finished value in the lets that it uses.
func (l *lowering) bind(value ein.Expr) ein.Expr {
	for i := len(l.bindings) - 1; i >= 0; i-- {
		b := l.bindings[i]
		value = &ein.Let{Pos: b.clause.Pos, Var: b.local, Value: b.value, Body: value}
	}
	return value
}

var binaryOperators = map[string]ein.BinaryOp{
	"+": ein.Add, "-": ein.Sub, "*": ein.Mul, "/": ein.Div, "%": ein.Mod,
	"<": ein.Lt, "<=": ein.Le, ">": ein.Gt, ">=": ein.Ge, "==": ein.Eq, "!=": ein.Ne,
	"&&": ein.And, "||": ein.Or, "min": ein.Min, "max": ein.Max,
	"&": ein.BitAnd, "|": ein.BitOr, "^": ein.BitXor, "<<": ein.Shl, ">>": ein.Shr,
}

func (l *lowering) binary(e *syntax.Binary, t tensor.DType) ein.Expr {
	op := binaryOperators[e.Op]
	switch {
	case op == ein.And || op == ein.Or:
		return l.logical(e, op)
	case op.IsComparison() && l.isStatic(e.X) && l.isStatic(e.Y):
		return &ein.Binary{Pos: e.Pos, Op: op, X: l.subscript(e.X), Y: l.subscript(e.Y)}
	case op.IsComparison():
		common, _ := meet(arithmetic(l.types[e.X]), arithmetic(l.types[e.Y]))
		if t = l.def.settled(common); t == tensor.Int32 && (l.exactProduct(e.X) || l.exactProduct(e.Y) || l.scalarProduct(e.X) || l.scalarProduct(e.Y)) {
			t = tensor.Int64
		} else if common.weak == weakFloat && l.isPhase(e.X) && l.isPhase(e.Y) {
			t = tensor.Float64
		}
	case op == ein.Shl || op == ein.Shr:
		return &ein.Binary{Pos: e.Pos, Op: op, X: l.value(e.X, t), Y: l.places(e.Y, t)}
	}
	return &ein.Binary{Pos: e.Pos, Op: op, X: l.value(e.X, t), Y: l.value(e.Y, t)}
}

func (l *lowering) minMax(e *syntax.Apply, t tensor.DType) ein.Expr {
	return &ein.Binary{Pos: e.Pos, Op: binaryOperators[e.Func.Name], X: l.value(e.Args[0], t), Y: l.value(e.Args[1], t)}
}

func (l *lowering) apply(e *syntax.Apply, t tensor.DType) ein.Expr {
	name := e.Func.Name
	if found, ok := l.def.symbols[name]; ok {
		return l.access(found, e.Args, e.Pos, e.Old)
	}
	if size := l.def.length(e); size != nil {
		return l.sizeValue(l.extentOf(size), e.Pos)
	}
	if b, ok := boundaryFunctions[name]; ok {
		return l.boundaryValue(e, b, t)
	}
	if name == "min" || name == "max" {
		return l.minMax(e, t)
	}
	if op, ok := ein.BitFunctions()[name]; ok {
		return &ein.Unary{Pos: e.Pos, Op: op, X: l.value(e.Args[0], t)}
	}
	if name == ein.AbsoluteName {
		return ein.Absolute(l.value(e.Args[0], t), e.Pos)
	}
	b, ok := ein.LookupFunction(name)
	if !ok {
		return zero(t.Compute())
	}
	call := &ein.Call{Pos: e.Pos, Func: b}
	for _, a := range e.Args {
		call.Args = append(call.Args, l.value(a, t))
	}
	return call
}

// access lowers a read and notes it; 16-bit floats are widened at once.
func (l *lowering) access(found *symbol, args []syntax.Expr, pos source.Span, old bool) ein.Expr {
	if choice, at := l.chosenSubscript(args); choice != nil {
		return l.conditional(choice, func(e syntax.Expr) ein.Expr {
			branch := slices.Clone(args)
			branch[at] = e
			return l.access(found, branch, pos, old)
		})
	}
	a := &ein.Access{Pos: pos, Tensor: found.Tensor}
	for _, arg := range args {
		a.Subscripts = append(a.Subscripts, l.subscript(arg))
	}
	if found.shaped && len(a.Subscripts) != len(found.Dims) { // the shape of a call's result was not known to the typer
		if !l.failed {
			l.errorf(source.CodeRank, pos, "%s has %s but is read with %s", found.Name, count(len(found.Dims), "dimension"), count(len(args), "subscript")).
				WithNote(found.shapedAt, "%s gets its shape here", found.Name)
		}
		return zero(found.Type.Compute())
	}
	noted := &site{access: a, span: pos, target: found, mode: l.mode, exists: l.exists, old: old, known: found.shaped, path: l.path, asked: l.path}
	for _, sub := range a.Subscripts {
		var bare *ein.Index
		if ref, ok := sub.(*ein.IndexRef); ok {
			bare = ref.Index
		}
		noted.bare = append(noted.bare, bare)
	}
	l.sites = append(l.sites, noted)
	l.moveSubscripts(a)
	return convert(a, found.Type.Compute(), pos)
}

// extentOf is the size expression of A.0.
func (l *lowering) extentOf(e *syntax.SizeAccess) affine.Expr {
	found := l.def.symbols[e.Tensor.Name]
	if found == nil || e.Dim >= len(found.Dims) {
		return affine.Const(1)
	}
	return found.Dims[e.Dim].Extent
}

// sizeValue is a size as a value, an int32.
func (l *lowering) sizeValue(size affine.Expr, pos source.Span) ein.Expr {
	l.values = append(l.values, sizeUse{size, pos})
	return convert(sizeRef(size, pos), tensor.Int32, pos)
}

// sizeRef is a size expression as a value, a literal when it is a number.
func sizeRef(e affine.Expr, pos source.Span) ein.Expr {
	if n, ok := e.IsConst(); ok {
		return &ein.Const{Pos: pos, DType: tensor.Int64, Bits: uint64(n)}
	}
	return &ein.SizeRef{Pos: pos, Size: e}
}

// checkIntRanges requires that indices and sizes that are used as values fit in
// int32.
func (l *lowering) checkIntRanges(p *prover) {
	for _, i := range l.indices {
		if !i.inValue.IsValid() {
			continue
		}
		reason := "the index " + i.Name + " is used as a value, which is an int32"
		p.require(affine.Const(math.MaxInt32+1).Sub(i.end), i.inValue, reason)
		p.require(i.min.AddConst(-math.MinInt32), i.inValue, reason)
	}
	for _, v := range l.values {
		reason := "the size " + v.size.String() + " is used as a value, which is an int32"
		p.require(affine.Const(math.MaxInt32).Sub(v.size), v.pos, reason)
	}
}
