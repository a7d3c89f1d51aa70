package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How sequences are read
//
// A sequence of fixed length is its scalars: a loop over it is written out, and an element at a place that is computed is chosen
// among them. One of any length that belongs to the world is an array of a length that is compiled in; those of strands
// have no native form. A place outside fails the lane, as a probe outside does.

// length is the number of elements.
func (g *generator) length(v *strand.Variable) int64 {
	width := v.Type.Element().Width()
	if v.Type.Dynamic {
		return int64(g.o.Sequences[v.Name] / width)
	}
	return int64(len(v.Parts) / width)
}

// sequences adds the arrays of those of the world that are read.
func (g *generator) sequences() {
	read := map[*strand.Variable]bool{}
	for _, b := range []strand.Block{g.p.Create.Body, g.p.Begin, g.p.Start, g.p.Update, g.p.Stabilize} {
		strand.Walk(b, func(s strand.Stmt) {
			switch s := s.(type) {
			case *strand.Element:
				read[s.Sequence] = s.Sequence.Type.Dynamic
			case *strand.ForEach:
				read[s.Sequence] = s.Sequence.Type.Dynamic
			}
		})
	}
	for _, v := range g.p.Variables {
		if read[v] {
			g.arrays[v] = g.array(Argument{Kind: Elements, Name: v.Name, Type: g.p.DType(v.Type.Elem), Sequence: v}, int64(max(1, g.o.Sequences[v.Name])), nil)
		}
	}
}

// element reads an element at a place that is computed.
func (g *generator) element(s *strand.Element) {
	at := g.let("at", cast(tensor.Int64, g.expr(s.At)))
	count, width := g.length(s.Sequence), len(s.To.Parts)
	inside := g.let("inside", binary(ein.And, binary(ein.Ge, at, loop.Int(0)), binary(ein.Lt, at, loop.Int(count))))
	g.failing(s, inside, []loop.Expr{cast(g.p.Real, at)})
	values := make([]loop.Expr, width)
	for k, l := range s.To.Parts {
		values[k] = g.let(l.Name, g.chosen(s.Sequence, at, inside, count, width, k))
	}
	for k, l := range s.To.Parts {
		g.assign(l, values[k])
	}
}

// chosen is a scalar of the element at a place; of none where that is outside.
func (g *generator) chosen(v *strand.Variable, at, inside loop.Expr, count int64, width, k int) loop.Expr {
	if count == 0 {
		return &loop.Const{Elem: g.p.DType(v.Type.Elem)}
	}
	if v.Type.Dynamic {
		safe := g.let("safe", choose(inside, at, loop.Int(0)))
		return g.item(v, binary(ein.Add, binary(ein.Mul, safe, loop.Int(int64(width))), loop.Int(int64(k))))
	}
	value := g.read(v.Parts[k])
	for n := int64(1); n < count; n++ {
		value = choose(binary(ein.Eq, at, loop.Int(n)), g.read(v.Parts[int(n)*width+k]), value)
	}
	return value
}

// item reads a scalar of an array of the world.
func (g *generator) item(v *strand.Variable, at loop.Expr) loop.Expr {
	return &loop.Load{Buffer: g.arrays[v], Index: at, Lanes: at.Type().Lanes}
}

// forEach runs for the elements that there are before the loop.
func (g *generator) forEach(s *strand.ForEach) {
	if s.Sequence.Type.Dynamic {
		width, count := int64(len(s.Variable.Parts)), g.length(s.Sequence)
		if count == 0 {
			return
		}
		g.repeat(s.Variable.Name, loop.Int(count), s.Body, func(k loop.Expr) {
			k = g.let("k", binary(ein.Max, loop.Int(0), binary(ein.Min, k, loop.Int(count-1)))) // of a While nothing is known of it
			for n, l := range s.Variable.Parts {
				g.assign(l, g.item(s.Sequence, binary(ein.Add, binary(ein.Mul, k, loop.Int(width)), loop.Int(int64(n)))))
			}
		})
		return
	}
	var elements []loop.Expr
	for _, l := range s.Sequence.Parts {
		elements = append(elements, g.let(l.Name, g.read(l)))
	}
	g.elements(s, elements)
}

// elements writes out a loop.
func (g *generator) elements(s *strand.ForEach, elements []loop.Expr) {
	width := len(s.Variable.Parts)
	if len(elements) < width {
		return
	}
	for k, l := range s.Variable.Parts {
		g.assign(l, elements[k])
	}
	g.stmts(s.Body)
	rest := func() { g.elements(s, elements[width:]) }
	switch {
	case endsBlock(s.Body):
	case mayExit(s):
		g.goOn(rest)
	default:
		rest()
	}
}
