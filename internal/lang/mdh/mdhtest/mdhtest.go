// Package mdhtest draws random programs in the MDH notation for tests.
package mdhtest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// preamble declares a record of two scalars and operators, all associative but smooth.
const preamble = `record P { a: T, b: T }
op best(l, r) = if l.a > r.a || l.a == r.a && l.b <= r.b then l else r
op times(l, r) = P(l.a * r.a - l.b * r.b, l.a * r.b + l.b * r.a)
op both(l, r) = P(l.a + r.a, l.b + r.b) identity P(0, 0)
op compose(l, r) = P(l.a * r.a, r.a * l.b + r.b)
op follow(l, r) = P(l.a * r.a, r.a * l.b + r.b) identity P(1, 0)
op last(l, r) = r
op smooth(l, r) = l - r ordered
`

// families are operators with the types of the outputs; the last one is not associative. Commutative ones may be mixed with
// others like them and stand in several dimensions, folds and scans alike.
var families = []struct {
	operator    string
	outputs     []string
	commutative bool
}{
	{"+", []string{"T"}, true}, {"*", []string{"T"}, true}, {"max", []string{"T"}, true}, {"min", []string{"P"}, true},
	{"+, max", []string{"T", "T"}, true}, {"best", []string{"P"}, true}, {"times", []string{"P"}, true}, {"both", []string{"P"}, true},
	{"best, (min)", []string{"P", "T"}, true}, {"compose", []string{"P"}, false}, {"follow", []string{"P"}, false}, {"last", []string{"P"}, false},
	{"smooth", []string{"T"}, false},
}

// Options of Draw.
type Options struct {
	Types   []string // of scalars; int64 where there are none
	Extents []int    // of dimensions; 1 to 4 where there are none
	Points  int64    // at most so many, where Extents are given
	Ordered bool     // with an operator that is not associative
}

// A Program is a random computation.
type Program struct {
	Text    string
	Extents []int64 // of the dimensions
	Symbols bool    // whether these are sizes, which Size names
}

// Size names the extent of a dimension.
func (p *Program) Size(n int) string {
	if p.Symbols {
		return fmt.Sprintf("N%d", n)
	}
	return fmt.Sprint(p.Extents[n])
}

// Draw draws a program: a box of up to three dimensions, several outputs and accesses,
// strided and reversed views, records, and operators of the language and of its own.
func Draw(t *rapid.T, o Options) *Program {
	d := &drawer{t: t, Program: &Program{}}
	if d.scalar = "int64"; len(o.Types) > 0 {
		d.scalar = d.pick(o.Types...)
	}
	for d.draw(o); len(o.Extents) > 0 && d.points() > o.Points; {
		d.draw(o)
	}
	d.Text = strings.ReplaceAll(preamble, ": T", ": "+d.scalar) + strings.ReplaceAll(d.program(o.Ordered), "$T", d.scalar)
	return d.Program
}

// A drawer writes a random program; $T stands for the type of scalars.
type drawer struct {
	*Program
	t       *rapid.T
	scalar  string
	indices []string
	kinds   []string
}

func (d *drawer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(d.t, "pick") }
func (d *drawer) number(lo, hi int) int      { return rapid.IntRange(lo, hi).Draw(d.t, "number") }

// draw draws the box.
func (d *drawer) draw(o Options) {
	rank := d.number(1, 3)
	d.Symbols = rapid.Bool().Draw(d.t, "symbols")
	d.indices, d.kinds, d.Extents = nil, nil, nil
	for n := range rank {
		d.indices = append(d.indices, fmt.Sprintf("i%d", n))
		extent := d.number(1, 4)
		if len(o.Extents) > 0 {
			extent = rapid.SampledFrom(o.Extents).Draw(d.t, "extent")
		}
		d.Extents = append(d.Extents, int64(extent))
		d.kinds = append(d.kinds, d.pick("++", "pw", "ps"))
	}
}

func (d *drawer) points() int64 {
	n := int64(1)
	for _, extent := range d.Extents {
		n *= extent
	}
	return n
}

func (d *drawer) program(ordered bool) string {
	families := families
	if !ordered {
		families = families[:len(families)-1]
	}
	family := rapid.SampledFrom(families).Draw(d.t, "family")
	if !family.commutative { // one dimension has it
		for n := range d.kinds {
			d.kinds[n] = "++"
		}
		d.kinds[d.number(0, len(d.kinds)-1)] = "ps"
	}
	var combine, sizes, parameters []string
	for n, k := range d.kinds {
		if k != "++" {
			k += "(" + family.operator + ")"
		}
		combine, sizes = append(combine, k), append(sizes, d.Size(n))
		if d.Symbols {
			parameters = append(parameters, d.Size(n))
		}
	}
	head := "f"
	if len(parameters) > 0 {
		head += "<" + join(parameters) + ">"
	}
	inputTypes, inputs, names := d.inputs()
	outputs, types, results := make([]string, len(family.outputs)), make([]string, len(family.outputs)), make([]string, len(family.outputs))
	for n, t := range family.outputs {
		outputs[n] = fmt.Sprintf("y%d: (%s) -> (%s) fill 9", n, join(d.indices), join(d.outputSubscripts()))
		types[n], results[n] = strings.ReplaceAll(t, "T", "$T"), d.result(t, names)
	}
	result := results[0]
	if len(results) > 1 {
		result = "(" + join(results) + ")"
	}
	return fmt.Sprintf("%s := out_view<%s>(%s) o md_hom<%s>((x, z | %s) -> %s, (%s)) o inp_view<%s>(%s)\n", head,
		join(types), join(outputs), join(sizes), join(d.indices), result, join(combine), inputTypes, inputs)
}

func join(list []string) string { return strings.Join(list, ", ") }

// inputs draws the two buffers x and z, and returns the expressions of what they
// give.
func (d *drawer) inputs() (types, buffers string, names []string) {
	number := d.number(1, 3)
	var accesses []string
	rank := d.number(0, 2)
	for range number {
		var subscripts []string
		for range rank {
			subscripts = append(subscripts, d.subscript())
		}
		accesses = append(accesses, fmt.Sprintf("(%s) -> (%s)", join(d.indices), join(subscripts)))
		if number > 1 {
			names = append(names, fmt.Sprintf("x[%d]", len(accesses)))
		}
	}
	if number == 1 {
		names = []string{"x"}
	}
	z := fmt.Sprintf("z: (%s) -> (%s)", join(d.indices), d.subscript())
	return "$T, P", "x: " + join(accesses) + ", " + z, append(names, "z.a", "z.b")
}

// subscript draws an affine expression that is not negative.
func (d *drawer) subscript() string {
	text := fmt.Sprint(d.number(0, 2))
	for _, i := range d.indices {
		if c := d.number(0, 2); c > 0 {
			text += fmt.Sprintf(" + %d * %s", c, i)
		}
	}
	switch d.number(0, 5) {
	case 0:
		return "(" + text + ") / 2"
	case 1:
		return "(" + text + ") % 3"
	case 2:
		n := d.number(0, len(d.indices)-1)
		return fmt.Sprintf("%s - 1 - %s", d.Size(n), d.indices[n])
	}
	return text
}

// outputSubscripts draws an injective map of the kept indices: each has a subscript
// of its own, with a stride and an offset, in any order.
func (d *drawer) outputSubscripts() []string {
	var list []string
	for n, i := range d.indices {
		switch {
		case d.kinds[n] == "pw":
		case d.number(0, 3) == 0:
			list = append(list, fmt.Sprintf("%s - 1 - %s", d.Size(n), i))
		default:
			list = append(list, fmt.Sprintf("%d * %s + %d", d.number(1, 2), i, d.number(0, 1)))
		}
	}
	if len(list) > 1 {
		return rapid.Permutation(list).Draw(d.t, "order")
	}
	return list
}

func (d *drawer) result(t string, names []string) string {
	if t == "P" {
		return fmt.Sprintf("P(%s, %s)", d.expr(names, 3), d.expr(names, 2))
	}
	return d.expr(names, 3)
}

func (d *drawer) expr(names []string, depth int) string {
	if depth == 0 || d.number(0, 3) == 0 {
		leaves := append([]string{"3", "(-2)"}, d.indices...)
		if d.scalar != "int64" { // which indices and lone numbers are
			for n, text := range leaves {
				leaves[n] = "$T(" + text + ")"
			}
		}
		return d.pick(append(leaves, names...)...)
	}
	x, y := d.expr(names, depth-1), d.expr(names, depth-1)
	switch d.number(0, 5) {
	case 0:
		return fmt.Sprintf("(if %s %s %s then %s else %s)", x, d.pick("<", "<=", "=="), y, d.expr(names, depth-1), d.expr(names, depth-1))
	case 1:
		return fmt.Sprintf("(let t = %s; t * t - %s)", x, y)
	case 2:
		return fmt.Sprintf("%s(%s, %s)", d.pick("min", "max"), x, y)
	}
	signs := []string{"+", "-", "*"}
	if strings.Contains(d.scalar, "int") {
		signs = append(signs, "&", "|", "^", "<<", ">>")
	}
	return fmt.Sprintf("(%s %s %s)", x, d.pick(signs...), y)
}
