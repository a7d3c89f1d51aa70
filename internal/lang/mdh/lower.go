package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A cell is one scalar of a result: its value and where it is written.
type cell struct {
	tensor *ein.Tensor
	access []affine.Expr
	value  ein.Expr
	pos    source.Span
}

// lower puts the comprehensions together. One comprehension computes all results,
// unless two of them are parts of one tensor, which a comprehension writes once:
// then each has its own where the operators work component by component, else they
// go through temporaries. Each choice of the indices that are written out has its own.
func (c *instance) lower() {
	c.fills()
	accesses := 0
	for _, b := range c.output {
		accesses += len(b.syntax.Accesses)
	}
	for choice := range slices.Chunk(c.outcome, max(accesses, 1)) {
		c.lowerChoice(choice, len(c.outcome) > accesses)
	}
	c.fn.Body = append(c.fn.Body, c.copies...)
}

// lowerChoice computes the results of one choice, of which there may be others.
func (c *instance) lowerChoice(outcome []*result, others bool) {
	var cells []*cell
	writes, twice := map[*ein.Tensor]int{}, false
	for _, r := range outcome {
		for n, v := range r.values {
			t := r.buffer.tensors[n]
			cells = append(cells, &cell{tensor: t, access: r.buffer.accesses[r.access], value: v, pos: r.buffer.syntax.Pos})
			writes[t]++
			twice = twice || writes[t] > 1
		}
	}
	switch {
	case c.isUpdating() && (twice || others): // what one of them writes, others may read
		c.throughTemporaries(cells, func(one *cell) bool { return writes[one.tensor] > 1 || one.tensor.Role == ein.InOut })
	case !twice:
		c.fn.Body = append(c.fn.Body, c.comprehension(cells, nil))
	case c.separable():
		for n, one := range cells {
			c.fn.Body = append(c.fn.Body, c.comprehension([]*cell{one}, []int{n}))
		}
	default:
		c.throughTemporaries(cells, func(one *cell) bool { return writes[one.tensor] > 1 })
	}
}

// separable reports whether all operators combine each scalar on its own.
func (c *instance) separable() bool {
	for _, m := range c.loops() {
		if m.op == nil {
			continue
		}
		for _, kind := range m.op.kinds {
			if kind == ein.UserDefined {
				return false
			}
		}
	}
	return true
}

// comprehension computes cells; components are their numbers among all, nil for all
// of them. Indices and operators of each comprehension are its own.
func (c *instance) comprehension(cells []*cell, components []int) *ein.Comprehension {
	k := &ein.Comprehension{Pos: c.syntax.Pos}
	own, operators := map[*ein.Index]*ein.Index{}, map[*operator]*ein.Operator{}
	for _, m := range c.loops() {
		i := *m.index
		if m.op != nil {
			if operators[m.op] == nil {
				operators[m.op] = c.componentOf(m.op, components, cells)
			}
			i.Combine.Op = operators[m.op]
		}
		own[m.index] = &i
		k.Indices = append(k.Indices, &i)
	}
	for _, one := range cells {
		w := &ein.Write{Pos: one.pos, Tensor: one.tensor}
		for _, e := range one.access {
			w.Subscripts = append(w.Subscripts, withIndices(c.subscript(e, one.pos), own))
		}
		k.Writes = append(k.Writes, w)
		k.Values = append(k.Values, withIndices(one.value, own))
	}
	return k
}

// componentOf returns the operator on some of the components.
func (c *instance) componentOf(o *operator, components []int, cells []*cell) *ein.Operator {
	if components == nil {
		return o.ein
	}
	return ein.BuiltinOperator(o.kinds[components[0]], cells[0].value.Type())
}

func withIndices(e ein.Expr, own map[*ein.Index]*ein.Index) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		if ref, ok := e.(*ein.IndexRef); ok {
			return &ein.IndexRef{Pos: ref.Pos, Index: own[ref.Index]}
		}
		return e
	})
}

// kept lists the dimensions that are in the result.
func (c *instance) kept() []*dimension {
	var list []*dimension
	for _, m := range c.loops() {
		if m.index.Combine.Kind != ein.Reduce {
			list = append(list, m)
		}
	}
	return list
}

// throughTemporaries computes the parts of tensors that are written several times
// into temporaries over the kept dimensions, and copies these.
func (c *instance) throughTemporaries(cells []*cell, apart func(*cell) bool) {
	for n, one := range cells {
		if !apart(one) {
			continue
		}
		t := &ein.Tensor{Pos: one.pos, Name: c.freshName(fmt.Sprintf("%s_%d", one.tensor.Name, n+1)), Type: one.value.Type(), Role: ein.Temp}
		move := &ein.Comprehension{Pos: one.pos}
		read := &ein.Access{Pos: one.pos, Tensor: t}
		own := map[*ein.Index]*ein.Index{}
		var direct []affine.Expr
		for _, m := range c.kept() {
			t.Dims = append(t.Dims, ein.Dim{Extent: m.index.Extent})
			i := &ein.Index{Pos: m.index.Pos, Name: m.index.Name, Extent: m.index.Extent}
			own[m.index] = i
			move.Indices = append(move.Indices, i)
			read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: one.pos, Index: i})
			direct = append(direct, affine.Symbol(m.index.Name))
		}
		w := &ein.Write{Pos: one.pos, Tensor: one.tensor}
		for _, e := range one.access {
			w.Subscripts = append(w.Subscripts, withIndices(c.subscript(e, one.pos), own))
		}
		move.Writes, move.Values = []*ein.Write{w}, []ein.Expr{read}
		c.copies = append(c.copies, move)
		c.fn.Tensors = append(c.fn.Tensors, t)
		one.tensor, one.access = t, direct
	}
	c.fn.Body = append(c.fn.Body, c.comprehension(cells, nil))
}

// freshName returns a name that no tensor and size has.
func (c *instance) freshName(base string) string {
	name := base
	for n := 2; c.fn.Tensor(name) != nil || c.sizes[name] != nil; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}

// fills checks that the outputs are written once and in full, and writes the fill
// of those that are not.
func (c *instance) fills() {
	for _, b := range c.output {
		var probes []*ein.Comprehension
		for _, r := range c.outcome {
			if r.buffer == b {
				one := &cell{tensor: b.tensors[0], access: b.accesses[r.access], value: r.values[0], pos: b.syntax.Pos}
				probe := c.comprehension([]*cell{one}, nil)
				probes = append(probes, probe)
			}
		}
		needed := c.cover(b, probes)
		for n, t := range b.tensors {
			if b.syntax.Bottom != nil && needed {
				c.bottoms = append(c.bottoms, len(c.fn.Body))
				c.fn.Body = append(c.fn.Body, c.filled(b, t, zero(t.Type.Compute()), b.syntax.Bottom.Pos))
			}
			if b.syntax.Fill == nil {
				continue
			}

			if one := c.fill(b, n, t); needed { // it is checked in any case
				c.fn.Body = append(c.fn.Body, one)
			}
		}
	}
}

// fill writes a value to all cells of a tensor.
func (c *instance) fill(b *buffer, n int, t *ein.Tensor) *ein.Comprehension {
	v := c.eval(b.syntax.Fill, newScope())
	e := v
	if r, ok := v.(recordValue); ok && len(r.fields) == len(b.tensors) && r.of == b.element.record {
		e = r.fields[n]
	}
	span := b.syntax.Fill.Span()
	return c.filled(b, t, c.binder.wrap(c.as(e, t.Type.Compute(), span, "the fill")), span)
}

func zero(t tensor.DType) ein.Expr {
	if t.IsFloat() {
		return ein.FloatConst(t, 0)
	}
	return ein.IntConst(t, 0)
}

// filled writes a value to all cells.
func (c *instance) filled(b *buffer, t *ein.Tensor, value ein.Expr, span source.Span) *ein.Comprehension {
	k := &ein.Comprehension{Pos: span, Values: []ein.Expr{value}}
	w := &ein.Write{Pos: span, Tensor: t}
	for d, extent := range b.extents {
		name := fmt.Sprintf("x%d", d+1)
		for c.sizes[name] != nil {
			name += "_"
		}
		i := &ein.Index{Pos: span, Name: name, Extent: extent}
		k.Indices = append(k.Indices, i)
		w.Subscripts = append(w.Subscripts, &ein.IndexRef{Pos: span, Index: i})
	}
	k.Writes = []*ein.Write{w}
	return k
}
