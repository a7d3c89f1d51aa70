package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/report"
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
			r := newFileReport(path, program, err)
			if err := guards.judge(&r, program); err != nil {
				return err
			}
			failed = failed || !r.OK
			if reports = append(reports, r); !t.json {
				r.print(t, program, *quiet)
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
	File        string              `json:"file"`
	OK          bool                `json:"ok"`
	Diagnostics []report.Diagnostic `json:"diagnostics"`
	Defs        []report.Def        `json:"defs"`
	Strands     *strandsReport      `json:"strands,omitempty"`
	Error       string              `json:"error,omitempty"` // the file could not be read

	list source.ErrorList
}

// A strandsReport says what a program of strands has.
type strandsReport struct {
	Name         string                    `json:"name"`
	Manner       ricci.StrandManner        `json:"manner"`
	Declarations []ricci.StrandDeclaration `json:"declarations"`
}

func newFileReport(path string, program *ricci.Program, err error) fileReport {
	r := fileReport{File: path, OK: err == nil, Defs: []report.Def{}}
	if err != nil && !errors.As(err, &r.list) {
		r.Error = err.Error()
	}
	if program != nil {
		r.list = append(r.list, program.Warnings()...)
		r.Defs = report.Defs(program)
	}
	if program != nil && program.Strands() != nil {
		s := program.Strands()
		r.Strands = &strandsReport{s.Name(), s.Manner(), s.Declarations()}
	}
	r.Diagnostics = report.Diagnostics(r.list)
	return r
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
			printGuard(t, g)
		}
	}
}
