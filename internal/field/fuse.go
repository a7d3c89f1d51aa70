package field

import (
	"fmt"
	"slices"
)

// Apply is the application of an operator to arguments, fused into one operator: each parameter of outer is replaced by the
// body of its argument, with the argument's indices renamed to those at the place. All are replaced at once, so parameters
// of arguments may have the names of outer's. A sum in an argument has variables that no place can catch (see Store.Sum).
//
// Images and kernels are replaced by images and kernels. A Fixed parameter takes a variable only: bind what it is to be
// first. No other has to be: a term that stands twice is one term.
func (s *Store) Apply(outer *Operator, arguments ...*Operator) (*Operator, error) {
	if len(arguments) != len(outer.Params) {
		return nil, fmt.Errorf("%d arguments; the operator has %d parameters", len(arguments), len(outer.Params))
	}
	f := fusion{store: s, of: map[*Param]*Operator{}, done: map[*Term]*Term{}}
	for n, p := range outer.Params {
		a := arguments[n]
		t, err := Verify(a)
		if err != nil {
			return nil, err
		}
		if t.Kind == FieldParam && p.Kind == FieldParam && p.K <= t.K {
			t.K = p.K // a field that is smoother will do
		}
		if t.Kind == KernelParam && p.Kind == KernelParam {
			t.K = p.K
		}
		if p.Kind == FieldParam && (constant(a) || t.Kind == FieldParam && t.Dim == 0) && slices.Equal(t.Shape, p.Shape) {
			t = p.Type // constants are fields, too
		}
		if !t.Equal(p.Type) && !(len(t.Shape)+len(p.Shape) == 0 && t.Kind == p.Kind && t.Dim == p.Dim && t.K == p.K) {
			return nil, fmt.Errorf("parameter %s has type %s; its argument has type %s", p.Name, p.Type, t)
		}
		if p.Fixed && !isVariable(a) {
			return nil, fmt.Errorf("parameter %s takes a variable: bind its argument to one", p.Name)
		}
		f.of[p] = a
	}
	fused := s.Operator(outer.Shape, f.term(outer.Body))
	// Parameters stand in the order of the arguments; one that does not occur any more is dropped.
	var params []*Param
	for _, a := range arguments {
		for _, p := range a.Params {
			if slices.Contains(fused.Params, p) && !slices.Contains(params, p) {
				params = append(params, p)
			}
		}
	}
	fused.Params = params
	_, err := Verify(fused)
	return fused, err
}

// constant reports whether nothing in the operator is of a sort.
func constant(o *Operator) bool {
	if o.Body == nil {
		return false
	}
	v := verifier{known: map[*Term]Sort{}, params: o.Params}
	sort, err := v.sort(o.Body)
	return err == nil && sort.Constant
}

func isVariable(o *Operator) bool {
	if len(o.Params) != 1 {
		return false
	}
	return o.Body == nil || o.Body.Op <= Field && o.Body.Param == o.Params[0] && slices.Equal(o.Body.Indices, Axes(0, o.Shape))
}

type fusion struct {
	store *Store
	of    map[*Param]*Operator
	done  map[*Term]*Term
}

// param is the variable that stands for a parameter.
func (f *fusion) param(p *Param) *Param {
	if a, ok := f.of[p]; ok {
		return a.Params[0]
	}
	return p
}

func (f *fusion) term(t *Term) *Term {
	if r, ok := f.done[t]; ok {
		return r
	}
	r := f.replace(t)
	f.done[t] = r
	return r
}

func (f *fusion) replace(t *Term) *Term {
	switch t.Op {
	case Tensor, Field:
		a, ok := f.of[t.Param]
		if !ok {
			return t
		}
		names := map[Index]Index{}
		for n, i := range Axes(0, a.Shape) {
			names[i] = t.Indices[n]
		}
		// What is renamed to may be bound in t's surroundings, but those are opened below, so it is no variable of a sum.
		return f.store.Rename(a.Body, names)
	case Conv:
		return f.store.Conv(f.param(t.Param), f.param(t.Kernel), t.Indices, t.Orders)
	case Probe:
		if t.Param != nil {
			return f.store.Probe(f.term(t.Args[0]), f.param(t.Param))
		}
	case Sum:
		variables, body := f.store.Open(t)
		return f.store.Sum(variables, f.term(body))
	}
	if len(t.Args) == 0 {
		return t
	}
	args := make([]*Term, len(t.Args))
	for n, a := range t.Args {
		args[n] = f.term(a)
	}
	return f.store.with(t, args...)
}
