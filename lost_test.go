package ricci

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// lostCode is code of a device that is not there any more.
type lostCode struct{ device.Code }

func (lostCode) Launch(context.Context, device.Stream, *device.Call) (device.Completion, error) {
	return nil, device.Lost("test", errors.New("it was taken away"))
}

// TestLostDevice: the call that finds the device lost fails, the next one has a new kernel.
func TestLostDevice(t *testing.T) {
	p, err := Parse("twice.tc", `def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }`)
	if err != nil {
		t.Fatal(err)
	}
	x, y := must(t)(tensor.New(tensor.Float32, 3)), must(t)(tensor.New(tensor.Float32, 3))
	d, ctx, options := p.defs[0], t.Context(), Options{Device: "evaluator", NoCache: true}
	run := func() error { return d.RunIntoWith(ctx, nil, options, x, y) }
	if err := run(); err != nil {
		t.Fatal(err)
	}
	for _, r := range p.kernels.byKey {
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
	p, err := Parse("twice.tc", `def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }`)
	if err != nil {
		t.Fatal(err)
	}
	x, y := must(t)(tensor.OnMemory(farMemory{}, tensor.Float32, 3)), must(t)(tensor.New(tensor.Float32, 3))
	near, d, ctx := must(t)(tensor.New(tensor.Float32, 3)), p.defs[0], t.Context()
	k, err := d.Compile(ctx, Signature{Shapes: map[string][]int{"x": {3}}}, Options{Device: "evaluator", NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*tensor.Tensor{"x": x}
	for call, run := range map[string]func() error{
		"Kernel.Run":      func() error { return k.Run(ctx, x, y) },
		"Kernel.Bind":     func() error { _, err := k.Bind(near, x); return err },
		"Kernel.RunNamed": func() error { _, err := k.RunNamed(ctx, named); return err },
		"Def.Run":         func() error { _, err := d.Run(ctx, named); return err },
		"Def.RunInto":     func() error { return d.RunInto(ctx, near, x) },
		"Def.Evaluate":    func() error { _, err := d.Evaluate(ctx, named, nil); return err },
		"Def.CompileFor":  func() error { _, err := d.CompileFor(ctx, named, Options{}); return err },
	} {
		var refused *Diagnostic
		if err := run(); !errors.As(err, &refused) || refused.Code != source.UnusableArgument || refused.Help == "" {
			t.Errorf("%s: %v", call, err)
		}
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

// must ends a test where there is an error.
func must(t *testing.T) func(*tensor.Tensor, error) *tensor.Tensor {
	return func(x *tensor.Tensor, err error) *tensor.Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}
