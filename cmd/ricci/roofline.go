package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/bench"
)

// rooflineFlags are the flags of roofline.
type rooflineFlags struct {
	sizes   []string
	threads []int
	time    time.Duration
	untuned bool
	svg     string
}

func newRoofline(t *terminal) *cobra.Command {
	var flags rooflineFlags
	cmd := &cobra.Command{
		Use:   "roofline FILE [DEF]",
		Short: "Show how far a kernel stands from the limit of the machine",
		Long: `Roofline measures a kernel, and the peaks of the machine between its runs: the rate
of the arithmetic, and the bandwidth of each layer of memory. From the operations
that the program has and the bytes that it must move follows which of them limits
it, and how near the kernel is.

The peaks take longest: some seconds for each number of threads, and up to twenty
where the caches are large, whatever --time says.

` + inputFiles,
		Example: `  ricci roofline examples/tc/matmul.tc matmul -s M=1024 N=1024 K=1024
  ricci roofline examples/tc/stencil.tc heat1d -s N=10000000 --svg heat.svg`,
		Args: oneFile("roofline"), ValidArgsFunction: completeFileAndDef,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRoofline(cmd.Context(), t, args, &flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.sizes, "size", "s", nil, "value of a size: `SIZE=N` (repeatable)")
	f.IntSliceVar(&flags.threads, "threads", nil, "numbers of threads, such as 1,2 (1 and all)")
	f.DurationVar(&flags.time, "time", 2*time.Second, "time of the kernel's runs with one number of threads; measuring the machine's peaks comes on top, shorter below 100ms")
	f.BoolVar(&flags.untuned, "untuned", false, "leave out what 'ricci tune' found")
	f.StringVar(&flags.svg, "svg", "", "draw the roofs and the kernel to a `file` (-: the standard output, and nothing else)")
	completeValues(cmd, map[string]completion{"size": completeSize})
	return cmd
}

func runRoofline(ctx context.Context, t *terminal, args []string, flags *rooflineFlags) error {
	if err := errors.Join(checkThreads(flags.threads), checkTime(flags.time), t.checkOutputs("--svg", flags.svg)); err != nil {
		return err
	}
	row, err := userRow(t, args, flags.sizes)
	if err != nil {
		return err
	}
	worker, err := benchWorkerCommand()
	if err != nil {
		return err
	}
	stop := t.working("measuring " + row.Name)
	r, err := bench.MeasureRoofline(ctx, row, bench.Options{
		Threads: flags.threads, Time: flags.time, Tuned: !flags.untuned, Worker: worker, Version: version(),
	})
	stop()
	if err != nil {
		return err
	}
	if flags.svg != "" {
		t.writing.Lock()
		err := t.writeOutput(flags.svg, []byte(r.SVG()))
		t.writing.Unlock()
		if err != nil || flags.svg == dash {
			return err
		}
	}
	if t.json {
		return t.writeResult(true, r)
	}
	_, err = fmt.Fprint(t.out, r.Text())
	return err
}
