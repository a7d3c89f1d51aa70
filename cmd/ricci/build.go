package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
)

// wheelKind is the value of --emit that is about whole programs.
const wheelKind = "wheel"

const buildHelp = `Build writes a def, or several in one library, as source or library that needs no Ricci:
  c      C source and its header, for gcc and clang, C99 or later (OpenMP makes it parallel)
  h      the header alone
  so     a shared library for this system and architecture, and its header; it also has
         functions on tensors of DLPack and of tvm-ffi (docs/serve.md)
  go     a Go package (cgo) whose function takes slices and checks their lengths
  wheel  a package for Python with all defs of the file, or DEF, on NumPy's arrays
The sizes of -s are compiled in; the others are parameters of the function, which
costs speed. The paths of the files are printed. With -o - the one file that was asked
for goes to the standard output, a C source with its header inside. Several defs, or all
with --all, go into one library under the name of the file, or that of --name. With --device
so is for a card: functions on tensors in its memory, in the caller's stream.

` + inputFiles

func newBuild(t *terminal) *cobra.Command {
	var sizes []string
	var emit, dir, name, version, device string
	var threads int
	var all bool
	var order scheduleFlags
	kinds := make([]string, 0, 4)
	for _, e := range ricci.Emits() {
		kinds = append(kinds, string(e))
	}
	kinds = append(kinds, wheelKind)
	cmd := &cobra.Command{
		Use:   "build FILE [DEF…] -s SIZE=N… --emit c|so|h|go|wheel -o DIR",
		Short: "Write a def as a C library or a Go package",
		Long:  buildHelp,
		Example: `  ricci build examples/tc/matmul.tc matmul -s M=64 -s N=64 -s K=64 --emit so -o out
  ricci build examples/tc/matmul.tc matmul -s M=8 -s N=8 -s K=8 --emit go --name mm -o mm`,
		Args:              fileAndDefs,
		ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := parseSizes(sizes)
			if err != nil {
				return err
			}
			if err := oneOf("--emit", emit, kinds); err != nil {
				return err
			}
			if emit == wheelKind {
				options := ricci.WheelOptions{Sizes: values, Dir: dir, Name: name, Version: version, Options: ricci.Options{Threads: threads, Device: device, Notice: t.plainNotice}}
				if err := order.set(t, &options.Options); err != nil {
					return err
				}
				return buildWheel(cmd.Context(), t, args, options)
			}
			if version != "" {
				return usagef("--package-version is that of a wheel, and --emit is %s", emit)
			}
			options := ricci.Options{Threads: threads, Device: device, Notice: t.plainNotice}
			if err := order.set(t, &options); err != nil {
				return err
			}
			product := ricci.BuildOptions{Sizes: values, Emit: ricci.Emit(emit), Dir: dir, Name: name, Options: options}
			if all || len(args) > 2 {
				return buildTogether(cmd.Context(), t, args, all, product)
			}
			def, err := loadAnnouncedDef(t, args)
			if err != nil {
				return err
			}
			if err := checkSizes(def, values); err != nil {
				return err
			}
			switch {
			case dir == dash && t.json:
				return usagef("-o - and --json both write to the standard output; give -o a directory")
			case dir == dash && product.Emit == ricci.EmitGo:
				return usagef("-o -: a Go package is several files; give -o a directory")
			case dir == dash:
				return def.BuildTo(cmd.Context(), t.out, product)
			}
			return t.built(def.Build(cmd.Context(), product))
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringVar(&emit, "emit", string(ricci.EmitC), "what to write: "+strings.Join(kinds, ", "))
	f.StringVarP(&dir, "output", "o", ".", "the `DIR` for the files (-: the standard output)")
	f.StringVar(&name, "name", "", "name of the function, the files and the package (default: the def's)")
	f.BoolVar(&all, "all", false, "build all defs of the file into one library")
	f.StringVar(&version, "package-version", "", "of a wheel: the version of the package (0.1.0)")
	f.StringVar(&device, "device", "", "what runs the functions: `NAME`, one of "+strings.Join(ricci.BuildDevices(), ", ")+" (default: the first)")
	f.IntVar(&threads, "threads", 0, "the number of threads to schedule for (0: all cores)")
	order.register(cmd)
	completeValues(cmd, map[string]completion{"size": completeSize, "emit": fixed(kinds), "output": directories, "device": fixed(ricci.BuildDevices())})
	return cmd
}

// fileAndDefs are the arguments: a file, and any number of defs.
func fileAndDefs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && slices.ContainsFunc(args[1:], isAssignment) {
		return tooManyArguments("build", args)
	}
	return oneFile("build")(cmd, args[:min(len(args), 2)])
}

// built prints the paths of files.
func (t *terminal) built(paths []string, err error) error {
	if t.json && err == nil {
		return t.writeResult(true, map[string]any{"files": paths})
	}
	for _, path := range paths {
		fmt.Fprintln(t.out, path)
	}
	return err
}

// buildTogether makes one library of several defs, or of all.
func buildTogether(ctx context.Context, t *terminal, args []string, all bool, options ricci.BuildOptions) error {
	switch {
	case all && len(args) > 1:
		return usagef("--all builds all defs; leave out %s", strings.Join(args[1:], " "))
	case options.Dir == dash:
		return usagef("-o -: several defs have a header beside them; give -o a directory")
	case options.Emit == ricci.EmitGo:
		return usagef("--emit go makes a package of one def; name it")
	}
	program, err := t.parse(args[0])
	if err != nil {
		return err
	}
	if err := program.Err(); err != nil && all {
		return err
	}
	t.warn(program.Warnings()...)
	if err := knownSizes(program, options.Sizes); err != nil {
		return err
	}
	return t.built(program.Build(ctx, args[1:], options))
}

// buildWheel makes a package for Python of a program, or of one of its defs.
func buildWheel(ctx context.Context, t *terminal, args []string, options ricci.WheelOptions) error {
	if options.Dir == dash {
		return usagef("-o -: the name of a wheel says what it is for; give -o a directory")
	}
	program, err := t.parse(args[0])
	if err != nil {
		return err
	}
	if err := program.Err(); err != nil && len(args) == 1 {
		return err
	}
	t.warn(program.Warnings()...)
	options.Defs = args[1:]
	if err := knownSizes(program, options.Sizes); err != nil {
		return err
	}
	path, err := program.Wheel(ctx, options)
	if err != nil {
		return err
	}
	return t.result(map[string]any{"files": []string{path}}, func() error {
		_, err := fmt.Fprintln(t.out, path)
		return err
	})
}

// knownSizes refuses sizes that no def has.
func knownSizes(program *ricci.Program, sizes map[string]int64) error {
	var names []string
	for _, d := range program.Defs() {
		for _, s := range d.Sizes() {
			names = append(names, s.Name)
		}
	}
	for name := range sizes {
		if !slices.Contains(names, name) {
			return usagef("-s %s: no def of the program has such a size", name)
		}
	}
	return nil
}
