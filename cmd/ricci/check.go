package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
)

func newCheck(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE|DIR…",
		Short: "Check programs without running them",
		Long: `Check reports errors and warnings. For every def it prints the signature with
the inferred types and extents, what reduced indices run over where that is not
simply a dimension that they read (s +=! over i in 0:N - 1), and the conditions on the sizes that could not be
proved for all sizes: every call tests these. It exits with 1 on errors.

With --guard every def is also lowered to TeIL, whose typing rules judge it without
anything that the front end has proved: it is safe, refused (an error), or not
expressible, which is an error with --guard=strict. docs/guard.md has the rules.

` + inputFiles,
		Example: "  ricci check examples/tc/matmul.tc\n  ricci check --json model.tc\n  ricci check --guard examples",
		Args:    files("check"), ValidArgsFunction: completeFiles,
	}
	quiet := cmd.Flags().BoolP("quiet", "q", false, "only diagnostics")
	var guards guarding
	guards.register(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := guards.validate(); err != nil {
			return err
		}
		paths, err := withDirectories(args)
		if err != nil {
			return err
		}
		reports := []fileReport{}
		failed := false
		for _, path := range paths {
			program, err := t.parse(path)
			if err == nil {
				err = program.Err()
			}
			report := newFileReport(path, program, err)
			if err := guards.judge(&report, program); err != nil {
				return err
			}
			failed = failed || !report.OK
			if reports = append(reports, report); !t.json {
				report.print(t, program, *quiet)
			}
		}
		if !t.json && !*quiet {
			guards.summary(t)
		}
		if t.json {
			if err := t.writeResult(!failed, map[string]any{"files": reports}); err != nil {
				return err
			}
		}
		if failed {
			return errSilent
		}
		return nil
	}
	return cmd
}

// A fileReport is what check finds out about a file.
type fileReport struct {
	File        string             `json:"file"`
	OK          bool               `json:"ok"`
	Diagnostics []diagnosticReport `json:"diagnostics"`
	Defs        []defReport        `json:"defs"`
	Strands     *strandsReport     `json:"strands,omitempty"`
	Error       string             `json:"error,omitempty"` // the file could not be read

	list source.ErrorList
}

// A strandsReport says what a program of strands has.
type strandsReport struct {
	Name         string                    `json:"name"`
	Manner       ricci.StrandManner        `json:"manner"`
	Declarations []ricci.StrandDeclaration `json:"declarations"`
}

type diagnosticReport struct {
	Code     string       `json:"code"`
	Severity string       `json:"severity"`
	Message  string       `json:"message"`
	Help     string       `json:"help,omitempty"`
	Place    *placeReport `json:"place,omitempty"`
	Notes    []noteReport `json:"notes,omitempty"`
}

type noteReport struct {
	Message string       `json:"message"`
	Place   *placeReport `json:"place,omitempty"`
}

type placeReport struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
}

type defReport struct {
	Name       string            `json:"name"`
	Signature  string            `json:"signature"`
	Inputs     []ricci.Param     `json:"inputs"`
	Outputs    []ricci.Param     `json:"outputs"`
	Sizes      []ricci.Size      `json:"sizes"`
	Reduced    []ricci.PartRange `json:"reduced"`
	Conditions []ricci.Condition `json:"conditions"`
	Guard      *guardReport      `json:"guard,omitempty"`
}

func newFileReport(path string, program *ricci.Program, err error) fileReport {
	r := fileReport{File: path, OK: err == nil, Defs: []defReport{}}
	if err != nil && !errors.As(err, &r.list) {
		r.Error = err.Error()
	}
	if program != nil {
		r.list = append(r.list, program.Warnings()...)
		for _, d := range program.Defs() {
			r.Defs = append(r.Defs, defReport{
				Name: d.Name(), Signature: d.String(), Inputs: d.Inputs(), Outputs: d.Outputs(),
				Sizes: d.Sizes(), Reduced: d.PartRanges(), Conditions: d.Conditions(),
			})
		}
	}
	if program != nil && program.Strands() != nil {
		s := program.Strands()
		r.Strands = &strandsReport{s.Name(), s.Manner(), s.Declarations()}
	}
	r.Diagnostics = diagnosticReports(r.list)
	return r
}

func diagnosticReports(list []*source.Diagnostic) []diagnosticReport {
	reports := make([]diagnosticReport, len(list))
	for n, d := range list {
		reports[n] = newDiagnosticReport(d)
	}
	return reports
}

func newDiagnosticReport(d *source.Diagnostic) diagnosticReport {
	r := diagnosticReport{
		Code: string(d.Code), Severity: d.Severity.String(), Message: source.Shorten(d.Message), Help: source.Shorten(d.Help), Place: newPlace(d.Span),
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, noteReport{Message: source.Shorten(n.Message), Place: newPlace(n.Span)})
	}
	return r
}

func newPlace(s source.Span) *placeReport {
	if !s.IsValid() {
		return nil
	}
	p := s.File.Position(s.Start)
	return &placeReport{File: s.File.Name, Line: p.Line, Column: p.Column, Length: s.End - s.Start}
}

func (r *fileReport) print(t *terminal, program *ricci.Program, quiet bool) {
	t.diagnostics(r.list)
	if r.Error != "" {
		t.notice("%s", r.Error)
	}
	if !r.OK {
		t.explainHint(r.list)
	}
	if quiet || program == nil {
		return
	}
	if s := program.Strands(); s != nil {
		fmt.Fprintln(t.out, s)
		for _, d := range s.Declarations() {
			if d.Kind != "parameter" {
				fmt.Fprintf(t.out, "  %s\n", d)
			}
		}
	}
	if r.OK && len(r.list) == 0 && len(program.Defs()) == 0 && program.Strands() == nil {
		t.notice("%s: no errors, and no def that could be run", r.File)
	}
	for n, d := range program.Defs() {
		fmt.Fprintln(t.out, d)
		for _, part := range d.PartRanges() {
			fmt.Fprintf(t.out, "  %s\n", part)
		}
		for _, c := range d.Conditions() {
			fmt.Fprintf(t.out, "  when %s: %s\n", c.Text, c.Reason)
		}
		if g := r.Defs[n].Guard; g != nil {
			g.print(t)
		}
	}
}
