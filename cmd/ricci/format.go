package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

func newFormat(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fmt FILE…",
		Short:   "Format programs",
		Long:    "Fmt prints programs in the standard layout. With -w it rewrites the files,\nwith --check it only says which files would change and exits with 1.",
		Example: "  ricci fmt matmul.tc\n  ricci fmt -w examples/tc/*.tc",
		Args:    files("fmt"),
	}
	write := cmd.Flags().BoolP("write", "w", false, "rewrite the files")
	check := cmd.Flags().Bool("check", false, "list files that would change")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		changed := false
		for _, path := range args {
			text, formatted, err := formatFile(path)
			if err != nil {
				return err
			}
			switch {
			case *check && formatted != text:
				changed = true
				fmt.Fprintln(t.out, path)
			case *check:
			case *write && formatted != text:
				if err := replaceFile(path, []byte(formatted)); err != nil {
					return err
				}
			case *write:
			default:
				fmt.Fprint(t.out, formatted)
			}
		}
		if changed {
			return errSilent
		}
		return nil
	}
	return cmd
}

func formatFile(path string) (text, formatted string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	file, diagnostics := syntax.Parse(source.NewFile(path, string(content)))
	if err := diagnostics.Err(); err != nil {
		return "", "", err
	}
	return string(content), syntax.Format(file), nil
}

// replaceFile writes to a temporary name beside the file and renames it, so that
// a crash leaves the old contents; the mode stays.
func replaceFile(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temporary := path + ".ricci-fmt"
	if err := os.WriteFile(temporary, content, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return err
	}
	return nil
}
