package ricci

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

func TestKernelMemory(t *testing.T) {
	p, err := Parse("copy.tc", `def copy(float(N) A) -> (B) { B(i) = A(i) }`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	run := func(n int) error {
		a, err := tensor.New(tensor.Float32, n)
		if err != nil {
			return err
		}
		_, err = p.defs[0].RunWith(ctx, map[string]*tensor.Tensor{"A": a}, nil, Options{Target: Eval})
		return err
	}
	for n := range 2 * rememberedKernels {
		if err := run(n + 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.kernels.byKey); n != rememberedKernels {
		t.Errorf("%d kernels are remembered", n)
	}
	// A failure is not remembered, and a caller that gives up does not fail the
	// others that wait for the same kernel.
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	started, compile := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := p.kernels.get(cancelled, "key", func() (*Kernel, error) {
			close(started)
			<-compile
			return nil, cancelled.Err()
		})
		first <- err
	}()
	<-started
	second := make(chan error)
	go func() {
		_, err := p.kernels.get(ctx, "key", func() (*Kernel, error) {
			return p.defs[0].Compile(ctx, Signature{Shapes: map[string][]int{"A": {3}}}, Options{Target: Eval})
		})
		second <- err
	}()
	close(compile)
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second caller: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := run(1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed program: %v", err)
	}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		distinct       bool
		low, high      uintptr // for elements of 4 bytes
	}{
		{nil, nil, true, 0, 4},
		{[]int{2, 3}, []int{3, 1}, true, 0, 24},
		{[]int{2, 3}, []int{1, 2}, true, 0, 24},
		{[]int{2, 3}, []int{-3, 1}, true, 12, 12},
		{[]int{2, 3}, []int{0, 1}, false, 0, 12},
		{[]int{2, 3}, []int{1, 1}, false, 0, 16},
		{[]int{1, 3}, []int{0, 1}, true, 0, 12},
		{[]int{0, 3}, []int{0, 0}, true, 0, 0},
		{[]int{3, 4}, []int{20, 2}, true, 0, 188},
	} {
		if got := distinct(c.shape, c.strides); got != c.distinct {
			t.Errorf("%v %v: distinct is %v", c.shape, c.strides, got)
		}
		if low, high := span(tensor.Float32, c.shape, c.strides); low != c.low || high != c.high {
			t.Errorf("%v %v: span is %d, %d", c.shape, c.strides, low, high)
		}
	}
}
