package schedule

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// A moment is one step on the way to a point.
type moment struct {
	node   Node
	member *Member // nil at a sequence or accumulate
	at     int64
}

// moments returns when a point is visited, or when its results are complete; and when
// partial results are cleared in the output.
func moments(t *Tree, f *ein.Func, s int, point map[string]int64, late bool) (list, cleared []moment) {
	number := numbering(t, s, point)
	n := t.Root
	for {
		switch node := n.(type) {
		case *Sequence:
			k := slices.IndexFunc(node.Children, func(f *Filter) bool { return slices.Contains(f.Statements, s) })
			list = append(list, moment{node, nil, int64(k)})
			n = node.Children[k].Child
		case *Filter:
			n = node.Child
		case *Place:
			list = append(list, moment{node, nil, 0})
			n = node.Child
		case *Accumulate:
			if own := node.Statement == s && late; own && node.Region != Output {
				return append(list, moment{node, nil, 1}), cleared
			} else if own && f.Body[s].Accumulate == nil {
				cleared = append(slices.Clone(list), moment{node, nil, -1})
			}
			list = append(list, moment{node, nil, 0})
			n = node.Child
		case *Band:
			for _, m := range node.Members {
				at := number(m)
				for _, skew := range m.Skews {
					for _, other := range allMembers(t.Root) {
						if l, ok := other.IndexOf(m.Loops[0].Statement); ok && l.Index == skew.Index && other.Tile == skew.Tile {
							at += skew.Factor * number(other)
						}
					}
				}
				if m.Reverse {
					at = -at
				}
				list = append(list, moment{node, m, at})
			}
			n = node.Child
		case *Leaf:
			return list, cleared
		}
	}
}

// numbering returns the number that a member has for a point, by its definition: that of
// a block in the next larger one over the index.
func numbering(t *Tree, s int, point map[string]int64) func(m *Member) int64 {
	all := allMembers(t.Root)
	over := func(m *Member, l Loop) bool {
		o, ok := m.IndexOf(l.Statement)
		return ok && o.Index == l.Index
	}
	return func(m *Member) int64 {
		l, _ := m.IndexOf(s)
		top, larger := m, []int64{}
		for _, o := range all {
			if over(o, l) && o.Tile > m.Tile {
				larger = append(larger, o.Tile)
			}
		}
		for _, o := range slices.Backward(all) {
			if over(o, l) {
				top = o // the first one decides of the frame
			}
		}
		tl, _ := top.IndexOf(s)
		at := point[l.Index] + tl.Shift - first(top)
		for _, term := range l.By {
			at += term.Factor * point[term.Index]
		}
		slices.Sort(larger)
		for _, tile := range slices.Backward(larger) {
			at %= tile
		}
		return at / m.Tile
	}
}

// allMembers lists the members of a subtree, outermost first.
func allMembers(n Node) []*Member {
	var list []*Member
	if b, ok := n.(*Band); ok {
		list = append(list, b.Members...)
	}
	for _, child := range Children(n) {
		list = append(list, allMembers(child)...)
	}
	return list
}

// first is the first value that a member enumerates.
func first(m *Member) int64 {
	least := int64(math.MaxInt64)
	for _, l := range m.Loops {
		low := l.Shift
		for _, t := range l.By {
			low += min(0, t.Factor*(extent-1))
		}
		least = min(least, low)
	}
	return least
}

// broken reports whether the order of two points that touch one element, x first
// in the program, is lost.
func broken(x, y Access, first, second []moment, contracted func(Node) bool) bool {
	var band Node
	for k := range min(len(first), len(second)) {
		a, b := first[k], second[k]
		if band2, ok := a.node.(*Band); ok && a.node != band {
			band = a.node
			if band2.Permutable && slices.ContainsFunc(all(len(band2.Members)), func(m int) bool {
				return k+m < min(len(first), len(second)) && second[k+m].at < first[k+m].at
			}) {
				return true
			}
		}
		d := b.at - a.at
		switch m := a.member; {
		case d == 0:
			continue
		case m == nil:
			return d < 0
		case contracted(a.node):
			return false
		case m.Parallel || m.Coincident:
			return true
		case m.Vector > 0: // the lanes of a vector run together, and all are read before any is written
			if lanes := int64(m.Vector); a.at/lanes != b.at/lanes {
				return d < 0
			}
			continue
		default:
			return d < 0
		}
	}
	return false
}

// anyPlace reports whether some place of a subtree is as asked for.
func anyPlace(n Node, is func(*Place) bool) bool {
	p, ok := n.(*Place)
	return ok && is(p) || slices.ContainsFunc(Children(n), func(child Node) bool { return anyPlace(child, is) })
}

// nowhere is below what no place is.
func nowhere(Node) bool { return false }

// points enumerates the points of a statement.
func points(c *ein.Comprehension, visit func(map[string]int64)) {
	point := map[string]int64{}
	var next func(k int)
	next = func(k int) {
		if k == len(c.Indices) {
			visit(point)
			return
		}
		for v := range int64(extent) {
			point[c.Indices[k].Name] = v
			next(k + 1)
		}
	}
	next(0)
}

// A touch is an access of a point, and when it is.
type touch struct {
	element string
	at      []moment
}

// touches lists what the points of a statement touch by an access.
func touches(t *testing.T, f *ein.Func, tree *Tree, a Access) (list []touch) {
	points(f.Body[a.Statement], func(point map[string]int64) {
		if a.last && !isLast(f.Body[a.Statement], point) {
			return
		}
		element := ""
		for _, sub := range a.Subscripts {
			e, ok := ein.AffineOf(sub)
			if !ok {
				t.Fatalf("%v is not affine", a)
			}
			n, err := e.Eval(point)
			if err != nil {
				t.Fatal(err)
			}
			element += fmt.Sprint(n, " ")
		}
		at, cleared := moments(tree, f, a.Statement, point, a.late)
		list = append(list, touch{element, at})
		if cleared != nil {
			list = append(list, touch{element, cleared})
		}
	})
	return list
}

// anyBroken tries all pairs of points of all pairs of accesses.
func anyBroken(t *testing.T, f *ein.Func, tree *Tree) bool {
	c := newChecker(f, tree)
	list := Accesses(f)
	for k := range list {
		list[k] = c.timed(list[k])
	}
	for s := range c.early {
		if anyBehindLast(f, tree, s) {
			return true
		}
	}
	all := make([][]touch, len(list))
	for k, a := range list {
		all[k] = touches(t, f, tree, a)
	}
	whole := wholePlaces(tree, list, all)
	for i, x := range list {
		contracted := func(n Node) bool {
			return x.Tensor.Name == "T1" && anyPlace(n, func(p *Place) bool { return whole[p] })
		}
		for j, y := range list {
			if j < i || x.Tensor != y.Tensor || !x.Writes && !y.Writes || x.Statement == y.Statement && (x.Writes && y.Writes || x.once && y.once) {
				continue
			}
			for _, a := range all[i] {
				for _, b := range all[j] {
					if a.element == b.element && broken(x, y, a.at, b.at, contracted) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isLast reports whether a point is the last one of its result.
func isLast(c *ein.Comprehension, point map[string]int64) bool {
	return !slices.ContainsFunc(ein.Reduced(c), func(i *ein.Index) bool { return point[i.Name] != extent-1 })
}

// anyBehindLast reports whether some point of a reduction is not before the last one of its result.
func anyBehindLast(f *ein.Func, tree *Tree, s int) (behind bool) {
	c := f.Body[s]
	points(c, func(point map[string]int64) {
		last := maps.Clone(point)
		for _, i := range ein.Reduced(c) {
			last[i.Name] = extent - 1
		}
		if isLast(c, point) {
			return
		}
		first, _ := moments(tree, f, s, point, false)
		second, _ := moments(tree, f, s, last, false)
		apart := slices.IndexFunc(all(len(first)), func(k int) bool { return first[k].at != second[k].at })
		m, d := first[apart].member, second[apart].at-first[apart].at
		behind = behind || broken(Access{}, Access{}, first, second, nowhere) || m.Vector > 0 && d < int64(m.Vector)
	})
	return behind
}

// wholePlaces are the places, in no other ones, that are all the storage of their temporaries:
// no access is outside, and no value is used in another iteration of a loop around.
func wholePlaces(tree *Tree, list []Access, all [][]touch) map[*Place]bool {
	whole := map[*Place]bool{}
	var nested func(n Node, outer bool)
	nested = func(n Node, outer bool) {
		if p, ok := n.(*Place); ok {
			whole[p], outer = !outer && !isSplit(p, list, all), true
		}
		for _, child := range Children(n) {
			nested(child, outer)
		}
	}
	nested(tree.Root, false)
	return whole
}

// isSplit reports whether a place is not all the storage of its temporary, of which results
// that are accumulated further up are there, too.
func isSplit(n *Place, list []Access, all [][]touch) bool {
	before := func(at []moment) (prefix []int64, ok bool) {
		k := slices.IndexFunc(at, func(m moment) bool { return m.node == n })
		for _, m := range at[:max(k, 0)] {
			prefix = append(prefix, m.at)
		}
		return prefix, k >= 0
	}
	isAbove := func(at []moment, s int) bool {
		k := slices.IndexFunc(at, func(m moment) bool { return m.node == n })
		return slices.ContainsFunc(at[:max(k, 0)], func(m moment) bool {
			a, ok := m.node.(*Accumulate)
			return ok && a.Statement == s
		})
	}
	for i, x := range list {
		if x.Tensor.Name == n.Tensor && (x.late || x.last) && slices.ContainsFunc(all[i], func(a touch) bool { return isAbove(a.at, x.Statement) }) {
			return true
		}
		for j, y := range list {
			if x.Tensor.Name != n.Tensor || y.Tensor != x.Tensor || x.Tensor.Role != ein.Temp {
				continue
			}
			for _, a := range all[i] {
				first, inside := before(a.at)
				if !inside {
					return true
				}
				for _, b := range all[j] {
					if second, _ := before(b.at); x.Writes && !y.Writes && x.Statement < y.Statement && a.element == b.element && !slices.Equal(first, second) {
						return true
					}
				}
			}
		}
	}
	return false
}

// TestCheckIsExact compares the verdict on random trees of random functions with
// all pairs of points, one by one: exactly the illegal trees are refused.
func TestCheckIsExact(t *testing.T) {
	legal, illegal, shared, counted := 0, 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := drawFunction(r)
		f := parseFunc(t, text)
		g := &grower{t: r, f: f, left: map[place]int64{}, used: map[place][]*Member{}, loops: map[place]Loop{}, accumulates: map[int]bool{}}
		for s, c := range f.Body {
			for _, i := range c.Indices {
				g.left[place{s, i.Name}] = extent
			}
		}
		tree := newTree(f)
		tree.Root = g.node(all(len(f.Body)))
		g.skewBlocks(tree.Root, nil)
		err := Check(f, tree)
		var list source.ErrorList
		if errors.As(err, &list) && list[0].Code == source.ScheduleMisfit {
			r.Skip("misfit")
		}
		want := anyBroken(t, f, tree)
		if (err != nil) != want {
			r.Fatalf("%s\n%s\nbroken: %v, but the checker says %v", text, Print(tree), want, err)
		}
		if len(g.accumulates) > 0 {
			shared++
		}
		if LevelsOf(tree).Any() {
			counted++
		}
		if want {
			illegal++
			if !strings.Contains(list[0].Notes[0].Message, "for example") && !LevelsOf(tree).Any() {
				r.Fatalf("no example in %v", err)
			}
		} else {
			legal++
		}
	})
	t.Logf("%d legal, %d illegal, %d with other statements in the life of accumulators, %d with counted blocks", legal, illegal, shared, counted)
}
