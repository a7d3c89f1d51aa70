package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a block of elements is computed in phases
//
// Two contractions after each other in different directions share the third one: below a
// loop over it the temporary between them is a plane. So statements are gathered, in the
// order of the program, that share such an index with the first one that is left, as long
// as nothing that they depend on is left behind; what a contraction reads of an element
// must depend on the index, too, or it would be read again for every plane. What two
// phases use is stored for the whole block.

// A phase is a part of the statements of a chain, which share a loop within an element.
type phase struct {
	numbers []int  // of the statements in the chain
	g       *group // with the columns that they share but for the elements
	planes  []*ein.Tensor
	blocks  []*ein.Tensor // that only this phase uses, but as a whole
}

func (p *phase) statements() []int { return p.g.statements }

// choosePhases gathers the statements.
func (e *elements) choosePhases() {
	var left []int
	for k := range e.g.statements {
		left = append(left, k)
	}
	for len(left) > 0 {
		p := &phase{numbers: left[:1:1], g: single(e.g.statements[left[0]], e.mk.f.Body[e.g.statements[left[0]]])}
		p.g.columns = e.shareable(p.g, left[0])
		var rest []int
		for _, k := range left[1:] {
			if e.independent(k, rest) {
				if g := e.mk.link(p.g, e.g.statements[k], true); g != nil {
					if g.columns = e.shareable(g, k); len(g.columns) > 0 {
						p.numbers, p.g = append(p.numbers, k), g
						continue
					}
				}
			}
			rest = append(rest, k)
		}
		if len(p.numbers) == 1 {
			p.g.columns = nil
		}
		e.phases, left = append(e.phases, p), rest
	}
}

// shareable lists the columns of a group that statement number k of the chain, the
// group's last one, can go through plane by plane.
func (e *elements) shareable(g *group, k int) (list [][]*ein.Index) {
	c := e.mk.f.Body[e.g.statements[k]]
	for _, column := range g.columns {
		i := column[len(column)-1]
		again := len(ein.Reduced(c)) > 0 && slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
			return ein.AnyDependsOn(a.Subscripts, e.index(k)) && !ein.AnyDependsOn(a.Subscripts, i)
		})
		if i != e.index(k) && !again {
			list = append(list, column)
		}
	}
	return list
}

// independent reports whether a statement may run before others that are before it.
func (e *elements) independent(k int, others []int) bool {
	for _, a := range e.mk.accesses[e.g.statements[k]] {
		for _, o := range others {
			for _, b := range e.mk.accesses[e.g.statements[o]] {
				if a.Tensor == b.Tensor && (a.Writes || b.Writes) {
					return false
				}
			}
		}
	}
	return true
}

// chooseStorage decides what is placed where; it fails if that does not fit.
func (e *elements) chooseStorage() bool {
	users := map[*ein.Tensor][]*phase{}
	var order []*ein.Tensor
	for _, p := range e.phases {
		for _, k := range p.numbers {
			for _, a := range e.mk.accesses[e.g.statements[k]] {
				if ein.AnyDependsOn(a.Subscripts, e.index(k)) && !slices.Contains(users[a.Tensor], p) {
					if users[a.Tensor] == nil {
						order = append(order, a.Tensor)
					}
					users[a.Tensor] = append(users[a.Tensor], p)
				}
			}
		}
	}
	bytes, most := int64(0), int64(0)
	each := map[*phase]int64{}
	for _, t := range order {
		block := e.lanes * int64(t.Type.Size())
		for _, dim := range t.Dims {
			if n := schedule.KnownSize(dim.Extent); n <= tinyExtent {
				block *= n
			}
		}
		if list := users[t]; len(list) > 1 {
			e.whole, bytes = append(e.whole, t), bytes+block
		} else if p := list[0]; e.inPlanes(p, t) {
			p.planes, each[p] = append(p.planes, t), each[p]+block/estimate(p.g.columns[0][0].Extent)
		} else {
			p.blocks, each[p] = append(p.blocks, t), each[p]+block
		}
	}
	for _, n := range each {
		most = max(most, n)
	}
	return bytes+most <= min(e.mk.m.L2/2, machine.StackBytes/2)
}

// longRun is how many neighbouring elements are worth a copy of their own.
const longRun = 64

// planeOf is how many points of an element a plane of a phase has.
func (e *elements) planeOf(p *phase, t *ein.Tensor) int64 {
	points := int64(1)
	for _, dim := range t.Dims {
		if n := schedule.KnownSize(dim.Extent); n <= tinyExtent {
			points *= n
		}
	}
	return points / estimate(p.g.columns[0][0].Extent)
}

// inPlanes reports whether a phase uses a tensor plane by plane, where those that are
// copied are long runs of memory.
func (e *elements) inPlanes(p *phase, t *ein.Tensor) bool {
	if len(p.g.columns) == 0 {
		return false
	}
	for n, k := range p.numbers {
		c := e.mk.f.Body[e.g.statements[k]]
		for _, a := range e.mk.accesses[e.g.statements[k]] {
			if a.Tensor != t {
				continue
			}
			at := slices.IndexFunc(a.Subscripts, func(sub ein.Expr) bool {
				i, _, plain := schedule.IndexPlusConstant(c, sub)
				return plain && i == p.g.columns[0][n]
			})
			slowest := slices.IndexFunc(t.Dims, func(d ein.Dim) bool { return schedule.KnownSize(d.Extent) <= tinyExtent })
			if at < 0 || t.Role != ein.Temp && (at != slowest || e.planeOf(p, t) < longRun) {
				return false
			}
		}
	}
	return true
}

// phase makes the subtree of a phase in a block of elements.
func (e *elements) phase(p *phase) schedule.Node {
	seq := &schedule.Sequence{}
	for n, k := range p.numbers {
		var shared *ein.Index
		if len(p.g.columns) > 0 {
			shared = p.g.columns[0][n]
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{e.g.statements[k]}, Child: e.statement(k, shared)})
	}
	var inner schedule.Node = seq
	if len(seq.Children) == 1 {
		inner = seq.Children[0].Child
	}
	if inner = placed(p.planes, inner); len(p.g.columns) > 0 {
		inner = wrap([]*schedule.Member{(&plan{g: p.g}).column(0, 1)}, inner)
	}
	return placed(p.blocks, inner)
}

// statement makes the nest of a statement in a block of elements, below the loop over
// the shared index if there is one.
func (e *elements) statement(k int, shared *ein.Index) schedule.Node {
	s := e.g.statements[k]
	c := e.mk.f.Body[s]
	t := &registerTile{statement: s, vector: e.index(k), lanes: e.lanes, vectors: 1}
	reduces := len(ein.Reduced(c)) > 0
	if reduces {
		t.points = e.points(s, t.vector, shared)
	}
	var loops []*schedule.Member
	for _, i := range c.ByKind(ein.Concat) {
		tile := t.count(i)
		if i == t.vector || i == shared || tile > 1 && tile == estimate(i.Extent) {
			continue
		}
		loops = append(loops, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: tile})
	}
	if reduces {
		return wrap(loops, t.nest(c))
	}
	vector := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: t.vector.Name}}, Tile: 1, Vector: int(e.lanes)}
	return wrap(append(loops, vector), &schedule.Leaf{})
}

// points chooses the register tile of a reduction: one vector for every point of up to
// two indices.
func (e *elements) points(s int, vector, shared *ein.Index) (list []tilePoints) {
	const edges = 1.1 // smaller tiles at the edges are kernels of their own
	c := e.mk.f.Body[s]
	k := &contraction{mk: e.mk, s: s, c: c, inner: ein.Reduced(c), operands: c.Accesses()}
	best := math.Inf(1)
	k.eachTile(vector, e.lanes, func(vectors int64, tile map[*ein.Index]int64) {
		if vectors > 1 || tile[shared] > 0 {
			return
		}
		cost := k.tileCost(vector, e.lanes, 1, tile)
		for i, n := range tile {
			if estimate(i.Extent)%n != 0 {
				cost *= edges
			}
		}
		if cost < best*0.99 {
			best, list = cost, nil
			for _, i := range c.ByKind(ein.Concat) {
				if n := tile[i]; n > 1 {
					list = append(list, tilePoints{i, n})
				}
			}
		}
	})
	return list
}
