// Command ricci compiles, checks, runs, tests and shows tensor programs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// How it works
//
// One file per verb; each has a constructor that returns its cobra command and a
// struct with its flags. Verbs return errors; only this file decides how an
// error is shown and which exit status it gives: 0 for success, 1 for a program
// or its data that is wrong, 2 for a wrong command line, 130 after Ctrl-C.

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for what the first one ends
	status := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
