package ricci_test

import (
	"context"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMatrixUnitBesideSignals runs kernels that use the matrix unit, where there is one, on
// many goroutines while signals arrive: their state is in the frames of signals, and none of
// it may get lost. Small sums of small integers are exact.
func TestMatrixUnitBesideSignals(t *testing.T) {
	const m, n, k = 70, 90, 200
	d := parse(t, `def gemm(bfloat16(M,K) A, bfloat16(K,N) B) -> (C) { C(i,j) +=! float(A(i,k)) * float(B(k,j)) }`)
	empty := func(d tensor.DType, shape ...int) *tensor.Tensor {
		x, err := tensor.New(d, shape...)
		return view(t, x, err)
	}
	a, b := empty(tensor.BFloat16, m, k), empty(tensor.BFloat16, k, n)
	for at := range a.Offsets() {
		a.SetFloatAt(at, float64(at%7-3))
	}
	for at := range b.Offsets() {
		b.SetFloatAt(at, float64(at%5-2))
	}
	kernel := compile(t, d, tensors{"A": a, "B": b}, ricci.Options{Target: ricci.C, Threads: 2})
	want := empty(tensor.Float32, m, n)
	if err := kernel.Run(context.Background(), a, b, want); err != nil {
		t.Fatal(err)
	}
	expected := floats(t, want)
	done := make(chan struct{})
	var senders, runners sync.WaitGroup
	senders.Go(func() { // what preempts goroutines
		for {
			select {
			case <-done:
				return
			default:
				_ = syscall.Kill(os.Getpid(), syscall.SIGURG)
				time.Sleep(20 * time.Microsecond)
			}
		}
	})
	for range 16 {
		runners.Go(func() {
			c := empty(tensor.Float32, m, n)
			for range 200 {
				if err := kernel.Run(context.Background(), a, b, c); err != nil {
					t.Error(err)
					return
				}
				if got := floats(t, c); !equal(got, expected) {
					t.Error("a result differs from that of the first call")
					return
				}
			}
		})
	}
	runners.Wait()
	close(done)
	senders.Wait()
}
