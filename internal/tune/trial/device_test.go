package trial

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/cuda/cudatest"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/targets"
	"github.com/ricci-lang/ricci/tensor"
)

// newRunnerOn prepares trials of a function on a device with memory of its own; where it is not there the test is skipped.
func newRunnerOn(t *testing.T, name, text string) (*Runner, *schedule.Tree) {
	t.Helper()
	kernels, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	driver, _ := devices.Named(name)
	opened, err := driver.Open(t.Context(), device.Settings{Cache: kernels})
	if err != nil {
		t.Skip(err)
	}
	m, err := driver.Machine(t.Context(), device.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return newRunnerFor(t, text, opened, kernels, m)
}

func newRunnerFor(t *testing.T, text string, opened device.Device, kernels *cache.Cache, m *machine.Machine) (*Runner, *schedule.Tree) {
	t.Helper()
	p, err := m.Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	k := Kernel{Func: f, Machine: p, Args: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}}
	shapes, err := f.Shapes(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, p := range f.ByRole(ein.Input, ein.InOut) {
		var shape []int
		for _, n := range shapes[p.Name] {
			shape = append(shape, int(n))
		}
		k.Args[p.Name] = tensor.Must(tensor.New(p.Type, shape...))
		tensor.FillRandom(k.Args[p.Name], uint64(n))
	}
	made, _ := targets.Named(opened.Driver().Target)
	r, err := New(t.Context(), k, Options{Device: opened, Target: made, Cache: kernels, Worker: []string{os.Args[0]}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	tree, err := grids.Default(f, *p.Grid)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.MakeReference(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	return r, tree
}

// TestDevice: candidates run on the memory of a device, between guards there, and take what its clock says; one that crashes the
// driver, does not end, or writes where it must not is one that failed.
func TestDevice(t *testing.T) {
	name := cmp.Or(os.Getenv(testedDevice), "opencl:0")
	r, tree := newRunnerOn(t, name, matmul)
	good := r.Build(t.Context(), []*schedule.Tree{tree})[0]
	timing, err := r.Measure(t.Context(), good, 0)
	if err != nil || timing.Least <= 0 || timing.Samples < leastLong {
		t.Fatalf("%+v, %v", timing, err)
	}
	if _, timed := loadedHere(t, r).(device.Timed); !timed {
		t.Error("the device has no clock")
	}
	symbol := good.code.Plan.Launches[0].Symbol
	words := strings.ReplaceAll(kernelWords[r.options.Target.Name()], "NAME", symbol)
	for _, test := range []struct {
		name, text string
		failure    Failure
		message    string
	}{
		{"crash", "CRASH;", Crashed, ""},
		{"nothing written", "", Wrong, "of C differ from the evaluator"},
		{"in front", "if (FIRST) C[-3] = 0;", Faulted, "outside of the array C"},
		{"behind an input", "if (FIRST) B[24 * 33 * 4 + 100] = 0;", Faulted, "outside of the array B"},
		{"refused", "no_such_name();", Refused, "no_such_name"},
		{"hang", "HANG;", Hung, "no end after"},
		{"lost", "LOSE;", Crashed, "E0742"},
	} {
		if word := strings.TrimSuffix(test.text, ";"); word == strings.ToUpper(word) && !strings.Contains(words, "define "+word) || !chosen(t, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			bad, err := &Candidate{Tree: tree, code: good.code}, error(nil)
			if bad.code.Object, _, err = r.compile(t.Context(), &target.Module{Code: words + test.text + " }", Symbol: symbol}, nil); err != nil {
				bad.Err = &Error{Refused, err}
			}
			if test.failure == Hung {
				r.options.RunTimeout = 50 * time.Millisecond
			}
			_, err = r.Measure(t.Context(), bad, 0)
			if FailureOf(err) != test.failure || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, expected %s with %q", err, test.failure, test.message)
			}
			r.options.RunTimeout = time.Minute
			if test.failure == Wrong || test.failure == Refused {
				return // the process lives
			}
			if _, err := r.Measure(t.Context(), good, 0); err != nil {
				t.Errorf("the next candidate: %v", err)
			}
		})
	}
}

// testedDevice is the variable for the device of TestDevice, and testedCases for some of its cases.
const (
	testedDevice = "RICCI_TEST_DEVICE"
	testedCases  = "RICCI_TEST_CASES"
)

// chosen reports whether a case of TestDevice is run: without a choice all are that are quick.
func chosen(t *testing.T, name string) bool {
	if list := os.Getenv(testedCases); list != "" {
		return slices.Contains(strings.Split(list, ","), name)
	}
	return name != "hang" || sweep.Long(t)
}

// kernelWords begin a kernel with the arguments of matmul, by target. A card is lost when the threads of a group part at a barrier.
var kernelWords = map[string]string{
	"opencl": `#define HANG for (volatile int i = 0;;) i++
#define CRASH *(__global volatile int *)8 = 1
#define FIRST get_global_id(0) + get_global_id(1) == 0
__kernel void NAME(__global uchar *w, long w0, __global int *fault, __global uchar *a, long a0, __global uchar *b, long b0, __global uchar *c, long c0) {
  __global uchar *B = b + b0, *C = c + c0;
`,
	"cuda": `extern "C" int pause(void);
#define HANG for (;;) pause()
#define CRASH *(volatile int *)8 = 1
#define FIRST threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0
#define LOSE if (threadIdx.x == 0) __syncthreads()
extern "C" __global__ void NAME(unsigned char *w, int *fault, const unsigned char *A, unsigned char *B, unsigned char *C) {
`,
}

// TestCard is TestDevice on a card of CUDA that is none.
func TestCard(t *testing.T) {
	environment := cudatest.Environment(t, "../../target/cuda/testdata/shim.h", "")
	cases := "in front,hang,lost"
	if sweep.Long(t) {
		cases += ",crash,nothing written,behind an input,refused"
	}
	cudatest.Again(t, "TestDevice", append(environment, testedDevice+"=cuda:0", testedCases+"="+cases))
}

// TestCompilers: a compiler of a driver that crashes or does not come back costs the candidate, and no more.
func TestCompilers(t *testing.T) {
	if os.Getenv(testedDevice) == "" {
		environment := cudatest.Environment(t, "../../target/cuda/testdata/shim.h", "compiler-crash")
		cudatest.Again(t, "TestCompilers", append(environment, testedDevice+"=cuda:0"))
		cudatest.Again(t, "TestCompilers", append(environment, testedDevice+"=cuda:0", cudatest.Variable+"=compiler-hang"))
		return
	}
	r, _ := newRunnerOn(t, "cuda:0", matmul)
	patience := r.options.CompileTimeout
	for _, text := range []string{"int bad;", ""} {
		want := map[string]Failure{"compiler-crash": Crashed, "compiler-hang": Hung}[os.Getenv(cudatest.Variable)]
		if text == "" {
			want = ""
		}
		r.options.CompileTimeout = patience
		if want == Hung {
			r.options.CompileTimeout = 50 * time.Millisecond
		}
		_, _, err := r.compile(t.Context(), &target.Module{Code: text + kernelWords["cuda"] + "}", Symbol: "NAME"}, nil)
		if FailureOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestFootprints: a candidate says what it takes before it is measured, and one for whose groups registers do not suffice is refused.
func TestFootprints(t *testing.T) {
	if os.Getenv(testedDevice) == "" {
		environment := cudatest.Environment(t, "../../target/cuda/testdata/shim.h", "spills 48")
		cudatest.Again(t, "TestFootprints", append(environment, testedDevice+"=cuda:0"))
		return
	}
	r, tree := newRunnerOn(t, "cuda:0", matmul)
	c := r.Build(t.Context(), []*schedule.Tree{tree})[0]
	if want := (device.Footprint{Registers: 32, Private: 48, Items: 1024}); c.Err != nil || c.Takes == nil || *c.Takes != want {
		t.Errorf("it takes %+v (%v), expected %+v", c.Takes, c.Err, want)
	}
	if err := os.Setenv(cudatest.Variable, "registers 8192"); err != nil { // of the processes that compile from now on
		t.Fatal(err)
	}
	r.stopBuilders()
	c = r.Build(t.Context(), []*schedule.Tree{tree})[0]
	if FailureOf(c.Err) != Refused || !strings.Contains(c.Err.Error(), "items of the kernel") || !strings.Contains(c.Err.Error(), "but for 8: an item takes 8192 registers") {
		t.Errorf("a group for which registers do not suffice: %v", c.Err)
	}
}

// loadedHere loads the code of a default candidate in this process.
func loadedHere(t *testing.T, r *Runner) device.Code {
	t.Helper()
	c := r.Build(t.Context(), []*schedule.Tree{schedule.Canonical(r.kernel.Func)})[0]
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	object, err := os.ReadFile(c.code.Object)
	if err != nil {
		t.Fatal(err)
	}
	code, err := r.options.Device.Load(t.Context(), object, c.code.Plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = code.Close() })
	return code
}
