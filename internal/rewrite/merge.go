package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// mergeInitialisation turns "C = identity; …; C ⊕= values" into "C = ⊕ values"
// when the statements between do not use C and both write the same elements.
func mergeInitialisation(f *ein.Func) bool {
	for at, c := range f.Body {
		if c.Accumulate == nil || len(c.Writes) != 1 || !isFold(c) || reads(c, c.Writes[0].Tensor) > 1 {
			continue
		}
		t := c.Writes[0].Tensor
		for before := at - 1; before >= 0; before-- {
			init := f.Body[before]
			if initialises(init, c) {
				c.Accumulate = nil
				f.Body = slices.Delete(f.Body, before, before+1)
				return true
			}
			if reads(init, t) > 0 || writes(init, t) {
				break
			}
		}
	}
	return false
}

// isFold reports whether all reductions are folds with the operator that joins
// the old value; there is at least one.
func isFold(c *ein.Comprehension) bool {
	folds := 0
	for _, i := range c.Indices {
		if i.Combine.Kind == ein.Concat {
			continue
		}
		if i.Combine.Kind != ein.Reduce || !sameOperator(i.Combine.Op, c.Accumulate) || !i.Combine.Op.Commutative {
			return false
		}
		folds++
	}
	return folds > 0
}

func sameOperator(a, b *ein.Operator) bool {
	return a == b || a.Kind != ein.UserDefined && a.Kind == b.Kind && slices.Equal(a.Types(), b.Types())
}

// initialises reports whether a statement stores the identity of c's operator in
// exactly the elements that c writes.
func initialises(init, c *ein.Comprehension) bool {
	if init.Accumulate != nil || len(init.Writes) != 1 || init.Writes[0].Tensor != c.Writes[0].Tensor || c.Accumulate.Identity == nil {
		return false
	}
	value, ok := init.Values[0].(*ein.Const)
	identity, okIdentity := c.Accumulate.Identity[0].(*ein.Const)
	if !ok || !okIdentity || value.Bits != identity.Bits || len(init.ByKind(ein.Concat)) != len(init.Indices) {
		return false
	}
	return sameElements(init, c)
}

// sameElements reports whether the single writes of two statements go to the same
// elements: equal subscripts after renaming, over equal ranges.
func sameElements(a, b *ein.Comprehension) bool {
	concat := b.ByKind(ein.Concat)
	if len(a.Indices) != len(concat) {
		return false
	}
	env := map[*ein.Index]ein.Expr{}
	used := map[*ein.Index]bool{}
	for d, sub := range a.Writes[0].Subscripts {
		x, okX := sub.(*ein.IndexRef)
		y, okY := b.Writes[0].Subscripts[d].(*ein.IndexRef)
		if !okX || !okY {
			continue
		}
		if used[y.Index] || !x.Index.Min.Equal(y.Index.Min) || !x.Index.Extent.Equal(y.Index.Extent) {
			return false
		}
		env[x.Index], used[y.Index] = y, true
	}
	for _, i := range a.Indices {
		if env[i] == nil {
			return false // an index that no subscript is alone
		}
	}
	for _, i := range concat {
		if !used[i] {
			return false
		}
	}
	return samePlace(substituteAll(a.Writes[0].Subscripts, env), b.Writes[0].Subscripts)
}
