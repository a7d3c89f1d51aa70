// Package makers reads schedules in all the forms that they are written in, and makes
// trees of them.
package makers

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mapping"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// The first line of a text says in which form it is written (FormOf). Each form has a parser of its
// own: trees in package schedule, MDH's parameters and low-level expressions in mdh, mapping options
// in mapping, scripts in lang/teml; FromText asks the right one and makes a tree for a function and
// a machine, which is checked. Who asks for a schedule by its text so needs to know none of them.

// A Form is a way to write a schedule.
type Form string

// The forms, by the word with which a text begins.
const (
	Tree       Form = "schedule tree"         // domain …
	Parameters Form = "MDH parameters"        // mdh … or group …
	LowLevel   Form = "low-level expression"  // lowlevel …
	Options    Form = "TC mapping options"    // .tile(…) …
	Script     Form = "TeML script"           // l = build(C) …
	Unknown    Form = "text of no known form" // anything else
)

// FormOf recognises the form of a text by its first line.
func FormOf(text string) Form {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || isComment(line) {
			continue
		}
		switch word, _, _ := strings.Cut(line, " "); word {
		case "domain":
			return Tree
		case mdh.Heading, "group":
			return Parameters
		case mdh.ExpressionHeading:
			return LowLevel
		}
		if mapping.IsText(line) {
			return Options
		}
		if teml.IsScript(line) {
			return Script
		}
		break
	}
	return Unknown
}

// formOf is FormOf for the text of a file: what is called a script is read as one, so that its
// mistakes are found.
func formOf(name, text string) Form {
	form := FormOf(text)
	if form == Unknown && strings.HasSuffix(name, ".teml") {
		return Script
	}
	return form
}

// AsWritten reports whether a text is a schedule for the statements of a program as they
// are written: a script, or a tree that says so.
func AsWritten(text string) bool {
	switch FormOf(text) {
	case Script:
		return true
	case Tree:
		t, err := schedule.Parse(text)
		return err == nil && t.AsWritten
	}
	return false
}

// Idle is what of the text of a schedule has no effect.
type Idle struct {
	Options []string             // of MDH's parameters, in words
	Marks   []*source.Diagnostic // loops of a script, and TC's mapping options: warnings at their place
	// Says is not idle: it has what mapping options mean on the machine, in lines.
	Says []string
}

// A SyntaxError says that a text is not of its form.
type SyntaxError struct {
	Form Form
	Err  error
}

// Error returns the message of the parser.
func (e *SyntaxError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the parser.
func (e *SyntaxError) Unwrap() error { return e.Err }

// FromText makes the schedule of a function from a text: a tree, a table of MDH
// parameters, low-level expressions, TC's mapping options, or a TeML script. idle says what of the
// text has no effect. The tree is checked, and comes with the error where it is refused. Mapping
// options may speak of sizes.
func FromText(f *ein.Func, m *machine.Processor, sizes map[string]int64, name, text string) (tree *schedule.Tree, idle Idle, err error) {
	models := func(s int) *machine.Machine {
		if s >= len(f.Body) {
			return mdh.ModelOf(m, 4)
		}
		return mdh.ModelOf(m, mdh.ComputationOf(f, s).ElementBytes())
	}
	form := formOf(name, text)
	switch form {
	case Parameters, LowLevel:
		p, err := mdh.ParsePlan(text, models)
		if err != nil {
			return nil, idle, &SyntaxError{form, err}
		}
		tree, err = mdh.MakeFile(f, p, File(name, text))
		var at interface{ Line(text string) int }
		if errors.As(err, &at) && at.Line(text) > 0 {
			err = &source.LineError{Line: at.Line(text), Err: err}
		}
		if err == nil {
			idle.Options = p.Idle(f)
		}
		return tree, idle, err
	case Options:
		o, err := mapping.Parse(uncommented(text), sizes)
		if err != nil {
			return nil, idle, &SyntaxError{form, err}
		}
		made, err := mapping.Explain(f, m, o)
		return made.Tree, Idle{Marks: remarks(File(name, text), made.Idle), Says: made.Says}, err
	case Script:
		plan, err := teml.Run(f, m, name, text)
		if err != nil {
			return nil, idle, err
		}
		tree, err = plan.Tree()
		return tree, Idle{Marks: plan.Warnings()}, err
	}
	if tree, err = schedule.ParseFile(File(name, text)); err != nil {
		return nil, idle, &SyntaxError{form, err}
	}
	return tree, idle, schedule.Check(f, tree)
}

// remarks makes warnings of what has no effect.
func remarks(file *source.File, list []mapping.Remark) (warnings []*source.Diagnostic) {
	for _, r := range list {
		line := (&source.LineError{Line: max(1, r.Line)}).At(r.Part)
		warnings = append(warnings, &source.Diagnostic{Code: source.OptionIdle, Severity: source.Warning, Span: line.Span(file), Message: r.Text})
	}
	return warnings
}

// File is the file that messages about a schedule point at; the name may be empty.
func File(name, text string) *source.File { return source.NewFile(cmp.Or(name, "schedule"), text) }

// NotAScript says that a text of another form has no steps and no trees; nil of a script.
func NotAScript(name, text string) error {
	if form := formOf(name, text); form != Script {
		return fmt.Errorf("the schedule is a %s, and only a TeML script has steps and trees; --stage schedule prints what it makes", form)
	}
	return nil
}

// Steps writes the loops of a function after each transformation of a TeML script; inside as in
// teml.Plan.Steps. The error comes with the text where all sizes are known and the loops are
// refused.
func Steps(f *ein.Func, m *machine.Processor, name, text string, inside bool) (string, error) {
	plan, err := teml.Run(f, m, name, text)
	if err != nil {
		return "", err
	}
	if len(f.Sizes) == 0 {
		_, err = plan.Tree()
	}
	return plan.Steps(inside), err
}

// isComment reports whether a line is a comment, of Ricci's or of C++, from which mapping options are
// pasted.
func isComment(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// uncommented leaves out the lines that are comments.
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if isComment(strings.TrimSpace(line)) {
			line = "\n" // lines keep their numbers
		}
		b.WriteString(line)
	}
	return b.String()
}

// Describe writes a schedule as low-level expressions, in comments and without the
// levels of one part, and as tables of parameters, on the model of the machine. Where
// that is not all of the schedule it says so, and what the parameters stand for.
func Describe(f *ein.Func, m *machine.Processor, t *schedule.Tree) (string, error) {
	p, notes, err := mdh.FromTree(f, m, t)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for s := range f.Body {
		model := mdh.ModelOf(m, mdh.ComputationOf(f, s).ElementBytes())
		fmt.Fprintf(&b, "# S%d: %s\n# model %s: %s\n", s, mdh.ComputationOf(f, s), model.Name, model)
	}
	comment := func(text string) {
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
		}
	}
	switch made, err := mdh.Make(f, p); {
	case err != nil:
		comment("These parameters do not say all of the schedule, and cannot be given back as they are:\n" + err.Error() + "\n" + strings.Join(notes, "\n"))
	case !mdh.Same(f, t, made):
		comment("These parameters do not say all of the schedule that is used. Given back they stand for another one:\n" + schedule.Print(made) + strings.Join(notes, "\n"))
	default:
		comment("These parameters are the schedule.\n")
	}
	comment("Levels with one part are left out of the expressions.\n\n" + p.Expressions(f))
	b.WriteString("\n" + p.String())
	return b.String(), nil
}
