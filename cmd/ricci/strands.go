package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/session"
)

// strandFlags are the flags of run for programs of strands.
type strandFlags struct {
	double, longInt  bool
	constants        []string
	limit            int
	snapshot, prefix string
	print            string
	superSteps       bool
	bruteForce       bool
	spans            []string
	words            []string // behind --
	isOriginal       bool     // there is a --
}

// strandOnly are the names of these flags, defOnly those that such a program has no use for.
var (
	strandOnly = []string{"double", "long-int", "const", "limit", "snapshot", "snapshot-prefix", "print", "force-bsp", "no-space-partition"}
	defOnly    = []string{"size", "dynamic", "cast", "runs", "time", "seed"}
)

func (s *strandFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.double, "double", false, "strands: compute with reals of 64 bits")
	f.BoolVar(&s.longInt, "long-int", false, "strands: compute with integers of 64 bits")
	f.StringArrayVar(&s.constants, "const", nil, "strands: the value of a constant, `NAME=VALUE` (repeatable)")
	f.IntVarP(&s.limit, "limit", "l", 0, "strands: the most super-steps (0: any number)")
	f.StringVar(&s.snapshot, "snapshot", "", "strands: write the states every `N` super-steps, to NAME-0006.nrrd or beside the file of -o")
	f.Lookup("snapshot").NoOptDefVal = "0"
	f.StringVar(&s.prefix, "snapshot-prefix", "", "strands: what the names of snapshots begin with")
	f.StringVar(&s.print, "print", dash, "strands: the `FILE` that print writes to")
	f.BoolVar(&s.superSteps, "force-bsp", false, "strands: run super-steps also where strands cannot notice each other")
	f.BoolVar(&s.bruteForce, "no-space-partition", false, "strands: look for near strands among all")
	f.StringArrayVar(&s.spans, "range", nil, "which numbers of an output become black and white in a .png: `NAME=LOW,HIGH` (repeatable)")
}

// parse checks a program whose numbers and constants are as the flags say.
func (s *strandFlags) parse(t *terminal, path string) (*ricci.Program, error) {
	t.programs.Double, t.programs.LongInt, t.programs.Constants = s.double, s.longInt, map[string]string{}
	for _, text := range s.constants {
		name, value, err := assignment(text, "--const", "NAME=VALUE")
		if err != nil {
			return nil, err
		}
		t.programs.Constants[name] = value
	}
	return t.parse(path)
}

// runStrands runs the strands of a program: with Ricci's own flags, or behind -- with those of the original.
func runStrands(cmd *cobra.Command, t *terminal, s *ricci.Strands, path string, flags *runFlags) error {
	if err := misfits(cmd, defOnly, "a program of strands does not take it"); err != nil {
		return err
	}
	t.warn(s.Warnings()...)
	if !flags.strands.isOriginal {
		return t.runNative(cmd.Context(), s, flags)
	}
	for _, name := range []string{"input", "output", "limit", "print", "snapshot-prefix", "range"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s: behind -- stand all inputs, outputs and limits", name)
		}
	}
	return t.runOriginal(cmd.Context(), s, path, flags)
}

// behindDash takes the words behind -- from the arguments.
func (s *strandFlags) behindDash(cmd *cobra.Command, args []string) []string {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		s.isOriginal, s.words = true, args[at:]
		return args[:at]
	}
	return args
}

// misfits refuses flags of the other kind of programs.
func misfits(cmd *cobra.Command, flags []string, what string) error {
	for _, name := range flags {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return usagef("--%s: %s", name, what)
		}
	}
	return nil
}

// every is the number of super-steps between snapshots.
func (s *strandFlags) every() (int, error) {
	if s.snapshot == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s.snapshot)
	if err != nil || n < 0 || n == 0 && !s.isOriginal {
		return 0, usagef("--snapshot: expected a number of super-steps behind it, at least 1")
	}
	return n, nil
}

// checkedStrands is how many strands of an array are evaluated to be compared, unless all are asked for.
const checkedStrands = 1024

// A strandRun is a run of a program of strands by the command.
type strandRun struct {
	t       *terminal
	program *strand.Program
	strands *ricci.Strands
	options strand.Options
	kernel  ricci.Options // what runs it
	by, why string        // what does, and why that is no kernel
	check   bool          // compare its kernel with the strand evaluator
	all     bool          // all strands, also where there are many
	// findings are those of the check.
	findings []native.Finding
	limit    int
	every    int
	// places are those of outputs and of snapshots by the names of states; an output without one is printed.
	outputs, snapshots map[string]session.Place
	spans              map[string]*interval
	print              string
	verbose, timing    bool
	isOriginal         bool // by the original's command line: results go to files, and nothing is said of them
}

func (t *terminal) newStrandRun(s *ricci.Strands, flags *runFlags) (*strandRun, error) {
	kernel, err := flags.callFlags.options(t)
	return &strandRun{
		t: t, strands: s, program: inside.Of(s).Program, outputs: map[string]session.Place{}, snapshots: map[string]session.Place{}, spans: map[string]*interval{},
		options: strand.Options{ForceBSP: flags.strands.superSteps, BruteForce: flags.strands.bruteForce}, kernel: kernel, check: flags.check != "", all: flags.check == checkAll,
	}, err
}

// run runs the program and writes what it makes.
func (r *strandRun) run(ctx context.Context, inputs *session.Inputs) (err error) {
	out, closePrint, err := r.printer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closePrint()) }()
	r.options.Print = out
	r.trace("initializing world ...")
	given, err := inputs.Given()
	if err != nil {
		return err
	}
	r.trace("initializing globals and creating strands ...")
	world, err := native.Start(ctx, r.program, given, r.options, inside.Options(r.kernel))
	if err != nil {
		return r.judged(ctx, given, err)
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	if r.by, r.why = world.By, world.Why; r.why != "" {
		r.trace("the strand evaluator runs the program: %s", r.why)
	}
	if err := r.advance(ctx, world, out); err != nil {
		return r.judged(ctx, given, err)
	}
	outputs, err := world.Outputs()
	if errors.Is(err, strand.ErrNoneStable) {
		return session.NoneStable(r.program, world)
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	var failure error
	if r.check {
		stop := r.t.working("checking with the strand evaluator")
		most, total := checkedStrands, world.Count(strand.All)
		if r.all {
			most = 0
		} else if total > most {
			r.t.notice("%s of %s strands were compared; --check=all compares all of them", grouped(most), grouped(total))
		}
		r.findings, failure = native.Check(ctx, r.program, given, r.limit, most, inside.Options(r.kernel))
		stop()
	}
	return errors.Join(r.finish(ctx, world, outputs), failure)
}

// judged asks the strand evaluator about a fault of a kernel that is checked.
func (r *strandRun) judged(ctx context.Context, given strand.Given, err error) error {
	var fault *strand.Fault
	if !r.check || r.by == native.Evaluator || !errors.As(err, &fault) || fault.IsInterrupt() {
		return err
	}
	_, found := native.Check(ctx, r.program, given, r.limit, checkedStrands, inside.Options(r.kernel))
	switch {
	case found == nil:
		return fmt.Errorf("neither the strand evaluator nor the kernel by strict numerics fails, but this one: %w", err)
	case found.Error() == err.Error():
		r.t.plainNotice("the strand evaluator fails as the kernel does")
	}
	return found
}

// printer is where the program prints.
func (r *strandRun) printer() (out *bufio.Writer, close func() error, err error) {
	var to io.Writer = r.t.out
	if r.t.json {
		to = r.t.err
	}
	closeFile := func() error { return nil }
	if r.print != dash {
		file, err := os.Create(r.print)
		if err != nil {
			return nil, nil, err
		}
		to, closeFile = file, file.Close
	}
	out = bufio.NewWriter(to)
	return out, func() error { return errors.Join(out.Flush(), closeFile()) }, nil
}

// trace says what happens where it is asked for.
func (r *strandRun) trace(format string, args ...any) {
	if r.verbose {
		fmt.Fprintf(r.t.err, format+"\n", args...)
	}
}

// place is where an output, or a snapshot of one, is written.
func (r *strandRun) place(places map[string]session.Place, o *strand.Output) (session.Place, bool) {
	v := session.Variable(r.program, o)
	place, is := places[v.Name]
	return place.Of(v, o), is
}

// stateNamed is the output of that name.
func (r *strandRun) stateNamed(flag, name string) error {
	var names []string
	for _, v := range r.program.Outputs() {
		names = append(names, v.Name)
	}
	if slices.Contains(names, name) {
		return nil
	}
	return usagef("%s %s: %s has no such output; its outputs are %s", flag, name, r.program.Name, strings.Join(names, ", "))
}
