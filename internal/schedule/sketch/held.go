package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How results stay with the item that has them
//
// What one statement leaves for others of the same launch, point by point, an item may have in registers: results of a product that get a bias and go through a
// function are not stored before, and tensors that nobody else knows have no memory at all.

// passed lists the tensors that statements leave for later ones at the same point, one after the other; temporary leaves out those that others know, too.
func (x *subject) passed(temporary bool) (list []*ein.Tensor) {
	for _, n := range x.nests[:len(x.nests)-1] {
		for _, w := range n.c.Writes {
			if !slices.Contains(list, w.Tensor) && len(w.Tensor.Dims) > 0 && x.isPassed(w.Tensor) && (!temporary || x.isInside(w.Tensor)) {
				list = append(list, w.Tensor)
			}
		}
	}
	return list
}

// isPassed reports whether a tensor is set by the first statement that knows it, and found by others at the point where they are.
func (x *subject) isPassed(t *ein.Tensor) bool {
	users := 0
	for _, n := range x.nests {
		reads := n.c.Accumulate != nil
		var uses [][]ein.Expr
		for _, a := range n.c.Accesses() {
			if a.Tensor == t && len(n.reduced) > 0 {
				return false // also where there are no points
			}
			if a.Tensor == t {
				reads, uses = true, append(uses, a.Subscripts)
			}
		}
		writes := false
		for _, w := range n.c.Writes {
			if w.Tensor == t {
				writes, uses = true, append(uses, w.Subscripts)
			}
		}
		if len(uses) == 0 {
			continue
		}
		if users++; users == 1 && (reads || !writes) || slices.ContainsFunc(uses, func(u []ein.Expr) bool { return !n.isAtPoint(u) }) {
			return false
		}
	}
	return users > 1
}

// isAtPoint reports whether subscripts are the results of a statement, each one once, in the order of the others.
func (n *nest) isAtPoint(subscripts []ein.Expr) bool {
	at := 0
	for _, sub := range subscripts {
		i, shift, linear := schedule.IndexPlusConstant(n.c, sub)
		switch {
		case !linear || shift != 0:
			return false
		case slices.Contains(n.single, i):
		case at == len(n.results) || n.results[at] != i:
			return false
		default:
			at++
		}
	}
	return at == len(n.results)
}

// isInside reports whether no other statement knows a tensor.
func (x *subject) isInside(t *ein.Tensor) bool {
	first, last := x.nests[0].statement, x.nests[len(x.nests)-1].statement
	for s, c := range x.f.Body {
		if (s < first || s > last) && slices.Contains(tensorsOf(c), t) {
			return false
		}
	}
	return t.Role == ein.Temp
}

// isPlain reports whether a statement reads nothing by subscripts that are tested or not affine, so that it may be computed by vectors.
func (n *nest) isPlain() bool {
	return len(n.reduced) == 0 && !slices.ContainsFunc(n.c.Accesses(), func(a *ein.Access) bool {
		return a.Checked || slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool { _, affine := ein.AffineOf(sub); return !affine })
	})
}

// held places tensors in registers.
func held(list []*ein.Tensor, within schedule.Node) schedule.Node {
	for _, t := range list {
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Register, Child: within}
	}
	return within
}
