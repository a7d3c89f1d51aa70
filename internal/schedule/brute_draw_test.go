package schedule

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
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
		if len(active) > 1 && len(ein.Reduced(g.f.Body[s])) > 0 && !g.accumulates[s] && g.oneIn(4, "accumulate") {
			g.accumulates[s] = true
			return &Accumulate{Statement: s, Region: rapid.SampledFrom([]Region{Register, Output, Early}).Draw(g.t, "region"), Child: g.node(active)}
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
	for _, i := range ein.Reduced(g.f.Body[s]) {
		if g.left[place{s, i.Name}] > 1 {
			reduced = append(reduced, i)
		}
	}
	if len(reduced) == 0 {
		return &Leaf{}
	}
	if g.accumulates[s] && g.oneIn(2, "no further accumulators") {
		return BandOver(s, reduced, &Leaf{})
	}
	return &Accumulate{Statement: s, Region: Register, Child: BandOver(s, reduced, &Leaf{})}
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
