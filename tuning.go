package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/plan"
)

// A ScheduleKind says where the schedule of a kernel is from.
type ScheduleKind string

// The kinds of schedules.
const (
	DefaultSchedule ScheduleKind = plan.DefaultSchedule // chosen by Ricci without measuring
	GivenSchedule   ScheduleKind = plan.GivenSchedule   // by Options.Schedule, or by the program
	TunedSchedule   ScheduleKind = plan.TunedSchedule   // found by tuning, on this machine
	PlainSchedule   ScheduleKind = plan.PlainSchedule   // tiles for each statement, or the order of the program, for want of a better one
)

// A Tuning is what package tune needs to know about a def. Its fields are of
// packages inside of Ricci.
type Tuning = compile.Tuning

// Tuning prepares the search for a schedule for arguments of a signature. It is
// made for package tune, which is what programs use.
func (d *Def) Tuning(ctx context.Context, signature Signature, options Options) (*Tuning, error) {
	return d.source.Tuning(ctx, compile.Signature(signature), options.internal())
}
