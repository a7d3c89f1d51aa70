package session

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// made computes an image of others. It lies where the first of these does: its first sample at that which has the coordinates of
// the first element of the output.
func (n *Inputs) made(i *strand.Image) *source.Diagnostic {
	wrong := func(err error) *source.Diagnostic {
		return problem(source.StrandImage, i.Pos, "the image %s cannot be computed by %s: %v", i.Name, i.Made.Func.Name, err)
	}
	f, args, shapes := i.Made.Func, map[string]*tensor.Tensor{}, map[string][]int64{}
	var first *strand.ImageData
	for k, a := range i.Made.Args {
		input := f.Inputs()[k]
		if a.Image != nil && n.given.Images[a.Image.Name] == nil {
			return nil // which is reported
		}
		t, err := argument(a, n.given.Images, input.Type)
		if err != nil {
			return wrong(err)
		}
		if a.Image != nil && first == nil {
			first = n.given.Images[a.Image.Name]
		}
		args[input.Name], shapes[input.Name] = t, []int64{}
		for _, size := range t.Shape() {
			shapes[input.Name] = append(shapes[input.Name], int64(size))
		}
	}
	scalars := map[string]int64{}
	for name, t := range args {
		if t.Rank() == 0 && t.DType().IsInteger() {
			scalars[name] = t.Int()
		}
	}
	sizes, err := f.Bind(shapes, scalars)
	if err != nil {
		return wrong(err)
	}
	compute := n.Compute
	if compute == nil {
		compute = func(f *ein.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
			return ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
		}
	}
	results, err := compute(f, args)
	if err != nil {
		return wrong(err)
	}
	data, err := located(i, first, results[f.Outputs()[0].Name], sizes)
	if err != nil {
		return wrong(err)
	}
	n.given.Images[i.Name] = data
	return nil
}

// argument is an image or a number as an array of a type.
func argument(a strand.MadeArg, images map[string]*strand.ImageData, d tensor.DType) (*tensor.Tensor, error) {
	if a.Image == nil {
		t, err := tensor.New(d)
		switch {
		case err != nil:
		case d.IsFloat():
			t.SetFloat(a.Number.Float())
		default:
			t.SetInt(a.Number.Int())
		}
		return t, err
	}
	data := images[a.Image.Name]
	shape := slices.Clone(data.Sizes)
	slices.Reverse(shape)
	t, err := tensor.FromSlice(data.Samples, append(shape, a.Image.Shape...)...)
	if err != nil {
		return nil, err
	}
	return t.Convert(d)
}

// located is an array as an image that lies where another one does.
func located(i *strand.Image, first *strand.ImageData, t *tensor.Tensor, sizes map[string]int64) (*strand.ImageData, error) {
	samples, err := floats(t)
	if err != nil {
		return nil, err
	}
	shape := t.Shape()[:i.Dim]
	slices.Reverse(shape)
	data := &strand.ImageData{Sizes: shape, Components: i.Components(), Samples: samples, Origin: slices.Clone(first.Origin)}
	data.Directions = make([]float64, i.Dim*i.Dim)
	for axis := range i.Dim {
		least, err := i.Made.Func.Outputs()[0].Dims[i.Dim-1-axis].Min.Eval(sizes)
		if err != nil {
			return nil, err
		}
		for row := range i.Dim {
			step := float64(i.Made.Steps[axis]) * first.Directions[row*i.Dim+axis]
			data.Directions[row*i.Dim+axis] = step
			data.Origin[row] += float64(least) * step
		}
	}
	return data, nil
}
