package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// shells are those for which there are completions.
var shells = []struct {
	name, hint string
	generate   func(root *cobra.Command, w io.Writer) error
}{
	{"bash", "ricci completion bash > /etc/bash_completion.d/ricci", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"fish", "ricci completion fish > ~/.config/fish/completions/ricci.fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", "ricci completion powershell | Out-String | Invoke-Expression", (*cobra.Command).GenPowerShellCompletionWithDesc},
	{"zsh", `ricci completion zsh > "${fpath[1]}/_ricci"`, (*cobra.Command).GenZshCompletion},
}

// newCompletion is the verb of this name. Cobra's own knows no JSON, and takes any word for a shell.
func newCompletion(t *terminal) *cobra.Command {
	names, described := make([]string, len(shells)), make([]string, len(shells))
	example := ""
	for n, s := range shells {
		names[n] = s.name
		described[n] = s.name + "\tfor " + s.name
		example += "\n  " + s.hint
	}
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "Write the script that completes commands in a shell",
		Long:      "Completion writes a script for bash, fish, powershell or zsh, which completes verbs,\nflags, files, defs and sizes. The shell reads it where the examples put it.",
		Example:   example[1:],
		ValidArgs: described,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return nil // the help says what there is
			case 1:
				return oneOf("completion", args[0], names)
			}
			return formErrorf("completion takes one shell, found %d arguments: ricci completion bash", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			var script bytes.Buffer
			for _, s := range shells {
				if s.name == args[0] {
					if err := s.generate(cmd.Root(), &script); err != nil {
						return err
					}
				}
			}
			return t.result(map[string]any{"shell": args[0], "script": script.String()}, func() error {
				_, err := fmt.Fprint(t.out, script.String())
				return err
			})
		},
	}
}
