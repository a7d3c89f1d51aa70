package c

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// A mask of n lanes is a vector of n integers that are 0 or -1. Comparisons give
// integers as wide as what they compare; a consumer names the width that it wants.

// anyWidth is the natural width of a mask that is as cheap in every width.
const anyWidth = 0

// defaultWidth is chosen for masks of anyWidth that nothing else decides.
const defaultWidth = 4

func (u *unit) maskType(width, lanes int) string { return u.vector(signed(width), lanes) }

// naturalWidth returns the bytes per lane that a mask has without a conversion.
func (k *kernel) naturalWidth(e loop.Expr) int {
	switch e := e.(type) {
	case *loop.VarRef:
		return k.maskWidths[e.Var]
	case *loop.Load:
		return 1
	case *loop.Unary:
		return k.naturalWidth(e.X)
	case *loop.Binary:
		switch {
		case e.Op.IsComparison() && e.X.Type().Elem != tensor.Bool:
			if _, ok := rampLimit(e); ok {
				return anyWidth
			}
			return e.X.Type().Elem.Size()
		default:
			return max(k.naturalWidth(e.X), k.naturalWidth(e.Y))
		}
	case *loop.Select:
		return k.naturalWidth(e.Then)
	case *loop.Cast:
		if e.X.Type().Elem == tensor.Bool {
			return k.naturalWidth(e.X)
		}
		return e.X.Type().Elem.Size()
	}
	return anyWidth
}

func (k *kernel) maskWidth(e loop.Expr) int {
	if w := k.naturalWidth(e); w != anyWidth {
		return w
	}
	return defaultWidth
}

// commonWidth is the width that a mask takes with the fewest conversions: the one of most
// comparisons in it.
func (k *kernel) commonWidth(e loop.Expr) int {
	counts := map[int]int{}
	var visit func(e loop.Expr)
	visit = func(e loop.Expr) {
		if !takesAnyWidth(e) {
			counts[k.naturalWidth(e)]++
			return
		}
		for _, child := range loop.Children(e) {
			visit(child)
		}
	}
	visit(e)
	best := k.maskWidth(e)
	for _, width := range []int{1, 2, 4, 8} {
		if counts[width] > counts[best] {
			best = width
		}
	}
	return best
}

// mask prints a mask with a number of bytes per lane.
func (k *kernel) mask(e loop.Expr, width int) code {
	lanes := e.Type().Lanes
	if natural := k.naturalWidth(e); natural != anyWidth && natural != width && !takesAnyWidth(e) {
		return primary("__builtin_convertvector(%s, %s)", k.mask(e, natural).text, k.unit.maskType(width, lanes))
	}
	switch e := e.(type) {
	case *loop.VarRef:
		return primary("%s", k.scope.name(e.Var, "variable "+e.Var.Name))
	case *loop.Load:
		return binary(k.loadStored(e), "!=", code{"0", levelPrimary}, levelEqual)
	case *loop.Unary:
		return code{"~" + k.mask(e.X, width).at(levelUnary), levelUnary}
	case *loop.Broadcast:
		typ := k.unit.maskType(width, lanes)
		return code{fmt.Sprintf("(%s)-%s + (%s){}", signed(width), k.expr(e.X).at(levelPrimary), typ), levelAdd}
	case *loop.Binary:
		return k.maskBinary(e, width)
	case *loop.Select:
		return k.maskSelect(e, width)
	case *loop.Cast:
		if isMask(e.X.Type()) {
			return k.mask(e.X, width)
		}
		return k.comparison(e.X.Type(), binary(k.expr(e.X), "!=", code{"0", levelPrimary}, levelEqual))
	}
	fail("no C for %T as a mask", e)
	return code{}
}

// takesAnyWidth reports whether a mask is made of masks, so that their widths
// follow the wanted one.
func takesAnyWidth(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.Unary, *loop.Select:
		return true
	case *loop.Binary:
		return e.X.Type().Elem == tensor.Bool
	case *loop.Cast:
		return e.X.Type().Elem == tensor.Bool
	}
	return false
}

// maskOperators are the operators on two masks; -1 < 0, so that the order of the
// comparisons is reversed.
var maskOperators = map[ein.BinaryOp]struct {
	text  string
	level int
}{
	ein.And: {"&", levelBitAnd}, ein.Or: {"|", levelBitOr}, ein.Eq: {"==", levelEqual}, ein.Ne: {"!=", levelEqual},
	ein.Lt: {">", levelCompare}, ein.Le: {">=", levelCompare}, ein.Gt: {"<", levelCompare}, ein.Ge: {"<=", levelCompare},
	ein.Min: {"&", levelBitAnd}, ein.Max: {"|", levelBitOr},
}

// comparisonHelpers are the functions for vectors longer than a register.
var comparisonHelpers = map[ein.BinaryOp]string{
	ein.Lt: "less", ein.Le: "less_equal", ein.Gt: "greater", ein.Ge: "greater_equal", ein.Eq: "equal", ein.Ne: "not_equal",
}

func (k *kernel) maskBinary(e *loop.Binary, width int) code {
	t := e.X.Type()
	if isMask(t) {
		op, ok := maskOperators[e.Op]
		if !ok {
			fail("no C for operator %d on masks", e.Op)
		}
		c := binary(k.mask(e.X, width), op.text, k.mask(e.Y, width), op.level)
		if e.Op.IsComparison() {
			return k.comparison(loop.Type{Elem: signedTypes[width], Lanes: t.Lanes}, c)
		}
		return c
	}
	if limit, ok := rampLimit(e); ok {
		return k.rampMask(limit, t.Lanes, width)
	}
	if t.Lanes*t.Elem.Size() > k.unit.options.VectorBytes {
		return primary("%s(%s, %s)", k.unit.helper(comparisonHelpers[e.Op], t), k.text(e.X), k.text(e.Y))
	}
	op := infixOperators[e.Op]
	return k.comparison(t, k.infix(op.text, op.level, e.X, e.Y))
}

// comparison gives a comparison of vectors the type of its mask: compilers choose
// long where the printer says long long.
func (k *kernel) comparison(t loop.Type, c code) code {
	if t.Elem.Size() == 8 {
		return castTo(k.unit.maskType(8, t.Lanes), c)
	}
	return c
}

// rampLimit recognises "base + lane < limit", the mask of a tail, and returns
// limit and base.
func rampLimit(e *loop.Binary) ([2]loop.Expr, bool) {
	ramp, ok := e.X.(*loop.Ramp)
	limit, isBroadcast := e.Y.(*loop.Broadcast)
	if !ok || !isBroadcast || ramp.Stride != 1 || e.Op != ein.Lt {
		return [2]loop.Expr{}, false
	}
	return [2]loop.Expr{limit.X, ramp.Base}, true
}

// rampMask compares lane numbers with the number of lanes that are left, which
// takes a register where the int64 ramp would take several.
func (k *kernel) rampMask(limit [2]loop.Expr, lanes, width int) code {
	helper := k.unit.helper(fmt.Sprintf("first%d", 8*width), loop.Type{Elem: tensor.Int64, Lanes: lanes})
	return primary("%s(%s)", helper, k.text(&loop.Binary{Op: ein.Sub, X: limit[0], Y: limit[1]}))
}

// maskSelect blends two masks.
func (k *kernel) maskSelect(e *loop.Select, width int) code {
	a, b := k.mask(e.Then, width), k.mask(e.Else, width)
	if e.Cond.Type().Lanes == 1 {
		return conditional(k.expr(e.Cond), a, b)
	}
	helper := k.unit.helper("select", loop.Type{Elem: signedTypes[width], Lanes: e.Type().Lanes})
	return primary("%s(%s, %s, %s)", helper, k.mask(e.Cond, width).text, a.text, b.text)
}

// signedTypes are the integer element types by size.
var signedTypes = map[int]tensor.DType{1: tensor.Int8, 2: tensor.Int16, 4: tensor.Int32, 8: tensor.Int64}

// foldMask tells whether all (And, Min) or any (Or, Max) lanes are true.
func (k *kernel) foldMask(e *loop.Fold) code {
	name, ok := map[ein.BinaryOp]string{ein.And: "all", ein.Or: "any", ein.Min: "all", ein.Max: "any"}[e.Op]
	if !ok {
		fail("no C for a fold of a mask by operator %d", e.Op)
	}
	width := k.maskWidth(e.X)
	helper := k.unit.helper(name, loop.Type{Elem: signedTypes[width], Lanes: e.X.Type().Lanes})
	return primary("%s(%s)", helper, k.mask(e.X, width).text)
}
