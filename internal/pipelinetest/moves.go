package pipelinetest

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// How scripts are drawn
//
// A script begins in a style: what someone does who wants tiles, a pipeline of fused
// passes, or a wavefront. Moves follow, any of the table, most of which fit; then marks,
// which say what is parallel, what is a vector and what these fetch. So most scripts are
// odd, and many are legal.

// A move draws the arguments of a transformation of a nest.
type move struct {
	weight int
	name   string
	draw   func(d *drawer) []any
}

// A drawer draws the steps of a script.
type drawer struct {
	*Choices
	script *Script
	at     int // the present nest
}

func (d *drawer) depth() int { return max(1, len(d.script.Nests[d.at].Loops())) }

// level draws one of the present nest.
func (d *drawer) level() int { return d.Between(1, d.depth()) }

// inner draws a level, often the innermost one.
func (d *drawer) inner() int {
	if d.OneIn(2) {
		return d.depth()
	}
	return d.level()
}

// inside draws a level for a place, or 0.
func (d *drawer) inside() int { return d.Between(0, d.depth()) }

// tensor draws one, mostly of those that the present nest uses.
func (d *drawer) tensor() string {
	var used []*ein.Tensor
	for _, s := range d.script.Nests[d.at].Statements() {
		c := d.script.F.Body[s]
		for _, w := range c.Writes {
			used = append(used, w.Tensor)
		}
		for _, a := range c.Accesses() {
			used = append(used, a.Tensor)
		}
	}
	if d.OneIn(8) {
		used = d.script.F.Tensors
	}
	return Pick(d.Choices, used...).Name
}

// dimensions draws an order of the dimensions of a tensor, or nothing.
func (d *drawer) dimensions(name string) (order []any) {
	if d.OneIn(2) {
		return nil
	}
	for k := range d.script.F.Tensor(name).Dims {
		order = slices.Insert(order, d.Below(k+1), any(k+1))
	}
	return order
}

// try applies a transformation to the present nest.
func (d *drawer) try(name string, args ...any) bool {
	t, _ := transform.Lookup(name)
	nests := d.script.Nests
	step := Step{Name: name, Of: nests[d.at].statement, With: nests[d.at].statement}
	if t.Nests == 2 {
		if d.at+1 == len(nests) {
			return false
		}
		step.With = nests[d.at+1].statement
	}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			step.Arguments = append(step.Arguments, transform.Int(int64(a)))
		case string:
			step.Arguments = append(step.Arguments, transform.Argument{Name: a})
		}
	}
	return d.script.Apply(step)
}

// moves change the order of the points and where data lies.
var moves = []move{
	{3, "stripmine", func(d *drawer) []any { return []any{d.inner(), d.Between(1, 8)} }},
	{1, "tile", func(d *drawer) []any { return []any{d.Between(1, 5)} }},
	{1, "tile", func(d *drawer) []any { return []any{d.Between(1, 5), d.Between(2, 9)} }},
	{2, "skew", func(d *drawer) []any { return []any{d.level(), d.level(), Pick(d.Choices, 1, 1, 2, -1)} }},
	{2, "interchange", func(d *drawer) []any { return []any{d.level(), d.level()} }},
	{1, "permute", func(d *drawer) (order []any) {
		for k := range d.depth() {
			order = slices.Insert(order, d.Below(k+1), any(k+1))
		}
		return order
	}},
	{1, "reverse", func(d *drawer) []any { return []any{d.level()} }},
	{1, "shift", func(d *drawer) []any { return []any{d.level(), d.Between(-2, 2)} }},
	{1, "unroll", func(d *drawer) []any { return []any{d.level()} }},
	{1, "unroll_jam", func(d *drawer) []any { return []any{d.level(), d.Between(1, 4)} }},
	{1, "unroll_partial", func(d *drawer) []any { return []any{d.level(), d.Between(1, 4)} }},
	{1, "fuse_inner", func(d *drawer) []any { return []any{d.level()} }},
	{1, "fuse_outer", func(d *drawer) []any { return []any{d.level()} }},
	{1, "fuse_union", func(d *drawer) []any { return []any{d.level()} }},
	{1, "pad", func(d *drawer) []any { return []any{d.level()} }},
	{3, "promote", func(d *drawer) []any {
		args := []any{d.inside(), d.tensor()}
		if d.OneIn(2) {
			args = append(args, Pick(d.Choices, "private", "register", "workspace"))
		}
		return args
	}},
	{3, "pack", func(d *drawer) []any {
		name := d.tensor()
		return append([]any{d.inside(), name}, d.dimensions(name)...)
	}},
}

// marks say how loops run.
var marks = []move{
	{2, "vectorize", func(d *drawer) []any { return []any{d.inner()} }},
	{2, "vectorize", func(d *drawer) []any { return []any{d.inner(), Pick(d.Choices, 2, 4, 8, 16, 32, 64)} }},
	{3, "parallelize", func(d *drawer) []any { return []any{d.level()} }},
	{1, "bind", func(d *drawer) []any { return []any{d.inner(), Pick(d.Choices, "COR", "SIMD")} }},
	{1, "stream", func(d *drawer) []any { return []any{d.inner()} }},
	{1, "ahead", func(d *drawer) []any { return []any{d.inner(), 64 << d.Below(8)} }},
	{2, "prefetch", func(d *drawer) []any { return []any{d.level(), d.depth()} }},
	{1, "unroll", func(d *drawer) []any { return []any{d.inner()} }},
}

// move makes one of a table, of any nest.
func (d *drawer) move(table []move) {
	d.at = d.Below(len(d.script.Nests))
	total := 0
	for _, m := range table {
		total += m.weight
	}
	k := d.Below(total)
	for _, m := range table {
		if k -= m.weight; k < 0 {
			d.try(m.name, m.draw(d)...)
			return
		}
	}
}

// pipeline shifts each nest behind the one before, cuts all alike, and fuses them.
func (d *drawer) pipeline() {
	behind, cut := d.Between(0, 2), d.OneIn(3)
	tiles := []any{d.Between(1, 4), d.Between(1, 5)}
	for d.at = range d.script.Nests {
		for l := range d.depth() {
			if !d.OneIn(3) {
				d.try("shift", l+1, d.at*behind)
			}
		}
		if cut {
			d.try("tile", tiles...)
		}
	}
	for len(d.script.Nests) > 1 && !d.OneIn(4) {
		d.at = d.Below(len(d.script.Nests) - 1)
		d.try(Pick(d.Choices, "fuse_union", "fuse_union", "fuse_outer"), d.level())
	}
}

// chain is a pipeline of everything, with all loops shared that can be.
func (d *drawer) chain() {
	behind := d.Between(1, 2)
	for d.at = range d.script.Nests {
		for l := range min(2, d.depth()) {
			d.try("shift", l+1, d.at*behind)
		}
	}
	for d.at = 0; len(d.script.Nests) > 1; {
		if !d.try("fuse_union", d.depth()) && !d.try("fuse_union", 1) {
			return
		}
	}
}

// wavefront skews the outer loops of a nest, cuts them, and runs diagonals.
func (d *drawer) wavefront() {
	if d.OneIn(2) {
		d.chain()
	}
	d.at = d.Below(len(d.script.Nests))
	factor, tile := d.Between(1, 2), func() { d.try("tile", d.Between(2, 5), d.Between(2, 6)) }
	if before := d.OneIn(2); before {
		tile()
		d.try("skew", 1, 2, factor)
	} else {
		d.try("skew", 1, 2, factor)
		tile()
	}
	d.try("interchange", 1, 2)
	if d.OneIn(2) {
		d.try("parallelize", 2)
	}
}

// DrawScript draws a script for a function that has statements. Some begin with the nests of
// the default schedule.
func DrawScript(from *Choices, f *ein.Func, m *machine.Processor) (*Script, error) {
	d := &drawer{Choices: from, script: NewScript(f)}
	if from.OneIn(6) {
		s, err := NewDefaultScript(f, m)
		var refused source.ErrorList // a statement overwrites what it reads elsewhere
		switch {
		case err == nil:
			d.script = s
		case !errors.As(err, &refused):
			return nil, err
		}
	}
	Pick(from, func() {}, func() {}, d.pipeline, d.pipeline, d.wavefront)()
	for range from.Below(Pick(from, 3, 9, 14)) {
		d.move(moves)
	}
	for range from.Below(5) {
		d.move(marks)
	}
	if n := len(d.script.Nests); n > 1 && from.OneIn(16) {
		statement := d.script.Nests[from.Below(n)].statement
		d.script.Apply(Step{Name: last, Of: statement, With: statement})
	}
	return d.script, nil
}
