package mdh

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// static evaluates the expression of an extent or subscript. indices gives
// what names stand for: the symbol of a dimension, or the image of its index set.
func (c *instance) static(e syntax.Expr, indices map[string]affine.Expr) (affine.Expr, bool) {
	x, ok := c.staticPart(e, indices)
	return x, ok && c.fits(x, e.Span())
}

// fits reports an expression with numbers beyond 64 bits, for which affine has a
// symbol that nothing declares.
func (c *instance) fits(x affine.Expr, span source.Span) bool {
	used := map[string]bool{}
	x.Symbols(used)
	for name := range used {
		if !affine.IsWord(name) {
			c.errorf(source.CodeMDHIndex, span, "a number in the expression is beyond 64 bits").WithHelp("use smaller strides and offsets")
			return false
		}
	}
	return true
}

func (c *instance) staticPart(e syntax.Expr, indices map[string]affine.Expr) (affine.Expr, bool) {
	switch e := e.(type) {
	case *syntax.Number:
		n, err := strconv.ParseInt(e.Text, 0, 64)
		if err != nil {
			c.errorf(source.CodeMDHIndex, e.Pos, "%s is no whole number", e.Text).WithHelp("subscripts and extents are integers")
			return affine.Expr{}, false
		}
		return affine.Const(n), true
	case *syntax.Ref:
		return c.staticName(e, indices)
	case *syntax.Unary:
		x, ok := c.staticPart(e.X, indices)
		if e.Op == "-" {
			return x.Scale(-1), ok
		}
	case *syntax.Binary:
		return c.staticBinary(e, indices)
	case *syntax.Numbered:
		if x, ok, is := c.staticTable(e, indices); is {
			return x, ok
		}
	case *syntax.Call:
		if op := affine.Op(e.Name.Name); (op == affine.Min || op == affine.Max) && len(e.Args) == 2 {
			x, okX := c.staticPart(e.Args[0], indices)
			y, okY := c.staticPart(e.Args[1], indices)
			return affine.Apply(op, x, y), okX && okY
		}
	}
	c.errorf(source.CodeMDHIndex, e.Span(), "this is not static").
		WithHelp("subscripts and extents are made of indices, sizes, whole numbers, + - *, min, max and, by positive numbers and sizes, / and %%")
	return affine.Expr{}, false
}

func (c *instance) staticName(e *syntax.Ref, indices map[string]affine.Expr) (affine.Expr, bool) {
	if x, ok := indices[e.Name]; ok {
		return x, true
	}
	if c.sizes[e.Name] != nil {
		c.used[e.Name] = true
		return affine.Symbol(e.Name), true
	}
	if k := c.constants[e.Name]; k != nil {
		if n, ok := k.Value.(*syntax.Number); ok {
			return c.staticPart(n, nil)
		}
		if _, ok := k.Value.(*syntax.Table); ok {
			stop(c.errorf(source.CodeMDHIndex, e.Pos, "%s is a table", e.Name).WithNote(k.Pos, "%s is declared here", e.Name).WithHelp("take one of its numbers: %s[k]", e.Name))
		}
		c.errorf(source.CodeMDHIndex, e.Pos, "the constant %s is no whole number", e.Name).WithNote(k.Pos, "%s is declared here", e.Name).
			WithHelp("subscripts and extents are integers")
		return affine.Expr{}, false
	}
	var known []string
	for name := range indices {
		known = append(known, name)
	}
	for _, s := range c.fn.Sizes {
		known = append(known, s.Name)
	}
	d := c.errorf(source.CodeMDHName, e.Pos, "%s is neither an index nor a size", e.Name)
	if near := source.Suggest(e.Name, known); near != "" {
		d.WithHelp("did you mean %s?", near)
	} else {
		d.WithHelp("%sdeclare the size among the parameters: %s", indicesSay(indices), c.parametersWith(e.Name))
	}
	return affine.Expr{}, false
}

// indicesSay names the indices that a message may be about.
func indicesSay(indices map[string]affine.Expr) string {
	if len(indices) == 0 {
		return ""
	}
	return "the indices here are " + strings.Join(slices.Sorted(maps.Keys(indices)), ", ") + "; if a size is meant, "
}

func (c *instance) staticBinary(e *syntax.Binary, indices map[string]affine.Expr) (affine.Expr, bool) {
	x, okX := c.staticPart(e.X, indices)
	y, okY := c.staticPart(e.Y, indices)
	if !okX || !okY {
		return affine.Expr{}, false
	}
	switch e.Op {
	case "+":
		return x.Add(y), true
	case "-":
		return x.Sub(y), true
	case "*":
		return x.Mul(y), true
	case "/", "%":
		if c.isPositive(y) {
			return affine.Apply(affine.Op(e.Op), x, y), true
		}
		c.errorf(source.CodeMDHIndex, e.Y.Span(), "the divisor is %s, expected a number or sizes that are at least 1", y).
			WithHelp("sizes are at least 1, and so are their sums and products: (i + 1) %% N is the next element around; with an index of its own for the remainder no division is needed: i * N + j")
		return affine.Expr{}, false
	}
	if n, ok := y.IsConst(); ok && n >= 0 && n < 62 {
		switch {
		case e.Op == "<<":
			return x.Scale(1 << n), true
		case e.Op == ">>":
			return affine.Div(x, affine.Const(1<<n)), true
		}
	}
	if n, ok := y.IsConst(); ok && e.Op == "&" && n >= 0 && n&(n+1) == 0 && n < 1<<62 {
		return affine.Rem(x, affine.Const(n+1)), true
	}
	c.errorf(source.CodeMDHIndex, e.Pos, "%s does not give a subscript", e.Op).WithHelp("subscripts and extents are made of + - * / and %%, of << and >> by numbers, and of & with 2^n - 1")
	return affine.Expr{}, false
}

// isPositive reports whether an expression of numbers and sizes alone is at least 1.
func (c *instance) isPositive(e affine.Expr) bool {
	used := map[string]bool{}
	e.Symbols(used)
	for name := range used {
		if c.sizes[name] == nil {
			return false
		}
	}
	return c.facts.Proves(e.AddConst(-1))
}

// subscript turns an affine expression over indices and sizes into one of ein.
// Terms that use no index become one size.
func (c *instance) subscript(e affine.Expr, span source.Span) ein.Expr {
	byName := map[string]*ein.Index{}
	for _, m := range c.loops() {
		byName[m.index.Name] = m.index
	}
	stands := map[*ein.Index]*lookup{}
	for _, l := range c.lookups {
		i := &ein.Index{Name: l.symbol}
		byName[l.symbol], stands[i] = i, l
	}
	x := ein.FromAffine(c.inLoops(e), byName, span)
	if len(stands) == 0 {
		return x
	}
	return ein.Map(x, func(x ein.Expr) ein.Expr {
		if ref, ok := x.(*ein.IndexRef); ok && stands[ref.Index] != nil {
			return c.lookedUp(stands[ref.Index], span)
		}
		return x
	})
}

// parametersWith writes the computation's name and parameters with one size more.
func (c *instance) parametersWith(size string) string {
	types := ""
	if len(c.syntax.Types) > 0 {
		types = "… | "
	}
	var sizes []string
	for _, s := range c.syntax.Sizes {
		sizes = append(sizes, s.Name)
	}
	return c.syntax.Name.Name + "<" + types + strings.Join(append(sizes, size), ", ") + ">"
}
