package argument

import (
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// image finds the arguments of an image that are not given for themselves: where its samples are, which its file may say, and
// otherwise is at their indices. Samples of a file are converted, as those of images are everywhere, and get the shape of values
// that files have in one axis only.
func image(i ricci.ImageInput, params []ricci.Param, r *Request) error {
	param := func(name string) ricci.Param {
		return params[slices.IndexFunc(params, func(p ricci.Param) bool { return p.Name == name })]
	}
	if r.Values == nil {
		r.Values = map[string]*tensor.Tensor{}
	}
	samples, err := tensor.New(i.DType, slices.Repeat([]int{1}, i.Dim)...)
	if err != nil {
		return err
	}
	m := tensor.NewImage(samples)
	if spec, given := r.Specs[i.Samples]; given && spec.Kind == File && r.Values[i.Samples] == nil {
		if m, err = tensor.OpenImage(spec.Path); err != nil {
			_, err = spec.load(i.DType) // says best what is wrong
			return err
		}
		if m, err = m.Spatial(i.Dim); err == nil {
			m, err = m.Flat()
		}
		if err != nil {
			return err
		}
		if r.Values[i.Samples], err = shaped(m.Tensor, param(i.Samples)); err != nil {
			return err
		}
	}
	isGiven := func(name string) bool { _, ok := r.Specs[name]; return ok || r.Values[name] != nil }
	if !isGiven(i.Directions) {
		if r.Values[i.Directions], err = tensor.New(i.DType, i.Dim, i.Dim); err != nil {
			return err
		}
		for a, step := range m.Directions {
			for k, x := range step {
				r.Values[i.Directions].SetFloat(x, a, k)
			}
		}
	}
	if !isGiven(i.Origin) {
		if r.Values[i.Origin], err = tensor.New(i.DType, i.Dim); err != nil {
			return err
		}
		for k, x := range m.Origin {
			r.Values[i.Origin].SetFloat(x, k)
		}
	}
	return nil
}

// shaped is an array in the type and with the dimensions of a parameter.
func shaped(t *tensor.Tensor, p ricci.Param) (*tensor.Tensor, error) {
	t, err := t.Convert(p.DType)
	if err != nil {
		return nil, err
	}
	shape, width := t.Shape(), 1
	last := len(p.Dims)
	for last > 0 {
		n, err := strconv.Atoi(p.Dims[last-1])
		if err != nil {
			break
		}
		last, width = last-1, width*n
	}
	if len(shape) == last+1 && len(p.Dims) > last+1 && shape[last] == width {
		for _, d := range p.Dims[last:] {
			n, _ := strconv.Atoi(d)
			shape = append(shape[:last:last], n)
			last++
		}
		return t.Reshape(shape...)
	}
	return t, nil
}
