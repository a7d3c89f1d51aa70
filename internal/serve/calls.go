package serve

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
	"github.com/ricci-lang/ricci/tune"
)

// A callRequest is a def with arrays.
type callRequest struct {
	def
	Inputs  map[string]array `json:"inputs"`
	Outputs map[string]array `json:"outputs"`
}

// arrays reads the inputs, and the values of in-outs.
func (c *callRequest) arrays(d *ricci.Def, from map[string]array) (map[string]*tensor.Tensor, error) {
	types := map[string]tensor.DType{}
	for _, p := range append(d.Inputs(), d.Outputs()...) {
		types[p.Name] = p.DType
	}
	args := map[string]*tensor.Tensor{}
	for name, a := range from {
		declared, known := types[name]
		if !known {
			return nil, refusef("%s has no argument %s", d.Name(), name)
		}
		t, err := a.read(name, declared)
		if err != nil {
			return nil, err
		}
		args[name] = t
	}
	return args, nil
}

// begin reads the def, its options and its inputs.
func (c *callRequest) begin(j *job) (d *ricci.Def, options ricci.Options, args map[string]*tensor.Tensor, err error) {
	if len(c.Arguments) > 0 {
		return nil, options, nil, refusef("arrays are given as inputs, not as arguments")
	}
	if d, err = c.find(j); err != nil {
		return nil, options, nil, err
	}
	if options, err = c.Options.compiling(j); err != nil {
		return nil, options, nil, err
	}
	args, err = c.arrays(d, c.Inputs)
	return d, options, args, err
}

// run computes the outputs.
func run(j *job, p *callRequest) (any, error) {
	d, options, args, err := p.begin(j)
	if err != nil {
		return nil, err
	}
	results, err := d.RunWith(j.ctx, args, p.Sizes, options)
	if err != nil {
		return nil, err
	}
	outputs := map[string]array{}
	for name, t := range results {
		if outputs[name], err = write(t, p.Outputs[name]); err != nil {
			return nil, err
		}
	}
	return struct {
		Outputs map[string]array `json:"outputs"`
		said
	}{outputs, j.said()}, nil
}

// A finding is what a comparison with the reference found out about an output.
type finding struct {
	Elements   int    `json:"elements"` // that were compared
	Of         int    `json:"of"`
	Mismatches int    `json:"mismatches"`
	Worst      string `json:"worst,omitempty"`
}

func findingsOf(list map[string]ricci.Finding) map[string]finding {
	found := map[string]finding{}
	for name, f := range list {
		one := finding{Elements: f.Compared(), Of: f.Of, Mismatches: f.Mismatches}
		if f.Worst != nil {
			one.Worst = f.Worst.String()
		}
		found[name] = one
	}
	return found
}

// judge compares outputs, or what a kernel computes where none are given, with the reference evaluator.
func judge(j *job, p *struct {
	callRequest
	All    bool   `json:"all"`
	Points int64  `json:"points"`
	Seed   uint64 `json:"seed"`
}) (any, error) {
	d, options, args, err := p.begin(j)
	if err != nil {
		return nil, err
	}
	var outputs map[string]*tensor.Tensor
	if len(p.Outputs) > 0 {
		outputs, err = p.arrays(d, p.Outputs)
	} else {
		outputs, err = d.RunWith(j.ctx, args, p.Sizes, options)
	}
	if err != nil {
		return nil, err
	}
	r, err := d.CheckRun(j.ctx, args, outputs, p.Sizes, options, ricci.CheckOptions{All: p.All, Points: p.Points, Seed: p.Seed})
	var differ source.ErrorList
	if r == nil || err != nil && !errors.As(err, &differ) {
		return nil, err
	}
	return struct {
		OK       bool               `json:"ok"`
		Values   map[string]finding `json:"values"`
		Exact    map[string]finding `json:"exact"`
		Sizes    map[string]int64   `json:"sizes,omitempty"`
		Rounding []string           `json:"rounding,omitempty"`
		Remarks  []string           `json:"remarks,omitempty"`
		Problem  *Failure           `json:"problem,omitempty"`
	}{len(differ) == 0, findingsOf(r.Values), findingsOf(r.Exact), r.Sizes, r.Rounding, r.Remarks, problemOf(differ)}, nil
}

func problemOf(list source.ErrorList) *Failure {
	if len(list) == 0 {
		return nil
	}
	return failureOf(list)
}

// progress is an event of a search.
type progress struct {
	ID          json.RawMessage `json:"id"`
	Event       string          `json:"event"`
	Generation  int             `json:"generation"`
	Evaluations int             `json:"evaluations"`
	Failed      int             `json:"failed"`
	Seconds     *float64        `json:"seconds,omitempty"` // of a call with the best schedule so far
	Default     *float64        `json:"default,omitempty"`
	Elapsed     float64         `json:"elapsed"`
	Left        *float64        `json:"left,omitempty"` // a guess
}

// finite is a number that JSON has.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// tuning searches for a faster schedule, which stays in the cache like those of the command.
func tuning(j *job, p *struct {
	def
	Seconds     float64 `json:"seconds"`
	Evaluations int     `json:"evaluations"`
	Strategy    string  `json:"strategy"`
	Space       string  `json:"space"`
	Fresh       bool    `json:"fresh"`
}) (any, error) {
	d, signature, options, err := p.all(j)
	if err != nil {
		return nil, err
	}
	const longest = 7 * 24 * 3600
	if p.Seconds < 0 || p.Seconds > longest || p.Evaluations < 0 {
		return nil, refusef("params: a search takes 0 to %d seconds, and no fewer than 0 evaluations", longest)
	}
	outcome, err := tune.Run(j.ctx, d, signature, tune.Options{
		Compile: options, Time: time.Duration(p.Seconds * float64(time.Second)), Evaluations: p.Evaluations, Strategy: p.Strategy, Space: p.Space, Fresh: p.Fresh,
		Worker: j.options.Worker,
		Progress: func(e tune.Progress) {
			event := progress{ID: j.id, Event: "progress", Generation: e.Generation, Evaluations: e.Evaluations, Failed: e.AllFailed,
				Seconds: finite(e.Overall), Default: finite(e.Default), Elapsed: e.Elapsed.Seconds()}
			if e.Left >= 0 {
				event.Left = finite(e.Left.Seconds())
			}
			j.write(event)
		},
	})
	j.programs.drop(p.Program) // the next run finds what was found
	if err != nil {
		return nil, err
	}
	return struct {
		*tune.Outcome
		said
	}{outcome, j.said()}, nil
}
