package build

import (
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// A library holds the texts of what is built, and what they are made of.
type library struct {
	def          *compile.Def
	signature    string // of the def, for people
	name         string // of the function
	file         string // of the files, without suffix
	fixed        map[string]int64
	known        map[string]affine.Expr // the same as expressions
	function     *c.LibraryFunction
	descriptor   *Descriptor    // of the function on tensors
	threads      int64          // the most that it uses; 0: all that a process has
	card         *device.Driver // that its functions run on; nil: the processor
	memory       int            // of DLPack's numbers that of the card
	text, header string
}

// newLibrary takes the steps to C.
func newLibrary(ctx context.Context, d *compile.Def, options Options) (*library, error) {
	l, job, err := begin(ctx, d, options)
	if err != nil {
		return nil, err
	}
	return l, l.print(ctx, job, l.levels(job), options.Emit == SO, false)
}

// begin prepares the steps.
func begin(ctx context.Context, d *compile.Def, options Options) (*library, *compile.Job, error) {
	l := &library{def: d, signature: options.Signature, name: functionName(options.Name, d.Name), fixed: options.Sizes, threads: int64(options.Options.Threads)}
	if l.file = l.name; options.Emit == Go {
		l.file = goPackageName(l.name)
	}
	for _, name := range options.Options.Dynamic {
		if _, given := l.fixed[name]; given {
			return nil, nil, fmt.Errorf("the size %s is given a value and is dynamic; say one of the two", name)
		}
	}
	options.Options.Dynamic = append([]string(nil), options.Options.Dynamic...)
	for _, name := range d.SizeNames() {
		if _, given := l.fixed[name]; !given {
			options.Options.Dynamic = append(options.Options.Dynamic, name)
		}
	}
	var err error
	if l.card, err = cardOf(&options.Options); err != nil {
		return nil, nil, err
	}
	if err := l.checkEmit(options.Emit); err != nil {
		return nil, nil, err
	}
	job, err := compile.NewForSizes(ctx, d, l.fixed, options.Options)
	if err != nil {
		return nil, nil, err
	}
	job.FindTunedAnywhere(ctx)
	return l, job, nil
}

// levels lists the levels of instructions that a library has: where a machine is described, it has those of its levels alone.
func (l *library) levels(job *compile.Job) (list []machine.InstructionLevel) {
	here := job.Machine.InstructionLevel()
	for _, level := range machine.InstructionLevels() {
		if job.Options.Machine == "" || here.Has(level) {
			list = append(list, level)
		}
	}
	return list
}

// print makes the texts: with functions on tensors where threads come from the pool, and with nothing else where onTensors says so.
func (l *library) print(ctx context.Context, job *compile.Job, levels []machine.InstructionLevel, pooled, onTensors bool) (err error) {
	if err := l.prepare(ctx, job, levels, pooled); err != nil {
		return err
	}
	if l.card != nil {
		l.text, l.header, err = c.PrintCardLibrary([]*c.LibraryFunction{l.function}, l.printing(job, pooled, onTensors).Comment)
		return err
	}
	l.text, l.header, err = c.PrintLibrary([]*c.LibraryFunction{l.function}, l.printing(job, pooled, onTensors))
	return err
}

// prepare makes the function.
func (l *library) prepare(ctx context.Context, job *compile.Job, levels []machine.InstructionLevel, pooled bool) error {
	l.known = map[string]affine.Expr{}
	for name, value := range l.fixed {
		l.known[name] = affine.Const(value)
	}
	l.function = &c.LibraryFunction{Name: l.name, Comment: l.name + " computes " + l.signature + "."}
	l.parameters(job.Strides)
	if err := l.tests(); err != nil {
		return err
	}
	schedule := ""
	var err error
	if l.card != nil {
		schedule, err = l.cardKernel(ctx, job)
	} else {
		schedule, err = l.kernels(job, levels)
	}
	if err != nil || !pooled {
		return err
	}
	return l.describeTensors(job, schedule)
}

// printing says how functions are printed.
func (l *library) printing(job *compile.Job, pooled, onTensors bool) c.LibraryOptions {
	printing := c.LibraryOptions{Header: l.file + ".h", Pooled: pooled, OnTensors: onTensors}
	printing.Comment, printing.Numerics = "Made by Ricci.", job.Numerics
	if printing.Parallel = c.OpenMP; pooled {
		printing.Parallel = c.Pool
	}
	if job.Numerics != numerics.Default {
		printing.Comment = fmt.Sprintf("Made by Ricci, numerics %s.", job.Numerics)
	}
	return printing
}

// kernels schedules the def for levels of instructions, and returns where the schedule of the last one is from. What
// tuning found holds for the level of this machine.
func (l *library) kernels(job *compile.Job, levels []machine.InstructionLevel) (schedule string, err error) {
	processor, tuned, here := job.Machine, job.Tuned, job.Machine.InstructionLevel()
	var shared []*loop.Func
	for _, level := range levels {
		at := *job
		at.Machine, at.Tuned = processor.With(level.VectorBytes, level.VectorRegisters, level.Features), nil
		if level.Name == here.Name {
			at.Tuned = tuned
		}
		s, err := at.Ordered()
		if err != nil {
			return "", err
		}
		if err := target.Check(c.Target{}, s.Loop); err != nil { // a machine that is no processor was described
			return "", err
		}
		schedule, shared = s.Kind, append(shared, s.Loop)
		l.function.Kernels = append(l.function.Kernels, c.LevelKernel{Level: level, Kernel: s.Loop})
	}
	loop.ShareSites(shared)
	return schedule, nil
}

// parameters lists the arguments in the order of the def, then the open sizes;
// the value of a scalar is no parameter of its own.
func (l *library) parameters(strides map[string][]int) {
	f := l.def.Func
	values := map[*ein.Tensor]string{}
	var sizes []c.LibraryParameter
	for _, s := range f.Sizes {
		_, fixed := l.fixed[s.Name]
		switch {
		case s.Tensor != nil && s.Dim == ein.ScalarValue:
			values[s.Tensor] = s.Name
		case !fixed:
			sizes = append(sizes, c.LibraryParameter{Kind: c.Size, Name: s.Name, Comment: "the size " + s.Name})
		}
	}
	for _, t := range append(f.Inputs(), f.Outputs()...) {
		p := c.LibraryParameter{Name: t.Name, Type: t.Type, Written: t.Role != ein.Input, Read: t.Role == ein.InOut, Elements: affine.Const(1), Comment: l.describe(t)}
		for _, d := range t.Dims {
			extent := d.Extent.Subst(l.known)
			p.Extents, p.Elements = append(p.Extents, extent), p.Elements.Mul(extent)
		}
		if list, given := strides[t.Name]; given {
			p.Strides = compile.Int64s(list)
		}
		if len(t.Dims) == 0 && t.Role == ein.Input {
			p.Kind, p.Value = c.Number, values[t]
			if value, fixed := l.fixed[p.Value]; fixed {
				p.Comment += fmt.Sprintf(", must be %d", value)
			}
		}
		l.function.Parameters = append(l.function.Parameters, p)
	}
	l.function.Parameters = append(l.function.Parameters, sizes...)
}

// describe says what an argument is, such as "in, float32, shape (N, 3)".
func (l *library) describe(t *ein.Tensor) string {
	text := t.Role.String() + ", " + t.Type.String()
	if t.Type.IsHalf() {
		text += " (as bits)"
	}
	if len(t.Dims) == 0 {
		return text + ", a scalar"
	}
	var shape, first []string
	fromZero := true
	for _, d := range t.Dims {
		shape = append(shape, d.Extent.Subst(l.known).String())
		least := d.Min.Subst(l.known)
		first = append(first, least.String())
		n, constant := least.IsConst()
		fromZero = fromZero && constant && n == 0
	}
	text += ", shape (" + strings.Join(shape, ", ") + ")"
	if !fromZero {
		text += ", element 0 has the coordinates (" + strings.Join(first, ", ") + ")"
	}
	return text
}

// tests lists what the function assumes about its sizes, and finds out whether the sizes that are known fit.
func (l *library) tests() error {
	var problems source.ErrorList
	for _, c := range l.def.Func.SizeTests(l.known) {
		if n, constant := c.Expr.IsConst(); constant && !c.Zero && n < 0 {
			problems = append(problems, &source.Diagnostic{Code: c.Code, Span: c.Pos, Message: c.Text})
			continue
		}
		l.function.Tests = append(l.function.Tests, libraryTest(c))
	}
	if problems != nil {
		return problems
	}
	return nil
}

func libraryTest(test ein.SizeTest) c.LibraryTest {
	return c.LibraryTest{Expr: test.Expr, Zero: test.Zero, Text: test.Text}
}
