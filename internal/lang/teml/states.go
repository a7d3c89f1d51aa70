package teml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// How states are written
//
// trees writes σ1, σ2, … in the paper's notation. A tensor expression is written as the
// tree that it is. A loop is written as Equations (19) to (25) say: each loop by its
// iterator, the statements as trees whose subscripts are over these iterators, and what
// is written out as its copies. A nest holds neither copies nor subscripts (package
// transform), so both are made here: the values that the indices of a statement have
// in its loops go into the subscripts of its tree.

// trees writes what each statement does to the state, in the paper's notation.
func trees(file *source.File, options lang.Options) (string, error) {
	parsed, known, _, diagnostics := parse(file, options)
	if err := diagnostics.Err(); err != nil {
		return "", err
	}
	in := newRun(file, diagnostics, nil, known)
	in.traced = true
	in.run(parsed)
	if err := diagnostics.Err(); err != nil {
		return "", err
	}
	return in.states("∅"), nil
}

// Trees writes what each statement of a script for a function does to the state: as Run, for a
// script that has no heading.
func Trees(f *ein.Func, m *machine.Processor, name, text string) (string, error) {
	p, err := parseScript(f, m, name, text)
	if err != nil {
		return "", err
	}
	diagnostics := &source.Diagnostics{}
	in := newRun(p.file, diagnostics, p.def, p.known)
	in.traced = true
	in.run(p.parsed)
	if err := diagnostics.Err(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\n  σ0 = %s\n%s", f.Name, externalState(f), in.states("σ0")), nil
}

// states writes the states of a run, of which the first is that before it.
func (in *interpreter) states(before string) string {
	var b strings.Builder
	for n, t := range in.history {
		fmt.Fprintf(&b, "%s\n", strings.Join(strings.Fields(t.pos.Text()), " "))
		after := fmt.Sprintf("σ%d", n+1)
		fmt.Fprintf(&b, "  %s = %s{%s ↦ %s}\n", after, before, t.target, t.value)
		before = after
	}
	return b.String()
}

// written is the value of an identifier in the paper's notation.
func (in *interpreter) written(v value) string {
	switch v := v.(type) {
	case loop:
		return in.writtenLoop(v)
	case list:
		parts := make([]string, len(v))
		for n, item := range v {
			parts[n] = in.written(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *Tree:
		return in.writtenTree(v)
	}
	return v.String()
}

// writtenTree writes a tensor expression; where its free iterators have another order than
// they are met in, as behind vtranspose, an arrow at the root says which (Equation (32)).
func (in *interpreter) writtenTree(t *Tree) string {
	var met []string
	t.walk(func(n *Tree) {
		for _, name := range in.names(n.iters.list) {
			if slices.Contains(t.free, name) && !slices.Contains(met, name) {
				met = append(met, name)
			}
		}
	})
	if t.isAssignment() || slices.Equal(met, t.free) {
		return t.String()
	}
	return fmt.Sprintf("⟨(→ %s, %s, •), [%s]⟩", expressions(symbols(t.free)), expressions(in.shapeOf(symbols(t.free), t)), t)
}

// writtenLoop writes a nest. Where a transformation waits for sizes, so does what it yields.
func (in *interpreter) writtenLoop(l loop) string {
	if l.waiting != "" {
		return l.waiting + ", once the sizes are known"
	}
	w := &loopWriter{in: in, nest: l.nest, copies: 1}
	parts := w.items(l.nest.Items(nil), nil)
	if len(parts) == 1 && strings.HasPrefix(parts[0], "⟨") && !strings.HasPrefix(parts[0], "⟨(") {
		return parts[0]
	}
	return "⟨•, [" + strings.Join(parts, ", ") + "]⟩" // Equation (3)
}

// A loopWriter writes the items of a nest.
type loopWriter struct {
	in     *interpreter
	nest   *transform.Nest
	copies int64 // that the loops around write out, all in all
}

// manyCopies is how many copies are written before some are left out.
const manyCopies = 64

// items writes what stands side by side; at has the iterators of the loops around that
// are written out, with their values.
func (w *loopWriter) items(list []transform.Item, at map[string]affine.Expr) []string {
	var parts []string
	for _, item := range list {
		switch {
		case item.Loop == nil:
			parts = append(parts, w.statement(item, at))
		case item.Loop.Unrolled:
			parts = append(parts, w.unrolled(item, at)...)
		default:
			parts = append(parts, fmt.Sprintf("⟨%s, [%s]⟩", item.Loop.Name, strings.Join(w.items(item.Body, at), ", ")))
		}
	}
	return parts
}

// unrolled is Equation (25): k = (e - b) / s + 1 copies of the body, in copy j of which
// the iterator is s·j + b. Loops over blocks count blocks, so that s is 1. The last
// block of a loop that was cut may have fewer iterations: its last copies have a
// condition then, as they do not exist there.
func (w *loopWriter) unrolled(item transform.Item, at map[string]affine.Expr) []string {
	l := *item.Loop
	lower, upper := l.Lower.Subst(at), l.Upper.Subst(at)
	outer := w.copies
	w.copies *= max(l.Trips, 1)
	defer func() { w.copies = outer }()
	var parts []string
	for j := int64(0); j < l.Trips; j++ {
		if w.copies > manyCopies && l.Trips > 3 && j == 2 {
			parts = append(parts, "…")
			j = l.Trips - 1
		}
		inner := map[string]affine.Expr{l.Name: lower.AddConst(j)}
		for name, v := range at {
			inner[name] = v
		}
		room := upper.Sub(inner[l.Name])
		if n, known := room.IsConst(); known && n < 0 {
			break
		} else if !known && l.Uneven && j > 0 { // no block is empty
			parts = append(parts, fmt.Sprintf("%s if %s", strings.Join(w.items(item.Body, inner), ", "), affine.Inequality(room)))
			continue
		}
		parts = append(parts, w.items(item.Body, inner)...)
	}
	return parts
}

// statement writes a statement of the nest with the values that its iterators have there.
func (w *loopWriter) statement(item transform.Item, at map[string]affine.Expr) string {
	if w.in.loops.external() {
		text := externalTree(w.nest.Func(), item.Statement, item.Others(w.nest.Func(), at))
		return text + guardsText(item, at)
	}
	for a, number := range w.in.loops.number {
		if number != item.Statement || w.nest.Func() != w.in.loops.all {
			continue
		}
		if a.part != nil {
			return externalTree(w.nest.Func(), item.Statement, item.Others(w.nest.Func(), at)) + guardsText(item, at)
		}
		values := map[string]affine.Expr{}
		for k, name := range a.order {
			values[name] = item.Values[k].Subst(at)
		}
		return w.in.substitute(w.in.inLoops(a), values).String() + guardsText(item, at)
	}
	return fmt.Sprintf("S%d", item.Statement)
}

// guardsText says for which iterations a statement is there.
func guardsText(item transform.Item, at map[string]affine.Expr) (text string) {
	word := " if "
	for _, g := range item.Guards {
		if n, known := g.Subst(at).IsConst(); !known || n < 0 {
			text, word = text+word+affine.Inequality(g.Subst(at)), " and "
		}
	}
	return text
}

// inLoops is the tree of an assignment as its loops compute it: without the sums whose
// iterators have become loops, and accumulating where those are.
func (in *interpreter) inLoops(a *assignment) *Tree {
	left := &Tree{real: a.real, shape: a.real.shape, iters: listed(a.subscripts), free: in.names(a.subscripts)}
	right := a.value
	if a.fill != nil {
		right = a.fill.tree()
	}
	if a.fold != "" {
		right = &Tree{op: a.fold, children: []*Tree{left, right}}
	}
	right = right.rewrite(func(n *Tree) {
		if !n.isLeaf() {
			if free := freeOf(n.children, n.bound); len(free) != len(n.free) { // sums have gone
				n.free, n.shape = free, make([]affine.Expr, len(free))
				for k, name := range free {
					n.shape[k] = a.ranges.of[name].Extent
				}
			}
		}
	})
	return &Tree{op: assignOp, children: []*Tree{left, right}}
}

// tree is what an init assigns.
func (f *fill) tree() *Tree {
	switch {
	case f.random:
		return &Tree{op: fmt.Sprintf("random %d", f.seed)}
	case f.value == nil:
		return &Tree{op: "iota"}
	}
	return &Tree{constant: &constant{value: f.value}}
}
