package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How convolutions of float32 are scheduled for a matrix unit
//
// Like other contractions in parts (contraction_parts.go) a task is as large as can be, and the target has its own
// order. It is for windows of one step, which are neighbours of each other: parts of a plane of the
// image are made once for all shifts. The results' rows of an image, and images, are runs of columns, whatever
// lies between them; the members are those of a reduced index that is in no window.

// A partsWindows is a convolution for a matrix unit, which multiplies parts.
type partsWindows struct {
	mk             *maker
	c              *ein.Comprehension
	along, shared  *ein.Access // the image and the filter
	column, member *ein.Index
}

// convolvedInParts makes the subtree of a group that is one convolution of float32, or nil.
func (mk *maker) convolvedInParts(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	k := mk.partsWindows(s)
	if k == nil {
		return nil
	}
	member := func(i *ein.Index, tile int64) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: tile}
	}
	var tasks, inside []*schedule.Member
	split, share, _ := k.shares(int64(mk.m.Cores))
	if p.parallel && split != nil {
		m := member(split, share)
		m.Parallel, m.Coincident = true, true
		tasks = append(tasks, m)
	}
	unit := member(k.member, 1)
	unit.Group, unit.Matrix = 1, true
	inside = append(inside, unit)
	for _, i := range append(slices.Clone(ein.Reduced(k.c)), k.c.ByKind(ein.Concat)...) {
		if isPoint := len(tasks) > 0 && i == split && share == 1; i != k.member && i != k.column && !isPoint {
			inside = append(inside, member(i, 1))
		}
	}
	vector := member(k.column, 1)
	vector.Vector = mk.lanesOf(k.c)
	return wrap(tasks, &schedule.Accumulate{Statement: s, Region: schedule.Output, Child: wrap(append(inside, vector), &schedule.Leaf{})})
}

// partsWindows recognises a convolution of float32 that parts are faster for, or returns nil.
func (mk *maker) partsWindows(s int) *partsWindows {
	c := mk.f.Body[s]
	x, y := mk.operandsOfParts(c)
	if x == nil {
		return nil
	}
	k := &partsWindows{mk: mk, c: c, along: x, shared: y}
	if !schedule.HasWindows(c, x) {
		k.along, k.shared = y, x
	}
	w := c.Writes[0]
	for _, i := range c.ByKind(ein.Concat) {
		if mk.along(c, w.Tensor, w.Subscripts, i) == unit {
			k.column = i
		}
	}
	for _, i := range ein.Reduced(c) {
		if k.isPlain(k.along, i) && k.isPlain(k.shared, i) && (k.member == nil || estimate(i.Extent) > estimate(k.member.Extent)) {
			k.member = i
		}
	}
	if k.column == nil || k.member == nil || !k.hasOneRow() {
		return nil
	}
	if _, _, why := schedule.DotOperands(c, k.member, k.column, 1); why != "" || !k.isFaster() {
		return nil
	}
	return k
}

// isPlain reports whether an access has an index alone in a subscript.
func (k *partsWindows) isPlain(a *ein.Access, i *ein.Index) bool {
	return slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool {
		of, _, plain := schedule.IndexPlusConstant(k.c, sub)
		return plain && of == i
	})
}

// hasOneRow reports whether of the results' indices one is of the filter, and the others of the image.
func (k *partsWindows) hasOneRow() bool {
	rows := 0
	for _, i := range k.c.ByKind(ein.Concat) {
		ofImage, ofFilter := ein.AnyDependsOn(k.along.Subscripts, i), ein.AnyDependsOn(k.shared.Subscripts, i)
		if ofImage == ofFilter {
			return false
		}
		if ofFilter {
			rows++
		}
	}
	return rows == 1
}

// cycles is the time where an index has so many points, and products how many of 32 x 32 x 32 there are; ok is false
// where the target does not make parts of planes.
func (k *partsWindows) cycles(split *ein.Index, share int64) (cycles, products float64, ok bool) {
	points := func(i *ein.Index) int64 {
		if i == split {
			return share
		}
		return estimate(i.Extent)
	}
	step := func(i *ein.Index) int64 { return k.mk.step(k.along.Tensor, k.along.Subscripts, i) }
	p, ok := schedule.NewPartsWindows(k.c, k.along, k.member, k.column, points, step, schedule.RoomOf(schedule.CutOf(ein.WindowProduct, k.mk.m), ein.WindowProduct))
	if !ok {
		return math.Inf(1), 0, false
	}
	return p.Cycles(k.mk.m), p.Products(), true
}

// shares returns the index of the results that is cut into shares of equal size for so many threads, the one
// with which they take the least time, and this; nil where it takes none less.
func (k *partsWindows) shares(threads int64) (split *ein.Index, share int64, least float64) {
	least, _, _ = k.cycles(nil, 0)
	for _, i := range k.c.ByKind(ein.Concat) {
		n := estimate(i.Extent)
		size := (n + threads - 1) / threads
		if !ein.AnyDependsOn(k.along.Subscripts, i) {
			size = min(n, roundUp(size, ein.PartsLines/2))
		}
		if i == k.column || size == n {
			continue
		}
		if time, _, _ := k.cycles(i, size); time < least {
			least, split, share = time, i, size
		}
	}
	return split, share, least
}

// isFaster compares the times of parts and of vectors.
func (k *partsWindows) isFaster() bool {
	cycles, products, ok := k.cycles(nil, 0)
	vectors, threads := k.mk.vectorCycles(products*ein.PartsLines*ein.PartsLines*ein.PartsLines), int64(k.mk.m.Cores)
	if threads > 1 {
		_, _, cycles = k.shares(threads)
		vectors /= float64(threads)
	}
	return ok && cycles < leastGain*vectors
}
