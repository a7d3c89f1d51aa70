package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMain makes the test binary a worker when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv(Variable) != "" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const matmul = `func mm {
  in A: float32[20, 24]
  in B: float32[24, 33]
  out C: float32[20, 33]
  for i in 0:20, j in 0:33, k in 0:24 reduce + { C[i, j] = A[i, k] * B[k, j] }
}
`

// newRunner prepares trials of a function on random arguments.
func newRunner(t *testing.T, text string, change func(*Kernel)) *Runner {
	t.Helper()
	kernels, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	best, err := devices.Best(t.Context(), device.Settings{Cache: kernels})
	if err != nil {
		t.Skip(err)
	}
	made, _ := targets.Named(best.Driver().Target)
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	k := Kernel{Func: f, Machine: machine.Host(), Args: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}}
	shapes, err := f.Shapes(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, p := range f.ByRole(ein.Input, ein.InOut) {
		shape := make([]int, len(p.Dims))
		for d := range shape {
			shape[d] = int(shapes[p.Name][d])
		}
		x, err := tensor.New(p.Type, shape...)
		if err != nil {
			t.Fatal(err)
		}
		tensor.FillRandom(x, uint64(n))
		k.Args[p.Name] = x
	}
	if change != nil {
		change(&k)
	}
	r, err := New(t.Context(), k, Options{Device: best, Target: made, Cache: kernels, Worker: []string{os.Args[0]}, Dir: t.TempDir(), RunTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.MakeReference(t.Context(), defaultTree(t, r)); err != nil {
		t.Fatal(err)
	}
	return r
}

func defaultTree(t *testing.T, r *Runner) *schedule.Tree {
	t.Helper()
	tree, err := standard.Default(r.kernel.Func, r.kernel.Machine)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestMeasure(t *testing.T) {
	r := newRunner(t, matmul, nil)
	trees := []*schedule.Tree{schedule.Canonical(r.kernel.Func), defaultTree(t, r)}
	candidates := r.Build(t.Context(), trees)
	for _, c := range candidates {
		timing, err := r.Measure(t.Context(), c, 0)
		if err != nil {
			t.Fatal(err)
		}
		if timing.Least <= 0 || timing.Median < timing.Least || timing.Samples < leastSamples {
			t.Errorf("the timing is %+v", timing)
		}
	}
	race := r.Race(t.Context(), candidates, RaceLimit{Rounds: 2})
	if err := errors.Join(race.Errs...); err != nil {
		t.Fatal(err)
	}
	if race.Timings[0].Samples < 2 || race.Timings[1].Samples < 2 || race.Rounds != 2 {
		t.Errorf("the race gave %+v", race)
	}
	// A limit far below what is possible ends the samples early.
	timing, err := r.Measure(t.Context(), candidates[0], 1e-9)
	if err != nil || !timing.Cut {
		t.Errorf("with a limit: %+v, %v", timing, err)
	}
}

// What candidates may do is written in C here, since no schedule does it.
func TestBadCandidates(t *testing.T) {
	tests := []struct {
		name, text string
		failure    Failure
		message    string
	}{
		{"crash", `int kernel(long long *a) { *(volatile int *)8 = 1; return 0; }`, Crashed, "SIGSEGV"},
		{"abort", `void abort(void); int kernel(long long *a) { abort(); return 0; }`, Crashed, ""},
		{"exit", `void _exit(int); int kernel(long long *a) { _exit(0); return 0; }`, Crashed, ""},
		{"hang", `int kernel(long long *a) { for (volatile int i = 0;;) i++; return 0; }`, Hung, "no end after"},
		{"nothing written", `int kernel(long long *a) { return 0; }`, Wrong, "of C differ from the evaluator"},
		{"zeros", `int kernel(long long *a) { float *c = (float *)a[6]; for (int i = 0; i < 20 * 33; i++) c[i] = 0; return 0; }`, Wrong, "of C differ"},
		{"in front", `int kernel(long long *a) { ((char *)a[6])[-3] = 0; return 0; }`, Faulted, "outside of the array C"},
		{"behind", `int kernel(long long *a) { ((char *)a[5])[24 * 33 * 4 + 100] = 0; return 0; }`, Faulted, "outside of the array B"},
		{"fault", `int kernel(long long *a) { ((long long *)a[3])[1] = 7; return 1; }`, Faulted, "value 7"},
		{"memory", `int kernel(long long *a) { char buffer[1 << 30]; for (long i = 0; i < 1 << 30; i += 4096) ((volatile char *)buffer)[i] = 1; return 0; }`, Crashed, "SIGSEGV"},
		{"refused", `int kernel(long long *a) { return }`, Refused, "refused"},
	}
	r := newRunner(t, matmul, nil)
	good := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := &Candidate{Tree: good.Tree, code: good.code}
			var err error
			if bad.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: test.text}, nil); err != nil {
				bad.Err = &Error{Refused, err}
			}
			_, err = r.Measure(t.Context(), bad, 0)
			if FailureOf(err) != test.failure || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, expected %s with %q", err, test.failure, test.message)
			}
			if _, err := r.Measure(t.Context(), good, 0); err != nil {
				t.Errorf("the next candidate: %v", err)
			}
			if test.failure == Crashed {
				race := r.Race(t.Context(), []*Candidate{good, bad, good}, RaceLimit{Rounds: 1})
				if race.Errs[0] != nil || FailureOf(race.Errs[1]) != Crashed || race.Errs[2] != nil || race.Timings[0].Samples == 0 || race.Timings[2].Samples == 0 {
					t.Errorf("a race with it: %+v", race)
				}
			}
		})
	}
}

// A candidate whose first call is much slower than the best is called no second time: what it
// computes, which is nothing here, is not even looked at.
func TestGivesUp(t *testing.T) {
	r := newRunner(t, matmul, nil)
	good := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	slow := &Candidate{Tree: good.Tree, code: good.code}
	var err error
	slow.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: `int usleep(unsigned); int kernel(long long *a) { usleep(100000); return 0; }`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	timing, err := r.Measure(t.Context(), slow, 0.01)
	if err != nil || !timing.Cut || timing.Samples != 1 || timing.Least < 0.1 {
		t.Errorf("%+v, %v", timing, err)
	}
	if _, err := r.Measure(t.Context(), slow, 0); FailureOf(err) != Wrong {
		t.Errorf("without a best: %v", err)
	}
}

// A defect of Ricci in a goroutine of the builders or in the process for measurements
// is an error like others.
func TestPanics(t *testing.T) {
	r := newRunner(t, matmul, nil)
	good := defaultTree(t, r)
	list := r.Build(t.Context(), []*schedule.Tree{good, nil, good})
	var internal *source.InternalError
	if err := list[1].Err; FailureOf(err) != Refused || !errors.As(err, &internal) {
		t.Errorf("no tree gives %v", err)
	}
	broken := &server{slots: map[int]*loaded{0: {}}} // a slot without a library
	if _, err := broken.answer(request{Call: &called{}}); !errors.As(err, &internal) {
		t.Errorf("a broken process answers %v", err)
	}
	for _, c := range []*Candidate{list[0], list[2]} {
		if _, err := r.Measure(t.Context(), c, 0); err != nil {
			t.Errorf("a candidate beside it: %v", err)
		}
	}
}

// A candidate that wants more memory than there is fails alone.
func TestMemory(t *testing.T) {
	r := newRunner(t, matmul, nil)
	good := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	greedy := &Candidate{Tree: good.Tree, code: good.code}
	greedy.code.Workspace = 1 << 46
	if _, err := r.Measure(t.Context(), greedy, 0); FailureOf(err) == "" {
		t.Errorf("got %v", err)
	}
	if _, err := r.Measure(t.Context(), good, 0); err != nil {
		t.Errorf("the next candidate: %v", err)
	}
}

// A worker that somebody else kills is no candidate's fault.
func TestKilledWorker(t *testing.T) {
	r := newRunner(t, matmul, nil)
	c := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed := r.worker.command
	kill(killed)
	if _, err := r.Measure(t.Context(), c, 0); err != nil {
		t.Error(err)
	}
	if r.worker.command == killed {
		t.Error("the worker is still there")
	}
}

// Where nothing can be written, as on a full disk, no candidate is to blame.
func TestFullDisk(t *testing.T) {
	r := newRunner(t, matmul, nil)
	good := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	dir := r.dir
	r.dir = filepath.Join(dir, "missing")
	if c := r.Build(t.Context(), []*schedule.Tree{good.Tree})[0]; c.Err == nil || FailureOf(c.Err) != "" || !strings.Contains(c.Err.Error(), "cannot be compiled") {
		t.Errorf("compiled: %v", c.Err)
	}
	if _, err := r.Measure(t.Context(), good, 0); err == nil || FailureOf(err) != "" || !strings.Contains(err.Error(), "cannot go on") {
		t.Errorf("measured: %v", err)
	}
	r.dir = dir
	if _, err := r.Measure(t.Context(), good, 0); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A race stops when its next round would not end in time; the clock moves by a second
// with every look.
func TestRaceLimit(t *testing.T) {
	r := newRunner(t, matmul, nil)
	candidates := r.Build(t.Context(), []*schedule.Tree{schedule.Canonical(r.kernel.Func), defaultTree(t, r)})
	start := time.Now()
	for limit, want := range map[time.Duration]int{0: 0, 3 * time.Second: 1, 9 * time.Second: 4, time.Hour: 5} {
		now := start
		r.options.Now = func() time.Time { now = now.Add(time.Second); return now }
		race := r.Race(t.Context(), candidates, RaceLimit{Rounds: 5, Until: start.Add(limit)})
		if race.Rounds != want || (race.Errs[0] == nil) != (want > 0) {
			t.Errorf("%s: %d rounds (%v), expected %d", limit, race.Rounds, race.Errs, want)
		}
	}
}

// Inputs that an earlier candidate has spoilt are no reason to call a later one
// wrong.
func TestSpoiltInputs(t *testing.T) {
	r := newRunner(t, matmul, nil)
	good := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	spoiler := &Candidate{Tree: good.Tree, code: good.code}
	var err error
	// It damages a word of the worker's own memory behind the guards, too, as far
	// as that can be done without a crash.
	if spoiler.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: `int kernel(long long *a) { for (int i = 0; i < 20 * 24; i++) ((float *)a[4])[i] = 9; return 0; }`}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Measure(t.Context(), spoiler, 0); FailureOf(err) != Wrong {
		t.Errorf("the spoiler: %v", err)
	}
	if _, err := r.Measure(t.Context(), good, 0); err != nil {
		t.Error(err)
	}
}

func TestLayouts(t *testing.T) {
	// Strides that are negative, padded, and 0.
	r := newRunner(t, matmul, func(k *Kernel) {
		k.Strides = map[string][]int64{"A": {-24, 1}, "B": {0, 1}, "C": {1, 20}}
		for j := range 33 {
			for i := range 24 { // rows that share memory are equal
				k.Args["B"].SetFloat(float64(j), i, j)
			}
		}
	})
	c := r.Build(t.Context(), []*schedule.Tree{schedule.Canonical(r.kernel.Func)})[0]
	if _, err := r.Measure(t.Context(), c, 0); err != nil {
		t.Error(err)
	}
}

func TestInOut(t *testing.T) {
	r := newRunner(t, `func add {
  inout C: float64[100]
  in B: float64[100]
  for i in 0:100 { C[i] = C[i] + B[i] }
}
`, nil)
	c := r.Build(t.Context(), []*schedule.Tree{schedule.Canonical(r.kernel.Func)})[0]
	for range 2 {
		if _, err := r.Measure(t.Context(), c, 0); err != nil {
			t.Error(err)
		}
	}
}

// References of kernels that are too large for the evaluator: a sample of a product, and for a
// chain of products, of which an element hangs on too much, what two schedules agree on.
func TestLargeReferences(t *testing.T) {
	large := strings.NewReplacer("20", "80", "24", "240", "33", "330").Replace(matmul)
	// chain squares a matrix three times: an element hangs on all others.
	chain := strings.ReplaceAll(`func chain { in A: float32[N, N] temp T: float32[N, N] temp S: float32[N, N] out C: float32[N, N]
		for i in 0:N, j in 0:N, k in 0:N reduce + { T[i, j] = A[i, k] * A[k, j] }
		for i in 0:N, j in 0:N, k in 0:N reduce + { S[i, j] = T[i, k] * T[k, j] }
		for i in 0:N, j in 0:N, k in 0:N reduce + { C[i, j] = S[i, k] * S[k, j] } }`, "N", "220")
	for _, test := range []struct{ text, name, wrong string }{
		{large, "a sample of the evaluator", `float *c = (float *)a[6]; for (int i = 0; i < 80 * 330; i++) c[i] *= 1.001f;`},
		{chain, "the order of the program", `float *c = (float *)a[4]; for (int i = 0; i < 220 * 220; i++) c[i] = 1;`},
	} {
		r := newRunner(t, test.text, nil)
		if r.Reference().Name != test.name {
			t.Errorf("the reference is %s, expected %s", r.Reference().Name, test.name)
		}
		c := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
		if _, err := r.Measure(t.Context(), c, 0); err != nil {
			t.Error(err)
		}
		bad := &Candidate{code: c.code}
		var err error
		if bad.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: "int kernel(long long *a) { " + test.wrong + " return 0; }"}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Measure(t.Context(), bad, 0); FailureOf(err) != Wrong {
			t.Errorf("a wrong result: %v", err)
		}
	}
}

// One wrong element of many is noticed although it is in no sample, since it differs from what the
// default has computed.
func TestElementsOutsideTheSample(t *testing.T) {
	r := newRunner(t, "func f { in X: float32[3000000] out y: float32[3000000] for i in 0:3000000 { y[i] = X[i] + X[i] } }", nil)
	c := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	if _, err := r.Measure(t.Context(), c, 0); err != nil {
		t.Fatal(err)
	}
	bad := &Candidate{code: c.code}
	var err error
	if bad.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: `int kernel(long long *a) { float *x = (float *)a[4], *y = (float *)a[5];
		for (int i = 0; i < 3000000; i++) y[i] = x[i] + x[i]; y[1234567] += 1; return 0; }`}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Measure(t.Context(), bad, 0); FailureOf(err) != Wrong || !strings.Contains(err.Error(), "[1234567]") {
		t.Errorf("got %v", err)
	}
}

// Where numbers cancel the bounds of the elements count: all schedules of inverses of random
// matrices are right.
func TestInverses(t *testing.T) {
	inverse := `func inverse { in A: float64[4000, 3, 3] temp d: float64[4000] out B: float64[4000, 3]
		for n in 0:4000 { d[n] = A[n, 0i64, 0i64] * (A[n, 1i64, 1i64] * A[n, 2i64, 2i64] - A[n, 1i64, 2i64] * A[n, 2i64, 1i64])
			- A[n, 0i64, 1i64] * (A[n, 1i64, 0i64] * A[n, 2i64, 2i64] - A[n, 1i64, 2i64] * A[n, 2i64, 0i64])
			+ A[n, 0i64, 2i64] * (A[n, 1i64, 0i64] * A[n, 2i64, 1i64] - A[n, 1i64, 1i64] * A[n, 2i64, 0i64]) }
		for n in 0:4000, j in 0:3 { B[n, j] = (A[n, 1i64, 1i64] * A[n, 2i64, 2i64] - A[n, 1i64, 2i64] * A[n, 2i64, 1i64]) / d[n] + A[n, 0i64, j] } }`
	r := newRunner(t, inverse, nil)
	for _, c := range r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r), schedule.Canonical(r.kernel.Func)}) {
		if _, err := r.Measure(t.Context(), c, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestInterrupt(t *testing.T) {
	r := newRunner(t, matmul, nil)
	c := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	var err error
	if c.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: `int kernel(long long *a) { for (volatile int i = 0;;) i++; return 0; }`}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.Measure(ctx, c, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if built := r.Build(ctx, []*schedule.Tree{c.Tree})[0]; !errors.Is(built.Err, context.DeadlineExceeded) {
		t.Errorf("got %v", built.Err)
	}
}

func TestNoWorker(t *testing.T) {
	r := newRunner(t, matmul, nil)
	c := r.Build(t.Context(), []*schedule.Tree{defaultTree(t, r)})[0]
	r.stop()
	r.options.Worker = []string{"/bin/false"}
	if _, err := r.Measure(t.Context(), c, 0); err == nil || !strings.Contains(err.Error(), "/bin/false") {
		t.Errorf("got %v", err)
	}
}
