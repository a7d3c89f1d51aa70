package mdh

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

const preamble = `record P { a: int64, b: int64 }
op best(l, r) = if l.a > r.a || l.a == r.a && l.b <= r.b then l else r
op times(l, r) = P(l.a * r.a - l.b * r.b, l.a * r.b + l.b * r.a)
op compose(l, r) = P(l.a * r.a, r.a * l.b + r.b)
`

// families are operators that are associative, all but compose commutative.
var families = []struct {
	operator string
	outputs  []string // the types of the outputs
	ordered  bool     // only one ps
}{
	{"+", []string{"int64"}, false}, {"*", []string{"int64"}, false}, {"max", []string{"int64"}, false}, {"min", []string{"P"}, false},
	{"+, max", []string{"int64", "int64"}, false}, {"best", []string{"P"}, false}, {"times", []string{"P"}, false},
	{"best, (min)", []string{"P", "int64"}, false}, {"compose", []string{"P"}, true},
}

// A drawer writes a random program.
type drawer struct {
	t       *rapid.T
	indices []string
	kinds   []string
	extents []int64
	symbols bool
}

func (d *drawer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(d.t, "pick") }
func (d *drawer) number(lo, hi int) int      { return rapid.IntRange(lo, hi).Draw(d.t, "number") }

// extent writes the size of a dimension.
func (d *drawer) extent(n int) string {
	if d.symbols {
		return fmt.Sprintf("N%d", n)
	}
	return fmt.Sprint(d.extents[n])
}

func (d *drawer) program() (text string) {
	family := rapid.SampledFrom(families).Draw(d.t, "family")
	rank := d.number(1, 3)
	d.symbols = rapid.Bool().Draw(d.t, "symbols")
	for n := range rank {
		d.indices = append(d.indices, fmt.Sprintf("i%d", n))
		d.extents = append(d.extents, int64(d.number(1, 4)))
		d.kinds = append(d.kinds, d.pick("++", "pw", "ps"))
	}
	if family.ordered {
		for n := range d.kinds {
			d.kinds[n] = "++"
		}
		d.kinds[d.number(0, rank-1)] = "ps"
	}
	var combine, sizes, parameters []string
	for n, k := range d.kinds {
		if k != "++" {
			k += "(" + family.operator + ")"
		}
		combine, sizes = append(combine, k), append(sizes, d.extent(n))
		if d.symbols {
			parameters = append(parameters, d.extent(n))
		}
	}
	head := "f"
	if len(parameters) > 0 {
		head += "<" + join(parameters) + ">"
	}
	inputTypes, inputs, names := d.inputs()
	outputs := make([]string, len(family.outputs))
	results := make([]string, len(family.outputs))
	for n, t := range family.outputs {
		outputs[n] = fmt.Sprintf("y%d: (%s) -> (%s) fill 9", n, join(d.indices), join(d.outputSubscripts()))
		results[n] = d.result(t, names)
	}
	result := results[0]
	if len(results) > 1 {
		result = "(" + join(results) + ")"
	}
	return preamble + fmt.Sprintf("%s := out_view<%s>(%s) o md_hom<%s>((%s | %s) -> %s, (%s)) o inp_view<%s>(%s)\n", head,
		join(family.outputs), join(outputs), join(sizes), join([]string{"x", "z"}), join(d.indices), result, join(combine), inputTypes, inputs)
}

// inputs draws the two buffers x and z, and returns the expressions of what they
// give.
func (d *drawer) inputs() (types, buffers string, names []string) {
	number := d.number(1, 3)
	var accesses []string
	rank := d.number(0, 2)
	for n := range number {
		var subscripts []string
		for range rank {
			subscripts = append(subscripts, d.subscript())
		}
		accesses = append(accesses, fmt.Sprintf("(%s) -> (%s)", join(d.indices), join(subscripts)))
		if number > 1 {
			names = append(names, fmt.Sprintf("x[%d]", n+1))
		}
	}
	if number == 1 {
		names = []string{"x"}
	}
	z := fmt.Sprintf("z: (%s) -> (%s)", join(d.indices), d.subscript())
	return "int64, P", "x: " + join(accesses) + ", " + z, append(names, "z.a", "z.b")
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
		return fmt.Sprintf("%s - 1 - %s", d.extent(n), d.indices[n])
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
			list = append(list, fmt.Sprintf("%s - 1 - %s", d.extent(n), i))
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
		return d.pick(append(append([]string{"3", "(-2)"}, names...), d.indices...)...)
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
	return fmt.Sprintf("(%s %s %s)", x, d.pick("+", "-", "*"), y)
}

// TestRandomPrograms compares random computations with the reference, which splits
// their index sets at random.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawer{t: t}
		text := d.program()
		file := source.NewFile("random.mdh", text)
		parsed, _ := syntax.Parse(file)
		unit, diagnostics := Compile(file, lang.Options{})
		if diagnostics.HasErrors() {
			t.Fatalf("%v\n%s", diagnostics.Err(), text)
		}
		f := unit.Program.Funcs[0]
		if err := ein.Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r := &reference{file: parsed, c: parsed.Computations[0], sizes: map[string]int64{}, t: t}
		for n := range d.extents {
			if d.symbols {
				r.sizes[d.extent(n)] = d.extents[n]
			}
		}
		compareWithReference(t, r, f, text)
	})
}

func compareWithReference(t *rapid.T, r *reference, f *ein.Func, text string) {
	all := points(r.sets())
	args := map[string]*tensor.Tensor{}
	shapes, err := f.Shapes(r.sizes)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for n, b := range r.c.Inp.Buffers {
		record := r.c.Inp.Types[n].Name.Name == "P"
		extents := r.extents(b, all)
		names := []string{b.Name.Name}
		if record {
			names = []string{b.Name.Name + "_a", b.Name.Name + "_b"}
		}
		cells := map[string]object{}
		for d, extent := range shapes[names[0]] {
			// The greatest remainder may not occur.
			if extent != extents[d] && !(extent > extents[d] && strings.Contains(text, "%")) {
				t.Fatalf("dimension %d of %s is %d, expected %d\n%s", d, names[0], extent, extents[d], text)
			}
		}
		extents = shapes[names[0]]
		for _, name := range names {
			args[name] = newTensor(t, extents)
		}
		for _, cell := range cellsOf(extents) {
			var numbers []object
			for _, name := range names {
				v := int64(rapid.IntRange(-5, 5).Draw(t, "input"))
				args[name].SetInt(v, ints(cell)...)
				numbers = append(numbers, v)
			}
			cells[key(cell)] = numbers[0]
			if record {
				cells[key(cell)] = instanceOf{r.file.Records[0], numbers}
			}
		}
		r.inputs = append(r.inputs, cells)
	}
	sizes, err := f.Bind(shapes, r.sizes)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range r.sizes {
		if sizes[name] != want {
			t.Fatalf("the size %s is %d, expected %d\n%s", name, sizes[name], want, text)
		}
	}
	got, err := ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := r.outputs(r.hom(r.sets()))
	kept := r.sets()
	for d, k := range r.c.Hom.Combine {
		if k.Kind == "pw" {
			kept[d] = []int64{0}
		}
	}
	for n, b := range r.c.Out.Buffers {
		compareBuffer(t, b.Name.Name, r.c.Out.Types[n].Name.Name, r.extents(b, points(kept)), want[n], got, text)
	}
}

// compareBuffer compares all cells of an output; those that are undefined in the
// paper have the fill.
func compareBuffer(t *rapid.T, name, element string, extents []int64, want map[string]object, got map[string]*tensor.Tensor, text string) {
	names := []string{name}
	if element == "P" {
		names = []string{name + "_a", name + "_b"}
	}
	for k, tensorName := range names {
		a := got[tensorName]
		if fmt.Sprint(a.Shape()) != fmt.Sprint(ints(extents)) {
			t.Fatalf("%s has the shape %v, expected %v\n%s", tensorName, a.Shape(), extents, text)
		}
		for _, cell := range cellsOf(extents) {
			expected := int64(9)
			if v, defined := want[key(cell)]; defined {
				expected = flat(v)[k]
			}
			if v := a.Int(ints(cell)...); v != expected {
				t.Fatalf("%s%v is %d, expected %d\n%s", tensorName, cell, v, expected, text)
			}
		}
	}
}

func newTensor(t *rapid.T, extents []int64) *tensor.Tensor {
	a, err := tensor.New(tensor.Int64, ints(extents)...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func cellsOf(extents []int64) [][]int64 {
	sets := make([][]int64, len(extents))
	for d, n := range extents {
		for i := range n {
			sets[d] = append(sets[d], i)
		}
	}
	return points(sets)
}

func ints(list []int64) []int {
	converted := make([]int, len(list))
	for n, v := range list {
		converted[n] = int(v)
	}
	return slices.Clip(converted)
}
