package bench

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/units"
)

// A tooLargeError says that the arguments of a row do not fit into the memory beside what is there already.
type tooLargeError struct{ needed, available int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("its arguments take %s of memory, and %s are available, of which a quarter is kept for temporaries and others",
		units.Bytes(e.needed), units.Bytes(e.available))
}

// fits returns a tooLargeError if a candidate of the row should not be started: each has arguments of its own, so those
// which have theirs already leave less. A row without memory for the first one, Ricci, is left out.
func (r *runner) fits(w *work) error {
	available := r.memory()
	if needed := w.read + w.written; available > 0 && needed > available/4*3 {
		return &tooLargeError{needed, available}
	}
	return nil
}

// memory is how many bytes there are; 0 where that is not known.
func (r *runner) memory() int64 {
	if r.available != nil {
		return r.available()
	}
	return machine.AvailableMemory()
}
