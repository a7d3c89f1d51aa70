package teml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Tree is an element of the paper's domain T, Equation (1): a node (op, S, I) with
// its subtrees. Leaves are tensors, the placeholder □ and, beyond the paper,
// constants; the other nodes are operations, sums (Σ) and assignments (=).
type Tree struct {
	pos      source.Span
	op       string        // of a node that is no leaf
	real     *real         // of a leaf that is a tensor
	constant *constant     // of a leaf that is a constant
	shape    []affine.Expr // S; nil and shapeless for •
	iters    iterators     // I
	entries  []source.Span // where the iterators of a leaf stand; empty if a function made them
	bound    []string      // of Σ: the iterators that it binds
	children []*Tree
	// free lists the free iterators in order: of first appearance, or in the order in
	// which the expression was given others. Giving it a list of iterators replaces them
	// in this order.
	free []string
	// fresh marks an accumulator that starts at the neutral element of its operation.
	fresh      bool
	assignment *assignment // of =, once a statement has filled the placeholder
}

// The nodes with a meaning of their own.
const (
	assignOp = "="
	sumOp    = "Σ"
)

// iterators is the third component of a node: not applicable (•), not set yet (ε), or
// a list of subscripts.
type iterators struct {
	state iteratorState
	list  []affine.Expr
}

type iteratorState uint8

const (
	notApplicable iteratorState = iota
	unset
	given
)

// A real tensor is backed by memory in the generated program.
type real struct {
	pos      source.Span
	name     string
	dtype    tensor.DType
	shape    []affine.Expr
	declared bool // by tensor or scalar; else by an assignment
	local    bool // introduced by a function, which has chosen the name
	hidden   bool // a temporary of an imported def
	// initialised is set between an init and the next assignment.
	initialised bool
}

// A constant is a leaf with a value: a literal, or a number that is made of sizes.
type constant struct{ value value }

// isLeaf reports whether a tree is a tensor, a constant or the placeholder.
func (t *Tree) isLeaf() bool { return t.op == "" }

// isAssignment reports whether the root is the node (=, •, •).
func (t *Tree) isAssignment() bool { return t.op == assignOp }

// target is the left side of an assignment.
func (t *Tree) target() *Tree { return t.children[0] }

// String writes the tree as the paper does: ⟨(op, S, I), [t1, …]⟩.
func (t *Tree) String() string {
	parts := make([]string, len(t.children))
	for n, c := range t.children {
		parts[n] = c.String()
	}
	return fmt.Sprintf("⟨%s, [%s]⟩", t.node(), strings.Join(parts, ", "))
}

func (t *Tree) node() string {
	shape := expressions(t.shape)
	if t.isAssignment() {
		shape = "•"
	}
	return fmt.Sprintf("(%s, %s, %s)", t.label(), shape, t.iters)
}

func (t *Tree) label() string {
	switch {
	case t.op == sumOp:
		return sumOp + " " + strings.Join(t.bound, " ")
	case t.op != "":
		return t.op
	case t.constant != nil:
		return t.constant.value.String()
	case t.real != nil:
		return t.real.name
	}
	return "□"
}

// String writes •, ε, or the list.
func (i iterators) String() string {
	switch i.state {
	case notApplicable:
		return "•"
	case unset:
		return "ε"
	}
	return expressions(i.list)
}

func expressions(exprs []affine.Expr) string {
	parts := make([]string, len(exprs))
	for n, e := range exprs {
		parts[n] = e.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// walk calls visit for all nodes, parents first, from the left.
func (t *Tree) walk(visit func(*Tree)) {
	visit(t)
	for _, c := range t.children {
		c.walk(visit)
	}
}

// rewrite returns a copy in which each node was changed by change, children first.
func (t *Tree) rewrite(change func(*Tree)) *Tree {
	c := *t
	c.children = make([]*Tree, len(t.children))
	for n, child := range t.children {
		c.children[n] = child.rewrite(change)
	}
	change(&c)
	return &c
}

// fill is x[id/□]: it puts a tensor in the place of the placeholder.
func (t *Tree) fill(r *real) *Tree {
	return t.rewrite(func(n *Tree) {
		if n.isLeaf() && n.real == nil && n.constant == nil {
			n.real = r
		}
	})
}

// hasPlaceholder reports whether an identifier is still to be filled in.
func (t *Tree) hasPlaceholder() bool {
	found := false
	t.walk(func(n *Tree) { found = found || n.isLeaf() && n.real == nil && n.constant == nil })
	return found
}

// names lists the iterators of subscripts in order, without the sizes.
func (in *interpreter) names(subscripts []affine.Expr) []string {
	var names []string
	for _, e := range subscripts {
		used := map[string]bool{}
		e.Symbols(used)
		for _, name := range sortedKeys(used) {
			if in.sizes[name] == nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// freeOf joins the free iterators of subtrees, without those that are bound.
func freeOf(children []*Tree, bound []string) []string {
	var names []string
	for _, c := range children {
		for _, name := range c.free {
			if !slices.Contains(names, name) && !slices.Contains(bound, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// substitute replaces iterators everywhere; those that are bound must have names that
// no replacement uses.
func (in *interpreter) substitute(t *Tree, env map[string]affine.Expr) *Tree {
	return t.rewrite(func(n *Tree) {
		if n.iters.state == given {
			subscripts := make([]affine.Expr, len(n.iters.list))
			for k, e := range n.iters.list {
				subscripts[k] = e.Subst(env)
			}
			n.iters.list = subscripts
		}
		var names []string
		for _, name := range n.free {
			e, replaced := env[name]
			if !replaced {
				e = affine.Symbol(name)
			}
			for _, new := range in.names([]affine.Expr{e}) {
				if !slices.Contains(names, new) {
					names = append(names, new)
				}
			}
		}
		n.free = names
	})
}

// boundNames lists the iterators that sums in the tree bind.
func (t *Tree) boundNames() []string {
	var names []string
	t.walk(func(n *Tree) { names = append(names, n.bound...) })
	return names
}

// apart renames the bound iterators of a tree that have a name of the list.
func (in *interpreter) apart(t *Tree, taken []string) *Tree {
	bound := t.boundNames()
	env := map[string]affine.Expr{}
	renamed := map[string]string{}
	for _, name := range bound {
		if !slices.Contains(taken, name) || renamed[name] != "" {
			continue
		}
		fresh := name
		for n := 2; slices.Contains(taken, fresh) || slices.Contains(bound, fresh) || slices.Contains(t.free, fresh) || in.sizes[fresh] != nil; n++ {
			fresh = fmt.Sprintf("%s_%d", name, n)
		}
		renamed[name], env[name] = fresh, affine.Symbol(fresh)
		bound = append(bound, fresh)
	}
	if len(env) == 0 {
		return t
	}
	return t.rename(in, env, renamed)
}

// rename renames iterators inside of the sums that bind them.
func (t *Tree) rename(in *interpreter, env map[string]affine.Expr, renamed map[string]string) *Tree {
	inside := map[string]affine.Expr{}
	c := *t
	if t.op == sumOp {
		c.bound = slices.Clone(t.bound)
		for k, name := range c.bound {
			if e, ok := env[name]; ok {
				c.bound[k], inside[name] = renamed[name], e
			}
		}
	}
	c.children = make([]*Tree, len(t.children))
	for n, child := range t.children {
		c.children[n] = child.rename(in, env, renamed)
		if len(inside) > 0 {
			c.children[n] = in.substitute(c.children[n], inside)
		}
	}
	return &c
}
