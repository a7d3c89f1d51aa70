package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/tensor"
)

// An array is what a file has.
type array struct {
	shape   []int
	kinds   []string
	isInt   bool
	numbers []float64
}

func readArray(path string) (*array, error) {
	m, err := tensor.OpenNRRD(path)
	if err != nil {
		return nil, err
	}
	a := &array{shape: m.Tensor.Shape(), isInt: m.Tensor.DType().IsInteger()}
	for _, axis := range m.Axes {
		a.kinds = append(a.kinds, axis.Kind)
	}
	switch m.Tensor.DType() {
	case tensor.Float32:
		err = add[float32](a, m.Tensor)
	case tensor.Float64:
		err = add[float64](a, m.Tensor)
	case tensor.Int32:
		err = add[int32](a, m.Tensor)
	case tensor.Uint8:
		err = add[uint8](a, m.Tensor)
	default:
		err = fmt.Errorf("%s is of %s", path, m.Tensor.DType())
	}
	return a, err
}

func add[T float32 | float64 | int32 | uint8](a *array, t *tensor.Tensor) error {
	values, err := tensor.ToSlice[T](t)
	for _, v := range values {
		a.numbers = append(a.numbers, float64(v))
	}
	return err
}

// both reads a file of both directories.
func (p pair) both(file string) (want, got *array, err error) {
	if want, err = readArray(filepath.Join(p.want, file)); err != nil {
		return nil, nil, err
	}
	got, err = readArray(filepath.Join(p.got, file))
	return want, got, err
}

// apart is how far numbers are from each other; numbers that are none are not far from themselves.
func apart(a, b float64) float64 {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a - b):
		return math.Inf(1)
	}
	return math.Abs(a - b)
}

// arrays compares numbers, of which a fraction may be off by more.
func (p pair) arrays(file string, within, fraction float64) error {
	want, got, err := p.both(file)
	if err != nil {
		return err
	}
	if !slices.Equal(want.shape, got.shape) || !slices.Equal(want.kinds, got.kinds) || want.isInt != got.isInt {
		return fmt.Errorf("it has the shape %v, the kinds %q, expected %v, %q", got.shape, got.kinds, want.shape, want.kinds)
	}
	off, worst := 0, 0.0
	for k, w := range want.numbers {
		d := apart(got.numbers[k], w)
		worst = max(worst, d)
		if d > within {
			off++
		}
	}
	if float64(off) > fraction*float64(len(want.numbers)) {
		return fmt.Errorf("%d of %d numbers are off, by up to %g", off, len(want.numbers), worst)
	}
	return nil
}

// rows compares the rows of several outputs of a collection, in any order.
func (p pair) rows(outputs []string) error {
	var lists [2][][]float64
	for _, output := range outputs {
		want, got, err := p.both(output + ".nrrd")
		if err != nil {
			return err
		}
		for n, a := range []*array{want, got} {
			count := a.shape[0]
			if lists[n] == nil {
				lists[n] = make([][]float64, count)
			}
			width := len(a.numbers) / max(1, count)
			for k := range count {
				lists[n][k] = append(lists[n][k], a.numbers[k*width:(k+1)*width]...)
			}
		}
	}
	for n := range lists {
		slices.SortFunc(lists[n], slices.Compare[[]float64])
	}
	if !slices.EqualFunc(lists[0], lists[1], slices.Equal[[]float64]) {
		return fmt.Errorf("the rows are\n%v\nexpected\n%v", lists[1], lists[0])
	}
	return nil
}

var words = regexp.MustCompile(`[-+]?(\d+\.?\d*(e[-+]?\d+)?|inf|nan)|[^\s]`)

// texts compares texts; where within is not negative, numbers in them may be off, relative to them.
func (p pair) texts(file string, within float64) error {
	want, err := os.ReadFile(filepath.Join(p.want, file))
	if err != nil {
		return err
	}
	got, err := os.ReadFile(filepath.Join(p.got, file))
	if err != nil {
		return err
	}
	if within < 0 {
		if string(got) != string(want) {
			return fmt.Errorf("it is\n%s\nexpected\n%s", got, want)
		}
		return nil
	}
	w, g := words.FindAllString(string(want), -1), words.FindAllString(string(got), -1)
	if len(w) != len(g) {
		return fmt.Errorf("it is\n%s\nexpected\n%s", got, want)
	}
	for k := range w {
		a, notNumber := strconv.ParseFloat(w[k], 64)
		b, alsoNot := strconv.ParseFloat(g[k], 64)
		if w[k] != g[k] && (notNumber != nil || alsoNot != nil || !(apart(a, b) <= within*max(1, math.Abs(a)))) {
			return fmt.Errorf("word %d is %s, expected %s", k, g[k], w[k])
		}
	}
	return nil
}
