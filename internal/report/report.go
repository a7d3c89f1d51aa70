// Package report has what the command and the service say of programs, as JSON: docs/json.md describes it.
package report

import (
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Diagnostic is what is wrong with a program, a schedule or data.
type Diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help,omitempty"`
	Place    *Place `json:"place,omitempty"`
	Notes    []Note `json:"notes,omitempty"`
	// Rendered is all of it for people, with the lines of the program; only the service says it.
	Rendered string `json:"rendered,omitempty"`
}

// A Note points at another place.
type Note struct {
	Message string `json:"message"`
	Place   *Place `json:"place,omitempty"`
}

// A Place is one in a text; lines and columns count from 1, columns in bytes.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
}

// A Def describes one of a program.
type Def struct {
	Name       string            `json:"name"`
	Signature  string            `json:"signature"`
	Inputs     []ricci.Param     `json:"inputs"`
	Outputs    []ricci.Param     `json:"outputs"`
	Sizes      []ricci.Size      `json:"sizes"`
	Reduced    []ricci.PartRange `json:"reduced"`
	Conditions []ricci.Condition `json:"conditions"`
	Guard      *Guard            `json:"guard,omitempty"`
}

// A Guard is the verdict on a def.
type Guard struct {
	*ricci.Guard
	Problem *Diagnostic `json:"problem,omitempty"`
}

// A Code is the explanation of a code of diagnostics.
type Code struct {
	Code        string `json:"code"`
	Title       string `json:"title"`
	Explanation string `json:"explanation"`
	Example     string `json:"example,omitempty"`
	Fix         string `json:"fix,omitempty"`
}

// Diagnostics reports a list.
func Diagnostics(list []*source.Diagnostic) []Diagnostic {
	reports := make([]Diagnostic, len(list))
	for n, d := range list {
		reports[n] = NewDiagnostic(d)
	}
	return reports
}

// Rendered reports a list, with the text of each for people.
func Rendered(list []*source.Diagnostic) []Diagnostic {
	reports := Diagnostics(list)
	for n, d := range list {
		reports[n].Rendered = Text([]*source.Diagnostic{d})
	}
	return reports
}

// Text writes a list for people, without colours.
func Text(list []*source.Diagnostic) string {
	var b strings.Builder
	source.RenderAll(&b, list, source.RenderOptions{})
	return b.String()
}

// NewDiagnostic reports one.
func NewDiagnostic(d *source.Diagnostic) Diagnostic {
	r := Diagnostic{
		Code: string(d.Code), Severity: d.Severity.String(), Message: source.Shorten(d.Message), Help: source.Shorten(d.Help), Place: newPlace(d.Span),
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, Note{Message: source.Shorten(n.Message), Place: newPlace(n.Span)})
	}
	return r
}

func newPlace(s source.Span) *Place {
	if !s.IsValid() {
		return nil
	}
	p := s.File.Position(s.Start)
	return &Place{File: s.File.Name, Line: p.Line, Column: p.Column, Length: s.End - s.Start}
}

// Defs reports those of a program.
func Defs(program *ricci.Program) []Def {
	list := []Def{}
	for _, d := range program.Defs() {
		list = append(list, Def{
			Name: d.Name(), Signature: d.String(), Inputs: d.Inputs(), Outputs: d.Outputs(),
			Sizes: d.Sizes(), Reduced: d.PartRanges(), Conditions: d.Conditions(),
		})
	}
	return list
}

// Codes reports explanations.
func Codes(list []source.CodeInfo) []Code {
	reports := make([]Code, len(list))
	for n, info := range list {
		reports[n] = Code{string(info.Code), info.Title, info.Explanation, info.Example, info.Fix}
	}
	return reports
}
