package ricci

import "github.com/ricci-lang/ricci/internal/plan"

// A ScheduleKind says where the schedule of a kernel is from.
type ScheduleKind string

// The kinds of schedules.
const (
	DefaultSchedule ScheduleKind = plan.DefaultSchedule // chosen by Ricci without measuring
	GivenSchedule   ScheduleKind = plan.GivenSchedule   // by Options.Schedule, or by the program
	TunedSchedule   ScheduleKind = plan.TunedSchedule   // found by tuning, on this machine
	PlainSchedule   ScheduleKind = plan.PlainSchedule   // tiles for each statement, or the order of the program, for want of a better one
)
