package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci/internal/source"
)

// newHelp is the verb of this name. Cobra's own says that a verb is not known, and ends as if it were.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Help about any verb",
		Example: "  ricci help tune\n  ricci help cache prune",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var verbs []string
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() {
					verbs = append(verbs, c.Name()+"\t"+c.Short)
				}
			}
			return verbs, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				of, rest = cmd.Root(), args
			}
			if len(rest) > 0 {
				return usagef("there is no verb %q%s", strings.Join(args, " "), source.DidYouMean(rest[0], verbsOf(of)))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// verbsOf lists the names of the verbs below a command.
func verbsOf(cmd *cobra.Command) []string {
	names := []string{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// A verbReport is the help of a verb.
type verbReport struct {
	Usage   string       `json:"usage"`
	Short   string       `json:"short"`
	Long    string       `json:"long,omitempty"`
	Example string       `json:"example,omitempty"`
	Verbs   []string     `json:"verbs"`
	Flags   []flagReport `json:"flags"`
}

type flagReport struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Type      string `json:"type"`
	Default   string `json:"default"`
	Usage     string `json:"usage"`
}

// helpInJSON lets the help of every verb, by the verb help or the flag --help, obey --json.
func (t *terminal) helpInJSON(root *cobra.Command) {
	text := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !t.json {
			text(cmd, args)
			return
		}
		report := verbReport{Usage: cmd.UseLine(), Short: cmd.Short, Long: cmd.Long, Example: cmd.Example, Verbs: verbsOf(cmd), Flags: []flagReport{}}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			report.Flags = append(report.Flags, flagReport{Name: f.Name, Shorthand: f.Shorthand, Type: f.Value.Type(), Default: f.DefValue, Usage: f.Usage})
		})
		if err := t.writeResult(true, report); err != nil {
			t.show(err)
		}
	})
}
