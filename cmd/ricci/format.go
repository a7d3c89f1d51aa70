package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// formatFlags are the flags of fmt.
type formatFlags struct{ write, check bool }

// A formatReport is what fmt did with a file.
type formatReport struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`        // the layout was another one
	Text    string `json:"text,omitempty"` // the new text, unless it went to the file or --check is given
	*failureReport
}

func newFormat(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fmt FILE|DIR…",
		Short:   "Format programs",
		Long:    "Fmt prints programs in the standard layout. With -w it rewrites the files,\nwith --check it only says which files would change and exits with 1. A directory\nstands for the programs below it.\n\n" + inputFiles,
		Example: "  ricci fmt matmul.tc\n  ricci fmt -w examples\n  ricci fmt - < matmul.tc",
		Args:    files("fmt"), ValidArgsFunction: completeFiles,
	}
	var flags formatFlags
	cmd.Flags().BoolVarP(&flags.write, "write", "w", false, "rewrite the files")
	cmd.Flags().BoolVar(&flags.check, "check", false, "list files that would change")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		reports, failed := []formatReport{}, false
		for _, arg := range args {
			paths, err := programs([]string{arg})
			if err != nil {
				paths = []string{arg} // which says why
			}
			for _, path := range paths {
				report, err := flags.format(t, path)
				if err != nil {
					t.show(err)
					failure := newFailureReport(err, nil)
					report.failureReport = &failure
				}
				failed = failed || err != nil || report.Changed && flags.check
				reports = append(reports, report)
			}
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

// format formats a file as the flags say. A file with errors is left alone.
func (flags *formatFlags) format(t *terminal, path string) (formatReport, error) {
	report := formatReport{File: path}
	if path == dash && flags.write {
		return report, usagef("fmt -w: the standard input cannot be rewritten; without -w the text goes to the standard output")
	}
	file, err := t.readProgram(path)
	if err != nil {
		return report, err
	}
	formatted, diagnostics := notations.Of(file.Name).Format(file)
	if err := diagnostics.Err(); err != nil {
		return report, err
	}
	report.Changed = formatted != file.Text
	switch {
	case flags.write && report.Changed:
		t.writing.Lock()
		defer t.writing.Unlock()
		err = scratch.Write(path, []byte(formatted))
	case !flags.write && !flags.check:
		report.Text = formatted
	}
	switch {
	case t.json:
	case flags.check && report.Changed:
		fmt.Fprintln(t.out, path)
	case !flags.write && !flags.check:
		fmt.Fprint(t.out, formatted)
	}
	return report, err
}
