package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
)

func newDevices(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List what can run programs here, and what each lacks",
		Long: `Devices lists the devices that Ricci knows: what runs the code of a target. The first one
that can be used is taken where --device names none. Of each device that cannot be used it says what is
missing. docs/devices.md is about targets and devices.`,
		Example: "  ricci devices\n  ricci run examples/tc/matmul.tc matmul -s M=4 -s K=4 -s N=4 --device evaluator",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := ricci.Devices(cmd.Context(), ricci.Options{Notice: t.plainNotice})
			return t.result(map[string]any{"devices": list}, func() error {
				w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "DEVICE\tTARGET\t\t")
				for _, d := range list {
					state := "can be used"
					if !d.Usable {
						state = "lacks " + strings.Join(d.Missing, "; ")
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Name, d.Target, d.About, state)
				}
				return w.Flush()
			})
		},
	}
}
