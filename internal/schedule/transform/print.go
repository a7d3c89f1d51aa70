package transform

import (
	"fmt"
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
// Bounds are inclusive, as the paper's are.

// A Loop is a loop of a nest, for people and printers.
type Loop struct {
	Name         string
	Lower, Upper affine.Expr // inclusive; over sizes and the names of loops further out
	Tile         int64       // 1 for a loop over points, else the size of its blocks
	Indices      []schedule.Loop
	Parallel     bool
	Vector       bool
	Lanes        int  // of a vector, 0 for what the machine has
	Unrolled     bool // written out: no level
}

// An Item is a loop with its body, or a statement (Loop is nil).
type Item struct {
	Loop      *Loop
	Statement int
	Body      []Item
}

// Loops returns the levels of the nest, outermost first.
func (n *Nest) Loops() []Loop {
	var list []Loop
	for items := n.Items(); len(items) == 1 && items[0].Loop != nil && !items[0].Loop.Unrolled; items = items[0].Body {
		list = append(list, *items[0].Loop)
	}
	return list
}

// Items returns the whole nest.
func (n *Nest) Items() []Item { return items(n.f, n.body, map[schedule.Loop]block{}) }

// A block is what the loops so far leave of an index: the values from first to last,
// at most size of them.
type block struct {
	first, last affine.Expr
	size        int64 // 0: not known
	even        bool  // all blocks have the size
}

func items(f *ein.Func, list []*node, blocks map[schedule.Loop]block) []Item {
	var out []Item
	for _, n := range list {
		switch {
		case n.isStatement():
			out = append(out, Item{Statement: n.statement})
		case n.between != nil:
			out = append(out, items(f, n.body, blocks)...)
		default:
			inner := map[schedule.Loop]block{}
			for k, b := range blocks {
				inner[k] = b
			}
			l := bounds(f, n.loop, inner)
			out = append(out, Item{Loop: &l, Body: items(f, n.body, inner)})
		}
	}
	return out
}

// bounds computes the range of a loop and enters its blocks.
func bounds(f *ein.Func, n *level, blocks map[schedule.Loop]block) Loop {
	l := Loop{Name: n.name, Tile: n.Tile, Indices: n.Loops, Parallel: n.Parallel, Vector: n.Vector != 0, Lanes: max(0, n.Vector), Unrolled: n.Unroll}
	index := indexOf(f, n.Loops[0])
	around, cut := blocks[n.Loops[0]]
	if !cut {
		around = block{first: index.Min, last: index.Min.Add(index.Extent).AddConst(-1)}
		around.size, around.even = index.Extent.IsConst()
	}
	inner := block{first: affine.Symbol(n.name), last: affine.Symbol(n.name), size: 1, even: true}
	if l.Lower, l.Upper = around.first, around.last; n.Tile > 1 {
		l.Lower, l.Upper = affine.Const(0), affine.Div(around.last.Sub(around.first), affine.Const(n.Tile))
		inner = around.cut(n)
	}
	for _, lp := range n.Loops {
		blocks[lp] = inner
	}
	return l
}

// cut is the block inside of a loop over smaller blocks.
func (b block) cut(n *level) block {
	inner := block{first: b.first.Add(affine.Symbol(n.name).Scale(n.Tile)), size: n.Tile}
	if inner.last = inner.first.AddConst(n.Tile - 1); b.even && b.size%n.Tile == 0 {
		inner.even = true
	} else {
		inner.last = affine.MinOf(b.last, inner.last)
	}
	return inner
}

// String prints the nest as pseudo-C, its statements as S0, S1, …
func (n *Nest) String() string {
	return n.Print(func(s int) string { return fmt.Sprintf("S%d;", s) })
}

// Print prints the nest as pseudo-C with a text for each statement.
func (n *Nest) Print(statement func(s int) string) string {
	var b strings.Builder
	printItems(&b, n.Items(), statement, 0)
	return b.String()
}

func printItems(b *strings.Builder, list []Item, statement func(s int) string, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, item := range list {
		if item.Loop == nil {
			for line := range strings.Lines(statement(item.Statement)) {
				fmt.Fprintln(b, indent+strings.TrimRight(line, "\n"))
			}
			continue
		}
		closing := ""
		if len(item.Body) > 1 {
			closing = " {"
		}
		fmt.Fprintln(b, indent+item.Loop.String()+closing)
		printItems(b, item.Body, statement, depth+1)
		if closing != "" {
			fmt.Fprintln(b, indent+"}")
		}
	}
}

// String returns the head of the loop as pseudo-C, with its marks in a comment.
func (l Loop) String() string {
	var marks []string
	if l.Parallel {
		marks = append(marks, "parallel")
	}
	switch {
	case l.Lanes > 0:
		marks = append(marks, fmt.Sprintf("vectors of %d", l.Lanes))
	case l.Vector:
		marks = append(marks, "vectors")
	}
	if l.Unrolled {
		marks = append(marks, "written out")
	}
	text := fmt.Sprintf("for (%[1]s = %[2]s; %[1]s <= %[3]s; %[1]s++)", l.Name, l.Lower, l.Upper)
	if len(marks) > 0 {
		text += "  // " + strings.Join(marks, ", ")
	}
	return text
}

// Steps returns the transformations that made the nest, in order: those of the nests
// that it was made of come first.
func (n *Nest) Steps() []*Nest {
	var list []*Nest
	for _, from := range n.from {
		for _, earlier := range from.Steps() {
			if !slices.Contains(list, earlier) {
				list = append(list, earlier)
			}
		}
	}
	return append(list, n)
}
