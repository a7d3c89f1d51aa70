package pipelinetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/tensor"
)

// A Case is one function on its way, and all that decides about it.
type Case struct {
	Name     string // of the C function and in reports
	Text     string // the program that Func comes from, if any
	Func     *ein.Func
	Sizes    map[string]int64
	Keep     map[string]bool // sizes that stay symbolic
	Strides  map[string][]int64
	Args     map[string]*tensor.Tensor // inputs and old values
	Constant []string                  // inputs that keep their contents from call to call
	Threads  int
	Machine  *machine.Processor
	Numerics numerics.Mode
	// Oracle judges the results, too, where there is one.
	Oracle func(results map[string]*tensor.Tensor) error

	// What Prepare makes.
	Special *ein.Func
	Script  *Script // that Tree comes from, if any
	Tree    *schedule.Tree
	Loop    *loop.Func
	// Unproved says that the loops are not proved to stay in bounds for all values of symbolic
	// sizes, so that the compiler refuses them (E0629).
	Unproved error

	reference *reference
	whole     *Case
}

// A reference is what the evaluator says of a case.
type reference struct {
	want, bounds map[string]*tensor.Tensor
	err          error
}

// Whole is the case on whole numbers, on which results must be equal; nil where no argument can
// be chosen.
func (c *Case) Whole() (*Case, error) {
	if c.whole != nil {
		return c.whole, nil
	}
	numbers, err := judge.Draw(context.Background(), c.Func, c.Sizes, c.Args, judge.Options{Points: 1 << 16})
	if err != nil || !numbers.Drawn {
		return nil, err
	}
	whole := *c
	whole.Args, whole.reference, whole.Oracle = numbers.Args, nil, nil
	c.whole = &whole
	return c.whole, nil
}

// String describes the case so that it can be repeated.
func (c *Case) String() string {
	text := c.Text
	if text == "" {
		text = ein.Print(c.Func)
	}
	if c.Script != nil {
		text += "\nscript\n" + c.Script.String()
	}
	if c.Tree != nil {
		text += "\nschedule\n" + schedule.Print(c.Tree)
	}
	return fmt.Sprintf("%s: sizes %v, symbolic %v, strides %v, constant %v, threads %d, machine %+v\n%s", c.Name, c.Sizes, c.Keep, c.Strides, c.Constant, c.Threads, c.Machine, text)
}

// DrawSetting chooses what does not belong to the program: machine, symbolic
// sizes, strides and threads.
func (c *Case) DrawSetting(from *Choices) error {
	c.Machine = drawMachine(from)
	c.Threads = from.Between(1, 4)
	for _, x := range c.Func.Inputs() {
		if x.Role == ein.Input && from.OneIn(4) {
			c.Constant = append(c.Constant, x.Name)
		}
	}
	c.Keep, c.Strides = map[string]bool{}, map[string][]int64{}
	if from.OneIn(3) {
		for _, s := range c.Func.Sizes {
			c.Keep[s.Name] = !from.OneIn(3)
		}
		return nil // arrays of a kernel with symbolic sizes are dense
	}
	shapes, err := c.Func.Shapes(c.Sizes)
	if err != nil {
		return err
	}
	for _, x := range append(c.Func.Inputs(), c.Func.Outputs()...) {
		if strides := DrawStrides(from, ints(shapes[x.Name])); strides != nil && from.OneIn(2) {
			for _, s := range strides {
				c.Strides[x.Name] = append(c.Strides[x.Name], int64(s))
			}
		}
	}
	return nil
}

func drawMachine(from *Choices) *machine.Processor {
	switch from.Below(4) {
	case 0, 1:
		return machine.Host()
	case 2: // so that what is small goes past the caches
		m := *machine.Host()
		m.L1, m.L2, m.L3, m.Peaks = 1<<12, 1<<14, 1<<15, nil
		return &m
	}
	return &machine.Processor{VectorBytes: Pick(from, 8, 16, 32, 64), VectorRegisters: Pick(from, 4, 16, 32),
		L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: Pick(from, 1, 2, 8)}
}

// Prepare takes the steps before the printer, with a random schedule.
func (c *Case) Prepare(from *Choices) error {
	if err := c.start(from.OneIn(4)); err != nil {
		return err
	}
	first := c.Tree
	for range Pick(from, 0, 1, 3, 8, 20) {
		c.Tree = Mutate(from, c.Special, c.Tree)
	}
	fetch.Mark(c.Special, c.Tree, c.Machine, c.Strides) // changes keep no marks of accumulates and places
	schedule.CutProducts(c.Special, c.Tree, c.Machine)
	if err := c.lower(); err != nil || copiedBranches(c.Loop.Body, 1) <= mostCopies {
		return err
	}
	c.Tree = first
	return c.lower()
}

// mostCopies is how many loops and conditions a drawn schedule may make where loops around them are written out:
// gcc takes 42 s for 170 copies of a loop over masked vectors, and 7 s for 860 of the conditions of padded images.
const mostCopies = 128

// copiedBranches counts the copies of loops and conditions in loops that are written out; copies is how many those
// around make.
func copiedBranches(body []loop.Stmt, copies int64) (total int64) {
	count := func(e loop.Expr) {
		if _, ok := e.(*loop.Select); ok && copies > 1 {
			total += copies
		}
	}
	for _, s := range body {
		for _, e := range loop.StmtExprs(s) {
			loop.WalkExpr(e, loop.Visitor{Expr: count})
		}
		inside := copies
		if f, ok := s.(*loop.For); ok && f.Kind == loop.Unrolled {
			lo, known := f.Lo.(*loop.Const)
			if hi, also := f.Hi.(*loop.Const); known && also { // as their bounds are
				inside = schedule.MultiplySizes(copies, (int64(hi.Bits-lo.Bits)+f.Step-1)/f.Step)
			}
		} else if ok && copies > 1 {
			total += copies
		}
		for _, b := range loop.StmtBodies(s) {
			total += copiedBranches(b, inside)
		}
	}
	return total
}

// PrepareDefault takes the steps before the printer, with the default schedule.
func (c *Case) PrepareDefault() error {
	if err := c.start(false); err != nil {
		return err
	}
	return c.lower()
}

// Default makes the default schedule, and nothing of it.
func (c *Case) Default() error { return c.start(false) }

// start makes the function that is scheduled, and its first schedule.
func (c *Case) start(canonical bool) (err error) {
	if c.Special, err = c.Func.Specialise(c.Sizes, c.Keep); err != nil {
		return err
	}
	if c.Special, err = rewrite.Optimise(c.Special, c.Numerics); err != nil {
		return err
	}
	c.Special = rewrite.Coalesce(c.Special, func(t *ein.Tensor) bool { return c.Strides[t.Name] == nil })
	if err := ein.Verify(c.Special); err != nil {
		return err
	}
	if canonical {
		c.Tree = schedule.Canonical(c.Special)
	} else if c.Tree, err = standard.DefaultFor(c.Special, c.Machine, schedule.Options{Strides: c.Strides, Constant: c.Constant}); err != nil {
		return err
	} else if c.Tree.Fallback != nil {
		return c.Tree.Fallback
	}
	if err := schedule.Check(c.Special, c.Tree); err != nil {
		return fmt.Errorf("the schedule of Ricci is illegal: %w", err)
	}
	return nil
}

func (c *Case) lower() (err error) {
	if c.Loop, err = lower.Lower(c.Special, c.Tree, lower.Options{Strides: c.Strides, Constant: c.Constant, Machine: c.Machine}); err != nil {
		return err
	}
	c.Loop.Name = c.Name
	err = loop.Verify(c.Loop)
	if len(c.Keep) > 0 && errors.Is(err, loop.ErrUnproved) {
		c.Unproved, err = err, nil
	}
	return err
}

// Arrays returns guarded copies of the arguments, and of outputs that hold
// rubbish, with the strides of the case. On one side of each is a page that cannot be read.
func (c *Case) Arrays(side Side) (map[string]*Guarded, error) {
	shapes, err := c.Func.Shapes(c.Sizes)
	if err != nil {
		return nil, err
	}
	arrays := map[string]*Guarded{}
	for _, x := range append(c.Func.Inputs(), c.Func.Outputs()...) {
		value := c.Args[x.Name]
		if x.Role == ein.Output {
			if value, err = tensor.New(x.Type, ints(shapes[x.Name])...); err != nil {
				return nil, err
			}
			tensor.FillConst(value, 1)
		}
		var strides []int
		if list, ok := c.Strides[x.Name]; ok {
			strides = ints(list)
		}
		if arrays[x.Name], err = Guard(value, strides, side, x.Type.Size()); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// Judge compares what a kernel left in the arrays with the evaluator. Faulted
// says that the kernel reported a subscript out of bounds. Of an unchecked schedule the results
// may be any.
func (c *Case) Judge(arrays map[string]*Guarded, faulted bool) error {
	if c.reference == nil { // the arguments of all calls are equal
		c.reference = c.evaluate()
	}
	want, bounds := c.reference.want, c.reference.bounds
	unchecked := c.Tree != nil && c.Tree.Unchecked
	if !unchecked && faulted != (c.reference.err != nil) {
		return fmt.Errorf("the evaluator says %v, the kernel faulted: %t", c.reference.err, faulted)
	}
	if !faulted {
		if err := c.ask(arrays); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		x := c.Func.Tensor(name)
		if err := arrays[name].Intact(x.Role != ein.Input); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if x.Role == ein.Input || faulted || unchecked {
			continue
		}
		if c.Numerics == numerics.Strict {
			if err := sameBits(arrays[name].Array, want[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		compared, err := ein.Compare(arrays[name].Array, want[name], bounds[name])
		if err != nil {
			return err
		}
		if !compared.OK() {
			return fmt.Errorf("%s: %d of %d elements differ; %v", name, compared.Mismatches, compared.Elements, compared.Worst)
		}
	}
	return nil
}

// ask asks the oracle of the case, if it has one.
func (c *Case) ask(arrays map[string]*Guarded) error {
	if c.Oracle == nil {
		return nil
	}
	results := map[string]*tensor.Tensor{}
	for _, x := range c.Func.Outputs() {
		results[x.Name] = arrays[x.Name].Array
	}
	return c.Oracle(results)
}

// evaluate asks the evaluator: for bits in the strict mode, else for bounds.
func (c *Case) evaluate() *reference {
	r := &reference{}
	if options := (ein.EvalOptions{Sizes: c.Sizes}); c.Numerics == numerics.Strict {
		r.want, r.err = ein.Evaluate(c.Func, c.Args, options)
	} else {
		r.want, r.bounds, r.err = ein.EvaluateWithBounds(c.Func, c.Args, options)
	}
	return r
}

// sameBits reports the first element in which two tensors differ; a NaN is as good as another.
func sameBits(got, want *tensor.Tensor) error {
	offsets := slices.Collect(want.Offsets())
	n := 0
	for o := range got.Offsets() {
		at := offsets[n]
		if got.DType().IsFloat() {
			x, y := got.FloatAt(o), want.FloatAt(at)
			if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("element %d of %d is %v, the evaluator says %v (difference %g)", n, len(offsets), x, y, x-y)
			}
		} else if x, y := got.IntAt(o), want.IntAt(at); x != y {
			return fmt.Errorf("element %d of %d is %d, the evaluator says %d", n, len(offsets), x, y)
		}
		n++
	}
	return nil
}

func ints(list []int64) []int {
	result := make([]int, len(list))
	for i, n := range list {
		result[i] = int(n)
	}
	return result
}
