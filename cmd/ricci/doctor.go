package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device/host"
)

func newDoctor(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Show what was found on this machine",
		Long:    "Doctor shows the compilers, instruction sets, caches and libraries that Ricci found, and what is missing.",
		Example: "  ricci doctor\n  ricci doctor --json",
		Args:    cobra.NoArgs,
	}
	asJSON := cmd.Flags().Bool("json", false, "machine-readable output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report := diagnosis{Version: version(), Report: host.Inspect(cmd.Context())}
		if c, err := openCache(t); err == nil {
			report.CacheDir = c.Dir()
			report.CacheBytes, _ = c.Size()
		} else {
			report.CacheNote = err.Error()
		}
		if *asJSON {
			return writeJSON(t.out, report)
		}
		return report.print(t)
	}
	return cmd
}

// A diagnosis is what doctor reports.
type diagnosis struct {
	Version string `json:"version"`
	host.Report
	CacheDir   string `json:"cache_dir"`
	CacheBytes int64  `json:"cache_bytes"`
	CacheNote  string `json:"cache_note,omitempty"`
}

func (d *diagnosis) print(t *terminal) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("version", "%s", d.Version)
	line("system", "%s, %s", d.System, d.Go)
	line("processor", "%s", d.Processor)
	line("cores", "%d physical, %d usable threads", d.Cores, d.Threads)
	line("instructions", "%s", strings.Join(d.Instructions, " "))
	for _, c := range d.Caches {
		line("cache "+c.Name, "%s", bytesText(c.Bytes))
	}
	for i, c := range d.Compilers {
		use := ""
		if i == 0 {
			use = "  (used)"
		}
		line("C compiler", "%s %s (%s)%s", c.Family, c.Version, c.Command, use)
	}
	switch {
	case !d.Native:
		line("C compiler", "not used: compiled code cannot be loaded on this system; programs run on the reference evaluator")
	case len(d.Compilers) == 0:
		line("C compiler", "none: %s", d.CompilerNote)
		line("", "programs run on the slow reference evaluator; install gcc or clang, or set %s", host.CompilerVariable)
	}
	for _, l := range d.Libraries {
		if l.Path == "" {
			line("library", "%s: not found (%s)", l.Name, l.Use)
			continue
		}
		line("library", "%s: %s (%s)", l.Name, l.Path, l.Use)
	}
	if d.CacheNote != "" {
		line("kernel cache", "unusable: %s; set %s to a writable directory", d.CacheNote, cache.Variable)
	} else {
		line("kernel cache", "%s, %s", d.CacheDir, bytesText(d.CacheBytes))
	}
	return w.Flush()
}
