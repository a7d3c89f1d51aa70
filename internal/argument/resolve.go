package argument

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// A Request is what the user said about the arguments of a def.
type Request struct {
	Specs  map[string]Spec           // by argument
	Values map[string]*tensor.Tensor // arguments that are already there
	Sizes  map[string]int64
	Seed   uint64
	Cast   bool // convert arrays whose element type differs
}

// Arguments are all inputs and in-outs of a call.
type Arguments struct {
	Args map[string]*tensor.Tensor
	// Sizes are those that were asked for. What the arrays say about sizes is not
	// among them, so that a diagnostic tells the two apart.
	Sizes map[string]int64
	// Invented names the arguments that were not given and are random.
	Invented []string

	known  map[string]int64 // Sizes, and what the arrays say
	misfit error            // an array has another number of dimensions
}

// A SizesError names the sizes without which arguments cannot be made.
type SizesError struct {
	Def   string
	Sizes []string
}

func (e *SizesError) Error() string {
	if last := len(e.Sizes) - 1; last > 0 {
		return fmt.Sprintf("the sizes %s and %s of %s are not known", strings.Join(e.Sizes[:last], ", "), e.Sizes[last], e.Def)
	}
	return fmt.Sprintf("the size %s of %s is not known", e.Sizes[0], e.Def)
}

// A ShapeError says that the shape of an argument that is to be made cannot be computed.
type ShapeError struct {
	Param ricci.Param
	Dim   int
	Err   error
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("input %s: dimension %d is %s, and %v", e.Param, e.Dim, e.Param.Dims[e.Dim], e.Err)
}

// Unwrap returns the reason.
func (e *ShapeError) Unwrap() error { return e.Err }

// Resolve makes the arguments of a call of d.
func Resolve(d *ricci.Def, r Request) (*Arguments, error) {
	params := Needed(d)
	a := &Arguments{Args: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}, known: map[string]int64{}}
	maps.Copy(a.Sizes, r.Sizes)
	maps.Copy(a.known, r.Sizes)
	if err := checkNames(d, params, r); err != nil {
		return nil, err
	}
	r.Values = maps.Clone(r.Values)
	for _, i := range d.Images() {
		if err := image(i, params, &r); err != nil {
			return nil, fmt.Errorf("input %s: %w", i.Samples, err)
		}
	}
	for _, p := range params {
		if err := a.fixed(p, r); err != nil {
			return nil, err
		}
	}
	params = slices.DeleteFunc(params, func(p ricci.Param) bool { return a.Args[p.Name] != nil })
	if unknown := a.unknown(d, params); unknown != nil {
		if a.misfit != nil {
			return nil, a.misfit // its dimensions would have said the sizes
		}
		return nil, &SizesError{Def: d.Name(), Sizes: unknown}
	}
	for _, p := range params {
		if err := a.generate(d, p, r); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func dimensions(n int) string {
	if n == 1 {
		return "1 dimension"
	}
	return fmt.Sprintf("%d dimensions", n)
}

// unknown lists the sizes of a def, in its order, on which the shapes of parameters depend and
// that nothing says.
func (a *Arguments) unknown(d *ricci.Def, params []ricci.Param) (names []string) {
	needed := map[string]bool{}
	for _, p := range params {
		for _, dim := range p.Dims {
			if e, err := affine.Parse(dim); err == nil {
				e.Symbols(needed)
			}
		}
	}
	for _, s := range d.Sizes() {
		if _, known := a.known[s.Name]; needed[s.Name] && !known {
			names = append(names, s.Name)
		}
	}
	return names
}

// Needed returns what a call must bring: the inputs, and the outputs whose
// old value is read.
func Needed(d *ricci.Def) []ricci.Param {
	params := d.Inputs()
	for _, p := range d.Outputs() {
		if p.InOut {
			params = append(params, p)
		}
	}
	return params
}

func checkNames(d *ricci.Def, params []ricci.Param, r Request) error {
	known := map[string]bool{}
	var names []string
	for _, p := range params {
		known[p.Name] = true
		names = append(names, p.Name)
	}
	given := make([]string, 0, len(r.Specs))
	for name := range r.Specs {
		given = append(given, name)
	}
	sort.Strings(given)
	for _, name := range given {
		if !known[name] {
			return fmt.Errorf("%s has no input named %s; its inputs are %s", d.Name(), name, strings.Join(names, ", "))
		}
	}
	return nil
}

// fixed loads an argument that brings its own shape, and learns sizes from it.
func (a *Arguments) fixed(p ricci.Param, r Request) error {
	t := r.Values[p.Name]
	spec, given := r.Specs[p.Name]
	if t == nil && given && (spec.Kind == File || spec.Kind == List) {
		var err error
		if t, err = spec.load(p.DType); err != nil {
			return fmt.Errorf("input %s: %w", p.Name, err)
		}
	}
	if t == nil {
		return a.sizeScalar(p, spec, given)
	}
	if t.DType() != p.DType {
		if !r.Cast {
			return fmt.Errorf("input %s is an array of %s, but %s declares %s; convert the array, or add --cast", p.Name, t.DType(), p, p.DType)
		}
		var err error
		if t, err = t.Convert(p.DType); err != nil {
			return err
		}
	}
	a.Args[p.Name] = t
	if p.Size && t.Rank() == 0 {
		a.known[p.Name] = t.Int()
	}
	if t.Rank() != len(p.Dims) { // the call reports it with its place
		if a.misfit == nil {
			a.misfit = fmt.Errorf("input %s is an array with %s, but %s declares %d; give one of that form, or change its shape before: array.reshape(…) in NumPy",
				p.Name, dimensions(t.Rank()), p, len(p.Dims))
		}
		return nil
	}
	for i, dim := range p.Dims {
		if _, known := a.known[dim]; !known && affine.IsWord(dim) {
			a.known[dim] = int64(t.Dim(i))
		}
	}
	return nil
}

// sizeScalar makes a scalar that decides about ranges: it cannot be random.
func (a *Arguments) sizeScalar(p ricci.Param, spec Spec, given bool) error {
	if !p.Size {
		return nil
	}
	v, isSize := a.known[p.Name]
	switch {
	case given && spec.Kind == Const && !spec.IsInt:
		return fmt.Errorf("input %s: %s is not an integer", p, spec.number)
	case given && spec.Kind == Const && spec.IsInt && isSize && v != spec.I:
		return fmt.Errorf("%s is %d by its input and %d by its size; give it once", p.Name, spec.I, v)
	case given && spec.Kind == Const && spec.IsInt:
		v = spec.I
	case !isSize:
		return fmt.Errorf("%s decides about ranges or subscripts and needs a value: -i %s=N", p, p.Name)
	}
	t, err := tensor.New(p.DType)
	if err != nil {
		return err
	}
	if t.SetInt(v); t.Int() != v {
		return fmt.Errorf("input %s: %d is not a value of type %s", p, v, p.DType)
	}
	a.Args[p.Name], a.known[p.Name] = t, v
	return nil
}

// generate makes an argument of the declared shape.
func (a *Arguments) generate(d *ricci.Def, p ricci.Param, r Request) error {
	shape := make([]int, len(p.Dims))
	for i, dim := range p.Dims {
		e, err := affine.Parse(dim)
		if err != nil {
			return err
		}
		n, err := e.Eval(a.known)
		if err != nil {
			return &ShapeError{Param: p, Dim: i, Err: err}
		}
		shape[i] = int(n)
	}
	t, err := tensor.New(p.DType, shape...)
	if err != nil {
		return fmt.Errorf("input %s: %w", p, err)
	}
	spec, given := r.Specs[p.Name]
	if !given {
		spec = Spec{Kind: Random}
		a.Invented = append(a.Invented, p.Name)
	}
	if err := spec.withSeed(p.Name, r.Seed).FillFor(t, d, p.Name, a.known); err != nil {
		return fmt.Errorf("input %s: %w", p, err)
	}
	a.Args[p.Name] = t
	return nil
}
