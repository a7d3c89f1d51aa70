package loop

// A system is a set of linear inequalities over atoms, and the simplex method
// that finds out whether they have a common solution in rational numbers: every
// inequality is a variable (a sum of atoms) with bounds; variables that are
// basic are sums of the others, which stay within their bounds. A basic variable
// beyond a bound is exchanged for one that can move it there; the smallest
// numbers go first (Bland's rule), so that the search ends.
type system struct {
	atoms     []*atom
	index     map[*atom]int
	sums      map[string]int // variables of inequalities by the text of their sum
	variables []*unknown
	basic     []int // variables in the order in which they became basic
}

// An unknown has bounds where they are not nil, and a row when it is basic.
type unknown struct {
	least, greatest *rational
	value           rational
	row             map[int]rational
}

func newSystem(facts []affineForm) *system {
	s := &system{index: map[*atom]int{}, sums: map[string]int{}}
	for _, f := range facts {
		for _, t := range f.terms {
			if _, known := s.index[t.atom]; !known {
				s.index[t.atom] = len(s.variables)
				s.atoms = append(s.atoms, t.atom)
				s.variables = append(s.variables, &unknown{})
			}
		}
	}
	for _, f := range facts {
		s.bound(f)
	}
	for i := range s.atoms {
		s.variables[i].start()
	}
	for _, b := range s.basic {
		s.variables[b].value = s.sum(s.variables[b].row)
	}
	return s
}

// bound adds f ≥ 0: a bound of an atom, or of a sum.
func (s *system) bound(f affineForm) {
	f = f.reduced()
	if len(f.terms) == 0 {
		if f.constant < 0 { // 0 ≥ 1
			one := whole(1)
			v := &unknown{least: &one, value: whole(0), row: map[int]rational{}}
			s.basic = append(s.basic, len(s.variables))
			s.variables = append(s.variables, v)
		}
		return
	}
	sign := int64(1)
	if f.terms[0].coefficient < 0 {
		sign = -1
	}
	v := s.variable(f.scale(sign))
	if sign > 0 {
		limit := whole(checked(mulExact(f.constant, -1)))
		if v.least == nil || limit.compare(*v.least) > 0 {
			v.least = &limit
		}
		return
	}
	limit := whole(f.constant)
	if v.greatest == nil || limit.compare(*v.greatest) < 0 {
		v.greatest = &limit
	}
}

// variable returns the variable of the terms of f.
func (s *system) variable(f affineForm) *unknown {
	if len(f.terms) == 1 && f.terms[0].coefficient == 1 {
		return s.variables[s.index[f.terms[0].atom]]
	}
	f.constant = 0
	key := f.key()
	at, known := s.sums[key]
	if !known {
		at = len(s.variables)
		s.sums[key] = at
		s.basic = append(s.basic, at)
		v := &unknown{row: map[int]rational{}}
		for _, t := range f.terms {
			v.row[s.index[t.atom]] = whole(t.coefficient)
		}
		s.variables = append(s.variables, v)
	}
	return s.variables[at]
}

// start gives a variable a value within its bounds.
func (v *unknown) start() {
	v.value = whole(0)
	if v.least != nil && v.least.sign() > 0 {
		v.value = *v.least
	} else if v.greatest != nil && v.greatest.sign() < 0 {
		v.value = *v.greatest
	}
}

func (s *system) sum(row map[int]rational) rational {
	total := whole(0)
	for j, c := range row {
		total = total.plus(c.times(s.variables[j].value))
	}
	return total
}

// atLeast and atGreatest report whether a variable may shrink or grow no further.
func (v *unknown) atLeast() bool    { return v.least != nil && v.value.compare(*v.least) <= 0 }
func (v *unknown) atGreatest() bool { return v.greatest != nil && v.value.compare(*v.greatest) >= 0 }

// contradictory reports whether the inequalities exclude each other. Where it is
// false, solved says that the values satisfy all of them.
func (s *system) contradictory(pivots *int) (contradiction, solved bool) {
	for _, v := range s.variables {
		if v.least != nil && v.greatest != nil && v.least.compare(*v.greatest) > 0 {
			return true, false
		}
	}
	for ; *pivots > 0; *pivots-- {
		out, target := s.violated()
		if out < 0 {
			return false, true
		}
		in := s.entering(out, *target)
		if in < 0 {
			return true, false
		}
		s.pivot(out, in, *target)
	}
	return false, false
}

// violated returns the first basic variable beyond a bound, and the bound.
func (s *system) violated() (int, *rational) {
	out, target := -1, (*rational)(nil)
	for _, b := range s.basic {
		if out >= 0 && b > out {
			continue
		}
		v := s.variables[b]
		if v.least != nil && v.value.compare(*v.least) < 0 {
			out, target = b, v.least
		} else if v.greatest != nil && v.value.compare(*v.greatest) > 0 {
			out, target = b, v.greatest
		}
	}
	return out, target
}

// entering returns the first variable that can move out towards the target.
func (s *system) entering(out int, target rational) int {
	v, in := s.variables[out], -1
	up := target.compare(v.value) > 0
	for j, c := range v.row {
		x := s.variables[j]
		blocked := (c.sign() > 0) == up && x.atGreatest() || (c.sign() > 0) != up && x.atLeast()
		if !blocked && (in < 0 || j < in) {
			in = j
		}
	}
	return in
}

// pivot makes variable in basic and out not, with the value target for out.
func (s *system) pivot(out, in int, target rational) {
	v, x := s.variables[out], s.variables[in]
	inverse := v.row[in].inverse()
	step := target.minus(v.value).times(inverse)
	v.value, x.value = target, x.value.plus(step)
	// x = (v - the other terms)/c
	x.row = map[int]rational{out: inverse}
	for j, a := range v.row {
		if j != in {
			x.row[j] = a.times(inverse).negative()
		}
	}
	v.row = nil
	for k, b := range s.basic {
		if b == out {
			s.basic[k] = in
			continue
		}
		w := s.variables[b]
		a, uses := w.row[in]
		if !uses {
			continue
		}
		delete(w.row, in)
		w.value = w.value.plus(a.times(step))
		for j, e := range x.row {
			term := a.times(e)
			if old, both := w.row[j]; both {
				term = term.plus(old)
			}
			if w.row[j] = term; term.sign() == 0 {
				delete(w.row, j)
			}
		}
	}
}

// at returns the value of a form in the solution.
func (s *system) at(f affineForm) rational {
	total := whole(f.constant)
	for _, t := range f.terms {
		if i, known := s.index[t.atom]; known {
			total = total.plus(whole(t.coefficient).times(s.variables[i].value))
		}
	}
	return total
}
