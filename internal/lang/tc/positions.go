package tc

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How positions in an unexpected order are noticed
//
// (v, r, c) argmax=! w(j)*A(i,j) gives r the value of j, which occurs first on the right. Who reads A(i,j) as
// row and column has them exchanged, and with A(i,j)*w(j) has not. So the order of the factors should not decide.

// warnPositionOrder warns where an access has all indices that are searched, in another order than the targets.
func (s *statement) warnPositionOrder() {
	reduced := s.reduced()
	if s.failed || len(reduced) < 2 {
		return
	}
	other := s.inOtherOrder(s.syntax.Value, reduced)
	if other == nil {
		return
	}
	var positions []string
	for n, t := range s.targets[len(s.targets)-len(reduced):] {
		positions = append(positions, t.Name+" is that of "+reduced[n].Name)
	}
	s.def.diags.Warnf(source.CodePositionOrder, other.Pos, "the positions are in the order in which the indices first occur on the right, which is not that of %s: %s",
		oneLine(other.Pos.Text()), strings.Join(positions, ", ")).
		WithHelp("begin the value with %s, and name the positions in its order", inLine(other.Pos.Text()))
}

// inOtherOrder finds an access with all indices that are searched, in another order, unless the value begins with it, or one that has
// them in the order of the targets.
func (s *statement) inOtherOrder(e syntax.Expr, reduced []*index) (found *syntax.Apply) {
	agreed := false
	var visit func(e syntax.Expr)
	visit = func(e syntax.Expr) {
		if a, ok := e.(*syntax.Apply); ok && s.def.symbols[a.Func.Name] != nil {
			if all, same := s.orderOf(a, reduced); all && same {
				agreed = true
			} else if all && found == nil {
				found = a
			}
		}
		for _, x := range operands(e) {
			visit(x)
		}
	}
	visit(e)
	if agreed {
		return nil
	}
	return found
}

// orderOf reports whether the subscripts of an access are led by all indices that are searched, one each, and whether in their order.
func (s *statement) orderOf(a *syntax.Apply, reduced []*index) (all, same bool) {
	var order []string
	for _, sub := range a.Args {
		for _, i := range reduced {
			if s.namesIn(sub)[i.Name] {
				order = append(order, i.Name)
			}
		}
	}
	if len(order) != len(reduced) {
		return false, false
	}
	same = true
	seen := map[string]bool{}
	for n, i := range reduced {
		same = same && order[n] == i.Name
		seen[order[n]] = true
	}
	return len(seen) == len(reduced), same
}
