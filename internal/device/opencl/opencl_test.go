package opencl

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMemory: memory begins as zeros, is copied in both directions, and has addresses that do not overlap.
func TestMemory(t *testing.T) {
	d := opened(t)
	a := d.Allocator()
	x := tensor.Must(tensor.NewOn(a, tensor.Float32, 3, 5))
	y := tensor.Must(tensor.NewOn(a, tensor.Uint8, 1))
	if back := tensor.Must(x.ToHost()); back.Float(2, 4) != 0 || x.Device() != "opencl" || !a.Owns(x.Memory()) {
		t.Errorf("new memory on %s holds %v", x.Device(), back)
	}
	if low, high := x.Address(), x.Address()+uintptr(x.Memory().Bytes()); y.Address() >= low && y.Address() < high || low%tensor.Alignment != 0 {
		t.Errorf("two memories are at %#x and %#x", x.Address(), y.Address())
	}
	if err := tensor.Must(x.Select(1, 2)).CopyFrom(tensor.Must(tensor.FromSlice([]float32{1, 2, 3}, 3))); err != nil {
		t.Fatal(err)
	}
	if got := x.String(); !strings.Contains(got, "[0. 0. 2. 0. 0.]") {
		t.Errorf("a column that was written: %s", got)
	}
	other := opened(t)
	if other.Allocator().Owns(x.Memory()) {
		t.Error("another session owns the memory")
	}
	beside, err := Driver().Open(t.Context(), device.Settings{Beside: d})
	if err != nil || !beside.Allocator().Owns(x.Memory()) {
		t.Errorf("a device beside the first one does not own its memory: %v", err)
	}
}

// TestNoMemory: more than there is is an error that is known.
func TestNoMemory(t *testing.T) {
	d := opened(t)
	_, err := d.Allocator().Allocate(1 << 60)
	if !errors.Is(err, device.ErrNoMemory) {
		t.Errorf("2⁶⁰ bytes: %v", err)
	}
	if m, err := d.Allocator().Allocate(64); err != nil || m.Close() != nil {
		t.Errorf("64 bytes after that: %v", err)
	}
}

// TestRefused: the compiler's log comes with the name of the kernel, and what is no object is refused.
func TestRefused(t *testing.T) {
	d := opened(t)
	_, err := d.Compile(t.Context(), &target.Module{Code: "__kernel void broken(__global int *x) { x[0] = no_such_name; }", Symbol: "broken"}, device.CompileOptions{})
	var refused *device.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the kernel broken") || !strings.Contains(err.Error(), "no_such_name") {
		t.Errorf("a kernel that is wrong: %v", err)
	}
	p := &plan.Plan{Name: "p", Launches: []plan.Launch{{Symbol: "nobody"}}}
	for _, object := range []string{"", "rubbish", binaryObject + "rubbish", sourceObject + "__kernel void other(void) {}"} {
		if _, err := d.Load(t.Context(), []byte(object), p); err == nil {
			t.Errorf("%q is loaded", object)
		}
	}
}

// TestNumbers: a device that no driver tells of is refused, and so is one without float64 for a kernel that has it.
func TestNumbers(t *testing.T) {
	d := opened(t)
	if _, err := Unit(9999).Open(t.Context(), device.Settings{}); err == nil || !strings.Contains(err.Error(), "opencl:9999") {
		t.Errorf("device 9999: %v", err)
	}
	narrow := *d.session.found
	narrow.double = false
	session := session{found: &narrow, handles: d.session.handles}
	less := &Device{row: d.row, session: &session}
	_, err := less.Compile(t.Context(), &target.Module{Code: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"}, device.CompileOptions{})
	var list source.ErrorList
	if !errors.As(err, &list) || list[0].Code != source.NotExpressed || !strings.Contains(err.Error(), "float64") {
		t.Errorf("a device without float64: %v", err)
	}
}

// TestLost: after an error that says so nothing is asked of the device any more.
func TestLost(t *testing.T) {
	d := opened(t)
	m, err := d.Allocator().Allocate(64)
	if err != nil {
		t.Fatal(err)
	}
	queue := d.session.handles.queue
	d.session.handles.queue = 0 // as if the driver had lost it
	defer func() { d.session.handles.queue = queue }()
	err = m.Write(0, []byte{1})
	if !errors.Is(err, device.ErrLost) || !strings.Contains(err.Error(), "CL_INVALID_COMMAND_QUEUE") {
		t.Errorf("an invalid queue: %v", err)
	}
	if err := m.Write(0, []byte{1}); !errors.Is(err, device.ErrLost) {
		t.Errorf("a copy to a lost device: %v", err)
	}
	if _, err := d.Allocator().Allocate(64); !errors.Is(err, device.ErrLost) {
		t.Errorf("memory of a lost device: %v", err)
	}
}

// TestMachine: the machine of a device runs grids, and there is one where there is no device.
func TestMachine(t *testing.T) {
	for _, number := range []int{0, 9999} {
		if p, err := describe(number).Scheduled(); err != nil || p.Grid == nil {
			t.Errorf("device %d: %+v, %v", number, p, err)
		}
	}
}
