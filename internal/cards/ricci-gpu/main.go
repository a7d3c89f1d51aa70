// Command ricci-gpu tests a device and measures it, within some minutes, with nothing but its driver. scripts/gpu builds it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ricci-lang/ricci/internal/cards"
	"github.com/ricci-lang/ricci/tune"
)

func main() {
	tune.ServeIfWorker()
	o := cards.Options{Log: os.Stderr}
	flag.StringVar(&o.Device, "device", "cuda:0", "the device: cuda:0, opencl:0, …")
	flag.DurationVar(&o.Time, "time", 8*time.Minute+40*time.Second, "of all")
	flag.StringVar(&o.Out, "out", "ricci-gpu.json", "file of the results; a run that is called again goes on with it")
	flag.StringVar(&o.Only, "only", "", "a pattern of units, such as 'row/gemm-*'")
	flag.BoolVar(&o.Again, "again", false, "do again what the file has")
	flag.StringVar(&o.Keep, "keep", "", "directory for compiled kernels and what was tuned (default: beside the file)")
	flag.BoolVar(&o.Small, "small", false, "take the sizes for processors that are devices")
	unit, list := flag.String("unit", "", "run this unit in this process, and print its result"), flag.Bool("list", false, "list the units")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, *unit, *list); err != nil {
		fmt.Fprintln(os.Stderr, "ricci-gpu:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o cards.Options, unit string, list bool) error {
	switch {
	case list:
		for _, u := range cards.Units() {
			fmt.Println(u.Name)
		}
		return nil
	case unit != "":
		result, err := cards.RunUnit(ctx, unit, o)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	o.Self = cards.Worker()
	report, err := cards.Run(ctx, o)
	if err != nil {
		return err
	}
	failed := report.Failed()
	fmt.Fprintf(os.Stderr, "%d units, %d failed, %d left; the results are in %s\n", len(report.Results), len(failed), len(report.Left), o.Out)
	if len(failed) > 0 {
		return fmt.Errorf("failed: %v", failed)
	}
	return nil
}
