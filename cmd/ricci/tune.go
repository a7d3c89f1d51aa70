package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/tensor"
	"github.com/ricci-lang/ricci/tune"
)

// workerVerb is the hidden verb of processes that measure.
const workerVerb = "tune-worker"

type tuneFlags struct {
	call               callFlags
	time               time.Duration
	evaluations        int
	idle               int
	fraction, speedup  float64
	strategy, space    string
	pin                string
	report             string
	resume             bool
	exported, imported string
	adopt              bool
}

func newTune(t *terminal) *cobra.Command {
	var flags tuneFlags
	cmd := &cobra.Command{
		Use:   "tune FILE [DEF] -s SIZE=N…",
		Short: "Search for the fastest schedule of a def on this machine",
		Long:  tuneHelp(),
		Example: `  ricci tune examples/tc/matmul.tc matmul -s M=384 -s N=384 -s K=384 --time 1m
  ricci tune examples/tc/matmul.tc matmul -s M=384 -s N=384 -s K=384 --evals 50 --strategy random
  ricci tune --export tuned.txt
  ricci tune --import tuned.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch whole := flags.exported != "" || flags.imported != ""; {
			case whole && len(args) > 0:
				return formErrorf("tune takes no program with --export or --import, which are about all schedules; found %s", args[0])
			case whole:
				return nil
			}
			return oneFile("tune")(cmd, args)
		},
		ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.exported != "":
				if err := checkOutput("--export", flags.exported); err != nil {
					return err
				}
				return exportTuned(t, flags.exported)
			case flags.imported != "":
				return importTuned(cmd.Context(), t, flags.imported, flags.adopt)
			case flags.pin != "" && !cmd.Flags().Changed("space"):
				flags.space = "mapping"
			}
			return runTune(cmd.Context(), t, args, &flags)
		},
	}
	flags.define(cmd)
	return cmd
}

// tuneHelp is the long text of the help.
func tuneHelp() string {
	return `Tune tries schedules for a def and sizes, measures them, and keeps the fastest.
What it finds is used from then on by run, build, test, bench and the API, for
the same def and sizes on this machine; a def never becomes slower than by
default. Every candidate runs in a process of its own and is checked.

Everything that was measured is remembered: a search that was interrupted with
Ctrl-C, or killed, goes on where it was when the same command is given again
(the same strategy and seed), and --evals counts the candidates of both. One that
came to its end is not repeated: the command looks for more, and counts anew.
With the same seed and the same measured times the same candidates are tried.
Inputs are given as for 'ricci run'.

Strategies:
  ` + strings.Join(tune.DescribeStrategies(), "\n  ") + `
Spaces:
  ` + strings.Join(tune.DescribeSpaces(), "\n  ") + `

With --export and --import tuned schedules move between machines, as text.

` + inputFiles
}

// define adds the flags to the command.
func (flags *tuneFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&flags.call.inputs, "input", "i", nil, "value of an input: `NAME=SPEC` (repeatable)")
	f.StringArrayVarP(&flags.call.sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringSliceVar(&flags.call.dynamic, "dynamic", nil, "sizes that stay variables of the kernel: `N,M`")
	f.BoolVar(&flags.call.cast, "cast", false, "convert arrays whose element type differs from the declared one")
	f.IntVar(&flags.call.threads, "threads", 0, "the most threads to use (0: all cores)")
	f.Uint64Var(&flags.call.seed, "seed", 0, "seed of the search and of random inputs")
	flags.call.order.registerNumerics(cmd)
	flags.call.order.registerMachine(cmd)
	registerDevice(cmd, &flags.call.device)
	f.DurationVar(&flags.time, "time", 0, "how long to take, the final comparison included (1m when nothing else limits the search)")
	f.IntVar(&flags.evaluations, "evals", 0, "how many candidates to measure in all, with those of an interrupted search that goes on (0: any number)")
	f.IntVar(&flags.idle, "idle", 0, "end after `N` candidates without progress (0: never)")
	f.Float64Var(&flags.fraction, "fraction", 0, "end when this part of the space is known, such as 0.5 (0: never)")
	f.Float64Var(&flags.speedup, "speedup", 0, "end when a candidate is so many times as fast as the default, such as 1.5 (0: never)")
	f.StringVar(&flags.strategy, "strategy", "", "how to search: "+strings.Join(tune.Strategies(), ", "))
	f.StringVar(&flags.space, "space", tune.Spaces()[0], "what to search: "+strings.Join(tune.Spaces(), ", "))
	f.StringVar(&flags.pin, "pin", "", "mapping options that all candidates have, such as '.tile(32, 32).unroll(8)'; searches --space mapping")
	f.BoolVar(&flags.resume, "resume", true, "use what earlier runs have measured")
	f.StringVar(&flags.report, "report", "", "write an HTML page about the search to `FILE` (-: the standard output)")
	f.StringVar(&flags.exported, "export", "", "write all tuned schedules to `FILE` (-: the standard output)")
	f.StringVar(&flags.imported, "import", "", "read tuned schedules from `FILE` (-: the standard input)")
	f.BoolVar(&flags.adopt, "adopt", false, "with --import: use schedules of other machines, compilers and versions of Ricci")
	cmd.MarkFlagsMutuallyExclusive("export", "import")
	for _, whole := range []string{"export", "import"} { // of all schedules, whatever a search would need
		for _, search := range []string{"size", "input", "time", "evals", "fraction", "speedup", "strategy", "space", "pin", "report", "machine"} {
			cmd.MarkFlagsMutuallyExclusive(whole, search)
		}
	}
	completeValues(cmd, map[string]completion{
		"size": completeSize, "dynamic": completeDynamic, "input": completeInput,
		"strategy": fixed(tune.Strategies()), "space": fixed(tune.Spaces()),
	})
}

// newTuneWorker is the other end of a search: it runs candidates.
func newTuneWorker() *cobra.Command {
	return &cobra.Command{
		Use: workerVerb, Short: "Measure candidates for 'ricci tune'", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return tune.Serve() },
	}
}

func (flags *tuneFlags) check(t *terminal) error {
	if err := oneOf("--space", flags.space, tune.Spaces()); err != nil {
		return err
	}
	if flags.pin != "" && flags.space != "mapping" {
		return usagef("--pin is for --space mapping, found --space %s", flags.space)
	}
	if flags.strategy != "" {
		if err := oneOf("--strategy", flags.strategy, tune.Strategies()); err != nil {
			return err
		}
	}
	for _, limit := range []struct {
		name     string
		negative bool
	}{{"time", flags.time < 0}, {"evals", flags.evaluations < 0}, {"idle", flags.idle < 0}, {"threads", flags.call.threads < 0}} {
		if limit.negative {
			return usagef("--%s cannot be negative", limit.name)
		}
	}
	switch {
	case !(flags.fraction >= 0 && flags.fraction <= 1):
		return usagef("--fraction %v: expected a part of the space, from 0 to 1", flags.fraction)
	case flags.speedup != 0 && !(flags.speedup > 1 && !math.IsInf(flags.speedup, 0)):
		return usagef("--speedup %v: expected a number above 1, such as 1.5", flags.speedup)
	}
	if n := flags.call.threads; n != 0 {
		if err := checkThreads([]int{n}); err != nil {
			return err
		}
	}
	return t.checkOutputs("--report", flags.report)
}

func runTune(ctx context.Context, t *terminal, args []string, flags *tuneFlags) error {
	if err := flags.check(t); err != nil {
		return err
	}
	request, err := flags.call.request()
	if err != nil {
		return err
	}
	def, err := loadAnnouncedDef(t, args)
	if err != nil {
		return err
	}
	if err := (&runFlags{callFlags: flags.call}).checkFor(def, request, nil); err != nil {
		return err
	}
	arguments, err := resolve(t, def, request)
	if err != nil {
		return err
	}
	signature, err := def.SignatureOf(arguments.Args)
	if err != nil {
		return err
	}
	for name, n := range arguments.Sizes {
		signature.Sizes[name] = n
	}
	// An interrupt ends the search; storing what was found takes a moment longer.
	t.writing.Lock()
	defer t.writing.Unlock()
	options, err := flags.options(t, arguments)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if flags.report != "" {
		options.Report, options.Command = &page, "ricci "+strings.Join(os.Args[1:], " ")
	}
	outcome, err := tune.Run(ctx, def, signature, options)
	if err != nil {
		return err
	}
	if t.json {
		err = t.writeResult(true, outcome)
	} else {
		printOutcome(t, outcome)
		if spaces := tune.Spaces(); outcome.Exhausted() && flags.space == spaces[0] {
			fmt.Fprintf(t.out, "the space %s has nothing more: its other points are the same schedules, or hopeless by the cost model; larger ones are --space %s\n", flags.space, strings.Join(spaces[1:], " and --space "))
		}
	}
	if page.Len() > 0 {
		err = errors.Join(err, t.writeOutput(flags.report, page.Bytes()))
	}
	return err
}

// resolve makes the arguments of a call, and says which flag is missing.
func resolve(t *terminal, def *ricci.Def, request argument.Request) (*argument.Arguments, error) {
	for name, spec := range request.Specs {
		if spec.Kind != argument.File || spec.Path != dash {
			continue
		}
		array, err := t.readArray()
		if err != nil {
			return nil, fmt.Errorf("input %s from the standard input: %w", name, err)
		}
		request.Values = map[string]*tensor.Tensor{name: array}
	}
	arguments, err := argument.Resolve(def, request)
	var unknown *argument.SizesError
	switch {
	case !errors.As(err, &unknown):
	case len(unknown.Sizes) == 1:
		err = fmt.Errorf("%w; give it, -s %s=…, or an array for an input that has it", err, unknown.Sizes[0])
	default:
		err = fmt.Errorf("%w; give them, -s %s=…, or arrays for inputs that have them", err, strings.Join(unknown.Sizes, "=… "))
	}
	return arguments, err
}

func (flags *tuneFlags) options(t *terminal, arguments *argument.Arguments) (tune.Options, error) {
	if err := checkDevice(flags.call.device); err != nil {
		return tune.Options{}, err
	}
	compile := ricci.Options{Device: flags.call.device, Threads: flags.call.threads, Dynamic: flags.call.dynamic, Numerics: flags.call.order.numerics, Notice: t.plainNotice}
	if err := flags.call.order.setMachine(t, &compile); err != nil {
		return tune.Options{}, err
	}
	worker, err := workerCommand()
	return tune.Options{
		Compile:   compile,
		Arguments: arguments.Args, Time: flags.time, Evaluations: flags.evaluations, Idle: flags.idle,
		Fraction: flags.fraction, Speedup: flags.speedup,
		Strategy: flags.strategy, Space: flags.space, Pin: flags.pin, Seed: flags.call.seed, Fresh: !flags.resume, Worker: worker,
		Progress: func(p tune.Progress) { t.plainNotice(p.String()) },
	}, err
}

// rivalText says how near the best candidate came, and what became of its earlier time.
func rivalText(o *tune.Outcome) string {
	if o.Rival == 0 {
		return ""
	}
	text := fmt.Sprintf("\nby turns with the default, the best candidate took %s", bench.SecondsText(o.Rival))
	if o.Rival < o.Default {
		text += ", which is within the noise"
	}
	if o.Claimed > 0 && o.Claimed < 0.9*o.Rival {
		text += fmt.Sprintf(" (%s during the search: the machine's speed has changed, for both)", bench.SecondsText(o.Claimed))
	}
	return text
}

// unracedText says what an outcome without a race is worth.
func unracedText(o *tune.Outcome) string {
	text := "the best candidates did not run by turns with the default, for want of time or of candidates that work: "
	switch {
	case o.Tuned:
		return text + "this one was clearly faster in the search"
	case o.Rivals == 0 && len(o.Failures) > 0:
		return "there was no candidate that worked to run by turns with the default"
	}
	return text + "run the command again to go on from here"
}

// plural writes a count with its noun.
func plural(count, noun string) string {
	if count == "1" {
		return count + " " + noun
	}
	return count + " " + noun + "s"
}

// countText writes a count, of many digits the first three.
func countText(n *big.Int) string {
	if text := n.String(); len(text) <= 9 {
		return text
	}
	return fmt.Sprintf("%.3g", new(big.Float).SetInt(n))
}

func printOutcome(t *terminal, o *tune.Outcome) {
	if o.Tuned {
		fmt.Fprintf(t.out, "%s: %s, %.2f times the speed of the default (%s)\n", o.Name, bench.SecondsText(o.Seconds), o.Speedup(), bench.SecondsText(o.Default))
		fmt.Fprintf(t.out, "parameters: %s\n", o.Point)
	} else {
		fmt.Fprintf(t.out, "%s: nothing is faster than the default (%s)%s\n", o.Name, bench.SecondsText(o.Default), rivalText(o))
	}
	text := fmt.Sprintf("%s of the space %s, which has %s", plural(strconv.Itoa(o.Evaluated), "candidate"), o.Space, plural(countText(o.Points), "point"))
	if o.Earlier > 0 {
		text += fmt.Sprintf(", %d known from earlier runs", o.Earlier)
	}
	for _, kind := range sortedKeys(o.Failures) {
		text += fmt.Sprintf(", %d %s", o.Failures[kind], kind)
	}
	if o.Spilling > 0 {
		text += fmt.Sprintf(", %d without room in registers", o.Spilling)
	}
	elapsed := time.Duration(o.Elapsed * float64(time.Second)).Round(time.Millisecond)
	fmt.Fprintf(t.out, "%s; checked against %s; it took %s: %s\n", text, o.Reference, elapsed, o.Stopped)
	if takes := o.TakesText(); takes != "" {
		fmt.Fprintf(t.out, "its kernel takes %s\n", takes)
	}
	if !o.Raced && o.Evaluated+o.Earlier > 0 && (o.Rivals > 0 || len(o.Failures) > 0) {
		fmt.Fprintln(t.out, unracedText(o))
	}
	for _, warning := range o.Warnings {
		t.notice("warning: %s", warning)
	}
}
