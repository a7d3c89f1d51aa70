package guard

import (
	"math"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// binaries are the operations for the infix operators, Mul excepted.
var binaries = map[ein.BinaryOp]string{
	ein.Add: "add", ein.Sub: "sub", ein.Div: "div", ein.Mod: "mod", ein.Min: "min", ein.Max: "max",
	ein.Lt: "lt", ein.Le: "le", ein.Gt: "gt", ein.Ge: "ge", ein.Eq: "eq", ein.Ne: "ne", ein.And: "and", ein.Or: "or",
	ein.BitAnd: "bitand", ein.BitOr: "bitor", ein.BitXor: "bitxor", ein.Shl: "shl", ein.Shr: "shr",
}

// scalar lowers a scalar expression over the indices: every node is an operation on
// whole tensors, which have a dimension for each index that the node depends on.
func (s *statement) scalar(e ein.Expr) (value, error) {
	switch e := e.(type) {
	case *ein.Const:
		return value{expr: constant(e)}, nil
	case *ein.IndexRef:
		return s.counted(e), nil
	case *ein.SizeRef:
		return value{expr: sizeValue(e.Pos, e.Size)}, nil
	case *ein.LocalRef:
		return s.locals[e.Local], nil
	case *ein.Access:
		return s.access(e)
	case *ein.Unary:
		return s.apply(e.Pos, [...]string{ein.Neg: "neg", ein.Not: "not", ein.Popcount: "popcount", ein.Clz: "clz"}[e.Op], e.X)
	case *ein.Cast:
		v, err := s.scalar(e.X)
		if err != nil {
			return value{}, err
		}
		return s.elementwise(e.Pos, e.To.String(), anchored(e.X.Type(), v)), nil
	case *ein.Call:
		return s.apply(e.Pos, e.Func.Name, e.Args...)
	case *ein.Binary:
		list, err := s.scalars(e.X, e.Y)
		switch {
		case err != nil:
			return value{}, err
		case e.Op == ein.Mul:
			return multiply(e.Pos, list[0], list[1]), nil
		case e.Op.IsComparison() && weak(list[1].expr):
			list[0] = anchored(e.X.Type(), list[0])
		}
		return s.elementwise(e.Pos, binaries[e.Op], list...), nil
	case *ein.Select:
		return s.choice(e)
	case *ein.Let:
		v, err := s.scalar(e.Value)
		if err != nil {
			return value{}, err
		}
		s.locals[e.Var], s.values[e.Var] = s.share(e, v), e.Value
		return s.scalar(e.Body)
	}
	return value{}, source.Internalf("guard", e.Span(), "an expression of unknown kind %T", e)
}

func (s *statement) scalars(list ...ein.Expr) ([]value, error) {
	values := make([]value, len(list))
	for n, e := range list {
		var err error
		if values[n], err = s.scalar(e); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (s *statement) apply(pos source.Span, op string, operands ...ein.Expr) (value, error) {
	list, err := s.scalars(operands...)
	if err != nil {
		return value{}, err
	}
	return s.elementwise(pos, op, list...), nil
}

// choice lowers both branches, each knowing what its condition says: an access that is
// only evaluated where it is in bounds may leave its tensor elsewhere.
func (s *statement) choice(e *ein.Select) (value, error) {
	condition, err := s.scalar(e.Cond)
	if err != nil {
		return value{}, err
	}
	outer := s.path
	s.path = outer.And(ein.Says(e.Cond, true, s.affine, s.values))
	then, err := s.scalar(e.Then)
	if err != nil {
		return value{}, err
	}
	s.path = outer.And(ein.Says(e.Cond, false, s.affine, s.values))
	otherwise, err := s.scalar(e.Else)
	s.path = outer
	if err != nil {
		return value{}, err
	}
	return s.elementwise(e.Pos, "select", condition, then, otherwise), nil
}

// counted is the value of an index.
func (s *statement) counted(e *ein.IndexRef) value {
	v := value{operation(e.Pos, "iota", nil, []affine.Expr{e.Index.Extent}), []*ein.Index{e.Index}}
	if s.equal(e.Index.Min, affine.Expr{}) {
		return v
	}
	return s.elementwise(e.Pos, "add", v, value{expr: sizeValue(e.Pos, e.Index.Min)})
}

// sizeValue is a size as a value, an int64.
func sizeValue(pos source.Span, size affine.Expr) syntax.Expr {
	return operation(pos, "size", nil, []affine.Expr{size})
}

// constant is a literal. It has no type of its own: in TeIL it takes that of the
// expression in which it stands, which is the type that ein gives it; see anchored.
func constant(e *ein.Const) syntax.Expr {
	number := func(text string) syntax.Expr { return &syntax.Number{Pos: e.Pos, Text: text} }
	text := strconv.FormatInt(e.Int(), 10)
	switch v := e.Float(); {
	case e.DType.IsFloat() && math.IsNaN(v):
		return operation(e.Pos, "div", nil, nil, number("0"), number("0"))
	case e.DType.IsFloat() && math.IsInf(v, 0):
		return operation(e.Pos, "div", nil, nil, number(strconv.FormatFloat(math.Copysign(1, v), 'g', -1, 64)), number("0"))
	case e.DType.IsFloat():
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case e.DType == tensor.Uint64:
		text = strconv.FormatUint(e.Bits, 10)
	}
	return number(text)
}

// anchored gives a value that is made of literals alone its type, which an operation
// needs whose result has another one.
func anchored(t tensor.DType, v value) value {
	if weak(v.expr) {
		v.expr = operation(v.expr.Span(), t.String(), nil, nil, v.expr)
	}
	return v
}

// weak reports whether nothing in an expression has a type.
func weak(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Number:
		return true
	case *syntax.Operation:
		if e.Op.Cast != tensor.Invalid || e.Op.Class == syntax.Generator || e.Op.Class == syntax.Folding || e.Op.IsComparison() {
			return false
		}
		operands := e.Operands
		if e.Op.HasOwnFirst() {
			operands = operands[1:]
		}
		return !slices.ContainsFunc(operands, func(o syntax.Expr) bool { return !weak(o) })
	}
	return false
}
