package lower

import (
	"math/bits"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// What loops depend on beside the tree
//
// The tree says what is asked for ahead, and what is written past the caches. Both go by lines, whose length is that of
// the machine for which the tree was made. What is packed once, before all loops, is no node of the tree: threads share
// the work where they start in less time than it takes.

// machine is that of the loops, or one of which nothing is known: its numbers are usual.
func (l *lowerer) machine() *machine.Processor {
	if l.options.Machine == nil {
		return &machine.Processor{}
	}
	return l.options.Machine
}

// line is how many bytes a line of the caches has.
func (l *lowerer) line() int64 { return l.machine().Whole(machine.Line) }

// sharedFrom is from how many elements on threads share the packing of panels.
func (l *lowerer) sharedFrom() int64 {
	const packed = 1 << 16 // where threads start as fast as usual
	return int64(packed * l.machine().Value(machine.Fork) / (&machine.Processor{}).Value(machine.Fork))
}

// perLine is how many elements a line has, or as many as there are surely boundaries of lines between: a power of two.
func (l *lowerer) perLine(d tensor.DType) int {
	return 1 << (bits.Len64(uint64(max(1, l.line()/int64(d.Size())))) - 1)
}

// Capacity is what a machine has for the groups of grids.
func Capacity(m *machine.Processor) loop.Capacity {
	if m == nil || m.Grid == nil {
		return loop.Capacity{}
	}
	return loop.Capacity{Local: m.Grid.Local, Items: m.Grid.Items, Along: m.Grid.Along, Groups: m.Grid.Groups}
}
