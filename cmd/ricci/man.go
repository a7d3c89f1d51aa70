package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages of all verbs to a directory",
		Example: "  ricci man /usr/local/share/man/man1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return formErrorf("man takes one directory, found %d arguments: ricci man DIR", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "RICCI", Section: "1", Source: "Ricci"}, args[0]); err != nil {
				return err
			}
			t.notice("wrote the manual pages to %s", args[0])
			return nil
		},
	}
}

func newVersion(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ricci version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(t.out, version())
			return nil
		},
	}
}

// version is the module version, or the commit of a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "ricci (unknown version)"
	}
	text := "ricci " + info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			text += " " + setting.Value[:12]
		}
	}
	return text + " " + info.GoVersion
}
