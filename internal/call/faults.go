package call

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
)

// faultError explains a failed test.
func (n *native) faultError(k *Kernel, fault [2]int64, sizes map[string]int64) error {
	number := fault[0] - 1
	if number < 0 || number >= int64(len(n.faults)) {
		return source.Internalf("kernel", k.def.Pos, "%s failed at an unknown place %d", k.def.Name, number)
	}
	return source.ErrorList{FaultOf(k.def.Def, n.faults[number], sizes, fault[1])}
}

// FaultOf explains a test of a def that a subscript has failed, in a call with these sizes; without those that decide it
// nothing is said of what is expected.
func FaultOf(def *compile.Def, s plan.Fault, sizes map[string]int64, subscript int64) *source.Diagnostic {
	d := &source.Diagnostic{Code: source.OutOfBounds, Span: s.In(def.Files), Message: fmt.Sprintf(s.Message, subscript)}
	switch lo, hi, known := boundsOf(def, s, sizes); {
	case !known:
	case lo < hi:
		d.Message += fmt.Sprintf(", expected %d to %d", lo, hi-1)
	default:
		d.Message += ", which has no elements"
	}
	return d.WithHelp("%s", ein.OutOfBoundsHelp(subscriptAt(def, s)))
}

// boundsOf returns the range [lo, hi) of the subscript that a fault tests, in a call with these sizes.
func boundsOf(def *compile.Def, s plan.Fault, sizes map[string]int64) (lo, hi int64, known bool) {
	t := def.Func.Tensor(s.Tensor)
	if t == nil || s.Dim >= len(t.Dims) {
		return s.Lo, s.Hi, s.Hi != 0
	}
	lo, errLo := t.Dims[s.Dim].Min.Eval(sizes)
	extent, errExtent := t.Dims[s.Dim].Extent.Eval(sizes)
	return lo, lo + extent, errLo == nil && errExtent == nil
}

// subscriptAt returns the subscript that a fault tests, or nil.
func subscriptAt(def *compile.Def, s plan.Fault) (subscript ein.Expr) {
	pos := s.In(def.Files)
	for _, c := range def.Func.Body {
		for _, value := range c.Values {
			ein.Walk(value, func(e ein.Expr) bool {
				if access, ok := e.(*ein.Access); ok && access.Pos == pos && s.Dim < len(access.Subscripts) {
					subscript = access.Subscripts[s.Dim]
				}
				return subscript == nil
			})
		}
	}
	return subscript
}
