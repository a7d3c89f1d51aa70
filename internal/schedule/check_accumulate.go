package schedule

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

func (c *checker) accumulate(n *Accumulate, st state) {
	if !slices.Contains(st.active, n.Statement) {
		c.misfit(n, "%s is not enumerated here", c.words.Statement(n.Statement))
		return
	}
	comp := c.f.Body[n.Statement]
	c.accumulateInGrid(n, comp, st)
	c.combining(n)
	c.shared(n, comp, st)
	op, free := ein.ReductionOperator(comp)
	_, _, scan := ein.ScanOperator(comp)
	outer := st.accumulators[n.Statement]
	inEarly, _ := outer.(*Accumulate)
	switch {
	case len(ein.Reduced(comp)) == 0:
		c.misfit(n, "%s has no reduced index", c.words.Statement(n.Statement))
	case scan:
		c.scan(n, st)
	case !free:
		c.inFixedOrder(n, comp, st)
	case inEarly != nil && inEarly.Region == Early:
		c.misfit(n, "early partial results are the only accumulators: the points bring their values to them")
	case n.Region == Output:
		c.inOutput(n, comp, op, outer)
	case n.Region == Workspace && outer != nil && !isWhole(outer):
		c.misfit(n, "the partial results of a parallel loop are the outermost accumulators, but for those in the output")
	case (n.Region == Shared || n.Region == Early) && outer != nil:
		c.misfit(n, "%s partial results are the outermost accumulators", n.Region)
	case n.Region == Workspace && st.vectors[n.Statement] != nil:
		c.misfit(n, "partial results of a parallel loop are scalars, and %s is a vector here", c.words.Index(n.Statement, st.vectors[n.Statement].Name))
	}
	if i := st.vectors[n.Statement]; i != nil && i.Combine.Kind == ein.Reduce {
		c.misfit(n, "the lanes over the reduced index %s would share its partial results%s", i.Name, c.accumulateAt(n.Statement, "above the vector loop"))
	}
	if b := InChunks(n); n.Region == Workspace && !c.grids && (b == nil || !b.Members[0].Parallel || len(b.Members) > 1 && b.Members[1].Parallel) {
		c.misfit(n, "the parallel loop over what %s reduces is the first one inside of its partial results, and no other parallel loop is directly inside of it%s", c.words.Statement(n.Statement), c.words.Advice("; expected a band whose first member alone is parallel"))
	}
	c.resultsAsked(n)
	for _, i := range comp.ByKind(ein.Concat) {
		if open := st.count.OpenOver(n.Statement, i.Name); open != nil {
			c.misfit(n, "which points of %s are visited in %s is not known where the results of %s open: its blocks are those of a larger one further in, or skewed%s", i.Name, c.words.Loop(open), c.words.Statement(n.Statement), c.words.Advice("; accumulate further out, or inside of both"))
			return
		}
		c.coordinateHere(n, comp, i, st)
		if _, known := i.Extent.IsConst(); !known && st.left[place{n.Statement, i.Name}] == whole && !isWhole(n) {
			c.misfit(n, "index %s has an unknown size inside of the loops over what %s reduces; cut it into blocks, or have its loops, further out", i.Name, c.words.Statement(n.Statement))
		}
	}
	if c.errs.HasErrors() {
		return
	}
	st = st.clone()
	c.reserve(n, c.accumulatorBytes(n, comp, st), &st)
	st.accumulators[n.Statement] = n
	c.node(n.Child, st)
}

// coordinateHere checks that the points whose results come to life at an accumulate are
// known there, although the values of coordinates are no points. Partial results in the
// output may be those of all points that the coordinates further in have; but where a
// coordinate depends on a reduced index, what is left of it says nothing of the points.
func (c *checker) coordinateHere(n *Accumulate, comp *ein.Comprehension, i *ein.Index, st state) {
	left := st.left[place{n.Statement, i.Name}]
	by := c.frames.Of(n.Statement, i).ByReduced()
	_, follow := c.frames.OfResults(n.Statement, comp, func(o *ein.Index) bool { return st.left[place{n.Statement, o.Name}] != whole })
	switch skewed := by != nil; {
	case !c.frames.Involved(n.Statement, comp, i):
	case skewed && (!isWhole(n) || left != whole):
		c.misfit(n, "%s is skewed by %s, which is reduced, so that all results are open at once, and they are not kept so%s", c.words.Index(n.Statement, i.Name), by.Name, c.accumulateAt(n.Statement, "output, or shared, above the loops over both"))
	case !follow:
		c.misfit(n, "%s and other indices of results are skewed so that these do not follow from the coordinates that no reduced index is in", c.words.Index(n.Statement, i.Name))
	case !isWhole(n) && left != 1:
		c.misfit(n, "%s is skewed, or fused with another range: its loops must be outside of those over what is reduced", c.words.Index(n.Statement, i.Name)).advise("move its loops further out, or leave out the skew")
	}
}

// shared checks an accumulate in whose life other statements run, too: the loops below
// are those of all of them, up to the sequence that parts them.
func (c *checker) shared(n *Accumulate, comp *ein.Comprehension, st state) {
	if len(st.active) == 1 {
		return
	}
	_, free := ein.ReductionOperator(comp)
	if !free && n.Region != Shared {
		c.misfit(n, "%s is reduced in a fixed order, or scanned: where other statements share its loops, no loop over what it reduces is parallel%s", c.words.Statement(n.Statement), c.accumulateAt(n.Statement, "shared"))
	}
	for _, i := range comp.Indices {
		if slices.ContainsFunc(st.paths[place{n.Statement, i.Name}], func(m *Member) bool { return m.Pad }) {
			c.misfit(n, "the tiles of %s are padded: no other statement may share the loops of %s", c.words.Index(n.Statement, i.Name), c.words.Statement(n.Statement))
		}
	}
}

// InChunks returns the band whose parallel loop has the partial results of an accumulate
// in the workspace, perhaps together with those of other statements; nil for none.
func InChunks(n *Accumulate) *Band {
	switch child := n.Child.(type) {
	case *Band:
		return child
	case *Accumulate:
		if child.Region == Workspace && child.Statement != n.Statement {
			return InChunks(child)
		}
	}
	return nil
}

// isWhole reports whether accumulators are those of all results, in the output or an array
// like it, and not of a block of them.
func isWhole(n Node) bool {
	a, ok := n.(*Accumulate)
	return ok && a.Region >= Output && a.Region != Local
}

// inFixedOrder checks the accumulators of a reduction in a fixed order; that the loops below
// keep it is one of the dependences.
func (c *checker) inFixedOrder(n *Accumulate, comp *ein.Comprehension, st state) {
	name := c.words.Statement(n.Statement)
	switch {
	case st.accumulators[n.Statement] != nil:
		c.misfit(n, "%s has a fixed order of reduction, and its accumulators already", name)
	case n.Region != Register && n.Region != Shared:
		c.misfit(n, "%s has a fixed order of reduction: its accumulators are in register or shared", name).advise("write: accumulate %s register", name)
	}
	for k, i := range CombinedIn(n.Child, n.Statement, comp) {
		if by := c.frames.Of(n.Statement, i).ByReduced(); n.Region == Register && k > 0 && i.Combine.Kind == ein.Scan && by != nil {
			c.misfit(n, "%s is scanned inside of another reduction, and skewed by %s: the places of what it carries do not follow from its coordinate%s", c.words.Index(n.Statement, i.Name), by.Name, c.accumulateAt(n.Statement, "shared"))
		}
	}
	for _, i := range comp.ByKind(ein.Concat) {
		if n.Region == Register && (st.left[place{n.Statement, i.Name}] != 1 && c.blockSize(n.Statement, i, st) > 1 || VectorBelow(n.Statement, i.Name, n.Child) > 0) {
			c.misfit(n, "%s has a fixed order of reduction: its index %s must be enumerated further up, or the accumulators be shared", name, i.Name)
		}
	}
}

// Plain reports whether below an accumulate there is just a loop over the points of each
// reduced index, in the order in which they are combined.
func Plain(n *Accumulate, comp *ein.Comprehension) bool {
	rest := CombinedIn(n.Child, n.Statement, comp)
	b, ok := n.Child.(*Band)
	ok = ok && len(b.Members) == len(rest)
	for k := 0; ok && k < len(rest); k++ {
		m := b.Members[k]
		l := m.Loops[0]
		ok = len(m.Loops) == 1 && l.Index == rest[k].Name && len(l.By) == 0 && m.Tile == 1 && m.Vector == 0 && m.concurrent() == "" && !m.Reverse
	}
	return ok
}

func (c *checker) inOutput(n *Accumulate, comp *ein.Comprehension, op *ein.Operator, outer Node) {
	if outer != nil {
		c.misfit(n, "partial results in the output are the outermost accumulators")
	}
	if why := InOutput(comp, op); why != "" {
		c.misfit(n, "%s", why)
	}
}

// InOutput returns why the partial results of a reduction cannot live in what it
// writes, or "".
func InOutput(c *ein.Comprehension, op *ein.Operator) string {
	if op != nil && op.Identity == nil {
		return fmt.Sprintf("the operator %s has no identity, from which they would start", op.Name)
	}
	if c.Accumulate != nil && !ein.SameOperator(c.Accumulate, op) {
		return "the old value is joined with another operator than the reduction's"
	}
	for _, w := range c.Writes {
		if w.Tensor.Type.IsHalf() {
			return fmt.Sprintf("%s is %s: partial results would be rounded", w.Tensor.Name, w.Tensor.Type)
		}
		for _, a := range c.Accesses() {
			if a.Tensor == w.Tensor {
				return fmt.Sprintf("the statement reads %s, which would hold partial results", w.Tensor.Name)
			}
		}
	}
	return ""
}
