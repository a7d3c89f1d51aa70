package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/makers"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How schedules are given
//
// Options.Schedule is a text in the names of the program: of a tree or of its
// parameters, as Stage prints them, TC's mapping options, or a TeML script. A script
// names what the program assigns, so that the statements of its def are scheduled as
// they are written; a def of a TeML file with loops of its own has such a script. A tree
// made of a script says "as written" when it is printed, and is one for these statements
// when it is read. The text is read and checked against the function with these names, so
// that errors speak of them, and then renamed for the function without names that
// is compiled: statements and their indices by position, tensors likewise.

// optimised returns the function that schedules are made for.
func (j *Job) optimised() (*ein.Func, error) {
	f, err := j.Func.Specialise(j.Sizes, j.Keep)
	if err != nil {
		return nil, err
	}
	if j.asWritten() {
		f = rewrite.Simplify(rewrite.Laws(f, j.Numerics))
		if j.Numerics == numerics.Fast {
			f = rewrite.Factors(f, j.Numerics)
		}
	} else {
		if f, err = rewrite.Optimise(f, j.Numerics); err != nil {
			return nil, err
		}
		f = rewrite.Coalesce(f, func(t *ein.Tensor) bool { return j.Strides[t.Name] == nil })
	}
	if j.Numerics == numerics.Fast && j.Machine.MultipliesFragments(tensor.Float32) {
		f = ein.Shorten(f)
	}
	return f, ein.Verify(f)
}

// AsWritten returns the function whose statements are those of the program, as they are written, and whether a tree for it
// has to say so.
func (j *Job) AsWritten() (f *ein.Func, says bool, err error) {
	as := *j
	as.written = true
	f, err = as.optimised()
	return f, as.saysAsWritten(), err
}

// asWritten reports whether statements are scheduled as they are written: by a script, or
// by a tree that says so.
func (j *Job) asWritten() bool {
	return j.written || j.Def.Script != "" || makers.AsWritten(j.Options.Schedule)
}

// script is the text of the schedule that the user gave, or that the def has; empty
// when Ricci chooses.
func (j *Job) script() string {
	if j.Options.Schedule != "" {
		return j.Options.Schedule
	}
	return j.Def.Script
}

// given makes the tree of the given schedule, and notes what was said about it.
func (j *Job) given(s *Steps) error {
	named, program := s.Func, j
	if j.named != nil {
		var err error
		program = j.named
		if named, err = program.optimised(); err != nil {
			return err
		}
	}
	tree, idle, err := makers.FromText(named, j.Machine, program.constants(), j.Options.ScheduleFile, j.script())
	for _, o := range idle.Options {
		j.Options.notice("%s", o)
	}
	s.Says, s.Doubtful = idle.Says, len(idle.Options) > 0
	for _, w := range idle.Marks {
		if !w.IsAmong(j.Def.Warnings) { // of which the check of its program has warned
			s.Doubtful = true
			j.Options.Warn(w)
		}
	}
	if err != nil {
		return givenError(named, makers.File(j.Options.ScheduleFile, j.script()), err)
	}
	tree.AsWritten = j.saysAsWritten()
	if s.Tree = tree; named != s.Func {
		s.Tree, err = schedule.Rename(tree, named, s.Func)
	}
	if err == nil && j.Machine.Grid != nil && !schedule.HasGrids(s.Tree.Root) {
		j.spread(s)
	}
	return err
}

// spread gives the groups and items of a device to a schedule that has none.
func (j *Job) spread(s *Steps) {
	if t := sketch.Spread(s.Func, j.Machine, s.Tree, j.proved(s.Func)); t != nil {
		s.Tree = t
		s.Says = append(s.Says, "its loops that are parallel, or coincident, are groups and items of the device")
		return
	}
	j.Options.notice("one item of the device runs all of %s: none of the loops of its schedule is parallel, or coincident, or has groups, such as \"band S0.i tile 64 groups\" makes them", j.Def.Name)
}

// constants are the sizes that a schedule may speak of.
func (j *Job) constants() map[string]int64 {
	sizes := map[string]int64{}
	for name, value := range j.Sizes {
		if !j.Keep[name] {
			sizes[name] = value
		}
	}
	return sizes
}

// saysAsWritten reports whether a tree must say that it is for the statements as they are
// written, which those of a def with a script of its own always are.
func (j *Job) saysAsWritten() bool { return j.asWritten() && j.Def.Script == "" }

// givenError makes a diagnostic of what is wrong with a schedule that was given. It points at the
// line of the schedule, where that is known.
func givenError(f *ein.Func, file *source.File, err error) error {
	var list source.ErrorList
	if errors.As(err, &list) {
		return err
	}
	d := &source.Diagnostic{Code: source.ScheduleChoice, Span: f.Pos, Message: err.Error()}
	d.WithHelp("'ricci show --stage mdh' prints parameters to start from")
	var line *source.LineError
	if errors.As(err, &line) {
		d.Span, d.Message = line.Span(file), line.Err.Error()
	}
	var syntax *makers.SyntaxError
	if errors.As(err, &syntax) {
		d.Code, d.Message = source.ScheduleSyntax, "the schedule for "+f.Name+" cannot be read: "+d.Message
		d.WithHelp("'ricci show --stage schedule' prints a schedule to start from, --stage mdh its parameters")
	}
	return source.ErrorList{d}
}

// orderAsGiven makes the loops of the schedule that was given.
func (j *Job) orderAsGiven(s *Steps) (err error) {
	if err = j.given(s); err != nil {
		return err
	}
	s.Kind = plan.GivenSchedule
	if err = j.makeLoops(s); isUnproved(err) && len(j.Keep) > 0 {
		return j.unprovedSizes(err)
	}
	var large *loop.TooLargeError
	if errors.As(err, &large) {
		span := j.Def.Pos
		if j.Options.Schedule != "" { // which of its launches it is, the loops do not say
			span = (&source.LineError{Line: 1}).Span(makers.File(j.Options.ScheduleFile, j.Options.Schedule))
		}
		d := &source.Diagnostic{Code: source.ScheduleMisfit, Span: span, Message: "the schedule for " + j.Def.Name + " does not fit the machine: " + large.Message}
		return source.ErrorList{d.WithHelp("take fewer items, smaller blocks in local memory or fewer groups; 'ricci doctor --machine' prints what a machine has")}
	}
	return err
}

// scheduleKey is what a schedule that was given or tuned adds to the key of a kernel.
func (j *Job) scheduleKey() string {
	text := j.script()
	if j.Tuned != nil {
		text = "tuned\n" + j.Tuned.Tree
	}
	lines := strings.Split(text, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		l = strings.TrimSpace(l)
		return l == "" || strings.HasPrefix(l, "#")
	})
	return fmt.Sprintf("%q", lines)
}
