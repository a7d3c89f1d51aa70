package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/machine"
)

// Options says what to run and for how long.
type Options struct {
	Rows    []Row
	Threads []int // 1 and GOMAXPROCS when empty
	// Runs is the number of rounds; zero lets Time decide.
	Runs int
	// Time is about how long a row takes with one number of threads; 3 s when zero.
	Time time.Duration
	// Interval takes samples until it is reached, or Time is used up, instead of Runs.
	Interval *Interval
	// Device runs what Ricci makes; empty means the host, on which the others compute, who are left out elsewhere.
	Device string
	// Tuned measures Ricci with what tuning found, beside the default schedule.
	Tuned bool
	Peers bool // compare with libraries
	// RicciOnly measures nothing else, and of Tuned the tuned schedule only.
	RicciOnly bool
	// Worker is the command of a process that calls Serve.
	Worker []string
	// CacheDir is that of compiled kernels; empty means the user's.
	CacheDir string
	// Meter says how the peaks of the machine are measured.
	Meter   measure.Options
	Version string
	// Progress is told what is measured, and how many rows are done; nil is ignored.
	Progress func(done, total int, what string)
	// Finished is given the results so far after each row; nil is ignored.
	Finished func(*Results)
	// available replaces machine.AvailableMemory in tests.
	available func() int64
}

// A Row is a program at given sizes, with texts for the peers that can do it.
type Row struct {
	Name, Group string
	File, Text  string
	Imports     []string // directories below which the program may import files, besides its own
	Def         string
	Sizes       map[string]int64
	Others      []Other           // that compute the same
	Constant    []string          // inputs that a candidate of Ricci's may pack before
	Paths       []Path            // with a baseline instead of the naive programs that Ricci makes
	Peers       map[string]string // C texts by dialect
	Hand        string            // C that someone writes who knows a better algorithm than the naive one
	Notes       []string
	Goal        Goal
	Quick       bool
	First       First // empty for rows that measure calls of a kernel that is there
}

// sampleCount is how many elements of each output the candidates compare.
const sampleCount = 2048

// batchTime is about how long one sample takes.
const batchTime = 5 * time.Millisecond

// Run measures rows. When ctx ends it returns what is there, with its error.
func Run(ctx context.Context, o Options) (*Results, error) {
	if len(o.Threads) == 0 {
		o.Threads = slices.Compact([]int{1, runtime.GOMAXPROCS(0)})
	}
	if o.Time <= 0 {
		o.Time = 3 * time.Second
	}
	r := &runner{Options: o, children: map[string]*child{}}
	defer r.stop()
	results := r.head(ctx)
	for i, row := range o.Rows {
		for k, threads := range o.Threads {
			r.done, r.current = i*len(o.Threads)+k, fmt.Sprintf("%s, %s", row.Name, threadsText(threads))
			r.tell(r.current)
			result, err := r.row(ctx, &row, threads)
			results.Peaks = r.peaks
			left := (*tooLargeError)(nil)
			switch {
			case ctx.Err() != nil:
				return results, ctx.Err()
			case errors.As(err, &left):
				results.leaveOut(row.Name, left.Error())
			case err != nil:
				return results, fmt.Errorf("%s: %w", row.Name, err)
			default:
				results.Rows = append(results.Rows, *result)
			}
			if o.Finished != nil {
				o.Finished(results)
			}
		}
	}
	return results, nil
}

func threadsText(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// A runner keeps the workers from row to row.
type runner struct {
	Options
	children map[string]*child // by contestant and threads
	peaks    *machine.Peaks    // before the first row that needs them
	done     int               // rows
	current  string            // row and threads
}

// tell reports what is being done.
func (r *runner) tell(what string) {
	if r.Progress != nil {
		r.Progress(r.done, len(r.Rows)*len(r.Threads), what)
	}
}

func (r *runner) stop() {
	for _, c := range r.children {
		c.stop()
	}
}

// worker returns the process of a contestant, which is started when it is not
// there or has died.
func (r *runner) worker(ctx context.Context, name string, threads int, environment []string) (*child, error) {
	key := fmt.Sprint(name, threads)
	c := r.children[key]
	if c != nil && c.broken == nil {
		return c, nil
	}
	c, err := start(ctx, r.Worker, environment)
	if err == nil {
		r.children[key] = c
	}
	return c, err
}

// row measures one row with one number of threads.
func (r *runner) row(ctx context.Context, row *Row, threads int) (*RowResult, error) {
	if row.First != "" {
		return r.firstRow(ctx, row, threads)
	}
	result := &RowResult{Name: row.Name, Group: row.Group, Sizes: row.Sizes, Threads: threads, Goal: row.Goal, Notes: row.Notes}
	work, err := newWork(ctx, row)
	if err != nil {
		return nil, err
	}
	result.Operations, result.Bytes = work.operations, work.read+work.written
	result.Integers = work.operations > 0 && !work.dtype.IsFloat()
	if err := r.fits(work); err != nil {
		return nil, err
	}
	list := r.contestants(row, threads)
	for _, c := range list {
		r.tell(r.current + ": preparing " + c.name)
		if err := r.prepare(ctx, c, work); err != nil {
			return nil, err
		}
	}
	running := present(list)
	compareElements(running, work)
	list, running = timed(list), timed(running)
	peaks, err := r.rounds(ctx, running, work, threads)
	if err != nil {
		return nil, err
	}
	result.limit(peaks, work)
	for _, c := range list {
		if len(c.samples) > 0 {
			c.result.Spread = spreadOf(c.samples, r.level())
		}
		if c.child != nil && c.child.broken == nil {
			if _, err := c.child.ask(&request{Drop: true}); err != nil {
				return nil, err
			}
		}
		result.Times = append(result.Times, c.result)
	}
	result.conclude()
	return result, nil
}

// prepare brings a contestant to its first call. What it cannot do is noted in its
// result; an error is one of the machinery.
func (r *runner) prepare(ctx context.Context, c *contestant, w *work) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.job.Kind != shimKind && c.result.Naive {
		if slow, err := c.tooSlow(ctx, w); err != nil {
			return err
		} else if slow {
			c.result.Missing = "would take too long"
			return nil
		}
	}
	if err := r.fits(w); err != nil {
		c.result.Missing = err.Error()
		return nil
	}
	if c.child, err = r.worker(ctx, c.name, c.job.Threads, c.environment); err != nil {
		return err
	}
	fail := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.result.Missing = err.Error()
		return nil
	}
	prepared, err := c.child.ask(&request{Prepare: c.job})
	if err != nil {
		return fail(err)
	}
	c.result.First = prepared.Seconds
	sampled, err := c.child.ask(&request{Samples: sampleCount})
	if err != nil {
		return fail(err)
	}
	c.elements = sampled.Samples
	once, err := c.child.ask(&request{Run: &runRequest{Calls: 1}})
	if err != nil {
		return fail(err)
	}
	c.call = time.Duration(once.Seconds * 1e9)
	if c.call > slowCall {
		c.samples = append(c.samples, once.Seconds)
	}
	if c.call < batchTime {
		again, err := c.child.ask(&request{Run: &runRequest{Calls: 3, Warm: true}})
		if err != nil {
			return fail(err)
		}
		c.call = time.Duration(again.Seconds * 1e9)
	}
	c.calls = min(max(int(batchTime/max(c.call, 1)), 1), 1<<20)
	return nil
}
