package schedule

import "slices"

// How rows are pipelined
//
// A loop that carries no dependence may run its iterations, over rows or blocks of them, in any
// order, and in turns. One with "pipeline" above a sequence of parts runs part k of iteration i
// together with part k+1 of the iteration before: memory is then busy with one row while another one is computed. Beside that it needs
// places that hold a row for as long as its parts need it, which the lowering gives them.

// MostStages is how many stages a pipeline has at most: each has code of its own, twice.
const MostStages = 8

// Stages returns the places below a loop that is to be pipelined, outermost first, and the sequence
// of its parts; ok is false where something else is in between.
func Stages(below Node) (places []*Place, parts *Sequence, ok bool) {
	for {
		switch n := below.(type) {
		case *Place:
			places, below = append(places, n), n.Child
		case *Sequence:
			return places, n, len(n.Children) > 1 && len(n.Children) <= MostStages
		default:
			return nil, nil, false
		}
	}
}

// pipeline checks where a loop stands that is pipelined.
func (c *checker) pipeline(b *Band, m *Member, st *state) {
	_, parts, staged := Stages(b.Child)
	plain := !slices.ContainsFunc(m.Loops, func(l Loop) bool { return l.Shift != 0 || len(l.By) > 0 })
	switch {
	case m.Vector > 0 || m.Group > 0 || m.concurrent() != "" || m.Unroll || m.Reverse || len(m.Skews) > 0 || !plain || c.levels.Counted(m):
		c.misfit(on(b, m, "pipeline"), "a pipeline is a serial loop over points or blocks, neither skewed nor shifted, by which no other loop is skewed; put blocks around it that are parallel")
	case m != b.Members[len(b.Members)-1] || !staged:
		c.misfit(on(b, m, "pipeline"), "below a pipeline there is a sequence of 2 to %d filters, and nothing but places between", MostStages).advise("put a sequence with a filter for each stage right below it, or leave out 'pipeline'")
	case slices.ContainsFunc(st.active, func(s int) bool { return st.accumulators[s] != nil }):
		c.misfit(on(b, m, "pipeline"), "a pipeline stands outside of accumulators")
	}
	if staged {
		st.parts = parts.Children
	}
}

// Span returns the first and the last of the parts of a pipeline that use the block of a place: it is
// kept for as many iterations as these are.
func Span(parts []*Filter, uses []Use) (first, last int) {
	first = -1
	for k, part := range parts {
		if slices.ContainsFunc(uses, func(u Use) bool { return slices.Contains(part.Statements, u.Statement) }) {
			if last = k; first < 0 {
				first = k
			}
		}
	}
	return max(first, 0), last
}
