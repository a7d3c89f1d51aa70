package tc

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// subscript lowers an integer expression to int64. Integer scalars among the
// inputs are sizes here, so that what they bound can be proved; an element of
// another tensor makes the subscript depend on data.
func (l *lowering) subscript(e syntax.Expr) ein.Expr {
	if !l.spend(e.Span()) {
		return ein.IntConst(tensor.Int64, 0)
	}
	switch e := e.(type) {
	case *syntax.Number:
		c := ein.IntConst(tensor.Int64, l.types[e].integer)
		c.Pos = e.Pos
		return c
	case *syntax.Name:
		return l.subscriptName(e)
	case *syntax.SizeAccess:
		return sizeRef(l.extentOf(e), e.Pos)
	case *syntax.Paren:
		return l.subscript(e.X)
	case *syntax.Unary:
		if e.Op == "-" {
			return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: l.subscript(e.X)}
		}
	case *syntax.Binary:
		if op, factor, ok := asArithmetic(e); ok {
			return &ein.Binary{Pos: e.Pos, Op: op, X: l.subscript(e.X), Y: ein.IntConst(tensor.Int64, factor)}
		}
		if op := binaryOperators[e.Op]; op <= ein.Mod {
			return &ein.Binary{Pos: e.Pos, Op: op, X: l.subscript(e.X), Y: l.subscript(e.Y)}
		}
	case *syntax.Conditional:
		return l.conditional(e, l.subscript)
	case *syntax.CastExpr:
		if to := l.types[e].dtype; (to == tensor.Int32 || to == tensor.Int64) && l.types[e.X].isInteger() {
			return l.subscript(e.X)
		}
	case *syntax.Apply:
		if size := l.def.length(e); size != nil {
			return l.subscript(size)
		}
		if op := e.Func.Name; (op == "min" || op == "max") && l.def.symbols[op] == nil {
			return &ein.Binary{Pos: e.Pos, Op: binaryOperators[op], X: l.subscript(e.Args[0]), Y: l.subscript(e.Args[1])}
		}
		if l.isAbsolute(e) && l.types[e.Args[0]].isInteger() {
			return &ein.Binary{Pos: e.Pos, Op: ein.Max, X: l.subscript(e.Args[0]), Y: &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: l.subscript(e.Args[0])}}
		}
	}
	return l.dataSubscript(e)
}

// isAbsolute reports whether e is abs(x), the function of the language.
func (l *lowering) isAbsolute(e *syntax.Apply) bool {
	return e.Func.Name == ein.AbsoluteName && len(e.Args) == 1 && l.def.symbols[ein.AbsoluteName] == nil
}

// dataSubscript computes a subscript as a value.
func (l *lowering) dataSubscript(e syntax.Expr) ein.Expr {
	return convert(l.value(e, l.types[e].settled()), tensor.Int64, e.Span())
}

func (l *lowering) subscriptName(e *syntax.Name) ein.Expr {
	if found, ok := l.lets[e.Name]; ok {
		return l.subscript(found.clause.Value)
	}
	if found, ok := l.def.symbols[e.Name]; ok {
		if found.scalar != nil && found.Type.IsInteger() {
			return sizeRef(l.def.scalarSize(found), e.Pos)
		}
		if found.size != nil {
			return sizeRef(*found.size, e.Pos)
		}
		return l.dataSubscript(e)
	}
	if _, ok := l.def.sizes[e.Name]; ok {
		return sizeRef(l.def.sizeValue(e.Name), e.Pos)
	}
	return &ein.IndexRef{Pos: e.Pos, Index: l.byName[e.Name].Index}
}

// sizeExpr is an integer expression over sizes only, as in the bounds of a range
// and in the arguments of calls. A divisor that is no number must be positive,
// which becomes a condition. The place of what is no size expression is returned
// otherwise.
func (l *lowering) sizeExpr(e syntax.Expr, p *prover) (result affine.Expr, bad syntax.Expr) {
	if !l.spend(e.Span()) {
		return affine.Expr{}, e
	}
	switch e := e.(type) {
	case *syntax.Number:
		if v, ok := parseNumber(e.Text); ok && v.weak == weakInt {
			return affine.Const(v.integer), nil
		}
	case *syntax.Name:
		return l.sizeName(e, p)
	case *syntax.SizeAccess:
		if found := l.def.symbols[e.Tensor.Name]; found != nil && found.shaped && e.Dim < len(found.Dims) {
			return found.Dims[e.Dim].Extent, nil
		}
	case *syntax.Paren:
		return l.sizeExpr(e.X, p)
	case *syntax.CastExpr:
		if t, _ := syntax.ScalarType(e.To); t == tensor.Int32 || t == tensor.Int64 {
			return l.sizeExpr(e.X, p)
		}
	case *syntax.Unary:
		if x, bad := l.sizeExpr(e.X, p); e.Op == "-" {
			return x.Scale(-1), bad
		}
	case *syntax.Binary:
		if op, factor, ok := asArithmetic(e); ok {
			return l.sizeOperation(op.String(), e.X, &syntax.Number{Pos: e.Y.Span(), Text: strconv.FormatInt(factor, 10)}, e.Pos, p)
		}
		if op := binaryOperators[e.Op]; op <= ein.Mod {
			return l.sizeOperation(e.Op, e.X, e.Y, e.Pos, p)
		}
	case *syntax.Apply:
		if size := l.def.length(e); size != nil {
			return l.sizeExpr(size, p)
		}
		if name := e.Func.Name; (name == "min" || name == "max") && len(e.Args) == 2 {
			return l.sizeOperation(name, e.Args[0], e.Args[1], e.Pos, p)
		}
		if l.isAbsolute(e) {
			x, bad := l.sizeExpr(e.Args[0], p)
			return affine.MaxOf(x, x.Scale(-1)), bad
		}
	}
	return affine.Expr{}, e
}

func (l *lowering) sizeName(e *syntax.Name, p *prover) (affine.Expr, syntax.Expr) {
	if found, ok := l.lets[e.Name]; ok {
		found.used = true
		if found.active {
			return affine.Expr{}, e
		}
		found.active = true
		defer func() { found.active = false }()
		return l.sizeExpr(found.clause.Value, p)
	}
	if found, ok := l.def.symbols[e.Name]; ok {
		if found.scalar != nil && found.Type.IsInteger() {
			found.used = true
			return l.def.scalarSize(found), nil
		}
		if found.size != nil {
			return *found.size, nil
		}
		return affine.Expr{}, e
	}
	if z, ok := l.def.sizes[e.Name]; ok {
		z.used = true
		return l.def.sizeValue(e.Name), nil
	}
	return affine.Expr{}, e
}

func (l *lowering) sizeOperation(op string, left, right syntax.Expr, pos source.Span, p *prover) (affine.Expr, syntax.Expr) {
	x, bad := l.sizeExpr(left, p)
	if bad != nil {
		return x, bad
	}
	y, bad := l.sizeExpr(right, p)
	if bad != nil {
		return y, bad
	}
	if !moderate(x) {
		return x, left
	}
	if !moderate(y) {
		return y, right
	}
	switch op {
	case "+":
		return x.Add(y), nil
	case "-":
		return x.Sub(y), nil
	case "*":
		return x.Mul(y), nil
	case "min":
		return affine.MinOf(x, y), nil
	case "max":
		return affine.MaxOf(x, y), nil
	}
	if n, ok := y.IsConst(); ok && n == 0 {
		return affine.Expr{}, right
	} else if !ok {
		p.require(y.AddConst(-1), pos, "the divisor "+oneLine(right.Span().Text())+" must be positive")
	}
	if op == "/" {
		return affine.Div(x, y), nil
	}
	return affine.Rem(x, y), nil
}
