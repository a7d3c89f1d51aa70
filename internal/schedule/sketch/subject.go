package sketch

import (
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A subject is what rules look at: statements that follow each other, and may be one launch.
type subject struct {
	f     *ein.Func
	p     *machine.Processor
	grid  *machine.Grid
	nests []*nest
	// common is how many results the statements have in common: their first ones, of the same size.
	common int
}

// A nest is one statement of it.
type nest struct {
	statement int
	c         *ein.Comprehension
	results   []*ein.Index // of which there are several values, in the order of the dimensions that are written
	reduced   []*ein.Index
	single    []*ein.Index // results of one value
	free      bool         // it is reduced in any order
	reads     []*read
}

// A read is an access with the elements by which its address moves along each index.
type read struct {
	tensor *ein.Tensor
	steps  map[*ein.Index]int64
}

func newSubject(f *ein.Func, p *machine.Processor, first, last int) *subject {
	x := &subject{f: f, p: p, grid: p.Grid}
	for s := first; s <= last; s++ {
		x.nests = append(x.nests, newNest(f.Body[s], s))
	}
	x.common = len(x.nests[0].results)
	for _, n := range x.nests[1:] {
		x.common = min(x.common, len(n.results))
		for k := range x.common {
			if !n.results[k].Extent.Equal(x.nests[0].results[k].Extent) {
				x.common = k
				break
			}
		}
	}
	return x
}

func newNest(c *ein.Comprehension, s int) *nest {
	n := &nest{statement: s, c: c, reduced: ein.Reduced(c)}
	_, n.free = ein.ReductionOperator(c)
	concat := c.ByKind(ein.Concat)
	add := func(i *ein.Index) {
		switch {
		case slices.Contains(n.results, i) || slices.Contains(n.single, i) || !slices.Contains(concat, i):
		case extentOf(i) <= 1:
			n.single = append(n.single, i)
		default:
			n.results = append(n.results, i)
		}
	}
	if len(c.Writes) > 0 {
		for _, sub := range c.Writes[0].Subscripts {
			if i, _, linear := schedule.IndexPlusConstant(c, sub); linear && i != nil {
				add(i)
			}
		}
	}
	for _, i := range concat {
		add(i)
	}
	for _, a := range c.Accesses() {
		n.reads = append(n.reads, readOf(c, a))
	}
	return n
}

func readOf(c *ein.Comprehension, a *ein.Access) *read {
	r := &read{tensor: a.Tensor, steps: map[*ein.Index]int64{}}
	stride := int64(1)
	for d := len(a.Subscripts) - 1; d >= 0; d-- {
		e, linear := ein.AffineOf(a.Subscripts[d])
		for _, i := range c.Indices {
			if k, _, ok := e.Linear(i.Name); linear && ok {
				r.steps[i] += k * stride
			} else if linear || ein.DependsOn(a.Subscripts[d], i) {
				r.steps[i] += stride // somewhere else
			}
		}
		stride *= sizeOf(a.Tensor.Dims[d])
	}
	return r
}

func sizeOf(d ein.Dim) int64 {
	if n, known := d.Extent.IsConst(); known {
		return max(n, 1)
	}
	return 1
}

// extentOf is how many values an index has; functions are specialised.
func extentOf(i *ein.Index) int64 {
	n, _ := i.Extent.IsConst()
	return max(n, 1)
}

// whole reports whether the statements have all results in common.
func (x *subject) whole() bool {
	return !slices.ContainsFunc(x.nests, func(n *nest) bool { return len(n.results) != x.common })
}

// alike reports whether the statements have the same results, more than one: an item may do its part of each, though nothing is shared.
func (x *subject) alike() bool { return x.common > 0 && x.whole() }

// extent is that of a common result.
func (x *subject) extent(k int) int64 { return extentOf(x.nests[0].results[k]) }

// over is a loop over a common result, for all statements.
func (x *subject) over(k int) *schedule.Member {
	m := &schedule.Member{Tile: 1}
	for _, n := range x.nests {
		m.Loops = append(m.Loops, schedule.Loop{Statement: n.statement, Index: n.results[k].Name})
	}
	return m
}

// group is such a loop over groups, each of a block of so many values.
func (x *subject) group(k int, tile int64) *schedule.Member {
	m := x.over(k)
	m.Groups = true
	if tile > 1 {
		m.Tile = tile
	}
	return m
}

// item is such a loop over items, each of a block of so many values.
func (x *subject) item(k int, count, tile int64) *schedule.Member {
	m := x.over(k)
	m.Items, m.Tile = count, max(tile, 1)
	return m
}

// loop is a loop of one statement.
func (n *nest) loop(i *ein.Index) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: n.statement, Index: i.Name}}, Tile: 1}
}

// inOrder is what follows one another of the statements, each made from its nest.
func (x *subject) inOrder(make func(*nest) schedule.Node) schedule.Node {
	if len(x.nests) == 1 {
		return make(x.nests[0])
	}
	seq := &schedule.Sequence{}
	for _, n := range x.nests {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{n.statement}, Child: make(n)})
	}
	return seq
}

// serial is what an item does for the results that are not enumerated yet, one after the other.
func (n *nest) serial(results []*ein.Index) schedule.Node {
	var inner schedule.Node = &schedule.Leaf{}
	if len(n.reduced) > 0 {
		inner = &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: schedule.BandOver(n.statement, n.reduced, inner)}
	}
	return schedule.BandOver(n.statement, slices.Concat(n.single, results), inner)
}

// band is a band, or what is below where it has no members.
func band(members []*schedule.Member, child schedule.Node) schedule.Node {
	if len(members) == 0 {
		return child
	}
	return &schedule.Band{Members: members, Child: child}
}

// width is how many items run the same instruction.
func (x *subject) width() int64 {
	if x.grid.Width > 0 {
		return x.grid.Width
	}
	return max(1, x.p.Whole(machine.SubGroup))
}

// cores is how many of them run groups.
func (x *subject) cores() int64 {
	if x.grid.Cores > 0 {
		return x.grid.Cores
	}
	return max(1, x.p.Whole(machine.GroupCores))
}

// doubling lists the multiples of a number by powers of two up to a limit.
func doubling(from, to int64) (list []int64) {
	for n := max(from, 1); n <= to; n *= 2 {
		list = append(list, n)
	}
	return list
}

// ceilPower is the power of two that is n, or the next one.
func ceilPower(n int64) int64 { return 1 << bits.Len64(uint64(max(n, 1)-1)) }
