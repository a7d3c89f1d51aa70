package field

import (
	"fmt"
	"slices"
)

// A Sort says what a term denotes: a number, or a function of a point of a space of Dim dimensions that can be
// differentiated K times. Constants, ε and δ are of either sort: Constant.
type Sort struct {
	Constant, Field bool
	Dim, K          int
}

func (s Sort) String() string {
	switch {
	case s.Constant:
		return "constant"
	case s.Field:
		return FieldOf(s.K, s.Dim).String()
	}
	return "tensor"
}

// A SortError says which part of a term is not well formed, and why.
type SortError struct {
	Term   *Term
	Reason string
}

func (e *SortError) Error() string { return fmt.Sprintf("%s: %s", e.Term, e.Reason) }

// Verify checks an operator and gives its type. It holds for every operator that the tables make, and after every phase.
func Verify(o *Operator) (Type, error) {
	if o.Body == nil {
		return o.Params[0].Type, nil
	}
	v := verifier{known: map[*Term]Sort{}, params: o.Params}
	sort, err := v.sort(o.Body)
	if err != nil {
		return Type{}, err
	}
	for _, i := range o.Body.free {
		if i.Class != Free {
			return Type{}, &SortError{o.Body, "index " + indexName(i) + " is not bound"}
		}
		if i.Number >= len(o.Shape) || o.Shape[i.Number] != i.Range {
			return Type{}, &SortError{o.Body, fmt.Sprintf("index %s has range %d, which is not that of the operator, %v", indexName(i), i.Range, o.Shape)}
		}
	}
	if sort.Field {
		return FieldOf(sort.K, sort.Dim, o.Shape...), nil
	}
	return TensorOf(o.Shape...), nil
}

type verifier struct {
	known  map[*Term]Sort
	params []*Param
}

func (v *verifier) sort(t *Term) (Sort, error) {
	if s, ok := v.known[t]; ok {
		return s, nil
	}
	s, err := v.infer(t)
	if err == nil {
		v.known[t] = s
	}
	return s, err
}

func (v *verifier) infer(t *Term) (Sort, error) {
	wrong := func(format string, args ...any) (Sort, error) {
		return Sort{}, &SortError{t, fmt.Sprintf(format, args...)}
	}
	for _, p := range []*Param{t.Param, t.Kernel} {
		if p != nil && !slices.Contains(v.params, p) {
			return wrong("%s is no parameter", p.Name)
		}
	}
	switch t.Op {
	case Rational:
		return Sort{Constant: true}, nil
	case Delta:
		if a, b := t.Indices[0], t.Indices[1]; a.Class != Constant && b.Class != Constant && a.Range != b.Range {
			return wrong("indices have ranges %d and %d", a.Range, b.Range)
		}
		return Sort{Constant: true}, nil
	case Epsilon:
		n := len(t.Indices)
		if n != 2 && n != 3 {
			return wrong("%d indices; expected 2 or 3", n)
		}
		return Sort{Constant: true}, v.slots(t, t.Indices, slices.Repeat([]int{n}, n))
	case Tensor, Field:
		kind := Kind(t.Op - Tensor)
		if t.Param.Kind != kind {
			return wrong("%s is of type %s; expected a %s", t.Param.Name, t.Param.Type, kind)
		}
		return Sort{Field: t.Op == Field, Dim: t.Param.Dim, K: t.Param.K}, v.slots(t, t.Indices, t.Param.Shape)
	case Position:
		return Sort{Field: true, Dim: t.Power, K: Smooth}, v.slots(t, t.Indices, []int{t.Power})
	case Conv:
		if t.Param.Kind != ImageParam || t.Kernel.Kind != KernelParam {
			return wrong("an image and a kernel are expected, not %s and %s", t.Param.Type, t.Kernel.Type)
		}
		if err := v.slots(t, t.Indices, t.Param.Shape); err != nil {
			return Sort{}, err
		}
		k := t.Kernel.K - len(t.Orders)
		if k < 0 {
			return wrong("%d derivatives of a kernel that has %d", len(t.Orders), t.Kernel.K)
		}
		return Sort{Field: true, Dim: t.Param.Dim, K: k}, v.slots(t, t.Orders, slices.Repeat([]int{t.Param.Dim}, len(t.Orders)))
	}
	return v.inferFromParts(t, wrong)
}

// common is the sort of what is added or multiplied.
func (v *verifier) common(parts []*Term, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	all := Sort{Constant: true, K: Smooth}
	for _, a := range parts {
		s, err := v.sort(a)
		switch {
		case err != nil:
			return Sort{}, err
		case s.Constant:
		case all.Constant:
			all = s
		case all.Field != s.Field:
			return wrong("a tensor and a field are mixed without lift")
		case all.Dim != s.Dim && all.Dim != 0 && s.Dim != 0:
			return wrong("fields over %d and %d dimensions are mixed", all.Dim, s.Dim)
		default:
			all.Dim, all.K = max(all.Dim, s.Dim), min(all.K, s.K)
		}
	}
	return all, nil
}

func (v *verifier) inferFromParts(t *Term, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	switch {
	case t.Op == Compose:
		return v.composed(t, wrong)
	case t.Op == Probe && t.Param == nil:
		return v.probedAt(t, wrong)
	}
	all, err := v.common(t.Args, wrong)
	if err != nil {
		return Sort{}, err
	}
	switch t.Op {
	case Lift:
		if all.Field {
			return wrong("a field is lifted")
		}
		return Sort{Field: true, K: Smooth}, nil // a constant field is one over any space: Dim is 0
	case Partial:
		return v.differentiated(t, all, wrong)
	case Probe:
		if !all.Constant && !all.Field {
			return wrong("a tensor is probed")
		}
		x := t.Param
		if x.Kind != TensorParam || !(all.Dim == 0 || len(x.Shape) == 1 && x.Shape[0] == all.Dim || len(x.Shape) == 0 && all.Dim == 1) {
			return wrong("the position %s has type %s, the field %d dimensions", x.Name, x.Type, all.Dim)
		}
		return Sort{}, nil
	case Sum:
		for _, i := range t.Indices {
			if i.Range < 1 {
				return wrong("index %s has no range", indexName(i))
			}
		}
	case Min, Max:
		if all.Field {
			return wrong("%s has no derivative", t.Op)
		}
	}
	return all, nil
}

// differentiated is the sort of derivatives of what has a sort.
func (v *verifier) differentiated(t *Term, of Sort, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	if of.Constant {
		return of, nil
	}
	if !of.Field {
		return wrong("a tensor is differentiated")
	}
	of.K -= len(t.Indices)
	if of.K < 0 {
		return wrong("%d derivatives of what has %d", len(t.Indices), of.K+len(t.Indices))
	}
	if of.K > Smooth/2 {
		of.K = Smooth
	}
	if of.Dim == 0 {
		return of, nil
	}
	return of, v.slots(t, t.Indices, slices.Repeat([]int{of.Dim}, len(t.Indices)))
}

// slots checks indices against the sizes of the places where they stand.
func (v *verifier) slots(t *Term, indices []Index, sizes []int) error {
	if len(indices) != len(sizes) {
		return &SortError{t, fmt.Sprintf("%d indices; expected %d", len(indices), len(sizes))}
	}
	for n, i := range indices {
		if i.Class == Constant && (i.Number < 0 || i.Number >= sizes[n]) {
			return &SortError{t, fmt.Sprintf("index %d is outside of 0 … %d", i.Number, sizes[n]-1)}
		}
		if i.Class != Constant && i.Range != sizes[n] {
			return &SortError{t, fmt.Sprintf("index %s has range %d; its place has %d", indexName(i), i.Range, sizes[n])}
		}
	}
	return nil
}
