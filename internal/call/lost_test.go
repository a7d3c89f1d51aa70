package call

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

const twice = `def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }`

// lostCode is code of a device that is not there any more.
type lostCode struct{ device.Code }

func (lostCode) Launch(context.Context, device.Stream, *device.Call) (device.Completion, error) {
	return nil, device.Lost("test", errors.New("it was taken away"))
}

// TestLostDevice: the call that finds the device lost fails, the next one has a new kernel.
func TestLostDevice(t *testing.T) {
	d, options, x, y := parse(t, twice), onEvaluator(), array(t, 3), array(t, 3)
	run := func() error { return d.RunInto(t.Context(), nil, &options, []*tensor.Tensor{x, y}) }
	if err := run(); err != nil {
		t.Fatal(err)
	}
	for _, r := range d.memory.byKey {
		r.kernel.native.code = lostCode{r.kernel.native.code}
	}
	if err := run(); !errors.Is(err, device.ErrLost) {
		t.Errorf("the call that finds it lost: %v", err)
	}
	if err := run(); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// TestForeignArguments: arrays on other devices are refused with the way out, by every kind of call.
func TestForeignArguments(t *testing.T) {
	x, err := tensor.OnMemory(farMemory{}, tensor.Float32, 3)
	if err != nil {
		t.Fatal(err)
	}
	d, options, near, y, ctx := parse(t, twice), onEvaluator(), array(t, 3), array(t, 3), t.Context()
	k, err := d.Compile(ctx, compile.Signature{Shapes: map[string][]int{"x": {3}}}, options)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*tensor.Tensor{"x": x}
	if err := d.RunInto(ctx, nil, &options, []*tensor.Tensor{near, y}); err != nil { // later calls find its route
		t.Fatal(err)
	}
	if _, err := d.Run(ctx, tensors{"x": near}, nil, &options); err != nil {
		t.Fatal(err)
	}
	for call, run := range map[string]func() error{
		"Kernel.Run":      func() error { return k.Run(ctx, []*tensor.Tensor{x, y}) },
		"Kernel.Bind":     func() error { _, err := k.Bind([]*tensor.Tensor{near, x}); return err },
		"Kernel.RunNamed": func() error { _, err := k.RunNamed(ctx, named); return err },
		"Def.Run":         func() error { _, err := d.Run(ctx, named, nil, &options); return err },
		"Def.RunInto":     func() error { return d.RunInto(ctx, nil, &options, []*tensor.Tensor{near, x}) },
	} {
		var refused *source.Diagnostic
		if err := run(); !errors.As(err, &refused) || refused.Code != source.UnusableArgument || refused.Help == "" {
			t.Errorf("%s: %v", call, err)
		}
	}
	if s, err := d.SignatureOf(named); err != nil || s.Shapes["x"][0] != 3 {
		t.Errorf("a signature says nothing of memory: %v, %v", s, err)
	}
	if _, err := d.Evaluate(ctx, named, nil); !errors.Is(err, device.ErrLost) {
		t.Errorf("the evaluator copies arguments: %v", err)
	}
}

// farMemory is memory of a device that nobody can reach.
type farMemory struct{}

func (farMemory) Allocate(int64) (tensor.Memory, error) { return farMemory{}, nil }
func (farMemory) Device() string                        { return "far" }
func (farMemory) Bytes() int64                          { return 1 << 10 }
func (farMemory) Read(int64, []byte) error              { return device.ErrLost }
func (farMemory) Write(int64, []byte) error             { return device.ErrLost }
func (farMemory) Address() uintptr                      { return 8 }
func (farMemory) Close() error                          { return nil }

// TestLostKernel: a kernel that a program holds is lost with its device.
func TestLostKernel(t *testing.T) {
	d, x, y := parse(t, twice), array(t, 3), array(t, 3)
	k, err := d.Compile(t.Context(), compile.Signature{Shapes: map[string][]int{"x": {3}}}, onEvaluator())
	if err != nil {
		t.Fatal(err)
	}
	k.native.code = lostCode{k.native.code}
	for range 2 {
		if err := k.Run(t.Context(), []*tensor.Tensor{x, y}); !errors.Is(err, device.ErrLost) {
			t.Errorf("a kernel of a lost device: %v", err)
		}
	}
}
