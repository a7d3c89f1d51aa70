package callee

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How whole tensors are passed
//
// Most notations pass tensors and nothing else, all of which begin at 0. Then what is to be
// checked of a call is the same for all of them, and Whole checks it. A result for which the
// callee wants an old value is an argument as well: its value is copied into the result
// before the callee begins, so that no argument ever changes.

// A Whole is a tensor of the caller in a call; a result without one gets a new tensor.
type Whole struct {
	Tensor *ein.Tensor
	At     source.Span
	// Size is the value of an integer scalar, where it can be a size of the callee; or nil.
	Size *affine.Expr
}

// Parameters lists what takes arguments: the inputs, and the results with old values.
func (c *Call) Parameters() []*ein.Tensor { return c.Def.Func.ByRole(ein.Input, ein.InOut) }

// Whole checks a call of these arguments, whose results go to targets.
func (c *Call) Whole(args, targets []Whole) bool {
	return c.counts(len(args), len(targets)) && c.arguments(args) && c.solveWhole(targets) && c.Show() && c.results(targets) && c.Conditions(c.Copied())
}

// counts compares the numbers of arguments and results.
func (c *Call) counts(args, targets int) bool {
	parameters, results := c.Parameters(), c.Def.Func.Outputs()
	if len(parameters) != args {
		c.Report(source.CodeCallArguments, c.At, "%s takes %s, not %d", c.Name(), count(len(parameters), "argument"), args).
			WithNote(c.Def.Pos, "%s", Signature(c.Def)).
			WithHelp("pass %s", words(parameters))
		return false
	}
	if len(results) != targets {
		c.Report(source.CodeCallResults, c.At, "%s has %s, not %d", c.Name(), count(len(results), "result"), targets).
			WithNote(c.Def.Pos, "%s", Signature(c.Def)).
			WithHelp("the results are %s", words(results))
		return false
	}
	return true
}

// arguments compares types and ranks, and notes the extents.
func (c *Call) arguments(args []Whole) bool {
	for n, t := range c.Parameters() {
		arg := args[n]
		switch {
		case len(arg.Tensor.Dims) != len(t.Dims):
			c.Report(source.CodeCallArguments, arg.At, "%s has %s and %s of %s has %d", arg.Tensor.Name, count(len(arg.Tensor.Dims), "dimension"), t.Name, c.Name(), len(t.Dims)).
				WithNote(c.Def.Pos, "%s", Signature(c.Def)).
				WithHelp("pass a tensor with as many dimensions")
			return false
		case arg.Tensor.Type != t.Type:
			c.Report(source.CodeCallArguments, arg.At, "%s is %s and %s of %s is %s", arg.Tensor.Name, arg.Tensor.Type, t.Name, c.Name(), t.Type).
				WithNote(c.Def.Pos, "%s", Signature(c.Def)).
				WithHelp("convert it into a tensor of %s before the call", t.Type)
			return false
		}
		for _, z := range c.Def.Func.Sizes {
			if z.Tensor != t || z.Dim != ein.ScalarValue {
				continue
			}
			if arg.Size == nil {
				c.Report(source.CodeCallArguments, arg.At, "%s of %s is used in subscripts or ranges there, so it must be known when the caller is called", t.Name, c.Name()).
					WithNote(t.Pos, "%s is declared here", t.Name).
					WithHelp("pass a number, or an integer scalar that is an input")
				return false
			}
			c.SetSize(z.Name, *arg.Size)
		}
		for k, dim := range t.Dims {
			c.Dimension(Dimension{Declared: dim.Extent, Actual: arg.Tensor.Dims[k].Extent, At: arg.At, What: fmt.Sprintf("dimension %d of %s", k, arg.Tensor.Name)})
		}
	}
	return true
}

// solveWhole finds the sizes.
func (c *Call) solveWhole(targets []Whole) bool {
	var shapes []Dimension
	for n, t := range targets {
		for k, dim := range c.Def.Func.Outputs()[n].Dims {
			if t.Tensor != nil && k < len(t.Tensor.Dims) {
				shapes = append(shapes, Dimension{Declared: dim.Extent, Actual: t.Tensor.Dims[k].Extent})
			}
		}
	}
	unknown := c.Solve(shapes)
	if len(unknown) > 0 {
		c.Undecided(unknown[0], "declare the tensor of the result with its shape")
	}
	return len(unknown) == 0
}

// Results returns the results of the callee with the sizes of the call.
func (c *Call) Results() []*ein.Tensor { return c.Copied().Outputs() }

// results compares the results with the targets.
func (c *Call) results(targets []Whole) bool {
	made := c.Results()
	for n, target := range targets {
		t := made[n]
		switch {
		case target.Tensor == nil:
			continue
		case target.Tensor.Type != t.Type:
			c.Report(source.CodeCallResults, target.At, "%s is %s and the result %s of %s is %s", target.Tensor.Name, target.Tensor.Type, t.Name, c.Name(), t.Type).
				WithNote(target.Tensor.Pos, "%s is declared here", target.Tensor.Name).
				WithHelp("assign the result to a tensor of %s, and convert that", t.Type)
			return false
		case len(target.Tensor.Dims) != len(t.Dims):
			c.Report(source.CodeCallResults, target.At, "%s has %s and the result %s of %s has %d", target.Tensor.Name, count(len(target.Tensor.Dims), "dimension"), t.Name, c.Name(), len(t.Dims)).
				WithNote(target.Tensor.Pos, "%s is declared here", target.Tensor.Name).
				WithHelp("declare it with as many dimensions")
			return false
		}
		for k, dim := range t.Dims {
			what := fmt.Sprintf("dimension %d of %s", k, target.Tensor.Name)
			reason := fmt.Sprintf("%s is written by %s, whose result %s has the extent %s", what, c.Name(), t.Name, dim.Extent)
			if c.Prover.RequireEqual(target.Tensor.Dims[k].Extent, dim.Extent, target.At, reason) == affine.Never {
				c.Report(source.CodeCallShapes, target.At, "%s is %s, but the result %s of %s has the extent %s", what, target.Tensor.Dims[k].Extent, t.Name, c.Name(), dim.Extent).
					WithNote(target.Tensor.Pos, "%s gets its shape here", target.Tensor.Name).
					WithHelp("give it the shape of the result")
				return false
			}
		}
	}
	return true
}

// WholeBody copies the callee for tensors of the caller; the call was checked. Declare adds a
// tensor to the caller, perhaps under another name.
func (c *Call) WholeBody(args, targets []*ein.Tensor, declare func(*ein.Tensor) *ein.Tensor, isSize func(string) bool) []*ein.Comprehension {
	copied := c.Copied()
	var before []*ein.Comprehension
	for n, t := range copied.Outputs() {
		c.Bind(t, &Actual{Tensor: targets[n]})
	}
	for n, t := range c.Parameters() {
		if t.Role == ein.Input {
			c.Bind(t, &Actual{Tensor: args[n]})
		} else if target := c.actuals[t.Name].Tensor; target != args[n] {
			before = append(before, copyOf(target, args[n], c.At, isSize))
		}
	}
	c.Temporaries(copied, declare)
	return append(before, c.Body(copied, isSize)...)
}

// copyOf is the statement to = from.
func copyOf(to, from *ein.Tensor, at source.Span, isSize func(string) bool) *ein.Comprehension {
	s := &ein.Comprehension{Pos: at}
	var subscripts []ein.Expr
	for k, dim := range to.Dims {
		name := fmt.Sprintf("i%d", k+1)
		for isSize(name) {
			name += "_"
		}
		i := &ein.Index{Pos: at, Name: name, Min: dim.Min, Extent: dim.Extent}
		s.Indices = append(s.Indices, i)
		subscripts = append(subscripts, &ein.IndexRef{Pos: at, Index: i})
	}
	var value ein.Expr = &ein.Access{Pos: at, Tensor: from, Subscripts: subscripts}
	if from.Type.IsHalf() {
		value = &ein.Cast{Pos: at, To: from.Type.Compute(), X: value}
	}
	s.Writes, s.Values = []*ein.Write{{Pos: at, Tensor: to, Subscripts: subscripts}}, []ein.Expr{value}
	return s
}

// Shown is a Prover of what was shown before.
type Shown struct{}

// Require knows that e ≥ 0.
func (Shown) Require(affine.Expr, source.Span, string) affine.Verdict { return affine.Always }

// RequireEqual knows that e = f.
func (Shown) RequireEqual(affine.Expr, affine.Expr, source.Span, string) affine.Verdict {
	return affine.Always
}

// A Conditional is a Prover of callers that demand conditions one by one: demand shows e ≥ 0, makes it a
// condition, or returns false where it holds for no sizes.
type Conditional func(e affine.Expr, at source.Span, reason string) bool

// Require shows e ≥ 0.
func (p Conditional) Require(e affine.Expr, at source.Span, reason string) affine.Verdict {
	if n, ok := e.IsConst(); ok && n >= 0 {
		return affine.Always
	}
	if !p(e, at, reason) {
		return affine.Never
	}
	return affine.Sometimes
}

// RequireEqual shows e = f.
func (p Conditional) RequireEqual(e, f affine.Expr, at source.Span, reason string) affine.Verdict {
	difference := e.Sub(f)
	if n, ok := difference.IsConst(); ok && n != 0 {
		return affine.Never
	}
	if p.Require(difference, at, reason) == affine.Never || p.Require(difference.Scale(-1), at, reason) == affine.Never {
		return affine.Never
	}
	return affine.Sometimes
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(n, " ", noun, "s")
}

// words lists tensors for people.
func words(list []*ein.Tensor) string {
	text := ""
	for n, t := range list {
		switch {
		case n > 0 && n == len(list)-1:
			text += " and "
		case n > 0:
			text += ", "
		}
		text += t.Name
	}
	if text == "" {
		return "nothing"
	}
	return text
}
