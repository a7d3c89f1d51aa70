package main

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/tensor"
)

// runFlags are the flags of run.
type runFlags struct {
	callFlags
	outputs []string
	check   bool
	time    int
	json    bool
}

func newRun(t *terminal) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run FILE [DEF]",
		Short: "Run a def on your arrays",
		Long: `Run compiles a def for the shapes of its inputs and runs it.

An input is NAME=SPEC with SPEC one of
  a path             .npy, .npz (file.npz:member), .safetensors (file:tensor), .png
  random, random:7   uniform in [-1, 1) for floats, 0…9 for integers
  iota               0, 1, 2, … in row-major order
  const:V, V         every element is V
An input that is not given is random. Sizes come from the inputs and from -s.
Without DEF the last def of the file runs. Outputs are printed as NumPy does,
or written to the path of -o (.npy, .npz, .safetensors, .png).`,
		Example: `  ricci run examples/tc/matmul.tc matmul -i A=a.npy -i B=b.npy -o C=c.npy
  ricci run examples/tc/matmul.tc matmul -s M=512 -s N=512 -s K=512 --check --time 20
  ricci run examples/tc/matmul.tc matmul -s M=3 -s N=2 -s K=4 -i A=iota -i B=const:1`,
		Args: oneFile("run"),
		RunE: func(cmd *cobra.Command, args []string) error { return runRun(cmd.Context(), t, args, &flags) },
	}
	flags.register(cmd)
	f := cmd.Flags()
	f.StringArrayVarP(&flags.outputs, "output", "o", nil, "write an output to a file: `NAME=PATH` (repeatable)")
	f.BoolVar(&flags.check, "check", false, "compare with the reference evaluator; fail beyond the tolerance")
	f.IntVar(&flags.time, "time", 0, "time `N` runs; report median, spread, GFLOP/s and GB/s")
	f.BoolVar(&flags.json, "json", false, "machine-readable output")
	return cmd
}

// callFlags are the flags of verbs that call a def.
type callFlags struct {
	inputs  []string
	sizes   []string
	target  string
	threads int
	seed    uint64
	dynamic []string
	cast    bool
	noCache bool
}

func (c *callFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&c.inputs, "input", "i", nil, "value of an input: `NAME=SPEC` (repeatable)")
	f.StringArrayVarP(&c.sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringVar(&c.target, "target", string(ricci.Auto), "what runs the program: auto, eval (the reference evaluator) or c")
	f.IntVar(&c.threads, "threads", 0, "the most threads to use (0: all cores)")
	f.Uint64Var(&c.seed, "seed", 0, "seed of random inputs")
	f.StringSliceVar(&c.dynamic, "dynamic", nil, "sizes that stay variables of the kernel: `N,M`")
	f.BoolVar(&c.cast, "cast", false, "convert arrays whose element type differs from the declared one")
	f.BoolVar(&c.noCache, "no-cache", false, "neither read nor write the kernel cache")
	cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions([]string{"auto", "eval", "c"}, cobra.ShellCompDirectiveNoFileComp))
}

func (c *callFlags) options(t *terminal) (ricci.Options, error) {
	target := ricci.Target(c.target)
	for _, known := range ricci.Targets() {
		if target == known {
			return ricci.Options{
				Target: target, Threads: c.threads, Dynamic: c.dynamic, NoCache: c.noCache,
				Notice: func(message string) { t.notice("%s", message) },
			}, nil
		}
	}
	return ricci.Options{}, usagef("there is no target %q; the targets are auto, eval and c", c.target)
}

// request turns the flags into a request for arguments.
func (c *callFlags) request() (argument.Request, error) {
	r := argument.Request{Specs: map[string]argument.Spec{}, Seed: c.seed, Cast: c.cast}
	for _, text := range c.inputs {
		name, spec, err := assignment(text, "-i", "NAME=SPEC")
		if err != nil {
			return r, err
		}
		if _, twice := r.Specs[name]; twice {
			return r, usagef("input %s is given twice", name)
		}
		if r.Specs[name], err = argument.ParseSpec(spec); err != nil {
			return r, usagef("-i %s: %w", text, err)
		}
	}
	var err error
	r.Sizes, err = parseSizes(c.sizes)
	return r, err
}

// parseSizes reads NAME=N flags.
func parseSizes(texts []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, text := range texts {
		name, value, err := assignment(text, "-s", "SIZE=N")
		if err != nil {
			return nil, err
		}
		if sizes[name], err = strconv.ParseInt(value, 0, 64); err != nil {
			return nil, usagef("-s %s: %q is not an integer", text, value)
		}
	}
	return sizes, nil
}

func assignment(text, flag, form string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return "", "", usagef("%s %s: expected %s", flag, text, form)
	}
	return name, value, nil
}

// loadDef reads the program of args[0], shows its warnings and picks args[1].
func loadDef(t *terminal, args []string) (*ricci.Def, error) {
	program, err := ricci.ParseFile(args[0])
	if err != nil {
		return nil, err
	}
	t.diagnostics(program.Warnings())
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	return program.Def(name)
}

func runRun(ctx context.Context, t *terminal, args []string, flags *runFlags) error {
	options, err := flags.options(t)
	if err != nil {
		return err
	}
	request, err := flags.request()
	if err != nil {
		return err
	}
	paths, err := outputPaths(flags.outputs)
	if err != nil {
		return err
	}
	def, err := loadDef(t, args)
	if err != nil {
		return err
	}
	if err := checkOutputNames(def, paths); err != nil {
		return err
	}
	arguments, err := argument.Resolve(def, request)
	if err != nil {
		return err
	}
	if len(arguments.Invented) > 0 {
		t.notice("random (seed %d): %s", flags.seed, strings.Join(arguments.Invented, ", "))
	}
	call, err := newCall(ctx, def, arguments, options)
	if err != nil {
		return err
	}
	defer call.kernel.Close()
	return call.finish(ctx, t, flags, paths)
}

func outputPaths(texts []string) (map[string]string, error) {
	paths := map[string]string{}
	for _, text := range texts {
		name, path, err := assignment(text, "-o", "NAME=PATH")
		if err != nil {
			return nil, err
		}
		paths[name] = path
	}
	return paths, nil
}

// checkOutputNames refuses a misspelt -o before the computation, not after it.
func checkOutputNames(def *ricci.Def, paths map[string]string) error {
	known := map[string]bool{}
	var names []string
	for _, p := range def.Outputs() {
		known[p.Name] = true
		names = append(names, p.Name)
	}
	for name := range paths {
		if !known[name] {
			return usagef("%s has no output named %s; its outputs are %s", def.Name(), name, strings.Join(names, ", "))
		}
	}
	return nil
}

// A call is one run with everything that is reported about it.
type call struct {
	def     *ricci.Def
	kernel  *ricci.Kernel
	args    *argument.Arguments
	results map[string]*tensor.Tensor
}

func newCall(ctx context.Context, def *ricci.Def, a *argument.Arguments, options ricci.Options) (*call, error) {
	signature, err := def.SignatureOf(a.Args)
	if err != nil {
		return nil, err
	}
	for name, n := range a.Sizes {
		signature.Sizes[name] = n
	}
	kernel, err := def.Compile(ctx, signature, options)
	if err != nil {
		return nil, err
	}
	results, err := kernel.RunNamed(ctx, a.Args)
	if err != nil {
		kernel.Close()
		return nil, err
	}
	return &call{def: def, kernel: kernel, args: a, results: results}, nil
}

// finish writes, checks, times and prints, as the flags ask.
func (c *call) finish(ctx context.Context, t *terminal, flags *runFlags, paths map[string]string) error {
	report := runReport{Def: c.def.Name(), Target: string(c.kernel.Target()), Random: c.args.Invented, Seed: flags.seed}
	for _, name := range sortedKeys(paths) {
		if err := tensor.Save(paths[name], c.results[name]); err != nil {
			return err
		}
	}
	var failure error
	if flags.check {
		if report.Check, failure = c.check(ctx); failure != nil && report.Check == nil {
			return failure
		}
	}
	if flags.time > 0 {
		timing, err := c.time(ctx, flags.time)
		if err != nil {
			return err
		}
		report.Time = timing
	}
	if flags.json {
		report.addOutputs(c, paths)
		if err := writeJSON(t.out, report); err != nil {
			return err
		}
	} else if err := c.print(t, &report, paths, flags.time > 0 || flags.check); err != nil {
		return err
	}
	return failure
}

// print shows the outputs that went to no file, then check and time. With a
// check or a timing large outputs are only summarised by their shape.
func (c *call) print(t *terminal, report *runReport, paths map[string]string, brief bool) error {
	for _, p := range c.def.Outputs() {
		result := c.results[p.Name]
		if path, written := paths[p.Name]; written {
			fmt.Fprintf(t.out, "%s: %s%v written to %s\n", p.Name, result.DType(), result.Shape(), path)
			continue
		}
		if brief && result.Len() > 64 {
			fmt.Fprintf(t.out, "%s: %s%v\n", p.Name, result.DType(), result.Shape())
			continue
		}
		if len(c.def.Outputs()) > 1 {
			fmt.Fprintf(t.out, "%s =\n", p.Name)
		}
		fmt.Fprintln(t.out, result)
	}
	if report.Check != nil {
		report.Check.print(t)
	}
	if report.Time != nil {
		report.Time.print(t)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
