package strand

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// Given is what a world gets from outside, by name.
type Given struct {
	Inputs map[string]Value
	Images map[string]*ImageData
}

// A Value is the scalars of an input, element by element, or a text.
type Value struct {
	Numbers []ein.Number
	Text    string
}

// ImageData is an image as samples, the components of a voxel first, then the axes from the
// fastest. Column j of Directions, which is stored row by row, is the step in world space along
// axis j; Origin is where the first sample is.
type ImageData struct {
	Sizes              []int
	Components         int
	Samples            []float64
	Directions, Origin []float64
}

// take gives a world its inputs and images.
func (w *World) take(given Given) error {
	known := map[string]bool{}
	for _, v := range slices.Concat(w.program.ByRole(Input), w.program.ByRole(Loaded)) {
		known[v.Name] = true
		if err := w.input(v, given); err != nil {
			return err
		}
	}
	for _, i := range w.program.Images {
		known[i.Name] = true
		data := given.Images[i.Name]
		if data == nil {
			return problem(source.StrandInput, i.Pos, "the image %s is not given", i.Name)
		}
		if err := w.image(i, data); err != nil {
			return problem(source.StrandImage, i.Pos, "the image %s: %v", i.Name, err)
		}
	}
	for name := range given.Inputs {
		if !known[name] {
			return problem(source.StrandValue, w.program.Pos, "the program has no input %s", name)
		}
	}
	for name := range given.Images {
		if !known[name] {
			return problem(source.StrandValue, w.program.Pos, "the program has no image %s", name)
		}
	}
	return nil
}

// problem is an error of what a world is given.
func problem(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	return &source.Diagnostic{Code: code, Span: pos, Message: fmt.Sprintf(format, args...)}
}

func (w *World) input(v *Variable, given Given) error {
	value, isGiven := given.Inputs[v.Name]
	numbers := value.Numbers
	switch {
	case !isGiven && v.Default == nil:
		return problem(source.StrandInput, v.Pos, "the input %s is not given, and has no default", v.Name)
	case !isGiven:
		for _, c := range v.Default {
			numbers = append(numbers, constant(c))
		}
	case v.Type.Elem == String:
		numbers = []ein.Number{{Int: w.intern(value.Text)}}
	}
	width := v.Type.Width()
	if v.Type.Dynamic && len(numbers)%width != 0 || !v.Type.Dynamic && len(numbers) != width {
		return problem(source.StrandValue, v.Pos, "the input %s is %s, and %d numbers are given", v.Name, v.Type, len(numbers))
	}
	if v.Type.Elem == Real {
		numbers = slices.Clone(numbers)
		for k := range numbers {
			numbers[k].Float = roundTo(w.program.Real, numbers[k].Float)
		}
	}
	w.run.setter(v)(numbers)
	return nil
}

// intern returns the number of a text, which the program need not have.
func (w *World) intern(text string) int64 {
	k := slices.Index(w.strings, text)
	if k < 0 {
		k = len(w.strings)
		w.strings = append(w.strings, text)
	}
	return int64(k)
}

// constant is the value of a literal.
func constant(c *ein.Const) ein.Number {
	if c.DType.IsFloat() {
		return ein.Number{Float: c.Float()}
	}
	return ein.Number{Int: c.Int()}
}

// image checks an image, and computes the map from world to index space in float64.
func (w *World) image(i *Image, data *ImageData) error {
	total := data.Components
	for _, n := range data.Sizes {
		total *= n
	}
	if len(data.Sizes) != i.Dim || data.Components != i.Components() || total != len(data.Samples) ||
		len(data.Directions) != i.Dim*i.Dim || len(data.Origin) != i.Dim {
		return fmt.Errorf("it has %d axes and %d components, expected %d and %d", len(data.Sizes), data.Components, i.Dim, i.Components())
	}
	inverse, ok := invert(data.Directions, i.Dim)
	if !ok {
		return fmt.Errorf("its directions are not independent")
	}
	w.images[i] = data
	set := func(l *ein.Local, n ein.Number) { w.run.scalar.Set(w.run.scalar.Slot(l), n) }
	for a := range i.Dim {
		set(i.Sizes[a], ein.Number{Int: int64(data.Sizes[a])})
		shift := 0.0
		for b := range i.Dim {
			m := inverse[a*i.Dim+b]
			set(i.Matrix[a*i.Dim+b], ein.Number{Float: roundTo(w.program.Real, m)})
			shift -= m * data.Origin[b]
		}
		set(i.Shift[a], ein.Number{Float: roundTo(w.program.Real, shift)})
	}
	return nil
}

// invert returns the inverse of a matrix, by elimination with pivots.
func invert(matrix []float64, n int) ([]float64, bool) {
	m, inverse := slices.Clone(matrix), make([]float64, n*n)
	for k := range n {
		inverse[k*n+k] = 1
	}
	for k := range n {
		pivot := k
		for row := k; row < n; row++ {
			if abs(m[row*n+k]) > abs(m[pivot*n+k]) {
				pivot = row
			}
		}
		if p := m[pivot*n+k]; p == 0 || !finite(p) {
			return nil, false
		}
		for _, rows := range [][]float64{m, inverse} {
			for c := range n {
				rows[k*n+c], rows[pivot*n+c] = rows[pivot*n+c], rows[k*n+c]
			}
		}
		scale := m[k*n+k]
		for c := range n {
			m[k*n+c] /= scale
			inverse[k*n+c] /= scale
		}
		for row := range n {
			factor := m[row*n+k]
			for c := 0; c < n && row != k; c++ {
				m[row*n+c] -= factor * m[k*n+c]
				inverse[row*n+c] -= factor * inverse[k*n+c]
			}
		}
	}
	return inverse, true
}

func abs(x float64) float64 { return max(x, -x) }
