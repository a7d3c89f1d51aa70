package ein

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
)

// How canonical names work
//
// Names carry no meaning, so the canonical form replaces them by position: sizes
// n0, n1, … and tensors t0, … in the order of declaration (which is also the
// order of the arguments), indices i0, … of each comprehension from the outermost,
// locals and operator parameters x0, … and operators op0, … in the order of first
// use. Extents are polynomials whose terms are sorted by name; renaming by
// position sorts them anew. Reasons of conditions are dropped.

// Canonical returns the text of the function without the user's names and
// spans. Functions of the same text compute the same from the same arguments in
// the same order.
func Canonical(f *Func) string { return Print(WithoutNames(f)) }

// WithoutNames returns a copy of the function with the names of its canonical
// form; the spans stay.
func WithoutNames(f *Func) *Func {
	env := map[string]affine.Expr{}
	for n, s := range f.Sizes {
		env[s.Name] = affine.Symbol(fmt.Sprintf("n%d", n))
	}
	names := newCanonicalNames()
	g := f.Substitute(env)
	g.Name = "f"
	for n, s := range g.Sizes {
		s.Name = fmt.Sprintf("n%d", n)
	}
	for n, t := range g.Tensors {
		t.Name = fmt.Sprintf("t%d", n)
	}
	for _, r := range g.Requires {
		r.Reason = ""
	}
	named := 0
	for _, o := range operatorsOf(g) {
		if o.Kind == UserDefined {
			o.Name = fmt.Sprintf("op%d", named)
			names.rename(o)
			named++
		}
	}
	for _, c := range g.Body {
		for n, i := range c.Indices {
			i.Name = fmt.Sprintf("i%d", n)
		}
		for _, v := range c.Values {
			names.lets(v)
		}
	}
	return g
}

// canonicalNames numbers locals in the order of the text.
type canonicalNames struct{ seen map[*Local]bool }

func newCanonicalNames() *canonicalNames { return &canonicalNames{seen: map[*Local]bool{}} }

func (n *canonicalNames) local(l *Local) {
	if !n.seen[l] {
		l.Name = fmt.Sprintf("x%d", len(n.seen))
		n.seen[l] = true
	}
}

func (n *canonicalNames) lets(e Expr) {
	Walk(e, func(e Expr) bool {
		if let, ok := e.(*Let); ok {
			n.local(let.Var)
		}
		return true
	})
}

// rename numbers the parameters of an operator, which is changed.
func (n *canonicalNames) rename(o *Operator) {
	for k := range o.Left {
		n.local(o.Left[k])
		n.local(o.Right[k])
	}
	for _, e := range append(append([]Expr(nil), o.Body...), o.Identity...) {
		n.lets(e)
	}
}

// operator returns a renamed copy.
func (n *canonicalNames) operator(o *Operator) *Operator {
	copied := newCopier(func(e affine.Expr) affine.Expr { return e }).operator(o)
	n.rename(copied)
	return copied
}
