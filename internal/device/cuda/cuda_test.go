package cuda

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/library"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// A fake is the driver of testdata/driver.c.
type fake struct {
	libraries
	library *library.Library
	t       *testing.T
}

// newFake compiles it; without a C compiler the test is skipped.
func newFake(t *testing.T) *fake {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc: ", err)
	}
	path := filepath.Join(t.TempDir(), "driver.so")
	if output, err := exec.CommandContext(t.Context(), gcc, "-shared", "-fPIC", "-O1", "-o", path, "testdata/driver.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	l, err := library.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return &fake{libraries{func() (*api, error) { return openDriver(path) }, func() (*compiler, error) { return openCompiler(path) }, noClang}, l, t}
}

func noClang() (*clang, error) { return nil, errors.New("there is no clang") }

func (f *fake) call(name string, args ...uintptr) uintptr {
	f.t.Helper()
	function, err := f.library.Function("fake_" + name)
	if err != nil {
		f.t.Fatal(err)
	}
	return function.Call(args...)
}

// said is what the driver was asked since the last time.
func (f *fake) said() string {
	f.t.Helper()
	at := f.call("said")
	var b []byte
	for p := (*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))); *p != 0; p = (*byte)(unsafe.Add(unsafe.Pointer(p), 1)) {
		b = append(b, *p)
	}
	f.call("forget")
	return strings.ReplaceAll(string(b), "free\n", "") // whenever the collector finds a tensor that nobody has
}

func (f *fake) open(strict bool) *Device {
	f.t.Helper()
	d, err := numbered(f.libraries, 1, "cuda:1").Open(f.t.Context(), device.Settings{Strict: strict})
	if err != nil {
		f.t.Fatal(err)
	}
	return d.(*Device)
}

const hostText = `kernel "k" workspace 0 {
  var N int64
  buffer X float32[8] argument
  buffer Y float32[8] argument
  params X, Y, N "size N" nonnegative
  grid groups g = (N + 3) / 4 items i = 4 {
  }
}
`

// thePlan is of a kernel over N elements of X and Y, in groups of 4.
func thePlan() *plan.Plan {
	return &plan.Plan{Name: "k", Host: hostText, Arguments: []plan.Argument{{Name: "X"}, {Name: "Y"}}, Faults: []plan.Fault{{}},
		Launches: []plan.Launch{{Symbol: "k", Group: []string{"4"}, Words: []plan.Word{{Tensor: "X"}, {Tensor: "Y"}, {Size: "N"}}}}}
}

// launch runs the kernel on values, and returns the results.
func (f *fake) launch(d *Device, code device.Code, values ...float32) ([]float32, [2]int64, error) {
	f.t.Helper()
	x, err := tensor.Must(tensor.FromSlice(values, len(values))).To(d.Allocator())
	if err != nil {
		return nil, [2]int64{}, err
	}
	y := tensor.Must(tensor.NewOn(d.Allocator(), tensor.Float32, len(values)))
	f.call("forget")
	call := &device.Call{Block: append(make([]int64, loop.HeaderWords), 0, 0, int64(len(values))), Arguments: []*tensor.Tensor{x, y}}
	_, err = code.Launch(f.t.Context(), nil, call)
	if err != nil {
		return nil, call.Fault, err
	}
	list, err := tensor.ToSlice[float32](y)
	return list, call.Fault, err
}

// TestCalls: a kernel is compiled for the card, loaded and launched by the calls that the driver expects, in their order.
func TestCalls(t *testing.T) {
	f := newFake(t)
	d := f.open(true)
	object, err := d.Compile(t.Context(), &target.Module{Code: "text", Symbol: "k"}, device.CompileOptions{})
	if err != nil || string(object) != "cubin\x00" {
		t.Fatalf("%q, %v", object, err)
	}
	code, err := d.Load(t.Context(), object, thePlan())
	if err != nil {
		t.Fatal(err)
	}
	want := "retain 8\nstream\ncreate k.cu\ncompile --gpu-architecture=sm_80 --std=c++17 -w --fmad=false\ndestroy\nload cubin\nfunction k\nallocate 64\nset 64\n"
	if got := f.said(); got != want {
		t.Errorf("until the kernel is loaded:\n%sexpected\n%s", got, want)
	}
	y, _, err := f.launch(d, code, 1, 2, 3, 4, 5)
	if err != nil || len(y) != 5 || y[4] != 10 {
		t.Errorf("%v, %v", y, err)
	}
	if got, want := f.said(), "event\nrecord 0 ahead\njoin\ndestroy event\nlaunch 2 1 1, 4 1 1\nsynchronize\nread 16\nread 20\n"; got != want {
		t.Errorf("a launch:\n%sexpected\n%s", got, want)
	}
	if _, fault, err := f.launch(d, code, 1, 2, 300); !errors.Is(err, device.ErrFault) || fault != [2]int64{1, 2} {
		t.Errorf("a fault: %v, %v", fault, err)
	}
	if y, _, err := f.launch(d, code, 7); err != nil || y[0] != 14 {
		t.Errorf("after a fault: %v, %v", y, err)
	}
	f.said()
	if err := code.Close(); err != nil {
		t.Error(err)
	}
	if got := f.said(); got != "unload\n" {
		t.Errorf("closing: %q", got)
	}
}

// TestGiven: the driver is told once of what launches give a group, and each launch gives it; a card that gives less is told by name.
func TestGiven(t *testing.T) {
	f := newFake(t)
	f.call("attribute", attributeShared, 48<<10)
	f.call("attribute", attributeSharedGiven, 100<<10)
	d, p := f.open(false), thePlan()
	p.Launches[0].Dynamic = 100 << 10
	f.said()
	code, err := d.Load(t.Context(), []byte("cubin"), p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.said(), "load cubin\nfunction k\ngive 102400\nallocate 64\nset 64\n"; got != want {
		t.Errorf("until the kernel is loaded:\n%sexpected\n%s", got, want)
	}
	if takes := code.(device.Examined).Footprint(); takes.Local != 100<<10 {
		t.Errorf("a group takes %d bytes", takes.Local)
	}
	y, _, err := f.launch(d, code, 1, 2, 3)
	if err != nil || len(y) != 3 || y[2] != 6 {
		t.Errorf("%v, %v", y, err)
	}
	if got := f.said(); !strings.Contains(got, "launch 1 1 1, 4 1 1, 102400 bytes\n") || strings.Contains(got, "give") {
		t.Errorf("a launch:\n%s", got)
	}
	p.Launches[0].Dynamic++
	if _, err := d.Load(t.Context(), []byte("cubin"), p); err == nil || !strings.Contains(err.Error(), "cuda:1 has no 102401 bytes of local memory for a group of the kernel k, but 102400") {
		t.Errorf("more than the card gives: %v", err)
	}
}

// TestEvents: a launch stands between two events, which are made once, and takes what the card says.
func TestEvents(t *testing.T) {
	f := newFake(t)
	d := f.open(false)
	code, err := d.Load(t.Context(), []byte("cubin"), thePlan())
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.Must(tensor.NewOn(d.Allocator(), tensor.Float32, 5))
	call := &device.Call{Block: append(make([]int64, loop.HeaderWords), 0, 0, 5), Arguments: []*tensor.Tensor{x, x}}
	f.said()
	for _, want := range []string{"event\nrecord 0 ahead\njoin\ndestroy event\nevent\nevent\n", ""} {
		seconds, err := code.(device.Timed).LaunchTimed(t.Context(), call)
		if err != nil || seconds != 0.25 {
			t.Errorf("%g s, %v", seconds, err)
		}
		if got, want := f.said(), want+"record 1\nlaunch 2 1 1, 4 1 1\nrecord 0\nwait 0\nread 16\n"; got != want {
			t.Errorf("a launch that is timed:\n%sexpected\n%s", got, want)
		}
	}
	f.call("fail", 719)
	if _, err := code.(device.Timed).LaunchTimed(t.Context(), call); !errors.Is(err, device.ErrLost) {
		t.Errorf("a card that is lost: %v", err)
	}
}

// TestErrors: memory that does not suffice, texts and objects that are refused, cards that are not there, newer or lost.
func TestErrors(t *testing.T) {
	f := newFake(t)
	d := f.open(false)
	if _, err := d.Allocator().Allocate(1 << 21); !errors.Is(err, device.ErrNoMemory) || !strings.Contains(err.Error(), "cuda:1") {
		t.Errorf("too much memory: %v", err)
	}
	_, err := d.Compile(t.Context(), &target.Module{Code: "wrong", Symbol: "k"}, device.CompileOptions{})
	var refused *device.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the kernel k") || !strings.Contains(err.Error(), "k.cu(1): error: wrong") {
		t.Errorf("a text that is wrong: %v", err)
	}
	if _, err := d.Load(t.Context(), []byte("rubbish"), thePlan()); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_IMAGE") {
		t.Errorf("rubbish: %v", err)
	}
	other := thePlan()
	other.Launches[0].Symbol = "other"
	if _, err := d.Load(t.Context(), []byte("cubin"), other); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_NOT_FOUND") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if _, err := numbered(f.libraries, 2, "cuda:2").Open(t.Context(), device.Settings{}); err == nil || !strings.Contains(err.Error(), "cuda:2") {
		t.Errorf("a card that is not there: %v", err)
	}
	code, err := d.Load(t.Context(), []byte("cubin"), thePlan())
	if err != nil {
		t.Fatal(err)
	}
	f.call("fail", 719)
	if _, _, err := f.launch(d, code, 1); !errors.Is(err, device.ErrLost) || !strings.Contains(err.Error(), "CUDA_ERROR_LAUNCH_FAILED") {
		t.Errorf("a card that is lost: %v", err)
	}
	f.call("fail", 0)
	if _, err := d.Allocator().Allocate(64); !errors.Is(err, device.ErrLost) {
		t.Errorf("memory of a lost card: %v", err)
	}
	f.call("capability", 99)
	newer := f.open(false)
	if object, err := newer.Compile(t.Context(), &target.Module{Code: "text", Symbol: "k"}, device.CompileOptions{}); err != nil || string(object) != "ptx\x00" {
		t.Errorf("a card that the compiler does not know: %q, %v", object, err)
	}
}

// TestGivenBack: a card that nobody has any more has given back its stream and its pinned memory.
func TestGivenBack(t *testing.T) {
	f := newFake(t)
	func() {
		x, err := tensor.Must(tensor.FromSlice([]float32{1, 2}, 2)).To(f.open(false).Allocator())
		if err != nil {
			t.Fatal(err)
		}
		if n := f.call("held"); n != 2 {
			t.Errorf("%d things are held, expected a stream and a block", n)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 200 {
		if runtime.GC(); f.call("held") == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d things are held", f.call("held"))
}

// TestMissing: without a driver, or without its compiler, the error says what to install.
func TestMissing(t *testing.T) {
	f := newFake(t)
	none := func() (*compiler, error) { return openCompiler("libno-nvrtc.so") }
	l := libraries{func() (*api, error) { return openDriver("libno-cuda.so") }, f.compiler, noClang}
	if _, err := numbered(l, 0, "cuda:0").Open(t.Context(), device.Settings{}); err == nil || !strings.Contains(err.Error(), "nvidia-driver") {
		t.Errorf("no driver: %v", err)
	}
	if _, err := numbered(libraries{f.driver, none, noClang}, 0, "cuda:0").Open(t.Context(), device.Settings{}); err == nil || !strings.Contains(err.Error(), "nvrtc") {
		t.Errorf("no compiler: %v", err)
	}
	r := inspect(libraries{f.driver, none, noClang}, numbered(f.libraries, 0, "cuda"))
	if r.Usable || len(r.Missing) != 1 || len(r.Parts) != 3 || r.Parts[2].Name != "cuda:1" || !strings.Contains(r.Parts[2].Version, "sm_80") {
		t.Errorf("%+v", r)
	}
}

// TestClangInstead: without NVRTC clang makes PTX, of the newest architecture that it and the card know, with the mode's contractions; what it refuses, and
// functions that it does not have, are errors that say so.
func TestClangInstead(t *testing.T) {
	f := newFake(t)
	if _, err := findClang(); err != nil {
		t.Skip(err)
	}
	none := func() (*compiler, error) { return openCompiler("libno-nvrtc.so") }
	l := libraries{f.driver, none, findClang}
	open := func(strict bool) device.Device {
		t.Helper()
		d, err := numbered(l, 1, "cuda:1").Open(t.Context(), device.Settings{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	text := "extern \"C\" __global__ void k(unsigned char *w, int *fault, const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] * y[threadIdx.x] + WHAT; }"
	ptx := func(d device.Device, what string) (string, error) {
		object, err := d.Compile(t.Context(), &target.Module{Code: strings.ReplaceAll(text, "WHAT", what), Symbol: "k"}, device.CompileOptions{TempDir: t.TempDir(), ReproducerDir: t.TempDir()})
		return string(object), err
	}
	fused, err := ptx(open(false), "1.0f")
	if err != nil || !strings.Contains(fused, ".target sm_80") || !strings.Contains(fused, "fma.rn.f32") {
		t.Errorf("%v\n%s", err, fused)
	}
	strict := open(true)
	if apart, err := ptx(strict, "1.0f"); err != nil || strings.Contains(apart, "fma") {
		t.Errorf("strict: %v\n%s", err, apart)
	}
	if !strings.Contains(strict.Maker(), "clang") || strict.Identity() == open(false).Identity() {
		t.Errorf("it is made by %s", strict.Maker())
	}
	if _, err := ptx(strict, "nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a name that is not there: %v", err)
	}
	if _, err := ptx(strict, "sinf(x[0])"); err == nil || !strings.Contains(err.Error(), "E0741") || !strings.Contains(err.Error(), "sinf") {
		t.Errorf("a function of NVIDIA's library: %v", err)
	}
	if _, err := strict.Load(t.Context(), []byte(fused), thePlan()); err != nil {
		t.Errorf("PTX is not loaded: %v", err)
	}
	r := inspect(l, numbered(l, 0, "cuda"))
	if !r.Usable || len(r.Missing) != 0 || r.Parts[len(r.Parts)-1].Name != "clang" {
		t.Errorf("%+v", r)
	}
}
