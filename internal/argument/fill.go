package argument

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	if file := s.file(); err != nil && !exists(file) {
		if near := source.Suggest(s.Path, generators[:]); near != "" {
			return nil, fmt.Errorf("there is no file %s; did you mean %s?", file, near)
		}
		if near := Neighbour(file); near != "" {
			return nil, fmt.Errorf("there is no file %s; did you mean %s?", file, near)
		}
		if filepath.Ext(file) == "" {
			return nil, fmt.Errorf("there is no file %s; values that are made are random, random:SEED, iota, const:V, a number, or a list such as [[1, 2], [3, 4]]", file)
		}
		return nil, fmt.Errorf("there is no file %s", file)
	}
	return t, err
}

// Tensor makes an array: that of a File or List with the shape that it has, others with the one that is
// given.
func (s Spec) Tensor(d tensor.DType, shape ...int) (*tensor.Tensor, error) {
	if s.Kind == File || s.Kind == List {
		return s.load(d)
	}
	t, err := tensor.New(d, shape...)
	if err != nil {
		return nil, err
	}
	return t, s.Fill(t)
}

// file is the path without the name of a member of an archive.
func (s Spec) file() string {
	for _, archive := range []string{".npz", ".safetensors"} {
		if at := strings.LastIndex(s.Path, archive+":"); at >= 0 {
			return s.Path[:at+len(archive)]
		}
	}
	return s.Path
}

// Neighbour is the path of a file beside one that does not exist, with a name that may be
// meant, or "".
func Neighbour(path string) string {
	const most = 1000 // names that are looked at
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer directory.Close()
	names, _ := directory.Readdirnames(most)
	slices.Sort(names)
	if near := source.Suggest(filepath.Base(path), names); near != "" && near != filepath.Base(path) {
		return filepath.Join(filepath.Dir(path), near)
	}
	return ""
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
