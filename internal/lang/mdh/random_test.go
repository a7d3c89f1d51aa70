package mdh

import (
	"fmt"
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
	rapid.Check(t, func(t *rapid.T) {
		p := mdhtest.Draw(t, mdhtest.Options{})
		text := p.Text
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
		for n, extent := range p.Extents {
			if p.Symbols {
				r.sizes[p.Size(n)] = extent
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
