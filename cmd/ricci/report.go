package main

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/bench"
	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/tensor"
)

// runReport is the --json form of a run.
type runReport struct {
	Def    string `json:"def"`
	Target string `json:"target"`
	// Schedule says where the schedule is from; empty for the evaluator.
	Schedule ricci.ScheduleKind      `json:"schedule,omitempty"`
	Random   []string                `json:"random,omitempty"` // inputs that were not given
	Seed     uint64                  `json:"seed"`
	Outputs  map[string]outputReport `json:"outputs,omitempty"`
	Check    *checkReport            `json:"check,omitempty"`
	Warnings []report.Diagnostic     `json:"warnings,omitempty"`
	Time     *timeReport             `json:"time,omitempty"`
}

// outputReport describes an output. Data holds the elements in row-major order;
// NaN and infinities, which JSON has not, are the strings "NaN", "Infinity" and
// "-Infinity". An output that was written to a file has its path instead.
type outputReport struct {
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []any  `json:"data,omitempty"`
	Path  string `json:"path,omitempty"`
}

func (r *runReport) addOutputs(c *call, paths map[string]string) {
	r.Outputs = map[string]outputReport{}
	for _, p := range c.def.Outputs() {
		t := c.results[p.Name]
		out := outputReport{DType: t.DType().String(), Shape: t.Shape(), Path: paths[p.Name]}
		if out.Path == "" && (t.Len() <= briefElements || r.Time == nil && r.Check == nil) {
			out.Data = elements(t)
		}
		r.Outputs[p.Name] = out
	}
}

func elements(t *tensor.Tensor) []any {
	list := make([]any, 0, t.Len())
	for offset := range t.Offsets() {
		list = append(list, element(t, offset))
	}
	return list
}

func element(t *tensor.Tensor, offset int) any {
	switch t.DType().Kind() {
	case tensor.KindBool:
		return t.IntAt(offset) != 0
	case tensor.KindInt:
		return t.IntAt(offset)
	case tensor.KindUint:
		return t.UintAt(offset)
	}
	switch v := t.FloatAt(offset); {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	default:
		return v
	}
}

// timeReport is the outcome of --runs and --time. Times are in seconds.
type timeReport struct {
	Runs       int     `json:"runs"`
	Median     float64 `json:"median_s"`
	Low        float64 `json:"p10_s"`
	High       float64 `json:"p90_s"`
	Operations int64   `json:"operations"`
	Bytes      int64   `json:"bytes"`
	// Integers says that there are more operations on integers than on floats: these are then
	// what is counted.
	Integers bool    `json:"integers,omitempty"`
	GFLOPS   float64 `json:"gflops"`
	GBS      float64 `json:"gbs"`
}

// time runs the kernel on preallocated outputs after one run that warms up: so many runs, or as
// many as a time allows where one is given, at least one. Old values of in-outs change from run
// to run; the work stays the same.
func (c *call) time(ctx context.Context, runs int, limit time.Duration) (*timeReport, error) {
	var args []*tensor.Tensor
	for _, p := range c.def.Inputs() {
		args = append(args, c.args.Args[p.Name])
	}
	for _, p := range c.def.Outputs() {
		copied, err := c.results[p.Name].Clone()
		if err != nil {
			return nil, err
		}
		args = append(args, copied)
	}
	var seconds []float64
	begin := time.Now()
	for i := 0; runs == 0 || i <= runs; i++ {
		start := time.Now()
		if limit > 0 && i > 1 && start.Sub(begin) >= limit {
			break
		}
		if err := c.kernel.Run(ctx, args...); err != nil {
			return nil, err
		}
		if i > 0 {
			seconds = append(seconds, time.Since(start).Seconds())
		}
	}
	sort.Float64s(seconds)
	report := &timeReport{Runs: len(seconds), Median: quantile(seconds, 0.5), Low: quantile(seconds, 0.1), High: quantile(seconds, 0.9)}
	signature, err := c.def.SignatureOf(c.args.Args)
	if err != nil {
		return nil, err
	}
	for name, n := range c.args.Sizes {
		signature.Sizes[name] = n
	}
	if report.Operations, report.Bytes, err = c.def.Work(signature); err != nil {
		return nil, err
	}
	floats, integers, err := c.def.Operations(signature)
	if err != nil {
		return nil, err
	}
	if report.Integers = integers > floats; report.Integers {
		report.Operations = integers
	}
	report.GFLOPS = float64(report.Operations) / report.Median / 1e9
	report.GBS = float64(report.Bytes) / report.Median / 1e9
	return report, nil
}

// quantile interpolates between the elements of a sorted list.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

func (r *timeReport) print(t *terminal) {
	unit := "GFLOP/s"
	if r.Integers {
		unit = "GOP/s"
	}
	fmt.Fprintf(t.out, "time: median %s of %d runs (10%% under %s, 10%% over %s), %.2f %s, %.2f GB/s\n",
		bench.SecondsText(r.Median), r.Runs, bench.SecondsText(r.Low), bench.SecondsText(r.High), r.GFLOPS, unit, r.GBS)
}
