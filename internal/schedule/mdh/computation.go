// Package mdh describes the order of a computation by the tuning parameters of
// multi-dimensional homomorphisms, and makes schedule trees from them.
package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How it works
//
// The source is Rasch, "(De/Re)-Composition of Data-Parallel Computations via
// Multi-Dimensional Homomorphisms" (TOPLAS 2024), sections 3 and 4. A statement of
// ein is an md_hom: a scalar function over a box of points, each dimension with a
// combine operator. To compute it on a machine (package system) with L layers, the
// box is partitioned on L layers in every dimension; the pairs of partition layer and
// dimension are the MDH levels. A Configuration holds, per MDH level, the number of
// parts and the 14 other parameters of the paper's Table 1: in which order the levels
// are walked and which level of the machine walks them, where buffers are and how they
// are laid out, each for the three phases de-composition, scalar function and
// re-composition.
//
//	computation.go    what a statement is to the parameters
//	configuration.go  the 15 parameters as a value
//	validate.go       the algorithmic constraints; model.go those of the machine
//	table.go          the text of Figures 20 to 23; expression.go that of Figure 19
//	evaluate.go       what a configuration means, executed word by word
//	plan.go, group.go several statements, and what they share
//	marks.go          what a level does beyond the parameters
//	make.go           from configurations to a schedule tree
//	fromtree.go       and back
//	space.go          what a tuner may choose
//
// Beyond the paper. Parts need not divide a size: the parts of a level have the size
// Π of the parts of all inner layers of the dimension, and the last one, on each level,
// may be partial. A level needs ⌈block/size⌉ parts, and no part may be empty; for a size
// that is not known the outermost level has `*` parts, as many as it takes. A level may give
// the size of its parts where those inside make more (7 parts of 14 in blocks of 96). A
// dimension whose operator is a scan, or differs from the others so that they cannot be
// exchanged, is combined in order; a scan may be cut on any layer, also on cores: neighbouring
// pieces are combined by carrying the total of the first into the second. Several statements
// share loops, and some of them more (Group). What a level does besides are Marks.
//
// What the host cannot be told is a constraint of its model, or documented in
// docs/schedules.md.

// A Computation is a statement as the parameters see it.
type Computation struct {
	Statement int
	Name      string // S0
	Dims      []Dim
	Inputs    []*Buffer
	Outputs   []*Buffer
	// Op is the operator of all reduced dimensions when their order is free; nil with
	// Ordered unset where nothing is reduced.
	Op      *ein.Operator
	Ordered bool          // the reduced dimensions must be combined in their order
	scan    *ein.Operator // of a scan, the only reduced dimension, whose parts may be computed side by side
	of      *ein.Comprehension
	in      *ein.Func
}

// A Dim is a dimension of the computation.
type Dim struct {
	Index *ein.Index
	N     int64 // the size; -1 where it is not known
}

// Name returns the name of the index.
func (d Dim) Name() string { return d.Index.Name }

// Operator writes the combine operator: "++", "+", or "scan +".
func (d Dim) Operator() string {
	switch d.Index.Combine.Kind {
	case ein.Reduce:
		return d.Index.Combine.Op.Name
	case ein.Scan:
		return "scan " + d.Index.Combine.Op.Name
	}
	return "++"
}

// Reduced reports whether the operator is not concatenation.
func (d Dim) Reduced() bool { return d.Index.Combine.Kind != ein.Concat }

// A Buffer is a tensor that the statement reads or writes, with all its accesses.
type Buffer struct {
	Tensor   *ein.Tensor
	Accesses [][]ein.Expr // subscripts
}

// Name returns the name of the tensor.
func (b *Buffer) Name() string { return b.Tensor.Name }

// Rank returns the number of dimensions.
func (b *Buffer) Rank() int { return len(b.Tensor.Dims) }

// ComputationOf describes statement s of a function.
func ComputationOf(f *ein.Func, s int) *Computation {
	of := f.Body[s]
	c := &Computation{Statement: s, Name: fmt.Sprintf("S%d", s), of: of, in: f}
	for _, i := range of.Indices {
		d := Dim{Index: i, N: -1}
		if n, ok := i.Extent.IsConst(); ok {
			d.N = max(n, 0)
		}
		c.Dims = append(c.Dims, d)
	}
	var free bool
	c.Op, free = ein.ReductionOperator(of)
	c.Ordered = !free
	if _, op, ok := ein.ScanOperator(of); ok {
		c.scan = op
	}
	for _, a := range of.Accesses() {
		c.Inputs = addAccess(c.Inputs, a.Tensor, a.Subscripts)
	}
	for _, w := range of.Writes {
		c.Outputs = addAccess(c.Outputs, w.Tensor, w.Subscripts)
	}
	return c
}

func addAccess(list []*Buffer, t *ein.Tensor, subscripts []ein.Expr) []*Buffer {
	for _, b := range list {
		if b.Tensor == t {
			b.Accesses = append(b.Accesses, subscripts)
			return list
		}
	}
	return append(list, &Buffer{Tensor: t, Accesses: [][]ein.Expr{subscripts}})
}

// String lists the dimensions with sizes and operators: "i 512 ++, k 512 +".
func (c *Computation) String() string {
	parts := make([]string, len(c.Dims))
	for d, dim := range c.Dims {
		parts[d] = fmt.Sprintf("%s %s %s", dim.Name(), dim.Index.Extent, dim.Operator())
	}
	return strings.Join(parts, ", ")
}

// Point reports whether a dimension needs no partitioning: it has one point or none.
func (d Dim) Point() bool { return d.N == 0 || d.N == 1 }

// ElementBytes returns the size of the widest value that the statement computes with.
func (c *Computation) ElementBytes() int {
	widest := 1
	for _, v := range c.of.Values {
		widest = max(widest, v.Type().Compute().Size())
	}
	for _, b := range c.Inputs {
		if b.Tensor.Type.IsFloat() {
			widest = max(widest, b.Tensor.Type.Compute().Size())
		}
	}
	return widest
}

// footprint returns how many values dimension k of a buffer has where dimension d of
// the computation has a block of size(d): that of a window such as 2*h + r; the whole
// extent where the subscripts are none. ok is false where that is not known.
func (c *Computation) footprint(b *Buffer, k int, size func(d int) int64) (n int64, ok bool) {
	whole, known := b.Tensor.Dims[k].Extent.IsConst()
	found, first := int64(0), int64(0)
	for a, subscripts := range b.Accesses {
		terms, shift, isWindow := schedule.Window(c.of, subscripts[k])
		if !isWindow || len(terms) == 0 {
			return whole, known
		}
		n := int64(1)
		for _, t := range terms {
			block := size(c.dim(t.Index))
			if block >= unknownSize {
				return whole, known
			}
			n += saturate(t.Step/schedule.CommonStep(terms), block-1) // what lies between is not copied
		}
		if a > 0 && (n != found || shift != first) {
			return whole, known
		}
		found, first = n, shift
	}
	if found <= 0 {
		return whole, known
	}
	if known {
		found = min(found, whole)
	}
	return found, true
}

func (c *Computation) dim(i *ein.Index) int {
	return slices.IndexFunc(c.Dims, func(d Dim) bool { return d.Index == i })
}

// writesOnce reports whether every point is proved to write elements of its own.
func (c *Computation) writesOnce() bool {
	return !slices.ContainsFunc(c.of.Writes, func(w *ein.Write) bool { return !ein.WritesOnce(c.of, w) })
}

// partialInOutput says why partial results may not be kept in the outputs, or "".
func (c *Computation) partialInOutput() string {
	return schedule.InOutput(c.of, c.Op)
}

// copyable says why an input cannot be copied, or "".
func (c *Computation) copyable(b *Buffer) string {
	if b.Tensor.Role != ein.Input {
		return b.Name() + " is no input of the function"
	}
	return c.copyableHere(b)
}

// copyableHere says why what a statement reads cannot be copied where it is only read, or "": what other launches compute may be.
func (c *Computation) copyableHere(b *Buffer) string {
	switch {
	case slices.ContainsFunc(c.of.Writes, func(w *ein.Write) bool { return w.Tensor == b.Tensor }):
		return b.Name() + " is written by the statement"
	case b.Rank() == 0:
		return b.Name() + " is a scalar"
	}
	for _, a := range c.of.Accesses() {
		for d := range a.Subscripts {
			if a.Tensor == b.Tensor && !ein.InBounds(c.of, a, d) {
				return "a read of " + b.Name() + " is not proved to be in bounds"
			}
		}
	}
	return ""
}
