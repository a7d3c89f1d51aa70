package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
)

func newFormat(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fmt FILE|DIR…",
		Short:   "Format programs",
		Long:    "Fmt prints programs in the standard layout. With -w it rewrites the files,\nwith --check it only says which files would change and exits with 1. A directory\nstands for the programs below it.",
		Example: "  ricci fmt matmul.tc\n  ricci fmt -w examples",
		Args:    files("fmt"), ValidArgsFunction: completeFiles,
	}
	write := cmd.Flags().BoolP("write", "w", false, "rewrite the files")
	check := cmd.Flags().Bool("check", false, "list files that would change")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		failed := false
		for _, arg := range args {
			paths, err := programs([]string{arg})
			if err != nil {
				t.show(err)
				failed = true
			}
			for _, path := range paths {
				changed, err := formatOne(t, path, *write, *check)
				if err != nil {
					t.show(err)
				}
				failed = failed || err != nil || changed && *check
			}
		}
		if failed {
			return errSilent
		}
		return nil
	}
	return cmd
}

// formatOne formats a file as the flags say and reports whether it was in another
// layout. A file with errors is left alone.
func formatOne(t *terminal, path string, write, check bool) (changed bool, err error) {
	text, formatted, err := formatFile(path)
	if err != nil {
		return false, err
	}
	changed = formatted != text
	if check && changed {
		fmt.Fprintln(t.out, path)
	}
	if write && changed {
		t.writing.Lock()
		defer t.writing.Unlock()
		return true, writeFile(path, []byte(formatted))
	}
	if !write && !check {
		fmt.Fprint(t.out, formatted)
	}
	return changed, nil
}

func formatFile(path string) (text, formatted string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	formatted, diagnostics := notations.Of(path).Format(source.NewFile(path, string(content)))
	return string(content), formatted, diagnostics.Err()
}
