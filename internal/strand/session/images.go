package session

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// image turns an image of a file into one of a world: its slowest axes are the spatial ones, all axes
// before them together are the components of a voxel.
func image(i *strand.Image, m *tensor.Image) (*strand.ImageData, *described, error) {
	misfit := func(format string, args ...any) error {
		return problem(source.StrandImage, i.Pos, "the image %s: "+format, append([]any{i.Name}, args...)...).
			WithHelp("it has %d spatial axes and %d numbers in each voxel", i.Dim, i.Components())
	}
	shape := m.Tensor.Shape()
	slices.Reverse(shape) // as in files
	if len(shape) < i.Dim {
		return nil, nil, misfit("a file of %d axes", len(shape))
	}
	m, err := m.Spatial(i.Dim)
	if err != nil {
		return nil, nil, misfit("%v", err)
	}
	first := len(shape) - i.Dim
	for n := range shape {
		if m.Axes[n].Spatial != (n >= first) {
			return nil, nil, misfit("axis %d is spatial and a slower one is not", n)
		}
	}
	components := 1
	for _, extent := range shape[:first] {
		components *= extent
	}
	if components != i.Components() {
		return nil, nil, misfit("voxels of %d numbers", components)
	}
	directions, origin, ok := place(m, i.Dim)
	if !ok {
		return nil, nil, misfit("axes that are not independent")
	}
	samples, err := floats(m.Tensor)
	data := &strand.ImageData{Sizes: shape[first:], Components: components, Samples: samples, Directions: directions, Origin: origin}
	return data, &described{data.Sizes, m.Tensor.DType()}, err
}

// place returns the directions, row by row, and the origin in a world of d dimensions. Of a larger world, it is the plane or
// line of the image that counts: it is turned onto the axes of the world that it is nearest to, by the shortest way, about
// the origin of these axes. So coordinates along which an image does not extend are left out, and lengths and angles in it are
// what they were.
func place(m *tensor.Image, d int) (directions, origin []float64, ok bool) {
	frame := m.Directions // of the plane
	if len(m.Origin) > d {
		frame = orthonormal(m.Directions)
	}
	kept := nearest(frame, d)
	if kept == nil {
		return nil, nil, false
	}
	turned := func(p []float64) []float64 { // in the coordinates that are kept
		rest := make([]float64, d)
		for n, k := range kept {
			rest[n] = p[k]
		}
		return rest
	}
	if len(m.Origin) > d && !isLevel(m.Directions, kept) {
		turned = turn(frame, kept)
	}
	steps := make([][]float64, d)
	for a, step := range m.Directions {
		steps[a] = turned(step)
	}
	for k := range d {
		for _, step := range steps {
			directions = append(directions, step[k])
		}
	}
	return directions, turned(m.Origin), true
}

// isLevel reports whether vectors have no components but those that are kept.
func isLevel(vectors [][]float64, kept []int) bool {
	return !slices.ContainsFunc(vectors, func(v []float64) bool {
		for k, x := range v {
			if x != 0 && !slices.Contains(kept, k) {
				return true
			}
		}
		return false
	})
}

// orthonormal is a frame of the space that one or two vectors span.
func orthonormal(vectors [][]float64) [][]float64 {
	var frame [][]float64
	for _, v := range vectors {
		v = slices.Clone(v)
		for range 2 { // again, for what rounding has left
			for _, e := range frame {
				along := dot(v, e)
				for k := range v {
					v[k] -= along * e[k]
				}
			}
		}
		length := math.Sqrt(dot(v, v))
		for k := range v {
			v[k] /= length
		}
		frame = append(frame, v)
	}
	return frame
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// nearest are the d axes of the world among which d vectors span most; none if these are not independent.
func nearest(vectors [][]float64, d int) []int {
	var best []int
	most := 0.0
	axes := len(vectors[0])
	for set := range 1 << axes {
		var chosen []int
		for k := range axes {
			if set>>k&1 == 1 {
				chosen = append(chosen, k)
			}
		}
		if len(chosen) != d {
			continue
		}
		if volume := math.Abs(determinant(vectors, chosen)); volume > most {
			best, most = chosen, volume
		}
	}
	return best
}

// determinant is that of the chosen components of as many vectors.
func determinant(vectors [][]float64, chosen []int) float64 {
	if len(chosen) == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for n, k := range chosen {
		rest := slices.Delete(slices.Clone(chosen), n, n+1)
		sum += sign * vectors[0][k] * determinant(vectors[1:], rest)
		sign = -sign
	}
	return sum
}

// turn is the shortest turn of a line or plane, given by a frame, onto axes: the orthogonal matrix that is nearest to that of
// the components of the frame.
func turn(frame [][]float64, kept []int) func([]float64) []float64 {
	a := frame[0][kept[0]]
	if len(frame) == 1 {
		return func(p []float64) []float64 { return []float64{math.Copysign(1, a) * dot(p, frame[0])} }
	}
	// Of [[a,b],[c,d]] it is [[a,b],[c,d]] ± [[d,−c],[−b,a]], divided by its length.
	b, c, d := frame[1][kept[0]], frame[0][kept[1]], frame[1][kept[1]]
	sign := math.Copysign(1, a*d-b*c)
	a, b, c, d = a+sign*d, b-sign*c, c-sign*b, d+sign*a
	length := math.Hypot(a, c)
	return func(p []float64) []float64 {
		x, y := dot(p, frame[0]), dot(p, frame[1])
		return []float64{(a*x + b*y) / length, (c*x + d*y) / length}
	}
}

// floats are the elements of a tensor, in its order.
func floats(t *tensor.Tensor) ([]float64, error) {
	host, err := t.ToHost()
	if err != nil {
		return nil, err
	}
	defer host.Close()
	wide, err := host.Convert(tensor.Float64)
	if err != nil {
		return nil, err
	}
	defer wide.Close()
	return tensor.ToSlice[float64](wide)
}
