package loop

// RunsOnce reports whether a loop surely has an iteration at least.
func (s *For) RunsOnce() bool {
	lo, ok1 := s.Lo.(*Const)
	hi, ok2 := s.Hi.(*Const)
	return ok1 && ok2 && int64(lo.Bits) < int64(hi.Bits)
}

// FromZero reports whether a loop is written out from 0 on, one by one, up to a number.
func (s *For) FromZero() bool {
	lo, known := s.Lo.(*Const)
	return s.Kind == Unrolled && s.Step == 1 && known && lo.Bits == 0 && s.RunsOnce()
}

// Iterations of a loop from 0 on, or as many as there may be.
func (s *For) Iterations() int64 {
	if hi, known := s.Hi.(*Const); known {
		return int64(hi.Bits) / s.Step
	}
	return 1 << 62
}
