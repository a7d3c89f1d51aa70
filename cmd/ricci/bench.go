package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	sizes                 []string
	filter                []string
	threads               []int
	runs                  int
	time                  time.Duration
	quick, tuned, untuned bool
	list                  bool
	save, markdown, svg   string
	interval, device      string
	compare, join         bool
	portability           bool
}

func newBench(t *terminal) *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "bench [FILE [DEF]]",
		Short: "Compare Ricci's speed with libraries, naive C and the machine's limit",
		Long: `Bench runs a suite of kernels against every library that it finds (OpenBLAS, BLIS,
MKL, oneDNN, libxsmm), against naive C, and against the least time that the
arithmetic and the memory of this machine allow. Candidates run in turn, each in a
process of its own; medians are compared, and results too.

With FILE it measures a program of yours, at sizes given by -s, against naive C
and the machine's limit.

The rows mdh/ and tc/ are the studies of two papers; --portability says how portable
the frameworks are over machines whose results were saved.

Nothing else should run meanwhile. Ctrl-C shows what was measured so far.
docs/benchmarks.md says how to read the table.

` + inputFiles + ` So may be the files of --save,
--markdown and --svg, of which one then goes to the standard output alone.`,
		Example: `  ricci bench --quick
  ricci bench --filter 'gemm/f32' --threads 1 --save new.json
  ricci bench --compare old.json new.json
  ricci bench --filter teml/ --tuned --markdown paths.md --svg paths.svg
  ricci bench --join first.json second.json --markdown both.md
  ricci bench --filter mdh/ --interval 0.99/0.05 --save here.json
  ricci bench --portability here.json there.json
  ricci bench examples/tc/matmul.tc matmul -s M=512 N=512 K=512`,
		ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.compare:
				return compareBenches(t, args, &flags)
			case flags.join:
				return joinBenches(t, args, &flags)
			case flags.portability:
				return portabilityOfBenches(t, args, &flags)
			}
			if flags.interval != "" && !cmd.Flags().Changed("time") {
				flags.time = intervalTime
			}
			if len(args) > 2 {
				return tooManyArguments("bench", args)
			}
			return runBench(cmd.Context(), t, args, &flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringSliceVar(&flags.filter, "filter", nil, "only rows whose name contains one of these `texts`")
	f.IntSliceVar(&flags.threads, "threads", nil, "numbers of threads, such as 1,2 (1 and all)")
	f.IntVar(&flags.runs, "runs", 0, "`N` samples of each candidate (0: as many as fit in --time)")
	f.DurationVar(&flags.time, "time", 3*time.Second, "time of a row with one number of threads; below 100ms the peaks of the machine are measured shorter, too")
	f.StringVar(&flags.interval, "interval", "", fmt.Sprintf("take samples until the interval of `LEVEL/WIDTH` of each mean is reached, such as 0.99/0.05, or --time is over (%s then)", intervalTime))
	registerDevice(cmd, &flags.device)
	f.BoolVar(&flags.quick, "quick", false, "a few rows of every kind, with a third of the time")
	f.BoolVar(&flags.tuned, "tuned", false, "use what 'ricci tune' found, beside the default schedule")
	f.BoolVar(&flags.untuned, "untuned", false, "use the default schedule only, as without --tuned")
	f.BoolVar(&flags.list, "list", false, "list the rows and end")
	f.StringVar(&flags.save, "save", "", "write the results to a `file`, after each row, for --compare and --join")
	f.StringVar(&flags.markdown, "markdown", "", "write the tables to a `file`")
	f.StringVar(&flags.svg, "svg", "", "draw the ratios to a `file`")
	f.BoolVar(&flags.compare, "compare", false, "compare two files of --save: OLD NEW")
	f.BoolVar(&flags.join, "join", false, "show the rows of files of --save as one: FILE...")
	f.BoolVar(&flags.portability, "portability", false, "how portable the frameworks are over the machines of files of --save: FILE...")
	cmd.MarkFlagsMutuallyExclusive("compare", "join", "portability")
	cmd.MarkFlagsMutuallyExclusive("interval", "runs")
	cmd.MarkFlagsMutuallyExclusive("tuned", "untuned")
	completeValues(cmd, map[string]completion{"size": completeSize, "filter": completeRows})
	return cmd
}

// intervalTime is the most that a row takes with one number of threads when an interval is to be reached.
const intervalTime = time.Minute

// completeRows proposes the names of the suite's rows.
func completeRows(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return namesOf(bench.Suite()), cobra.ShellCompDirectiveNoFileComp
}

func namesOf(rows []bench.Row) []string {
	names := make([]string, len(rows))
	for n, row := range rows {
		names[n] = row.Name
	}
	return names
}

// newBenchWorker is the verb of the processes that bench starts.
func newBenchWorker(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: benchWorker, Short: "Serve 'ricci bench'", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.Context(), t.in, t.out) },
	}
}

const benchWorker = "bench-worker"

// benchWorkerCommand starts this program as a worker.
func benchWorkerCommand() ([]string, error) {
	program, err := os.Executable()
	return []string{program, benchWorker}, err
}

func (flags *benchFlags) rows(t *terminal, args []string) ([]bench.Row, error) {
	if len(args) > 0 {
		row, err := userRow(t, args, flags.sizes)
		return []bench.Row{row}, err
	}
	if len(flags.sizes) > 0 {
		return nil, usagef("-s is for a program of yours: ricci bench FILE -s …; the rows of the suite have sizes")
	}
	rows := slices.DeleteFunc(bench.Suite(), func(r bench.Row) bool { return !flags.chooses(r.Name) || flags.quick && !r.Quick })
	if len(rows) == 0 {
		return nil, usagef("no row has a name like %s; ricci bench --list shows them", strings.Join(flags.filter, ", "))
	}
	return rows, nil
}

// chooses reports whether the filter has a row of that name.
func (flags *benchFlags) chooses(name string) bool {
	return len(flags.filter) == 0 || slices.ContainsFunc(flags.filter, func(text string) bool { return strings.Contains(name, text) })
}

// userRow is a program of the user's as a row.
func userRow(t *terminal, args, sizeTexts []string) (bench.Row, error) {
	sizes, err := parseSizes(sizeTexts)
	if err != nil {
		return bench.Row{}, err
	}
	file, err := t.readProgram(args[0])
	if err != nil {
		return bench.Row{}, err
	}
	program, err := t.programs.Parse(file.Name, file.Text)
	if err != nil {
		return bench.Row{}, err
	}
	def, err := t.announced(program, args[1:])
	if err != nil {
		return bench.Row{}, err
	}
	if err := checkSizes(def, sizes); err != nil {
		return bench.Row{}, err
	}
	if _, err := def.SignatureForSizes(sizes); err != nil {
		return bench.Row{}, err
	}
	path, err := filepath.Abs(file.Name)
	return bench.Row{Name: def.Name(), Group: def.Name(), File: path, Text: file.Text, Imports: t.programs.ImportPath, Def: def.Name(), Sizes: sizes}, err
}

func runBench(ctx context.Context, t *terminal, args []string, flags *benchFlags) error {
	if err := flags.check(t); err != nil {
		return err
	}
	rows, err := flags.rows(t, args)
	if err != nil {
		return err
	}
	if flags.list {
		return t.result(map[string]any{"rows": namesOf(rows)}, func() error {
			_, err := fmt.Fprintln(t.out, strings.Join(namesOf(rows), "\n"))
			return err
		})
	}
	worker, err := benchWorkerCommand()
	if err != nil {
		return err
	}
	options := bench.Options{
		Rows: rows, Threads: flags.threads, Runs: flags.runs, Time: flags.time, Tuned: flags.tuned,
		Peers: len(args) == 0, Worker: worker, Version: version(), Device: flags.device,
	}
	if flags.interval != "" {
		interval, err := bench.ParseInterval(flags.interval)
		if err != nil {
			return usagef("--interval: %w", err)
		}
		options.Interval = &interval
	}
	if flags.quick {
		options.Time /= 3
	}
	var bar *progress
	before := 0
	options.Progress = func(done, total int, what string) {
		if bar == nil {
			bar = t.progress(total, "measuring")
		}
		bar.describe(what)
		if done > before {
			bar.step()
		}
		before = done
	}
	if flags.save != "" && flags.save != dash {
		// What a run that is killed has measured is there; the last writing says what is wrong with the file.
		options.Finished = func(results *bench.Results) { _ = flags.saveSoFar(t, results) }
	}
	results, err := bench.Run(ctx, options)
	bar.finish()
	if results != nil && len(results.Rows)+len(results.LeftOut) > 0 {
		err = errors.Join(err, flags.write(t, results), results.Failed())
	}
	return err
}

func (flags *benchFlags) check(t *terminal) error {
	if flags.runs < 0 {
		return usagef("--runs %d: the number of runs cannot be negative", flags.runs)
	}
	return errors.Join(checkThreads(flags.threads), checkTime(flags.time), checkDevice(flags.device),
		t.checkOutputs("--save", flags.save, "--markdown", flags.markdown, "--svg", flags.svg))
}

func checkThreads(list []int) error {
	for _, n := range list {
		if n < 1 || n > runtime.GOMAXPROCS(0) {
			return usagef("--threads %d: this machine has 1 to %d threads", n, runtime.GOMAXPROCS(0))
		}
	}
	return nil
}

func checkTime(d time.Duration) error {
	if d <= 0 {
		return usagef("--time %v: expected a positive time, such as 2s", d)
	}
	return nil
}

// write shows the results and writes the files that were asked for. What goes to the standard
// output goes there alone.
func (flags *benchFlags) write(t *terminal, results *bench.Results) error {
	var markdown strings.Builder
	err := results.Markdown(&markdown)
	return errors.Join(err, flags.writeAll(t, results.Failed() == nil, results, markdown.String(), markdown.String(), results.Picture))
}

// writeAll writes a value as JSON, its text, and the files of --save, --markdown and --svg.
func (flags *benchFlags) writeAll(t *terminal, ok bool, value any, text, markdown string, picture func() string) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	var err error
	switch {
	case t.json:
		err = t.writeResult(ok, value)
	case !slices.Contains([]string{flags.save, flags.markdown, flags.svg}, dash):
		_, err = io.WriteString(t.out, text)
	}
	if flags.save != "" {
		var b bytes.Buffer
		err = errors.Join(err, writeJSON(&b, value), t.writeOutput(flags.save, b.Bytes()))
	}
	if flags.markdown != "" {
		err = errors.Join(err, t.writeOutput(flags.markdown, []byte(markdown)))
	}
	if flags.svg != "" {
		err = errors.Join(err, t.writeOutput(flags.svg, []byte(picture())))
	}
	return err
}

// saveSoFar writes the file of --save.
func (flags *benchFlags) saveSoFar(t *terminal, results *bench.Results) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	var b bytes.Buffer
	return errors.Join(writeJSON(&b, results), scratch.Write(flags.save, b.Bytes()))
}

// compareBenches compares two files of results.
func compareBenches(t *terminal, args []string, flags *benchFlags) error {
	if len(args) != 2 {
		return formErrorf("bench --compare needs two files of --save: OLD NEW")
	}
	if err := flags.check(t); err != nil {
		return err
	}
	list, err := t.readBenches(args)
	if err != nil {
		return err
	}
	comparison := bench.Compare(list[0], list[1])
	var text, markdown strings.Builder
	if err := errors.Join(comparison.Print(&text), comparison.Markdown(&markdown)); err != nil {
		return err
	}
	return flags.writeAll(t, true, comparison, text.String(), markdown.String(), comparison.Chart)
}

// joinBenches shows files of results as those of one run.
func joinBenches(t *terminal, args []string, flags *benchFlags) error {
	if len(args) == 0 {
		return formErrorf("bench --join needs files of --save")
	}
	if err := flags.check(t); err != nil {
		return err
	}
	list, err := t.readBenches(args)
	if err != nil {
		return err
	}
	return flags.write(t, bench.Join(list...))
}

// portabilityOfBenches computes the metric of Pennycook from files of results.
func portabilityOfBenches(t *terminal, args []string, flags *benchFlags) error {
	if len(args) < 2 {
		return formErrorf("bench --portability needs two or more files of --save, each of another machine or device: portability is over several")
	}
	if flags.svg != "" {
		return usagef("--svg: there is no picture of portability; --markdown writes its tables")
	}
	if err := flags.check(t); err != nil {
		return err
	}
	list, err := t.readBenches(args)
	if err != nil {
		return err
	}
	for _, r := range list {
		r.Rows = slices.DeleteFunc(r.Rows, func(row bench.RowResult) bool { return !flags.chooses(row.Name) })
		r.LeftOut = slices.DeleteFunc(r.LeftOut, func(l bench.LeftOut) bool { return !flags.chooses(l.Name) })
	}
	portability, err := bench.PortabilityOf(args, list)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := portability.Markdown(&text); err != nil {
		return err
	}
	return flags.writeAll(t, true, portability, text.String(), text.String(), func() string { return "" })
}

func (t *terminal) readBenches(paths []string) (list []*bench.Results, err error) {
	for _, path := range paths {
		text, err := t.readFile(path)
		if err != nil {
			return nil, err
		}
		r, err := bench.Parse(path, []byte(text))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}
