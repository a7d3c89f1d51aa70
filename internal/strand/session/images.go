package session

import (
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
			WithHelp("%s is declared, which has %d spatial axes and %d numbers in each voxel", i, i.Dim, i.Components())
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
	flat, err := m.Flat()
	if err != nil {
		return nil, nil, misfit("%v", err)
	}
	var directions []float64 // row by row
	for k := range flat.Origin {
		for _, step := range flat.Directions {
			directions = append(directions, step[k])
		}
	}
	samples, err := floats(m.Tensor)
	data := &strand.ImageData{Sizes: shape[first:], Components: components, Samples: samples, Directions: directions, Origin: flat.Origin}
	return data, &described{data.Sizes, m.Tensor.DType()}, err
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
