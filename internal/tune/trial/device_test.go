package trial

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
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
	r, tree := newRunnerOn(t, "opencl:0", matmul)
	good := r.Build(t.Context(), []*schedule.Tree{tree})[0]
	timing, err := r.Measure(t.Context(), good, 0)
	if err != nil || timing.Least <= 0 || timing.Samples < leastSamples {
		t.Fatalf("%+v, %v", timing, err)
	}
	if _, timed := opencl(t, r).(device.Timed); !timed {
		t.Error("the device has no clock")
	}
	const head = "__kernel void ricci_kernel(__global uchar *w, long w0, __global int *fault, __global uchar *a, long a0, __global uchar *b, long b0, __global uchar *c, long c0) { "
	const one = "if (get_global_id(0) + get_global_id(1) == 0) "
	for _, test := range []struct {
		name, text string
		failure    Failure
		message    string
	}{
		{"crash", "*(__global volatile int *)8 = 1;", Crashed, ""},
		{"nothing written", "", Wrong, "of C differ from the evaluator"},
		{"in front", one + "c[c0 - 3] = 0;", Faulted, "outside of the array C"},
		{"behind an input", one + "b[b0 + 24 * 33 * 4 + 100] = 0;", Faulted, "outside of the array B"},
		{"refused", "no_such_name();", Refused, "no_such_name"},
		{"hang", "for (volatile int i = 0;;) i++;", Hung, "no end after"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad, err := &Candidate{Tree: tree, code: good.code}, error(nil)
			if bad.code.Object, err = r.compile(t.Context(), &target.Module{Code: head + test.text + " }", Symbol: "ricci_kernel"}); err != nil {
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

// opencl loads the code of a default candidate here.
func opencl(t *testing.T, r *Runner) device.Code {
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
