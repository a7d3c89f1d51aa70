package mdh

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh/mdhtest"
	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestRandomPrograms compares random computations with the reference, which splits
// their index sets at random.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compareDrawn(t, mdhtest.Options{}) })
}

// TestWholePrograms does so with all that a computation can be made of.
func TestWholePrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compareDrawn(t, mdhtest.Options{Whole: true}) })
}

func compareDrawn(t *rapid.T, o mdhtest.Options) {
	p := mdhtest.Draw(t, o)
	text := p.Text
	file := source.NewFile("random.mdh", text)
	parsed, _ := syntax.Parse(file)
	unit, diagnostics := Compile(file, lang.Options{})
	if diagnostics.HasErrors() {
		t.Fatalf("%v\n%s", diagnostics.Err(), text)
	}
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	r := &reference{file: parsed, c: parsed.Computations[0], sizes: map[string]int64{}, t: t}
	for n, extent := range p.Extents {
		if p.Symbols && !p.IsListed(n) {
			r.sizes[p.Size(n)] = extent
		}
	}
	c := &comparison{T: t, reference: r, text: text}
	c.inputs(unit.Def("f").Func)
	want, extents := c.expected()
	got := c.evaluate(unit.Def("f").Func)
	for n, b := range r.c.Out.Buffers {
		c.buffer(b.Name.Name, r.c.Out.Types[n].Name.Name, extents[n], want[n], got)
	}
	if p.Chained {
		c.buffer("u", "", extents[0], chained(want[0], extents[0]), c.evaluate(unit.Def("h").Func))
	}
}

// chained applies the second computation of a chain, v * v - 2, to all cells of the first;
// those that no point writes are 9.
func chained(cells map[string]object, extents []int64) map[string]object {
	list := map[string]object{}
	for _, cell := range cellsOf(extents) {
		v := int64(9)
		if x, ok := cells[key(cell)]; ok {
			v = x.(int64)
		}
		list[key(cell)] = v*v - 2
	}
	return list
}

// A comparison is one program with its arguments.
type comparison struct {
	*rapid.T
	*reference
	text string
	args map[string]*tensor.Tensor
}

// inputs draws the arguments.
func (c *comparison) inputs(f *ein.Func) {
	all := points(c.sets())
	c.args = map[string]*tensor.Tensor{}
	shapes, err := f.Shapes(c.sizes)
	if err != nil {
		c.Fatalf("%v\n%s", err, c.text)
	}
	drawn := map[string]map[string]object{}
	for n, b := range c.c.Inp.Buffers {
		name := b.Name.Name
		if drawn[name] == nil {
			drawn[name] = c.draw(name, c.c.Inp.Types[n].Name.Name == "P", c.extents(c.accessesOf(name), all), shapes)
		}
		c.reference.inputs = append(c.reference.inputs, drawn[name])
	}
}

// draw draws the cells of an input.
func (c *comparison) draw(name string, record bool, extents []int64, shapes map[string][]int64) map[string]object {
	names := []string{name}
	if record {
		names = []string{name + "_a", name + "_b"}
	}
	for d, extent := range shapes[names[0]] {
		// The greatest remainder, and the greatest number of a table, may not occur.
		if extent != extents[d] && !(extent > extents[d] && strings.Contains(c.text, "%")) {
			c.Fatalf("dimension %d of %s is %d, expected %d\n%s", d, names[0], extent, extents[d], c.text)
		}
	}
	extents = shapes[names[0]]
	for _, name := range names {
		c.args[name] = newTensor(c.T, extents)
	}
	cells := map[string]object{}
	for _, cell := range cellsOf(extents) {
		var numbers []object
		for _, name := range names {
			v := int64(rapid.IntRange(-5, 5).Draw(c.T, "input"))
			c.args[name].SetInt(v, ints(cell)...)
			numbers = append(numbers, v)
		}
		cells[key(cell)] = numbers[0]
		if record {
			cells[key(cell)] = instanceOf{c.file.Records[0], numbers}
		}
	}
	return cells
}

// evaluate runs a function of the program.
func (c *comparison) evaluate(f *ein.Func) map[string]*tensor.Tensor {
	shapes := map[string][]int64{}
	for name, a := range c.args {
		shapes[name] = []int64{}
		for _, n := range a.Shape() {
			shapes[name] = append(shapes[name], int64(n))
		}
	}
	sizes, err := f.Bind(shapes, c.sizes)
	if err != nil {
		c.Fatalf("%v\n%s", err, c.text)
	}
	for name, want := range c.sizes {
		if sizes[name] != want {
			c.Fatalf("the size %s is %d, expected %d\n%s", name, sizes[name], want, c.text)
		}
	}
	got, err := ein.Evaluate(f, c.args, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		c.Fatalf("%v\n%s", err, c.text)
	}
	return got
}

// expected is what the reference gives, with the extents of the outputs.
func (c *comparison) expected() (want []map[string]object, extents [][]int64) {
	want = c.outputs(c.hom(c.sets()))
	var kept [][]int64
	for _, point := range points(c.sets()) {
		kept = append(kept, c.image(point))
	}
	for _, b := range c.c.Out.Buffers {
		extents = append(extents, c.extents(b, kept))
	}
	return want, extents
}

// buffer compares all cells of an output; those that are undefined in the paper have the
// fill, 0 for ⊥.
func (c *comparison) buffer(name, element string, extents []int64, want map[string]object, got map[string]*tensor.Tensor) {
	names := []string{name}
	if element == "P" {
		names = []string{name + "_a", name + "_b"}
	}
	undefined := int64(9)
	if strings.Contains(c.text, "fill ⊥") {
		undefined = 0
	}
	for k, tensorName := range names {
		a := got[tensorName]
		for d, n := range a.Shape() {
			// The greatest number of a table may not occur.
			if int64(n) != extents[d] && !(int64(n) > extents[d] && strings.Contains(c.text, "%")) {
				c.Fatalf("%s has the shape %v, expected %v\n%s", tensorName, a.Shape(), extents, c.text)
			}
		}
		for _, cell := range cellsOf(extents) {
			expected := undefined
			if v, defined := want[key(cell)]; defined {
				expected = flat(v)[k]
			}
			if v := a.Int(ints(cell)...); v != expected {
				c.Fatalf("%s%v is %d, expected %d\n%s", tensorName, cell, v, expected, c.text)
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
