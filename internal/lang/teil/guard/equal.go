package guard

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// equated returns a program in which sizes that the conditions make equal are written in one way: TeIL
// unifies no sizes, so that otherwise the program would have no type by itself.
func equated(p *syntax.Program, conditions []*ein.Condition) *syntax.Program {
	for n, c := range conditions {
		for _, d := range conditions[:n] {
			if !c.Expr.Add(d.Expr).Equal(affine.Expr{}) {
				continue
			}
			if name, size, ok := solved(c.Expr); ok {
				replace := map[string]affine.Expr{name: size}
				p = withSizes(p, func(x affine.Expr) affine.Expr { return x.Subst(replace) })
				var rest []*ein.Condition
				for _, other := range conditions {
					if changed := *other; other != c && other != d {
						changed.Expr = other.Expr.Subst(replace)
						rest = append(rest, &changed)
					}
				}
				return equated(p, rest)
			}
		}
	}
	return p
}

// solved returns a size that an equation e = 0 determines, as a sum of others.
func solved(e affine.Expr) (name string, size affine.Expr, ok bool) {
	symbols := map[string]bool{}
	e.Symbols(symbols)
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		coefficient, rest, linear := e.Linear(name)
		if !linear || coefficient != 1 && coefficient != -1 {
			continue
		}
		size := rest.Scale(-coefficient)
		if !slices.ContainsFunc(size.Terms(), func(t affine.Term) bool { return t.Coefficient < 0 }) {
			return name, size, true
		}
	}
	return "", affine.Expr{}, false
}

// withSizes changes all sizes of a program.
func withSizes(p *syntax.Program, change func(affine.Expr) affine.Expr) *syntax.Program {
	all := func(sizes []syntax.Size) []syntax.Size {
		list := slices.Clone(sizes)
		for n := range list {
			list[n].Value = change(list[n].Value)
		}
		return list
	}
	changed := *p
	changed.Allocs, changed.Statements = nil, nil
	for _, a := range p.Allocs {
		b := *a
		b.Dims = all(a.Dims)
		changed.Allocs = append(changed.Allocs, &b)
	}
	for _, s := range p.Statements {
		t := *s
		t.Value = syntax.Map(s.Value, func(e syntax.Expr) syntax.Expr {
			if o, ok := e.(*syntax.Operation); ok {
				c := *o
				c.Args = all(o.Args)
				return &c
			}
			return e
		})
		changed.Statements = append(changed.Statements, &t)
	}
	return &changed
}
