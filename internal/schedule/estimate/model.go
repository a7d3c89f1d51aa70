package estimate

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A Model judges the schedules of one function on one machine. It is not for
// concurrent use.
type Model struct {
	f          *ein.Func
	machine    *machine.Processor
	speeds     speeds
	statements []statement
	tensors    []*ein.Tensor
	number     map[*ein.Tensor]int
	most       []float64 // bytes, by tensor
}

// A statement is a comprehension in numbers.
type statement struct {
	c       *ein.Comprehension
	extents []int64
	reduced []bool
	reads   []access
	writes  []access
	all     []*access // both
	tables  []table   // what it reads through index arrays
	direct  []bool    // by tensor: it is read elsewhere than in subscripts
	factors []*access // reads that are factors of its terms, if it is a sum of products
	ops     operations
	widest  float64 // bytes of its widest value
}

// An access is a place of the text that reads or writes a tensor, or several that
// differ by constants only.
type access struct {
	tensor   int
	dims     []dimension
	bytes    float64 // of an element
	count    float64 // places of the text
	scatters bool    // a subscript is not affine
	loose    []bool  // by index: some subscript that is not affine has it
	indirect []bool  // by dimension: the subscript reads an index array
}

// A dimension is a subscript: Σ coefficient·index + [low, high].
type dimension struct {
	coefficients []float64
	low, high    float64
	extent       float64
	stride       float64 // elements
}

// operations are the instructions of one point besides loads and stores; on vectors
// they are vector instructions.
type operations struct {
	arithmetic float64 // on the arithmetic units, half a cycle each
	latency    float64 // cycles of one application of the operator of the reduction
	scalar     float64 // additional ones when there is no vector
}

// Instructions of one application, in slots of half a cycle.
const (
	callSlots    = 40
	scalarCall   = 40 // more for a call without vectors
	leastApplied = 3  // an operator on several values, or one that chooses
)

// assumedExtent stands for a size that is not known.
const assumedExtent = 256

// extentOf is the value of a size.
func extentOf(e affine.Expr) int64 {
	if n, ok := e.IsConst(); ok {
		return max(n, 1)
	}
	return assumedExtent
}

func (m *Model) compile(options schedule.Options) {
	m.number = map[*ein.Tensor]int{}
	for _, t := range m.f.Tensors {
		m.number[t] = len(m.tensors)
		m.tensors = append(m.tensors, t)
		bytes := float64(t.Type.Size())
		for _, d := range t.Dims {
			bytes *= float64(extentOf(d.Extent))
		}
		m.most = append(m.most, bytes)
	}
	for _, c := range m.f.Body {
		s := statement{c: c}
		for _, i := range c.Indices {
			s.extents = append(s.extents, extentOf(i.Extent))
			s.reduced = append(s.reduced, i.Combine.Kind != ein.Concat)
		}
		inside, _ := rewrite.Interior(c) // what nearly all points do
		if inside == nil {
			inside = c
		}
		for _, a := range inside.Accesses() {
			s.reads = merge(s.reads, m.access(inside, a.Tensor, a.Subscripts, options))
		}
		for _, w := range c.Writes {
			s.writes = merge(s.writes, m.access(c, w.Tensor, w.Subscripts, options))
		}
		for k := range s.reads {
			s.all = append(s.all, &s.reads[k])
		}
		for k := range s.writes {
			s.all = append(s.all, &s.writes[k])
		}
		s.tables, s.direct = m.tablesOf(inside)
		s.factors = m.factors(&s)
		s.widest = widestOf(inside)
		s.ops = operationsOf(inside, m.machine)
		m.statements = append(m.statements, s)
	}
}

// factors finds the reads that are factors of a sum of products.
func (m *Model) factors(s *statement) []*access {
	reduced := ein.Reduced(s.c)
	if len(reduced) == 0 || reduced[0].Combine.Op.Kind != ein.SumOp || len(s.c.Values) != 1 {
		return nil
	}
	var list []*access
	var visit func(e ein.Expr)
	visit = func(e ein.Expr) {
		switch e := e.(type) {
		case *ein.Binary:
			if e.Op == ein.Mul {
				visit(e.X)
				visit(e.Y)
			}
		case *ein.Access:
			for k := range s.reads {
				if a := &s.reads[k]; a.tensor == m.number[e.Tensor] && a.count == 1 {
					list = append(list, a)
				}
			}
		}
	}
	visit(s.c.Values[0])
	return list
}

// access prepares one access.
func (m *Model) access(c *ein.Comprehension, t *ein.Tensor, subscripts []ein.Expr, options schedule.Options) access {
	a := access{tensor: m.number[t], bytes: float64(t.Type.Size()), count: 1, dims: make([]dimension, len(subscripts)), loose: make([]bool, len(c.Indices)), indirect: make([]bool, len(subscripts))}
	stride := 1.0
	for d := len(subscripts) - 1; d >= 0; d-- {
		dim := dimension{coefficients: make([]float64, len(c.Indices)), extent: float64(extentOf(t.Dims[d].Extent)), stride: stride}
		stride *= dim.extent
		if given := options.Strides[t.Name]; d < len(given) {
			dim.stride = math.Abs(float64(given[d]))
		}
		e, affineSubscript := ein.AffineOf(subscripts[d])
		for n, i := range c.Indices {
			coefficient, rest, linear := e.Linear(i.Name)
			if !linear {
				affineSubscript = false
				break
			}
			dim.coefficients[n], e = float64(coefficient), rest
		}
		if constant, ok := e.IsConst(); ok {
			dim.low, dim.high = float64(constant), float64(constant)
		}
		if !affineSubscript {
			a.scatters = true
			a.indirect[d] = ein.Contains(subscripts[d], func(e ein.Expr) bool { _, reads := e.(*ein.Access); return reads })
			for n, i := range c.Indices {
				dim.coefficients[n] = 0
				if uses(subscripts[d], i) {
					dim.coefficients[n], a.loose[n] = dim.extent, true // anywhere
				}
			}
		}
		a.dims[d] = dim
	}
	return a
}

// uses reports whether an expression names an index.
func uses(e ein.Expr, index *ein.Index) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		if r, ok := e.(*ein.IndexRef); ok {
			found = found || r.Index == index
		}
		return !found
	})
	return found
}

// merge adds an access to a list, to one with the same linear part if there is one.
func merge(list []access, a access) []access {
	for k := range list {
		b := &list[k]
		if b.tensor != a.tensor || !sameLinear(b.dims, a.dims) {
			continue
		}
		for d := range b.dims {
			b.dims[d].low, b.dims[d].high = min(b.dims[d].low, a.dims[d].low), max(b.dims[d].high, a.dims[d].high)
		}
		b.count++
		return list
	}
	return append(list, a)
}

func sameLinear(a, b []dimension) bool {
	for d := range a {
		for i, c := range a[d].coefficients {
			if b[d].coefficients[i] != c {
				return false
			}
		}
	}
	return true
}

// depends reports whether the address of an access changes with an index.
func (a *access) depends(index int) bool {
	for d := range a.dims {
		if a.dims[d].coefficients[index] != 0 && a.dims[d].stride != 0 {
			return true
		}
	}
	return false
}

// along returns by how many elements the address moves with an index.
func (a *access) along(index int) float64 {
	total := 0.0
	for d := range a.dims {
		total += a.dims[d].coefficients[index] * a.dims[d].stride
	}
	return total
}

// operationsOf counts the instructions of a point. A multiplication feeds an
// addition without costing anything.
func operationsOf(c *ein.Comprehension, m *machine.Processor) operations {
	latency := m.Value(machine.AddLatency)
	var o operations
	products, sums := 0.0, 0.0
	count := func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.Access:
			return false // subscripts are computed by the addressing
		case *ein.Call:
			o.arithmetic += callSlots
			o.scalar += scalarCall
		case *ein.Select, *ein.Cast, *ein.Unary:
			o.arithmetic++
		case *ein.Binary:
			switch {
			case e.Op == ein.Mul:
				products++
			case e.Op == ein.Add || e.Op == ein.Sub:
				sums++
			case e.Op == ein.Div || e.Op == ein.Mod:
				o.arithmetic += m.Value(machine.Divide)
			default:
				o.arithmetic++
			}
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, count)
	}
	if reduced := ein.Reduced(c); len(reduced) > 0 { // neighbouring ones by one operator apply it once
		op := reduced[0].Combine.Op
		o.latency = latency
		switch {
		case op.Kind == ein.SumOp:
			sums++
		case op.Kind == ein.UserDefined:
			o.latency = 2 * latency
			before := o.arithmetic + max(products, sums)
			for _, e := range op.Body {
				ein.Walk(e, count)
			}
			o.arithmetic += max(0, leastApplied-(o.arithmetic+max(products, sums)-before))
		case op.Kind == ein.ArgMinOp || op.Kind == ein.ArgMaxOp:
			o.arithmetic, o.latency = o.arithmetic+leastApplied, 2*latency
		default:
			o.arithmetic++
		}
	}
	o.arithmetic += max(products, sums)
	return o
}

// widestOf returns the bytes of the widest value that a point computes with.
func widestOf(c *ein.Comprehension) float64 {
	widest := 1
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			widest = max(widest, e.Type().Compute().Size())
			_, access := e.(*ein.Access) // subscripts are computed once for all lanes
			b, binary := e.(*ein.Binary)
			return !access && !(binary && machine.ComparesPositions(b))
		})
	}
	return float64(widest)
}
