package mdh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it is shown that an output is written once and in full
//
// An output view is a function on buffers if its index functions map the points
// that are kept, those of ++ and ps, to different cells. It leaves no cell
// undefined (⊥) if it maps onto all cells. An index function is injective where
// its subscripts can be solved for the indices one after the other (ein.WritesOnce);
// two index functions of one buffer never meet where a subscript differs by a
// constant that their strides do not divide, or where their ranges lie apart. Then
// counting decides about ⊥: as many points as cells means that all are written.
//
// What is not proved is tried for small sizes, point by point. That finds the two
// points or the cell for the message; where it finds nothing, the program must
// state the property (injective) or give a fill.

// cover checks an output and reports whether it needs its fill. probe is a
// comprehension that writes one scalar of each access of the buffer.
func (c *instance) cover(b *buffer, probes []*ein.Comprehension) (needsFill bool) {
	once := true
	for n, p := range probes {
		once = once && (ein.WritesOnce(p, p.Writes[0]) || c.writesOnce(b, n))
		for m := range n {
			once = once && c.apart(b.accesses[m], b.accesses[n])
		}
	}
	if once && c.count(b) {
		return false
	}
	found := c.search(b)
	pos := b.syntax.Pos
	switch {
	case found.overlap != "":
		d := c.errorf(source.CodeMDHOverlap, pos, "two points write one cell of %s", b.syntax.Name.Name).WithNote(source.Span{}, "%s", found.overlap)
		d.WithHelp("%s", c.overlapHelp(b))
		return false
	case !once && b.syntax.Injective == nil:
		c.errorf(source.CodeMDHOverlap, pos, "it is not proved that the points write different cells of %s", b.syntax.Name.Name).
			WithHelp("state it behind the index functions if you know it: injective")
		return false
	case b.updates || !once && c.count(b): // by what is stated
		return false
	case b.syntax.Fill != nil || b.syntax.Bottom != nil:
		return true
	case found.gap != "":
		c.errorf(source.CodeMDHUndefined, pos, "no point writes some cells of %s", b.syntax.Name.Name).WithNote(source.Span{}, "%s", found.gap).
			WithHelp("%s", fillHelp(b))
		return false
	}
	c.errorf(source.CodeMDHUndefined, pos, "it is not proved that every cell of %s is written", b.syntax.Name.Name).
		WithHelp("%s", fillHelp(b))
	return false
}

// writesOnce proves that an index function is injective by what its quotients and
// remainders determine.
func (c *instance) writesOnce(b *buffer, access int) bool {
	one := &cell{tensor: b.tensors[0], access: c.undivided(b.accesses[access]), value: ein.IntConst(b.tensors[0].Type, 0), pos: b.syntax.Pos}
	if len(one.access) == len(b.accesses[access]) {
		return false
	}
	probe := c.comprehension([]*cell{one}, nil)
	return ein.WritesOnce(probe, probe.Writes[0])
}

// fillHelp writes the output with a fill.
func fillHelp(b *buffer) string {
	text := strings.Join(strings.Fields(b.syntax.Pos.Text()), " ")
	return "give these cells a value: " + text + " fill 0, or none that anything reads: fill ⊥; or let the index functions reach all cells from 0 on"
}

// overlapHelp names a dimension that no index function uses.
func (c *instance) overlapHelp(b *buffer) string {
	for _, m := range c.dims {
		used := m.index.Combine.Kind == ein.Reduce
		for _, results := range b.accesses {
			for _, e := range results {
				used = used || e.Uses(m.index.Name)
			}
		}
		if !used {
			return fmt.Sprintf("%s is in no subscript of %s: combine its points with pw(…) instead of %s, or add a dimension for it", m.index.Name, b.syntax.Name.Name, m.syntax.Kind)
		}
	}
	return "use strides that keep the points apart, such as (i, j) -> (i * 3 + j) for three j"
}

// apart proves that two index functions have no result in common.
func (c *instance) apart(f, g []affine.Expr) bool {
	for d := range f { // of indices that are written out
		x, isNumber := f[d].IsConst()
		if y, ok := g[d].IsConst(); ok && isNumber && x != y {
			return true
		}
	}
	box := c.box()
	// The indices of the second point are other ones.
	second, renamed := c.box(), map[string]affine.Expr{}
	for n := range second {
		renamed[second[n].Symbol] = affine.Symbol(second[n].Symbol + "'")
		second[n].Symbol += "'" // a name that no size has
	}
	for d := range f {
		difference := g[d].Subst(renamed).Sub(f[d])
		if lo, hi, ok := c.facts.Extremes(difference, append(box, second...)); ok {
			if c.facts.Proves(lo.AddConst(-1)) || c.facts.Proves(hi.Scale(-1).AddConst(-1)) {
				return true
			}
		}
		if neverZero(difference) {
			return true
		}
	}
	return false
}

// neverZero reports whether the constant of e is no multiple of a number that
// divides all coefficients.
func neverZero(e affine.Expr) bool {
	var divisor, constant int64
	for _, t := range e.Terms() {
		if len(t.Atoms) == 0 {
			constant = t.Coefficient
			continue
		}
		for a, b := divisor, t.Coefficient; ; {
			if b == 0 {
				divisor = max(a, -a)
				break
			}
			a, b = b, a%b
		}
	}
	return divisor > 1 && constant%divisor != 0
}

// count reports whether there are as many points as cells.
func (c *instance) count(b *buffer) bool {
	points := affine.Const(1)
	for _, m := range c.loops() {
		if m.index.Combine.Kind != ein.Reduce {
			points = points.Mul(m.index.Extent)
		}
	}
	cells := affine.Const(1)
	for _, e := range b.extents {
		cells = cells.Mul(e)
	}
	return points.Scale(int64(len(b.accesses))).Equal(cells)
}

// A found holds what a trial for small sizes showed, in words.
type found struct{ overlap, gap string }

// The limits of a trial.
const (
	sizeTrials = 48
	mostCells  = 1 << 12
)

// search enumerates the points of an output for small sizes. A gap is only reported
// where no sizes give an overlap.
func (c *instance) search(b *buffer) (result found) {
	for _, env := range c.smallSizes(b.numbers()) {
		one := c.enumerate(b, env)
		if one.overlap != "" {
			return one
		}
		if result.gap == "" {
			result.gap = one.gap
		}
	}
	return result
}

// numbers lists the numbers in the index functions of a buffer that are small enough for a
// trial: with sizes beyond a divisor, remainders come again.
func (b *buffer) numbers() (list []int64) {
	var visit func(affine.Expr)
	visit = func(e affine.Expr) {
		for _, t := range e.Terms() {
			list = append(list, t.Coefficient)
			for _, a := range t.Atoms {
				if a.Op != "" {
					visit(a.X)
					visit(a.Y)
				}
			}
		}
	}
	for _, results := range b.accesses {
		for _, e := range results {
			visit(e)
		}
	}
	list = slices.DeleteFunc(list, func(n int64) bool { return n < 5 || n >= mostCells/4 })
	slices.Sort(list)
	return slices.Compact(list)
}

// smallSizes returns values of the sizes that satisfy the conditions: small ones, then
// also some that are larger than these numbers.
func (c *instance) smallSizes(numbers []int64) []map[string]int64 {
	if len(c.fn.Sizes) == 0 {
		return []map[string]int64{{}}
	}
	var list []map[string]int64
	random := rand.New(rand.NewPCG(3, 4))
	trials := sizeTrials
	if len(numbers) > 0 {
		trials *= 2
	}
	for trial := range trials {
		env := map[string]int64{}
		for _, s := range c.fn.Sizes {
			env[s.Name] = int64(trial + 1)
			if trial >= 4 {
				env[s.Name] = 1 + random.Int64N(5)
			}
			if trial >= sizeTrials && random.IntN(2) == 0 {
				env[s.Name] += numbers[random.IntN(len(numbers))]
			}
		}
		if c.allowed(env) {
			list = append(list, env)
		}
	}
	return list
}

func (c *instance) allowed(env map[string]int64) bool {
	for _, r := range c.fn.Requires {
		if v, err := r.Expr.Eval(env); err != nil || v < 0 {
			return false
		}
	}
	return true
}

func (c *instance) enumerate(b *buffer, env map[string]int64) (result found) {
	extents, cells := make([]int64, len(b.extents)), int64(1)
	for d, e := range b.extents {
		n, err := e.Eval(env)
		if err != nil {
			return found{}
		}
		extents[d] = n
		if cells *= n; cells > mostCells || cells <= 0 {
			return found{}
		}
	}
	writer := map[string]string{}
	complete := c.points(env, func(at map[string]int64, point string) bool {
		for _, results := range b.accesses {
			cell, ok := cellOf(results, at)
			if !ok {
				return false
			}
			if other, twice := writer[cell]; twice {
				result.overlap = fmt.Sprintf("%sthe points %s and %s write %s%s", sizesText(c, env), other, point, b.syntax.Name.Name, cell)
				return false
			}
			writer[cell] = point
		}
		return true
	})
	if complete && int64(len(writer)) < cells {
		result.gap = fmt.Sprintf("%sno point writes %s%s", sizesText(c, env), b.syntax.Name.Name, missing(extents, writer))
	}
	return result
}

func cellOf(results []affine.Expr, at map[string]int64) (string, bool) {
	parts := make([]string, len(results))
	for d, e := range results {
		v, err := e.Eval(at)
		if err != nil {
			return "", false
		}
		parts[d] = fmt.Sprint(v)
	}
	return "(" + joinWords(parts) + ")", true
}

// missing returns the first cell that nothing writes.
func missing(extents []int64, writer map[string]string) string {
	cells := int64(1)
	for _, n := range extents {
		cells *= n
	}
	for n := range cells {
		parts, rest := make([]string, len(extents)), n
		for d := len(extents) - 1; d >= 0; d-- {
			parts[d], rest = fmt.Sprint(rest%extents[d]), rest/extents[d]
		}
		if cell := "(" + joinWords(parts) + ")"; writer[cell] == "" {
			return cell
		}
	}
	return "()"
}

// sizesText introduces what holds for certain sizes.
func sizesText(c *instance, env map[string]int64) string {
	if len(env) == 0 {
		return ""
	}
	parts := make([]string, 0, len(env))
	for _, s := range c.fn.Sizes {
		parts = append(parts, fmt.Sprintf("%s = %d", s.Name, env[s.Name]))
	}
	return "with " + joinWords(parts) + ": "
}

// points visits the points that are kept, the index of a pw being 0, until visit
// returns false; it reports whether it came to the end.
func (c *instance) points(env map[string]int64, visit func(at map[string]int64, point string) bool) bool {
	dims := c.loops()
	extents, total := make([]int64, len(dims)), int64(1)
	for n, m := range dims {
		v, err := m.index.Extent.Eval(env)
		if err != nil || v <= 0 {
			return false
		}
		extents[n] = v
		if m.index.Combine.Kind == ein.Reduce {
			extents[n] = 1
		}
		if total *= extents[n]; total > mostCells {
			return false
		}
	}
	at := map[string]int64{}
	for name, v := range env {
		at[name] = v
	}
	for p := range total {
		rest, parts := p, make([]string, 0, len(extents))
		for n := len(extents) - 1; n >= 0; n-- {
			at[dims[n].index.Name], rest = rest%extents[n], rest/extents[n]
		}
		for _, m := range dims {
			if m.index.Combine.Kind != ein.Reduce {
				parts = append(parts, fmt.Sprintf("%s=%d", m.index.Name, at[m.index.Name]))
			}
		}
		if !visit(at, "("+strings.Join(parts, ", ")+")") {
			return false
		}
	}
	return true
}

// pointWhere describes a point of md_hom at which a subscript has a property.
func (c *instance) pointWhere(e affine.Expr, is func(int64) bool) string {
	for _, env := range c.smallSizes(nil) {
		text := ""
		c.points(env, func(at map[string]int64, point string) bool {
			v, err := e.Eval(at)
			if err == nil && is(v) {
				text = fmt.Sprintf("%sat the point %s it is %d", sizesText(c, env), point, v)
			}
			return text == "" && err == nil
		})
		if text != "" {
			return text
		}
	}
	return ""
}
