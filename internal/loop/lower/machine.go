package lower

import (
	"math/bits"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// What loops depend on beside the tree
//
// The tree says what is asked for ahead, and what is written past the caches. Both go by lines, whose length is that of
// the machine for which the tree was made.

// line is how many bytes a line of the caches has.
func (l *lowerer) line() int64 {
	if l.options.Machine == nil {
		return (&machine.Processor{}).Whole(machine.Line)
	}
	return l.options.Machine.Whole(machine.Line)
}

// perLine is how many elements a line has, or as many as there are surely boundaries of lines between: a power of two.
func (l *lowerer) perLine(d tensor.DType) int {
	return 1 << (bits.Len64(uint64(max(1, l.line()/int64(d.Size())))) - 1)
}
