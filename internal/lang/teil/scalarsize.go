package teil

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How sizes that are values of scalars work
//
// An integer scalar that is an input may stand in sizes: alloc m : int32 [] in, and then
// proj 1 (m + 1) A. It is a name like the other sizes, but of any value, also a negative one: what a rule
// needs of it is a condition that a call tests. The rules know names of sizes only, and no values;
// so they, and the proofs, hold for whatever the scalar is.

// scalarSizes returns the allocations whose values may be sizes.
func scalarSizes(p *syntax.Program) map[string]bool {
	names := map[string]bool{}
	for _, a := range p.Allocs {
		if element, ok := elementType(a.Type); ok && len(a.Dims) == 0 && a.Mark == syntax.In && element.IsInteger() {
			names[a.Name.Name] = true
		}
	}
	return names
}

// useSize notes a name that stands in a size; one of a dimension is at least 1. It returns
// false for a name in an expression that is no size.
func (p *program) useSize(name string, pos source.Span, dimension bool) bool {
	if _, known := p.sizes[name]; known {
		return true
	}
	scalar := p.scalars[name]
	if !dimension && !scalar {
		return false
	}
	p.sizes[name] = pos
	p.typing.Sizes = append(p.typing.Sizes, syntax.Name{Pos: pos, Name: name})
	if !scalar {
		p.typing.Context.Facts.AtLeast(name, 1)
	}
	return true
}

// isScalarSize reports whether a size of the program is the value of a scalar.
func (t *Typing) isScalarSize(size string) bool { return t.Program.Alloc(size) != nil }

// bindScalars gives the sizes of the callee that are values of scalars what the arguments are: numbers,
// or such sizes of the caller.
func (c *inlining) bindScalars(in []*syntax.Alloc) bool {
	for n, a := range in {
		name := a.Name.Name
		if !c.callee.usesSize(name) {
			continue
		}
		switch e := c.args[n].(type) {
		case *syntax.Number:
			if number, err := numberOf(e.Text, c.callee.Elements[name]); err == nil {
				c.sizes[name] = affine.Const(number.Int())
				continue
			}
		case *syntax.Var:
			if c.scalars[e.Name] && c.useSize(e.Name, e.Pos, false) {
				c.sizes[name] = affine.Symbol(e.Name)
				continue
			}
		}
		return c.failWith("the argument is a number, or an integer scalar that is an input", c.call.Args[n].Span(), "%s of %s is a size there, and the argument is computed", name, c.callee.Name)
	}
	return true
}

// isOnlySize reports whether a scalar of the callee is a size, and read nowhere.
func (c *inlining) isOnlySize(a *syntax.Alloc) bool {
	return c.callee.usesSize(a.Name.Name) && !slices.ContainsFunc(c.callee.Program.Statements, func(s *syntax.Statement) bool {
		return slices.Contains(syntax.Reads(s.Value), a.Name.Name)
	})
}

func (t *Typing) usesSize(name string) bool {
	for _, s := range t.Sizes {
		if s.Name == name {
			return true
		}
	}
	return false
}
