package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/serve"
)

const serveHelp = `Serve is for programs that use Ricci while they run, such as the Python package: it reads requests from the
standard input and writes answers to the standard output, one JSON object in a line each, until its input ends. A request
checks, compiles, tunes, shows or runs a program. What is compiled are libraries, which the other program
loads and calls itself. docs/serve.md describes requests, answers, and how libraries are called.

With --header it prints the C header for calls of such libraries.`

func newServe(t *terminal) *cobra.Command {
	var header bool
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Answer requests of other programs, as JSON lines",
		Long:    serveHelp,
		Example: "  ricci serve < requests.jsonl\n  ricci serve --header > ricci.h",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if header {
				return t.result(map[string]any{"header": abi.Header}, func() error {
					_, err := io.WriteString(t.out, abi.Header)
					return err
				})
			}
			if t.json {
				return usagef("serve answers in lines of JSON without --json")
			}
			worker, err := workerCommand()
			if err != nil {
				worker = nil // a search says so; all else needs none (there may be no /proc)
			}
			return serve.Run(cmd.Context(), t.in, t.out, serve.Options{Version: version(), Worker: worker})
		},
	}
	cmd.Flags().BoolVar(&header, "header", false, "print the C header of compiled libraries")
	return cmd
}
