package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/space"
	search "github.com/ricci-lang/ricci/internal/tune"
	"github.com/ricci-lang/ricci/internal/tune/database"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/tensor"
)

// run is the state of one Run. It is what the strategy's trials go through.
type run struct {
	options Options
	tuning  *compile.Tuning
	args    map[string]*tensor.Tensor
	space   *treeSpace
	runner  *trial.Runner
	session *database.Session
	budget  budget
	shelf   shelf
	cancel  context.CancelFunc // of the search
	// searchEnd is when the search has to end if it has measured a candidate; zero is never.
	searchEnd time.Time
	measured  atomic.Bool      // a candidate of this run
	standard  *trial.Candidate // the default schedule
	fatal     error            // why the search cannot go on

	byDefault    trial.Timing
	lastAgain    time.Time                // when it was measured
	best         float64                  // seconds of the best candidate of this run
	known        map[string]search.Result // by canonical tree: points may share one
	pending      map[string]bool          // those that are compiled, or were
	failures     map[string]int
	spilling     int                          // candidates that were measured, and have no room in registers
	takes        map[string]*device.Footprint // of candidates, by canonical tree
	warnings     []string
	earlierCount int
	reproducers  int
	model        *estimate.Model
	predictions  map[string]*prediction // by point
	bestEstimate float64                // seconds, of code that is small enough
	longest      int64                  // how often statements may be written out
	largest      int                    // bytes of C that a candidate may have
}

func trees(list ...*schedule.Tree) []*schedule.Tree { return list }

// turns returns a function that waits until no other process of the cache measures.
func turns(cacheDir string) func(context.Context) (func(), error) {
	type turn struct {
		release func()
		err     error
	}
	mutex := lockedfile.MutexAt(filepath.Join(cacheDir, "measuring.lock"))
	return func(ctx context.Context) (func(), error) {
		mine := make(chan turn, 1)
		go func() {
			release, err := mutex.Lock()
			mine <- turn{release, err}
		}()
		select {
		case t := <-mine:
			return t.release, t.err
		case <-ctx.Done():
			go func() { // the lock comes all the same
				if t := <-mine; t.err == nil {
					t.release()
				}
			}()
			return nil, ctx.Err()
		}
	}
}

// warn keeps a message for the user.
func (r *run) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// A proposal is a point on its way to a result.
type proposal struct {
	tree      *schedule.Tree
	text      string // in canonical names
	candidate *trial.Candidate
	err       error
}

// chunk is how many candidates each compiler makes before they are measured: what a
// search that ends early has compiled in vain.
const chunk = 2

// Measure compiles some points in parallel, measures them one after the other, and
// goes on with the next ones.
func (r *run) Measure(ctx context.Context, points []space.Point) []search.Result {
	if r.measured.Load() { // before the first one the default has just run
		r.again(ctx)
	}
	next := func() *building {
		n := chunk
		if r.budget.short(r.searchEnd, chunk) {
			n = 1
		}
		n = min(len(points), n*runtime.GOMAXPROCS(0))
		b := r.prepare(ctx, points[:n])
		points = points[n:]
		return b
	}
	var results []search.Result
	for now := next(); now != nil; {
		<-now.built
		var then *building
		if len(points) > 0 && r.beside() {
			then = next()
		}
		of := make([]search.Result, len(now.proposals))
		for _, i := range spillingLast(now.proposals) {
			of[i] = r.result(ctx, now.points[i], now.proposals[i])
		}
		results = append(results, of...)
		if then == nil && len(points) > 0 {
			then = next()
		}
		now = then
	}
	return results
}

// spillingLast is the order in which proposals are measured: as they come, but those behind the others whose items have no room in registers, the
// more the later. A search that ends early has measured better ones.
func spillingLast(list []*proposal) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].spills(), list[j].spills()) })
	return order
}

// spills is how many bytes of an item lie in memory for want of registers. A device without registers of items says nothing of that.
func (p *proposal) spills() int64 {
	if p.candidate == nil || p.candidate.Takes == nil || p.candidate.Takes.Registers == 0 {
		return 0
	}
	return p.candidate.Takes.Private
}

// beside reports whether candidates are compiled while others are measured: where the device is not the processor.
func (r *run) beside() bool {
	d, knows := r.tuning.Device.(device.Beside)
	return knows && d.ComputesBeside()
}

// rarely is how many times as long as it takes to measure the default the search goes on before it
// is measured again.
const rarely = 20

// again measures the default once more: a processor's clock moves, and what is compared
// with the default should have seen the same of it.
func (r *run) again(ctx context.Context) {
	now := r.budget.now()
	if r.standard == nil || now.Sub(r.lastAgain) < rarely*r.budget.measured {
		return
	}
	r.lastAgain = now
	timing, err := r.runner.Measure(ctx, r.standard, 0)
	if err != nil { // the candidates will tell
		return
	}
	r.byDefault.Least = min(r.byDefault.Least, timing.Least)
	r.best = min(r.best, timing.Least)
}

// A building is points whose candidates are being compiled.
type building struct {
	points    []space.Point
	proposals []*proposal
	built     chan struct{} // closed when all are
}

// prepare begins to compile the candidates of points, but for those that are known or that others of them have.
func (r *run) prepare(ctx context.Context, points []space.Point) *building {
	b := &building{points: points, built: make(chan struct{})}
	var fresh []*proposal
	var list []*schedule.Tree
	for _, point := range points {
		p := r.propose(point)
		b.proposals = append(b.proposals, p)
		if _, known := r.known[p.text]; p.err == nil && !known && !r.pending[p.text] {
			r.pending[p.text] = true
			fresh, list = append(fresh, p), append(list, p.tree)
		}
	}
	go func() {
		defer close(b.built)
		for i, candidate := range r.runner.Build(ctx, list) {
			fresh[i].candidate = candidate
		}
	}()
	return b
}

// propose makes the tree of a point and checks it.
func (r *run) propose(p space.Point) *proposal {
	q := &proposal{}
	if q.tree, q.err = r.space.maker.Tree(p); q.err == nil {
		q.err = schedule.Check(r.tuning.Func, q.tree)
	}
	if q.err == nil {
		q.text, q.err = r.tuning.Canonical(q.tree)
	}
	if q.err != nil {
		q.err = &trial.Error{Failure: trial.Refused, Err: q.err}
	}
	return q
}

// result measures a proposal, unless its tree is known, and records it.
func (r *run) result(ctx context.Context, point space.Point, p *proposal) search.Result {
	if ctx.Err() != nil {
		return search.Result{Err: ctx.Err()}
	}
	if result, known := r.known[p.text]; known && p.err == nil {
		r.record(ctx, point, p, result, trial.Timing{Least: result.Seconds, Median: result.Seconds})
		return result
	}
	var timing trial.Timing
	if p.err == nil {
		if p.spills() > 0 {
			r.spilling++
		}
		if p.candidate == nil { // of a search that ended while it was compiled
			p.candidate = r.runner.Build(ctx, trees(p.tree))[0]
		}
		r.takes[p.text] = p.candidate.Takes
		timing, p.err = r.runner.Measure(ctx, p.candidate, r.best)
		if p.err == nil {
			r.shelf.put(p.text, timing.Least, p.candidate)
		} else {
			r.runner.Discard(p.candidate)
		}
	}
	result := search.Result{Seconds: timing.Least, Err: p.err}
	failure := trial.FailureOf(p.err)
	switch {
	case p.err != nil && ctx.Err() != nil:
		return search.Result{Err: ctx.Err()}
	case p.err != nil && failure == "":
		r.fatal = p.err
		r.cancel()
		return search.Result{Err: context.Canceled}
	case p.err != nil:
		r.failures[string(failure)]++
		result.Seconds = math.NaN()
		result.Warning = r.explain(p, failure)
	default:
		r.best = min(r.best, timing.Least)
	}
	if p.text != "" {
		r.known[p.text] = result
	}
	r.record(ctx, point, p, result, timing)
	if r.measured.Store(true); r.budget.over(r.searchEnd) {
		r.cancel()
	}
	return result
}

// record writes a trial to the database, so that it survives this process.
func (r *run) record(ctx context.Context, point space.Point, p *proposal, result search.Result, timing trial.Timing) {
	t := database.Trial{
		Point: r.space.points.Key(point), Tree: p.text, Status: database.OK, Seconds: timing.Least, Median: timing.Median, Samples: timing.Samples,
	}
	if result.Err != nil {
		t.Status, t.Message = string(trial.FailureOf(result.Err)), result.Err.Error()
	}
	if err := r.session.Record(context.WithoutCancel(ctx), t); err != nil {
		r.fatal = fmt.Errorf("a trial could not be recorded: %w", err)
		r.cancel()
	}
}

// mostReproducers is how many defective candidates of a run are saved.
const mostReproducers = 3

// explain says what a failure means. A schedule that was checked and computes
// something else, or crashes, is a defect of Ricci.
func (r *run) explain(p *proposal, failure trial.Failure) string {
	var internal *ricci.InternalError
	defect := failure == trial.Wrong || failure == trial.Crashed || failure == trial.Faulted || errors.As(p.err, &internal)
	if !defect || r.reproducers >= mostReproducers {
		return ""
	}
	r.reproducers++
	text := fmt.Sprintf("# %v\n%s\n%s", p.err, ein.Print(r.tuning.Func), schedule.Print(p.tree))
	message := fmt.Sprintf("a candidate failed through a defect of Ricci (%v)", p.err)
	if path, err := scratch.SaveReproducer(r.tuning.Reproducers, text, ".ein"); err == nil {
		message += "; program and schedule are in " + path
	}
	r.warnings = append(r.warnings, message)
	return message
}
