package call

import (
	"context"
	"errors"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
)

func TestKernelMemory(t *testing.T) {
	d := parse(t, `def copy(float(N) A) -> (B) { B(i) = A(i) }`)
	ctx, options := context.Background(), Options{Options: compile.Options{Target: compile.Eval}}
	call := func(n int) error {
		_, err := d.Run(ctx, tensors{"A": array(t, n)}, nil, &options)
		return err
	}
	for n := range 2 * rememberedKernels {
		if err := call(n + 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(d.memory.byKey); n != rememberedKernels {
		t.Errorf("%d kernels are remembered", n)
	}
	// A failure is not remembered, and a caller that gives up does not fail the
	// others that wait for the same kernel.
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	started, proceed := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := d.memory.get(cancelled, "key", func() (*Kernel, error) {
			close(started)
			<-proceed
			return nil, cancelled.Err()
		})
		first <- err
	}()
	<-started
	second := make(chan error)
	go func() {
		_, err := d.memory.get(ctx, "key", func() (*Kernel, error) {
			return d.Compile(ctx, compile.Signature{Shapes: map[string][]int{"A": {3}}}, options)
		})
		second <- err
	}()
	close(proceed)
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second caller: %v", err)
	}
	if err := d.memory.Close(); err != nil {
		t.Error(err)
	}
	if err := call(1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed program: %v", err)
	}
}

// The kernel that was not called for longest goes, whichever was called again and again.
func TestOldestKernel(t *testing.T) {
	m := NewMemory()
	first, _ := m.entry("first")
	second, _ := m.entry("second")
	for range 3 {
		m.touch(first)
	}
	if m.oldest() != second {
		t.Error("the first one was called last")
	}
	m.touch(second)
	if m.oldest() != first {
		t.Error("the second one was called last")
	}
}
