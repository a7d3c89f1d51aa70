package tensor

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
)

// An Image is a tensor whose elements are samples at places of a world. Of the sample with the index x, that
// of the fastest spatial axis first, the place is Origin + Σ x[a]·Directions[a]. The world may have more
// dimensions than the image has spatial axes.
type Image struct {
	Tensor *Tensor
	// Directions has for each spatial axis, the fastest one first, the step from a sample to the next.
	Directions [][]float64
	Origin     []float64
	// Derived says that no file gives the two: they follow from spacings and mins of the axes, or are those
	// of the indices. They are not written.
	Derived bool
	Axes    []Axis // of the tensor, its last dimension first; nil for axes without more

	// What is kept for others.
	Space, Content, SampleUnit string
	SpaceUnits                 []string
	Frame                      [][]float64 // the measurement frame
	Values                     []KeyValue
	Comments                   []string
}

// A KeyValue is information of an application.
type KeyValue struct{ Key, Value string }

// An Axis is what is known of an axis. A number that is not known is NaN; no spacing or thickness is 0, nor are min and max both.
type Axis struct {
	Spatial     bool   // not one of the parts of a value
	Kind        string // space, 3-vector, list …, or empty
	Centering   string // cell, node or empty
	Label, Unit string
	Spacing     float64
	Thickness   float64
	Min, Max    float64
}

// domainKinds are the kinds of axes along which samples are taken; the others are parts of a value. An axis
// without a kind is one of them.
var domainKinds = []string{"", "domain", "space", "time"}

// orient completes the place of the samples of a tensor of a shape. Without one in the file, axis a runs along
// coordinate a, with its spacing, else the extent from min to max by its samples (by one less between nodes),
// else 1. The first sample is at min, half a step behind it in the middle of a cell, which it is where nothing
// says otherwise, and at 0 if there is no min.
func (m *Image) orient(shape []int) {
	if len(m.Directions) > 0 {
		if m.Origin == nil {
			m.Origin = make([]float64, len(m.Directions[0]))
		}
		return
	}
	m.derive(shape, func(n int) bool { return slices.Contains(domainKinds, m.Axes[n].Kind) })
}

// derive finds directions and origin of the axes that are chosen.
func (m *Image) derive(shape []int, spatial func(axis int) bool) {
	m.Derived = true
	var chosen []int
	for n := range m.Axes {
		if m.Axes[n].Spatial = spatial(n); m.Axes[n].Spatial {
			chosen = append(chosen, n)
		}
	}
	m.Directions, m.Origin = make([][]float64, len(chosen)), make([]float64, len(chosen))
	for k, n := range chosen {
		m.Directions[k] = make([]float64, len(chosen))
		m.Directions[k][k], m.Origin[k] = m.Axes[n].place(shape[len(shape)-1-n])
	}
}

// place returns the step between samples of an axis and where the first one is.
func (a Axis) place(extent int) (step, first float64) {
	node := a.Centering == "node"
	step = given(a.Spacing, 0)
	minimum, maximum := given(a.Min, a.Max), given(a.Max, a.Min)
	if math.IsNaN(step) {
		intervals := extent
		if node {
			intervals--
		}
		if step = (maximum - minimum) / float64(intervals); math.IsNaN(step) || math.IsInf(step, 0) {
			step = 1
		}
	}
	switch {
	case math.IsNaN(minimum) || math.IsInf(minimum, 0):
		return step, 0
	case node:
		return step, minimum
	}
	return step, minimum + step/2
}

// NewImage returns a tensor as an image in which all axes are spatial and a place is an index.
func NewImage(t *Tensor) *Image {
	m := &Image{Tensor: t, Axes: make([]Axis, len(t.shape))}
	for n := range m.Axes {
		m.Axes[n] = unknownAxis()
	}
	m.orient(t.shape)
	return m
}

func unknownAxis() Axis {
	return Axis{Spacing: math.NaN(), Thickness: math.NaN(), Min: math.NaN(), Max: math.NaN()}
}

// Spatial returns the image with exactly d spatial axes: itself, or where no file says which axes these are, one
// whose slowest d axes are spatial and whose others are parts of a value.
func (m *Image) Spatial(d int) (*Image, error) {
	switch rank := len(m.Axes); {
	case len(m.Directions) == d:
		return m, nil
	case !m.Derived || d < 0 || d > rank:
		return nil, fmt.Errorf("an image with %d spatial axes, expected %d", len(m.Directions), d)
	default:
		other := *m
		other.Axes = slices.Clone(m.Axes)
		other.derive(m.Tensor.shape, func(n int) bool { return n >= rank-d })
		return &other, nil
	}
}

// OpenImage reads an image: from an NRRD file with the place of its samples, from another one as NewImage does. The
// channels of a picture are parts of a value. What a file is that has none of the extensions of Extensions is told by
// its content, as ReadImage does.
func OpenImage(spec string) (*Image, error) {
	path, _, _ := splitSpec(spec)
	if isNRRD(path) {
		return OpenNRRD(path)
	}
	if _, err := formatOf(path); err != nil {
		return openUnknown(path)
	}
	t, err := Load(spec)
	if err != nil {
		return nil, err
	}
	m := NewImage(t)
	if strings.EqualFold(filepath.Ext(path), ".png") {
		return m.Spatial(2)
	}
	return m, nil
}

// openUnknown reads the file of an extension that says nothing.
func openUnknown(path string) (*Image, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := readImage(f, func(io.Reader) (*Image, error) { return OpenNRRD(path) })
	return m, within(path, "", err)
}

// SaveImage writes an image to a file whose format follows from its extension, as Save does. Only NRRD files have the
// place of its samples.
func SaveImage(spec string, m *Image) error {
	if path, _, _ := splitSpec(spec); isNRRD(path) {
		return SaveNRRD(path, m, NRRDLayout{})
	}
	return Save(spec, m.Tensor)
}
