package ein

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
)

// Specialise returns a deep copy for known sizes: every size is replaced by its
// value, except those in keep, which stay symbolic. Conditions that became true
// are dropped; a range that may be empty and is gets the extent 0. The values
// are those of Bind; a size that is neither known nor kept is an internal error.
func (f *Func) Specialise(sizes map[string]int64, keep map[string]bool) (*Func, error) {
	s := &specialiser{values: map[string]int64{}, env: map[string]affine.Expr{}}
	for _, size := range f.Sizes {
		if keep[size.Name] {
			continue
		}
		v, ok := sizes[size.Name]
		if !ok {
			return nil, source.Internalf("specialise", size.Pos, "%s: the size %s has no value", f.Name, size.Name)
		}
		s.values[size.Name], s.env[size.Name] = v, affine.Const(v)
	}
	g := newCopier(s.extent).function(f)
	if s.err != nil {
		return nil, source.Internalf("specialise", f.Pos, "%s: %w", f.Name, s.err)
	}
	g.Sizes = slices.DeleteFunc(g.Sizes, func(size *Size) bool { return !keep[size.Name] })
	if err := g.dropConstantConditions(); err != nil {
		return nil, err
	}
	for _, c := range g.Body {
		for _, i := range c.Indices {
			if n, ok := i.Extent.IsConst(); ok && n < 0 && i.MayBeEmpty {
				i.Extent = affine.Const(0)
			}
		}
	}
	return g, nil
}

type specialiser struct {
	values map[string]int64
	env    map[string]affine.Expr
	err    error
}

// extent evaluates what is known completely: Eval is exact, where arithmetic on
// coefficients could overflow.
func (s *specialiser) extent(e affine.Expr) affine.Expr {
	symbols := map[string]bool{}
	e.Symbols(symbols)
	for name := range symbols {
		if _, ok := s.values[name]; !ok {
			return e.Subst(s.env)
		}
	}
	v, err := e.Eval(s.values)
	if err != nil && s.err == nil {
		s.err = err
	}
	return affine.Const(v)
}

func (g *Func) dropConstantConditions() error {
	var open []*Condition
	for _, r := range g.Requires {
		v, known := r.Expr.IsConst()
		if known && v < 0 {
			return source.Internalf("specialise", r.Pos, "%s: the condition of %q is violated by %d", g.Name, r.Reason, v)
		}
		if !known {
			open = append(open, r)
		}
	}
	g.Requires = open
	return nil
}

// Shapes returns the extents of every tensor for known sizes.
func (f *Func) Shapes(sizes map[string]int64) (map[string][]int64, error) {
	shapes := map[string][]int64{}
	for _, t := range f.Tensors {
		shape := make([]int64, len(t.Dims))
		for i, d := range t.Dims {
			v, err := d.Extent.Eval(sizes)
			if err == nil && v < 0 {
				err = fmt.Errorf("it is %s = %d", d.Extent, v)
			}
			if err != nil {
				return nil, source.Internalf("shapes", t.Pos, "the extent of dimension %d of %s: %w", i, t.Name, err)
			}
			shape[i] = v
		}
		shapes[t.Name] = shape
	}
	return shapes, nil
}
