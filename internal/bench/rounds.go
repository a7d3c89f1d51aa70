package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/ricci-lang/ricci/internal/machine"
)

// rounds runs the contestants in turn, and measures the peaks between them; there are none of other devices than the host.
func (r *runner) rounds(ctx context.Context, list []*contestant, w *work, threads int) (*machine.Peaks, error) {
	m, err := r.rowMeter(ctx, w, threads)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	peaks, err := m.measure()
	if err != nil {
		return nil, err
	}
	round := time.Since(begun)
	for _, c := range list {
		if c.call <= slowCall { // the others have few samples
			round += max(c.call*time.Duration(c.calls), c.call) + warmTime
		}
	}
	rounds := r.Runs
	if rounds == 0 {
		rounds = min(max(int(r.Time/max(round, 1)), 5), 101)
	}
	for n := 0; r.goesOn(list, n, rounds, begun); n++ {
		r.tell(r.current + ": " + r.roundText(list, n, rounds))
		for _, c := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !r.rests(c) {
				c.sample()
			}
		}
		if peaks, err = m.measure(); err != nil {
			return nil, err
		}
	}
	return peaks, nil
}

// leastRounds are there before an interval counts: few samples may be close together by chance. fewRounds are there
// even when the time is over.
const (
	leastRounds = 5
	fewRounds   = 2
)

// level is that of the confidence intervals in results.
func (r *runner) level() float64 {
	if r.Interval != nil {
		return r.Interval.Level
	}
	return Published().Level
}

// goesOn reports whether there is another round after n, of the planned number or until all intervals are reached.
func (r *runner) goesOn(list []*contestant, n, planned int, begun time.Time) bool {
	if r.Interval == nil {
		return n < planned
	}
	if n >= fewRounds && time.Since(begun) > r.Time {
		return false
	}
	return n < leastRounds || r.widest(list) != nil
}

// widest is the contestant whose interval is not reached and the widest; nil if all are.
func (r *runner) widest(list []*contestant) *contestant {
	var widest *contestant
	most := 0.0
	for _, c := range list {
		if c.broken() || r.Interval.reached(c.samples) {
			continue
		}
		if width := halfWidth(c.samples, r.Interval.Level); widest == nil || width > most {
			widest, most = c, width
		}
	}
	return widest
}

// rests reports whether a contestant is left out in a round: it is broken, or it is slow and has all its samples. The
// others run in all rounds, since what slows the machine down meanwhile is to slow all of them.
func (r *runner) rests(c *contestant) bool {
	if r.Interval == nil {
		return c.broken() || c.enough()
	}
	return c.broken() || c.call > slowCall && len(c.samples) >= leastRounds && r.Interval.reached(c.samples)
}

// roundText says which round begins.
func (r *runner) roundText(list []*contestant, n, planned int) string {
	if r.Interval == nil {
		return fmt.Sprintf("round %d of %d", n+1, planned)
	}
	text := fmt.Sprintf("round %d", n+1)
	if c := r.widest(list); c != nil && n >= fewRounds {
		text += fmt.Sprintf(", %s within %s", c.name, percentText(halfWidth(c.samples, r.Interval.Level)))
	}
	return text
}
