package cuda

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/cuda/cudatest"
	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// doubling is the kernel of thePlan, in CUDA C.
const doubling = `extern "C" __global__ void k(unsigned char *workspace, int *fault, const float *x, float *y, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
`

// A vanishing is a card that fails where it is told to.
type vanishing struct {
	libraries
	fail, late, calls, restart library.Function
	object                     []byte
}

// newVanishing builds it, and the kernel.
func newVanishing(t *testing.T) *vanishing {
	t.Helper()
	dir := cudatest.Libraries(t, "../../target/cuda/testdata/shim.h")
	driver, compiles := filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, "libnvrtc.so.12")
	l, err := library.Open(driver)
	if err != nil {
		t.Fatal(err)
	}
	v := &vanishing{libraries: libraries{func() (*api, error) { return openDriver(driver) }, func() (*compiler, error) { return openCompiler(compiles) }, noClang}}
	for name, f := range map[string]*library.Function{"fail": &v.fail, "late": &v.late, "calls": &v.calls, "restart": &v.restart} {
		if *f, err = l.Function("fake_" + name); err != nil {
			t.Fatal(err)
		}
	}
	d, err := v.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.object, err = d.Compile(t.Context(), &target.Module{Code: doubling, Symbol: "k"}, device.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *vanishing) open(ctx context.Context) (device.Device, error) {
	return numbered(v.libraries, 0, "cuda:0").Open(ctx, device.Settings{})
}

// work opens the card and does all that is done with one: two kernels are queued, one is timed, one has a test, and what they leave is compared.
func (v *vanishing) work(ctx context.Context) (err error) {
	d, err := v.open(ctx)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7}, 7))
	arrays := make([]*tensor.Tensor, 2)
	for i := range arrays {
		m, refused := d.Allocator().Allocate(28) // whereas NewOn would ask twice
		if refused != nil {
			return refused
		}
		arrays[i] = tensor.Must(tensor.OnMemory(m, tensor.Float32, 7))
		defer func() { err = errors.Join(err, arrays[i].Close()) }()
		if err := arrays[i].CopyFrom(x); err != nil {
			return err
		}
	}
	untested := thePlan()
	untested.Faults = nil
	code, err := d.Load(ctx, v.object, untested)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, code.Close()) }()
	tested, err := d.Load(ctx, v.object, thePlan())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tested.Close()) }()
	call := func(from, to int) *device.Call {
		return &device.Call{Block: append(make([]int64, loop.HeaderWords), 0, 0, 7), Arguments: []*tensor.Tensor{arrays[from], arrays[to]}}
	}
	for i := range 2 {
		if err := code.(device.Queued).Enqueue(ctx, call(i%2, 1-i%2)); err != nil {
			return err
		}
	}
	if _, err := code.(device.Timed).LaunchTimed(ctx, call(0, 1)); err != nil {
		return err
	}
	if err := tested.(device.Queued).Enqueue(ctx, call(1, 0)); err != nil {
		return err
	}
	if err := d.(device.Waits).Wait(ctx); err != nil {
		return err
	}
	got, err := tensor.ToSlice[float32](arrays[0])
	if err == nil && !slices.Equal(got, []float32{16, 32, 48, 64, 80, 96, 112}) {
		err = errWrongResult
	}
	return err
}

var errWrongResult = errors.New("the result is wrong")

// TestVanishing: whichever call of the driver fails, or whatever fails behind a call, the work ends with a diagnostic: never with a wrong result, a panic, or
// not at all. A card that stops answering is lost, and opened again it works.
func TestVanishing(t *testing.T) {
	v := newVanishing(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it gives things back, by calls of the driver
	run := func() error {
		done := make(chan error, 1)
		go func() { done <- v.work(t.Context()) }()
		select {
		case err := <-done:
			return err
		case <-time.After(20 * time.Second):
			return errors.New("there is no end")
		}
	}
	v.restart.Call()
	if _, err := v.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	opening := int(v.calls.Call())
	v.restart.Call()
	if err := run(); err != nil {
		t.Fatal(err)
	}
	most := int(v.calls.Call())
	if most < 60 {
		t.Fatalf("the work takes %d calls of the driver", most)
	}
	const queued, asked = 11, 22 // things; calls for what the driver says of a card
	failures := map[source.Code]int{}
	for _, c := range []struct {
		code int
		want source.Code
	}{{1, source.DeviceFailed}, {2, source.DeviceMemory}, {46, source.DeviceLost}, {700, source.DeviceLost}, {702, source.DeviceLost}, {719, source.DeviceLost}} {
		for how, f := range map[string]library.Function{"call": v.fail, "thing that was queued": v.late} {
			most := most
			if how != "call" {
				most = queued + 1
			}
			for n := 1; n <= most; n++ {
				v.restart.Call()
				f.Call(uintptr(n), uintptr(c.code))
				err := run()
				var told *source.Diagnostic
				switch open := errors.As(err, &told); {
				case err == nil && how != "call" && n > queued: // there are not so many
				case err == nil && c.code < 3 && n > opening-3-asked && n <= opening-3: // what the second card is asked for, before the context and its stream
				case err == nil, errors.Is(err, errWrongResult):
					t.Errorf("%s %d fails with %d: %v", how, n, c.code, err)
				case !open && n <= opening && how == "call": // it cannot be opened, which whoever asks makes E0740
				case !open, told.Code != c.want:
					t.Errorf("%s %d fails with %v: %v, expected %s", how, n, result(c.code), err, c.want)
				default:
					failures[told.Code]++
				}
			}
		}
	}
	if failures[source.DeviceLost] < 4*queued || failures[source.DeviceMemory] < queued || failures[source.DeviceFailed] < queued {
		t.Errorf("%d calls gave %v", most, failures)
	}
	v.restart.Call()
	v.fail.Call(uintptr(opening-6), 1) // what the second card is asked for
	if _, err := v.open(t.Context()); err != nil {
		t.Errorf("a card beside the one that is opened: %v", err)
	}
	if r := inspect(v.libraries, numbered(v.libraries, 0, "cuda:0")); len(r.Parts) < 3 {
		t.Errorf("%+v", r)
	}
	v.restart.Call()
	if err := run(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	t.Logf("%d calls, %v", most, failures)
}
