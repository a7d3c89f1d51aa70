package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

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
			forManual(root)
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "RICCI", Section: "1", Source: "Ricci"}, args[0]); err != nil {
				return err
			}
			return t.result(map[string]any{"files": manualPages(args[0], root)}, func() error {
				t.notice("wrote the manual pages to %s", args[0])
				return nil
			})
		},
	}
}

// manualPages lists the files of a command and of those below it.
func manualPages(directory string, cmd *cobra.Command) []string {
	list := []string{filepath.Join(directory, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, manualPages(directory, c)...)
		}
	}
	return list
}

// forManual makes the long texts of a command, and of those below it, the Markdown that they
// become manual pages by.
func forManual(cmd *cobra.Command) {
	cmd.Long = preformatted(cmd.Long)
	for _, c := range cmd.Commands() {
		forManual(c)
	}
}

// preformatted puts lines that are indented, as lists in help texts are, into blocks of code,
// whose lines stay lines; the others are a paragraph each time.
func preformatted(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			inside = indented
			b.WriteString("\n```\n")
			if !indented {
				b.WriteString("\n")
			}
		}
		if !inside { // where * and _ would be emphasis
			line = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`").Replace(line)
		}
		b.WriteString(line)
	}
	if inside {
		b.WriteString("\n```\n")
	}
	return b.String()
}

func newVersion(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ricci version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return t.result(map[string]any{"version": version()}, func() error {
				_, err := fmt.Fprintln(t.out, version())
				return err
			})
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
