package schedule

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// extent is that of every index of the random functions.
const extent = 5

// drawFunction makes a function of a few statements with affine subscripts over
// shared tensors, some of them reductions, some of them in place.
func drawFunction(t *rapid.T) string {
	n := rapid.IntRange(1, 3).Draw(t, "statements")
	var text strings.Builder
	text.WriteString("func f {\n  inout T0: float32[40, 40]\n  temp T1: float32[40, 40]\n  inout T2: float32[40]\n")
	ranks := []int{2, 2, 1}
	for s := range n {
		names := []string{"i", "j", "k"}[:rapid.IntRange(1, 3).Draw(t, "indices")]
		reduced := len(names) == 3 || len(names) == 2 && rapid.Bool().Draw(t, "reduced")
		kept := names
		if reduced {
			kept = names[:len(names)-1]
		}
		target := rapid.IntRange(0, 2).Draw(t, "target")
		if ranks[target] < len(kept) {
			target = s % 2
		}
		var loops []string
		for _, name := range names {
			combine := ""
			if reduced && name == names[len(names)-1] {
				combine = " reduce +"
			}
			loops = append(loops, fmt.Sprintf("%s in 0:%d%s", name, extent, combine))
		}
		var written []string
		for d := range ranks[target] {
			if d < len(kept) { // every point writes another element
				written = append(written, fmt.Sprintf("%s + %di64", kept[d], rapid.IntRange(0, 2).Draw(t, "shift")))
			} else {
				written = append(written, fmt.Sprintf("%di64", rapid.IntRange(0, 3).Draw(t, "fixed")))
			}
		}
		source := rapid.IntRange(0, 2).Draw(t, "source")
		var read []string
		for range ranks[source] {
			read = append(read, drawSubscript(t, names))
		}
		before := rapid.SampledFrom([]string{"", "", "accumulate + "}).Draw(t, "accumulate")
		fmt.Fprintf(&text, "  for %s %s{ T%d[%s] = T%d[%s] * 2f32 }\n", strings.Join(loops, ", "), before, target, strings.Join(written, ", "), source, strings.Join(read, ", "))
	}
	text.WriteString("}")
	return text.String()
}

// drawSubscript makes an affine expression that stays in [0, 40).
func drawSubscript(t *rapid.T, names []string) string {
	shift := rapid.IntRange(0, 4).Draw(t, "shift")
	var parts []string
	for _, name := range names {
		switch rapid.IntRange(0, 5).Draw(t, "coefficient") {
		case 0:
			parts = append(parts, "2i64 * "+name)
		case 1:
			parts, shift = append(parts, "-1i64 * "+name), shift+extent
		case 2, 3:
			parts = append(parts, name)
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("(%s) / 2i64", strings.Join(append(parts, fmt.Sprintf("%di64", shift)), " + "))
	case 1:
		return fmt.Sprintf("(%s) %% 3i64", strings.Join(append(parts, fmt.Sprintf("%di64", shift)), " + "))
	}
	return strings.Join(append(parts, fmt.Sprintf("%di64", shift)), " + ")
}

// A grower draws a tree.
type grower struct {
	t    *rapid.T
	f    *ein.Func
	left map[place]int64 // the smallest tile over an index so far
	used map[place][]*Member
	// loops are the coordinates by which indices are enumerated.
	loops map[place]Loop
	// accumulates are those of the reductions that share loops with other statements.
	accumulates map[int]bool
}

// loop draws the coordinate over an index, the first time.
func (g *grower) loop(s int, name string, fused bool) Loop {
	p := place{s, name}
	if l, drawn := g.loops[p]; drawn {
		return l
	}
	l := Loop{Statement: s, Index: name}
	var reaches func(other string) bool
	reaches = func(other string) bool {
		return other == name || slices.ContainsFunc(g.loops[place{s, other}].By, func(t Term) bool { return reaches(t.Index) })
	}
	for _, i := range g.f.Body[s].ByKind(ein.Concat) {
		if reduced := indexNamed(g.f, s, name).Combine.Kind != ein.Concat; reduced {
			break
		}
		if !reaches(i.Name) && g.oneIn(4, "skew") {
			l.By = append(l.By, Term{i.Name, rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(g.t, "factor")})
		}
	}
	if fused && g.oneIn(3, "shift") {
		l.Shift = rapid.Int64Range(1, 3).Draw(g.t, "shift")
	}
	g.loops[p] = l
	return l
}

func (g *grower) node(active []int) Node {
	if g.oneIn(6, "place") {
		if slices.ContainsFunc(active, func(s int) bool { return uses(g.f.Body[s], "T1") }) {
			return &Place{Tensor: "T1", Region: Private, Child: g.fill(active)}
		}
	}
	for _, s := range active {
		if len(active) > 1 && len(Reduced(g.f.Body[s])) > 0 && !g.accumulates[s] && g.oneIn(4, "accumulate") {
			g.accumulates[s] = true
			return &Accumulate{Statement: s, Region: rapid.SampledFrom([]Region{Register, Output}).Draw(g.t, "region"), Child: g.node(active)}
		}
	}
	return g.fill(active)
}

func uses(c *ein.Comprehension, tensor string) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor.Name == tensor }) ||
		slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor.Name == tensor })
}

func (g *grower) oneIn(n int, label string) bool {
	return rapid.IntRange(0, n-1).Draw(g.t, label) == 0
}

func (g *grower) fill(active []int) Node {
	fusable := true
	for _, s := range active {
		fusable = fusable && len(g.open(s)) > 0
	}
	switch {
	case len(active) > 1 && (!fusable || g.oneIn(3, "split")):
		order := rapid.Permutation(active).Draw(g.t, "order")
		if !g.oneIn(4, "any order") {
			order = active
		}
		seq := &Sequence{}
		for _, s := range order {
			seq.Children = append(seq.Children, &Filter{Statements: []int{s}, Child: g.node([]int{s})})
		}
		return seq
	case !fusable:
		return g.rest(active[0])
	}
	b := &Band{Permutable: g.oneIn(5, "permutable")}
	for range rapid.IntRange(1, 2).Draw(g.t, "members") {
		m := &Member{Tile: 1}
		smallest := int64(extent)
		var taken []int64
		for _, s := range active {
			open := g.open(s)
			if len(open) == 0 {
				continue
			}
			name := rapid.SampledFrom(open).Draw(g.t, "index")
			m.Loops = append(m.Loops, g.loop(s, name, len(active) > 1))
			smallest = min(smallest, g.left[place{s, name}])
			for _, m := range g.used[place{s, name}] {
				taken = append(taken, m.Tile)
			}
		}
		if len(m.Loops) < len(active) {
			break
		}
		switch {
		case g.oneIn(2, "tiled"):
			if m.Tile = rapid.Int64Range(2, extent-1).Draw(g.t, "tile"); slices.Contains(taken, m.Tile) {
				m.Tile = smallest - 1
			}
		case g.oneIn(6, "vector"):
			m.Vector = 2
		}
		m.Parallel = m.Vector == 0 && g.oneIn(6, "parallel")
		m.Coincident = g.oneIn(8, "coincident")
		m.Reverse = m.Vector == 0 && g.oneIn(6, "reverse")
		for _, l := range m.Loops {
			p := place{l.Statement, l.Index}
			g.left[p] = min(g.left[p], m.Tile)
			g.used[p] = append(g.used[p], m)
		}
		b.Members = append(b.Members, m)
	}
	b.Child = g.node(active)
	return b
}

// open lists the indices of a statement that are not enumerated; a reduced one waits
// for its accumulators.
func (g *grower) open(s int) []string {
	var list []string
	for _, i := range g.f.Body[s].Indices {
		if (i.Combine.Kind == ein.Concat || g.accumulates[s]) && g.left[place{s, i.Name}] > 1 {
			list = append(list, i.Name)
		}
	}
	return list
}

// rest ends a statement: its accumulators, if any, and what is left to enumerate.
func (g *grower) rest(s int) Node {
	var reduced []*ein.Index
	for _, i := range Reduced(g.f.Body[s]) {
		if g.left[place{s, i.Name}] > 1 {
			reduced = append(reduced, i)
		}
	}
	if len(reduced) == 0 {
		return &Leaf{}
	}
	if g.accumulates[s] && g.oneIn(2, "no further accumulators") {
		return bandOver(s, reduced, &Leaf{})
	}
	return &Accumulate{Statement: s, Region: Register, Child: bandOver(s, reduced, &Leaf{})}
}

// skewBlocks skews some members by others that their statements share.
func (g *grower) skewBlocks(n Node, all []*Member) {
	if b, ok := n.(*Band); ok {
		all = append(all, b.Members...)
	}
	for _, child := range Children(n) {
		g.skewBlocks(child, all)
	}
	if len(Children(n)) > 0 && len(Children(Children(n)[0])) > 0 { // the lowest node has all of them
		return
	}
	for range rapid.IntRange(0, 2).Draw(g.t, "skews") {
		if len(all) < 2 {
			return
		}
		by, m := rapid.SampledFrom(all).Draw(g.t, "by"), rapid.SampledFrom(all).Draw(g.t, "skewed")
		if l, ok := by.IndexOf(m.Loops[0].Statement); ok && by != m && len(m.Skews) < 2 {
			m.Skews = append(m.Skews, Skew{l.Index, by.Tile, rapid.SampledFrom([]int64{-1, 1, 2}).Draw(g.t, "block factor")})
		}
	}
}

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
func broken(x, y access, first, second []moment, contracted func(Node) bool) bool {
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

// anyBroken tries all pairs of points of all pairs of accesses.
func anyBroken(t *testing.T, f *ein.Func, tree *Tree) bool {
	type touch struct {
		element string
		at      []moment
	}
	touches := func(a access) []touch {
		var list []touch
		points(f.Body[a.statement], func(point map[string]int64) {
			element := ""
			for _, sub := range a.subscripts {
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
			at, cleared := moments(tree, f, a.statement, point, a.late)
			list = append(list, touch{element, at})
			if cleared != nil {
				list = append(list, touch{element, cleared})
			}
		})
		return list
	}
	list := accesses(f)
	// split reports whether a place is not all the storage of its temporary: some access is
	// outside, or a value is used in another iteration of a loop around.
	split := func(n *Place) bool {
		before := func(at []moment) (prefix []int64, ok bool) {
			k := slices.IndexFunc(at, func(m moment) bool { return m.node == n })
			for _, m := range at[:max(k, 0)] {
				prefix = append(prefix, m.at)
			}
			return prefix, k >= 0
		}
		for _, x := range list {
			for _, y := range list {
				if x.tensor.Name != n.Tensor || y.tensor != x.tensor || x.tensor.Role != ein.Temp {
					continue
				}
				for _, a := range touches(x) {
					for _, b := range touches(y) {
						first, inside := before(a.at)
						second, _ := before(b.at)
						if !inside || x.writes && !y.writes && x.statement < y.statement && a.element == b.element && !slices.Equal(first, second) {
							return true
						}
					}
				}
			}
		}
		return false
	}
	places := map[*Place]bool{}
	var nested func(n Node, outer bool)
	nested = func(n Node, outer bool) {
		if p, ok := n.(*Place); ok {
			places[p], outer = !outer && !split(p), true
		}
		for _, child := range Children(n) {
			nested(child, outer)
		}
	}
	nested(tree.Root, false)
	for i, x := range list {
		contracted := func(n Node) bool {
			return x.tensor.Name == "T1" && anyPlace(n, func(p *Place) bool { return places[p] })
		}
		for _, y := range list[i:] {
			if x.tensor != y.tensor || !x.writes && !y.writes || x.statement == y.statement && (x.writes && y.writes || x.once && y.once) {
				continue
			}
			seconds := touches(y)
			for _, a := range touches(x) {
				for _, b := range seconds {
					if a.element == b.element && broken(x, y, a.at, b.at, contracted) {
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
