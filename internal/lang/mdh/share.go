package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How views share buffers
//
// A name is one buffer wherever it stands. Named twice in inp_view, its elements come as two
// parameters of the scalar function, as if it had both index functions (Definition 8: its
// extents are those that all of them reach). Named in out_view as well, it is updated: the
// caller gives its contents, all points read what it had before, because a homomorphism is a
// function of its inputs, and cells that no point writes keep what they have. ein computes all
// values of a statement before it writes any; where several statements are needed, they go
// through temporaries that are copied at the end.

// isShared reports whether a buffer is one of inp_view that was named before, and joins them.
func (c *instance) isShared(b *buffer, before []*buffer) bool {
	at := slices.IndexFunc(before, func(o *buffer) bool { return o.name() == b.name() })
	if at < 0 {
		return false
	}
	c.join(before[at], b)
	return true
}

// isUpdated reports whether an output is an input as well, and joins them.
func (c *instance) isUpdated(b *buffer) bool {
	at := slices.IndexFunc(c.inputs, func(o *buffer) bool { return o.name() == b.name() })
	if at < 0 || slices.ContainsFunc(c.output, func(o *buffer) bool { return o != b && o.name() == b.name() && o.updates }) {
		return false
	}
	c.join(c.inputs[at], b)
	b.updates = true
	if f := b.syntax; f.Fill != nil || f.Bottom != nil {
		c.errorf(source.CodeMDHUndefined, f.Pos, "%s is read as well, and its other cells have values", b.name()).
			WithNote(c.inputs[at].place(), "it is read here").WithHelp("leave the fill out: cells that no point writes keep what they have; or give the result another name")
	}
	for _, t := range b.tensors { // outputs come in the order of out_view
		t.Role = ein.InOut
		c.fn.Tensors = append(slices.DeleteFunc(c.fn.Tensors, func(o *ein.Tensor) bool { return o == t }), t)
	}
	return true
}

// join makes two mentions of a name one buffer.
func (c *instance) join(first, b *buffer) {
	if first.element != b.element {
		stop(c.errorf(source.CodeMDHType, b.place(), "%s is %s here and %s elsewhere", b.name(), b.element, first.element).WithNote(first.place(), "the other place").
			WithHelp("a name is one buffer with one type: write the same type for both, or give one of them another name"))
	}
	if first.rank != b.rank {
		stop(c.errorf(source.CodeMDHCount, b.place(), "%s has %s here and %d elsewhere", b.name(), plural(b.rank, "dimension"), first.rank).WithNote(first.place(), "the other place").
			WithHelp("a name is one buffer: give one of them another name"))
	}
	for d := range b.extents {
		one, other := first.extents[d], b.extents[d]
		switch {
		case first.declared != nil && b.declared != nil && !one.Equal(other):
			stop(c.errorf(source.CodeMDHExtent, b.declared[d].Span(), "dimension %d of %s is declared as %s here and %s elsewhere", d, b.name(), other, one).
				WithNote(first.declared[d].Span(), "the other place").WithHelp("declare the same extents, or declare them once"))
		case first.declared != nil && !c.largeEnough(b, d, other, one, first.declared[d]),
			b.declared != nil && !c.largeEnough(first, d, one, other, b.declared[d]):
			stop(nil)
		case first.declared != nil:
		case b.declared != nil:
			one = other
		default:
			one = c.facts.Larger(one, other)
		}
		first.extents[d] = one
	}
	if b.declared != nil {
		first.declared = b.declared
	}
	b.extents, b.tensors = first.extents, first.tensors
	for _, t := range b.tensors {
		for d := range t.Dims {
			t.Dims[d].Extent = first.extents[d]
		}
	}
}

// isUpdating reports whether an output is an input as well.
func (c *instance) isUpdating() bool {
	return slices.ContainsFunc(c.output, func(b *buffer) bool { return b.updates })
}
