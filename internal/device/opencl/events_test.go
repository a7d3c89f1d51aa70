package opencl

import (
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// slow adds up so many numbers as it is told.
const slow = `__kernel void slow(__global uchar *w, long w0, __global int *fault, __global float *y, long y0, long n) {
  float sum = 0;
  for (long i = 0; i < n; i++) sum = sum * 0.5f + 1;
  y[0] = sum;
}
`

// TestEvents: the time of a launch is that of its kernels, more for more work and less than the host waits.
func TestEvents(t *testing.T) {
	d := opened(t)
	object, err := d.Compile(t.Context(), &target.Module{Code: slow, Symbol: "slow"}, device.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Name: "slow", Arguments: []plan.Argument{{Name: "y"}}, Launches: []plan.Launch{{Symbol: "slow", Words: []plan.Word{{Tensor: "y"}, {Size: "n"}}}}}
	code, err := d.Load(t.Context(), object, p)
	if err != nil {
		t.Fatal(err)
	}
	y := tensor.Must(tensor.NewOn(d.Allocator(), tensor.Float32, 1))
	least := func(n int64) float64 {
		t.Helper()
		call, best := &device.Call{Block: append(make([]int64, loop.HeaderWords), 0, n), Arguments: []*tensor.Tensor{y}}, 1e9
		for range 5 {
			start := time.Now()
			seconds, err := code.(device.Timed).LaunchTimed(t.Context(), call)
			if waited := time.Since(start).Seconds(); err != nil || seconds <= 0 || seconds > waited {
				t.Fatalf("%g s of %g, %v", seconds, waited, err)
			}
			best = min(best, seconds)
		}
		return best
	}
	if short, long := least(1), least(1<<20); long < 4*short || long > 1 {
		t.Errorf("one addition takes %g s, and %d take %g", short, 1<<20, long)
	}
	if d.session.first != 0 || d.session.last != 0 || d.session.timing {
		t.Errorf("events are kept: %+v", d.session)
	}
}
