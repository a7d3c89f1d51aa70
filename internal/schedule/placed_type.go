package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// OnlyRead reports whether none of some statements writes a tensor.
func OnlyRead(f *ein.Func, t *ein.Tensor, statements []int) bool {
	return t.Role == ein.Input || !slices.ContainsFunc(statements, func(s int) bool {
		return slices.ContainsFunc(f.Body[s].Writes, func(w *ein.Write) bool { return w.Tensor == t })
	})
}

// PlacedType is the type of the elements of a placed tensor. Where all of the active
// statements convert what they read of a tensor, and do not write, to one type, as they do with floats of 16
// bits, its copy has that type: every element is converted once, not for every use.
// Groups of narrow integers are multiplied as they are, and subscripts keep their type, whose range
// may be the proof that they are in bounds.
func PlacedType(root Node, f *ein.Func, t *ein.Tensor, active []int) tensor.DType {
	if !OnlyRead(f, t, active) || t.Type == tensor.Bool {
		return t.Type
	}
	var wanted []tensor.DType
	for _, s := range active {
		if c := f.Body[s]; readsAs(c, t, func(d tensor.DType) { wanted = append(wanted, d) }) && (multipliesGroups(root, s) || t.Type.IsInteger() && hasDataSubscripts(c)) {
			return t.Type
		}
	}
	if wanted = slices.Compact(wanted); len(wanted) != 1 || wanted[0] == tensor.Bool {
		return t.Type
	}
	return wanted[0]
}

// readsAs calls visit with the types that what a statement reads of a tensor has in its
// computation, and reports whether it reads any.
func readsAs(c *ein.Comprehension, t *ein.Tensor, visit func(tensor.DType)) (reads bool) {
	see := func(d tensor.DType) {
		reads = true
		visit(d)
	}
	var walk func(e ein.Expr) bool
	walk = func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.Cast:
			if a, ok := e.X.(*ein.Access); ok && a.Tensor == t {
				see(e.To.Compute())
				for _, sub := range a.Subscripts {
					ein.Walk(sub, walk)
				}
				return false
			}
		case *ein.Access:
			if e.Tensor == t {
				see(t.Type.Compute())
			}
		}
		return true
	}
	for k, v := range c.Values {
		if a, ok := v.(*ein.Access); ok && a.Tensor == t && len(ein.Reduced(c)) == 0 && c.Writes[k].Tensor.Type == t.Type {
			see(t.Type) // moved, and not computed with
		} else {
			ein.Walk(v, walk)
		}
	}
	for _, w := range c.Writes {
		for _, sub := range w.Subscripts {
			ein.Walk(sub, walk)
		}
	}
	return reads
}

// hasDataSubscripts reports whether a statement has subscripts that depend on elements of tensors.
func hasDataSubscripts(c *ein.Comprehension) (found bool) {
	for _, a := range c.Accesses() {
		for _, sub := range a.Subscripts {
			ein.Walk(sub, func(e ein.Expr) bool {
				switch e.(type) {
				case *ein.Access, *ein.LocalRef:
					found = true
				}
				return !found
			})
		}
	}
	return found
}

// multipliesGroups reports whether a loop over groups of a statement is in a subtree.
func multipliesGroups(n Node, s int) bool {
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			if _, ok := m.IndexOf(s); ok && m.Group > 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(Children(n), func(child Node) bool { return multipliesGroups(child, s) })
}
