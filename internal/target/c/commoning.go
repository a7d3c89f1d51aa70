package c

import "github.com/ricci-lang/ricci/internal/loop"

// withoutCommoning keeps gcc from carrying loads from one iteration to the next. In a
// kernel whose tiles fill half of the registers the carried values push accumulators
// out; smaller tiles gain by it, since neighbours share the rows of a window (27 points
// in 3-D: 1.2 x faster).
const withoutCommoning = `#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-predictive-commoning")
#endif
`

// vectorRegisters is how many bytes of vector registers a machine has: 32 registers
// where they have 64 bytes, 16 otherwise.
func (u *unit) vectorRegisters() int64 {
	count := 16
	if u.options.VectorBytes >= 64 {
		count = 32
	}
	return int64(count * u.options.VectorBytes)
}

// fillsRegisters reports whether a tile takes half of the vector registers or more.
func (u *unit) fillsRegisters(body []loop.Stmt) bool {
	found := false
	loop.Walk(body, loop.Visitor{Stmt: func(s loop.Stmt) {
		a, ok := s.(*loop.Alloc)
		if ok && a.Buffer.Region == loop.Register {
			t := a.Buffer.Type
			found = found || 2*a.Buffer.Length*int64(t.Lanes*t.Elem.Size()) >= u.vectorRegisters()
		}
	}})
	return found
}
