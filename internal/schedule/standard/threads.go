package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// isLong reports whether some statements take so many times as long as threads need
// to pay.
func (mk *maker) isLong(statements []int, times float64) bool {
	total := 0.0
	for _, s := range statements {
		total += mk.cycles(mk.f.Body[s])
	}
	return total >= times*mk.forkCycles()
}

// cycles is roughly the time of a statement on one thread, with its best vectors: of
// its arithmetic and of moving what it reads and writes once.
func (mk *maker) cycles(c *ein.Comprehension) float64 {
	const moved = 0.8 // of what the second-level cache delivers, beside arithmetic
	slowness := mk.vectorCost(c, nil, 1)
	for _, i := range c.Indices {
		slowness = min(slowness, mk.vectorCost(c, i, mk.lanesOf(c)))
	}
	slowness /= float64(mk.operations(c)) // against vectors of one lane
	points := float64(1)
	for _, i := range c.Indices {
		points *= float64(max(1, estimate(i.Extent)))
	}
	bytes := 0.0
	move := func(t *ein.Tensor) {
		elements := 1.0
		for _, d := range t.Dims {
			elements *= float64(max(1, estimate(d.Extent)))
		}
		bytes += min(elements, points) * float64(t.Type.Size())
	}
	for _, a := range c.Accesses() {
		move(a.Tensor)
	}
	for _, w := range c.Writes {
		move(w.Tensor)
	}
	return points*arithmetic(c)*slowness/mk.units() + bytes/(moved*mk.nextBytes())
}

// arithmetic counts the operations of a point, subscripts left out; functions count more.
func arithmetic(c *ein.Comprehension) float64 {
	const function = 16
	n := 0.0
	var visit func(e ein.Expr)
	visit = func(e ein.Expr) {
		if _, ok := e.(*ein.Access); ok {
			return
		}
		children := ein.Children(e)
		if _, ok := e.(*ein.Call); ok {
			n += function
		} else if len(children) > 0 {
			n++
		}
		for _, child := range children {
			visit(child)
		}
	}
	for _, v := range c.Values {
		visit(v)
	}
	if op, _ := ein.ReductionOperator(c); op != nil {
		n++
	}
	return n
}
