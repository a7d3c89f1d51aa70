package testrun

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/tensor"
)

// How tests of strands work
//
// A block is one world. It runs strand after strand and step by step, where what it prints and leaves must
// be what the block says, each strand to its end, which must give the same bits, and on the other targets:
// there outputs that the block does not write are compared with those of the evaluator.

// A worldResult is what can be seen of a run.
type worldResult struct {
	outputs map[string]*tensor.Tensor
	printed string
}

// strands runs a block of a program of strands on every target.
func (r *runner) strands(b *testblock.Block) error {
	s := r.program.Strands()
	if b.Double {
		options := r.options.Programs
		options.Double = true
		program, err := options.Parse(r.path, r.text)
		if err != nil {
			return err
		}
		s = program.Strands()
	}
	if len(b.Sizes) > 0 {
		return fmt.Errorf("%s has no sizes", s.Name())
	}
	want, err := r.world(s, b, ricci.Eval, true)
	if b.Error != nil {
		err = matchError(b, err)
	}
	if err == nil && b.Error == nil {
		err = r.judge(b, want)
	}
	if err != nil {
		return fmt.Errorf("step by step: %w", err)
	}
	for _, target := range r.targets() {
		got, err := r.world(s, b, target, false)
		switch {
		case b.Error != nil:
			err = matchError(b, err)
		case err == nil && target == ricci.Eval:
			err = same(&testblock.Block{Tolerance: new(float64)}, want, got)
		case err == nil:
			err = errors.Join(r.judge(b, got), same(b, want, got))
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", r.options.place(target), err)
		}
	}
	return nil
}

// world runs a block on a target.
func (r *runner) world(s *ricci.Strands, b *testblock.Block, target ricci.Target, steps bool) (*worldResult, error) {
	in := inside.Of(s)
	inputs := in.Inputs(r.ctx, tensor.OpenImage)
	for _, input := range b.Inputs {
		if err := r.give(inputs, in.Program, input); err != nil {
			return nil, err
		}
	}
	given, err := inputs.Given()
	if err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	world, err := native.Start(r.ctx, in.Program, given, strand.Options{ForceBSP: steps, Print: &printed}, inside.Options(r.options.compile(nil, target)))
	if err != nil {
		return nil, err
	}
	defer world.Close() //nolint:errcheck // the results are there
	if _, err := world.Run(r.ctx, b.Limit); err != nil {
		return nil, err
	}
	outputs, err := world.Outputs()
	if errors.Is(err, strand.ErrNoneStable) {
		err = session.NoneStable(in.Program, world)
	}
	if err != nil {
		return nil, err
	}
	result := &worldResult{outputs: map[string]*tensor.Tensor{}, printed: printed.String()}
	for _, o := range outputs {
		result.outputs[o.Name] = o.Data
	}
	return result, nil
}

// give gives an input the value of a line.
func (r *runner) give(inputs *session.Inputs, p *strand.Program, in testblock.Tensor) error {
	v, isValue := inputs.Variable(in.Name)
	if file, is := in.Value.(*testblock.File); is {
		if isValue && v.Type.Elem == strand.String {
			return inputs.SetText(in.Name, file.Path)
		}
		return inputs.SetFile(in.Name, filepath.Join(filepath.Dir(r.path), file.Path))
	}
	if !isValue {
		if i, is := inputs.Image(in.Name); is {
			return fmt.Errorf("input %s: an %s is a file", in.Name, i)
		}
		return inputs.Unknown(in.Name)
	}
	value, spec, err := r.value(in.Value, p.DType(v.Type.Elem))
	if err == nil && value == nil {
		value, err = spec.Tensor(p.DType(v.Type.Elem), session.Shape(v.Type, 0)...)
	}
	if err != nil {
		return fmt.Errorf("input %s: %w", in.Name, err)
	}
	return inputs.Set(in.Name, value)
}

// judge compares a run with what the block says of it.
func (r *runner) judge(b *testblock.Block, got *worldResult) error {
	if b.Prints != nil && *b.Prints != got.printed {
		return fmt.Errorf("printed is\n%q, expected\n%q", got.printed, *b.Prints)
	}
	for _, out := range b.Outputs {
		if err := r.compare(b, out, got.outputs[out.Name]); err != nil {
			return err
		}
	}
	return nil
}

// same compares two runs, as exactly as a block says.
func same(b *testblock.Block, want, got *worldResult) error {
	exact := b.Tolerance != nil && *b.Tolerance == 0
	if want.printed != got.printed && exact {
		return fmt.Errorf("printed is\n%q, and step by step\n%q", got.printed, want.printed)
	}
	for name, w := range want.outputs {
		g, limit := got.outputs[name], defaultTolerance(w.DType())
		if g == nil || fmt.Sprint(w.Shape()) != fmt.Sprint(g.Shape()) {
			return fmt.Errorf("%s is %v, and step by step %v", name, g, w)
		}
		if b.Tolerance != nil {
			limit = *b.Tolerance
		}
		if ok, where := tensor.AllClose(g, w, limit, limit*max(scale(w), b.Scale)); !ok {
			return fmt.Errorf("%s is wrong at %v: got %s, and step by step %s", name, where, number(g, where), number(w, where))
		}
	}
	return nil
}
