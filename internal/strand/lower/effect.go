package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// What strands leave behind besides their states
//
// A strand that creates others keeps their parameters in a list, in the order in which it creates them. What it prints is a list of
// integers, and one of reals: of each message its number in Kernel.Messages, the step, and the values of its variables, those of
// a sequence of any length behind its length. Where new strands print when they begin, NewText stands where their texts belong.
// Who called reads both lists behind a call, and makes the lengths 0.

// NewText is the number of what a strand prints that is created.
const NewText = -1

// effects adds the lists.
func (g *generator) effects() {
	var prints, creates bool
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			switch s.(type) {
			case *strand.Message:
				prints = true
			case *strand.New:
				creates = true
			}
		})
	}
	if creates {
		l := List{Name: "born", Strands: true, Born: true}
		for _, v := range g.p.ByRole(strand.Parameter) {
			for _, p := range v.Parts {
				l.Columns = append(l.Columns, p.DType)
			}
		}
		g.born = g.newList(l)
		g.left = append(g.left, g.born)
	}
	if prints {
		g.words = g.newList(List{Name: "printed", Columns: []tensor.DType{tensor.Int64}, Strands: true, Printed: IntegerWords})
		g.realWords = g.newList(List{Name: "printed_reals", Columns: []tensor.DType{g.p.Real}, Strands: true, Printed: RealWords})
		g.left = append(g.left, g.words, g.realWords)
	}
	g.mayFill = g.mayFill || prints || creates
}

// storeLeft writes how much the lanes leave behind that are done.
func (g *generator) storeLeft(done loop.Expr) {
	for _, l := range g.left {
		g.emit(&loop.Store{Buffer: l.lengths, Index: g.first, Value: g.load(l.length), Mask: done})
	}
}

// bear notes a new strand, which is none where the lane has failed before.
func (g *generator) bear(s *strand.New) {
	var values []loop.Expr
	for _, e := range s.Arguments {
		values = append(values, g.named("given", e))
	}
	g.where(g.let("sound", g.isSound()), func() {
		g.put(g.born, values...)
		if g.words != nil {
			g.put(g.words, loop.Int(NewText))
			g.put(g.words, g.now)
		}
	})
}

// message notes what a strand prints, but nothing where the lane has failed before: such a lane never asks for more room, so
// that a part of a message could be lost.
func (g *generator) message(s *strand.Message) {
	g.where(g.let("sound", g.isSound()), func() { g.note(s) })
}

func (g *generator) note(s *strand.Message) {
	g.put(g.words, loop.Int(int64(len(g.kernel.Messages))))
	g.put(g.words, g.now)
	g.kernel.Messages = append(g.kernel.Messages, s)
	for _, part := range s.Parts {
		v := part.Variable
		if v == nil {
			continue
		}
		word := func(e loop.Expr) {
			if v.Type.Elem == strand.Real {
				g.put(g.realWords, e)
			} else {
				g.put(g.words, integerOf(e))
			}
		}
		if !v.Type.Dynamic {
			for _, l := range v.Parts {
				word(g.let(l.Name, g.read(l)))
			}
			continue
		}
		count := g.let("length", g.length(v))
		g.put(g.words, count)
		if g.isEmpty(v) {
			continue
		}
		read := g.reader(v)
		g.turns("element", count, nil, func(k loop.Expr) {
			for _, e := range read(k) {
				word(g.let("word", e))
			}
		})
	}
}

// integerOf is a value that is no real as an int64.
func integerOf(e loop.Expr) loop.Expr {
	if e.Type().Elem == tensor.Bool {
		return choose(e, loop.Wide(loop.Int(1), e.Type().Lanes), loop.Int(0))
	}
	return cast(tensor.Int64, e)
}

// begins is the condition that a strand has not run its start: it was created in the last step.
func (g *generator) begins(k *packet) loop.Expr {
	ended := &loop.Load{Buffer: g.ended, Index: g.first, Lanes: g.lanes, Mask: g.valid}
	return binary(ein.Eq, ended, k.from)
}
