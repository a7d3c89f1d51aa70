package call

import (
	"fmt"

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
	s := n.faults[number]
	d := &source.Diagnostic{Code: source.OutOfBounds, Span: s.In(k.def.Files), Message: fmt.Sprintf(s.Message, fault[1])}
	switch lo, hi := k.def.boundsOf(s, sizes); {
	case lo < hi:
		d.Message += fmt.Sprintf(", expected %d to %d", lo, hi-1)
	case hi != 0 || k.def.Func.Tensor(s.Tensor) != nil:
		d.Message += ", which has no elements"
	}
	return source.ErrorList{d.WithHelp("%s", ein.OutOfBoundsHelp(k.def.subscriptAt(s)))}
}

// boundsOf returns the range [lo, hi) of the subscript that a fault tests, in a call with these sizes.
func (d *Def) boundsOf(s plan.Fault, sizes map[string]int64) (lo, hi int64) {
	t := d.Func.Tensor(s.Tensor)
	if t == nil || s.Dim >= len(t.Dims) {
		return s.Lo, s.Hi
	}
	lo, errLo := t.Dims[s.Dim].Min.Eval(sizes)
	extent, errExtent := t.Dims[s.Dim].Extent.Eval(sizes)
	if errLo != nil || errExtent != nil {
		return s.Lo, s.Hi
	}
	return lo, lo + extent
}

// subscriptAt returns the subscript that a fault tests, or nil.
func (d *Def) subscriptAt(s plan.Fault) (subscript ein.Expr) {
	pos := s.In(d.Files)
	for _, c := range d.Func.Body {
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
