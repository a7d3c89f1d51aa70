package standard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How points of a stencil share what they read: unroll and jam
//
// A stencil of many points loads more vectors than it has time to compute with, most of them
// across two lines of the cache. Neighbours along its outer indices read largely the same: two
// points along each of two indices, computed together, load 12 vectors a point instead of
// 27 for the 27 neighbours in three dimensions, and 17 instead of 25 for a star with four
// points in each direction (0.85 of the time of both, 256³ floats). Their loops are tiles, in
// which the points are written out; the lowering stores none before all are computed.
//
// Coefficients that have no room in registers are loaded by every point still, so that less
// is gained: 25 of them beside a second tensor took 1.25 of the time (1003 x 1017 floats).

const (
	leastShared = 16   // vectors that a point loads: with fewer of them memory is slower
	mostJammed  = 4    // points that are computed together
	paysShared  = 0.71 // of the loads at most are left
	mostWritten = 128  // reads that are written out
)

// unrollAndJam chooses how many points of some columns are computed together: those that load
// fewest vectors. Columns with one point are not in the answer.
func (mk *maker) unrollAndJam(p *plan, columns []int) map[int]int64 {
	c := mk.f.Body[p.g.statements[0]]
	single, coefficients := mk.distinctLoads(p, nil), mk.loadedConstants(c)
	if single < leastShared || estimate(p.g.columns[p.vector][0].Extent) <= int64(p.lanes) || mk.readsWritten(c) || c.Accumulate != nil {
		return nil
	}
	var best map[int]int64
	fewest := paysShared*float64(single+coefficients) - float64(coefficients)
	for _, factors := range unrollAndJamChoices(p, columns, mostJammed) {
		points := int64(1)
		for _, n := range factors {
			points *= n
		}
		if each := float64(mk.distinctLoads(p, factors)) / float64(points); each < fewest && single*points <= mostWritten {
			best, fewest = factors, each
		}
	}
	return best
}

// unrollAndJamChoices lists the ways to take up to so many points together, along columns that have them.
func unrollAndJamChoices(p *plan, columns []int, most int64) []map[int]int64 {
	list := []map[int]int64{{}}
	for _, col := range columns {
		n := estimate(p.g.columns[col][0].Extent)
		for _, others := range slices.Clone(list) {
			product := int64(1)
			for _, m := range others {
				product *= m
			}
			for f := int64(2); f*product <= most && f < n; f *= 2 {
				with := maps.Clone(others)
				with[col] = f
				list = append(list, with)
			}
		}
	}
	return list[1:]
}

// loadedConstants counts the different constants of a statement, if they are so many that they
// do not stay in registers.
func (mk *maker) loadedConstants(c *ein.Comprehension) int64 {
	seen := map[uint64]bool{}
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			if k, ok := e.(*ein.Const); ok {
				seen[k.Bits] = true
			}
			_, isRead := e.(*ein.Access)
			return !isRead
		})
	}
	if n := int64(len(seen)); n > mk.registers()/2 {
		return n
	}
	return 0
}

// readsWritten reports whether a statement reads a tensor that it writes.
func (mk *maker) readsWritten(c *ein.Comprehension) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor == a.Tensor })
	})
}

// distinctLoads counts the different elements that neighbouring points of a statement read: so
// many along each column.
func (mk *maker) distinctLoads(p *plan, factors map[int]int64) int64 {
	c := mk.f.Body[p.g.statements[0]]
	shifts := []map[*ein.Index]int64{{}}
	for col, n := range factors {
		index := p.g.columns[col][0]
		for _, shift := range slices.Clone(shifts) {
			for k := int64(1); k < n; k++ {
				with := maps.Clone(shift)
				with[index] = k
				shifts = append(shifts, with)
			}
		}
	}
	seen := map[string]bool{}
	for _, a := range c.Accesses() {
		for _, shift := range shifts {
			seen[elementOf(c, a, shift)] = true
		}
	}
	return int64(len(seen))
}

// elementOf names the element that an access reads at a point which is shifted.
func elementOf(c *ein.Comprehension, a *ein.Access, shift map[*ein.Index]int64) string {
	var b strings.Builder
	b.WriteString(a.Tensor.Name)
	for _, sub := range a.Subscripts {
		if index, constant, ok := schedule.IndexPlusConstant(c, sub); ok {
			fmt.Fprintf(&b, " %s+%d", index.Name, constant+shift[index])
			continue
		}
		fmt.Fprintf(&b, " %p", sub)
		for _, i := range c.Indices {
			if d := shift[i]; d > 0 && ein.DependsOn(sub, i) {
				fmt.Fprintf(&b, " %s+%d", i.Name, d)
			}
		}
	}
	return b.String()
}
