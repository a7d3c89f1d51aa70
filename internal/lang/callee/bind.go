package callee

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How sizes are found
//
// A dimension of the callee that is a size has the value of the first argument that has
// it. A size that is in no dimension alone, as P in P + R - 1, is solved for when the
// others are known. Only then is shown, of all dimensions, that they have the extents that
// follow.

// A Dimension is an extent of the callee, and what stands for it in the call.
type Dimension struct {
	Declared, Actual affine.Expr
	At               source.Span
	What             string // it is, such as "dimension 1 of A"
}

// SetSize gives a size of the callee its value: that of an integer scalar.
func (c *Call) SetSize(name string, value affine.Expr) { c.sizes[name] = value }

// Dimension notes an extent of an argument.
func (c *Call) Dimension(d Dimension) { c.dimensions = append(c.dimensions, d) }

// Solve finds the sizes from the dimensions of the arguments, then from those of results,
// and returns the sizes that are decided by neither.
func (c *Call) Solve(results []Dimension) (unknown []*ein.Size) {
	for _, list := range [][]Dimension{c.dimensions, results} {
		for _, d := range list {
			if name, ok := d.Declared.IsSymbol(); ok && c.isOpen(name) {
				c.sizes[name] = d.Actual
			}
		}
		for again := true; again; {
			again = false
			for _, d := range list {
				again = c.solve(d) || again
			}
		}
	}
	for _, z := range c.Def.Func.Sizes {
		if c.isOpen(z.Name) {
			unknown = append(unknown, z)
		}
	}
	return unknown
}

// isOpen reports whether a name is a size of the callee without a value.
func (c *Call) isOpen(name string) bool {
	_, known := c.sizes[name]
	for _, z := range c.Def.Func.Sizes {
		if z.Name == name {
			return !known
		}
	}
	return false
}

// solve finds the only size of an extent that is not known yet.
func (c *Call) solve(d Dimension) bool {
	open, used := "", map[string]bool{}
	d.Declared.Symbols(used)
	for name := range used {
		if c.isOpen(name) {
			if open != "" {
				return false
			}
			open = name
		}
	}
	coefficient, rest, ok := d.Declared.Linear(open)
	if open == "" || !ok || coefficient == 0 {
		return false
	}
	value := d.Actual.Sub(rest.Subst(c.sizes))
	if coefficient < 0 {
		coefficient, value = -coefficient, value.Scale(-1)
	}
	if coefficient > 1 {
		value = affine.Div(value, affine.Const(coefficient))
	}
	c.sizes[open] = value
	return true
}

// Show shows that the arguments have the extents that the callee declares, and its sizes
// the least values that it takes for granted.
func (c *Call) Show() bool {
	for _, d := range c.dimensions {
		expected := d.Declared.Subst(c.sizes)
		reason := fmt.Sprintf("%s in the call of %s must be %s, which is %s there", d.What, c.Name(), expected, d.Declared)
		if expected.Equal(d.Declared) {
			reason = fmt.Sprintf("%s in the call of %s must be %s", d.What, c.Name(), d.Declared)
		}
		if c.Prover.RequireEqual(d.Actual, expected, d.At, reason) == affine.Never {
			c.Report(source.CodeCallShapes, d.At, "%s is %s, but the call of %s needs %s", d.What, d.Actual, c.Name(), expected).
				WithNote(c.Def.Pos, "%s", Signature(c.Def)).
				WithHelp("dimensions to which %s gives one name are equal: pass tensors of such shapes, or give them names of their own there", c.Name())
			return false
		}
	}
	return c.showSizes()
}

// showSizes shows that sizes are as large as the callee takes for granted.
func (c *Call) showSizes() bool {
	for _, z := range c.Def.Func.Sizes {
		if z.Dim == ein.ScalarValue {
			continue
		}
		least := int64(1)
		if z.MayBeZero {
			least = 0
		}
		value := c.sizes[z.Name]
		reason := fmt.Sprintf("the size %s in the call of %s is at least %d", z.Name, c.Name(), least)
		if c.Prover.Require(value.AddConst(-least), c.At, reason) == affine.Never {
			c.Report(source.CodeCallShapes, c.At, "the size %s in the call of %s is %s, and must be at least %d", z.Name, c.Name(), value, least).
				WithNote(c.Def.Pos, "%s", Signature(c.Def)).
				WithHelp("pass tensors that are large enough for it")
			return false
		}
	}
	return true
}

// Undecided reports a size that neither arguments nor results decide; help says how the shape of a
// result is given.
func (c *Call) Undecided(z *ein.Size, help string) {
	ofResult := false
	for _, t := range c.Def.Func.Outputs() {
		for _, dim := range t.Dims {
			ofResult = ofResult || dim.Extent.Uses(z.Name)
		}
	}
	if !ofResult {
		c.Report(source.CodeCallShapes, c.At, "the size %s of %s is not decided by the arguments, and no result has it", z.Name, c.Name()).
			WithNote(z.Pos, "%s is declared here", z.Name).
			WithHelp("a step of a composition of MDH can say it: %s<…>(…); or let the def take it as an argument, or from the dimension of one", c.Name())
		return
	}
	c.Report(source.CodeCallShapes, c.At, "the size %s of a result of %s is not decided by the arguments", z.Name, c.Name()).
		WithNote(z.Pos, "%s is declared here", z.Name).
		WithHelp("%s", help)
}
