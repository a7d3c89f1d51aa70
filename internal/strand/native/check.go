package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// How a kernel is checked
//
// By strict numerics a kernel does the same operations as strand.Evaluate, in the same order: what differs is the last bit of
// functions such as log. So the kernel that is judged is that, whatever runs otherwise: numbers have to agree to a few digits
// fewer than they have, integers and the numbers of strands altogether. Kernels of other numerics round otherwise, and where
// strands decide by a rounding, or a map is chaotic, both results are right.

// A Finding compares an output of two worlds.
type Finding struct {
	Name    string
	Numbers int
	Equal   int     // bit by bit, or both no number
	Far     int     // beyond the tolerance
	Worst   float64 // the largest difference, relative to the larger of both
	Text    string  // where, and what both are
}

// tolerance is how far numbers may differ that the same operations have made.
func tolerance(d tensor.DType) float64 {
	switch d {
	case tensor.Float32:
		return 1e-4
	case tensor.Float64:
		return 1e-10
	}
	return 0
}

// Check runs the strict kernel of a program and strand.Evaluate up to a limit of steps, and compares them. Of an array with
// more than most strands that many are evaluated, from the first to the last; 0 is all.
func Check(ctx context.Context, p *strand.Program, given strand.Given, limit, most int, o compile.Options) (list []Finding, err error) {
	if err := lower.Check(p); err != nil {
		return nil, fmt.Errorf("there is no kernel to check: %w", err)
	}
	o.Numerics = "strict"
	judged, failed := Start(ctx, p, given, strand.Options{}, o)
	var rows []int
	if failed == nil {
		defer func() { _ = judged.Close() }()
		if judged.By == Evaluator {
			return nil, fmt.Errorf("there is no kernel to check: the strand evaluator runs the program")
		}
		rows = sample(p, judged.Count(strand.All), most)
		_, failed = judged.Run(ctx, limit)
	}
	var fault *strand.Fault
	if errors.As(failed, &fault) && fault.Strand >= 0 && most > 0 && maySample(p) {
		rows = []int{fault.Strand}
	} else if failed != nil && fault == nil {
		return nil, failed // by nothing that the program does
	}
	judge, err := strand.NewWorld(ctx, p, given, strand.Options{Only: rows, Memory: o.MemoryLimit()})
	if err == nil {
		_, err = judge.Run(ctx, limit)
	}
	if err := agree(failed, err); err != nil {
		return nil, err
	}
	for _, of := range []struct {
		what string
		a, b int
	}{
		{"super-steps", judged.Steps(), judge.Steps()}, {"active strands", judged.Count(strand.Active), judge.Count(strand.Active)},
		{"stable strands", judged.Count(strand.Stable), judge.Count(strand.Stable)},
	} {
		if of.a != of.b && rows == nil {
			return nil, fmt.Errorf("the kernel has %d %s, the strand evaluator %d", of.a, of.what, of.b)
		}
	}
	got, err := judged.Snapshot()
	if err != nil {
		return nil, err
	}
	want, err := judge.Snapshot()
	if err != nil {
		return nil, err
	}
	if got, err = pick(got, rows); err != nil {
		return nil, err
	}
	if list = Compare(got, want); list == nil {
		return nil, fmt.Errorf("the kernel has other outputs than the strand evaluator")
	}
	for _, f := range list {
		if f.Far > 0 {
			return list, fmt.Errorf("%d of the %d numbers of %s differ from those of the strand evaluator: %s", f.Far, f.Numbers, f.Name, f.Text)
		}
	}
	return list, nil
}

// agree returns the fault of a kernel that is one of the program, or says that only one of both fails, or otherwise.
func agree(kernel, evaluator error) error {
	var one, other *strand.Fault
	isFault, isOther := errors.As(kernel, &one), errors.As(evaluator, &other)
	switch {
	case kernel == nil && evaluator == nil:
		return nil
	case code(evaluator) == source.StrandMemory:
		return fmt.Errorf("the strand evaluator, which takes more memory than a kernel, cannot judge: %w", evaluator)
	case isFault && one.IsInterrupt():
		return kernel
	case isOther && other.IsInterrupt():
		return evaluator
	case kernel == nil:
		return fmt.Errorf("the kernel does not fail, but the strand evaluator does: %w", evaluator)
	case evaluator == nil:
		return fmt.Errorf("the strand evaluator does not fail, but the kernel does: %w", kernel)
	case one == nil || other == nil || one.Strand != other.Strand || one.Step != other.Step || code(kernel) != code(evaluator):
		return errors.Join(fmt.Errorf("the kernel fails otherwise than the strand evaluator: %w", kernel), fmt.Errorf("the strand evaluator: %w", evaluator))
	}
	return kernel
}

func code(err error) source.Code {
	var d *source.Diagnostic
	if !errors.As(err, &d) {
		return ""
	}
	return d.Code
}

// sample are the numbers of the strands that are evaluated, nil for all.
func sample(p *strand.Program, total, most int) []int {
	if most == 0 || total <= most || !maySample(p) {
		return nil
	}
	rows := make([]int, most)
	for k := range rows {
		rows[k] = k * (total - 1) / max(1, most-1)
	}
	return rows
}

// maySample reports whether some strands of a program can be evaluated without the others, and found among its outputs.
func maySample(p *strand.Program) bool {
	// the places of dynamic sequences are those of all elements before
	dynamic := slices.ContainsFunc(p.Outputs(), func(v *strand.Variable) bool { return v.Type.Dynamic })
	return !dynamic && !p.Create.Collection && !p.Uses().Communicates()
}

// pick takes the rows of strands out of outputs of an array.
func pick(outputs []*strand.Output, rows []int) ([]*strand.Output, error) {
	if rows == nil {
		return outputs, nil
	}
	list := make([]*strand.Output, len(outputs))
	for k, o := range outputs {
		shape, total := o.Data.Shape(), 1
		grid := slices.IndexFunc(o.Kinds, func(kind string) bool { return kind != "space" })
		if grid < 0 {
			grid = len(shape)
		}
		for _, n := range shape[:grid] {
			total *= n
		}
		data, err := tensor.New(o.Data.DType(), append([]int{len(rows)}, shape[grid:]...)...)
		if err != nil {
			return nil, err
		}
		width := o.Data.Len() / total
		for n := range data.Len() {
			data.SetBitsAt(n, o.Data.BitsAt(rows[n/width]*width+n%width))
		}
		list[k] = &strand.Output{Name: o.Name, Data: data}
	}
	return list, nil
}

// Compare compares outputs; nil means that they do not even have the same names and shapes.
func Compare(got, want []*strand.Output) []Finding {
	if len(got) != len(want) {
		return nil
	}
	list := []Finding{}
	for k, w := range want {
		g := got[k]
		if g.Name != w.Name || g.Data.DType() != w.Data.DType() || fmt.Sprint(g.Data.Shape()) != fmt.Sprint(w.Data.Shape()) {
			return nil
		}
		f := Finding{Name: w.Name, Numbers: w.Data.Len()}
		for n := range f.Numbers {
			f.compare(n, w.Data.Shape(), number(g.Data, n), number(w.Data, n), tolerance(w.Data.DType()))
		}
		list = append(list, f)
	}
	return list
}

func number(t *tensor.Tensor, n int) float64 {
	if t.DType().IsFloat() {
		return t.FloatAt(n)
	}
	return float64(t.IntAt(n))
}

func (f *Finding) compare(n int, shape []int, got, want, tolerance float64) {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		f.Equal++
		return
	}
	apart := math.Abs(got-want) / max(math.Abs(got), math.Abs(want))
	if math.IsNaN(apart) {
		apart = math.Inf(1)
	}
	if apart > tolerance {
		f.Far++
	}
	if apart > f.Worst {
		f.Worst, f.Text = apart, fmt.Sprintf("element %s is %v, evaluated %v", place(n, shape), got, want)
	}
}

// place is the index of an element.
func place(n int, shape []int) string {
	at := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = fmt.Sprint(n % shape[k])
		n /= shape[k]
	}
	return "[" + strings.Join(at, ", ") + "]"
}

// String says it in a line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s: %d of %d numbers are equal", f.Name, f.Equal, f.Numbers)
	if f.Text != "" {
		text += fmt.Sprintf(", others within %.1e of each other: %s", f.Worst, f.Text)
	}
	return text
}
