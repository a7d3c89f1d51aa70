package tune

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
	search "github.com/ricci-lang/ricci/internal/tune"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// tuner is the environment variable that makes the test binary a process that tunes;
// its value is the directory of the cache.
const tuner = "RICCI_TEST_TUNER"

// tunedDevice is the one for the device that such processes, and testOptions, tune for; empty: the processor.
const tunedDevice = "RICCI_TEST_TUNER_DEVICE"

// badCalls is the environment variable that makes a worker's calls go wrong, see badWorker.
const badCalls = "RICCI_TEST_BAD_CALLS"

func TestMain(m *testing.M) {
	if plan := os.Getenv(badCalls); plan != "" && os.Getenv(trial.Variable) != "" {
		if err := badWorker(plan); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	ServeIfWorker()
	if dir := os.Getenv(tuner); dir != "" {
		if err := tuneInChild(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const program = `def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }`

func matmul() (*ricci.Def, ricci.Signature, error) {
	p, err := ricci.Parse("mm.tc", program)
	if err != nil {
		return nil, ricci.Signature{}, err
	}
	def, err := p.Def("mm")
	if err != nil {
		return nil, ricci.Signature{}, err
	}
	signature, err := def.SignatureForSizes(map[string]int64{"M": 40, "N": 48, "K": 36})
	return def, signature, err
}

// testOptions search without luck; the order of the points is that of their numbers.
func testOptions(dir string, evaluations int) Options {
	return Options{Compile: ricci.Options{CacheDir: dir, Threads: 1, Device: os.Getenv(tunedDevice)}, Evaluations: evaluations, Strategy: "exhaustive", Batch: 4}
}

// tuneInChild writes a line for every generation.
func tuneInChild(dir string) error {
	def, signature, err := matmul()
	if err != nil {
		return err
	}
	o := testOptions(dir, 10)
	o.Progress = func(p Progress) { fmt.Println("generation", p.Generation) }
	outcome, err := Run(context.Background(), def, signature, o)
	if err == nil {
		fmt.Println("outcome", outcome.Name, outcome.Evaluated)
	}
	return err
}

func needsCompiler(t *testing.T) {
	t.Helper()
	if _, err := devices.Best(t.Context(), device.Settings{Ready: device.Asked}); err != nil {
		t.Skip(err)
	}
}

func runTest(t *testing.T, ctx context.Context, o Options) *Outcome {
	t.Helper()
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := Run(ctx, def, signature, o)
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Seconds > outcome.Default || outcome.Seconds <= 0 {
		t.Errorf("the outcome is %+v", outcome)
	}
	return outcome
}

func TestRunAndResume(t *testing.T) {
	needsCompiler(t)
	dir := t.TempDir()
	first := runTest(t, t.Context(), testOptions(dir, 3))
	if first.Evaluated != 3 || first.Earlier != 0 || first.Stopped != string(search.EvaluationsDone) {
		t.Errorf("the first run: %+v", first)
	}
	second := runTest(t, t.Context(), testOptions(dir, 2))
	if second.Evaluated != 2 || second.Earlier < 3 {
		t.Errorf("the second run: %+v", second)
	}
	o := testOptions(dir, 2)
	o.Fresh = true
	if third := runTest(t, t.Context(), o); third.Evaluated != 2 || third.Earlier != 0 {
		t.Errorf("the third run: %+v", third)
	}
}

// A search ends with the part of the space that is known, or with the speed-up.
func TestOtherConditions(t *testing.T) {
	needsCompiler(t)
	dir := t.TempDir()
	o := testOptions(dir, 0)
	o.Fraction = 1e-9 // any known point is more
	if outcome := runTest(t, t.Context(), o); outcome.Stopped != string(search.FractionDone) {
		t.Errorf("a fraction: %+v", outcome)
	}
	o = testOptions(dir, 8)
	o.Fresh, o.Speedup = true, 1e-6 // any candidate is faster
	if outcome := runTest(t, t.Context(), o); outcome.Stopped != string(search.SpeedupReached) || outcome.Evaluated > 4 {
		t.Errorf("a speed-up: %+v", outcome)
	}
}

// An interrupt ends the search, and what was found is kept.
func TestInterrupt(t *testing.T) {
	needsCompiler(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := testOptions(t.TempDir(), 1000)
	o.Progress = func(Progress) { cancel() }
	if outcome := runTest(t, ctx, o); outcome.Stopped != string(search.Interrupted) || outcome.Evaluated == 0 {
		t.Errorf("the outcome: %+v", outcome)
	}
}

// TestResumed: --evals counts the candidates of the run that was interrupted; that of
// another seed, and one after the end, count their own.
func TestResumed(t *testing.T) {
	needsCompiler(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := testOptions(dir, 9)
	o.Strategy, o.Progress = "bandit", func(Progress) { cancel() }
	first := runTest(t, ctx, o)
	o.Progress = nil
	second := runTest(t, t.Context(), o)
	if first.Evaluated+second.Evaluated != 9 || second.Earlier != first.Evaluated || second.Stopped != string(search.EvaluationsDone) {
		t.Errorf("9 candidates are %d and %d, %d known: %s", first.Evaluated, second.Evaluated, second.Earlier, second.Stopped)
	}
	o.Evaluations = 2
	if third := runTest(t, t.Context(), o); third.Evaluated != 2 || third.Earlier != 9 {
		t.Errorf("after the end: %d candidates, %d known", third.Evaluated, third.Earlier)
	}
}

// badWorker serves like others, but from the fourth call of a candidate on, counted over
// all workers by the length of a file, two crash or one hangs. The plan is crash or hang,
// and the path of the file.
func badWorker(plan string) error {
	kind, path, _ := strings.Cut(plan, " ")
	in, requests := io.Pipe()
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), `{"call"`) {
				before, _ := os.ReadFile(path) // none before the first one
				if err := os.WriteFile(path, append(before, '.'), 0o600); err != nil {
					os.Exit(2)
				}
				switch n := len(before) + 1; {
				case kind == "crash" && (n == 4 || n == 5): // the second time is the second chance
					os.Exit(3)
				case kind == "hang" && n == 4:
					select {}
				}
			}
			_, _ = fmt.Fprintln(requests, lines.Text()) // a pipe in the process
		}
		_ = requests.Close() // never fails
	}()
	return trial.Serve(in, os.Stdout)
}

// TestBadCandidate: one that crashes or hangs is counted and recorded, and the next run
// knows it; the others are not touched.
func TestBadCandidate(t *testing.T) {
	needsCompiler(t)
	for kind, failure := range map[string]trial.Failure{"crash": trial.Crashed, "hang": trial.Hung} {
		t.Run(kind, func(t *testing.T) {
			t.Setenv(badCalls, kind+" "+filepath.Join(t.TempDir(), "calls"))
			dir := t.TempDir()
			o := testOptions(dir, 6)
			first := runTest(t, t.Context(), o)
			if first.Evaluated != 6 || first.Failures[string(failure)] != 1 || len(first.Failures) != 1 {
				t.Errorf("%d candidates, failures %v", first.Evaluated, first.Failures)
			}
			o.Evaluations = 1
			second := runTest(t, t.Context(), o)
			if second.Earlier != 6 || second.Evaluated != 1 || len(second.Failures) != 0 {
				t.Errorf("the next run knows %d, failures %v", second.Earlier, second.Failures)
			}
		})
	}
}

// preparedRun prepares a run whose default schedule is the order of the program.
func preparedRun(t *testing.T, dir string) *run {
	t.Helper()
	needsCompiler(t)
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(testOptions(dir, 0), time.Now)
	if r.tuning, err = tuningOf(t.Context(), def, signature, r.options.Compile); err != nil {
		t.Fatal(err)
	}
	if r.args, err = arguments(def, r.tuning, r.options); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWinner lets a schedule that is much faster, and one that is much slower, be
// what an earlier run has stored.
func TestWinner(t *testing.T) {
	dir := t.TempDir()
	r := preparedRun(t, dir)
	store, good, plain := tuned.In(r.tuning.Cache), r.tuning.Default, schedule.Canonical(r.tuning.Func)
	put := func(tree *schedule.Tree) {
		t.Helper()
		text, err := r.tuning.Canonical(tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Put(&tuned.Schedule{Name: "mm", Configuration: *r.tuning.Configuration, Tree: text, Seconds: 1, Default: 1}); err != nil {
			t.Fatal(err)
		}
	}
	kind := func() ricci.ScheduleKind {
		t.Helper()
		def, signature, err := matmul()
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := def.Compile(t.Context(), signature, r.options.Compile)
		if err != nil {
			t.Fatal(err)
		}
		defer kernel.Close()
		return kernel.Schedule()
	}
	r.tuning.Default = plain
	put(good)
	o := testOptions(dir, 1)
	r.options = o
	outcome, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !outcome.Tuned || outcome.Schedule == schedule.Print(plain) || outcome.Speedup() < 1.02 || kind() != ricci.TunedSchedule {
		t.Errorf("the faster one: %+v, then %s", outcome, kind())
	}
	r = preparedRun(t, dir)
	put(plain)
	if kind() != ricci.TunedSchedule {
		t.Error("the stored schedule is not used")
	}
	r.options = o
	r.options.Fresh = true
	if outcome, err = r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if outcome.Seconds > outcome.Default || outcome.Schedule == schedule.Print(plain) || !outcome.Tuned && kind() != ricci.DefaultSchedule {
		t.Errorf("the slower one: %+v, then %s", outcome, kind())
	}
}

// A fake clock: the budget divides the time by what the default took.
func TestBudget(t *testing.T) {
	now := time.Unix(0, 0)
	b := budget{now: func() time.Time { return now }, start: now, limit: 10 * time.Second}
	at := func(d time.Duration) { now = b.start.Add(d) }
	if end := b.deadline().Sub(b.start); end != 9800*time.Millisecond {
		t.Errorf("the deadline is after %s", end)
	}
	tests := []struct {
		name            string
		built, measured time.Duration
		now             time.Duration
		search          time.Duration // when it ends
		fits            []int         // schedules that fit at that time, none of them built
	}{
		{"a short kernel", 200 * time.Millisecond, 100 * time.Millisecond, time.Second, 8800 * time.Millisecond, []int{2, 3, 4}},
		{"a longer one: half of what is left", 200 * time.Millisecond, time.Second, time.Second, 5400 * time.Millisecond, []int{2}},
		{"a long kernel: half of what is left, too", 200 * time.Millisecond, 2 * time.Second, time.Second, 5400 * time.Millisecond, nil},
		{"nothing left", time.Second, 2 * time.Second, 9800 * time.Millisecond, 9800 * time.Millisecond, nil},
	}
	for _, test := range tests {
		b.built, b.measured = test.built, test.measured
		at(test.now)
		end := b.search()
		if got := end.Sub(b.start); got != test.search {
			t.Errorf("%s: the search ends after %s, expected %s", test.name, got, test.search)
		}
		at(end.Sub(b.start))
		for _, n := range test.fits {
			if !b.fits(n, 0) {
				t.Errorf("%s: a race of %d does not fit behind the search", test.name, n)
			}
		}
		if b.fits(1+finalists, 20) {
			t.Errorf("%s: 20 compilations fit", test.name)
		}
	}
	if b = (budget{now: b.now, start: now}); !b.deadline().IsZero() || !b.search().IsZero() || !b.fits(100, 100) {
		t.Error("there is a limit without one")
	}
}

// TestTime: a race that does not fit does not start; the clock is one that every look
// moves on.
func TestTime(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit time.Duration
		step  time.Duration
		raced bool
	}{
		{"enough", time.Hour, time.Millisecond, true},
		{"not for a race", time.Hour, 7 * time.Minute, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := preparedRun(t, t.TempDir())
			now := time.Now()
			r.options.Evaluations = 4
			r.budget = budget{start: now, limit: test.limit, now: func() time.Time { now = now.Add(test.step); return now }}
			o, err := r.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if o.Raced != test.raced || o.Evaluated == 0 || o.Tuned && !o.Raced {
				t.Errorf("%+v", o)
			}
		})
	}
	for _, step := range []time.Duration{time.Second, 1600 * time.Millisecond, 3 * time.Second} { // the default takes most of the time
		r := preparedRun(t, t.TempDir())
		now := time.Now()
		r.budget = budget{start: now, limit: 8 * time.Second, now: func() time.Time { now = now.Add(step); return now }}
		o, err := r.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Evaluated == 0 || o.Evaluated > 8 || o.Tuned && !o.Raced {
			t.Errorf("every look takes %s of 8 s: %+v", step, o)
		}
	}
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(t.TempDir(), 0)
	o.Time = time.Millisecond
	if _, err := Run(t.Context(), def, signature, o); err == nil || !strings.Contains(err.Error(), "1ms are too short for mm(K=36 M=40 N=48)") {
		t.Errorf("got %v", err)
	}
}

func TestChosen(t *testing.T) {
	failed := errors.New("crashed")
	tests := []struct {
		name    string
		timings []trial.Timing
		errs    []error
		want    int
	}{
		{"alone", []trial.Timing{{Least: 1, Median: 1}}, []error{nil}, 0},
		{"faster", []trial.Timing{{Least: 1, Median: 1}, {Least: 0.9, Median: 0.9}}, []error{nil, nil}, 1},
		{"slower", []trial.Timing{{Least: 1, Median: 1}, {Least: 1.1, Median: 1.1}}, []error{nil, nil}, 0},
		{"within the noise", []trial.Timing{{Least: 1, Median: 1}, {Least: 0.99, Median: 0.9}}, []error{nil, nil}, 0},
		{"lucky once", []trial.Timing{{Least: 1, Median: 1}, {Least: 0.5, Median: 1}}, []error{nil, nil}, 0},
		{"the fastest", []trial.Timing{{Least: 1, Median: 1}, {Least: 0.9, Median: 0.9}, {Least: 0.8, Median: 0.9}}, []error{nil, nil, nil}, 2},
		{"it crashed", []trial.Timing{{Least: 1, Median: 1}, {}}, []error{nil, failed}, 0},
		{"the default crashed", []trial.Timing{{}, {Least: 0.1, Median: 0.1}}, []error{failed, nil}, 0},
	}
	for _, test := range tests {
		if got := chosen(test.timings, test.errs); got != test.want {
			t.Errorf("%s: %d, expected %d", test.name, got, test.want)
		}
	}
}

func TestNested(t *testing.T) {
	t.Setenv(trial.Variable, "1")
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), def, signature, Options{}); !errors.Is(err, errNested) {
		t.Errorf("got %v", err)
	}
}

func TestParsePoint(t *testing.T) {
	for _, test := range []struct {
		key  string
		n    int
		want space.Point
	}{{"1,-2", 2, space.Point{1, -2}}, {"1", 2, nil}, {"", 0, nil}, {"a,b", 2, nil}} {
		if got := parsePoint(test.key, test.n); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%q: %v", test.key, got)
		}
	}
}

// Every space has trees that work.
func TestSpaces(t *testing.T) {
	if testing.Short() {
		t.Skip("the spaces have tests of their own")
	}
	dir := t.TempDir()
	for _, name := range Spaces()[1:] { // the other tests search the first one
		t.Run(name, func(t *testing.T) {
			needsCompiler(t)
			o := testOptions(dir, 2)
			o.Space, o.Strategy = name, "random"
			outcome := runTest(t, t.Context(), o)
			failed := 0
			for _, n := range outcome.Failures {
				failed += n
			}
			if outcome.Evaluated == 0 || failed == outcome.Evaluated {
				t.Errorf("the outcome: %+v", outcome)
			}
		})
	}
}

// TestEndOfBuilding: compiling what is not on the shelf leaves time for a race of the others.
func TestEndOfBuilding(t *testing.T) {
	now := time.Unix(0, 0)
	b := budget{now: func() time.Time { return now }, start: now, measured: 100 * time.Millisecond}
	for left, want := range map[time.Duration]time.Duration{
		10 * time.Second:       10*time.Second - 300*time.Millisecond,
		time.Second:            700 * time.Millisecond,
		100 * time.Millisecond: 50 * time.Millisecond,
	} {
		if got := b.endOfBuilding(now.Add(left), 2).Sub(now); got != want {
			t.Errorf("with %s left building ends after %s, expected %s", left, got, want)
		}
	}
}

// TestSlowCompilers: a finalist that is not compiled in time stays away, the others race, and
// an earlier winner that was absent is kept.
func TestSlowCompilers(t *testing.T) {
	r := preparedRun(t, t.TempDir())
	store, text := tuned.In(r.tuning.Cache), ""
	list := []finalist{{tree: r.tuning.Default}, {tree: schedule.Canonical(r.tuning.Func)}}
	for i := range list {
		var err error
		if text, err = r.tuning.Canonical(list[i].tree); err != nil {
			t.Fatal(err)
		}
		list[i].text = text
	}
	if err := store.Put(&tuned.Schedule{Name: "mm", Configuration: *r.tuning.Configuration, Tree: text, Seconds: 1, Default: 1}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err    error
		absent bool
	}{
		{nil, false},
		{context.DeadlineExceeded, true},
		{&trial.Error{Failure: trial.Crashed}, false},
	} {
		if got := r.absent(store, list, []error{nil, test.err}); got != test.absent {
			t.Errorf("%v: absent is %v", test.err, got)
		}
	}
}
