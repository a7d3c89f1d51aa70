package argument

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// generators are the words of specs.
var generators = [...]string{"random", "iota", "const"}

// load makes the array of a File or List.
func (s Spec) load(dtype tensor.DType) (*tensor.Tensor, error) {
	if s.Kind == List {
		return s.List.Tensor(dtype)
	}
	if info, err := os.Stat(s.Path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory, expected an array file such as a.npy", s.Path)
	}
	t, err := tensor.Load(s.Path)
	if near := source.Suggest(s.Path, generators[:]); err != nil && near != "" && !exists(s.Path) {
		return nil, fmt.Errorf("there is no file %s; did you mean %s?", s.Path, near)
	}
	return t, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// withSeed gives every argument its own random stream, so that two inputs never
// are the same array by accident.
func (s Spec) withSeed(name string, seed uint64) Spec {
	if !s.Own {
		h := fnv.New64a()
		h.Write([]byte(name))
		s.Seed = seed ^ h.Sum64()
	}
	return s
}

// FillFor is Fill for an argument of d: random integers that d subscripts with
// lie in the dimension they subscript.
func (s Spec) FillFor(t *tensor.Tensor, d *ricci.Def, name string, sizes map[string]int64) error {
	if s.Kind != Random {
		return s.Fill(t)
	}
	low, high, isIndex := d.IndexValues(name, sizes)
	if !isIndex {
		return s.Fill(t)
	}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	for offset := range t.Offsets() {
		t.SetIntAt(offset, low+int64(random.Uint64N(uint64(high-low))))
	}
	return nil
}

// Fill writes the values of a Random, Iota or Const to a tensor. A number that the
// element type does not hold is an error; floats are rounded.
func (s Spec) Fill(t *tensor.Tensor) error {
	switch s.Kind {
	case Iota:
		return fillIota(t)
	case Random:
		tensor.FillRandom(t, s.Seed)
	case Const:
		return s.fillConst(t)
	case File, List:
		return fmt.Errorf("%s has values of its own", s.Text)
	}
	return nil
}

// fillIota refuses integers that would wrap.
func fillIota(t *tensor.Tensor) error {
	if !t.DType().IsFloat() && t.Len() > 0 {
		one, err := tensor.New(t.DType())
		if err != nil {
			return err
		}
		last := int64(t.Len() - 1)
		if one.SetInt(last); one.Int() != last {
			return fmt.Errorf("iota counts to %d, which is not a value of type %s; use random, const:V or a smaller array", last, t.DType())
		}
	}
	tensor.FillIota(t)
	return nil
}

func (s Spec) fillConst(t *tensor.Tensor) error {
	if t.DType().IsFloat() {
		tensor.FillConst(t, s.V)
		return nil
	}
	one, err := tensor.New(t.DType())
	if err != nil {
		return err
	}
	one.SetInt(s.I) // a uint64 beyond int64 has the same bits
	exact := one.Int() == s.I
	if t.DType() == tensor.Uint64 {
		exact = s.Unsigned || s.I >= 0
	} else if s.Unsigned {
		exact = false
	}
	if !s.IsInt || !exact {
		return fmt.Errorf("%s is not a value of type %s", s.number, t.DType())
	}
	for offset := range t.Offsets() {
		t.SetIntAt(offset, s.I)
	}
	return nil
}
