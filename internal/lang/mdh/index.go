package mdh

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// static evaluates the expression of an extent or subscript. indices gives the
// dimensions that names stand for; a nil one stands for 0, because the index of a
// pw is 0 in an output.
func (c *instance) static(e syntax.Expr, indices map[string]*dimension) (affine.Expr, bool) {
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

func (c *instance) staticPart(e syntax.Expr, indices map[string]*dimension) (affine.Expr, bool) {
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
	}
	c.errorf(source.CodeMDHIndex, e.Span(), "this is not static").
		WithHelp("subscripts and extents are made of indices, sizes, whole numbers, + - * and, by a positive number, / and %%")
	return affine.Expr{}, false
}

func (c *instance) staticName(e *syntax.Ref, indices map[string]*dimension) (affine.Expr, bool) {
	if m, ok := indices[e.Name]; ok {
		if m == nil {
			return affine.Expr{}, true
		}
		return affine.Symbol(m.index.Name), true
	}
	if c.sizes[e.Name] != nil {
		c.used[e.Name] = true
		return affine.Symbol(e.Name), true
	}
	if k := c.constants[e.Name]; k != nil {
		if n, ok := k.Value.(*syntax.Number); ok {
			return c.staticPart(n, nil)
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
		d.WithHelp("declare the size among the parameters: %s<… | %s>", c.syntax.Name.Name, e.Name)
	}
	return affine.Expr{}, false
}

func (c *instance) staticBinary(e *syntax.Binary, indices map[string]*dimension) (affine.Expr, bool) {
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
		if n, ok := y.IsConst(); ok && n > 0 {
			return affine.Apply(affine.Op(e.Op), x, y), true
		}
		c.errorf(source.CodeMDHIndex, e.Y.Span(), "the divisor is %s, expected a positive number", y).
			WithHelp("with an index of its own for the remainder a division by a size is not needed: i * N + j")
		return affine.Expr{}, false
	}
	c.errorf(source.CodeMDHIndex, e.Pos, "%s does not give a subscript", e.Op).WithHelp("subscripts and extents are made of + - * / and %%")
	return affine.Expr{}, false
}

// subscript turns an affine expression over indices and sizes into one of ein.
// Terms that use no index become one size.
func (c *instance) subscript(e affine.Expr, span source.Span) ein.Expr {
	byName := map[string]*ein.Index{}
	for _, m := range c.dims {
		byName[m.index.Name] = m.index
	}
	return (&subscripter{byName, span}).expr(e)
}

type subscripter struct {
	indices map[string]*ein.Index
	span    source.Span
}

func (s *subscripter) usesIndex(e affine.Expr) bool {
	used := map[string]bool{}
	e.Symbols(used)
	for name := range used {
		if s.indices[name] != nil {
			return true
		}
	}
	return false
}

func (s *subscripter) binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr {
	if x == nil {
		return y
	}
	return &ein.Binary{Pos: s.span, Op: op, X: x, Y: y}
}

func (s *subscripter) expr(e affine.Expr) ein.Expr {
	var sum ein.Expr
	rest := e
	for _, t := range e.Terms() {
		term := affine.Const(t.Coefficient)
		var product ein.Expr
		free := affine.Const(t.Coefficient)
		for _, a := range t.Atoms {
			atom := atomOf(a)
			term = term.Mul(atom)
			if s.usesIndex(atom) {
				product = s.binary(ein.Mul, product, s.atom(a))
			} else {
				free = free.Mul(atom)
			}
		}
		if product == nil {
			continue
		}
		rest = rest.Sub(term)
		if n, ok := free.IsConst(); !ok || n != 1 {
			product = s.binary(ein.Mul, s.size(free), product)
		}
		sum = s.binary(ein.Add, sum, product)
	}
	if n, ok := rest.IsConst(); ok && n == 0 && sum != nil {
		return sum
	}
	return s.binary(ein.Add, sum, s.size(rest))
}

func (s *subscripter) size(e affine.Expr) ein.Expr {
	if n, ok := e.IsConst(); ok {
		return &ein.Const{Pos: s.span, DType: tensor.Int64, Bits: uint64(n)}
	}
	return &ein.SizeRef{Pos: s.span, Size: e}
}

func (s *subscripter) atom(a affine.Atom) ein.Expr {
	if a.Op == "" {
		return &ein.IndexRef{Pos: s.span, Index: s.indices[a.Symbol]}
	}
	op := map[affine.Op]ein.BinaryOp{affine.FloorDiv: ein.Div, affine.Mod: ein.Mod, affine.Min: ein.Min, affine.Max: ein.Max}[a.Op]
	return &ein.Binary{Pos: s.span, Op: op, X: s.expr(a.X), Y: s.expr(a.Y)}
}

func atomOf(a affine.Atom) affine.Expr {
	if a.Op == "" {
		return affine.Symbol(a.Symbol)
	}
	return affine.Apply(a.Op, a.X, a.Y)
}
