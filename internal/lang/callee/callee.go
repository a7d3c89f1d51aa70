// Package callee copies a function of ein into another one, which calls it: the one
// mechanism of calls for all notations.
package callee

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A callee is compiled on its own, before its caller, and its finished function is
// copied into the caller: its sizes are replaced by what the arguments say, its inputs by
// the arguments, its outputs by the targets and its temporaries by new ones called
// callee$1_name. The proofs of the callee hold for all its sizes, so only its conditions,
// and the equality of dimensions that it gives the same name, are left to be shown for
// the arguments. It does not matter in which notation the callee was written, nor in which
// one the caller is: what differs between callers is how they show conditions (Prover), how
// they report errors, and what an argument may look like, which is theirs.
//
// A caller
//
//	finds the def                 Table.Lookup, Group.Choose       (table.go)
//	binds arguments               Bind, Dimension, Sizes           (bind.go)
//	solves and shows the sizes    Solve, Show                      (bind.go)
//	copies                        Copied, Conditions, Body         (this file)
//
// and one whose arguments are whole tensors has all of it in Whole (whole.go).

// MaxCopied bounds the statements that the calls of a def copy into it: in a chain of
// defs that each call the one before twice they are exponentially many.
const MaxCopied = 1000

// A Prover shows what a call needs of the sizes of the caller: what is not known becomes a
// condition of the caller. Never is for the call to report.
type Prover interface {
	// Require shows e ≥ 0.
	Require(e affine.Expr, at source.Span, reason string) affine.Verdict
	// RequireEqual shows e = f.
	RequireEqual(e, f affine.Expr, at source.Span, reason string) affine.Verdict
}

// A Call is one call that is being copied.
type Call struct {
	Def    *lang.Def
	At     source.Span // the call
	Prefix string      // of the names of temporaries, such as softmax$1; they keep theirs without
	Prover Prover
	// Report reports an error.
	Report func(code source.Code, at source.Span, format string, args ...any) *source.Diagnostic
	// Over has the indices for whose values the callee is computed, of calls as Y(b) = f(X(b)).
	Over []Over

	sizes      map[string]affine.Expr // of the callee, in those of the caller
	dimensions []Dimension
	actuals    map[string]*Actual // by the name of the callee's tensor
}

// An Over is an index of the left side of a call.
type Over struct {
	Pos        source.Span
	Name       string
	Dim        ein.Dim
	MayBeEmpty bool
}

// An Actual is what stands for a tensor of the callee.
type Actual struct {
	Tensor *ein.Tensor
	Lead   []Coordinate  // subscripts before those of the callee
	Shift  []affine.Expr // what is added to those of the callee; nil for nothing
}

// A Coordinate is a leading subscript: the value of an index of the left side, or a size.
type Coordinate struct {
	Over int // the number of the index, or -1
	Size affine.Expr
}

// New begins a call.
func New(def *lang.Def, at source.Span, number int) *Call {
	return &Call{Def: def, At: at, Prefix: fmt.Sprintf("%s$%d", def.Name, number), sizes: map[string]affine.Expr{}, actuals: map[string]*Actual{}}
}

// Sizes are the values of the sizes of the callee that are known; a caller may add to them.
func (c *Call) Sizes() map[string]affine.Expr { return c.sizes }

// Name is the name of the callee.
func (c *Call) Name() string { return c.Def.Name }

// Bind lets something stand for a tensor of the callee.
func (c *Call) Bind(t *ein.Tensor, actual *Actual) { c.actuals[t.Name] = actual }

// ForAll are the leading subscripts of what is computed for each value of the indices of
// the left side.
func (c *Call) ForAll() []Coordinate {
	lead := make([]Coordinate, len(c.Over))
	for n := range c.Over {
		lead[n].Over = n
	}
	return lead
}

// Copied returns the callee with the sizes of the call. All of them must be known.
func (c *Call) Copied() *ein.Func { return c.Def.Func.Substitute(c.sizes) }

// Temporaries binds the temporaries of the copy to new tensors, which declare adds to the
// caller: it is given one with a name, and may give it another or return one of its own.
func (c *Call) Temporaries(copied *ein.Func, declare func(*ein.Tensor) *ein.Tensor) {
	for _, t := range copied.ByRole(ein.Temp) {
		temp := *t
		temp.Dims = nil
		if c.Prefix != "" {
			temp.Name = c.Prefix + "_" + t.Name
		}
		for _, o := range c.Over {
			temp.Dims = append(temp.Dims, o.Dim)
		}
		temp.Dims = append(temp.Dims, t.Dims...)
		c.Bind(t, &Actual{Tensor: declare(&temp), Lead: c.ForAll()})
	}
}

// Conditions shows what the callee requires.
func (c *Call) Conditions(copied *ein.Func) bool {
	for _, r := range copied.Requires {
		reason := r.Reason + fmt.Sprintf(" (in %s, called at %s)", c.Name(), c.At)
		if c.Prover.Require(r.Expr, r.Pos, reason) == affine.Never {
			c.Report(source.CodeCallShapes, c.At, "the arguments do not satisfy what %s needs: %s", c.Name(), r.Reason).
				WithNote(r.Pos, "%s is needed here, in the sizes of this call", affine.Inequality(r.Expr)).
				WithHelp("pass tensors of other sizes; ricci check prints the conditions of %s", c.Name())
			return false
		}
	}
	return true
}

// Body redirects the statements of the copy to the tensors of the caller, whose sizes isSize
// knows: indices differ from them.
func (c *Call) Body(copied *ein.Func, isSize func(name string) bool) []*ein.Comprehension {
	for _, s := range copied.Body {
		for _, i := range s.Indices {
			for isSize(i.Name) || slices.ContainsFunc(s.Indices, func(other *ein.Index) bool { return other != i && other.Name == i.Name }) {
				i.Name += "_"
			}
		}
		over := c.addOver(s, isSize)
		for n, v := range s.Values {
			s.Values[n] = c.redirect(v, over)
		}
		for _, w := range s.Writes {
			actual := c.actuals[w.Tensor.Name]
			w.Tensor = actual.Tensor
			for n, e := range w.Subscripts {
				w.Subscripts[n] = c.redirect(e, over)
			}
			w.Subscripts = actual.subscripts(w.Subscripts, over, w.Pos)
		}
	}
	return copied.Body
}

// addOver gives a copied statement the indices of the left side.
func (c *Call) addOver(s *ein.Comprehension, isSize func(string) bool) []*ein.Index {
	taken := map[string]bool{}
	for _, i := range s.Indices {
		taken[i.Name] = true
	}
	var added []*ein.Index
	for _, o := range c.Over {
		name := o.Name
		for taken[name] || isSize(name) {
			name += "_"
		}
		taken[name] = true
		added = append(added, &ein.Index{Pos: o.Pos, Name: name, Min: o.Dim.Min, Extent: o.Dim.Extent, MayBeEmpty: o.MayBeEmpty, Combine: ein.Combine{Kind: ein.Concat}})
	}
	s.Indices = append(added, s.Indices...)
	return added
}

func (c *Call) redirect(e ein.Expr, over []*ein.Index) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		a, ok := e.(*ein.Access)
		if !ok {
			return e
		}
		actual := c.actuals[a.Tensor.Name]
		a.Tensor = actual.Tensor
		a.Subscripts = actual.subscripts(a.Subscripts, over, a.Pos)
		return a
	})
}

// subscripts puts the leading subscripts before those of the callee, which are shifted.
func (a *Actual) subscripts(own []ein.Expr, over []*ein.Index, pos source.Span) []ein.Expr {
	var all []ein.Expr
	for _, c := range a.Lead {
		if c.Over >= 0 {
			all = append(all, &ein.IndexRef{Pos: pos, Index: over[c.Over]})
		} else {
			all = append(all, sizeValue(c.Size, pos))
		}
	}
	for k, e := range own {
		if a.Shift != nil {
			e = plus(e, a.Shift[k], pos)
		}
		all = append(all, e)
	}
	return all
}

func plus(x ein.Expr, y affine.Expr, pos source.Span) ein.Expr {
	if n, ok := y.IsConst(); ok && n == 0 {
		return x
	}
	return &ein.Binary{Pos: pos, Op: ein.Add, X: x, Y: sizeValue(y, pos)}
}

// sizeValue is a size as a subscript.
func sizeValue(e affine.Expr, pos source.Span) ein.Expr {
	if n, ok := e.IsConst(); ok {
		return &ein.Const{Pos: pos, DType: tensor.Int64, Bits: uint64(n)}
	}
	return &ein.SizeRef{Pos: pos, Size: e}
}

// Reads reports whether the body of a def reads a tensor.
func Reads(d *lang.Def, t *ein.Tensor) bool {
	for _, c := range d.Func.Body {
		for _, a := range c.Accesses() {
			if a.Tensor == t {
				return true
			}
		}
	}
	return false
}

// Signature is the head of a def with its shapes.
func Signature(d *lang.Def) string {
	describe := func(list []*ein.Tensor) string {
		parts := make([]string, len(list))
		for i, t := range list {
			dims := make([]string, len(t.Dims))
			for k, dim := range t.Dims {
				dims[k] = dim.Extent.String()
			}
			parts[i] = t.Type.String() + " " + t.Name
			if len(dims) > 0 {
				parts[i] = fmt.Sprintf("%s(%s) %s", t.Type, strings.Join(dims, ", "), t.Name)
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s(%s) -> (%s)", d.Name, describe(d.Func.Inputs()), describe(d.Func.Outputs()))
}
