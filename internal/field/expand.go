package field

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Expand turns operators in normal form into scalar definitions. Indices of operators and sums are unrolled, ε and δ become
// literals, products with 0 vanish, and what is equal is computed once. Constants are exact until they meet a variable, where
// they are rounded once. All numbers of one image at one place are wanted from one Sample, derivatives along the axes of the
// image; those in world space, ∂_j = Σ_i Matrix[i,j] ∂/∂x_i, are definitions. A place that is computed is as good as any: what
// it depends on is computed before, and sampled in a Stage before. Division by zero and roots of negative numbers
// give what IEEE says.
func Expand(operators []*Operator, b *Binding) (*Expansion, error) {
	e := newExpander(b)
	var results [][]scaled
	for _, o := range operators {
		var components []scaled
		for component := range componentsOf(o.Shape) {
			if n := number(o.first(component), o.Shape); n < len(components) { // it is computed
				components = append(components, components[n])
				continue
			}
			indices := map[Index]int{}
			for n, size := range o.Shape {
				indices[Axis(n, size)] = component[n]
			}
			v, err := e.value(o.Body, indices, nil)
			if err != nil {
				return nil, err
			}
			components = append(components, v)
		}
		results = append(results, components)
	}
	return e.emit(results, nil), nil
}

// componentsOf are the indices of all components of a shape, row by row.
func componentsOf(shape []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		at := make([]int, len(shape))
		for {
			if !yield(slices.Clone(at)) {
				return
			}
			n := len(shape) - 1
			for ; n >= 0; n-- {
				if at[n]++; at[n] < shape[n] {
					break
				}
				at[n] = 0
			}
			if n < 0 {
				return
			}
		}
	}
}

// An expander has the state of one Expand.
type expander struct {
	*scalars
	b       *Binding
	known   map[instance]scaled
	places  *Places
	made    []madePlace // the places that are computed here
	samples []*Sample
	probes  map[probeKey]*probed
	kernels []*Kernel
	named   map[string]int // locals with such names
	spots   map[string]*spot
	// The coordinates that are computed for fields that are composed, also by what they are, and by their locals.
	coordinates []*computed
	computed    map[string]*computed
	byLocal     map[*ein.Local]*computed
}

// A spot is where a field is probed. There is one for each position.
type spot struct{ position []scaled }

// An instance is a term with values of its free indices, under a probe.
type instance struct {
	term    *Term
	at      *spot
	indices uint64
}

func newExpander(b *Binding) *expander {
	e := &expander{scalars: newScalars(), b: b, known: map[instance]scaled{}, places: b.Places, probes: map[probeKey]*probed{}, named: map[string]int{},
		spots: map[string]*spot{}, computed: map[string]*computed{}, byLocal: map[*ein.Local]*computed{}}
	if e.places == nil {
		e.places = NewPlaces()
	}
	return e
}

func (e *expander) local(name string) *ein.Local {
	if e.b.Local != nil {
		return e.b.Local(name)
	}
	e.named[name]++
	return &ein.Local{Name: fmt.Sprint(name, e.named[name]), DType: e.b.Real}
}

// A NotNormal says that a term cannot be expanded since it is no number yet.
type NotNormal struct{ Term *Term }

func (e *NotNormal) Error() string {
	return fmt.Sprintf("%s is not in normal form: derivatives and probes stand at images only", e.Term)
}

// value is a term with values for its indices; at is the position of the probe that it stands under.
func (e *expander) value(t *Term, indices map[Index]int, at *spot) (scaled, error) {
	key := instance{term: t, at: at}
	for _, i := range t.free {
		key.indices = key.indices*uint64(i.Range) + uint64(indices[i])
	}
	if v, ok := e.known[key]; ok {
		return v, nil
	}
	v, err := e.compute(t, indices, at)
	if err == nil {
		e.known[key] = v
	}
	return v, err
}

func (e *expander) compute(t *Term, indices map[Index]int, at *spot) (scaled, error) {
	alpha := values(t.Indices, indices)
	switch t.Op {
	case Rational:
		return scaled{by: t.Value}, nil
	case Delta:
		return constant64(int64(btoi(alpha[0] == alpha[1]))), nil
	case Epsilon:
		return constant64(int64(permutation(alpha))), nil
	case Tensor:
		return e.component(t.Param, alpha)
	case Probe, Compose:
		if t.Op == Compose && at == nil {
			return scaled{}, &NotNormal{t}
		}
		there, err := e.spot(t, at)
		if err != nil {
			return scaled{}, err
		}
		return e.value(t.Args[0], indices, there)
	case Position:
		if at == nil {
			return scaled{}, &NotNormal{t}
		}
		return at.position[alpha[0]], nil
	case Conv:
		if at == nil {
			return scaled{}, &NotNormal{t}
		}
		return e.convolution(t, alpha, values(t.Orders, indices), at)
	case Field, Partial:
		return scaled{}, &NotNormal{t}
	case Sum:
		var list []scaled
		err := e.unroll(t, t.Indices, indices, at, &list)
		return e.add(list), err
	}
	return e.arithmetic(t, indices, at)
}

// spot is where a probe, or a composition that is probed at a place, asks its field.
func (e *expander) spot(t *Term, at *spot) (*spot, error) {
	there := &spot{}
	if x := t.Param; x != nil {
		for n := range componentsOf(x.Shape) {
			v, err := e.component(x, n)
			if err != nil {
				return nil, err
			}
			there.position = append(there.position, v)
		}
	}
	for _, p := range t.Args[1:] {
		v, err := e.value(p, map[Index]int{}, at)
		if err != nil {
			return nil, err
		}
		there.position = append(there.position, v)
	}
	name := ""
	for _, v := range there.position {
		name += v.key() + " "
	}
	if e.spots[name] == nil {
		e.spots[name] = there
	}
	return e.spots[name], nil
}

func (e *expander) unroll(t *Term, variables []Index, indices map[Index]int, at *spot, list *[]scaled) error {
	if len(variables) == 0 {
		v, err := e.value(t.Args[0], indices, at)
		*list = append(*list, v)
		return err
	}
	defer delete(indices, variables[0])
	for n := range variables[0].Range {
		indices[variables[0]] = n
		if err := e.unroll(t, variables[1:], indices, at, list); err != nil {
			return err
		}
	}
	return nil
}

func (e *expander) arithmetic(t *Term, indices map[Index]int, at *spot) (scaled, error) {
	args := make([]scaled, len(t.Args))
	for n, a := range t.Args {
		v, err := e.value(a, indices, at)
		if err != nil {
			return v, err
		}
		if t.Op == Mul && v.isZero() { // then the others are not wanted, nor is what they sample
			return v, nil
		}
		args[n] = v
	}
	switch t.Op {
	case Lift:
		return args[0], nil
	case Neg:
		return args[0].times(ratMinusOne), nil
	case Add:
		return e.add(args), nil
	case Mul:
		return e.mul(args), nil
	case Div:
		return e.div(args[0], args[1]), nil
	case Power:
		return e.pow(args[0], t.Power), nil
	}
	return e.call(t.Op, args...), nil
}

// component is a component of a tensor parameter.
func (e *expander) component(p *Param, alpha []int) (scaled, error) {
	list, n := e.b.Tensors[p], number(alpha, p.Shape)
	if n >= len(list) {
		return scaled{}, fmt.Errorf("%s of type %s is bound to %d numbers", p.Name, p.Type, len(list))
	}
	return e.atom(list[n]), nil
}

// number is the place of a component, row by row.
func number(alpha, shape []int) int {
	n := 0
	for axis, i := range alpha {
		n = n*shape[axis] + i
	}
	return n
}
