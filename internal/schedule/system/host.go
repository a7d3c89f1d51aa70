package system

import (
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/units"
)

// HostName is the name of the models that Of makes.
const HostName = "host"

// Of returns the model of a processor for values of some bytes: the caches that it
// has, its registers, its cores and its vector lanes.
//
// L2 and L1 are private to a core, and a tag that names them is an order: the block
// is copied into a dense array that fits there (packing). MM and L3 are where data
// is anyway. The constraints beyond capacities say what a schedule tree expresses;
// see package mdh.
func Of(m *schedule.Machine, elementBytes int) *Model {
	layers := []Layer{memory("MM", "MM")}
	if m.L3 > m.L2 {
		layers = append(layers, Layer{Name: "L3", Region: "L3", Bytes: m.L3})
	}
	if m.L2 > m.L1 {
		layers = append(layers, copied("L2", "L2", "COR", m.L2))
	}
	layers = append(layers, copied("L1", "L1", "COR", m.L1), copied("REG", "RM", "COR", int64(m.VectorBytes)*int64(m.VectorRegisters)))
	cores, lanes := core("COR"), core("SIMD")
	cores.Units, lanes.Units = int64(m.Cores), int64(max(1, m.VectorBytes/max(1, elementBytes)))
	h := &Model{Name: HostName, Layers: append(layers, cores, lanes)}
	h.Constraints = hostConstraints(h)
	return h
}

func hostConstraints(h *Model) []Constraint {
	const unrolled = 256
	simd, cor := []string{"SIMD"}, []string{"COR"}
	list := []Constraint{
		{Kind: Fused, Parameter: "S1", Reason: "the three phases are one nest of loops"},
		{Kind: Nested, Parameter: "D1", Reason: "the loops of a schedule tree go from large blocks to small ones"},
		{Kind: Adjacent, Parameter: "D1", Layers: cor, Reason: "the parallel loops are one loop"},
		{Kind: ReduceAlone, Parameter: "D2", Layers: cor, Reason: "the partial results of threads are combined in one step"},
		{Kind: OneDimension, Parameter: "0", Layers: simd, Reason: "a vector lies along one dimension"},
		{Kind: PowerOfTwo, Parameter: "0", Layers: simd, Reason: "a vector has a power of two of lanes"},
		{Kind: Innermost, Parameter: "D1", Layers: simd, Reason: "the lanes of a vector are neighbours, and nothing is inside of them"},
		{Kind: PartsTogether, Parameter: "0", Layers: []string{"REG"}, Limit: unrolled, Reason: "loops over registers are written out"},
		combine("COR", "threads combine in main memory", "MM"),
	}
	for _, l := range h.Layers {
		if l.Copied {
			list = append(list,
				Constraint{Kind: Visible, Parameter: "D3", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: Visible, Parameter: "R3", Layers: cor, Regions: []string{l.Region}, Reason: l.Region + " belongs to one core"},
				Constraint{Kind: Capacity, Parameter: "R3", Regions: []string{l.Region}, Limit: min(l.Bytes, schedule.StackBytes), Reason: "one core has " + units.Bytes(l.Bytes) + " of " + l.Region},
				Constraint{Kind: Capacity, Parameter: "D3", Regions: []string{l.Region}, Limit: min(l.Bytes, schedule.StackBytes), Reason: "one core has " + units.Bytes(l.Bytes) + " of " + l.Region})
		}
	}
	return append(list,
		Constraint{Kind: Falling, Parameter: "D3", Reason: "copies go to faster memories"},
		Constraint{Kind: Falling, Parameter: "R3", Reason: "partial results are delivered to slower memories"},
		Constraint{Kind: Trees, Parameter: "D1", Reason: "a schedule tree has no such nest"})
}
