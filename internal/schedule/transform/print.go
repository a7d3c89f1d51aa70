package transform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How loops are named and bounded
//
// The loop over the points of an index has the name of the index; a loop over its
// blocks has a prime more than the loop that was cut, as i2' in the paper's Figure 10.
// It counts the blocks of the block around it from 0; the loop inside of it runs over
// the values themselves, so that subscripts stay as they are:
//
//	i' from 0 to 127
//	  i from 32*i' to 32*i' + 31
//
// Bounds are inclusive, as the paper's are. A loop that is skewed, as j_i, or fused with
// a shift does not run over the values of the index: the statement is written with what
// they are then, such as j_i - i for j. Where the loops run over more values than the
// points, a test over the iterators of the loops stands before the statement.

// A Loop is a loop of a nest, for people and printers.
type Loop struct {
	Name         string
	Lower, Upper affine.Expr // inclusive; over sizes and the names of loops further out
	Tile         int64       // 1 for a loop over points, else the size of its blocks
	Indices      []schedule.Loop
	Parallel     bool     // marked so, with effect or without
	Vector       bool     // likewise
	Lanes        int      // of a vector, 0 for what the machine has
	Unrolled     bool     // written out: no level
	Trips        int64    // the largest number of iterations, 0 where it is not known
	Uneven       bool     // the last block has fewer
	Reverse      bool     // from Upper to Lower
	Marks        []string // in words, with the reasons of those that have no effect
}

// An Item is a loop with its body, or a statement (Loop is nil).
type Item struct {
	Loop      *Loop
	Statement int
	Body      []Item
	// Places say what data is placed here, such as "B private".
	Places []string
	// Values are, for a statement, those of its indices over the names of the loops, and
	// Guards what must not be negative for them to be a point.
	Values []affine.Expr
	Guards []affine.Expr
}

// Loops returns the levels of the nest, outermost first.
func (n *Nest) Loops() []Loop {
	var list []Loop
	for items := n.Items(nil); len(items) == 1 && items[0].Loop != nil && !items[0].Loop.Unrolled; items = items[0].Body {
		list = append(list, *items[0].Loop)
	}
	return list
}

// Depth is the number of levels.
func (n *Nest) Depth() int { return len(chain(n.body)) }

// Items returns the whole nest. Idle has marks that are known to have no effect in the end; so
// have those that have none in the nest as it is.
func (n *Nest) Items(idle Idle) []Item {
	body := clone(n.body)
	tree := &schedule.Tree{Root: bare(body)}
	f := schedule.WithSingles(n.f, tree)
	p := &printer{f: f, frames: schedule.FramesOf(f, tree), levels: schedule.LevelsOf(tree), idle: idle, serial: map[*level]string{}}
	for _, i := range idles(n.f, body) {
		p.serial[i.loop] = i.why
	}
	return p.items(body, &position{blocks: map[axis]block{}, numbers: map[*schedule.Member]affine.Expr{}, count: p.levels.Begin()})
}

// bare is the tree of the loops alone.
func bare(list []*node) schedule.Node {
	seq := &schedule.Sequence{}
	for _, n := range list {
		child := bare(n.body)
		if n.loop != nil && !n.loop.once {
			child = &schedule.Band{Members: []*schedule.Member{&n.loop.Member}, Child: child}
		}
		seq.Children = append(seq.Children, &schedule.Filter{Child: child})
	}
	return seq
}

type printer struct {
	f      *ein.Func
	frames schedule.Frames
	levels schedule.Levels
	idle   Idle
	serial map[*level]string // why marks as parallel, which are taken off, have no effect in the nest as it is
}

// A position is what the loops so far leave of the indices.
type position struct {
	blocks  map[axis]block
	count   schedule.Count
	numbers map[*schedule.Member]affine.Expr // of the loops that count blocks
	guards  []affine.Expr                    // what must not be negative for their blocks to exist
}

func (at *position) clone() *position {
	return &position{maps.Clone(at.blocks), at.count, maps.Clone(at.numbers), slices.Clip(at.guards)}
}

// A block is what the loops so far leave of an index: the values from first to last,
// at most size of them.
type block struct {
	first, last affine.Expr
	size        int64 // 0: not known
	even        bool  // all blocks have the size
	shift       int64 // that of the coordinate of the statement against the loop's
}

func (p *printer) items(list []*node, at *position) []Item {
	var out []Item
	for _, n := range list {
		switch place, _ := n.between.(*schedule.Place); {
		case n.isStatement():
			out = append(out, p.statement(n.statement, at))
		case n.between != nil:
			inside := p.items(n.body, at)
			if place != nil && len(inside) > 0 {
				text := fmt.Sprintf("%s %s", place.Tensor, place.Region)
				if why := p.idle[n.origin]; why != "" {
					text += ", without effect: " + why
				}
				inside[0].Places = append([]string{text}, inside[0].Places...)
			}
			out = append(out, inside...)
		default:
			inner := at.clone()
			l := p.bounds(n.loop, inner)
			out = append(out, Item{Loop: &l, Body: p.items(n.body, inner)})
		}
	}
	return out
}

// statement computes the values of the indices of a statement.
func (p *printer) statement(s int, at *position) Item {
	item := Item{Statement: s, Guards: at.guards}
	values, _ := p.frames.Values(s, p.f.Body[s], schedule.All)
	for _, i := range p.f.Body[s].Indices {
		frame, v := p.frames.Of(s, i), affine.Expr{}
		for _, part := range values[i].Coordinates {
			b := at.blocks[axis{s, part.Index.Name}]
			v = v.Add(b.first.AddConst(b.shift).Scale(part.Factor))
		}
		if !schedule.IsSingle(i.Name) {
			item.Values = append(item.Values, v)
		}
		if frame.Guarded {
			item.Guards = append(item.Guards, v.Sub(i.Min), i.Min.Add(i.Extent).AddConst(-1).Sub(v))
		}
	}
	return item
}

// bounds computes the range of a loop and enters its blocks.
func (p *printer) bounds(n *level, at *position) Loop {
	l := Loop{Name: n.name, Tile: n.Tile, Indices: n.Loops, Parallel: n.Parallel || p.serial[n] != "", Vector: n.Vector != 0, Lanes: max(0, n.Vector), Unrolled: n.Unroll, Reverse: n.Reverse, Marks: p.marks(n)}
	if p.levels.Counted(&n.Member) {
		p.counted(n, &l, at)
		return l
	}
	if n.once {
		l.Trips = 1
		return l // from 0 to 0
	}
	at.count, _ = at.count.Enter(&n.Member)
	around := p.around(n.Loops[0], at)
	l.Trips, l.Uneven = (around.size+n.Tile-1)/n.Tile, !around.even
	inner := block{first: affine.Symbol(n.name), last: affine.Symbol(n.name), size: 1, even: true}
	if l.Lower, l.Upper = around.first, around.last; n.Tile > 1 {
		l.Lower, l.Upper = affine.Const(0), affine.Div(around.last.Sub(around.first), affine.Const(n.Tile))
		inner = around.cut(n)
	}
	p.enter(&n.Member, around, inner, at)
	return l
}

// enter notes the block of a member for all of its statements: around and inner are those of
// the first one. Coordinates of one value count from the beginning of a block of their own.
func (p *printer) enter(m *schedule.Member, around, inner block, at *position) {
	for k, lp := range m.Loops {
		b := inner
		if b.shift = m.Loops[0].Shift - lp.Shift; k > 0 && schedule.IsSingle(lp.Index) {
			from := p.around(lp, at).first.Sub(around.first)
			b.first, b.last, b.shift = inner.first.Add(from), inner.last.Add(from), 0
		}
		at.blocks[axisOf(lp)] = b
	}
}

// around is the block that is there of the index of a loop, in values of that index.
func (p *printer) around(l schedule.Loop, at *position) block {
	around, cut := at.blocks[axisOf(l)]
	if cut {
		around.first, around.last, around.shift = around.first.AddConst(around.shift), around.last.AddConst(around.shift), 0
	} else {
		frame := p.frames.Of(l.Statement, indexOf(p.f, l))
		around = block{first: frame.Min, last: frame.Min.Add(frame.Extent).AddConst(-1)}
		around.size, around.even = frame.Extent.IsConst()
	}
	return around
}

// counted computes the range of a loop over the numbers of blocks, and enters the blocks
// that are known in it.
func (p *printer) counted(n *level, l *Loop, at *position) {
	most := func(m *schedule.Member) affine.Expr { // the last number
		if lp := m.Loops[0]; at.count.InBlock(m, lp) {
			around := p.around(lp, at)
			return affine.Div(around.last.Sub(around.first), affine.Const(m.Tile))
		}
		return affine.Const((p.levels.Around(m, m.Loops[0]).Tile - 1) / m.Tile)
	}
	number := func(m *schedule.Member) (sum affine.Expr) {
		for _, o := range at.count.NumberOf(m) {
			sum = sum.Add(at.numbers[o.Member].Scale(o.Factor))
		}
		return sum
	}
	for _, o := range p.levels.Sum(&n.Member) {
		low, high := affine.Const(0), affine.Expr{}
		if at.count.Number(o.Member) {
			low, high = number(o.Member), number(o.Member)
		} else {
			high = most(o.Member)
		}
		if o.Factor < 0 {
			low, high = high, low
		}
		l.Lower, l.Upper = l.Lower.Add(low.Scale(o.Factor)), l.Upper.Add(high.Scale(o.Factor))
	}
	if trips, known := l.Upper.Sub(l.Lower).IsConst(); known {
		l.Trips, l.Uneven = trips+1, true
	}
	at.numbers[&n.Member] = affine.Symbol(n.name)
	exact := at.count.InBlock(&n.Member, n.Loops[0]) && len(n.Skews) == 0
	var now []schedule.Known
	at.count, now = at.count.Enter(&n.Member)
	for _, k := range now {
		m := k.Member
		if !k.Block {
			continue
		}
		around := p.around(m.Loops[0], at)
		inner := around.numbered(number(m), m.Tile)
		if len(m.Skews) > 0 {
			at.guards = append(at.guards, number(m))
		}
		if m != &n.Member || !exact {
			at.guards = append(at.guards, around.last.Sub(inner.first))
		}
		p.enter(m, around, inner, at)
	}
}

// cut is the block inside of a loop over smaller blocks.
func (b block) cut(n *level) block { return b.numbered(affine.Symbol(n.name), n.Tile) }

// numbered is the block of a size with a number.
func (b block) numbered(number affine.Expr, tile int64) block {
	inner := block{first: b.first.Add(number.Scale(tile)), size: tile}
	if inner.last = inner.first.AddConst(tile - 1); tile == 1 || b.even && b.size%tile == 0 {
		inner.even = true
	} else {
		inner.last = affine.MinOf(b.last, inner.last)
	}
	return inner
}

// String prints the nest as pseudo-C, its statements as S0, S1, …, with the values of
// their indices where the loops have other names or values: S1(i, j_i - i).
func (n *Nest) String() string {
	return n.Print(nil, func(s int, values map[string]affine.Expr) string {
		if len(values) == 0 {
			return fmt.Sprintf("S%d;", s)
		}
		var list []string
		for _, i := range n.f.Body[s].Indices {
			v, ok := values[i.Name]
			if !ok {
				v = affine.Symbol(i.Name)
			}
			list = append(list, v.String())
		}
		return fmt.Sprintf("S%d(%s);", s, strings.Join(list, ", "))
	})
}

// Print prints the nest as pseudo-C with a line for each statement; values has those
// indices of the statement that are not the iterator of their name. Idle is as in Items.
func (n *Nest) Print(idle Idle, statement func(s int, values map[string]affine.Expr) string) string {
	var b strings.Builder
	printItems(&b, n.f, n.Items(idle), statement, "")
	return b.String()
}

func printItems(b *strings.Builder, f *ein.Func, list []Item, statement func(int, map[string]affine.Expr) string, indent string) {
	for _, item := range list {
		for _, place := range item.Places {
			fmt.Fprintln(b, indent+"// "+place)
		}
		if item.Loop == nil {
			inner := indent
			if len(item.Guards) > 0 {
				fmt.Fprintf(b, "%sif (%s)\n", indent, item.test())
				inner += "  "
			}
			fmt.Fprintln(b, inner+statement(item.Statement, item.Others(f, nil)))
			continue
		}
		closing := ""
		if len(item.Body) > 1 {
			closing = " {"
		}
		fmt.Fprintln(b, indent+item.Loop.head(closing))
		printItems(b, f, item.Body, statement, indent+"  ")
		if closing != "" {
			fmt.Fprintln(b, indent+"}")
		}
	}
}

// Others returns the values of the indices of a statement that are not the iterator of
// their name, with what is known of some iterators.
func (item Item) Others(f *ein.Func, known map[string]affine.Expr) map[string]affine.Expr {
	values := map[string]affine.Expr{}
	for k, i := range f.Body[item.Statement].Indices {
		if v := item.Values[k].Subst(known); !v.Equal(affine.Symbol(i.Name)) {
			values[i.Name] = v
		}
	}
	return values
}

// test writes the guards of a statement.
func (item Item) test() string {
	parts := make([]string, len(item.Guards))
	for k, g := range item.Guards {
		parts[k] = affine.Inequality(g)
	}
	return strings.Join(parts, " && ")
}

// String returns the head of the loop as pseudo-C, with its marks in a comment.
func (l Loop) String() string { return l.head("") }

// head writes the head of the loop, with a brace in front of the comment.
func (l Loop) head(brace string) string {
	text := fmt.Sprintf("for (%[1]s = %[2]s; %[1]s <= %[3]s; %[1]s++)", l.Name, l.Lower, l.Upper)
	if l.Reverse {
		text = fmt.Sprintf("for (%[1]s = %[3]s; %[1]s >= %[2]s; %[1]s--)", l.Name, l.Lower, l.Upper)
	}
	text += brace
	if len(l.Marks) > 0 {
		text += "  // " + strings.Join(l.Marks, ", ")
	}
	return text
}

// marks says what is marked of a loop.
func (p *printer) marks(l *level) (words []string) {
	add := func(k markKind, without string, texts ...string) {
		if why := p.idle.of(l, k); why != "" && l.has(k) {
			words = append(words, without+": "+why)
		} else if l.has(k) {
			words = append(words, texts...)
		}
	}
	if why := p.serial[l]; why != "" {
		words = append(words, "in order: "+why)
	}
	add(parallelMark, "in order", "parallel")
	if l.Groups {
		words = append(words, "groups")
	}
	if l.Items > 0 {
		words = append(words, fmt.Sprintf("%d items", l.Items))
	}
	add(vectorMark, "no vectors", l.vectorTexts()...)
	if p.idle.of(l, vectorMark) == "" {
		add(prefetchMark, "no prefetch", "asking for those of the next "+l.prefetchText())
	}
	add(padMark, "not padded", "padded")
	if l.Unroll {
		words = append(words, "written out")
	}
	return words
}

// vectorTexts says what vectors a loop has.
func (l *level) vectorTexts() []string {
	texts := []string{"vectors"}
	if l.Vector > 0 {
		texts[0] = fmt.Sprintf("vectors of %d", l.Vector)
	}
	if l.Stream {
		texts = append(texts, "past the caches")
	}
	if l.Ahead > 0 {
		texts = append(texts, fmt.Sprintf("asking %d bytes ahead", l.Ahead))
	}
	return texts
}

// prefetchText says of what a loop prefetches the next one.
func (l *level) prefetchText() string {
	if l.PrefetchTile > 0 {
		return fmt.Sprintf("block of %d of %s", l.PrefetchTile, l.Prefetch)
	}
	return l.Prefetch
}

// Steps returns the transformations that made the nest, in order: those of the nests
// that it was made of come first. Of a composed one that is what it made or, if asked for,
// all inside of it, too.
func (n *Nest) Steps(inside bool) []*Nest {
	if inside && n.inside != nil {
		return n.inside.Steps(true)
	}
	var list []*Nest
	for _, from := range n.from {
		for _, earlier := range from.Steps(inside) {
			if !slices.Contains(list, earlier) {
				list = append(list, earlier)
			}
		}
	}
	return append(list, n)
}
