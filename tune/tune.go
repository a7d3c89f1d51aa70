// Package tune searches for the fastest schedule of a def on this machine. What it
// finds is kept in the kernel cache and used by every later compilation.
package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/inside"
	search "github.com/ricci-lang/ricci/internal/tune"
	"github.com/ricci-lang/ricci/internal/tune/database"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/internal/units"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Run joins the rooms of the tuner. A space (space.go) turns points into schedule
// trees; a strategy proposes points and learns from their times (internal/tune);
// trials compile them here and run them in a child process (internal/tune/trial);
// every trial is written to the database at once (internal/tune/database), where the
// next run of the same search finds it: one that was interrupted is repeated with the
// same strategy and seed, its measurements being the answers. Seeds are the default schedule, and what was
// best for other sizes of the same program.
//
// The default schedule is measured first, and again at the end, by turns with the
// best candidates: the winner is stored (internal/tune/tuned) only if it beats the
// default by more than the noise. An interrupt ends the search, not that last step; a
// limit of time is for both (budget.go).

// Options say how long to search, where, and how. The zero value searches for a
// minute.
type Options struct {
	// Compile has the threads, the dynamic sizes and the cache of the kernels that
	// are tuned; its Target, Schedule and Untuned do not matter.
	Compile ricci.Options
	// Arguments are inputs, and old values of in-outs, to measure with; those that
	// are missing are random.
	Arguments map[string]*tensor.Tensor

	Time        time.Duration // of all that Run does; a minute when there is no other limit
	Evaluations int           // candidates to measure, with those of the run that is resumed; 0 means no limit
	Batch       int           // candidates of a generation, compiled together; 0 means 16
	Idle        int           // end after so many candidates without progress; 0 means never
	Fraction    float64       // end when this part of the space is known; 0 means never
	Speedup     float64       // end when a candidate is so many times as fast as the default, more than 1; 0 means never
	Strategy    string        // one of Strategies; empty means the default
	Space       string        // one of Spaces; empty means the default
	// Pin is a text of mapping options, such as ".tile(32, 32).unroll(8)", that all candidates have:
	// the space is then that of the other mapping options. A preset before them is where the search begins.
	Pin   string
	Seed  uint64
	Fresh bool // do not use what earlier runs measured

	// Worker is the command line of a process that calls Serve. It is this program
	// when empty, which then must call ServeIfWorker at the beginning of main.
	Worker []string
	// Progress is called after every generation; nil for silence.
	Progress func(Progress)
	// Report receives an HTML page about the search; nil for none. Command is the
	// command line that the page shows.
	Report  io.Writer
	Command string
}

// An Event says what a generation of a search found.
type Event = search.Event

// A Progress tells how far a search is.
type Progress struct {
	Event
	Default float64 // seconds of the default schedule
}

// An Outcome is what a run found.
type Outcome struct {
	Name string `json:"kernel"` // with its sizes
	// Tuned says whether the schedule is faster than the default, and stored.
	Tuned   bool    `json:"tuned"`
	Seconds float64 `json:"seconds"` // of a call with the best schedule
	Default float64 `json:"default"` // of a call with the default schedule
	// Rival is what the best other schedule took when it ran by turns with the default at
	// the end; 0 when none did. Claimed is what the search had measured for it before.
	Rival   float64 `json:"rival,omitempty"`
	Claimed float64 `json:"claimed,omitempty"`
	// Raced says that the best candidates ran by turns with the default at the end; without
	// it there was no time for that, and the default stays, unless an interrupt ended the search.
	Raced bool `json:"raced"`
	// Rivals is how many other schedules there were to run by turns with the default.
	Rivals   int    `json:"rivals"`
	Schedule string `json:"schedule"`
	Point    string `json:"point,omitempty"` // the parameters of the schedule

	Evaluated int            `json:"evaluated"`          // candidates that this run has measured
	Earlier   int            `json:"earlier"`            // candidates known from earlier runs
	Pruned    int            `json:"pruned"`             // by the cost model, without a measurement
	Space     string         `json:"space"`              // what was searched
	Points    *big.Int       `json:"points"`             // how many points it has
	Failures  map[string]int `json:"failures"`           // by kind, of this run
	Spilling  int            `json:"spilling,omitempty"` // candidates whose items had no room in registers, measured behind the others
	// Takes is what the best candidate takes of the device, where that says it.
	Takes     *Footprint `json:"takes,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
	Stopped   string     `json:"stopped"` // why the search ended
	Elapsed   float64    `json:"elapsed"` // seconds
	Reference string     `json:"reference"`
}

// A Footprint is what a kernel takes of a device.
type Footprint = device.Footprint

// TakesText says what the best candidate takes, for people; it is empty where the device says nothing of registers.
func (o *Outcome) TakesText() string {
	if o.Takes == nil || o.Takes.Registers == 0 {
		return ""
	}
	text := fmt.Sprintf("%d registers of an item, ", o.Takes.Registers)
	if o.Takes.Private > 0 {
		text += fmt.Sprintf("for want of which %d bytes lie in memory", o.Takes.Private)
	} else {
		text += "which suffice"
	}
	if o.Takes.Local > 0 {
		text += fmt.Sprintf(", and %s of a group", units.Bytes(o.Takes.Local))
	}
	return text
}

// Speedup is how many times faster than the default the best schedule is.
func (o *Outcome) Speedup() float64 { return o.Default / o.Seconds }

// Exhausted reports whether the search ended because its space has nothing more to try that the
// cost model does not rule out.
func (o *Outcome) Exhausted() bool { return o.Stopped == string(search.Exhausted) }

// ServeIfWorker makes the process serve measurements and exit, when a Run of another
// process has started it for that. Programs that call Run with no Worker call it
// first thing in main; in other processes it returns at once.
func ServeIfWorker() {
	if os.Getenv(trial.Variable) == "" {
		return
	}
	if err := Serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Serve measures candidates for the process at the other end of stdin and stdout.
// The process has to end when it returns.
func Serve() error { return trial.Serve(os.Stdin, os.Stdout) }

// errNested is returned by a worker that was about to start workers.
var errNested = errors.New("this process was started to measure candidates; call tune.ServeIfWorker first thing in main")

// Run tunes a def for arguments of a signature. When ctx ends, what was found until
// then is kept and returned without an error, if it is more than nothing.
func Run(ctx context.Context, def *ricci.Def, signature ricci.Signature, o Options) (*Outcome, error) {
	if os.Getenv(trial.Variable) != "" {
		return nil, errNested
	}
	if o.Time == 0 && o.Evaluations == 0 && o.Idle == 0 && o.Fraction == 0 {
		o.Time = time.Minute
	}
	r := newRun(o, time.Now)
	var err error
	if r.tuning, err = tuningOf(ctx, def, signature, o.Compile); err != nil {
		return nil, err
	}
	if r.args, err = arguments(def, r.tuning, o); err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// newRun prepares a run, whose time begins now.
func newRun(o Options, now func() time.Time) *run {
	r := &run{options: o, failures: map[string]int{}, known: map[string]search.Result{}, pending: map[string]bool{}, takes: map[string]*device.Footprint{}}
	r.budget = budget{now: now, start: now(), limit: o.Time}
	r.shelf.drop = func(c *trial.Candidate) { r.runner.Discard(c) }
	return r
}

// tuningOf prepares the search for a schedule of a def.
func tuningOf(ctx context.Context, def *ricci.Def, signature ricci.Signature, options ricci.Options) (*compile.Tuning, error) {
	return inside.Def(def).Tuning(ctx, compile.Signature(signature), inside.Options(options))
}

// arguments completes the arguments to measure with.
func arguments(def *ricci.Def, t *compile.Tuning, o Options) (map[string]*tensor.Tensor, error) {
	request := argument.Request{Sizes: map[string]int64{}, Values: o.Arguments, Seed: o.Seed}
	for name, n := range t.Sizes {
		request.Sizes[name] = n
	}
	a, err := argument.Resolve(def, request)
	if err != nil {
		return nil, err
	}
	return a.Args, nil
}

// run opens what is needed for a search, searches, and decides.
func (r *run) run(ctx context.Context) (_ *Outcome, err error) {
	if r.space, err = newSpace(r.options.Space, r.options.Pin, r.tuning); err != nil {
		return nil, err
	}
	for _, idle := range r.space.idle {
		r.warn("%s", idle)
	}
	db, err := database.Open(ctx, r.tuning.Cache.Dir())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if db.SetAside != "" {
		r.warn("what earlier searches have measured was damaged, or of another version of Ricci, and is not used; the file is kept as %s", db.SetAside)
	}
	temporary, err := r.tuning.Cache.TempDir()
	if err != nil {
		return nil, err
	}
	worker := r.options.Worker
	if len(worker) == 0 {
		executable, err := os.Executable()
		if err != nil {
			return nil, err
		}
		worker = []string{executable}
	}
	limited, cancel := until(ctx, r.budget.deadline())
	defer cancel()
	r.runner, err = trial.New(limited, trial.Kernel{
		Func: r.tuning.Func, Sizes: r.tuning.Sizes, Strides: r.tuning.Strides, Machine: r.tuning.Machine, Numerics: r.tuning.Numerics, Args: r.args,
	}, trial.Options{Device: r.tuning.Device, Target: r.tuning.Target, Cache: r.tuning.Cache, Worker: worker, Dir: temporary, ReproducerDir: r.tuning.Reproducers, Turn: turns(r.tuning.Cache.Dir())})
	if err != nil {
		return nil, r.tooShort(ctx, err)
	}
	defer func() { err = errors.Join(err, r.runner.Close()) }()
	if err := r.baseline(limited); err != nil {
		return nil, r.tooShort(ctx, err)
	}
	r.session, err = db.Begin(ctx, r.tuning.Name, r.tuning.Configuration, database.Session{
		Version: r.tuning.Version, Space: r.space.identity(), Strategy: r.options.Strategy, Seed: r.options.Seed,
	})
	if err != nil {
		return nil, err
	}
	found, err := r.search(ctx)
	if err != nil {
		return nil, err
	}
	return r.decide(ctx, found)
}

// A TooShortError says that not even the default schedule could be measured.
type TooShortError struct {
	Time   time.Duration // that there was
	Kernel string
}

// Error says what there was no time for.
func (e *TooShortError) Error() string {
	return fmt.Sprintf("%s are too short for %s: in that time its default schedule was not compiled, checked and measured", e.Time, e.Kernel)
}

// tooShort explains an error that the limit of time has caused.
func (r *run) tooShort(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return &TooShortError{r.options.Time, r.tuning.Name}
	}
	return err
}

// baseline measures the default schedule and prepares the check of all others.
func (r *run) baseline(ctx context.Context) error {
	if err := r.runner.MakeReference(ctx, r.tuning.Default); err != nil {
		return err
	}
	start := r.budget.now()
	r.standard = r.runner.Build(ctx, trees(r.tuning.Default))[0]
	compiled := r.budget.now()
	timing, err := r.runner.Measure(ctx, r.standard, 0)
	if err != nil {
		return fmt.Errorf("the default schedule of %s: %w", r.tuning.Name, err)
	}
	r.budget.built, r.budget.measured = compiled.Sub(start), r.budget.now().Sub(compiled)
	r.byDefault, r.lastAgain = timing, r.budget.now()
	r.best = timing.Least
	r.runner.Expect(timing.Least)
	text, err := r.tuning.Canonical(r.tuning.Default)
	if err != nil {
		return err
	}
	r.known[text], r.takes[text] = search.Result{Seconds: timing.Least}, r.standard.Takes
	return nil
}

// search runs the strategy.
func (r *run) search(ctx context.Context) (*search.Outcome, error) {
	end := r.budget.search()
	limited, cancel := until(ctx, r.budget.deadline())
	defer cancel()
	r.cancel, r.searchEnd = cancel, end
	if !end.IsZero() {
		defer time.AfterFunc(end.Sub(r.budget.now()), func() {
			if r.measured.Load() {
				cancel()
			}
		}).Stop()
	}
	if err := r.prepareEstimates(); err != nil {
		return nil, err
	}
	options := search.Options{
		Space: r.space.points, Trials: r, Strategy: r.options.Strategy, Seed: r.options.Seed,
		Batch: r.options.Batch, Key: r.key, Estimate: r.estimate, Prune: r.hopelessTimes(),
		Abort: search.Abort{Evaluations: r.options.Evaluations, IdleEvaluations: r.options.Idle, Fraction: r.options.Fraction},
	}
	if s := r.options.Speedup; s > 0 {
		options.Abort.Seconds = r.byDefault.Least / s
	}
	if !end.IsZero() {
		options.Abort.Time = max(1, end.Sub(r.budget.now()))
	}
	if r.options.Progress != nil {
		options.Progress = func(e search.Event) {
			if e.Overall > 0 {
				e.Overall = min(e.Overall, r.byDefault.Least)
				e.Speedup = r.byDefault.Least / e.Overall
			}
			r.options.Progress(Progress{Event: e, Default: r.byDefault.Least})
		}
	}
	if !r.options.Fresh {
		options.Resumed, options.Earlier = r.earlier(ctx)
		options.BestEstimate = r.leastEstimate(options.Earlier)
	}
	options.Seeds = r.seeds(limited)
	found, err := search.Run(limited, options)
	var nothing *search.NothingFound
	if errors.As(err, &nothing) { // the default remains
		found, err = nothing.Outcome, nil
	}
	if r.fatal != nil {
		err = r.fatal
	}
	switch {
	case err != nil:
	case found.Stopped == search.Interrupted && ctx.Err() == nil:
		found.Stopped = search.TimeOver
	case found.Stopped == search.CostReached: // of the default over the speed-up
		found.Stopped = search.SpeedupReached
	}
	return found, err
}

// earlier returns what the sessions that this one resumes have measured, and what those
// before have.
func (r *run) earlier(ctx context.Context) (resumed, before []search.Measurement) {
	trials, err := r.session.Resume(ctx, string(search.Interrupted))
	resumed = r.measurements(trials, err)
	trials, err = r.session.Earlier(ctx)
	before = r.measurements(trials, err)
	r.earlierCount = len(resumed) + len(before)
	return resumed, before
}

// measurements reads trials of the database.
func (r *run) measurements(list []database.Trial, err error) []search.Measurement {
	if err != nil {
		r.warn("what was measured earlier is not known: %v", err)
	}
	var measurements []search.Measurement
	for _, t := range list {
		point, err := r.space.points.Parse(t.Point)
		if err != nil {
			continue
		}
		m := search.Measurement{Point: point, Result: search.Result{Seconds: t.Seconds}, Earlier: true}
		if t.Status != database.OK {
			m.Err = errors.New(t.Message)
		}
		measurements = append(measurements, m)
	}
	return measurements
}
