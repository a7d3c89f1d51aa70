package tune

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/tune/trial"
)

// How time is spent
//
// A limit of time is for the whole of Run: the default's compilation and check, the
// seeds, the search, and the last race. The race is what makes the outcome certain, so
// the search ends early enough for it. How long it takes is foreseen from the default,
// which was compiled and measured in the same way; the race takes fewer candidates if
// the search has left less time, and its rounds watch the clock themselves.
//
// On a busy machine the default may have taken most of the time, and what is foreseen
// from it is too much. So the race is promised half of what is left at most, one with
// a single candidate is tried whatever is foreseen, and the search goes on beyond its
// end until it has measured a candidate: the next search knows it.

// A budget is a limit of time, and what the steps cost.
type budget struct {
	now      func() time.Time
	start    time.Time
	limit    time.Duration // 0 means none
	built    time.Duration // what compiling the default took
	measured time.Duration // what checking and measuring it took
}

// closing is what it takes to store the outcome and to remove the files, as a part of the
// limit; it is at most longestClosing.
const (
	closing        = 0.02
	longestClosing = time.Second
)

// deadline is when Run has to end; zero without a limit.
func (b *budget) deadline() time.Time {
	if b.limit == 0 {
		return time.Time{}
	}
	return b.start.Add(b.limit - min(longestClosing, time.Duration(closing*float64(b.limit))))
}

// The cost of a race: its rounds take about as long as the measurement of each
// candidate, and some candidates are slower than the default.
const raceFactor = 1.5

// race foresees how long a race of so many schedules takes, some of which have to be
// compiled.
func (b *budget) race(schedules, toBuild int) time.Duration {
	procs := runtime.GOMAXPROCS(0)
	compile := time.Duration((toBuild+procs-1)/procs) * b.built
	return compile + time.Duration(raceFactor*float64(schedules)*float64(b.measured))
}

// leastSearch is the part of the time left after the default that the search has at
// least.
const leastSearch = 0.5

// What a race has at least: a part of the limit, up to a time. Small kernels are measured so fast
// that what else comes behind the search (a candidate that is still being measured, a worker that
// starts again, a busy machine) is not foreseen from the default. One compilation is foreseen, too:
// the winner of an earlier search is not built yet.
const (
	leastRace      = 0.1
	longestReserve = 2 * time.Second
)

// search is when the search has to end, so that a race fits behind it; zero without a
// limit.
func (b *budget) search() time.Time {
	end, now := b.deadline(), b.now()
	if end.IsZero() {
		return end
	}
	part := time.Duration((1 - leastSearch) * float64(end.Sub(now)))
	reserve := max(b.race(1+finalists, 1), min(longestReserve, time.Duration(leastRace*float64(b.limit))))
	return end.Add(-max(0, min(reserve, part)))
}

// over reports whether a time has come; zero never does.
func (b *budget) over(end time.Time) bool { return !end.IsZero() && !b.now().Before(end) }

// fits reports whether a race of some schedules can end in time.
func (b *budget) fits(schedules, toBuild int) bool {
	end := b.deadline()
	return end.IsZero() || !b.now().Add(b.race(schedules, toBuild)).After(end)
}

// endOfBuilding is when those schedules of a race that are not compiled by then have to stay away,
// so that the others race: compiling may take longer than was foreseen.
func (b *budget) endOfBuilding(end time.Time, schedules int) time.Time {
	return end.Add(-min(b.race(schedules, 0), end.Sub(b.now())/2))
}

// short reports whether compiling so many candidates with each compiler takes a large
// part of the time until the search ends.
func (b *budget) short(end time.Time, candidates int) bool {
	return !end.IsZero() && b.now().Add(4*time.Duration(candidates)*b.built).After(end)
}

// until limits a context to a time; zero is none.
func until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end)
}

// A shelf keeps the fastest candidates of a search built, for the last race.
type shelf struct {
	list []shelved // fastest first
	drop func(*trial.Candidate)
}

type shelved struct {
	text      string
	seconds   float64
	candidate *trial.Candidate
}

// put keeps a candidate as long as it is among the fastest.
func (s *shelf) put(text string, seconds float64, c *trial.Candidate) {
	at := 0
	for at < len(s.list) && s.list[at].seconds <= seconds {
		at++
	}
	s.list = slices.Insert(s.list, at, shelved{text, seconds, c})
	if last := len(s.list) - 1; last >= finalists {
		s.drop(s.list[last].candidate)
		s.list = s.list[:last]
	}
}

// get returns the candidate of a schedule, if it is there.
func (s *shelf) get(text string) *trial.Candidate {
	for _, k := range s.list {
		if k.text == text {
			return k.candidate
		}
	}
	return nil
}
