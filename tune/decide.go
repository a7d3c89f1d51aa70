package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/schedule"
	search "github.com/ricci-lang/ricci/internal/tune"
	"github.com/ricci-lang/ricci/internal/tune/report"
	strategies "github.com/ricci-lang/ricci/internal/tune/search"
	"github.com/ricci-lang/ricci/internal/tune/trial"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// The last step: how many candidates meet the default again, and in how many
// rounds. After an interrupt there is little time.
const (
	finalists         = 4
	rounds            = 12
	leastRounds       = 3
	hurriedPatience   = 1500 * time.Millisecond
	thoroughPatience  = time.Minute
	hurriedCandidates = 2
)

// A finalist is a schedule that may become the winner.
type finalist struct {
	tree  *schedule.Tree
	text  string // in canonical names
	point string
	// seconds is the time that this search, or an earlier one, measured; 0 for others.
	seconds float64
	earlier bool
}

// decide lets the best candidates and the default run by turns, and stores the
// winner.
func (r *run) decide(ctx context.Context, found *search.Outcome) (*Outcome, error) {
	store := tuned.In(r.tuning.Cache)
	list := r.finalists(found, store, finalists)
	standings, raced := r.race(ctx, list)
	timings, errs := standings.Timings, standings.Errs
	best := 0
	switch {
	case raced:
		best = chosen(timings, errs)
	case ctx.Err() != nil:
		best = r.unraced(list)
	}
	o := r.outcome(found)
	o.Default, o.Seconds, o.Raced, o.Rivals = r.byDefault.Least, r.byDefault.Least, raced, len(list)-1
	if raced {
		o.Default, o.Seconds = timings[0].Least, timings[0].Least
		o.Rival, o.Claimed = rival(list, timings, errs)
	}
	o.Schedule, o.Takes = schedule.Print(list[best].tree), r.takes[list[best].text]
	if best > 0 {
		o.Tuned, o.Seconds, o.Point = true, list[best].seconds, list[best].point
		if raced {
			o.Seconds = timings[best].Least
		}
	}
	if err := r.report(found, o); err != nil {
		return nil, err
	}
	if best == 0 {
		if raced && ctx.Err() == nil && !r.absent(store, list, errs) { // an earlier winner has lost
			if err := store.Remove(r.tuning.Configuration); err != nil {
				return nil, err
			}
		}
		return o, r.session.End(context.WithoutCancel(ctx), o.Stopped)
	}
	err := store.Put(&tuned.Schedule{
		Name: r.tuning.Name, Configuration: *r.tuning.Configuration, Tree: list[best].text, Seconds: o.Seconds, Default: o.Default,
		Space: r.space.name, Point: list[best].point, Created: time.Now(),
	})
	if err != nil {
		return nil, err
	}
	return o, r.session.End(context.WithoutCancel(ctx), o.Stopped)
}

// race lets finalists run by turns, as many of them as there is time for. It reports
// false when they had too few turns to tell.
func (r *run) race(ctx context.Context, list []finalist) (trial.Standings, bool) {
	limit := trial.RaceLimit{Rounds: rounds, Until: r.budget.deadline()}
	patience := r.budget.now().Add(thoroughPatience)
	if ctx.Err() != nil {
		limit.Rounds, patience = leastRounds, r.budget.now().Add(hurriedPatience)
		list = list[:min(len(list), 1+hurriedCandidates)]
	}
	if limit.Until.IsZero() || patience.Before(limit.Until) {
		limit.Until = patience
	}
	for ctx.Err() == nil && len(list) > 2 && !r.budget.fits(len(list), r.toBuild(list)) {
		list = list[:len(list)-1]
	}
	if len(list) < 2 || ctx.Err() == nil && r.budget.over(r.budget.deadline()) {
		return trial.Standings{}, false
	}
	limited, cancel := until(context.WithoutCancel(ctx), limit.Until)
	defer cancel()
	building, stop := until(limited, r.budget.endOfBuilding(limit.Until, len(list)))
	candidates := r.built(building, list)
	stop()
	s := r.runner.Race(limited, candidates, limit)
	return s, s.Errs[0] == nil && s.Rounds >= leastRounds && slices.Contains(s.Errs[1:], nil)
}

// absent reports whether the winner of an earlier run was not in the race, for want of time.
func (r *run) absent(store *tuned.Store, list []finalist, errs []error) bool {
	old, err := store.Get(r.tuning.Configuration)
	if err != nil || old == nil {
		return false
	}
	i := slices.IndexFunc(list, func(f finalist) bool { return f.text == old.Tree })
	return i > 0 && errs[i] != nil && trial.FailureOf(errs[i]) == ""
}

// toBuild counts the finalists that are not on the shelf.
func (r *run) toBuild(list []finalist) int {
	n := 0
	for _, f := range list[1:] {
		if r.shelf.get(f.text) == nil {
			n++
		}
	}
	return n
}

// built returns the candidates of finalists, the default first.
func (r *run) built(ctx context.Context, list []finalist) []*trial.Candidate {
	candidates := []*trial.Candidate{r.standard}
	var missing []*schedule.Tree
	for _, f := range list[1:] {
		c := r.shelf.get(f.text)
		if c == nil {
			missing = append(missing, f.tree)
		}
		candidates = append(candidates, c)
	}
	made := r.runner.Build(ctx, missing)
	for i, c := range candidates {
		if c == nil {
			candidates[i], made = made[0], made[1:]
		}
	}
	return candidates
}

// finalists lists the default, an earlier winner and one of another version, and the best of the search.
func (r *run) finalists(found *search.Outcome, store *tuned.Store, most int) []finalist {
	list := []finalist{{tree: r.tuning.Default}}
	list[0].text, _ = r.tuning.Canonical(r.tuning.Default) // baseline has done it before
	add := func(f finalist) {
		if !slices.ContainsFunc(list, func(o finalist) bool { return o.text == f.text }) {
			list = append(list, f)
		}
	}
	if old, err := store.Get(r.tuning.Configuration); err == nil && old != nil {
		if tree, err := r.tuning.Named(old.Tree); err == nil {
			add(finalist{tree: tree, text: old.Tree, point: old.Point})
		}
	}
	for _, other := range store.Others(r.tuning.Configuration) {
		if tree, err := r.tuning.Named(other.Tree); err == nil { // the newest that still fits
			add(finalist{tree: tree, text: other.Tree, point: other.Point})
			break
		}
	}
	measured := slices.DeleteFunc(slices.Clone(found.Measurements), func(m search.Measurement) bool { return m.Failed() })
	slices.SortStableFunc(measured, func(a, b search.Measurement) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	for _, m := range measured {
		if len(list) > most {
			break
		}
		if p := r.propose(m.Point); p.err == nil {
			add(finalist{p.tree, p.text, r.space.points.Text(m.Point), m.Seconds, m.Earlier})
		}
	}
	return list
}

// significant is how much faster than the default a schedule has to be at least:
// what is within the noise is not worth another kernel.
const significant = 0.98

// chosen returns the number of the winner; that of the default is 0. A winner is
// faster than the default by both the least and the median time, and the fastest by
// the least time of those that are.
func chosen(timings []trial.Timing, errs []error) int {
	best := 0
	if errs[0] != nil {
		return best // without the default there is nothing to compare with
	}
	for i := 1; i < len(timings); i++ {
		faster := timings[i].Least < significant*timings[0].Least && timings[i].Median < significant*timings[0].Median
		if errs[i] == nil && faster && (best == 0 || timings[i].Least < timings[best].Least) {
			best = i
		}
	}
	return best
}

// rival returns the least time of the best other schedule in a race, and what the search
// had measured for it.
func rival(list []finalist, timings []trial.Timing, errs []error) (seconds, claimed float64) {
	for i := 1; i < len(timings); i++ {
		if errs[i] == nil && (seconds == 0 || timings[i].Least < seconds) {
			seconds, claimed = timings[i].Least, list[i].seconds
		}
	}
	return seconds, claimed
}

// clear is how much faster than the default a schedule has to be when the two did
// not run by turns.
const clear = 0.9

// unraced returns the number of the winner by what this search measured, when an
// interrupt leaves no time for a race. Where the limit of time leaves none the default stays:
// what was measured is known to the next search.
func (r *run) unraced(list []finalist) int {
	best := 0
	for i, f := range list {
		if !f.earlier && f.seconds > 0 && f.seconds < clear*r.byDefault.Least && (best == 0 || f.seconds < list[best].seconds) {
			best = i
		}
	}
	return best
}

// outcome describes the search.
func (r *run) outcome(found *search.Outcome) *Outcome {
	return &Outcome{
		Name: r.tuning.Name, Space: r.space.name, Points: r.space.points.Count(), Evaluated: found.Evaluations - found.Resumed, Earlier: r.earlierCount, Pruned: found.Pruned, Failures: r.failures, Spilling: r.spilling,
		Warnings: r.warnings, Stopped: string(found.Stopped), Elapsed: r.budget.now().Sub(r.budget.start).Seconds(), Reference: r.runner.Reference().Name,
	}
}

// report writes the page about the search, if it is wanted and there is something
// to show.
func (r *run) report(found *search.Outcome, o *Outcome) error {
	if r.options.Report == nil {
		return nil
	}
	if !slices.ContainsFunc(found.Measurements, func(m search.Measurement) bool { return !m.Failed() }) {
		r.warnings = append(r.warnings, "there is no report, because no candidate worked")
		o.Warnings = r.warnings
		return nil
	}
	shown := *found // the point nearest to the default need not be the default
	shown.Default = &search.Measurement{Point: r.space.origin, Result: search.Result{Seconds: r.byDefault.Least}}
	c := r.tuning.Configuration
	strategy := r.options.Strategy
	if strategy == "" {
		strategy = strategies.DefaultName
	}
	page := &report.Page{
		Title: r.tuning.Name, Command: r.options.Command, Space: r.space.points, Outcome: &shown,
		Facts: []report.Fact{
			{Name: "Strategy", Value: strategy}, {Name: "Seed", Value: fmt.Sprint(r.options.Seed)}, {Name: "Space", Value: fmt.Sprintf("%s, %s points", r.space.name, r.space.points.Count())},
			{Name: "Results checked against", Value: o.Reference}, {Name: "Stopped", Value: o.Stopped},
		},
		Machine: []report.Fact{{Name: "Machine", Value: c.Machine}, {Name: "Compiler", Value: c.Compiler}},
		Verdict: report.Verdict{Raced: o.Raced, Tuned: o.Tuned, Default: o.Default, Best: o.Seconds, Rival: o.Rival},
		Default: schedule.Print(r.tuning.Default), Kept: o.Schedule, Finished: time.Now(),
		Cause: func(err error) string { return string(trial.FailureOf(err)) },
	}
	if takes := o.TakesText(); takes != "" {
		page.Facts = append(page.Facts, report.Fact{Name: "The kernel takes", Value: takes})
	}
	return report.Write(r.options.Report, page)
}
