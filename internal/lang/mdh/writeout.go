package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How indices are written out
//
// An index whose set is listed, md_hom<N, {0, 1, 4}>, and one of few values that subscripts
// a table, are written out: the scalar function is evaluated once for each choice of their
// values, at which all index functions are affine in the other indices. The values are then
// combined as the combine operators say, the last dimension first; what is kept of them is one
// access of the outputs more for each. The laws of the operators and of their mix are tried
// as for any dimension, so that it does not matter that these come before the others.

// maxChoices bounds the choices of values of all indices that must be written out.
const maxChoices = 256

// loops are the dimensions that are not written out; one whose points are combined by
// blocks has two.
func (c *instance) loops() []*dimension {
	var list []*dimension
	for _, m := range c.dims {
		switch {
		case m.values != nil:
		case m.blocks != nil:
			list = append(list, m.blocks.kept, m.blocks.rest)
		default:
			list = append(list, m)
		}
	}
	return list
}

// indexSet evaluates a size of md_hom: the extent, and the values of a set that is listed.
func (c *instance) indexSet(e syntax.Expr) (extent affine.Expr, set []int64, ok bool) {
	t, isTable := e.(*syntax.Table)
	if r, isName := e.(*syntax.Ref); isName && c.sizes[r.Name] == nil && c.constants[r.Name] != nil {
		t, isTable = c.constants[r.Name].Value.(*syntax.Table)
	}
	if !isTable {
		extent, ok = c.static(e, nil)
		return extent, nil, ok
	}
	for _, item := range t.Items {
		x, known := c.static(item, nil)
		n, isNumber := x.IsConst()
		switch {
		case !known:
			return affine.Expr{}, nil, false
		case !isNumber || n < 0 || len(set) > 0 && n <= set[len(set)-1]:
			c.errorf(source.CodeMDHIndex, item.Span(), "%s cannot be the next index of a set", shortText(item.Span())).WithHelp("an index set lists whole numbers from 0, each greater than the one before")
			return affine.Expr{}, nil, false
		}
		set = append(set, n)
	}
	if len(set) == 0 || len(set) > maxTable {
		c.errorf(source.CodeMDHTooLarge, e.Span(), "the index set has %s", plural(len(set), "value")).WithHelp("list from 1 to %d, or take a size and compute the subscripts", maxTable)
		return affine.Expr{}, nil, false
	}
	return affine.Const(int64(len(set))), set, true
}

// writeOut decides which indices are written out: those that must be, and those that
// subscript tables as long as there are few choices.
func (c *instance) writeOut() {
	inputs, outputs := c.indicesOfTables()
	choices := 1
	isFew := func(n, most int) bool {
		extent, isNumber := c.dims[n].index.Extent.IsConst()
		return isNumber && extent <= maxTable && choices*int(extent) <= most && !c.isCombinedAfter(n)
	}
	list := func(n int) {
		m := c.dims[n]
		extent, _ := m.index.Extent.IsConst()
		if m.values == nil {
			for v := range extent {
				m.values = append(m.values, v)
			}
		}
		choices *= int(extent)
		m.blocks = nil
	}
	for n, m := range slices.Backward(c.dims) {
		switch isSet := m.values != nil; {
		case !isSet && !m.mustBeListed:
		case isFew(n, maxChoices):
			list(n)
		case isSet:
			stop(c.errorf(source.CodeMDHTooLarge, m.index.Pos, "the index set cannot be written out").
				WithHelp("all sets that are listed may have %d choices of values; with 'ordered' such a dimension comes behind the others that are combined", maxChoices))
		default:
			c.refuseImage(m)
		}
	}
	for _, tables := range []struct {
		of   map[int]bool
		most int
	}{{outputs, maxChoices}, {inputs, maxTable}} {
		for n, m := range slices.Backward(c.dims) {
			if m.values == nil && tables.of[n] && (m.down == nil || m.down.Kind != "ps") && isFew(n, tables.most) {
				list(n)
			}
		}
	}
}

// isCombinedAfter reports whether a later dimension that is no list of values must be
// combined before this one.
func (c *instance) isCombinedAfter(n int) bool {
	return c.syntax.Hom.Ordered != nil && slices.ContainsFunc(c.dims[n+1:], func(m *dimension) bool { return m.syntax.Op != nil && m.values == nil })
}

// indicesOfTables finds the dimensions whose indices are in subscripts of tables.
func (c *instance) indicesOfTables() (inputs, outputs map[int]bool) {
	inputs, outputs = map[int]bool{}, map[int]bool{}
	note := func(e syntax.Expr, params []syntax.Name, found map[int]bool) {
		syntax.Walk(e, func(e syntax.Expr) {
			read, ok := e.(*syntax.Numbered)
			if !ok {
				return
			}
			if _, _, ok = c.tableRead(read); !ok {
				return
			}
			syntax.Walk(read.Number, func(e syntax.Expr) {
				if r, isName := e.(*syntax.Ref); isName {
					if n := slices.IndexFunc(params, func(p syntax.Name) bool { return p.Name == r.Name }); n >= 0 {
						found[n] = true
					}
				}
			})
		})
	}
	for _, v := range []struct {
		*syntax.View
		found map[int]bool
	}{{c.syntax.Out, outputs}, {c.syntax.Inp, inputs}} {
		for _, b := range v.Buffers {
			for _, f := range b.Accesses {
				for _, e := range f.Results {
					note(e, f.Params, v.found)
				}
			}
		}
	}
	if f := c.scalarFunction(); f != nil {
		note(f.Body, f.Indices, inputs)
	}
	return inputs, outputs
}

// eachChoice visits the choices of values of the indices that are written out, the last one
// changing fastest; for outputs of those that are kept.
func (c *instance) eachChoice(isOutput bool, visit func()) {
	var list []*dimension
	for _, m := range c.dims {
		if m.values != nil {
			list = append(list, m)
		}
	}
	var choose func(n int)
	choose = func(n int) {
		if n == len(list) {
			visit()
			return
		}
		m := list[n]
		if isOutput {
			for _, key := range m.distinctKeys() {
				m.key = key
				choose(n + 1)
			}
			return
		}
		for _, v := range m.values {
			m.at = v
			choose(n + 1)
		}
	}
	choose(0)
}

// combineChoices combines the values at all choices along the dimensions that are written
// out, the last one first. What is left is one value for each choice that is kept.
func (c *instance) combineChoices(values []value, span source.Span) []value {
	for n, v := range values {
		values[n] = c.valueOf(c.elements(v, span))
	}
	inner := 1 // the choices of the dimensions behind this one that are kept
	for _, m := range slices.Backward(c.dims) {
		if m.values != nil {
			values = c.combineAlong(m, values, inner)
			inner *= len(m.distinctKeys())
		}
	}
	return values
}

// combineAlong combines the points of a dimension that have one index in outputs, or scans
// it, with so many values behind each of its indices.
func (c *instance) combineAlong(m *dimension, values []value, inner int) []value {
	if m.syntax.Op == nil {
		return values
	}
	var result []value
	keys := m.distinctKeys()
	length := len(m.values)
	for block := 0; block < len(values); block += length * inner {
		combined := make([]value, len(keys)*inner)
		for k := range length {
			for n := range inner {
				at := slices.Index(keys, m.keys[k])*inner + n
				before := combined[at]
				if m.index.Combine.Kind == ein.Scan && k > 0 {
					before = combined[at-inner]
				}
				v := values[block+k*inner+n]
				if e, ok := c.start(m.syntax.Op, v); before == nil && ok {
					before = e
				}
				if before != nil {
					v = c.combine(m.syntax.Op, before, v)
				}
				combined[at] = c.named("part", v)
			}
		}
		result = append(result, combined...)
	}
	return result
}

// start returns the identity, from which folds start, where the first value could be
// another after it: a NaN after that of max.
func (c *instance) start(ref *syntax.OperatorRef, shape value) (value, bool) {
	plain := []ein.OperatorKind{ein.SumOp, ein.ProductOp, ein.AndOp, ein.OrOp, ein.BitAndOp, ein.BitOrOp, ein.BitXorOp}
	if !slices.ContainsFunc(c.kindsOf(ref, shape), func(k ein.OperatorKind) bool { return !slices.Contains(plain, k) }) {
		return nil, false
	}
	return c.identity(ref, shape)
}
