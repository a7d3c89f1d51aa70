package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// runNative runs a program with Ricci's own flags: -i NAME=SPEC, -o NAME=PATH, -l N ….
func (t *terminal) runNative(ctx context.Context, s *ricci.Strands, flags *runFlags) error {
	r, err := t.newStrandRun(s, flags)
	if err != nil {
		return err
	}
	if err := r.configure(flags); err != nil {
		return err
	}
	inputs := inside.Of(s).Inputs(ctx, t.openImage)
	for _, text := range flags.inputs {
		name, spec, err := assignment(text, "-i", "NAME=SPEC")
		if err != nil {
			return err
		}
		if err := r.give(inputs, name, spec); err != nil {
			return err
		}
	}
	return r.run(ctx, inputs)
}

// configure takes over the flags.
func (r *strandRun) configure(flags *runFlags) (err error) {
	own := &flags.strands
	if own.limit < 0 {
		return usagef("--limit %d: the number of super-steps cannot be negative", own.limit)
	}
	r.limit, r.print = own.limit, own.print
	if r.every, err = own.every(); err != nil {
		return err
	}
	paths, err := outputPaths(r.withExtensions(flags.outputs))
	if err != nil {
		return err
	}
	if err := checkDirectories(paths); err != nil {
		return err
	}
	for _, name := range sortedKeys(paths) {
		if err := r.stateNamed("-o", name); err != nil {
			return err
		}
		if paths[name] == dash {
			if r.t.json {
				return usagef("-o …=- and --json both write to the standard output; give the array a file")
			}
			r.t.arrays, r.t.out = r.t.out, r.t.err
		}
		r.outputs[name] = session.PlaceOf(paths[name])
	}
	for _, text := range own.spans {
		name, value, err := assignment(text, "--range", "NAME=LOW,HIGH")
		if err != nil {
			return err
		}
		if err := r.stateNamed("--range", name); err != nil {
			return err
		}
		if r.spans[name], err = parseInterval("--range", value); err != nil {
			return err
		}
	}
	r.placeSnapshots(own.prefix)
	return nil
}

// withExtensions adds one to the paths of sequences that are no more than prefixes.
func (r *strandRun) withExtensions(texts []string) []string {
	list := slices.Clone(texts)
	for k, text := range list {
		name, path, _ := strings.Cut(text, "=")
		if v := r.program.Variable(name); v != nil && v.Type.Dynamic && path != "" && filepath.Ext(path) == "" {
			list[k] = text + ".nrrd"
		}
	}
	return list
}

// placeSnapshots puts them beside the files of outputs, or under a prefix.
func (r *strandRun) placeSnapshots(prefix string) {
	list := r.program.Outputs()
	for _, v := range list {
		place, is := r.outputs[v.Name]
		if !is || place.Stem == dash {
			place = session.Place{Stem: v.Name, Extension: ".nrrd"}
		}
		switch {
		case prefix == "":
		case len(list) == 1:
			place.Stem = prefix
		default:
			place.Stem = prefix + "-" + v.Name
		}
		r.snapshots[v.Name] = place
	}
}

// give gives an input what a spec says: a text, a file, numbers, or what makes them.
func (r *strandRun) give(inputs *session.Inputs, name, spec string) error {
	v, isValue := inputs.Variable(name)
	if !isValue {
		if _, is := inputs.Image(name); !is {
			return inputs.Unknown(name)
		}
		return inputs.SetFile(name, spec)
	}
	if v.Type.Elem == strand.String && v.Type.IsScalar() {
		return inputs.SetText(name, spec)
	}
	t, err := r.array(v, spec)
	if err != nil {
		return fmt.Errorf("input %s: %w", name, err)
	}
	if t == nil {
		return inputs.SetFile(name, spec)
	}
	return inputs.Set(name, t)
}

// array makes the array of a spec; nil for that of a file.
func (r *strandRun) array(v *strand.Variable, text string) (*tensor.Tensor, error) {
	if text == dash {
		return nil, nil
	}
	if !strings.HasPrefix(text, "[") && strings.Contains(text, ",") && !strings.ContainsAny(text, "/\\") {
		text = "[" + text + "]" // 1,2,3
	}
	spec, err := argument.ParseSpec(text)
	if err != nil || spec.Kind == argument.File && !v.Type.IsScalar() {
		return nil, err
	}
	if spec.Kind == argument.File {
		return nil, fmt.Errorf("%s is not a value of type %s", text, v.Type)
	}
	dtype := r.program.DType(v.Type.Elem)
	if spec.Kind != argument.List && v.Type.Dynamic {
		return nil, fmt.Errorf("%s says no length; give a file or a list such as [1, 2, 3]", text)
	}
	return spec.Tensor(dtype, session.Shape(v.Type, 0)...)
}

// finish writes the outputs that have a place, and prints the others.
func (r *strandRun) finish(ctx context.Context, world session.World, outputs []*strand.Output) error {
	if err := r.save(ctx, outputs, r.files(), -1); err != nil {
		return err
	}
	report := strandReport{Strands: r.program.Name, Steps: world.Steps(), Active: world.Count(strand.Active), Stable: world.Count(strand.Stable), By: r.by, Why: r.why, Outputs: map[string]outputReport{}}
	for _, o := range outputs {
		place, is := r.place(r.outputs, o)
		out := outputReport{DType: o.Data.DType().String(), Shape: o.Data.Shape()}
		if is {
			out.Path = place.Path()
		} else {
			out.Data = elements(o.Data)
		}
		if is && place.Stem == dash {
			out.Path = dash
			if err := r.send(o); err != nil {
				return err
			}
		}
		report.Outputs[o.Name] = out
	}
	if r.isOriginal && !r.t.json {
		return nil
	}
	for _, f := range r.findings {
		report.Check = append(report.Check, strandCheck{f.Name, f.Numbers, f.Equal, f.Far, finite(f.Worst), f.Text})
	}
	return r.t.result(report, func() error {
		defer func() {
			for _, f := range r.findings {
				fmt.Fprintf(r.t.out, "check: %s\n", f)
			}
		}()
		for _, o := range outputs {
			switch out := report.Outputs[o.Name]; {
			case out.Path != "":
				fmt.Fprintf(r.t.out, "%s: %s written to %s\n", o.Name, typeText(o.Data), out.Path)
			case len(outputs) > 1:
				fmt.Fprintf(r.t.out, "%s =\n%v\n", o.Name, o.Data)
			default:
				fmt.Fprintln(r.t.out, o.Data)
			}
		}
		return nil
	})
}

// send writes an output to the standard output: as the original does, or as run does for defs.
func (r *strandRun) send(o *strand.Output) error {
	if r.isOriginal {
		return tensor.WriteNRRD(r.t.out, session.Image(o), tensor.NRRDLayout{})
	}
	return tensor.WriteNPY(r.t.arrays, o.Data)
}

// files are the places of outputs that are files.
func (r *strandRun) files() map[string]session.Place {
	files := map[string]session.Place{}
	for name, place := range r.outputs {
		if place.Stem != dash {
			files[name] = place
		}
	}
	return files
}

// A strandReport is the --json form of a run of strands.
type strandReport struct {
	Strands string `json:"strands"`
	Steps   int    `json:"steps"`
	Active  int    `json:"active"`
	Stable  int    `json:"stable"`
	// By is what ran the strands: a device, or "strand evaluator". Why says why that was no kernel.
	By      string                  `json:"by"`
	Why     string                  `json:"why,omitempty"`
	Outputs map[string]outputReport `json:"outputs"`
	// Check has the findings of --check, by strict numerics.
	Check []strandCheck `json:"check,omitempty"`
}

// A strandCheck compares an output of the kernel with that of the strand evaluator.
type strandCheck struct {
	Output  string  `json:"output"`
	Numbers int     `json:"numbers"`
	Equal   int     `json:"equal"`
	Far     int     `json:"far"`   // that differ by more than the tolerance
	Worst   float64 `json:"worst"` // the largest difference, relative
	Where   string  `json:"where,omitempty"`
}
