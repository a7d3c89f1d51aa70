package field_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// A world has the values of all parameters of a drawn operator, exactly and as locals of an expansion.
type world struct {
	t       *testing.T
	dim     int
	at      []*big.Rat // a position, which is inside of all images
	random  *rand.Rand
	store   *field.Store
	binding *field.Binding
	tensors map[*field.Param][]*big.Rat
	images  map[*field.Param]*picture
	given   map[*ein.Local]float64
	grids   map[*field.Grid]*picture

	position    *field.Param
	derivatives map[string]*big.Rat // of images at the position
}

// A picture is an image whose samples are those of polynomials, one for each component of a voxel. Its directions are the
// columns of a matrix.
type picture struct {
	of                 []polynomial
	sizes              []int
	at                 []*big.Rat // the place where it is asked, which is inside
	directions, origin []*big.Rat
	voxels             map[string]float64
}

func newWorld(t *testing.T, dim int, seed uint64) *world {
	w := &world{t: t, dim: dim, random: rand.New(rand.NewPCG(seed, 30)), store: field.NewStore(), tensors: map[*field.Param][]*big.Rat{},
		images: map[*field.Param]*picture{}, derivatives: map[string]*big.Rat{}, given: map[*ein.Local]float64{}, grids: map[*field.Grid]*picture{},
		binding: &field.Binding{Real: tensor.Float64, Tensors: map[*field.Param][]ein.Expr{}, Grids: map[*field.Param]*field.Grid{},
			Kernels: map[*field.Param]*field.Kernel{}}}
	w.position = w.store.FixedParam("x", field.TensorOf([]int{dim}[:min(1, dim-1)]...))
	for range dim {
		v := w.number(3)
		w.at = append(w.at, v)
		w.binding.Tensors[w.position] = append(w.binding.Tensors[w.position], w.local(v))
	}
	w.tensors[w.position] = w.at
	return w
}

// number draws a number that a float64 has.
func (w *world) number(size int64) *big.Rat {
	return big.NewRat(w.random.Int64N(2*size*16+1)-size*16, 16)
}

func (w *world) local(v *big.Rat) ein.Expr {
	l := &ein.Local{Name: fmt.Sprint("v", len(w.given)), DType: tensor.Float64}
	w.given[l], _ = v.Float64()
	return &ein.LocalRef{Local: l}
}

// tensor makes a parameter of given components, sometimes literals.
func (w *world) tensor(p *field.Param, components []*big.Rat) {
	w.tensors[p] = components
	for _, c := range components {
		e := w.local(c)
		if w.random.IntN(4) == 0 {
			v, _ := c.Float64()
			e = ein.FloatConst(tensor.Float64, v)
		}
		w.binding.Tensors[p] = append(w.binding.Tensors[p], e)
	}
}

// image makes an image of polynomials of a degree, in an orientation of any kind around the position.
func (w *world) image(name, kernel string, degree int, shape ...int) (*field.Param, *field.Param) {
	return w.imageAround(w.at, name, kernel, degree, shape...)
}

// imageAround makes one around any place, over as many dimensions.
func (w *world) imageAround(at []*big.Rat, name, kernel string, degree int, shape ...int) (*field.Param, *field.Param) {
	dim := len(at)
	v, h := w.store.Param(name, field.ImageOf(dim, shape...)), w.store.Param("H"+name, field.KernelOf(field.Smooth))
	pic := &picture{at: at, voxels: map[string]float64{}}
	for range size(shape) {
		pic.of = append(pic.of, w.polynomialOver(dim, degree))
	}
	var inverse []*big.Rat
	for ok := false; !ok; inverse, ok = invert(pic.directions, dim) {
		pic.directions = nil
		for n := range dim * dim {
			d := new(big.Rat)
			if n%(dim+1) == 0 || w.random.IntN(2) == 0 {
				d = w.number(2)
			}
			pic.directions = append(pic.directions, d)
		}
	}
	var index []*big.Rat
	for n := range dim {
		pic.sizes = append(pic.sizes, 7+n)
		pic.origin = append(pic.origin, new(big.Rat))
		index = append(index, new(big.Rat).Add(big.NewRat(3, 1), big.NewRat(w.random.Int64N(16), 16)))
	}
	for n, v := range pic.place(index) {
		pic.origin[n] = new(big.Rat).Sub(at[n], v)
	}
	grid := &field.Grid{Image: pic}
	for a := range dim {
		shift := new(big.Rat)
		for b := range dim {
			m := inverse[a*dim+b]
			if m.Sign() == 0 && w.random.IntN(2) == 0 {
				grid.Matrix = append(grid.Matrix, ein.FloatConst(tensor.Float64, 0))
			} else {
				grid.Matrix = append(grid.Matrix, w.local(m))
			}
			shift.Sub(shift, new(big.Rat).Mul(m, pic.origin[b]))
		}
		grid.Shift = append(grid.Shift, w.local(shift))
	}
	w.images[v], w.binding.Grids[v], w.binding.Kernels[h], w.grids[grid] = pic, grid, field.LookupKernel(kernel), pic
	return v, h
}

// Tensor is a component of a parameter.
func (w *world) Tensor(p *field.Param, alpha []int) (*big.Rat, error) {
	return w.tensors[p][place(alpha, p.Shape)], nil
}

// Field is a derivative of the polynomial of which the image has samples.
func (w *world) Field(p, _ *field.Param, alpha, beta []int, at []*big.Rat) (*big.Rat, error) {
	key := fmt.Sprint(p.Name, alpha, beta)
	v, ok := w.derivatives[key]
	if !ok {
		f := w.images[p].of[place(alpha, p.Shape)]
		for _, axis := range beta {
			f = f.derive(axis)
		}
		v = f.at(at)
		w.derivatives[key] = v
	}
	return v, nil
}

// run computes an expansion: samples by their definition, off by a part of them.
func (w *world) run(x *field.Expansion, off float64) [][]float64 {
	scalar := ein.NewScalar()
	set := func(l *ein.Local, v float64) { scalar.Set(scalar.Slot(l), ein.Number{Float: v}) }
	eval := func(e ein.Expr) float64 {
		f, err := scalar.Compile(e)
		if err != nil {
			w.t.Fatal(err)
		}
		return f().Float
	}
	for l, v := range w.given {
		set(l, v)
	}
	for _, stage := range x.Stages {
		for _, d := range stage.Places {
			set(d.To, eval(d.Value))
		}
		for _, s := range stage.Samples {
			var at []float64
			for _, l := range s.At {
				at = append(at, eval(&ein.LocalRef{Local: l}))
			}
			for _, c := range s.Wanted {
				set(c.To, w.grids[s.Grid].sample(w.t, s.Kernel, at, c)*(1+off))
			}
		}
	}
	for _, d := range x.Definitions {
		set(d.To, eval(d.Value))
	}
	results := make([][]float64, len(x.Results))
	for n, list := range x.Results {
		for _, e := range list {
			results[n] = append(results[n], eval(e))
		}
	}
	return results
}

// sample is the definition of a probe in index space, with exact weights and voxels.
func (p *picture) sample(t *testing.T, k *field.Kernel, x []float64, c field.Wanted) float64 {
	weights := make([][]float64, len(x))
	first := make([]int64, len(x))
	for axis, v := range x {
		first[axis] = int64(math.Floor(v)) + 1 - int64(k.Support)
		for m := range int64(2 * k.Support) {
			i := first[axis] + m
			if i < 0 || i >= int64(p.sizes[axis]) {
				t.Fatalf("voxel %d of %d", i, p.sizes[axis])
			}
			exact := new(big.Rat).SetFloat64(v)
			w, _ := k.At(c.Orders[axis], exact.Sub(exact, big.NewRat(i, 1))).Float64()
			weights[axis] = append(weights[axis], w)
		}
	}
	total := 0.0
	for n := range size(slices.Repeat([]int{2 * k.Support}, len(x))) {
		product := 1.0
		var index []*big.Rat
		for axis, m := range indices(n, slices.Repeat([]int{2 * k.Support}, len(x))) {
			product *= weights[axis][m]
			index = append(index, big.NewRat(first[axis]+int64(m), 1))
		}
		key := fmt.Sprint(c.Voxel, index)
		v, ok := p.voxels[key]
		if !ok {
			v, _ = p.of[c.Voxel].at(p.place(index)).Float64()
			p.voxels[key] = v
		}
		total += product * v
	}
	return total
}

// place is where a sample is in the world.
func (p *picture) place(index []*big.Rat) []*big.Rat {
	at := make([]*big.Rat, len(index))
	for a := range at {
		at[a] = new(big.Rat).Set(p.origin[a])
		for b, i := range index {
			at[a].Add(at[a], new(big.Rat).Mul(p.directions[a*len(at)+b], i))
		}
	}
	return at
}

// approximate is a world in float64, for functions without rational values.
type approximate struct{ *world }

func (a approximate) Tensor(p *field.Param, alpha []int) (float64, error) {
	v, err := a.world.Tensor(p, alpha)
	f, _ := v.Float64()
	return f, err
}

func (a approximate) Field(p, kernel *field.Param, alpha, beta []int, _ []float64) (float64, error) {
	v, err := a.world.Field(p, kernel, alpha, beta, a.images[p].at)
	f, _ := v.Float64()
	return f, err
}

// judge is what a component is by Taylor arithmetic; a division by zero has no value.
func (w *world) judge(o *field.Operator, k int) (float64, bool) {
	exact, err := field.Evaluate(field.Exact{}, w, o, indices(k, o.Shape)...)
	if err == nil {
		v, _ := exact.Float64()
		return v, true
	}
	if strings.Contains(err.Error(), "division by zero") {
		return 0, false
	}
	v, err := field.Evaluate(field.Floats{}, approximate{w}, o, indices(k, o.Shape)...)
	return v, err == nil && math.Abs(v) < 1e9
}

// TestExpand: drawn operators on images of polynomials, in grids of any orientation, have the values that their Taylor
// polynomials have.
func TestExpand(t *testing.T) {
	compared, staged := 0, 0
	for seed := range uint64(sweep.Draws(t, 60, 3000)) {
		w := newWorld(t, 1+int(seed%3), seed)
		f := w.fields()
		operators := []*field.Operator{w.probed(f.draw(3)), w.probed(f.draw(2))}
		normal := make([]*field.Operator, len(operators))
		for n, o := range operators {
			var err error
			if normal[n], _, err = w.store.Normalise(o, field.NormaliseOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		x, err := field.Expand(normal, w.binding)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Stages) > 1 {
			staged++
		}
		results, moved := w.run(x, 0), w.run(x, 1e-12)
		for n, o := range operators {
			for k := 0; k < len(results[n]); k += 1 + len(results[n])/9 {
				got := results[n][k]
				want, ok := w.judge(o, k)
				if !ok {
					continue
				}
				compared++
				if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))+1000*math.Abs(got-moved[n][k])) {
					t.Errorf("seed %d: component %d of %s is %g, expected %g", seed, k, o, got, want)
				}
			}
		}
	}
	if compared < 120 || staged < 5 {
		t.Errorf("%d numbers were compared; %d of the operators have samples at places that are sampled", compared, staged)
	}
	t.Logf("%d numbers were compared; %d of the operators have samples at places that are sampled", compared, staged)
}
