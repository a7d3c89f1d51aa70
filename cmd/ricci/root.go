package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
)

// The exit statuses.
const (
	statusOK          = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130
)

// errSilent ends a verb with status 1 after it has said everything itself.
var errSilent = errors.New("failed")

// errInterrupted is what became of a verb that an interrupt has ended.
var errInterrupted = errors.New("interrupted")

// usageError is a wrong command line. With seeHelp its form is wrong, which the help
// explains; without it a value is, which the message explains.
type usageError struct {
	error
	seeHelp bool
}

func usagef(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...)}
}

func formErrorf(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...), seeHelp: true}
}

// A terminal is where a verb reads and writes.
type terminal struct {
	programs ricci.ParseOptions // by --import-path
	in       io.Reader
	out, err io.Writer
	arrays   io.Writer  // the standard output where it takes an array, and out is err
	writing  sync.Mutex // held while a result file is written
	said     sync.Map   // the plain notices
	warned   []*source.Diagnostic

	json       bool   // the flag --json
	notation   string // of a program on the standard input
	inputTaken bool   // the standard input was read
}

// color reports whether diagnostics are painted.
func (t *terminal) color() bool {
	return t.interactive() && os.Getenv("NO_COLOR") == ""
}

// notice writes a line for people that is not part of the result.
func (t *terminal) notice(format string, args ...any) {
	fmt.Fprintf(t.err, "ricci: %s\n", source.Visible(fmt.Sprintf(format, args...)))
}

// plainNotice is notice for a text that is no format. What was said before, perhaps of
// another program, is not said again.
func (t *terminal) plainNotice(message string) {
	if _, again := t.said.LoadOrStore(message, true); !again {
		t.notice("%s", message)
	}
}

// warn writes warnings, each once, and keeps them for a result in JSON.
func (t *terminal) warn(list ...*source.Diagnostic) {
	for _, d := range list {
		if _, again := t.said.LoadOrStore(d.Error(), true); !again {
			t.warned = append(t.warned, d)
			t.diagnostics([]*source.Diagnostic{d})
		}
	}
}

// diagnostics writes warnings or errors with their source lines.
func (t *terminal) diagnostics(list []*source.Diagnostic) {
	source.RenderAll(t.err, list, source.RenderOptions{Color: t.color()})
}

// readers are the verbs that read programs with what these import.
var readers = []string{"run", "check", "show", "test", "build", "tune", "roofline", "bench"}

func newRoot(t *terminal) *cobra.Command {
	root := &cobra.Command{
		Use:   "ricci",
		Short: "A tensor compiler: say what a tensor is, Ricci computes it",
		Long: `Ricci compiles tensor programs to vectorised, parallel native code.

You write what a tensor is; Ricci infers the ranges, proves that every access
stays in bounds, compiles for this machine and runs it on your arrays.

Environment variables: RICCI_CC names the C compiler (none: use none), RICCI_CC_TIMEOUT how
long it may take (2m), RICCI_CACHE the directory of compiled kernels.`,
		Example: `  ricci run examples/tc/matmul.tc matmul -i A=a.npy -i B=b.npy -o C=c.npy
  ricci check examples/tc/matmul.tc
  ricci show examples/tc/matmul.tc matmul --stage ranges
  ricci explain E0301`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	t.registerJSON(root)
	root.AddCommand(
		newRun(t), newCheck(t), newFormat(t), newShow(t), newTest(t), newBuild(t), newTune(t), newTuneWorker(),
		newBench(t), newBenchWorker(t), newRoofline(t), newExplain(t), newServe(t), newConvert(t), newCache(t), newDoctor(t), newDevices(t), newMan(t), newVersion(t), newCompletion(t),
	)
	for _, verb := range root.Commands() {
		if slices.Contains(readers, verb.Name()) {
			verb.Flags().StringArrayVar(&t.programs.ImportPath, "import-path", nil, "also import files below `DIR`, not only below the program's own directory")
		}
	}
	root.SetHelpCommand(newHelp())
	t.helpInJSON(root)
	t.registerNotation(root)
	return root
}

// execute runs one command line and returns the exit status.
func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	written := &countingWriter{Writer: out}
	out = written
	t := &terminal{in: in, out: out, err: errOut}
	root := newRoot(t)
	root.SetArgs(spreadLists(args))
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := t.await(ctx, func() error { return run(ctx, root) })
	if lost := written.failed.Load(); err == nil && lost != nil {
		err = *lost // a schedule in a file on a full disk is not all of it
	}
	if err != nil && written.bytes.Load() == 0 && t.asksForJSON(args) {
		if ctx.Err() != nil { // what it broke off with means nothing
			err = errInterrupted
		}
		err = errors.Join(err, writeObject(out, false, newFailureReport(err, t.warned)))
	}
	return t.report(ctx, err)
}

// grace is how long a verb has to end by itself after an interrupt.
const grace = time.Second

// await runs a verb. Native code cannot be interrupted: when a verb does not end
// soon after an interrupt it is left alone, but never while it writes a file.
func (t *terminal) await(ctx context.Context, verb func() error) error {
	done := make(chan error, 1)
	go func() { done <- verb() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		t.writing.Lock() // for good: nothing is written from now on
		return ctx.Err()
	}
}

// run turns a panic of any verb into an internal error: no panic reaches a user.
func run(ctx context.Context, root *cobra.Command) (err error) {
	defer source.RecoverInternal("command line", &err)
	return root.ExecuteContext(ctx)
}

// report shows an error and returns the exit status for it.
func (t *terminal) report(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return statusOK
	case ctx.Err() != nil:
		t.notice("%v", errInterrupted)
		return statusInterrupted
	case errors.Is(err, errSilent):
		return statusFailed
	case errors.As(err, &usage) && !usage.seeHelp:
		t.notice("%v", err)
		return statusUsage
	case errors.As(err, &usage), isCobraUsage(err):
		t.notice("%s\nSee 'ricci --help' or 'ricci VERB --help'.", strings.TrimSpace(err.Error()))
		return statusUsage
	}
	t.show(err)
	return statusFailed
}

// show writes an error: diagnostics with their source lines, others in a line.
func (t *terminal) show(err error) {
	list := diagnosticsOf(err)
	if list == nil {
		t.notice("%s", source.Shorten(err.Error()))
		return
	}
	t.diagnostics(list)
	t.explainHint(list)
}

// diagnosticsOf returns the diagnostics that an error consists of; nil for another error.
func diagnosticsOf(err error) source.ErrorList {
	var list source.ErrorList
	var one *source.Diagnostic
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return source.ErrorList{one}
	}
	return nil
}

// explainHint says once how to learn more about the first code.
func (t *terminal) explainHint(list source.ErrorList) {
	if len(list) > 0 {
		fmt.Fprintf(t.err, "For more about this error, try: ricci explain %s\n", list[0].Code)
	}
}

// oneFile is the argument check of verbs of the form VERB FILE [DEF].
func oneFile(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return formErrorf("%s needs a program: ricci %s FILE [DEF]", verb, verb)
		case len(args) > 2, len(args) == 2 && isAssignment(args[1]):
			return tooManyArguments(verb, args)
		}
		return nil
	}
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 0, 64)
	return err == nil
}

// tooManyArguments refuses what stands behind file and def, and says which flag a value lacks.
func tooManyArguments(verb string, args []string) error {
	for _, arg := range args[1:] {
		if isAssignment(arg) {
			flag := "-i"
			if _, value, _ := strings.Cut(arg, "="); isInteger(value) {
				flag = "-s"
			}
			return usagef("%s: sizes stand behind -s, inputs behind -i: %s %s", arg, flag, arg)
		}
		if slices.Contains(arrayExtensions, strings.ToLower(filepath.Ext(arg))) {
			return usagef("%s: arrays are given by the name of their input: -i A=%s", arg, arg)
		}
	}
	return formErrorf("%s takes a file and at most one def, found %d arguments", verb, len(args))
}

// files is the argument check of verbs that take one or more files.
func files(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return formErrorf("%s needs at least one file: ricci %s FILE…", verb, verb)
		}
		return nil
	}
}

// isCobraUsage recognises cobra's own complaints, which have no type.
func isCobraUsage(err error) bool {
	text := err.Error()
	for _, prefix := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "required flag", "if any flags in the group"} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
