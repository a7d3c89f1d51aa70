package source

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a diagnostic stops the compilation.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Note is a secondary place of a diagnostic: another access, an earlier
// declaration. Its span may be zero, then it is plain text.
type Note struct {
	Span    Span
	Message string
}

// A Diagnostic is one thing the user must know about a program. Message says
// what was found and what was expected, in one line; Help says how to mend it.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     Span
	Message  string
	Notes    []Note
	Help     string
}

// IsAmong reports whether a list has a diagnostic of this code at this place, whatever it says there.
func (d *Diagnostic) IsAmong(list []*Diagnostic) bool {
	return slices.ContainsFunc(list, func(o *Diagnostic) bool { return o.Code == d.Code && o.Span.String() == d.Span.String() })
}

// Error formats the diagnostic in one line without its source excerpt.
func (d *Diagnostic) Error() string {
	text := fmt.Sprintf("%s[%s]: %s", d.Severity, d.Code, Shorten(d.Message))
	if d.Span.IsValid() {
		text = d.Span.String() + ": " + text
	}
	return text
}

// WithNote adds a secondary place and returns the diagnostic.
func (d *Diagnostic) WithNote(span Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Span: span, Message: fmt.Sprintf(format, args...)})
	return d
}

// WithHelp sets the way out and returns the diagnostic.
func (d *Diagnostic) WithHelp(format string, args ...any) *Diagnostic {
	d.Help = fmt.Sprintf(format, args...)
	return d
}

// Diagnostics collects what a stage reports. The zero value is ready to use. A
// stage appends and goes on; its caller asks Err at the end.
type Diagnostics struct{ List []*Diagnostic }

// Errorf appends an error.
func (ds *Diagnostics) Errorf(code Code, span Span, format string, args ...any) *Diagnostic {
	return ds.add(code, Error, span, format, args)
}

// Warnf appends a warning.
func (ds *Diagnostics) Warnf(code Code, span Span, format string, args ...any) *Diagnostic {
	return ds.add(code, Warning, span, format, args)
}

func (ds *Diagnostics) add(code Code, severity Severity, span Span, format string, args []any) *Diagnostic {
	d := &Diagnostic{Code: code, Severity: severity, Span: span, Message: fmt.Sprintf(format, args...)}
	ds.List = append(ds.List, d)
	return d
}

// Sort puts the diagnostics of one text into its order.
func (ds *Diagnostics) Sort() {
	slices.SortStableFunc(ds.List, func(a, b *Diagnostic) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// HasErrors reports whether at least one error (not warning) was collected.
func (ds *Diagnostics) HasErrors() bool {
	for _, d := range ds.List {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Err returns the errors as an ErrorList, or nil when there are none.
func (ds *Diagnostics) Err() error {
	var errs ErrorList
	for _, d := range ds.List {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// ErrorList is the error type of every stage that reads user programs. With
// errors.As a program reaches the *Diagnostic inside.
type ErrorList []*Diagnostic

// Error joins the one-line forms of the diagnostics.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As and errors.Is the single diagnostics.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, d := range l {
		errs[i] = d
	}
	return errs
}

// An InternalError is a defect of Ricci itself, never of the user's program.
// Stage names the pass that noticed it.
type InternalError struct {
	Stage string
	Span  Span
	Err   error
}

// Error formats the defect with its stage and asks for a report.
func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error in %s at %s: %v (this is a bug in Ricci, please report it with the program)", e.Stage, e.Span, e.Err)
}

// Unwrap returns the underlying error.
func (e *InternalError) Unwrap() error { return e.Err }

// Internalf returns an InternalError of a stage.
func Internalf(stage string, span Span, format string, args ...any) *InternalError {
	return &InternalError{Stage: stage, Span: span, Err: fmt.Errorf(format, args...)}
}

// RecoverInternal turns a panic below a public entry into an InternalError; use
// it as `defer source.RecoverInternal("stage", &err)`.
func RecoverInternal(stage string, err *error) {
	if r := recover(); r != nil {
		var inner *InternalError
		if e, ok := r.(error); ok && errors.As(e, &inner) {
			*err = inner
			return
		}
		*err = Internalf(stage, Span{}, "%v", r)
	}
}
