package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

func newExplain(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE]",
		Short:   "Explain an error code with an example and its fix",
		Long:    "Explain prints what a diagnostic means, a program that has it, and how to mend it.\nWithout a code it lists all codes.",
		Example: "  ricci explain E0301\n  ricci explain",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, info := range source.Codes() {
				codes = append(codes, fmt.Sprintf("%s\t%s", info.Code, info.Title))
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return t.result(map[string]any{"codes": report.Codes(source.Codes())}, func() error {
					for _, info := range source.Codes() {
						fmt.Fprintf(t.out, "%s  %s\n", info.Code, info.Title)
					}
					return nil
				})
			}
			info, ok := source.Lookup(source.Code("E" + strings.TrimPrefix(strings.ToUpper(args[0]), "E")))
			if !ok {
				var codes []string
				for _, info := range source.Codes() {
					codes = append(codes, string(info.Code))
				}
				if near := source.Suggest(strings.ToUpper(args[0]), codes); near != "" {
					return usagef("there is no code %q; did you mean %s? 'ricci explain' lists all codes", args[0], near)
				}
				return usagef("there is no code %q; 'ricci explain' lists all codes", args[0])
			}
			return t.result(map[string]any{"codes": report.Codes([]source.CodeInfo{info})}, func() error {
				_, err := fmt.Fprint(t.out, explanation(info))
				return err
			})
		},
	}
}

func explanation(info source.CodeInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", info.Code, info.Title, strings.TrimSpace(info.Explanation))
	if info.Example != "" {
		fmt.Fprintf(&b, "\nExample:\n\n%s\n", indented(info.Example))
	}
	if info.Fix != "" {
		fmt.Fprintf(&b, "\nHow to mend it:\n\n%s\n", indented(info.Fix))
	}
	return b.String()
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n    ")
}
