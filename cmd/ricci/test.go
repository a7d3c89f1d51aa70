package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/internal/testrun"
)

type testFlags struct {
	filter  string
	target  string
	device  string
	threads int
	seed    uint64
	verbose bool
	dynamic bool
	order   scheduleFlags
}

func newTest(t *terminal) *cobra.Command {
	var flags testFlags
	cmd := &cobra.Command{
		Use:   "test FILE|DIR…",
		Short: "Run the tests that programs carry in their comments",
		Long: `Test runs every '# test:' block of the files, and of the programs below the
directories, on every available target against the reference evaluator.
It exits with 1 when a test fails. What a device refuses because its strands
notice each other is skipped. docs/tests.md describes the blocks.

` + inputFiles,
		Example: "  ricci test examples\n  ricci test -v --filter 'odd sizes' examples/tc/matmul.tc",
		Args:    files("test"), ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return runTests(cmd.Context(), t, args, &flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.filter, "filter", "", "only tests whose name or def matches this regular expression")
	f.StringVar(&flags.target, "target", string(ricci.Auto), "auto (eval, and that of the best device), "+strings.Join(targetNames()[1:], ", "))
	registerDevice(cmd, &flags.device)
	f.IntVar(&flags.threads, "threads", 0, "the most threads to use (0: all cores)")
	f.Uint64Var(&flags.seed, "seed", 0, "seed of random inputs")
	f.BoolVar(&flags.dynamic, "dynamic", false, "sizes that inputs determine stay variables of kernels")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "list passed tests as well")
	flags.order.register(cmd)
	flags.order.registerLevel(cmd)
	completeValues(cmd, map[string]completion{"target": fixed(targetNames())})
	return cmd
}

func runTests(ctx context.Context, t *terminal, args []string, flags *testFlags) error {
	options, err := flags.options(ctx, t)
	if err != nil {
		return err
	}
	paths, err := programs(args)
	if err != nil {
		return err
	}
	passed, failed, refused, reports := 0, 0, 0, []testReport{}
	bar := t.progress(len(paths), "testing")
	defer bar.finish()
	for _, path := range paths {
		file, err := t.readProgram(path)
		if err == nil {
			err = testrun.File(ctx, file, options, func(r testrun.Result) {
				switch {
				case r.Err != nil:
					failed++
				case r.Refused != nil:
					refused++
				default:
					passed++
				}
				reports = append(reports, newTestReport(r))
				bar.clear()
				flags.report(t, r)
			})
		}
		bar.step()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			reports = append(reports, testReport{File: path, Error: source.Shorten(err.Error())})
			bar.clear()
			if !t.json {
				fmt.Fprintf(t.out, "FAIL  %s\n", source.Visible(path))
			}
			t.show(err)
		}
	}
	bar.finish()
	if t.json {
		err = t.writeResult(failed == 0, map[string]any{"passed": passed, "failed": failed, "refused": refused, "tests": reports})
	} else {
		if passed+failed+refused == 0 && flags.filter == "" {
			_, err = fmt.Fprintln(t.out, "there are no tests: docs/tests.md says how '# test:' blocks are written")
			return err
		}
		text := fmt.Sprintf("%d passed, %d failed", passed, failed)
		if refused > 0 {
			text += fmt.Sprintf(", %d cannot run there", refused)
		}
		_, err = fmt.Fprintln(t.out, text)
	}
	if err != nil {
		return err
	}
	if failed > 0 {
		return errSilent
	}
	return nil
}

func (flags *testFlags) options(ctx context.Context, t *terminal) (testrun.Options, error) {
	options := testrun.Options{Programs: t.programs, Threads: flags.threads, Seed: flags.seed, Dynamic: flags.dynamic, Notice: t.plainNotice}
	var compile ricci.Options
	if err := flags.order.set(t, &compile); err != nil {
		return options, err
	}
	options.Level, options.Machine, options.MachineFile, options.Numerics, options.Schedule, options.ScheduleFile, options.Untuned = compile.Level, compile.Machine, compile.MachineFile, compile.Numerics, compile.Schedule, compile.ScheduleFile, compile.Untuned
	if err := oneOf("--target", flags.target, targetNames()); err != nil {
		return options, err
	}
	if err := checkDevice(flags.device); err != nil {
		return options, err
	}
	options.Device = flags.device
	switch target := ricci.Target(flags.target); {
	case flags.device != "":
		options.Targets = []ricci.Target{ricci.Eval, ricci.Auto}
	case target == ricci.Auto:
		options.Targets = []ricci.Target{ricci.Eval}
		if best := ricci.AutoTarget(ctx, ricci.Options{}); best != ricci.Eval {
			options.Targets = append(options.Targets, best)
		} else {
			t.notice("no C compiler: the tests run on the reference evaluator only")
		}
	default:
		options.Targets = []ricci.Target{target}
	}
	if flags.filter != "" {
		pattern, err := regexp.Compile(flags.filter)
		if err != nil {
			return options, usagef("--filter %s: %w", flags.filter, err)
		}
		options.Filter = func(b *testblock.Block) bool { return pattern.MatchString(b.Name) || pattern.MatchString(b.Def) }
	}
	return options, nil
}

// programs expands directories to the programs below them.
func programs(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		if arg == dash {
			paths = append(paths, arg)
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && isProgram(path) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, fmt.Errorf("%s is a directory without programs; their names end with %s", arg, strings.Join(notations.Extensions(), ", "))
		}
	}
	return paths, nil
}

// isProgram reports whether a file has the extension of a notation.
func isProgram(path string) bool {
	_, ok := notations.Lookup(filepath.Ext(path))
	return ok
}

// testReport is the --json form of a result.
type testReport struct {
	File    string         `json:"file"`
	Line    int            `json:"line"`
	Name    string         `json:"name"`
	Def     string         `json:"def"`
	Targets []ricci.Target `json:"targets"`
	Seconds float64        `json:"seconds"`
	OK      bool           `json:"ok"`
	Error   string         `json:"error,omitempty"`
	Refused string         `json:"refused,omitempty"`
}

func newTestReport(r testrun.Result) testReport {
	report := testReport{File: r.File, Name: r.Name, Def: r.Def, Targets: r.Targets, Seconds: r.Duration.Seconds(), OK: r.Err == nil && r.Refused == nil}
	if r.Place.IsValid() {
		report.Line = r.Place.File.Position(r.Place.Start).Line
	}
	if r.Err != nil {
		report.Error = source.Shorten(r.Err.Error())
	}
	if r.Refused != nil {
		report.Refused = source.Shorten(r.Refused.Error())
	}
	return report
}

// report writes a result for people.
func (flags *testFlags) report(t *terminal, r testrun.Result) {
	place, name := source.Visible(r.Place.String()), source.Visible(r.Name)
	because := func(word string, err error) {
		fmt.Fprintf(t.out, "%s  %s: %s (%s)\n      %s\n", word, place, name, r.Def, strings.ReplaceAll(source.Shorten(err.Error()), "\n", "\n      "))
	}
	switch {
	case t.json:
	case r.Err != nil:
		because("FAIL", r.Err)
	case r.Refused != nil:
		because("SKIP", r.Refused)
	case flags.verbose:
		fmt.Fprintf(t.out, "ok    %s: %s (%s, %s)\n", place, name, r.Def, bench.SecondsText(r.Duration.Seconds()))
	}
}
