package schedule

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Foldable reports whether the lanes of vectors can accumulate for an operator that
// is associative and commutative: with one instruction, or by moving lanes, which
// bools have none of.
func Foldable(op *ein.Operator) bool {
	_, ok := ein.FoldOperator(op)
	return ok || !slices.Contains(op.Types(), tensor.Bool)
}

// Vectorisable returns why several values of an index cannot be computed at
// once, or "".
func Vectorisable(c *ein.Comprehension, index *ein.Index) string {
	_, scanOp, scan := ein.ScanOperator(c)
	if index.Combine.Kind == ein.Scan && (!scan || slices.Contains(scanOp.Types(), tensor.Bool)) { // masks have no lanes that move
		return "a scan goes from point to point"
	}
	if _, free := ein.ReductionOperator(c); !free && index.Combine.Kind == ein.Reduce {
		return "its reduction has a fixed order"
	}
	depends := func(e ein.Expr) bool { return ein.DependsOn(e, index) }
	why := ""
	var visit func(e ein.Expr, guarded bool)
	visit = func(e ein.Expr, guarded bool) {
		if a, ok := e.(*ein.Access); ok && a.Checked {
			for d, sub := range a.Subscripts {
				if ein.InBounds(c, a, d) || !guarded && !depends(sub) {
					continue
				}
				if n, known := a.Tensor.Dims[d].Extent.IsConst(); !known || n < 1 {
					why = fmt.Sprintf("the tested access to %s depends on it, and its size is not known", a.Tensor.Name)
				} else if _, linear := ein.AffineOf(sub); linear { // a copy has room for the points that it names, and not for what stands in for others
					why = fmt.Sprintf("the tested access to %s depends on it by a subscript that reads no data", a.Tensor.Name)
				}
			}
		}
		if s, ok := e.(*ein.Select); ok && depends(s.Cond) {
			visit(s.Cond, guarded)
			visit(s.Then, true)
			visit(s.Else, true)
			return
		}
		for _, child := range ein.Children(e) {
			visit(child, guarded)
		}
	}
	for _, v := range c.Values {
		visit(v, false)
	}
	return why
}

// SmallestSquare is how many points of a tile must be neighbours in a row of the results
// for vectors across the rows to be transposed on their way.
const SmallestSquare = 4
