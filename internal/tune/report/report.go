// Package report writes what a tuning run found as one HTML page.
package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune"

	_ "embed"
)

// How it works
//
// The page is one file without any reference to another one: style and drawings
// (chart.go) are inside. It says first how much was won, then how the search went,
// which parameters mattered (effect.go), and what the best configuration is. Colours
// are variables of the style with a dark and a light set; paper gets the light one.

// A Page is what is to be told.
type Page struct {
	Title    string // the function and its sizes
	Command  string // how to repeat the run
	Facts    []Fact // about the run: strategy, seed, sizes
	Machine  []Fact
	Space    *space.Space
	Outcome  *tune.Outcome
	Verdict  Verdict
	Default  string // the text of the default schedule; may be empty
	Kept     string // the text of the one that is used from now on; may be empty
	Cause    func(error) string
	Finished time.Time
}

// A Verdict is how the search ended. Times of the search itself are from different
// moments of the machine, so that only the race at the end decides.
type Verdict struct {
	Raced bool // the best candidates ran by turns with the default at the end
	Tuned bool // one of them is kept, not the default
	// Default, Best and Rival are the seconds of the default, of the schedule that is
	// kept, and of the fastest other one in the race (0: there was none).
	Default, Best, Rival float64
}

// text says what the times on top of the page are worth.
func (v Verdict) text() string {
	switch {
	case v.Raced && v.Tuned:
		return "These are times of the race at the end, in which the best candidates ran by turns with the default. Its winner is kept."
	case v.Raced && v.Rival > 0:
		return "At the end the best candidates ran by turns with the default. None was faster by more than the noise (the fastest took " + micros(v.Rival) + "), so the default stays."
	case v.Raced:
		return "At the end no candidate ran by turns with the default, so the default stays."
	case v.Tuned:
		return "These are times of the search: there was no race with the default at its end. The best candidate was clearly faster and is kept."
	}
	return "These are times of the search: there was no race with the default at its end, so the default stays."
}

// A Fact is a name with a value.
type Fact struct{ Name, Value string }

//go:embed page.html
var pageText string

// view is what the template shows.
type view struct {
	*Page
	Speedup              string
	Best, Default        string // seconds, for people
	Measured, Worked     int
	ByEvaluation, ByTime template.HTML
	Effects              []effect
	Permutations         int
	Configuration        []choice
	Fastest              []row
	Failures             []failure
	KeptText             string
	DefaultText          string
	VerdictText          string
}

// choice is a parameter with its value in the default and in the best candidate.
type choice struct {
	Name, Default, Best string
	Changed             bool
}

// row is a line of the table of the fastest candidates.
type row struct {
	Rank            int
	Seconds, Choice string
	Note            string
}

// failure is a cause with how often it ended a candidate.
type failure struct {
	Cause, Example string
	Count          int
}

// Write writes the page. The outcome must have a best candidate.
func Write(w io.Writer, p *Page) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	o := p.Outcome
	v := view{Page: p, Best: micros(o.Best.Seconds), Default: "–", Speedup: "–", KeptText: p.Kept, DefaultText: p.Default, VerdictText: p.Verdict.text(), Permutations: permutations}
	if r := p.Verdict; r.Raced {
		v.Best, v.Default, v.Speedup = micros(r.Best), micros(r.Default), fmt.Sprintf("%.2f×", r.Default/r.Best)
	} else if o.Default != nil && !o.Default.Failed() {
		v.Default = micros(o.Default.Seconds)
		v.Speedup = fmt.Sprintf("%.2f×", o.Default.Seconds/o.Best.Seconds)
	}
	for _, m := range o.Measurements {
		if !m.Pruned {
			v.Measured++
			if !m.Failed() {
				v.Worked++
			}
		}
	}
	v.ByEvaluation, v.ByTime = curves(o)
	v.Effects = effects(p.Space, o.Measurements)
	v.Configuration = configuration(p.Space, o)
	v.Fastest = fastest(p.Space, o)
	v.Failures = failures(p)
	return t.Execute(w, v)
}

// configuration compares the default with the best candidate.
func configuration(s *space.Space, o *tune.Outcome) []choice {
	var list []choice
	for i, name := range s.Names() {
		c := choice{Name: name, Default: "–", Best: s.ValueText(i, o.Best.Point[i])}
		if o.Default != nil {
			c.Default = s.ValueText(i, o.Default.Point[i])
			c.Changed = c.Default != c.Best
		}
		list = append(list, c)
	}
	return list
}

// fastest lists the best candidates.
func fastest(s *space.Space, o *tune.Outcome) []row {
	const most = 10
	var worked []*tune.Measurement
	for i := range o.Measurements {
		if m := &o.Measurements[i]; !m.Failed() {
			worked = append(worked, m)
		}
	}
	slices.SortStableFunc(worked, func(a, b *tune.Measurement) int { return cmp.Compare(a.Seconds, b.Seconds) })
	var list []row
	for i, m := range worked[:min(most, len(worked))] {
		r := row{Rank: i + 1, Seconds: micros(m.Seconds), Choice: s.Text(m.Point)}
		switch {
		case o.Default != nil && s.Key(m.Point) == s.Key(o.Default.Point):
			r.Note = "the default"
		case m.Earlier:
			r.Note = "earlier run"
		case m.Seed:
			r.Note = "seed"
		}
		list = append(list, r)
	}
	return list
}

// failures counts the failed candidates by their cause.
func failures(p *Page) []failure {
	var list []failure
	for _, m := range p.Outcome.Measurements {
		if m.Err == nil {
			continue
		}
		cause := firstLine(m.Err.Error())
		if p.Cause != nil {
			cause = p.Cause(m.Err)
		}
		at := slices.IndexFunc(list, func(f failure) bool { return f.Cause == cause })
		if at < 0 {
			list = append(list, failure{Cause: cause, Example: p.Space.Text(m.Point) + ": " + firstLine(m.Err.Error())})
			at = len(list) - 1
		}
		list[at].Count++
	}
	slices.SortStableFunc(list, func(a, b failure) int { return b.Count - a.Count })
	return list
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// micros writes seconds as microseconds.
func micros(seconds float64) string {
	if us := seconds * 1e6; us < 10 {
		return fmt.Sprintf("%.3f µs", us)
	}
	return inUnit(seconds, "%.4g")
}

// tickText writes a round time without digits that say nothing.
func tickText(seconds float64) string { return inUnit(seconds, "%.3g") }

func inUnit(seconds float64, format string) string {
	us := seconds * 1e6
	switch {
	case us < 1000:
		return fmt.Sprintf(format+" µs", us)
	case us < 1e6:
		return fmt.Sprintf(format+" ms", us/1e3)
	}
	return fmt.Sprintf(format+" s", us/1e6)
}
