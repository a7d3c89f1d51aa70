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
// or its data that is wrong, 2 for a wrong command line, 130 after Ctrl-C (0 where a search
// was ended, which keeps its best).

// interrupts lists the signals that end a verb in order: a terminal that is closed is one, unless
// nohup has said that it does not matter.
func interrupts() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for what the first one ends
	status := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
