package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How sequences are read
//
// A sequence of fixed length is its scalars: a loop over it is written out, and an element at a place that is computed is chosen
// among them, unless these are many, which are laid down in a list first. One of any length that belongs to the world is an array of a length that is compiled in, or a parameter
// where blocks of the world change it; those of strands are lists (list.go). A place outside fails the lane, as a probe outside does.

// length is the number of elements.
func (g *generator) length(v *strand.Variable) loop.Expr {
	if l, ok := g.lists[v]; ok {
		return g.countOf(l)
	}
	if n, ok := g.scalars[v]; ok {
		return g.let("length", binary(ein.Div, n, loop.Int(int64(v.Type.Element().Width()))))
	}
	return loop.Int(g.knownLength(v))
}

// isEmpty reports whether a sequence never has elements.
func (g *generator) isEmpty(v *strand.Variable) bool {
	_, varies := g.scalars[v]
	return g.lists[v] == nil && !varies && g.knownLength(v) == 0
}

// knownLength is that of a sequence that is no list.
func (g *generator) knownLength(v *strand.Variable) int64 {
	width := v.Type.Element().Width()
	if v.Type.Dynamic {
		return int64(g.o.Sequences[v.Name] / width)
	}
	return int64(len(v.Parts) / width)
}

// mostUnrolled is how many elements of a fixed number a loop over them is written out for, and a choice among them.
const mostUnrolled = 64

// isLong reports whether a sequence of fixed length has more.
func isLong(v *strand.Variable) bool {
	return !v.Type.Dynamic && len(v.Parts) > mostUnrolled*v.Type.Element().Width()
}

// laid is a list of the elements of a sequence of fixed length.
func (g *generator) laid(v *strand.Variable) *list {
	l, elements := g.another(v), g.fixed(v)
	count := loop.Int(int64(len(elements)))
	g.lack(l, binary(ein.Lt, l.room, count))
	g.where(binary(ein.Ge, l.room, count), func() {
		for k, e := range elements {
			g.set(l, loop.Int(int64(k)), e...)
		}
		g.store(l.length, count)
	})
	return l
}

// sequences adds the arrays of those of the world that are read.
func (g *generator) sequences() {
	read, changed := map[*strand.Variable]bool{}, map[*strand.Variable]bool{}
	for _, b := range []strand.Block{g.p.GlobalStart, g.p.GlobalUpdate} {
		strand.Walk(b, func(s strand.Stmt) {
			if build, ok := s.(*strand.Build); ok {
				changed[build.To] = true
			}
		})
	}
	g.scalars = map[*strand.Variable]loop.Expr{}
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			for _, v := range sequencesRead(s) {
				read[v] = v.Type.Dynamic && g.lists[v] == nil
			}
			if l, ok := s.(*strand.Length); ok && changed[l.Sequence] {
				read[l.Sequence] = true
			}
		})
	}
	for _, v := range g.p.Variables {
		if !read[v] {
			continue
		}
		elements := Argument{Kind: Elements, Name: v.Name, Type: g.p.DType(v.Type.Elem), Sequence: v}
		if changed[v] {
			n := g.numberOf(Scalars, v.Name+"_scalars")
			g.kernel.Arguments[len(g.kernel.Arguments)-1].Sequence = v
			g.scalars[v], g.arrays[v] = n, g.array(elements, 0, binary(ein.Add, n, loop.Int(1)))
			g.arrays[v].ReadOnly = true
		} else {
			g.arrays[v] = g.array(elements, int64(max(1, g.o.Sequences[v.Name])), nil)
		}
	}
}

// element reads an element at a place that is computed.
func (g *generator) element(s *strand.Element) {
	at := g.let("at", cast(tensor.Int64, g.expr(s.At)))
	count, width := g.length(s.Sequence), len(s.To.Parts)
	inside := g.let("inside", binary(ein.And, binary(ein.Ge, at, loop.Int(0)), binary(ein.Lt, at, count)))
	g.failing(s, inside, nil, at, count)
	values := g.chosen(s.Sequence, at, inside, width)
	for k, l := range s.To.Parts {
		values[k] = g.let(l.Name, values[k])
	}
	for k, l := range s.To.Parts {
		g.assign(l, values[k])
	}
}

// chosen has the scalars of the element at a place; of none where that is outside.
func (g *generator) chosen(v *strand.Variable, at, inside loop.Expr, width int) (values []loop.Expr) {
	if l, ok := g.lists[v]; ok {
		return g.elementOf(l, at, width)
	}
	if g.scalars[v] != nil {
		return g.item(v, at, width)
	}
	if isLong(v) {
		return g.elementOf(g.laid(v), at, width)
	}
	count := g.knownLength(v)
	if count > 0 && v.Type.Dynamic {
		return g.item(v, g.let("safe", choose(inside, at, loop.Int(0))), width)
	}
	for k := range width {
		if count == 0 {
			values = append(values, &loop.Const{Elem: g.p.DType(v.Type.Elem)})
			continue
		}
		value := g.read(v.Parts[k])
		for n := int64(1); n < count; n++ {
			value = choose(binary(ein.Eq, at, loop.Int(n)), g.read(v.Parts[int(n)*width+k]), value)
		}
		values = append(values, value)
	}
	return values
}

// item reads the scalars of an element of an array of the world.
func (g *generator) item(v *strand.Variable, at loop.Expr, width int) (values []loop.Expr) {
	for k := range width {
		place := binary(ein.Add, binary(ein.Mul, at, loop.Int(int64(width))), loop.Int(int64(k)))
		if n, varies := g.scalars[v]; varies {
			place = clamped(place, n)
		}
		values = append(values, gather(g.arrays[v], place))
	}
	return values
}

// reader returns what reads the elements of a sequence of any length, by their numbers.
func (g *generator) reader(v *strand.Variable) func(k loop.Expr) []loop.Expr {
	width := v.Type.Element().Width()
	if l, ok := g.lists[v]; ok {
		return func(k loop.Expr) []loop.Expr { return g.elementOf(l, k, width) }
	}
	if g.scalars[v] != nil {
		return func(k loop.Expr) []loop.Expr { return g.item(v, k, width) }
	}
	return func(k loop.Expr) []loop.Expr { // of a While nothing is known of k
		return g.item(v, g.let("k", clamped(k, loop.Int(g.knownLength(v)-1))), width)
	}
}

// fixed has the elements of a sequence of fixed length.
func (g *generator) fixed(v *strand.Variable) (elements [][]loop.Expr) {
	var all []loop.Expr
	for _, l := range v.Parts {
		all = append(all, g.let(l.Name, g.read(l)))
	}
	for e := range slices.Chunk(all, v.Type.Element().Width()) {
		elements = append(elements, e)
	}
	return elements
}

// forEach runs for the elements that there are before the loop.
func (g *generator) forEach(s *strand.ForEach) {
	v, width := s.Sequence, s.Sequence.Type.Element().Width()
	each := func(count loop.Expr, read func(k loop.Expr) []loop.Expr) {
		g.turns(s.Variable.Name, count, g.goesOn(s.Body), func(k loop.Expr) {
			for n, e := range read(k) {
				g.assign(s.Variable.Parts[n], e)
			}
			g.stmts(s.Body)
		})
	}
	switch {
	case isLong(v):
		l := g.laid(v)
		each(loop.Int(g.knownLength(v)), func(k loop.Expr) []loop.Expr { return g.elementOf(l, k, width) })
		return
	case !v.Type.Dynamic:
		g.elements(s, g.fixed(v))
		return
	}
	_, isList := g.lists[v]
	if g.isEmpty(v) {
		return
	}
	read, count := g.reader(v), g.length(v)
	if isList && changes(s.Body, v) {
		other := g.another(v)
		g.putAll(other, count, read)
		read, count = func(k loop.Expr) []loop.Expr { return g.elementOf(other, k, width) }, g.countOf(other)
	}
	each(count, read)
}

// another is an empty list with elements such as those of a sequence.
func (g *generator) another(v *strand.Variable) *list {
	l := g.ofSequence(v, 0)
	g.scope = append(g.scope, l.length)
	g.store(l.length, loop.Int(0))
	return l
}

// changes reports whether a block changes the elements that a sequence has, which more behind them do not.
func changes(b strand.Block, v *strand.Variable) (does bool) {
	strand.Walk(b, func(s strand.Stmt) {
		build, ok := s.(*strand.Build)
		does = does || sets(s, v) && !(ok && grows(build))
	})
	return does
}

// grows reports whether a sequence is built of its own elements, and others behind them.
func grows(s *strand.Build) bool { return len(s.Items) > 0 && s.Items[0].Sequence == s.To }

// build sets a list. Where it is among its own items, but not the first one, another list is built before.
func (g *generator) build(s *strand.Build) {
	to, items := g.lists[s.To], s.Items
	isOwn := func(i strand.Item) bool { return i.Sequence == s.To }
	switch {
	case grows(s):
		items = items[1:]
	case slices.ContainsFunc(items, isOwn):
		other := g.another(s.To)
		g.putItems(other, items)
		g.store(to.length, loop.Int(0))
		g.putAll(to, g.countOf(other), func(k loop.Expr) []loop.Expr { return g.elementOf(other, k, len(other.columns)) })
		return
	default:
		g.store(to.length, loop.Int(0))
	}
	g.putItems(to, items)
}

// putItems puts items behind the elements of a list, which may be among them as it was before.
func (g *generator) putItems(to *list, items []strand.Item) {
	counts := make([]loop.Expr, len(items))
	for k, i := range items {
		if i.Sequence != nil {
			counts[k] = g.length(i.Sequence)
		}
	}
	for k, i := range items {
		switch {
		case i.Sequence == nil:
			var values []loop.Expr
			for _, e := range i.Parts {
				values = append(values, g.named("item", e))
			}
			g.put(to, values...)
		case !i.Sequence.Type.Dynamic:
			for _, e := range g.fixed(i.Sequence) {
				g.put(to, e...)
			}
		case g.isEmpty(i.Sequence):
		default:
			g.putAll(to, counts[k], g.reader(i.Sequence))
		}
	}
}

// elements writes out a loop.
func (g *generator) elements(s *strand.ForEach, elements [][]loop.Expr) {
	if len(elements) == 0 {
		return
	}
	for k, l := range s.Variable.Parts {
		g.assign(l, elements[0][k])
	}
	g.stmts(s.Body)
	rest := func() { g.elements(s, elements[1:]) }
	switch {
	case endsBlock(s.Body):
	case mayExit(s):
		g.goOn(rest)
	default:
		rest()
	}
}
