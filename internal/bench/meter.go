package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// A rowMeter measures the peaks that the limit of a row depends on; nil measures nothing, as on other devices than the
// host, of which nobody knows them here.
type rowMeter struct {
	child     *child
	selection *measure.Selection
}

func (m *rowMeter) measure() (*machine.Peaks, error) {
	if m == nil {
		return nil, nil
	}
	sampled, err := m.child.ask(&request{Measure: m.selection})
	if err != nil {
		return nil, err
	}
	return sampled.Peaks, nil
}

// rowMeter selects which peaks are measured in each round: what the limit of the work mostly
// depends on, which the first measurement, of all that it may depend on, tells.
func (r *runner) rowMeter(ctx context.Context, w *work, threads int) (*rowMeter, error) {
	if !r.onHost() {
		return nil, nil
	}
	if r.peaks == nil {
		peaks, err := r.firstPeaks(ctx)
		if err != nil {
			return nil, err
		}
		r.peaks = peaks
	}
	meter, err := r.meterChild(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := meter.ask(&request{Forget: true}); err != nil {
		return nil, err
	}
	selection := &measure.Selection{Type: w.dtype, Layer: r.peaks.LayerOf(w.read+w.written, threads).Name, Bytes: w.read + w.written}
	if threads == 1 || threads == r.peaks.Threads {
		selection.Threads = threads
	}
	if r.peaks.Flops(w.dtype, threads) == r.peaks.Flops(w.dtype.Compute(), threads) {
		selection.Type = w.dtype.Compute()
	}
	sampled, err := meter.ask(&request{Measure: selection})
	if err != nil {
		return nil, err
	}
	if limit, ok := sampled.Peaks.LimitOf(w.dtype, w.operations, w.read, w.written, threads); ok && limit.IsCompute {
		selection.Layer = ""
	} else if ok {
		selection.Type = tensor.Invalid
	}
	selection.Traffic = measure.Main(w.read, w.written)
	return &rowMeter{meter, selection}, nil
}

// meterChild returns the process that measures peaks.
func (r *runner) meterChild(ctx context.Context) (*child, error) {
	const name = "meter"
	known := r.children[fmt.Sprint(name, 0)]
	c, err := r.worker(ctx, name, 0, nil)
	if err != nil || c == known {
		return c, err
	}
	options := r.Meter
	if options.Burst == 0 {
		options.Burst = burst(r.Time)
	}
	_, err = c.ask(&request{Meter: &options})
	return c, err
}

// burst is how long a sample of a peak takes beside rows of some time: who wants a result soon does not wait for exact peaks.
func burst(time time.Duration) time.Duration { return min(time/50, measure.DefaultBurst) }

// firstRounds is how often all peaks are measured before the first row that needs them.
const firstRounds = 2

// firstPeaks measures everything.
func (r *runner) firstPeaks(ctx context.Context) (*machine.Peaks, error) {
	meter, err := r.meterChild(ctx)
	if err != nil {
		return nil, err
	}
	r.tell("measuring the machine")
	var peaks *machine.Peaks
	for range firstRounds {
		a, err := meter.ask(&request{Measure: &measure.Selection{}})
		if err != nil {
			return nil, errors.Join(ctx.Err(), err)
		}
		peaks = a.Peaks
	}
	return peaks, nil
}
