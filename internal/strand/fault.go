package strand

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Fault is a mistake of a program that shows while it runs: the first one in the order of
// super-steps, and of strands within one.
type Fault struct {
	Pos    source.Span
	Strand int   // its number, or -1 in a block of the world
	Grid   []int // where it is in the grid of an array
	Step   int   // 0 before the first step
	Err    error
}

// Error says where and what.
func (f *Fault) Error() string {
	who := "the world"
	if f.Strand >= 0 {
		who = fmt.Sprintf("strand %d", f.Strand)
	}
	if len(f.Grid) > 1 {
		who += fmt.Sprintf(" at %v", f.Grid)
	}
	return fmt.Sprintf("%s in step %d: %v", who, f.Step, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// fail notes a fault of what runs.
func (r *runner) fail(pos source.Span, format string, args ...any) flow {
	if r.fault == nil {
		r.fault = &Fault{Pos: pos, Strand: -1, Step: r.w.step, Err: fmt.Errorf(format, args...)}
		if r.self != nil {
			r.fault.Strand, r.fault.Step = r.self.number, r.self.step
			r.fault.Grid = r.w.gridPlace(r.self.number)
		}
	}
	return failed
}
