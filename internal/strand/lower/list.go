package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How lists are kept whose lengths nobody knows
//
// Sequences of any length, what a query finds, the strands that a strand creates and what it prints are lists. A list has a slot
// of as many elements as Room says for each lane in flight (of a grid, each item), or for each strand where it outlives the packet; scalars of an element
// lie in columns, arrays of their own. Where a lane wants to put an element into a slot that is full, it ends as Full: nothing of it is
// written, so that who called may make more room, and run these strands alone once more from where the call began.
// What such a lane computes in the meantime is of no meaning, but reads and writes nothing outside: subscripts are brought
// between the ends of a column.
//
// A sequence that strands keep has two lists: that of the strand, and one in flight, to which the first is copied when a
// packet begins, and from which it is written at the end, unless the lane is Full. So the first list is what it was until the strand is done.

// A List is what its columns are.
type List struct {
	Name    string
	Columns []tensor.DType
	// Strands says that there is a slot for each strand, and that lengths lie beside states; otherwise there is one for each
	// lane of each block, or for each item.
	Strands bool
	// Sequence is the state that it is, Kept, or Of its copy at the start of a step, for others.
	Sequence *strand.Variable
	Before   bool
	// Born says that columns are the parameters of strands that are created, Printed which words of what is printed.
	Born    bool
	Printed Words
}

// Words are those that strands print.
type Words uint8

// The words: of a message its integers and its reals are in a list each.
const (
	NoWords Words = iota
	IntegerWords
	RealWords
)

// A list is a List in the kernel.
type list struct {
	number     int
	columns    []*loop.Buffer
	room, size loop.Expr    // of a slot, and of a column without the element at its end that nobody means
	length     *loop.Buffer // a register: of the lanes
	lengths    *loop.Buffer // of strands; nil where lanes have it in flight only
}

// newList adds a list and its parameters.
func (g *generator) newList(l List) *list {
	made := &list{number: len(g.kernel.Lists)}
	g.kernel.Lists = append(g.kernel.Lists, l)
	made.room = g.listNumber(Room, l.Name+"_room", made.number)
	made.size = g.listNumber(Size, l.Name+"_size", made.number)
	for c, t := range l.Columns {
		b := g.array(Argument{Kind: Column, Name: l.Name, Type: t, List: made.number, Axis: c}, 0, binary(ein.Add, made.size, loop.Int(1)))
		b.ReadOnly = l.Before
		made.columns = append(made.columns, b)
	}
	if l.Strands {
		made.lengths = g.array(Argument{Kind: Lengths, Name: l.Name + "_length", Type: tensor.Int64, List: made.number}, 0, binary(ein.Add, g.count, loop.Int(1)))
		made.lengths.ReadOnly = l.Before
	}
	if l.Sequence == nil {
		made.length = g.fresh.Buffer(l.Name+"_length", loop.Type{Elem: tensor.Int64, Lanes: g.lanes}, 1, loop.Register)
	}
	return made
}

func (g *generator) listNumber(kind Kind, name string, list int) loop.Expr {
	e := g.numberOf(kind, name)
	g.kernel.Arguments[len(g.kernel.Arguments)-1].List = list
	return e
}

// ofSequence is a list in flight for a sequence, with more columns of the same type.
func (g *generator) ofSequence(v *strand.Variable, more int) *list {
	return g.newList(List{Name: v.Name, Columns: slices.Repeat([]tensor.DType{g.p.DType(v.Type.Elem)}, v.Type.Element().Width()+more)})
}

// place is where element k of the slots of a packet is, between the ends of the columns.
func (l *list) place(g *generator, k loop.Expr) loop.Expr {
	slot := g.slot
	if l.lengths != nil {
		slot = g.index
	}
	return l.within(slot, k)
}

// within is where element k of a slot is.
func (l *list) within(slot, k loop.Expr) loop.Expr {
	return clamped(binary(ein.Add, binary(ein.Mul, slot, l.room), k), l.size)
}

// clamped brings a subscript between 0 and a number that is not negative.
func clamped(at, most loop.Expr) loop.Expr {
	return binary(ein.Max, loop.Int(0), binary(ein.Min, at, most))
}

// gather reads a column.
func gather(b *loop.Buffer, at loop.Expr) loop.Expr {
	return &loop.Load{Buffer: b, Index: at, Lanes: at.Type().Lanes}
}

// count is how many elements lanes have.
func (g *generator) countOf(l *list) loop.Expr { return g.let("length", g.load(l.length)) }

// put writes an element behind the last one.
func (g *generator) put(l *list, values ...loop.Expr) {
	length := g.countOf(l)
	room := g.let("room", binary(ein.Lt, length, l.room))
	g.lack(l, not(room))
	g.where(room, func() {
		g.set(l, length, values...)
		g.store(l.length, binary(ein.Add, length, loop.Int(1)))
	})
}

// set writes the first columns of an element.
func (g *generator) set(l *list, k loop.Expr, values ...loop.Expr) {
	at := g.let("at", loop.Wide(l.place(g, k), g.lanes))
	for c, v := range values {
		g.emit(&loop.Store{Buffer: l.columns[c], Index: at, Value: loop.Wide(v, g.lanes), Mask: g.mask})
	}
}

// lack ends the lanes that want more room than a list has, unless they have failed before.
func (g *generator) lack(l *list, lacks loop.Expr) {
	g.where(g.let("lacks", binary(ein.And, lacks, g.isSound())), func() {
		g.store(g.end, integer(tensor.Int32, Full))
		g.store(g.site, integer(tensor.Int32, int64(l.number)))
	})
}

// isSound is the condition that what a lane computes is what the program says.
func (g *generator) isSound() loop.Expr {
	sound := binary(ein.Ne, g.load(g.end), integer(tensor.Int32, Failed))
	if !g.mayFill {
		return sound
	}
	return binary(ein.And, sound, binary(ein.Ne, g.load(g.end), integer(tensor.Int32, Full)))
}

// copy puts the first elements of another list behind those of one; read gives the scalars of element k.
func (g *generator) putAll(to *list, count loop.Expr, read func(k loop.Expr) []loop.Expr) {
	g.turns("element", count, nil, func(k loop.Expr) { g.put(to, read(k)...) })
}

// elementOf reads the first columns of an element of a list.
func (g *generator) elementOf(l *list, k loop.Expr, width int) (values []loop.Expr) {
	at := g.let("at", l.place(g, k))
	for _, b := range l.columns[:width] {
		values = append(values, gather(b, at))
	}
	return values
}

// listed lists the sequences of strands that blocks of theirs set: each has a list.
func (g *generator) listed() (all []*strand.Variable) {
	for _, v := range g.p.Variables {
		if v.Type.Dynamic && (v.Role == strand.State || v.Role == strand.Temporary && g.isSet(v)) {
			all = append(all, v)
		}
	}
	return all
}

// isSet reports whether a block of strands sets a sequence.
func (g *generator) isSet(v *strand.Variable) (is bool) {
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) { is = is || sets(s, v) })
	}
	return is
}

// sets reports whether a statement sets a sequence.
func sets(s strand.Stmt, v *strand.Variable) bool {
	switch s := s.(type) {
	case *strand.Build:
		return s.To == v
	case *strand.Query:
		return s.To == v
	case *strand.Get:
		return s.To == v
	case *strand.Element:
		return s.To == v
	}
	return false
}

// lists makes the lists of sequences; queried ones have a second column for their order.
func (g *generator) listsOfSequences() {
	g.lists, g.kept = map[*strand.Variable]*list{}, map[*strand.Variable]*list{}
	queried := map[*strand.Variable]int{}
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			switch s := s.(type) {
			case *strand.Query:
				queried[s.To] = 1
			case *strand.ForEach:
				g.mayFill = g.mayFill || isLong(s.Sequence)
			case *strand.Element:
				g.mayFill = g.mayFill || isLong(s.Sequence)
			}
		})
	}
	for _, v := range g.listed() {
		g.mayFill = true
		g.lists[v] = g.ofSequence(v, queried[v])
		if v.Role == strand.State {
			g.kept[v] = g.newList(List{Name: v.Name + "_kept", Columns: slices.Repeat([]tensor.DType{g.p.DType(v.Type.Elem)}, v.Type.Element().Width()), Strands: true, Sequence: v})
		}
	}
}

// strandBlocks are the blocks that strands run.
func strandBlocks(p *strand.Program) []strand.Block {
	return []strand.Block{p.Create.Body, p.Begin, p.Start, p.Update, p.Stabilize}
}
