package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How index set functions are lowered
//
// A combine operator says by its index set function which indices its results have
// (Definition 2): that of ++ is the identity, that of pw the constant {0}. pw<(i) -> (e)>(⊕)
// has the images of the points, I ↦ {e(i) | i ∈ I}: points with one image are folded, others
// stand side by side. So pw(⊕) is pw<(i) -> (0)>(⊕), and ++ is any pw<(i) -> (i)>(⊕). All of
// these are monotone, as code generation needs it (Appendix E.3), and combine disjoint parts
// in any order where ⊕ is associative and commutative.
//
// What is lowered: images in which i is linear are other names for the points; i / m and i % m
// make two loops of one, one of which is kept and one folded, with the identity of ⊕ where the
// last block is not full; any others, and tables, where the index has few values and is written
// out.

// blocks are the loops of a dimension i that is a sum of both, for which inside must not be
// negative.
type blocks struct {
	kept, rest *dimension
	size       affine.Expr // of a block
	sum        affine.Expr
	inside     affine.Expr
	isFull     bool
}

// point is the index at hand.
func (m *dimension) point() affine.Expr {
	if m.values != nil {
		return affine.Const(m.at)
	}
	return affine.Symbol(m.index.Name)
}

// argument is what the index is in inputs.
func (m *dimension) argument() affine.Expr {
	switch {
	case m.downImage != nil:
		return m.downImage.Subst(map[string]affine.Expr{m.index.Name: m.point()})
	case m.down != nil && m.down.Kind == "pw":
		return affine.Expr{}
	}
	return m.point()
}

// result is what the index is in outputs.
func (m *dimension) result() affine.Expr {
	switch {
	case m.values != nil:
		return affine.Const(m.key)
	case m.image != nil:
		return *m.image
	case m.blocks != nil:
		return affine.Symbol(m.blocks.kept.index.Name)
	case m.index.Combine.Kind == ein.Reduce:
		return affine.Expr{}
	}
	return affine.Symbol(m.index.Name)
}

func (m *dimension) distinctKeys() []int64 {
	keys := slices.Clone(m.keys)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// inLoops writes an expression over the indices as one over the loops.
func (c *instance) inLoops(e affine.Expr) affine.Expr {
	env := map[string]affine.Expr{}
	for _, m := range c.dims {
		if m.blocks != nil {
			env[m.index.Name] = m.blocks.sum
		}
	}
	if len(env) == 0 {
		return e
	}
	return e.Subst(env)
}

// insideBlocks lists what holds of the loops where the points are those of the dimensions.
func (c *instance) insideBlocks() (facts []affine.Expr) {
	for _, m := range c.dims {
		if m.blocks != nil {
			facts = append(facts, m.blocks.inside)
		}
	}
	return facts
}

// images evaluates the index set functions of the combine operators.
func (c *instance) images() {
	for _, m := range c.dims {
		f := m.syntax.Image
		if f == nil {
			continue
		}
		if m.syntax.Kind == "ps" {
			stop(c.errorf(source.CodeMDHIndex, f.Pos, "ps has no index set function of its own").WithHelp("prefixes keep the indices of their points: ps(…); move them by the index functions of out_view"))
		}
		if e, ok := c.imageOf(m, f); !ok {
			m.mustBeListed = true
		} else if !c.lowered(m, e) {
			m.mustBeListed = true
		}
	}
}

// imageOf evaluates an index set function at the index; not where it reads tables.
func (c *instance) imageOf(m *dimension, f *syntax.IndexFunction) (affine.Expr, bool) {
	if len(f.Params) != 1 || len(f.Results) != 1 {
		stop(c.errorf(source.CodeMDHCount, f.Pos, "an index set function has 1 index and 1 result").WithHelp("it says which index a point has among the results of its dimension: pw<(i) -> (i / 2)>(max)"))
	}
	readsTable := false
	syntax.Walk(f.Results[0], func(e syntax.Expr) {
		read, ok := e.(*syntax.Numbered)
		readsTable = readsTable || ok && read != nil
	})
	if m.values != nil || readsTable {
		return affine.Expr{}, false
	}
	e, ok := c.static(f.Results[0], map[string]affine.Expr{f.Params[0].Name: affine.Symbol(m.index.Name)})
	if !ok {
		stop(nil)
	}
	return e, true
}

// lowered finds the form of an image; false where the index must be listed.
func (c *instance) lowered(m *dimension, e affine.Expr) bool {
	lo, _, ok := c.facts.Extremes(e, c.box())
	if ok && c.facts.Sign(lo) == affine.Never {
		stop(c.errorf(source.CodeMDHNegative, m.syntax.Image.Pos, "the index set function gives negative indices: its least value is %s", lo).WithHelp("indices count from 0: add %s", lo.Scale(-1)))
	}
	coefficient, _, linear := e.Linear(m.index.Name)
	t := e.Terms()
	switch {
	case !e.Uses(m.index.Name):
		if m.syntax.Op == nil {
			c.meetInConcatenation(m)
		}
		m.image = &e
		return true
	case linear && coefficient != 0:
		m.image = &e
		m.syntax = &syntax.Combine{Pos: m.syntax.Pos, Kind: "++", Image: m.syntax.Image}
		m.index.Combine.Kind = ein.Concat
		return true
	case len(t) == 1 && t[0].Coefficient == 1 && len(t[0].Atoms) == 1 && t[0].Atoms[0].X.Equal(affine.Symbol(m.index.Name)) && !t[0].Atoms[0].Y.Uses(m.index.Name):
		if m.syntax.Op == nil {
			c.meetInConcatenation(m)
		}
		return c.inBlocks(m, t[0].Atoms[0].Op, t[0].Atoms[0].Y)
	}
	return false
}

func (c *instance) meetInConcatenation(m *dimension) {
	stop(c.errorf(source.CodeMDHOverlap, m.syntax.Image.Pos, "++ puts results side by side, and several of its points have one index").
		WithHelp("combine them by an operator: pw<%s>(+)", shortText(m.syntax.Image.Pos)))
}

// inBlocks makes two loops of a dimension whose image is i / size or i % size.
func (c *instance) inBlocks(m *dimension, op affine.Op, size affine.Expr) bool {
	if op != affine.FloorDiv && op != affine.Mod {
		return false
	}
	extent := m.index.Extent
	number := c.shortened(affine.Div(extent.Add(size).AddConst(-1), size))
	block, inner := c.loop(m, "block", number), c.loop(m, "rest", size)
	b := &blocks{kept: block, rest: inner, size: size}
	b.sum = size.Mul(affine.Symbol(block.index.Name)).Add(affine.Symbol(inner.index.Name))
	if op == affine.Mod {
		b.kept, b.rest = inner, block
		if room := extent.Sub(size); c.facts.Sign(room) != affine.Always {
			c.require(room, m.syntax.Image.Pos, fmt.Sprintf("each remainder by %s is one of an index below %s", size, extent))
			c.facts.Assume(room)
		}
	}
	b.rest.index.Combine.Kind = ein.Reduce
	b.inside = extent.AddConst(-1).Sub(b.sum)
	b.isFull = c.facts.Proves(extent.Sub(number.Mul(size)))
	m.blocks = b
	return true
}

// loop makes one of the loops of a dimension.
func (c *instance) loop(m *dimension, what string, extent affine.Expr) *dimension {
	name := m.index.Name + "_" + what
	for c.sizes[name] != nil || slices.ContainsFunc(c.dims, func(o *dimension) bool { return o.index.Name == name }) {
		name += "_"
	}
	return &dimension{syntax: m.syntax, index: &ein.Index{Pos: m.index.Pos, Name: name, Extent: extent}}
}

// keys finds what the values of indices that are written out are in outputs.
func (c *instance) keys() {
	for _, m := range c.dims {
		for _, v := range m.values {
			key := v
			switch f := m.syntax.Image; {
			case m.image != nil:
				key, _ = m.image.Subst(map[string]affine.Expr{m.index.Name: affine.Const(v)}).IsConst()
			case f != nil:
				key = c.keyOf(f, v)
				if m.syntax.Op == nil && slices.Contains(m.keys, key) {
					c.meetInConcatenation(m)
				}
			case m.index.Combine.Kind == ein.Reduce:
				key = 0
			}
			m.keys = append(m.keys, key)
		}
	}
}

func (c *instance) keyOf(f *syntax.IndexFunction, v int64) int64 {
	e, ok := c.static(f.Results[0], map[string]affine.Expr{f.Params[0].Name: affine.Const(v)})
	key, isNumber := e.IsConst()
	switch {
	case !ok:
		stop(nil)
	case !isNumber:
		stop(c.errorf(source.CodeMDHIndex, f.Pos, "the index of the result of %s = %d is %s, which is no number", f.Params[0].Name, v, e).WithHelp("the index is written out: its index set function is made of it and numbers"))
	case key < 0:
		stop(c.errorf(source.CodeMDHNegative, f.Pos, "the index set function gives %d for %s = %d", key, f.Params[0].Name, v).WithHelp("indices count from 0"))
	}
	return key
}

// refuseImage reports an index set function that has no lowering.
func (c *instance) refuseImage(m *dimension) {
	stop(c.errorf(source.CodeMDHIndex, m.syntax.Image.Pos, "no code is made for this index set function over %s points", m.index.Extent).
		WithHelp("it may be a multiple of the index and a sum, i / m or i %% m; any other, also a table, where the size is a number up to %d; else compute the cells by views, in two steps of a composition", maxTable))
}

// guardBlocks keeps points behind the last one of a dimension out of the results: they
// give the identity, or there are none.
func (c *instance) guardBlocks() {
	for _, m := range c.dims {
		if m.blocks == nil || m.blocks.isFull {
			continue
		}
		identity := m.op.ein.Identity
		others := slices.ContainsFunc(c.combined(), func(o *dimension) bool { return o.op.key != m.op.key })
		if len(identity) == 0 || others {
			rest := affine.Rem(m.index.Extent, m.blocks.size)
			c.require(rest.Scale(-1), m.syntax.Image.Pos, fmt.Sprintf("the last block of %s is full, as %s has no identity that is left out", m.index.Name, m.op.key))
			continue
		}
		inside := &ein.Binary{Op: ein.Lt, X: c.subscript(m.point(), m.index.Pos), Y: &ein.SizeRef{Pos: m.index.Pos, Size: m.index.Extent}}
		if n, isNumber := m.index.Extent.IsConst(); isNumber {
			inside.Y = ein.IntConst(inside.X.Type(), n)
		}
		for at, r := range c.outcome {
			component := 0
			for _, before := range c.outcome[at/c.perChoice()*c.perChoice() : at] {
				component += len(before.values)
			}
			for n, v := range r.values {
				r.values[n] = &ein.Select{Pos: v.Span(), Cond: inside, Then: v, Else: identity[(component+n)%len(identity)]}
			}
		}
	}
}

// perChoice is how many results the scalar function gives.
func (c *instance) perChoice() int {
	n := 0
	for _, b := range c.output {
		n += len(b.syntax.Accesses)
	}
	return max(n, 1)
}
