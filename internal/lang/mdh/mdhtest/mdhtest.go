// Package mdhtest draws random programs in the MDH notation for tests.
package mdhtest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// tables are what index functions and index sets are made of.
const tables = "const taps = [0, 1, 3]\n"

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
	identity    bool
}{
	{"+", []string{"T"}, true, true}, {"*", []string{"T"}, true, true}, {"max", []string{"T"}, true, true}, {"min", []string{"P"}, true, true},
	{"+, max", []string{"T", "T"}, true, true}, {"best", []string{"P"}, true, false}, {"times", []string{"P"}, true, false}, {"both", []string{"P"}, true, true},
	{"best, (min)", []string{"P", "T"}, true, false}, {"compose", []string{"P"}, false, false}, {"follow", []string{"P"}, false, true}, {"last", []string{"P"}, false, false},
	{"smooth", []string{"T"}, false, false},
}

// Options of Draw.
type Options struct {
	Types   []string // of scalars; int64 where there are none
	Extents []int    // of dimensions; 1 to 4 where there are none
	Points  int64    // at most so many, where Extents are given
	Ordered bool     // with an operator that is not associative
	Whole   bool     // with tables, index sets, index set functions, ⊥, prefixes as inputs and chains
}

// A Program is a random computation.
type Program struct {
	Text    string
	Extents []int64  // of the dimensions
	Symbols bool     // whether these are sizes, which Size names
	Sets    []string // the index sets of dimensions that have none of these sizes; else empty
	Chained bool     // whether a computation h applies another one to the results of f
}

// Size names the extent of a dimension.
func (p *Program) Size(n int) string {
	if p.IsListed(n) {
		return p.Sets[n]
	}
	if p.Symbols {
		return fmt.Sprintf("N%d", n)
	}
	return fmt.Sprint(p.Extents[n])
}

// IsListed reports whether a dimension has an index set that the program lists.
func (p *Program) IsListed(n int) bool { return n < len(p.Sets) && p.Sets[n] != "" }

// Draw draws a program: a box of up to three dimensions, several outputs and accesses,
// strided and reversed views, records, and operators of the language and of its own.
func Draw(t *rapid.T, o Options) *Program {
	d := &drawer{t: t, Program: &Program{}, whole: o.Whole}
	if d.scalar = "int64"; len(o.Types) > 0 {
		d.scalar = d.pick(o.Types...)
	}
	for d.draw(o); len(o.Extents) > 0 && d.points() > o.Points; {
		d.draw(o)
	}
	if d.whole {
		d.Text = tables
	}
	d.Text += strings.ReplaceAll(preamble, ": T", ": "+d.scalar) + strings.ReplaceAll(d.program(o.Ordered), "$T", d.scalar)
	return d.Program
}

// A drawer writes a random program; $T stands for the type of scalars.
type drawer struct {
	*Program
	t       *rapid.T
	scalar  string
	indices []string
	kinds   []string
	whole   bool
	again   string   // another index function of x
	rank    int      // of the output that was drawn last
	images  []string // index set functions of the dimensions; empty where they have none
}

func (d *drawer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(d.t, "pick") }
func (d *drawer) number(lo, hi int) int      { return rapid.IntRange(lo, hi).Draw(d.t, "number") }

// draw draws the box.
func (d *drawer) draw(o Options) {
	rank := d.number(1, 3)
	d.Symbols = rapid.Bool().Draw(d.t, "symbols")
	d.indices, d.kinds, d.Extents, d.Sets, d.images = nil, nil, nil, nil, nil
	for n := range rank {
		d.indices = append(d.indices, fmt.Sprintf("i%d", n))
		extent := d.number(1, 4)
		if len(o.Extents) > 0 {
			extent = rapid.SampledFrom(o.Extents).Draw(d.t, "extent")
		}
		set := ""
		if d.whole && d.number(0, 4) == 0 {
			set, extent = d.pick("{0, 2, 3}", "taps"), 3
		}
		d.Sets = append(d.Sets, set)
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
		d.images = append(d.images, d.image(n, family.identity))
		if k += d.images[n]; d.kinds[n] != "++" {
			k += "(" + family.operator + ")"
		}
		combine, sizes = append(combine, k), append(sizes, d.Size(n))
		if d.Symbols && !d.IsListed(n) {
			parameters = append(parameters, d.Size(n))
		}
	}
	head := "f"
	if len(parameters) > 0 {
		head += "<" + join(parameters) + ">"
	}
	inputTypes, inputs, names := d.inputs()
	parameterNames, down, fill := "x, z", d.down(), " fill 9"
	if d.whole && d.number(0, 3) == 0 {
		fill = " fill ⊥"
	}
	if d.whole && d.number(0, 3) == 0 {
		parameterNames, inputTypes, names = "x, z, w", inputTypes+", $T", append(names, "w")
		inputs += ", x: " + d.again
	}
	outputs, types, results := make([]string, len(family.outputs)), make([]string, len(family.outputs)), make([]string, len(family.outputs))
	for n, t := range family.outputs {
		outputs[n] = fmt.Sprintf("y%d: (%s) -> (%s)%s", n, join(d.indices), join(d.outputSubscripts()), fill)
		types[n], results[n] = strings.ReplaceAll(t, "T", "$T"), d.result(t, names)
	}
	result := results[0]
	if len(results) > 1 {
		result = "(" + join(results) + ")"
	}
	text := fmt.Sprintf("%s := out_view<%s>(%s) o md_hom<%s>(%s(%s | %s) -> %s, (%s)) o inp_view<%s>(%s)\n", head,
		join(types), join(outputs), join(sizes), down, parameterNames, join(d.indices), result, join(combine), inputTypes, inputs)
	if d.Chained = d.whole && d.number(0, 2) == 0 && len(outputs) == 1 && types[0] == "$T" && fill == " fill 9"; d.Chained {
		text += d.chained(parameters)
	}
	return text
}

// chained applies a computation to the result of f, of which rank is the number of
// subscripts.
func (d *drawer) chained(parameters []string) string {
	var extents []string
	for n := range d.rank {
		extents = append(extents, fmt.Sprintf("A%d", n))
	}
	angle := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return "<" + join(list) + ">"
	}
	small := strings.ToLower(join(extents))
	plus := strings.Repeat("++, ", d.rank)
	text := fmt.Sprintf("g%s := out_view<$T>(u: (%s) -> (%s)) o md_hom<%s>((v) -> v * v - 2, (%s)) o inp_view<$T>(v: (%s) -> (%s))\n",
		angle(extents), small, small, join(extents), strings.TrimSuffix(plus, ", "), small, small)
	return text + fmt.Sprintf("h%s := g ∘ f%s\n", angle(parameters), angle(parameters))
}

// image draws an index set function for a fold, where the operator has an identity; the
// index is called i.
func (d *drawer) image(n int, identity bool) string {
	if !d.whole || d.kinds[n] != "pw" || !identity || d.number(0, 1) == 0 {
		return ""
	}
	list := []string{"i / 2", "i / 3", "2 * i + 1"}
	if d.Extents[n] >= 2 {
		list = append(list, "i % 2")
	}
	if d.IsListed(n) {
		list = append(list, "taps[i % 3]")
	}
	return "<(i) -> (" + d.pick(list...) + ")>"
}

// down draws the operators by which the inputs are taken apart.
func (d *drawer) down() string {
	if !d.whole || d.number(0, 3) > 0 {
		return ""
	}
	list := make([]string, len(d.kinds))
	for n := range list {
		if list[n] = "++"; !d.IsListed(n) && d.images[n] == "" && d.number(0, 1) == 0 {
			list[n] = "ps(+)"
		}
	}
	return "(" + join(list) + "), "
}

func join(list []string) string { return strings.Join(list, ", ") }

// inputs draws the two buffers x and z, and returns the expressions of what they
// give.
func (d *drawer) inputs() (types, buffers string, names []string) {
	number := d.number(1, 3)
	var accesses []string
	rank := d.number(0, 2)
	subscriptsOf := func() (subscripts []string) {
		for range rank {
			subscripts = append(subscripts, d.subscript())
		}
		return subscripts
	}
	if d.whole {
		d.again = fmt.Sprintf("(%s) -> (%s)", join(d.indices), join(subscriptsOf()))
	}
	for range number {
		subscripts := subscriptsOf()
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
	most := 5
	if d.whole {
		most = 6
	}
	switch d.number(0, most) {
	case 6:
		return text + fmt.Sprintf(" + taps[(%s) %% 3]", text)
	case 0:
		return "(" + text + ") / 2"
	case 1:
		return "(" + text + ") % 3"
	case 2:
		n := d.number(0, len(d.indices)-1)
		if d.IsListed(n) {
			return fmt.Sprintf("3 - %s", d.indices[n])
		}
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
		case d.kinds[n] == "pw" && d.images[n] == "":
		case d.number(0, 3) == 0 && !d.IsListed(n) && d.images[n] == "":
			list = append(list, fmt.Sprintf("%s - 1 - %s", d.Size(n), i))
		default:
			list = append(list, fmt.Sprintf("%d * %s + %d", d.number(1, 2), i, d.number(0, 1)))
		}
	}
	if d.rank = len(list); len(list) > 1 {
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
		if d.whole {
			leaves = append(leaves, "taps["+d.indices[0]+" % 3]")
		}
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
