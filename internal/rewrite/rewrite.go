// Package rewrite improves ein functions by named rules that keep their meaning:
// simplification of expressions, and fusion of statements.
package rewrite

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
)

// How it works
//
// A pass takes a function and returns a changed copy. Simplify rewrites
// expressions by the tables in simplify.go; Fuse rewrites statements by the rules
// in this order, until nothing changes:
//
//	copy     an in-place statement that reads other elements than it writes
//	         computes into a temporary first (copy.go)
//	merge    C = identity; C ⊕= … becomes one initialising reduction (merge.go)
//	inline   a point-wise temporary is computed where it is used (inline.go)
//	dead     temporaries that nobody reads are not computed (dead.go)
//
// DropTests (bounds_checks.go) runs before them, since an access that is tested keeps its place.
// SplitNests (nest.go) takes reductions out of scans. It, MinimiseOperations (minimise.go),
// SplitResidues (residues.go), PadOperands (padded.go), SplitBoundaries (split.go), TakeDefaultsOut
// (defaults.go), LookUpKeys (keys.go) and Strips (strips.go) run after fusion, because their pieces no longer fuse. Narrow
// (narrow.go) sees the statements as they will run. Coalesce (coalesce.go) comes behind all of
// them, and is no pass of the list: it changes dimensions of tensors, for which it must know how they lie.
//
// Every rule is exact: with the reference evaluator, outputs before and after are
// equal bit by bit (a zero may change its sign where merge drops "0 +"), and the
// same accesses out of bounds are reported. Sums of floats are rounded in another order, within
// the bounds of --check, by MinimiseOperations, by PadOperands where it turns a window round, and
// by SplitBoundaries where it cuts along what is summed.

// A Pass is a named transformation of functions.
type Pass struct {
	Name string
	Doc  string
	Run  func(f *ein.Func) *ein.Func
}

// Passes lists the passes in the order in which a compilation runs them, for a mode of numerics.
func Passes(mode numerics.Mode) []Pass {
	return []Pass{
		{"laws", "takes laws from the operators on floats that the mode of numerics does not allow", func(f *ein.Func) *ein.Func { return Laws(f, mode) }},
		{"simplify", "folds constants and drops operations that change nothing", Simplify},
		{"tests", "takes tests off subscripts whose range is known to be inside", DropTests},
		{"fuse", "merges initialisations, inlines point-wise temporaries, copies for in-place updates", Fuse},
		{"minimise", "parts sums over products of several factors into contractions, where that takes much fewer operations", func(f *ein.Func) *ein.Func { return MinimiseOperations(f, mode) }},
		{"nests", "gives reductions inside of scans statements of their own", SplitNests},
		{"layout", "stores temporaries with their short last dimensions first, so that vectors lie in one piece", LayOut},
		{"part", "parts reductions by the residues of their indices, where that leaves out terms", SplitResidues},
		{"pad", "gives padded operands of reductions a tensor with a border, where many points read each element", PadOperands},
		{"split", "separates the interior of padded reductions from their boundary", SplitBoundaries},
		{"defaults", "takes the defaults of minima and maxima out of their terms, where equalities leave most of these out", TakeDefaultsOut},
		{"keys", "looks up the keys of a reduction's results in a table of all their values", LookUpKeys},
		{"strips", "cuts chains of stencils into strips whose temporaries fit into a cache", defaultStrips.Strips},
		{"simplify-again", "simplifies what inlining and splitting have brought together", Simplify},
		{"factors", "lets factors leave sums where that is harmless, or guarded", func(f *ein.Func) *ein.Func { return Factors(f, mode) }},
		{"narrow", "computes integers in as few bits as give the same results", Narrow},
	}
}

// Optimise runs the passes of a mode of numerics and verifies the function after each.
func Optimise(f *ein.Func, mode numerics.Mode) (*ein.Func, error) {
	for _, pass := range Passes(mode) {
		f = pass.Run(f)
		if err := ein.Verify(f); err != nil {
			return nil, fmt.Errorf("after the pass %s: %w", pass.Name, err)
		}
	}
	return f, nil
}

// fusionRules are tried in this order; each changes f and reports whether it did.
var fusionRules = []struct {
	name  string
	apply func(f *ein.Func) bool
}{
	{"copy", copyInPlace},
	{"merge", mergeInitialisation},
	{"inline", inlineTemporary},
	{"dead", dropDead},
}

// Fuse applies the fusion rules until none applies.
func Fuse(f *ein.Func) *ein.Func {
	f = f.Clone()
	for changed := true; changed; {
		changed = false
		for _, rule := range fusionRules {
			for rule.apply(f) {
				changed = true
			}
		}
	}
	return f
}

// reads returns how often the comprehension reads a tensor, in its values and in
// the subscripts of its writes, and whether it joins to the tensor's old value.
func reads(c *ein.Comprehension, t *ein.Tensor) int {
	n := 0
	count := func(e ein.Expr) bool {
		if a, ok := e.(*ein.Access); ok && a.Tensor == t {
			n++
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, count)
	}
	for _, w := range c.Writes {
		for _, s := range w.Subscripts {
			ein.Walk(s, count)
		}
		if w.Tensor == t && c.Accumulate != nil {
			n++
		}
	}
	return n
}

func writes(c *ein.Comprehension, t *ein.Tensor) bool {
	return slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor == t })
}

// contains reports whether any expression of the comprehension's values has the
// property.
func contains(c *ein.Comprehension, property func(ein.Expr) bool) bool {
	found := false
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			found = found || property(e)
			return !found
		})
	}
	return found
}

func isChecked(e ein.Expr) bool {
	a, ok := e.(*ein.Access)
	return ok && a.Checked
}

// freshName returns a name that no tensor of f has.
func freshName(f *ein.Func, name string) string {
	candidate := name
	for n := 2; f.Tensor(candidate) != nil || slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Name == candidate }); n++ {
		candidate = fmt.Sprintf("%s_%d", name, n)
	}
	return candidate
}

// samePlace reports whether two lists of subscripts are the same affine
// expressions of the same indices.
func samePlace(a, b []ein.Expr) bool {
	return slices.EqualFunc(a, b, func(x, y ein.Expr) bool {
		ax, okX := ein.AffineOf(x)
		ay, okY := ein.AffineOf(y)
		return okX && okY && ax.Equal(ay)
	})
}
