package loop

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How atomic updates work
//
// Items may combine values with one element of memory that they share, where nothing orders them: the device reads, combines and writes
// the element at once. What comes out is the same in every order, since the operators are those of integers that commute; floats have
// none. The text form is
//
//	atomic add bins[v] = 1
//
// Who reads the element, or stores to it, is ordered by barriers as everywhere. A grid has one operator for each buffer.

// An Atomic combines an element of memory that items share with a value, whatever other items do at the same time.
type Atomic struct {
	Buffer *Buffer // in local memory, or in arguments or the workspace; of int32 or uint32
	Index  Expr
	Op     ein.BinaryOp
	Value  Expr
}

func (*Atomic) stmt() {}

// atomicOps are the operators of updates, by their words in texts.
var atomicOps = []struct {
	op   ein.BinaryOp
	word string
}{{ein.Add, "add"}, {ein.Min, "min"}, {ein.Max, "max"}, {ein.BitAnd, "and"}, {ein.BitOr, "or"}, {ein.BitXor, "xor"}}

// AtomicWord is the word for an operator of atomic updates, such as "add"; empty: it is none.
func AtomicWord(op ein.BinaryOp) string {
	for _, a := range atomicOps {
		if a.op == op {
			return a.word
		}
	}
	return ""
}

// IsAtomic reports whether elements of a type may be updated by items that nothing orders.
func IsAtomic(d tensor.DType) bool { return d == tensor.Int32 || d == tensor.Uint32 }

func (p *printer) atomic(s *Atomic) {
	index := p.expr(s.Index, 0)
	p.line("atomic %s %s[%s] = %s", AtomicWord(s.Op), p.buffer(s.Buffer), index, p.expr(s.Value, 0))
}

// atomic reads an update behind its first word.
func (p *parser) atomic() *Atomic {
	var words []string
	s := &Atomic{}
	if !slices.ContainsFunc(atomicOps, func(a struct {
		op   ein.BinaryOp
		word string
	}) bool {
		words = append(words, a.word)
		s.Op = a.op
		return p.Accept(a.word)
	}) {
		p.Fail("", "%s", "an operator: "+strings.Join(words, ", "))
	}
	s.Buffer = p.buffer()
	p.expect("[")
	s.Index = p.expr()
	p.expect("]")
	p.expect("=")
	s.Value = p.expr()
	return s
}

// atomic checks an update.
func (v *verifier) atomic(s *Atomic) {
	b := s.Buffer
	v.require(v.inGrid != nil, "an atomic update outside of a grid")
	v.require(b != nil && !b.ReadOnly && (b.Region == Local || b.Region == Argument || b.Region == Workspace), "an atomic update of memory that items do not share, or do not write")
	v.require(IsAtomic(b.Type.Elem) && b.Type.Lanes == 1 && AtomicWord(s.Op) != "", "an atomic update of %s in %s", b.Name, b.Type)
	t := v.expr(s.Value)
	v.require(t == b.Type, "an atomic update of buffer %s of %s by a value of %s", b.Name, b.Type, t)
	op, known := v.updated[b]
	v.require(!known || op == s.Op, "atomic updates of %s by two operators in one grid", b.Name)
	v.updated[b] = s.Op
	v.access(b, s.Index, nil, 1, "atomic update of")
}

// atomic updates an element.
func (ev *evaluator) atomic(s *Atomic) {
	value := ev.expr(s.Value)[0]
	d := s.Buffer.Type.Elem
	at := ev.places(s.Buffer, s.Index, nil, 1)[0]
	ev.updates(s.Buffer, at)
	bytes := ev.memory[s.Buffer].bytes[at*uint64(d.Size()):]
	writeElement(d, bytes, ev.binary(s.Op, d, readElement(d, bytes), value))
}
