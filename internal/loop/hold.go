package loop

import "github.com/ricci-lang/ricci/tensor"

// A Hold is the vector X, in a register: a target keeps compilers from reading X again from memory wherever the
// value is used. It means X.
type Hold struct{ X Expr }

func (*Hold) expr() {}

// Type returns the type of the value.
func (e *Hold) Type() Type { return e.X.Type() }

// hold checks a Hold; scalars and masks are where compilers want them.
func (v *verifier) hold(e *Hold) {
	t := v.expr(e.X)
	v.require(t.Lanes > 1 && t.Elem != tensor.Bool, "no register holds a value of %s", t)
}
