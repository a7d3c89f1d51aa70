package ein

// A Scalar computes expressions over locals for rooms that have statements of their own around
// them: in the exact arithmetic of Evaluate, and without tensors and indices.
type Scalar struct {
	c     compiler
	state *machine
}

// NewScalar returns an empty Scalar.
func NewScalar() *Scalar {
	return &Scalar{
		c:     compiler{ev: &evaluator{arithmetic: exact{}}, of: &Comprehension{}, locals: map[*Local]int{}},
		state: &machine{},
	}
}

// Slot gives a local its place, and returns it.
func (s *Scalar) Slot(l *Local) int {
	slot := s.c.slot(l)
	s.grow()
	return slot
}

// grow makes room for the locals that have places.
func (s *Scalar) grow() {
	for len(s.state.local) < len(s.c.locals) {
		s.state.local = append(s.state.local, value{})
	}
}

// Compile returns the function that computes e from the current values of its locals.
func (s *Scalar) Compile(e Expr) (func() Number, error) {
	code := s.c.expr(e)
	if s.c.err != nil {
		return nil, s.c.err
	}
	s.grow()
	m := s.state
	return func() Number {
		v := code(m)
		return Number{v.i, v.f}
	}, nil
}

// Get returns the value at a place.
func (s *Scalar) Get(slot int) Number {
	v := s.state.local[slot]
	return Number{v.i, v.f}
}

// Set puts a value at a place.
func (s *Scalar) Set(slot int, n Number) { s.state.local[slot] = value{i: n.Int, f: n.Float} }
