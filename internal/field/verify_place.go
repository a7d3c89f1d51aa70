package field

// place gives what the coordinates of a place have in common: there is one for each dimension of a space, without free indices.
func (v *verifier) place(t *Term, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	if n := len(t.Args) - 1; n < 1 || n > 3 {
		return wrong("a place of %d coordinates; expected 1 to 3", n)
	}
	for _, p := range t.Args[1:] {
		if len(p.free) > 0 {
			return wrong("the coordinate %s has a free index", p)
		}
	}
	return v.common(t.Args[1:], wrong)
}

// composed is the sort of e ∘ [g0, g1], a field over the space of the coordinates.
func (v *verifier) composed(t *Term, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	place, err := v.place(t, wrong)
	if err != nil {
		return Sort{}, err
	}
	e, err := v.sort(t.Args[0])
	switch {
	case err != nil:
		return Sort{}, err
	case !e.Constant && !e.Field || !place.Constant && !place.Field:
		return wrong("a tensor is composed")
	case e.Dim != 0 && e.Dim != len(t.Args)-1:
		return wrong("a field over %d dimensions is composed with %d coordinates", e.Dim, len(t.Args)-1)
	}
	k := Smooth
	for _, s := range []Sort{e, place} {
		if !s.Constant {
			k = min(k, s.K)
		}
	}
	return Sort{Field: true, Dim: place.Dim, K: k}, nil
}

// probedAt is the sort of e @ [p0, p1].
func (v *verifier) probedAt(t *Term, wrong func(string, ...any) (Sort, error)) (Sort, error) {
	place, err := v.place(t, wrong)
	if err != nil {
		return Sort{}, err
	}
	e, err := v.sort(t.Args[0])
	switch {
	case err != nil:
		return Sort{}, err
	case !e.Constant && !e.Field:
		return wrong("a tensor is probed")
	case place.Field:
		return wrong("a field is probed at a place that is a field")
	case e.Dim != 0 && e.Dim != len(t.Args)-1:
		return wrong("a field over %d dimensions is probed at %d coordinates", e.Dim, len(t.Args)-1)
	}
	return Sort{}, nil
}
