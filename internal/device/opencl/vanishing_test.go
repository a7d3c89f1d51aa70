package opencl

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// A failing is the functions of a driver, of which the n-th that is called fails with a code; 0 is none.
type failing struct {
	calls, at int
	code      int32
	last      string // what has failed
}

// between puts itself in front of all functions of a driver.
func (f *failing) between(real *api) *api {
	copied := *real
	fields := reflect.ValueOf(&copied).Elem()
	for i := 1; i < fields.NumField(); i++ {
		name, behind := fields.Type().Field(i).Name, library.Function(fields.Field(i).Uint())
		fields.Field(i).SetUint(uint64(purego.NewCallback(func(a, b, c, d, e, f6, g, h, i uintptr) uintptr {
			args := []uintptr{a, b, c, d, e, f6, g, h, i}
			if f.calls++; f.calls != f.at || strings.HasPrefix(name, "Release") {
				return behind.Call(args...)
			}
			f.last = name
			if at, gives := codeAt[name]; gives { // it returns what it makes, and the code by a pointer
				*(*int32)(*(*unsafe.Pointer)(unsafe.Pointer(&args[at]))) = f.code
				return 0
			}
			return uintptr(uint32(f.code))
		})))
	}
	return &copied
}

// codeAt is which argument of a function is the place of its code, where that is not its result.
var codeAt = map[string]int{"CreateContext": 5, "CreateCommandQueue": 3, "CreateBuffer": 4, "CreateProgramWithSource": 4, "CreateProgramWithBinary": 6, "CreateKernel": 2}

// doubling is a kernel over N elements of x and y.
const doubling = `__kernel void k(__global uchar *w, long wAt, __global int *fault, __global const float *x, long xAt, __global float *y, long yAt, long n) {
  const long i = get_global_id(0);
  if (i < n) y[i] = 2 * x[i];
}
`

const hostText = `kernel "k" workspace 0 {
  var N int64
  buffer X float32[8] argument
  buffer Y float32[8] argument
  params X, Y, N "size N" nonnegative
  grid groups g = (N + 3) / 4 items i = 4 {
  }
}
`

// work opens a device and does all that is done with one.
func work(ctx context.Context, f *found, object []byte) (err error) {
	d, err := openFound(Driver(), f)
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
	p := &plan.Plan{Name: "k", Host: hostText, Arguments: []plan.Argument{{Name: "X"}, {Name: "Y"}},
		Launches: []plan.Launch{{Symbol: "k", Group: []string{"4"}, Words: []plan.Word{{Tensor: "X"}, {Tensor: "Y"}, {Size: "N"}}}}}
	code, err := d.Load(ctx, object, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, code.Close()) }()
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
	if err := d.(device.Waits).Wait(ctx); err != nil {
		return err
	}
	got, err := tensor.ToSlice[float32](arrays[1])
	if err == nil && !slices.Equal(got, []float32{8, 16, 24, 32, 40, 48, 56}) {
		err = errWrongResult
	}
	return err
}

var errWrongResult = errors.New("the result is wrong")

// TestVanishing: whichever call of the driver fails, the work ends with a diagnostic: never with a wrong result, a panic, or not at all.
func TestVanishing(t *testing.T) {
	list, err := find()
	if err != nil {
		t.Skip(err)
	}
	d, err := openFound(Driver(), list[0])
	if err != nil {
		t.Skip(err)
	}
	object, err := d.Compile(t.Context(), &target.Module{Code: doubling, Symbol: "k"}, device.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := &failing{}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it gives things back, by calls of the driver
	broken := *list[0]
	broken.api = f.between(list[0].api)
	run := func(at int, code int32) error {
		f.calls, f.at, f.code, f.last = 0, at, code, ""
		done := make(chan error, 1)
		go func() { done <- work(t.Context(), &broken, object) }()
		select {
		case err := <-done:
			return err
		case <-time.After(20 * time.Second):
			return errors.New("there is no end")
		}
	}
	if err := run(0, 0); err != nil {
		t.Fatal(err)
	}
	most, failures := f.calls, map[source.Code]int{}
	for _, c := range []struct {
		code int32
		want source.Code
	}{{-30, source.DeviceFailed}, {-4, source.DeviceMemory}, {-5, source.DeviceLost}, {-36, source.DeviceLost}} {
		for n := 1; n <= most; n++ {
			err := run(n, c.code)
			var told *source.Diagnostic
			switch open := errors.As(err, &told); {
			case f.last == "" && err == nil, err == nil && f.last == "GetProgramBuildInfo": // nothing has failed, or nobody has asked for it
			case err == nil, errors.Is(err, errWrongResult):
				t.Errorf("%s, call %d, fails with %v: %v", f.last, n, status(c.code), err)
			case !open && (f.last == "CreateContext" || f.last == "CreateCommandQueue" && strings.Contains(err.Error(), "opening")): // E0740 of whoever opens it
			case !open, told.Code != c.want:
				t.Errorf("%s, call %d, fails with %v: %v, expected %s", f.last, n, status(c.code), err, c.want)
			default:
				failures[told.Code]++
			}
		}
	}
	if most < 40 || failures[source.DeviceLost] < most || failures[source.DeviceMemory] < most/2 || failures[source.DeviceFailed] < most/2 {
		t.Errorf("%d calls gave %v", most, failures)
	}
	if err := run(0, 0); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	t.Logf("%d calls, %v", most, failures)
}
