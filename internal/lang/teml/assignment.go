package teml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How an assignment becomes a reduction
//
// The tree (=, [t, e]) of a real tensor t is one comprehension. When e is t ∘ x with
// the iterators of the left side, t is an accumulator: x is folded over the iterators
// that do not occur on the left. Sums that stand under products only are pulled
// outwards and become iterators of the statement, since (Σ a)·b = Σ a·b; a sum
// elsewhere, under + or /, is computed by a statement of its own into a temporary.

// An assignment is a statement of the generated program.
type assignment struct {
	pos        source.Span
	real       *real
	tree       *Tree // as the paper has it
	subscripts []affine.Expr
	value      *Tree  // what is stored, or folded; nil of an init
	fold       string // the sign of the operation by which values are folded; empty without
	fresh      bool   // the fold starts at its neutral element, not at the old value
	order      []string
	reduced    []string
	ranges     *ranges
	whole      bool          // every element of the tensor is written
	before     []*assignment // the temporaries that it needs
	fill       *fill         // of an init
	meant      bool          // option meant holds
	part       *part         // of the call of an imported def
}

// folds are the operations that can be folded.
var folds = map[string]ein.OperatorKind{"+": ein.SumOp, "-": ein.SumOp, "*": ein.ProductOp, "max": ein.MaxOp, "min": ein.MinOp,
	"&": ein.BitAndOp, "|": ein.BitOrOp, "^": ein.BitXorOp}

// bind fills the placeholder of an expression: it introduces a tensor, or records an
// assignment. Other expressions are not changed.
func (in *interpreter) bind(t *Tree, target syntax.Name, s *syntax.Assign) value {
	name := target.Name
	switch {
	case t.isLeaf() && t.real != nil && t.real.name == "":
		if old := in.reals[name]; old != nil && in.current() == nil {
			in.fail(source.CodeTeMLName, target.Pos, "the tensor %s is introduced already", name).note(old.pos, "here").help("take another name")
		}
		if in.sizes[name] != nil {
			in.fail(source.CodeTeMLName, target.Pos, "%s is a size already", name).note(in.sizes[name].pos, "here").help("take another name for the tensor")
		}
		if t.real.local = in.current() != nil; t.real.local {
			name = in.freshReal(name)
		}
		t.real.name = name
		in.reals[name] = t.real
		return t
	case t.isAssignment() && t.assignment == nil:
		if in.current() != nil && s.Real == nil {
			if _, declared := in.current().locals[name].(*Tree); !declared {
				name = in.freshReal(name)
			} else if local := in.current().locals[name].(*Tree); local.isLeaf() && local.real != nil {
				name = local.real.name
			}
		}
		return in.record(t, name, s.Pos)
	case in.current() == nil && s.Real == nil && in.takesName(t, name):
	case s.Real != nil:
		in.fail(source.CodeTeMLKind, s.Value.Span(), "the expression assigns nothing, expected an assignment behind @%s:", s.Real.Name).
			help("eq and op assign; veq and vop make expressions that are not stored")
	case t.hasPlaceholder():
		in.fail(source.CodeTeMLName, s.Value.Span(), "%s is read before it has a value", target.Name).help("define it above, or assign with eq or op instead of an expression that is not stored")
	}
	return t
}

// takesName gives a tensor that a function introduced the name under which the program
// knows it from now on.
func (in *interpreter) takesName(t *Tree, name string) bool {
	r := t.real
	if t.isAssignment() {
		r = t.assignment.real
	}
	if r == nil || !r.local || in.reals[name] != nil || in.sizes[name] != nil {
		return false
	}
	in.free(r.name)
	r.name, r.local = name, false
	in.reals[name] = r
	return true
}

// record fills the placeholder of an assignment and makes it a statement of the
// generated program.
func (in *interpreter) record(t *Tree, name string, pos source.Span) *Tree {
	if in.loops.external() {
		in.fail(source.CodeTeMLCodegen, pos, "a script for another program assigns no tensors").help("build(C) makes the loops of the statement that assigns C there")
	}
	if len(in.assignments) >= maxStatement {
		in.fail(source.CodeTeMLDepth, pos, "the program has more than %d assignments", maxStatement).help("does every recursion come to an end?")
	}
	a := &assignment{pos: in.at(pos), meant: in.meant, subscripts: t.target().iters.list, real: in.reals[name]}
	isNew := a.real == nil
	if isNew {
		if in.strict {
			in.fail(source.CodeTeMLUndeclared, pos, "%s was not introduced with tensor", name).help("write %s = tensor(…) above, or leave out option strict", name)
		}
		if in.sizes[name] != nil {
			in.fail(source.CodeTeMLName, pos, "%s is a size already", name).note(in.sizes[name].pos, "here").help("take another name for the tensor")
		}
		a.real = &real{pos: a.pos, name: name, local: in.current() != nil}
	}
	right := t.children[1]
	accesses := leaves(right)
	if !isNew {
		if len(a.subscripts) != len(a.real.shape) {
			in.fail(source.CodeTeMLRank, pos, "%s for %s, which has %s", count(len(a.subscripts), "iterator"), name, count(len(a.real.shape), "dimension")).
				note(a.real.pos, "%s is introduced here", name).help("there is one iterator for each dimension")
		}
		left := *t.target()
		left.real = a.real
		if left.iters.state == given {
			accesses = append(accesses, &left)
		}
	}
	a.ranges = in.newRanges(accesses)
	a.split(in, right)
	a.typed(in, right, isNew)
	names := append(in.names(a.subscripts), freeAndBound(right)...)
	a.ranges.demand(slices.Compact(slices.Sorted(slices.Values(names))), pos)
	if isNew {
		a.introduce(in)
	}
	a.target(in)
	a.sums(in)
	a.order = orderOf(in.names(a.subscripts), a.value)
	filled := t.fill(a.real)
	filled.walk(func(n *Tree) {
		if n.real == a.real {
			n.shape = a.real.shape
		}
	})
	filled.assignment, a.tree = a, filled
	if a.fresh && a.real.initialised {
		a.fresh = false
	}
	a.real.initialised = false
	in.reals[name] = a.real
	in.assignments = append(append(in.assignments, a.before...), a)
	in.loops.assigned(a)
	return filled
}

// freeAndBound lists all iterators of a tree.
func freeAndBound(t *Tree) []string { return append(slices.Clone(t.free), t.boundNames()...) }

// split finds the accumulator: the assigned tensor as an operand, with the iterators
// of the left side.
func (a *assignment) split(in *interpreter, right *Tree) {
	left := in.names(a.subscripts)
	for _, name := range right.free {
		if !slices.Contains(left, name) {
			a.reduced = append(a.reduced, name)
		}
	}
	a.value = right
	isAccumulator := func(t *Tree) bool {
		return t.isLeaf() && t.constant == nil && (t.real == nil || t.real == a.real) && sameList(t.iters.list, a.subscripts) && t.iters.state != unset
	}
	if _, canFold := folds[right.op]; canFold && len(right.children) == 2 {
		for side, operand := range right.children {
			if isAccumulator(operand) && (side == 0 || right.op != "-") && (operand.real == nil || len(a.reduced) > 0 || len(right.boundNames()) > 0) {
				a.fold, a.fresh, a.value = right.op, operand.fresh, right.children[1-side]
				break
			}
		}
	}
	if len(a.reduced) > 0 && a.fold == "" {
		in.fail(source.CodeTeMLReduction, a.pos, "the iterator %s does not occur on the left, and nothing says how the values along it are combined", a.reduced[0]).
			help("accumulate: %s = add(%s, x, [I, ] -> I), where I is the list of the left side; or sum the expression: vsum(x, [%s])", a.real.name, a.real.name, a.reduced[0])
	}
	a.value.walk(func(n *Tree) {
		switch {
		case n.isLeaf() && n.real == a.real && a.fold != "" && len(freeAndBound(right)) > len(left):
			in.fail(source.CodeTeMLTarget, n.pos, "%s is read while it accumulates", a.real.name).
				help("the values that are folded must not depend on the accumulator; assign them to another tensor first")
		case n.isLeaf() && n.constant == nil && n.real == nil:
			in.fail(source.CodeTeMLName, n.pos, "%s is read before it has a value", a.real.name).help("assign it first, or make it the accumulator: t = add(t, x, [I, ] -> I)")
		case n.isLeaf() && n.real == a.real && !sameList(n.iters.list, a.subscripts):
			in.fail(source.CodeTeMLTarget, n.pos, "%s reads elements of itself at %s and writes %s", a.real.name, n.iters, expressions(a.subscripts)).
				help("an assignment computes all values before it writes any, so this is no recurrence; assign another tensor")
		}
	})
}

// typed checks that all tensors have one element type.
func (a *assignment) typed(in *interpreter, right *Tree, isNew bool) {
	dtype, first := a.real.dtype, "the assigned "+a.real.name
	if isNew {
		dtype = tensor.Invalid
	}
	right.walk(func(n *Tree) {
		if !n.isLeaf() || n.real == nil {
			return
		}
		if dtype == tensor.Invalid {
			dtype, first = n.real.dtype, n.real.name
		}
		if n.real.dtype != dtype {
			in.fail(source.CodeTeMLType, n.pos, "%s has elements of type %s, and %s of type %s", n.real.name, n.real.dtype, first, dtype).
				note(n.real.pos, "%s is introduced here", n.real.name).help("the tensors of a statement have one element type")
		}
	})
	if dtype == tensor.Invalid {
		dtype = in.dtype
	}
	right.walk(func(n *Tree) {
		if n.constant != nil && !n.constant.fits(dtype) {
			in.fail(source.CodeTeMLType, n.pos, "%s is no value of type %s", n.label(), dtype).help("give a whole number, or take tensors of a floating-point type")
		}
		if op, ok := binaryOps[n.op]; ok && op.IsBitwise() && !dtype.IsInteger() {
			in.fail(source.CodeTeMLType, n.pos, "%s works on the bits of integers, and the elements are of type %s", n.op, dtype).help("take tensors of integers: tensor(int32, […])")
		}
	})
	a.real.dtype = dtype
}

// introduce gives a tensor that was not introduced the inferred shape.
func (a *assignment) introduce(in *interpreter) {
	a.real.shape = []affine.Expr{}
	for n, e := range a.subscripts {
		name, isName := e.IsSymbol()
		if slices.ContainsFunc(a.subscripts[:n], e.Equal) {
			in.fail(source.CodeTeMLUndeclared, a.pos, "the subscript %s of %s is there twice, so that only a diagonal is assigned", e, a.real.name).
				help("introduce the tensor, whose other elements keep their values: %s = tensor([…])", a.real.name)
		}
		if !isName || in.sizes[name] != nil {
			in.fail(source.CodeTeMLUndeclared, a.pos, "the shape of %s does not follow from the subscript %s", a.real.name, e).
				help("introduce it: %s = tensor([…])", a.real.name)
		}
		b := a.ranges.of[name]
		if lo, ok := b.Min.IsConst(); !ok || lo != 0 {
			in.fail(source.CodeTeMLUndeclared, a.pos, "the iterator %s runs from %s, and the elements of %s before that are not assigned", name, b.Min, a.real.name).
				help("introduce %s with tensor, so that it is clear what the rest is", a.real.name)
		}
		a.real.shape = append(a.real.shape, b.Extent)
	}
}

// target checks that each element is written once.
func (a *assignment) target(in *interpreter) {
	left := in.names(a.subscripts)
	for _, name := range left {
		if !slices.ContainsFunc(a.subscripts, func(e affine.Expr) bool {
			names := in.names([]affine.Expr{e})
			return len(names) == 1 && names[0] == name
		}) {
			in.fail(source.CodeTeMLTarget, a.pos, "the iterator %s stands alone in none of the subscripts %s on the left, so an element may be written twice", name, expressions(a.subscripts)).
				help("give each iterator of the left side a dimension of its own")
		}
	}
	a.whole = true
	for d, e := range a.subscripts {
		name, isName := e.IsSymbol()
		b, known := a.ranges.of[name]
		if !isName || !known || slices.ContainsFunc(a.subscripts[:d], e.Equal) || !b.Min.Equal(affine.Const(0)) || !b.Extent.Equal(a.real.shape[d]) {
			a.whole = false
		}
	}
}

// sums pulls sums outwards through products, and gives the others temporaries.
func (a *assignment) sums(in *interpreter) {
	hasSums := len(a.value.boundNames()) > 0
	if (a.fold == "" || a.fold == "+" || a.fold == "-") && !a.value.reads(a.real) {
		var pulled []string
		a.value, pulled = pull(a.value)
		if len(pulled) > 0 {
			a.reduced = append(a.reduced, pulled...)
			if a.fold == "" {
				a.fold, a.fresh = "+", true
			}
		}
	}
	if hasSums {
		a.value = a.separate(in, a.value)
	}
}

// pull removes the sums that stand under products only; it returns what they bind.
func pull(t *Tree) (*Tree, []string) {
	switch t.op {
	case sumOp:
		inner, names := pull(t.children[0])
		return inner, append(slices.Clone(t.bound), names...)
	case "*":
		c := *t
		x, left := pull(t.children[0])
		y, right := pull(t.children[1])
		c.children = []*Tree{x, y}
		return &c, append(left, right...)
	}
	return t, nil
}

// separate computes the sums in a value by statements of their own.
func (a *assignment) separate(in *interpreter, t *Tree) *Tree {
	if t.op != sumOp {
		c := *t
		c.children = make([]*Tree, len(t.children))
		for n, child := range t.children {
			c.children[n] = a.separate(in, child)
		}
		return &c
	}
	value, reduced := pull(t)
	value = a.separate(in, value)
	temp := &real{pos: a.pos, name: in.freshReal(a.real.name + "_sum"), dtype: a.real.dtype, shape: []affine.Expr{}, declared: true}
	in.reals[temp.name] = temp
	var subscripts []affine.Expr
	for _, name := range t.free {
		b := a.ranges.of[name]
		temp.shape = append(temp.shape, b.Extent)
		subscripts = append(subscripts, affine.Symbol(name).Sub(b.Min))
	}
	use := &Tree{pos: t.pos, real: temp, shape: temp.shape, iters: listed(subscripts), free: t.free}
	left := *use
	a.before = append(a.before, &assignment{
		pos: a.pos, meant: a.meant, real: temp, subscripts: subscripts, value: value, fold: "+", fresh: true, reduced: reduced, ranges: a.ranges, whole: true,
		order: orderOf(t.free, value), tree: &Tree{pos: t.pos, op: assignOp, children: []*Tree{&left, t}},
	})
	return use
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^i[1-9][0-9]{0,8}$`) })

// orderOf is the order in which build nests the loops (19): iterators that are all
// called i1, i2, … by number; others in the order of the left side, then of first
// appearance on the right.
func orderOf(left []string, value *Tree) []string {
	order := slices.Clone(left)
	value.walk(func(n *Tree) {
		if !n.isLeaf() {
			return
		}
		for _, name := range n.free {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	})
	if !slices.ContainsFunc(order, func(name string) bool { return !numbered().MatchString(name) }) {
		slices.SortFunc(order, func(x, y string) int {
			n, _ := strconv.Atoi(x[1:])
			m, _ := strconv.Atoi(y[1:])
			return n - m
		})
	}
	return order
}

// String writes the assignment for people: "C[i, j] += …".
func (a *assignment) String() string {
	return fmt.Sprintf("%s%s", a.real.name, expressions(a.subscripts))
}
