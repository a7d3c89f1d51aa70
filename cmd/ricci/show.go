package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/loop/passes"
)

const showHelp = `Show prints what becomes of a def on its way to code:
  ast        the syntax tree
  trees      of TeML: what each statement does to the state of the meta-program
  equations  how a program of TeIL is rewritten, and the numbers of operations
  ein        the core representation, with inferred ranges and conditions
  ranges     the ranges of tensors and indices
  steps      of a TeML script: the loops after each transformation; with -v also inside of those that are composed of others, such as tile
  schedule   the order of computation: loops, tiles, vectors, threads; and how long it should take, and why
  mdh        that order as the tuning parameters of MDH on this machine
  loop       the imperative program
  code       the code of the target that is compiled, but with the names of the program
  c          the same for the target c
  plan       what a host needs to call the code, as JSON: arguments, sizes, conditions, memory, launches, faults
  asm        the machine code of a kernel; of cards PTX with the registers that it takes, for which none need be here
Of strands, which are meant without DEF and by their name, there are
  ast        the syntax tree
  field      the operators that probes of fields become; with --sizes how large they are on the way
  strand     the program in the form in which it runs
  schedule   the order in which a kernel runs them: a text that --schedule takes
  loop, code, c   as of defs, for the images that are given by -i
Without DEF it is the last def of the file. With -s the sizes are constants; the stages from schedule on need all of them, and the others take what there is.

` + inputFiles

func newShow(t *terminal) *cobra.Command {
	var stage string
	var sizes, dynamic []string
	var verbose bool
	var threads int
	var memory, target, device, after string
	order := scheduleFlags{shown: true}
	names := make([]string, 0, 8)
	for _, s := range append(ricci.Stages(), ricci.StageField, ricci.StageStrand) {
		names = append(names, string(s))
	}
	strands := strandStageFlags{}
	cmd := &cobra.Command{
		Use:   "show FILE [DEF] --stage STAGE",
		Short: "Show a def at a stage of compilation",
		Long:  showHelp,
		Example: `  ricci show examples/tc/matmul.tc matmul --stage ranges --json
  ricci show examples/tc/matmul.tc matmul --stage schedule -s M=512 -s N=512 -s K=512`,
		Args: oneFile("show"), ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--stage", stage, names); err != nil {
				return err
			}
			if threads != 0 {
				if err := checkThreads([]int{threads}); err != nil {
					return err
				}
			}
			values, err := parseSizes(sizes)
			if err != nil {
				return err
			}
			program, err := t.parse(args[0])
			if err != nil {
				return err
			}
			if err := errors.Join(oneOf("--target", target, targetNames()), checkDevice(device)); err != nil {
				return err
			}
			options := ricci.Options{Target: ricci.Target(target), Device: device, Threads: threads, Dynamic: dynamic, InnerSteps: verbose, AfterPass: after, Notice: t.plainNotice}
			if err := errors.Join(setMemory(memory, &options), order.set(t, &options)); err != nil {
				return err
			}
			if s := strandsMeant(program, args, stage, cmd.Flags().Changed("stage")); s != nil {
				return strands.show(cmd.Context(), t, s, stage, options)
			}
			def, err := t.announced(program, args[1:])
			if err != nil {
				return err
			}
			if err := checkSizes(def, values); err != nil {
				return err
			}
			if err := checkDynamic(def, dynamic); err != nil {
				return err
			}
			if after != "" {
				if err := afterPass(ricci.Stage(stage), after); err != nil {
					return err
				}
			}
			return show(cmd.Context(), t, def, ricci.Stage(stage), values, options)
		},
	}
	f := cmd.Flags()
	f.StringVar(&stage, "stage", "ein", "one of "+strings.Join(names, ", "))
	f.StringArrayVarP(&sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.StringSliceVar(&dynamic, "dynamic", nil, "sizes that stay variables: `N,M`")
	f.IntVar(&threads, "threads", 0, "the most threads to use, on which schedules depend (0: all cores)")
	registerMemory(f, &memory)
	f.StringVar(&target, "target", string(ricci.Auto), "the target of code and plan: "+strings.Join(targetNames(), ", "))
	registerDevice(cmd, &device)
	f.StringVar(&after, "after", "", "of loop: behind which `PASS` on loops: "+strings.Join(passes.Names(), ", ")+" (the last one)")
	f.BoolVarP(&verbose, "verbose", "v", false, "of steps: also those that a transformation consists of")
	strands.register(f)
	order.register(cmd)
	order.registerLevel(cmd)
	completeValues(cmd, map[string]completion{"without": fixed(ricci.StrandTechniques()), "stage": fixed(names), "target": fixed(targetNames()), "after": fixed(passes.Names()), "size": completeSize, "dynamic": completeDynamic})
	return cmd
}

// afterPass refuses passes that there are not, or of another stage than that of loops.
func afterPass(stage ricci.Stage, name string) error {
	if stage != ricci.StageLoop {
		return usagef("--after %s says what --stage %s shows, and the stage is %s", name, ricci.StageLoop, stage)
	}
	return oneOf("--after", name, passes.Names())
}

func show(ctx context.Context, t *terminal, def *ricci.Def, stage ricci.Stage, sizes map[string]int64, options ricci.Options) error {
	if stage == ricci.StageRanges && t.json {
		ranges := def.Ranges()
		if len(sizes) > 0 {
			var err error
			if ranges, err = def.RangesFor(sizes); err != nil {
				return err
			}
		}
		return t.writeResult(true, ranges)
	}
	text, err := def.Stage(ctx, stage, sizes, options)
	if err != nil {
		if !t.json && text != "" {
			fmt.Fprintln(t.out, strings.TrimRight(text, "\n"))
		}
		return err
	}
	values := map[string]any{"def": def.Name(), "stage": stage, "text": text}
	if stage == ricci.StageSchedule {
		text = strings.TrimRight(text, "\n") + "\n"
		if estimate, err := def.Estimate(ctx, sizes, options); err != nil {
			text += "# no estimate: " + strings.ReplaceAll(err.Error(), "\n", " ") + "\n"
		} else {
			values["estimate"] = estimate
			text += estimate.String()
		}
	}
	if t.json {
		return t.writeResult(true, values)
	}
	fmt.Fprint(t.out, strings.TrimRight(text, "\n")+"\n")
	return nil
}
