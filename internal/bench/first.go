package bench

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// A First says that a row measures the first call of a kernel, with all that
// comes before it: the time from a program that was read to its first result.
type First string

// The first calls.
const (
	Cold   First = "cold"   // nothing is in the cache of kernels, not even the thread pool
	Cached First = "cached" // a process before has compiled the kernel
	// Of these nothing is called: the command is started and says something.
	Version First = "version"
	Help    First = "--help"
)

// firstRuns is how often a first call is measured unless Options.Runs says it.
const firstRuns = 5

// firstRow measures first calls, each in a process of its own.
func (r *runner) firstRow(ctx context.Context, row *Row, threads int) (*RowResult, error) {
	result := &RowResult{Name: row.Name, Group: row.Group, Sizes: row.Sizes, Threads: threads, Goal: row.Goal, Notes: row.Notes}
	work, err := newWork(ctx, row)
	if err != nil {
		return nil, err
	}
	result.Operations, result.Bytes = work.operations, work.read+work.written
	measured := Measured{Candidate: "Ricci", Ricci: true}
	var samples []float64
	for range max(r.Runs, firstRuns) {
		seconds, err := r.firstCall(ctx, row, threads)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			measured.Missing = err.Error()
			break
		}
		samples = append(samples, seconds)
	}
	measured.Spread = spreadOf(samples, r.level())
	result.Times = []Measured{measured}
	result.conclude()
	return result, nil
}

// firstCall returns the time of one first call, with a cache of its own.
func (r *runner) firstCall(ctx context.Context, row *Row, threads int) (float64, error) {
	if row.First == Version || row.First == Help {
		began := time.Now()
		err := exec.CommandContext(ctx, r.Worker[0], string(row.First)).Run()
		return time.Since(began).Seconds(), err
	}
	directory, err := os.MkdirTemp("", "ricci-bench-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(directory)
	j := &job{File: row.File, Text: row.Text, Imports: row.Imports, Def: row.Def, Sizes: row.Sizes, Threads: threads, Kind: ricciKind, Untuned: true, CacheDir: directory, Seed: 1, Device: r.Device}
	if row.First == Cached {
		if _, err := r.prepareOnce(ctx, j); err != nil {
			return 0, err
		}
	}
	return r.prepareOnce(ctx, j)
}

func (r *runner) prepareOnce(ctx context.Context, j *job) (float64, error) {
	c, err := start(ctx, r.Worker, nil)
	if err != nil {
		return 0, err
	}
	defer c.stop()
	a, err := c.ask(&request{Prepare: j})
	if err != nil {
		return 0, err
	}
	return a.Seconds, nil
}
