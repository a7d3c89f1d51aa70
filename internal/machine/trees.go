package machine

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/units"
)

// StackBytes is how much placed data a schedule may put on the stack of a thread:
// the sum of the nested blocks and accumulators.
const StackBytes = 1 << 20

// The layers of machines whose programs are schedule trees: the caches that a processor has,
// its registers, its cores and its vector lanes. MM and L3 are where data is anyway. L2 and L1
// are private to a core, and a tag that names them is an order: the block is copied
// into a dense array that fits there (packing).
const (
	MainMemory    = "MM"
	RegisterLayer = "REG"
	CoreLayer     = "COR"
	LaneLayer     = "SIMD"
)

// For returns the machine for values of some bytes: it has lanes for them, and
// constraints that say what a schedule tree expresses; see package mdh. Memories of which no capacity is known are left out, and it has
// the name by which texts call the machine for which schedules are made. Machines whose programs are no schedule trees are
// the same for all values.
func (m *Machine) For(elementBytes int) *Machine {
	if !m.Trees {
		return m
	}
	other := *m
	other.Name = HostName
	other.Layers = slices.DeleteFunc(slices.Clone(m.Layers), func(l Layer) bool { return !l.Core && l.Bytes == 0 && l.Name != MainMemory })
	if n := other.Find(LaneLayer); n > 0 {
		lanes := other.Layer(n)
		lanes.Units = max(1, lanes.Width/int64(max(1, elementBytes)))
	}
	other.Constraints = append(other.treeConstraints(), m.Constraints...)
	return &other
}

func (m *Machine) treeConstraints() []Constraint {
	const unrolled = 256
	simd, cor := []string{LaneLayer}, []string{CoreLayer}
	list := []Constraint{
		{Kind: OneDimension, Parameter: "0", Layers: simd, Reason: "a vector lies along one dimension"},
		{Kind: PowerOfTwo, Parameter: "0", Layers: simd, Reason: "a vector has a power of two of lanes"},
		{Kind: Neighbours, Parameter: "S2", Layers: simd, Reason: "the lanes of a vector are neighbours"},
		{Kind: PartsTogether, Parameter: "0", Layers: []string{RegisterLayer}, Limit: unrolled, Reason: "loops over registers are written out"},
		combine(CoreLayer, "threads combine in main memory", MainMemory),
	}
	for _, l := range m.Layers {
		if l.Copied {
			list = append(list,
				Constraint{Kind: SameUnits, Parameter: "D2", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: SameUnits, Parameter: "R2", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: Visible, Parameter: "D3", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: Visible, Parameter: "R3", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: Capacity, Parameter: "R3", Regions: []string{l.Region}, Limit: min(l.Bytes, StackBytes), Reason: "one core has " + units.Bytes(l.Bytes) + " of " + l.Region},
				Constraint{Kind: Capacity, Parameter: "D3", Regions: []string{l.Region}, Limit: min(l.Bytes, StackBytes), Reason: "one core has " + units.Bytes(l.Bytes) + " of " + l.Region})
		}
	}
	return append(list,
		Constraint{Kind: Trees, Parameter: "S1", Reason: "a schedule tree has no such nest"})
}
