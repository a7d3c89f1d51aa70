package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How tables are read
//
// A table is known when a program is compiled, so what it gives at a number is a number:
// an index that subscripts a table is written out where it has few values (writeout.go), and
// index functions stay affine. Elsewhere, as in x: (i) -> (i + shift[i % 4]), a lookup is a
// symbol of its own in affine expressions, of which the range is known, and a choice between
// the numbers in ein. Outputs need the first form, because the cells that they write must be
// told apart.

// maxTable bounds a table that is subscripted by what is no number, and an index that is
// written out.
const maxTable = 64

// A lookup is a number of a table at an index that is no number.
type lookup struct {
	symbol string
	index  affine.Expr
	cases  []int64
}

// box is the range of the numbers.
func (l *lookup) box() affine.Range {
	least, most := slices.Min(l.cases), slices.Max(l.cases)
	return affine.Range{Symbol: l.symbol, Min: affine.Const(least), Extent: affine.Const(most - least + 1)}
}

// tableRead takes table[x][y] apart; ok is false where the name is of no table.
func (c *compiler) tableRead(e *syntax.Numbered) (k *syntax.Constant, subscripts []syntax.Expr, ok bool) {
	for {
		subscripts = append([]syntax.Expr{e.Number}, subscripts...)
		switch x := e.X.(type) {
		case *syntax.Numbered:
			e = x
		case *syntax.Ref:
			k = c.constants[x.Name]
			if k == nil {
				return nil, nil, false
			}
			_, ok = k.Value.(*syntax.Table)
			return k, subscripts, ok
		default:
			return nil, nil, false
		}
	}
}

// items lists what a table has at a subscript that is checked to be in it.
func (c *instance) items(e syntax.Expr, at *syntax.Numbered) []syntax.Expr {
	t, ok := e.(*syntax.Table)
	if !ok {
		stop(c.errorf(source.CodeMDHCount, at.Pos, "%s has more subscripts than the table has levels", shortText(at.Pos)).WithNote(e.Span(), "this is a number").
			WithHelp("write one subscript for each level of brackets"))
	}
	if len(t.Items) == 0 {
		stop(c.errorf(source.CodeMDHCount, t.Pos, "the table is empty").WithHelp("a table has at least one number"))
	}
	return t.Items
}

// inTable proves that a subscript is one of a table, or makes that a condition.
func (c *instance) inTable(index affine.Expr, length int, at source.Span) {
	lo, hi, ok := c.facts.Extremes(index, c.box())
	if !ok {
		stop(c.errorf(source.CodeMDHIndex, at, "no bounds are known for the subscript %s of a table", index).WithHelp("use each index once, and only products of an index and sizes"))
	}
	for _, room := range []affine.Expr{lo, affine.Const(int64(length) - 1).Sub(hi)} {
		switch c.facts.Sign(room) {
		case affine.Always:
		case affine.Never:
			stop(c.errorf(source.CodeMDHExtent, at, "the subscript %s is from %s to %s, and the table has the subscripts 0 to %d", index, lo, hi, length-1).
				WithHelp("count from 0, and keep the subscript in the table, as by %% or min"))
		default:
			c.require(room, at, fmt.Sprintf("the subscript %s of a table of %d", index, length))
			c.facts.Assume(room)
		}
	}
}

// staticTable evaluates a number of a table in an index function; is reports whether it is
// one.
func (c *instance) staticTable(e *syntax.Numbered, indices map[string]affine.Expr) (x affine.Expr, ok, is bool) {
	k, subscripts, is := c.tableRead(e)
	if !is {
		return affine.Expr{}, false, false
	}
	level := []syntax.Expr{k.Value} // what the lookups before may have given
	var index affine.Expr
	for _, s := range subscripts {
		at, known := c.staticPart(s, indices)
		if !known {
			return affine.Expr{}, false, true
		}
		n, isNumber := at.IsConst()
		if !isNumber && len(level) > 1 {
			stop(c.errorf(source.CodeMDHIndex, s.Span(), "two subscripts of %s are no numbers", k.Name.Name).WithHelp("write an index that subscripts it as a size of md_hom with a number"))
		}
		var next []syntax.Expr
		for _, one := range level {
			items := c.items(one, e)
			c.inTable(at, len(items), s.Span())
			if isNumber {
				next = append(next, items[n])
			} else {
				next, index = c.few(items, s.Span()), at
			}
		}
		level = next
	}
	numbers := make([]int64, len(level))
	for n, item := range level {
		number, known := c.staticPart(item, nil)
		value, isNumber := number.IsConst()
		if known && !isNumber {
			c.errorf(source.CodeMDHIndex, item.Span(), "%s is no whole number", shortText(item.Span())).WithNote(e.Pos, "it is a subscript here").WithHelp("subscripts and extents are integers")
		}
		if !known || !isNumber {
			return affine.Expr{}, false, true
		}
		numbers[n] = value
	}
	if len(numbers) == 1 {
		return affine.Const(numbers[0]), true, true
	}
	return affine.Symbol(c.lookup(k.Name.Name, index, numbers).symbol), true, true
}

// few refuses tables that are too long to choose from.
func (c *instance) few(items []syntax.Expr, at source.Span) []syntax.Expr {
	if len(items) > maxTable {
		stop(c.errorf(source.CodeMDHTooLarge, at, "a table of %d numbers is subscripted by an index of which the size is no number up to %d", len(items), maxTable).
			WithHelp("pass the numbers as a buffer if the scalar function uses them; an index function can have larger tables where their index has few values"))
	}
	return items
}

// lookup returns the symbol for numbers of a table, the same for equal ones.
func (c *instance) lookup(table string, index affine.Expr, cases []int64) *lookup {
	for _, l := range c.lookups {
		if l.index.Equal(index) && slices.Equal(l.cases, cases) {
			return l
		}
	}
	taken := func(name string) bool {
		return c.sizes[name] != nil || slices.ContainsFunc(c.dims, func(m *dimension) bool { return m.index.Name == name }) ||
			slices.ContainsFunc(c.lookups, func(l *lookup) bool { return l.symbol == name })
	}
	name := table
	for n := 1; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", table, n)
	}
	l := &lookup{name, index, cases}
	c.lookups = append(c.lookups, l)
	return l
}

// at is an expression at another index, also where its tables are subscripted by it.
func (c *instance) at(e affine.Expr, index string, x affine.Expr) affine.Expr {
	env := map[string]affine.Expr{index: x}
	for _, l := range c.lookups {
		if e.Uses(l.symbol) && l.index.Uses(index) {
			env[l.symbol] = affine.Symbol(c.lookup(l.symbol, l.index.Subst(map[string]affine.Expr{index: x}), l.cases).symbol)
		}
	}
	return e.Subst(env)
}

// lookedUp chooses between the numbers.
func (c *instance) lookedUp(l *lookup, span source.Span) ein.Expr {
	index := c.subscript(l.index, span)
	number := func(n int64) ein.Expr { return &ein.Const{Pos: span, DType: tensor.Int64, Bits: uint64(n)} }
	e := number(l.cases[len(l.cases)-1])
	for n := len(l.cases) - 2; n >= 0; n-- {
		e = &ein.Select{Pos: span, Cond: &ein.Binary{Pos: span, Op: ein.Eq, X: index, Y: number(int64(n))}, Then: number(l.cases[n]), Else: e}
	}
	return e
}

// isWithoutTables refuses lookups in subscripts of outputs.
func (c *instance) isWithoutTables(e affine.Expr, at syntax.Expr) bool {
	for _, l := range c.lookups {
		if e.Uses(l.symbol) {
			c.errorf(source.CodeMDHIndex, at.Span(), "which cells are written hangs on a table at %s, which is no number", l.index).
				WithHelp("subscript the table by an index whose size is a number up to %d", maxTable)
			return false
		}
	}
	return true
}

// tableItem evaluates a number of a table in a scalar function; nil for what is no table.
func (c *instance) tableItem(e *syntax.Numbered, s *scope) value {
	k, subscripts, ok := c.tableRead(e)
	if !ok {
		return nil
	}
	if _, hidden := s.values[k.Name.Name]; hidden {
		return nil
	}
	return c.itemOf(k, k.Value, subscripts, e, s)
}

// itemOf evaluates what a part of a table has at subscripts.
func (c *instance) itemOf(k *syntax.Constant, part syntax.Expr, subscripts []syntax.Expr, e *syntax.Numbered, s *scope) value {
	if len(subscripts) == 0 {
		if _, isTable := part.(*syntax.Table); isTable {
			stop(c.errorf(source.CodeMDHCount, e.Pos, "%s is a table, not a number", shortText(e.Pos)).WithNote(part.Span(), "these are its numbers").WithHelp("write one subscript for each level of brackets"))
		}
		v := c.eval(part, newScope())
		if k.Type != nil {
			v = c.annotated(v, *k.Type, newScope(), part.Span())
		}
		return v
	}
	items := c.items(part, e)
	number := c.as(c.eval(subscripts[0], s), tensor.Int64, subscripts[0].Span(), "the subscript")
	at, isStatic := ein.AffineOf(number)
	if !isStatic {
		stop(c.errorf(source.CodeMDHIndex, subscripts[0].Span(), "the subscript of a table hangs on data").WithHelp("tables are read at indices, sizes and numbers; pass the numbers as a buffer, or choose with if"))
	}
	c.inTable(at, len(items), subscripts[0].Span())
	if n, isNumber := at.IsConst(); isNumber {
		return c.itemOf(k, items[n], subscripts[1:], e, s)
	}
	c.few(items, subscripts[0].Span())
	number = c.binder.bind("at", number)
	v := c.itemOf(k, items[len(items)-1], subscripts[1:], e, s)
	for n := len(items) - 2; n >= 0; n-- {
		cond := &ein.Binary{Pos: e.Pos, Op: ein.Eq, X: number, Y: &ein.Const{Pos: e.Pos, DType: tensor.Int64, Bits: uint64(n)}}
		v = c.merge(cond, c.itemOf(k, items[n], subscripts[1:], e, s), v, &syntax.If{Pos: e.Pos, Then: items[n], Else: items[len(items)-1]})
	}
	return v
}
