package main

import (
	"strings"

	"github.com/spf13/cobra"

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
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// refuseOtherShells lets the verb completion, which cobra adds, refuse a shell that it does not know.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Example = "  ricci completion bash > /etc/bash_completion.d/ricci\n  ricci completion zsh > \"${fpath[1]}/_ricci\""
		c.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return oneOf("completion", args[0], verbsOf(cmd))
			}
			return nil
		}
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}
