package tc

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// joinScalars makes one number of an integer scalar input and a size of the same name, as in
// (int n, float(n) x): a call is refused where they differ, and the name is the size, which is at least 1.
func (d *def) joinScalars() {
	p := newProver(d)
	for _, s := range d.order {
		if d.sizes[s.Name] == nil || !s.isIntegerScalar() || s.value != nil {
			continue
		}
		value := d.scalarSize(s)
		p.requireEqual(value, affine.Symbol(s.Name), s.Pos, "the input "+s.Name+" has the name of a size, and must be equal to it")
		size := affine.Symbol(s.Name)
		s.value = &size
	}
	p.commit(d)
}

func (s *symbol) isIntegerScalar() bool {
	return s.scalar != nil && s.Type.IsInteger() && s.Type != tensor.Bool
}

// scalarDimension is the size of a dimension that is named like an integer scalar input: its value.
func (d *def) scalarDimension(name string) (size affine.Expr, ok bool) {
	s := d.symbols[name]
	if s == nil || !s.isIntegerScalar() {
		return affine.Expr{}, false
	}
	s.used = true
	return d.scalarSize(s), true
}
