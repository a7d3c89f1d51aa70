package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction of sizes that are not known is scheduled: they are symbols
//
// It gets the blocks of one of some known sizes, assumedSize, which are large: there blocks
// count, and no tile is chosen because it fits. Of a size that is not known all tiles are
// padded, so that one kernel serves whole ones and those at the end; and it is cut wherever
// an operand is copied or sums of blocks wait, for the room of a copy must be known. Small
// products pay for that with a copy and some padding.
//
// That the blocks stay in bounds for all sizes is proved for the loops that come of it. Where
// it is not, the function gets the schedule without them (Options.Unblocked).

// assumedSize is what a size that is not known is supposed to be: of medium blocks, and no
// multiple of anything.
const assumedSize = 1021

// symbolicContraction makes the schedule of a group that is one contraction, some of whose sizes are not
// known.
func (mk *maker) symbolicContraction(p *plan) schedule.Node {
	if mk.options.Unblocked || len(p.g.statements) != 1 || len(mk.f.Sizes) == 0 {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	if !mk.contraction(c) || mk.windowed(c) || !slices.ContainsFunc(c.Indices, isSymbolic) {
		return nil
	}
	sizes := map[string]int64{}
	for _, size := range mk.f.Sizes {
		sizes[size.Name] = assumedSize
	}
	known, err := mk.f.Specialise(sizes, nil)
	if err != nil {
		return nil // these are no sizes that it can have
	}
	k := newMaker(known, mk.m, mk.options).newContraction(p, s)
	if !k.isRegular() {
		return nil
	}
	k.open = map[*ein.Index]bool{}
	for n, i := range k.c.Indices {
		k.open[i] = isSymbolic(c.Indices[n])
	}
	n := k.nest(p)
	mk.opens = mk.opens || n != nil
	return n
}

// isSymbolic reports whether the extent of an index is not known.
func isSymbolic(i *ein.Index) bool {
	_, known := i.Extent.IsConst()
	return !known
}

// The blocks of sizes that are not known have at most so many points: of columns or rows
// that are copied, and of rows for a task. One of rows copies the columns for itself, which
// a matrix unit would wait for.
const mostSymbolic, mostSymbolicRows = 512, 1024

// mostOpenVectors is how many vectors a register tile has along columns whose number is not
// known, and which may be few: all of them are computed.
const mostOpenVectors = 2

// cutSymbolic returns at most how many points a block of an index has, whose room a copy needs
// where the index is that of copied operands.
func (k *contraction) cutSymbolic(i *ein.Index, most int64, copied bool) int64 {
	switch {
	case !k.open[i]:
		return most
	case copied:
		return min(most, mostSymbolic)
	case !k.matrix:
		return min(most, mostSymbolicRows)
	}
	return most
}

// cutOneSymbolicSum makes that one of the reduced indices whose extents are not known the first
// of the inner sum, which is the one that is cut, and leaves the others to loops around it.
func (k *contraction) cutOneSymbolicSum() {
	var known, open []*ein.Index
	for _, i := range k.inner {
		if k.open[i] {
			open = append(open, i)
		} else {
			known = append(known, i)
		}
	}
	if n := len(open); n > 0 {
		k.inner, k.outer = append(open[n-1:], known...), append(k.outer, open[:n-1]...)
	}
}
