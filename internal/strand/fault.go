package strand

import (
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Fault is a mistake of a program that shows while it runs: the first one in the order of
// super-steps, and of strands within one.
type Fault struct {
	Strand int   // its number, or -1 in a block of the world
	Grid   []int // where it is in the grid of an array
	Step   int   // 0 before the first step, negative where it is not known
	// Err is a *source.Diagnostic, or says why a context has ended.
	Err error
}

// NewFault says what has happened to a strand, at a place of the program.
func NewFault(code source.Code, pos source.Span, number int, grid []int, step int, format string, args ...any) *Fault {
	f := &Fault{Strand: number, Grid: grid, Step: step}
	f.Err = &source.Diagnostic{Code: code, Span: pos, Message: f.who() + ": " + fmt.Sprintf(format, args...)}
	return f
}

// who names the strand and the step.
func (f *Fault) who() string {
	who := "the world"
	if f.Strand >= 0 {
		who = fmt.Sprintf("strand %d", f.Strand)
	}
	if len(f.Grid) > 1 {
		who += fmt.Sprintf(" at %v", f.Grid)
	}
	if f.Step < 0 {
		return who
	}
	return fmt.Sprintf("%s in step %d", who, f.Step)
}

// Error says where and what.
func (f *Fault) Error() string {
	if f.IsInterrupt() {
		return f.who() + ": " + f.Err.Error()
	}
	return f.Err.Error()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// IsInterrupt reports whether the program is not to blame: a context has ended.
func (f *Fault) IsInterrupt() bool {
	return errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded)
}

// isMemory reports whether the strands do not fit into the memory.
func (f *Fault) isMemory() bool {
	var d *source.Diagnostic
	return errors.As(f.Err, &d) && d.Code == source.StrandMemory
}

// help sets what is to be done about a fault.
func (f *Fault) help(format string, args ...any) {
	var d *source.Diagnostic
	if errors.As(f.Err, &d) {
		d.Help = fmt.Sprintf(format, args...)
	}
}

// fail notes a fault of what runs; a later one of the same run is none.
func (r *runner) fail(code source.Code, pos source.Span, help, format string, args ...any) flow {
	if r.fault == nil {
		number, grid, step := r.running()
		r.fault = NewFault(code, pos, number, grid, step, format, args...)
		r.fault.help("%s", help)
	}
	return failed
}

// stop notes that the context has ended.
func (r *runner) stop(err error) {
	if r.fault == nil {
		number, grid, step := r.running()
		r.fault = &Fault{Strand: number, Grid: grid, Step: step, Err: err}
	}
}

// running is the strand that runs, or the world.
func (r *runner) running() (number int, grid []int, step int) {
	if r.self == nil {
		return -1, nil, r.w.step
	}
	return r.self.number, r.w.gridPlace(r.self.number), r.self.step
}
