package loop

import (
	"github.com/ricci-lang/ricci/tensor"
)

// A Lead is how many elements there are from Buffer[Index] to the next boundary of memory
// that Lanes elements are apart: from 0 to Lanes−1. The element need not exist. Where
// arguments begin a caller chooses, so that nothing but time may depend on the number;
// the evaluator has one that is rarely 0.
type Lead struct {
	Buffer *Buffer
	Index  Expr
	Lanes  int
}

func (*Lead) expr() {}

// Type returns the type of the value.
func (e *Lead) Type() Type { return Scalar(tensor.Int64) }

// lead checks a Lead.
func (v *verifier) lead(e *Lead) {
	v.require(e.Buffer != nil && e.Buffer.Type.Lanes == 1 && isLanes(e.Lanes), "a lead of %d lanes", e.Lanes)
	_, isLive := v.live[e.Buffer]
	v.require(isLive, "a lead of buffer %s outside its alloc", e.Buffer.Name)
	v.require(v.expr(e.Index) == Scalar(tensor.Int64), "a lead of %s at a subscript of type %s", e.Buffer.Name, e.Index.Type())
}

// lead gives a Lead an atom, of which nothing but the range is known.
func (p *prover) lead(e *Lead) affineForm {
	key := p.text.expr(e, 0)
	f, ok := p.here[key]
	if !ok {
		f = atomForm(p.atom(key, atomVariable, affineForm{}, affineForm{}, 0, int64(e.Lanes)-1))
		p.here[key] = f
	}
	return f
}

// lead evaluates a Lead.
func (ev *evaluator) lead(e *Lead) []uint64 {
	const behind = 3 // so many elements behind a boundary every buffer begins
	at := int64(ev.expr(e.Index)[0])
	return ev.lane(uint64(-(at + behind)) & uint64(e.Lanes-1))
}
