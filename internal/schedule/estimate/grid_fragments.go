package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// fragmentLatency is how many additions one after the other take as long as a product of fragments.
const fragmentLatency = 8

// fragments is the work of all that is in the loops over items of a statement which a matrix unit computes: for each group of terms the
// items of a sub-group load their parts of some fragments of both operands from local memory, and multiply each of one with each of the other.
func (g *gridWalk) fragments(s int, f *schedule.Fragmented) groupWork {
	u := g.noWork()
	items := f.Rows.Items * f.Columns.Items
	g.shape = []float64{float64(items)}
	sub := float64(items / ein.FragmentLanes)
	room := func(m *schedule.Member) float64 {
		i, _ := g.indexIn(m, s)
		return g.wholeRoom(s, i)
	}
	rows := math.Ceil(room(f.Rows) / float64(schedule.FragmentPair*f.Rows.Items))
	columns := math.Ceil(room(f.Columns) / float64(schedule.FragmentPair*f.Columns.Items))
	steps := math.Ceil(room(f.Unit) / float64(f.Shape.Depth))
	for _, m := range f.Around {
		steps *= room(m)
	}
	u.issued = sub * steps * (rows*columns + perLoopStep)
	products := float64(ein.FragmentRows*ein.FragmentColumns) * float64(f.Shape.Depth)
	rate := g.fragmentRate(f.X.Tensor)
	if rate == 0 { // a given schedule for another machine
		rate = g.machine.Value(machine.ItemLanes)
	}
	u.lanes = sub * steps * rows * columns * products * g.machine.Value(machine.ItemLanes) / rate
	u.registers = g.addresses(s)
	for _, o := range []struct {
		operand   *ein.Access
		along     *schedule.Member
		layout    ein.Layout
		fragments float64
	}{{f.X, f.Rows, f.Shape.X, rows}, {f.Y, f.Columns, f.Shape.Y, columns}} {
		loads, conflicts, exchanged := g.fragmentLoads(s, f, o.operand, o.along, o.layout)
		u.issued += sub * steps * o.fragments * loads * (1 + exchanged)
		u.banks += sub * steps * o.fragments * loads * conflicts
		u.registers += o.fragments * math.Ceil(float64(len(o.layout.Lines))*float64(o.operand.Tensor.Type.Size())/wordBytes)
	}
	u.settled = steps * (g.machine.Value(machine.LocalLatency) + fragmentLatency*g.machine.Value(machine.ItemLatency)) / min(steps, g.machine.Value(machine.InFlight))
	return u
}

// wholeRoom is how large the block at hand of an index is, whether all of it exists or not: matrix units compute all of it.
func (g *gridWalk) wholeRoom(s, index int) float64 {
	for _, e := range slices.Backward(g.loops) {
		if e.member != nil && e.member.Tile > 1 && e.member.Items == 0 {
			if i, ok := g.indexIn(e.member, s); ok && i == index {
				return float64(e.member.Tile)
			}
		}
	}
	return g.rooms[s][index]
}

// fragmentLoads is how many loads an item has of its part of a fragment, and how long each takes the banks: neighbours that lie side by
// side are one word.
func (g *gridWalk) fragmentLoads(s int, f *schedule.Fragmented, operand *ein.Access, along *schedule.Member, layout ein.Layout) (loads, conflicts, exchanged float64) {
	at := 0
	for k := range g.statements[s].reads {
		if g.tensors[g.statements[s].reads[k].tensor] == operand.Tensor {
			at = k
		}
	}
	a := &g.statements[s].reads[at]
	line, _ := g.indexIn(along, s)
	term, _ := g.indexIn(f.Unit, s)
	loads, bytes := float64(len(layout.Lines)), a.bytes
	if g.step(a, term) == a.bytes {
		loads /= float64(layout.Step)
		bytes *= float64(layout.Step)
	}
	var offsets []float64
	for l := range int64(ein.FragmentLanes) {
		row, k := layout.Of(l, 0)
		offsets = append(offsets, float64(row)*g.step(a, line)+float64(k)*g.step(a, term))
	}
	if b := g.blocksL[a.tensor]; b != nil {
		return loads, g.bank(b, a, offsets, bytes), b.exchanged()
	}
	return loads, g.inBanks(offsets, bytes), 0
}

// fragmentProducts is how many products of a function's elements matrix units of a core begin in a cycle, where they compute all of its sums; 0: not.
func (m *Model) fragmentProducts() (rate float64) {
	for _, c := range m.f.Body {
		if len(ein.Reduced(c)) == 0 {
			continue
		}
		x, _, shape := ein.FragmentsOf(c)
		if shape == nil {
			return 0
		}
		rate = m.fragmentRate(x.Tensor)
	}
	return rate
}

// fragmentRate is how many products of a tensor's elements the matrix units of a core begin in a cycle; 0: it has none for them.
func (m *Model) fragmentRate(t *ein.Tensor) float64 {
	if !m.machine.MultipliesFragments(t.Type) {
		return 0
	}
	return m.machine.Value(machine.Fragments) * float64(tensor.Float16.Size()) / float64(t.Type.Size())
}
