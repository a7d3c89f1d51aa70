package ricci

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/makers"
	"github.com/ricci-lang/ricci/internal/source"
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
func (j *compilation) optimised() (*ein.Func, error) {
	f, err := j.f.Specialise(j.sizes, j.keep)
	if err != nil {
		return nil, err
	}
	if j.asWritten() {
		f = rewrite.Simplify(rewrite.Laws(f, j.numerics))
		if j.numerics == numerics.Fast {
			f = rewrite.Factors(f, j.numerics)
		}
	} else {
		if f, err = rewrite.Optimise(f, j.numerics); err != nil {
			return nil, err
		}
		f = rewrite.Coalesce(f, func(t *ein.Tensor) bool { return j.strides[t.Name] == nil })
	}
	return f, ein.Verify(f)
}

// asWritten reports whether statements are scheduled as they are written: by a script, or
// by a tree that says so.
func (j *compilation) asWritten() bool {
	return j.written || j.def.info.Script != "" || makers.AsWritten(j.options.Schedule)
}

// script is the text of the schedule that the user gave, or that the def has; empty
// when Ricci chooses.
func (j *compilation) script() string {
	if j.options.Schedule != "" {
		return j.options.Schedule
	}
	return j.def.info.Script
}

// given makes the tree of the given schedule, and notes what was said about it.
func (j *compilation) given(s *stages) error {
	named, program := s.ein, j
	if j.named != nil {
		var err error
		program = j.named
		if named, err = program.optimised(); err != nil {
			return err
		}
	}
	tree, idle, err := makers.FromText(named, j.machine, program.constants(), j.options.ScheduleFile, j.script())
	for _, o := range idle.Options {
		j.options.notice("%s", o)
	}
	s.says, s.doubtful = idle.Says, len(idle.Options) > 0
	for _, w := range idle.Marks {
		if !w.IsAmong(j.def.info.Warnings) { // of which the check of its program has warned
			s.doubtful = true
			j.options.warn(w)
		}
	}
	if err != nil {
		return givenError(named, makers.File(j.options.ScheduleFile, j.script()), err)
	}
	tree.AsWritten = j.saysAsWritten()
	if s.schedule = tree; named != s.ein {
		s.schedule, err = schedule.Rename(tree, named, s.ein)
	}
	return err
}

// constants are the sizes that a schedule may speak of.
func (j *compilation) constants() map[string]int64 {
	sizes := map[string]int64{}
	for name, value := range j.sizes {
		if !j.keep[name] {
			sizes[name] = value
		}
	}
	return sizes
}

// saysAsWritten reports whether a tree must say that it is for the statements as they are
// written, which those of a def with a script of its own always are.
func (j *compilation) saysAsWritten() bool { return j.asWritten() && j.def.info.Script == "" }

// givenError makes a diagnostic of what is wrong with a schedule that was given. It points at the
// line of the schedule, where that is known.
func givenError(f *ein.Func, file *source.File, err error) error {
	var list ErrorList
	if errors.As(err, &list) {
		return err
	}
	d := &Diagnostic{Code: source.ScheduleChoice, Span: f.Pos, Message: err.Error()}
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
	return ErrorList{d}
}

// orderAsGiven makes the loops of the schedule that was given.
func (j *compilation) orderAsGiven(s *stages) (err error) {
	if err = j.given(s); err != nil {
		return err
	}
	s.kind = GivenSchedule
	if err = j.makeLoops(s); isUnproved(err) && len(j.keep) > 0 {
		return j.unprovedSizes(err)
	}
	return err
}

// scheduleKey is what a schedule that was given or tuned adds to the key of a kernel.
func (j *compilation) scheduleKey() string {
	text := j.script()
	if j.tuned != nil {
		text = "tuned\n" + j.tuned.Tree
	}
	lines := strings.Split(text, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		l = strings.TrimSpace(l)
		return l == "" || strings.HasPrefix(l, "#")
	})
	return fmt.Sprintf("%q", lines)
}
