package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/abi"
	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

// A method computes the result of a request from its params.
type method func(j *job, params json.RawMessage) (any, error)

// methods is the table of all but cancel, which waits for nobody.
func methods() map[string]method {
	return map[string]method{
		"version": with(versions), "doctor": with(doctor), "check": with(check), "compile": with(compile), "show": with(show),
		"explain": with(explain), "run": with(run), "judge": with(judge), "tune": with(tuning),
		"world": with(newWorld), "advance": with(advance), "outputs": with(worldOutputs), "close": with(closeWorld),
	}
}

func methodNames() []string {
	return append([]string{"cancel"}, slices.Sorted(maps.Keys(methods()))...)
}

// with makes a method of a function whose params are a struct.
func with[P any](f func(j *job, p *P) (any, error)) method {
	return func(j *job, params json.RawMessage) (any, error) {
		p := new(P)
		if err := strictly(params, p); err != nil {
			return nil, refusef("params: %v", err)
		}
		return f(j, p)
	}
}

func versions(j *job, _ *struct{}) (any, error) {
	return map[string]any{"version": j.options.Version, "protocol": Protocol, "abi": abi.Version, "methods": methodNames()}, nil
}

// doctor says what can run programs here.
func doctor(j *job, _ *struct{}) (any, error) {
	devices := ricci.Devices(j.ctx, ricci.Options{Notice: j.notice})
	compiler := slices.ContainsFunc(devices, func(d ricci.DeviceReport) bool { return d.Name == "host" && d.Usable })
	return map[string]any{"devices": devices, "compiler": compiler, "worlds": j.worlds.count(), "notices": j.said().Notices}, nil
}

// check reports what a program has. A program that is wrong is an error.
func check(j *job, p *struct {
	Program *programText `json:"program"`
}) (any, error) {
	program, err := j.program(p.Program)
	if err != nil {
		return nil, err
	}
	if err := program.Err(); err != nil {
		return nil, err
	}
	j.warnings = append(j.warnings, program.Warnings()...)
	return struct {
		Defs    []report.Def   `json:"defs"`
		Strands *strandsReport `json:"strands,omitempty"`
		said
	}{report.Defs(program), strandsOf(program), j.said()}, nil
}

// compile makes a library for some arguments.
func compile(j *job, p *def) (any, error) {
	d, signature, options, err := p.all(j)
	if err != nil {
		return nil, err
	}
	library, err := d.Library(j.ctx, signature, options, j.dir.Path)
	if err != nil {
		return nil, err
	}
	return struct {
		*ricci.Library
		said
	}{library, j.said()}, nil
}

// all reads everything that a compilation needs.
func (d *def) all(j *job) (found *ricci.Def, signature ricci.Signature, options ricci.Options, err error) {
	if found, err = d.find(j); err != nil {
		return nil, signature, options, err
	}
	if signature, err = d.signature(found); err != nil {
		return nil, signature, options, err
	}
	options, err = d.Options.compiling(j)
	return found, signature, options, err
}

// show prints a stage of a compilation.
func show(j *job, p *struct {
	def
	Stage string `json:"stage"`
}) (any, error) {
	d, signature, options, err := p.all(j)
	if err != nil {
		return nil, err
	}
	stages := ricci.Stages()
	if !slices.Contains(stages, ricci.Stage(p.Stage)) {
		return nil, refusef("there is no stage %q; the stages are %s", p.Stage, strings.Trim(fmt.Sprint(stages), "[]"))
	}
	text := ""
	estimate := func() (*ricci.Estimate, error) { return d.Estimate(j.ctx, p.Sizes, options) }
	if len(p.Arguments) > 0 {
		text, err = d.StageFor(j.ctx, ricci.Stage(p.Stage), signature, options)
		estimate = func() (*ricci.Estimate, error) { return d.EstimateFor(j.ctx, signature, options) }
	} else {
		text, err = d.Stage(j.ctx, ricci.Stage(p.Stage), p.Sizes, options)
	}
	if err != nil {
		return nil, err
	}
	result := map[string]any{"text": text, "def": d.Name(), "stage": p.Stage, "notices": j.said().Notices}
	if p.Stage == string(ricci.StageSchedule) {
		if e, err := estimate(); err == nil {
			result["estimate"], result["explanation"] = e, e.String()
		}
	}
	return result, nil
}

// explain says what a code means.
func explain(_ *job, p *struct {
	Code string `json:"code"`
}) (any, error) {
	if p.Code == "" {
		return map[string]any{"codes": report.Codes(source.Codes())}, nil
	}
	info, found := source.Lookup(source.Code("E" + strings.TrimPrefix(strings.ToUpper(p.Code), "E")))
	if !found {
		return nil, refusef("there is no code %q", p.Code)
	}
	return report.Codes([]source.CodeInfo{info})[0], nil
}
