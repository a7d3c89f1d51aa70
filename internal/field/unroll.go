package field

import "slices"

// Operations is how many different operations the components of an operator take, once sums are written out, and terms that
// are equal then are computed once: what Split comes to.
func (s *Store) Operations(o *Operator) int {
	if o.Body == nil {
		return 0
	}
	e := unroller{Store: s}
	return e.operations(o.Body)
}

// An unroller writes out sums: of a term without free indices it makes one without any index, in which zeros and ones are
// gone.
type unroller struct {
	*Store
	shallow bool // what is no sum, product or sign is given
	done    map[*Term]*Term
}

// operations counts the different operations of all components of a term.
func (e *unroller) operations(t *Term) int {
	e.done = map[*Term]*Term{}
	var roots []*Term
	e.each(t.free, t, func(component *Term) { roots = append(roots, e.scalar(component)) })
	seen := map[*Term]bool{}
	count := 0
	var visit func(*Term)
	visit = func(t *Term) {
		if seen[t] || e.given(t) {
			return
		}
		seen[t] = true
		switch t.Op {
		case Add, Mul:
			count += len(t.Args) - 1
			if t.Op == Mul && t.Args[0].Op == Rational && e.shallow {
				count--
			}
		case Neg:
		default:
			count++
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return count
}

// given reports whether a term is not looked into.
func (e *unroller) given(t *Term) bool {
	switch t.Op {
	case Neg, Add, Mul, Sum:
		return false
	}
	return e.shallow || len(t.Args) == 0 || t.Op == Probe || t.Op == Compose || t.Op == Partial || t.Op == Lift
}

// each calls visit with all components of a term at the values of some indices.
func (e *unroller) each(indices []Index, t *Term, visit func(*Term)) {
	if len(indices) == 0 {
		visit(t)
		return
	}
	for v := range indices[0].Range {
		e.each(indices[1:], e.Rename(t, map[Index]Index{indices[0]: At(v)}), visit)
	}
}

// scalar writes out a term without free indices.
func (e *unroller) scalar(t *Term) *Term {
	if r, ok := e.done[t]; ok {
		return r
	}
	r := e.write(t)
	e.done[t] = r
	return r
}

func (e *unroller) write(t *Term) *Term {
	switch t.Op {
	case Delta:
		return e.Int(int64(btoi(t.Indices[0] == t.Indices[1])))
	case Epsilon:
		return e.Int(int64(permutation(values(t.Indices, nil))))
	case Sum:
		var summands []*Term
		e.each(t.Indices, t.Args[0], func(part *Term) { summands = append(summands, e.scalar(part)) })
		return e.sum(summands)
	}
	if len(t.Args) == 0 || e.given(t) {
		return t
	}
	args := make([]*Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.scalar(a)
	}
	switch t.Op {
	case Add:
		return e.sum(args)
	case Mul:
		return e.times(args)
	case Neg:
		if isNumber(0)(args[0]) {
			return args[0]
		}
		if args[0].Op == Neg {
			return args[0].Args[0]
		}
	}
	return e.intern(Term{Op: t.Op, Args: args, Power: t.Power})
}

// sum is a sum that stays one term where it is a summand itself: it may stand elsewhere, too.
func (e *unroller) sum(summands []*Term) *Term {
	summands = slices.DeleteFunc(summands, isNumber(0))
	slices.SortFunc(summands, compare)
	switch len(summands) {
	case 0:
		return e.Int(0)
	case 1:
		return summands[0]
	}
	return e.intern(Term{Op: Add, Args: summands})
}

func (e *unroller) times(factors []*Term) *Term {
	if slices.ContainsFunc(factors, isNumber(0)) {
		return e.Int(0)
	}
	negative := false
	var kept []*Term
	for _, f := range factors {
		if f.Op == Neg {
			f, negative = f.Args[0], !negative
		}
		switch {
		case isNumber(-1)(f):
			negative = !negative
		case !isNumber(1)(f):
			kept = append(kept, f)
		}
	}
	slices.SortFunc(kept, compare)
	r := e.Int(1)
	switch len(kept) {
	case 0:
	case 1:
		r = kept[0]
	default:
		r = e.intern(Term{Op: Mul, Args: kept})
	}
	if negative {
		return e.Unary(Neg, r)
	}
	return r
}
