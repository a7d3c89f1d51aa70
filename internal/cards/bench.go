package cards

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/knob"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/tensor"
	"github.com/ricci-lang/ricci/tune"
)

// A Timing is a row of the benchmark: seconds by the clock of the device, and with all copies by that of the host.
type Timing struct {
	Sizes      map[string]int64   `json:"sizes"`
	Operations int64              `json:"operations"`
	Bytes      int64              `json:"bytes"` // that are read and written once
	Default    float64            `json:"default"`
	Tuned      float64            `json:"tuned"` // that of the default where nothing is faster
	Copies     float64            `json:"with_copies"`
	Peers      map[string]float64 `json:"peers"`
	Missing    []string           `json:"missing,omitempty"` // peers that could not run, and why
	Candidates int                `json:"candidates"`
	Failures   map[string]int     `json:"failures,omitempty"` // candidates
	Stopped    string             `json:"stopped"`            // why tuning ended
	Schedule   string             `json:"schedule"`           // the best
}

// line is a row for people.
func (t *Timing) line() string {
	text := fmt.Sprintf("default %8.1f µs, tuned %8.1f µs, %7.1f GFLOP/s, %7.1f GB/s, with copies %8.1f µs", 1e6*t.Default, 1e6*t.Tuned, float64(t.Operations)/t.Tuned/1e9, float64(t.Bytes)/t.Tuned/1e9, 1e6*t.Copies)
	for _, name := range slices.Sorted(maps.Keys(t.Peers)) {
		text += fmt.Sprintf(", %s %.1f µs", name, 1e6*t.Peers[name])
	}
	return text
}

// A prepared row is what its steps need.
type prepared struct {
	options   ricci.Options
	def       *ricci.Def
	sizes     map[string]int64
	signature ricci.Signature
	args      map[string]*tensor.Tensor
	tuning    *compile.Tuning
}

// prepare makes what a row needs on a device; on a processor that is one it is small.
func (r row) prepare(ctx context.Context, p *place, small bool) (q *prepared, err error) {
	d, err := p.open(ctx, false)
	if err != nil {
		return nil, err
	}
	if beside, knows := d.(device.Beside); !knows || !beside.ComputesBeside() || p.small {
		small = true
	}
	q = &prepared{options: p.options()}
	if r.fast {
		q.options.Numerics = "fast"
	}
	if q.def, q.sizes, err = r.of(small); err != nil {
		return nil, err
	}
	if q.signature, err = q.def.SignatureForSizes(q.sizes); err != nil {
		return nil, err
	}
	resolved, err := argument.Resolve(q.def, argument.Request{Sizes: q.sizes})
	if err != nil {
		return nil, err
	}
	q.args = resolved.Args
	q.tuning, err = inside.Def(q.def).Tuning(ctx, compile.Signature(q.signature), inside.Options(q.options))
	return q, err
}

// runner prepares trials of a row's schedules.
func (q *prepared) runner(ctx context.Context, p *place) (*trial.Runner, error) {
	t := q.tuning
	return trial.New(ctx, trial.Kernel{Func: t.Func, Sizes: t.Sizes, Strides: t.Strides, Machine: t.Machine, Numerics: t.Numerics, Args: q.args},
		trial.Options{Device: t.Device, Target: t.Target, Cache: t.Cache, Worker: Worker(), Dir: p.cache, ReproducerDir: t.Reproducers, RunTimeout: longestCall})
}

// longestCall is how long a call may take: a driver that does not come back from one costs a candidate, and not all that a unit has.
const longestCall = 10 * time.Second

// naive is what somebody writes first: an item for each result, which reads all from the memory of the device.
func (q *prepared) naive() (*schedule.Tree, error) {
	t := q.tuning
	return grids.Default(t.Func, *t.Machine.Grid)
}

// bench measures a row: the default, what tuning finds in the time that there is, with copies, and the peers.
func (r row) bench(ctx context.Context, p *place) (result Result, err error) {
	q, err := r.prepare(ctx, p, false)
	if err != nil {
		return result, err
	}
	t := &Timing{Sizes: q.sizes, Peers: map[string]float64{}}
	if t.Operations, t.Bytes, err = q.def.Work(q.signature); err != nil {
		return result, err
	}
	given := max(leastRow, p.time)
	searching, stop := context.WithTimeout(ctx, given+given/2) // tuning that is late ends as after an interrupt
	defer stop()
	outcome, err := tune.Run(searching, q.def, q.signature, tune.Options{
		Compile: q.options, Arguments: q.args, Time: given, Worker: Worker(),
	})
	var short *tune.TooShortError
	switch {
	case errors.As(err, &short), err != nil && searching.Err() != nil && ctx.Err() == nil:
		if err := q.untuned(ctx, p, t); err != nil {
			return result, err
		}
	case err != nil:
		return result, err
	default:
		t.Default, t.Tuned, t.Candidates, t.Failures = outcome.Default, outcome.Seconds, outcome.Evaluated, outcome.Failures
		t.Stopped, t.Schedule = outcome.Stopped, outcome.Schedule
	}
	result.Row = t
	limited, cancel := context.WithTimeout(ctx, given/2)
	defer cancel()
	t.Copies, err = q.withCopies(limited)
	switch {
	case err != nil && limited.Err() != nil:
		t.Missing = append(t.Missing, "copies: there was no time for them")
	case err != nil:
		return result, err
	}
	r.peers(limited, p, q, t)
	return result, nil
}

// untuned measures the default alone, where there was no time for more.
func (q *prepared) untuned(ctx context.Context, p *place, t *Timing) (err error) {
	runner, err := q.runner(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	timing, err := runner.Measure(ctx, runner.Build(ctx, []*schedule.Tree{q.tuning.Default})[0], 0)
	t.Default, t.Tuned, t.Stopped, t.Schedule = timing.Least, timing.Least, "there was no time for tuning", schedule.Print(q.tuning.Default)
	return err
}

// withCopies is the least time of a call on arrays of the host.
func (q *prepared) withCopies(ctx context.Context) (seconds float64, err error) {
	for n := range 4 {
		start := time.Now()
		if _, err := q.def.RunWith(ctx, q.args, q.sizes, q.options); err != nil {
			return 0, err
		}
		if took := time.Since(start).Seconds(); n == 1 || n > 1 && took < seconds { // the first one compiles
			seconds = took
		}
	}
	return seconds, nil
}

// mostPoints is how many points of a row's space a unit tries.
const mostPoints = 6

// space runs schedules from everywhere in the space of a row, at small sizes, and compares their results with the reference.
func (r row) space(ctx context.Context, p *place) (result Result, err error) {
	q, err := r.prepare(ctx, p, true)
	if err != nil {
		return result, err
	}
	runner, err := q.runner(ctx, p)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	if err := runner.MakeReference(ctx, q.tuning.Default); err != nil {
		return result, err
	}
	around := knob.Of(q.tuning.Func, q.tuning.Default, q.tuning.Machine)
	points, err := space.New(around.Groups()...)
	if err != nil {
		return result, err
	}
	trees, source := []*schedule.Tree{q.tuning.Default}, rand.New(rand.NewPCG(1, 2))
	for range 4 * mostPoints {
		tree, err := around.Tree(points.Random(source))
		if err == nil && schedule.Check(q.tuning.Func, tree) == nil && len(trees) < mostPoints {
			trees = append(trees, tree)
		}
	}
	var failed []string
	for _, c := range runner.Build(ctx, trees) {
		_, err := runner.Measure(ctx, c, 0)
		if trial.FailureOf(err) == trial.Refused && !strings.Contains(err.Error(), "the compiler of") {
			result.Refused++ // such as groups that the device has no room for
			result.Facts = append(result.Facts, err.Error())
			continue
		}
		if result.Compared++; err != nil {
			failed = append(failed, fmt.Sprintf("%v\n%s", err, schedule.Print(c.Tree)))
		}
	}
	if len(failed) > 0 {
		err = errors.New(strings.Join(failed, "\n"))
	}
	return result, err
}
