package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How prefetching is scheduled
//
// Where the rows of a chain of statements stay in the nearest caches, a core waits
// for the memory when the first statement of a row reads its input, and the memory
// waits for the core when a later one computes functions. The vectors of the latter
// therefore fetch what they read for the next row, too: softmax of 4096² floats takes
// 18.7 instead of 22.4 ms on one thread.

// A processor follows the places that are read or written in order, and fetches what comes
// next, but not far enough to keep the memory busy, and it stops at the ends of pages. So
// vectors that go through memory ask for the lines some way ahead of them, for those that
// they read first and for those that they write: on Cascade Lake a copy of 2^24 floats
// takes 11.1 ms instead of 14.7, a stencil of five points 11.5 instead of 13.9, and 6.3
// instead of 9.5 on two threads.

// How far ahead: 1 to 4 KB do equally well on Cascade Lake. On Granite Rapids, where the beginnings of
// pages are asked for too (target/c), dot products of 2^24 floats take 0.94 and a softmax of rows of
// 4096 0.97 of the time with 3 KB instead of 2, with 4 to 16 KB 1.12; products of a matrix, of which several
// rows are read side by side, and a vector take 1.01 with 3 KB. Of a stencil, 2.5 KB against 2 and 3 KB
// take 0.98 and 1.01 of the time on 256³ (two threads 0.97 and 1.01), 0.98 and 0.98 on 4096², 0.99 and 0.96 on
// 8192² (two threads 1.01 and 0.96).
// aheadOf returns how many bytes ahead the vectors of statement number k ask for lines, or
// 0: they do where they run along memory that is larger than the caches of a core, and
// that is met here for the first time, or written.
func (mk *maker) aheadOf(p *plan, k int, vector *ein.Index) int64 {
	shortest := mk.run() / 4 // bytes of a run
	c := mk.f.Body[p.g.statements[k]]
	if mk.endToEnd(c, vector) != nil {
		shortest = leastChained * mk.line()
	}
	if column := p.vector; column >= 0 && p.othersTiled(column) || !mk.runsInOrder(c, vector) || mk.staysWithCores(p, c) || !mk.sumsAsk(p.g) {
		return 0
	}
	for _, a := range mk.accesses[p.g.statements[k]] {
		bytes := int64(a.Tensor.Type.Size())
		if estimate(vector.Extent)*bytes < shortest || a.Writes && len(ein.Reduced(c)) > 0 ||
			mk.along(c, a.Tensor, a.Subscripts, vector) != unit || !metOnce(c, a) || !a.Writes && mk.isNear(p, k, a.Tensor) {
			continue
		}
		for _, d := range a.Tensor.Dims {
			bytes = schedule.MultiplySizes(bytes, max(1, estimate(d.Extent)))
		}
		if bytes > mk.m.L2 && !slices.Contains(p.near, a.Tensor) && !(a.Tensor.Role == ein.Temp && mk.keeps(p.g, a.Tensor)) {
			switch {
			case p.othersTiled(p.vector):
				return mk.besideBytes()
			case metAround(c, a.Tensor):
				return mk.aroundBytes()
			}
			return mk.aheadBytes()
		}
	}
	return 0
}

// sumsAsk reports whether the sums of a group ask for lines ahead. Where they write little, asking is but more work for
// what the hardware does by itself, most of all in what the last cache delivers: with 4 MB a sum of floats takes 0.78 of
// the time without on one thread of a Zen 4, with 16 MB 0.9, with 256 MB 1.02.
func (mk *maker) sumsAsk(g *group) bool {
	if slices.ContainsFunc(g.statements, func(s int) bool { return len(ein.Reduced(mk.f.Body[s])) == 0 }) {
		return true
	}
	ratios := mk.m.Ratios()
	if mk.goneThrough(g) > mk.m.Shared() {
		return machine.Pays(ratios.AskedSums)
	}
	return machine.Pays(ratios.AskedNearSums)
}

// rowsAsk reports whether it pays to ask for the next of rows that lie far apart.
func (mk *maker) rowsAsk() bool { return machine.Pays(mk.m.Ratios().AskedRows) }

// staysWithCores reports whether what a reduction reads has room in the second-level caches of all
// cores together. Threads have the same shares in every call, so nothing comes from further away, and
// to ask for lines ahead only takes time: the product of a matrix of 1000 x 1000 floats and a vector
// takes 0.80 of the time on two threads, a sum of its columns 0.84. Up to 64 MB of a third-level cache
// both ways take the same time.
func (mk *maker) staysWithCores(p *plan, c *ein.Comprehension) bool {
	return p.parallel && len(mk.f.Body) == 1 && len(ein.Reduced(c)) > 0 && !mk.isFar(c)
}

// metAround reports whether a statement reads a tensor in several places.
func metAround(c *ein.Comprehension, t *ein.Tensor) bool {
	places := 0
	for _, a := range distinct(c.Accesses()) {
		if a.Tensor == t {
			places++
		}
	}
	return places > 1
}

// runsInOrder reports whether the points of a statement follow one another along an index:
// it is a reduced one, the last of them, or nothing is reduced.
func (mk *maker) runsInOrder(c *ein.Comprehension, vector *ein.Index) bool {
	rest := ein.Reduced(c)
	return len(rest) == 0 || rest[len(rest)-1] == vector
}

// metOnce reports whether the points of a statement are met at different elements by an
// access: each index of more than one value is in a subscript of its own.
func metOnce(c *ein.Comprehension, a schedule.Access) bool {
	return !slices.ContainsFunc(c.Indices, func(i *ein.Index) bool {
		return !isUnit(i) && !slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool {
			plain, _, ok := schedule.IndexPlusConstant(c, sub)
			return ok && plain == i
		})
	})
}

// isUnit reports whether an index has one value.
func isUnit(i *ein.Index) bool { return i.Extent.Equal(affine.Const(1)) }

// isNear reports whether an earlier statement of a group has read a tensor, or another one
// fetches it.
func (mk *maker) isNear(p *plan, k int, t *ein.Tensor) bool {
	for n, s := range p.g.statements {
		if n == k || !slices.ContainsFunc(mk.accesses[s], func(a schedule.Access) bool { return a.Tensor == t }) {
			continue
		}
		if own := p.own[s]; n < k || own != nil && mk.prefetched(p, n, own) != "" {
			return true
		}
	}
	return false
}

// prefetched returns the index for whose next value the vectors of statement number k
// fetch, or "": they do in the statement of a group that has the most arithmetic, if
// that calls functions.
func (mk *maker) prefetched(p *plan, k int, vector *ein.Index) string {
	const busy = 16 // operations
	if len(p.g.statements) < 2 || p.vector >= 0 || len(p.g.columns) == 0 || !mk.isBusiest(p.g, k, busy) {
		return ""
	}
	c := mk.f.Body[p.g.statements[k]]
	order := p.order()
	column := order[len(order)-1]
	row := p.g.columns[column][k]
	for _, i := range c.Indices {
		if _, known := i.Extent.IsConst(); !known || p.tiles[column] != 1 || i.Combine.Kind != ein.Concat {
			return ""
		}
	}
	for _, a := range c.Accesses() {
		if a.Tensor.Role == ein.Temp || !ein.AnyDependsOn(a.Subscripts, row) || mk.along(c, a.Tensor, a.Subscripts, vector) != unit {
			continue
		}
		line, all := estimate(vector.Extent)*int64(a.Tensor.Type.Size()), int64(a.Tensor.Type.Size())
		for _, d := range a.Tensor.Dims {
			all = schedule.MultiplySizes(all, estimate(d.Extent))
		}
		if all > mk.m.L2 && line <= mk.m.L2/8 {
			return row.Name
		}
	}
	return ""
}

// isBusiest reports whether statement number k is the first with the most arithmetic of
// its group, at least so much.
func (mk *maker) isBusiest(g *group, k int, least float64) bool {
	most := arithmetic(mk.f.Body[g.statements[k]])
	for n, s := range g.statements {
		if other := arithmetic(mk.f.Body[s]); other > most || other == most && n < k {
			return false
		}
	}
	return most >= least
}
