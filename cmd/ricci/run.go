package main

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
)

// runFlags are the flags of run.
type runFlags struct {
	callFlags
	outputs []string
	check   string // a check mode, or empty
	runs    int
	time    time.Duration
	strands strandFlags
}

// timed reports whether the kernel runs again, to be timed.
func (flags *runFlags) timed() bool { return flags.runs > 0 || flags.time > 0 }

func newRun(t *terminal) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run FILE [DEF]",
		Short: "Run a def on your arrays",
		Long: `Run compiles a def for the shapes of its inputs and runs it.

An input is NAME=SPEC with SPEC one of
  a path             .npy, .npz (file.npz:member), .safetensors (file:tensor), .png,
                     .nrrd, .nhdr
  random, random:7   uniform in [-1, 1) for floats, 0…9 for integers; integers
                     that the def subscripts with lie in the dimension
  iota               0, 1, 2, … in row-major order
  const:V, V         every element is V
  [[1, 2], [3, 4]]   the elements, written out
An input that is not given is random. Sizes come from the inputs and from -s.
Several values may follow one flag: -s M=3 N=2 -i A=iota B=1.
Without DEF the last def of the file runs. Outputs are printed as NumPy does,
or written to the path of -o (.npy, .npz, .safetensors, .png, .nrrd, .nhdr).

` + inputFiles + `
-i A=- reads an array from it, .npy, .nrrd or .png; -o C=- writes one, .npy, to the
standard output, and what people read goes to the error stream.`,
		Example: `  ricci run examples/tc/matmul.tc matmul -i A=a.npy -i B=b.npy -o C=c.npy
  ricci run examples/tc/matmul.tc matmul -s M=512 -s N=512 -s K=512 --check --runs 20
  ricci run examples/tc/matmul.tc matmul -s M=3 -s N=2 -s K=4 -i A=iota -i B=const:1`,
		Args: func(cmd *cobra.Command, args []string) error {
			return oneFile("run")(cmd, flags.strands.behindDash(cmd, args))
		},
		ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = flags.strands.behindDash(cmd, args)
			if cmd.Flags().Changed("runs") && flags.runs < 1 {
				return usagef("--runs %d: expected a number of runs, at least 1", flags.runs)
			}
			if cmd.Flags().Changed("time") {
				if err := checkTime(flags.time); err != nil {
					return err
				}
			}
			if flags.check != "" {
				if err := oneOf("--check", flags.check, checkModes()); err != nil {
					return err
				}
			}
			return runRun(cmd, t, args, &flags)
		},
	}
	flags.register(cmd)
	f := cmd.Flags()
	flags.strands.register(f)
	f.StringArrayVarP(&flags.outputs, "output", "o", nil, "write an output to a file: `NAME=PATH` (repeatable)")
	f.StringVar(&flags.check, "check", "", "compare with the reference evaluator, on your numbers and on whole numbers: `sample` (of large results) or all; fail beyond the tolerance")
	f.Lookup("check").NoOptDefVal = checkSample
	f.IntVar(&flags.runs, "runs", 0, "time `N` runs; report median, spread, GFLOP/s (GOP/s of integers) and GB/s")
	f.DurationVar(&flags.time, "time", 0, "the same of as many runs as fit into a time, such as 2s")
	completeValues(cmd, map[string]completion{"output": completeOutput, "check": fixed(checkModes())})
	return cmd
}

// callFlags are the flags of verbs that call a def.
type callFlags struct {
	inputs  []string
	sizes   []string
	target  string
	device  string
	threads int
	seed    uint64
	dynamic []string
	cast    bool
	noCache bool
	memory  string
	order   scheduleFlags
}

func (c *callFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&c.inputs, "input", "i", nil, "value of an input: `NAME=SPEC` (repeatable)")
	f.StringArrayVarP(&c.sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringVar(&c.target, "target", string(ricci.Auto), "the code that is made: auto, "+strings.Join(targetNames()[1:], ", ")+" (eval: none, the reference evaluator runs the program)")
	registerDevice(cmd, &c.device)
	f.IntVar(&c.threads, "threads", 0, "the most threads to use (0: all cores)")
	f.Uint64Var(&c.seed, "seed", 0, "seed of random inputs")
	f.StringSliceVar(&c.dynamic, "dynamic", nil, "sizes that stay variables of the kernel: `N,M`")
	f.BoolVar(&c.cast, "cast", false, "convert arrays whose element type differs from the declared one")
	registerMemory(f, &c.memory)
	f.BoolVar(&c.noCache, "no-cache", false, "neither read nor write the kernel cache")
	c.order.register(cmd)
	c.order.registerLevel(cmd)
	completeValues(cmd, map[string]completion{
		"target": fixed(targetNames()), "size": completeSize, "dynamic": completeDynamic, "input": completeInput,
	})
}

func (c *callFlags) options(t *terminal) (ricci.Options, error) {
	if err := oneOf("--target", c.target, targetNames()); err != nil {
		return ricci.Options{}, err
	}
	if err := checkDevice(c.device); err != nil {
		return ricci.Options{}, err
	}
	if c.threads < 0 {
		return ricci.Options{}, usagef("--threads %d: the number of threads cannot be negative", c.threads)
	}
	options := ricci.Options{
		Target: ricci.Target(c.target), Device: c.device, Threads: c.threads, Dynamic: c.dynamic, NoCache: c.noCache,
		Notice: t.plainNotice, Warning: func(d *ricci.Diagnostic) { t.warn(d) },
	}
	if err := setMemory(c.memory, &options); err != nil {
		return options, err
	}
	return options, c.order.set(t, &options)
}

// registerDevice adds the flag --device.
func registerDevice(cmd *cobra.Command, device *string) {
	cmd.Flags().StringVar(device, "device", "", "what runs the code: `NAME` of 'ricci devices' (default: the best one)")
	completeValues(cmd, map[string]completion{"device": fixed(ricci.DeviceNames())})
}

// checkDevice refuses a name that no device has.
func checkDevice(name string) error {
	if name == "" || ricci.IsDevice(name) {
		return nil
	}
	return oneOf("--device", name, ricci.DeviceNames())
}

func registerMemory(f *pflag.FlagSet, memory *string) {
	f.StringVar(memory, "memory", "", "the most that temporaries, or strands and what they make, may take, such as `2GB`; 0: no limit (default: three quarters of what is available)")
}

// setMemory takes the flag --memory.
func setMemory(text string, options *ricci.Options) (err error) {
	if text == "" {
		return nil
	}
	if options.Memory, err = parseBytes(text); options.Memory == 0 {
		options.Memory = -1
	}
	return err
}

func targetNames() []string {
	var names []string
	for _, target := range ricci.Targets() {
		names = append(names, string(target))
	}
	return names
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
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			return nil, usagef("-s %s: %q is not an integer of 64 bits", text, value)
		}
		if old, twice := sizes[name]; twice && old != n {
			return nil, usagef("size %s is given twice, as %d and as %d", name, old, n)
		}
		sizes[name] = n
	}
	return sizes, nil
}

func assignment(text, flag, form string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		if ok && name != "" {
			return "", "", usagef("%s %s: expected %s, found no value", flag, text, form)
		}
		return "", "", usagef("%s %s: expected %s, as in %s %s=%s", flag, text, form, flag, map[string]string{"-i": "A", "-o": "C"}[flag], exampleOf(text))
	}
	return name, value, nil
}

// exampleOf is what may have been meant as a value.
func exampleOf(text string) string {
	if value := strings.TrimPrefix(text, "="); strings.ContainsAny(value, "./") {
		return value
	}
	return "a.npy"
}

// loadAnnouncedDef reads the program of args[0], shows its warnings and picks args[1]; it says which def was chosen
// when none was named.
func loadAnnouncedDef(t *terminal, args []string) (*ricci.Def, error) {
	program, err := t.parse(args[0])
	if err != nil {
		return nil, err
	}
	return t.announced(program, args[1:])
}

// pick returns the def that is named, or the last one, and shows its warnings.
func (t *terminal) pick(program *ricci.Program, named []string) (*ricci.Def, error) {
	def, err := program.Def(strings.Join(named, ""))
	if err == nil {
		t.warn(def.Warnings()...)
	}
	return def, err
}

// announced is pick, and says which def was chosen when none was named.
func (t *terminal) announced(program *ricci.Program, named []string) (*ricci.Def, error) {
	def, err := t.pick(program, named)
	if err != nil || len(named) > 0 || len(program.Defs()) == 1 {
		return def, err
	}
	var others []string
	for _, d := range program.Defs() {
		if d.Name() != def.Name() {
			others = append(others, d.Name())
		}
	}
	t.notice("this is %s, the last def; the others are %s", def.Name(), strings.Join(others, ", "))
	return def, nil
}

// checkFor refuses names that the def does not have, and sizes and files that cannot
// work, before anything is computed.
func (flags *runFlags) checkFor(def *ricci.Def, request argument.Request, paths map[string]string) error {
	if err := checkSizes(def, request.Sizes); err != nil {
		return err
	}
	if err := checkDynamic(def, flags.dynamic); err != nil {
		return err
	}
	if err := checkNames("input", "-i", def, argument.Needed(def), request.Specs); err != nil {
		return err
	}
	if err := checkNames("output", "-o", def, def.Outputs(), paths); err != nil {
		return err
	}
	if err := def.CheckSizes(request.Sizes); err != nil {
		return err
	}
	return checkDirectories(paths)
}

func runRun(cmd *cobra.Command, t *terminal, args []string, flags *runFlags) error {
	program, err := flags.strands.parse(t, args[0])
	if err != nil {
		return err
	}
	if s := program.Strands(); s != nil && (len(args) == 1 || args[1] == s.Name()) {
		return runStrands(cmd, t, s, args[0], flags)
	}
	if flags.strands.isOriginal {
		return usagef("--: %s has no strands; inputs of a def stand behind -i", args[0])
	}
	if err := misfits(cmd, strandOnly, "only programs of strands have it"); err != nil {
		return err
	}
	return runDef(cmd.Context(), t, program, args, flags)
}

func runDef(ctx context.Context, t *terminal, program *ricci.Program, args []string, flags *runFlags) error {
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
	if slices.Contains(slices.Collect(maps.Values(paths)), dash) {
		if t.json {
			return usagef("-o …=- and --json both write to the standard output; give the array a file")
		}
		t.arrays, t.out = t.out, t.err
	}
	def, err := t.pick(program, args[1:])
	if err != nil {
		return err
	}
	if err := flags.checkFor(def, request, paths); err != nil {
		return err
	}
	arguments, err := resolve(t, def, request)
	if err != nil {
		return err
	}
	if len(arguments.Invented) > 0 {
		t.notice("random (seed %d): %s", flags.seed, strings.Join(arguments.Invented, ", "))
	}
	stop := t.working("running " + def.Name())
	call, err := newCall(ctx, def, arguments, options)
	stop()
	if err != nil {
		return err
	}
	defer call.kernel.Close()
	return call.finish(ctx, t, flags, paths)
}
