package pipelinetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
)

// How legality is judged by force
//
// The loops of a script are run as they are printed, with all points written down in their
// order, and all pairs of points that touch an element are looked at. Nothing of package
// schedule decides: neither its trees nor its sets of points.
//
// What the points of a reduction add up is written when they are complete, or as it grows;
// which of the two is left to whoever makes the code. So there are three verdicts: a script
// may keep all dependences in either case, or break one in either case, or neither.

// A Verdict says whether loops keep the meaning of a function.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // it depends on when results are written, or there is too much to look at
	Legal                  // no dependence is broken
	Illegal                // some dependence is broken
)

// String returns the verdict in words.
func (v Verdict) String() string { return [...]string{"open", "legal", "illegal"}[v] }

// mostPairs limits the work of a verdict.
const mostPairs = 2_000_000

// Judge says whether the nests of a script, of a function whose sizes are known, keep all
// dependences, and of an illegal one which they break; of a legal one it says what makes that
// hard to see, if anything does.
func Judge(s *Script) (Verdict, string, error) {
	o := &oracle{f: s.F, placed: map[string]bool{}, touches: map[element][]touch{}}
	o.readAccesses()
	for k, n := range s.transformed() {
		if err := o.walk(n.Items(nil), []turn{{at: int64(k)}}, map[string]int64{}); err != nil {
			return Unknown, "", err
		}
	}
	if o.pairs() > mostPairs {
		return Unknown, "", nil
	}
	legal, broken := true, true
	for _, lanes := range o.lanes() {
		strict, some := o.broken(lanes)
		legal = legal && strict == ""
		broken = broken && some != ""
		if o.why == "" {
			o.why = some
		}
	}
	switch {
	case broken:
		return Illegal, o.why, nil
	case legal && !o.wild && o.crooked:
		return Legal, "subscripts that are not linear", nil
	case legal && !o.wild:
		return Legal, "", nil
	}
	return Unknown, "", nil
}

// An oracle has the points of all statements in the order of the loops.
type oracle struct {
	f        *ein.Func
	accesses [][]accessed // by statement
	placed   map[string]bool
	visits   []visit
	touches  map[element][]touch
	vectors  bool // some loop has the lanes of the machine
	wild     bool // an element that is written is not known without the data, or written for no point
	crooked  bool // a subscript is not linear
	why      string
}

// A visit is a point of a statement, and when it comes.
type visit struct {
	statement int
	point     []int64
	when      []turn
}

// A turn is one step on the way to a point: the iteration of a loop, counted from its
// first one, or the position beside others.
type turn struct {
	at       int64
	parallel bool
	vector   int // lanes; 0 for none, and machineLanes
}

// machineLanes stands for as many lanes as the machine has.
const machineLanes = -1

// accessed is a tensor with affine subscripts that a statement uses.
type accessed struct {
	tensor     *ein.Tensor
	subscripts []affine.Expr
	writes     bool
	folds      bool // a result of a reduction, all points of which write it together
}

// An element is one of a tensor.
type element struct {
	tensor *ein.Tensor
	at     [6]int64
}

// A touch is a use of an element at a point.
type touch struct {
	*visit
	writes, folds bool
}

func (o *oracle) readAccesses() {
	for _, c := range o.f.Body {
		for _, i := range ein.Reduced(c) {
			if n, known := i.Extent.IsConst(); known && n < 1 {
				o.wild = true // results without points
			}
		}
		var list []accessed
		add := func(t *ein.Tensor, subscripts []ein.Expr, writes, folds bool) {
			a := accessed{tensor: t, writes: writes, folds: folds}
			for _, s := range subscripts {
				e, ok := ein.AffineOf(s)
				if !ok || len(subscripts) > len(element{}.at) {
					o.wild = o.wild || t.Role != ein.Input
					return
				}
				for _, i := range c.Indices {
					_, _, linear := e.Linear(i.Name)
					o.crooked = o.crooked || !linear && t.Role != ein.Input
				}
				a.subscripts = append(a.subscripts, e)
			}
			list = append(list, a)
		}
		for _, a := range c.Accesses() {
			add(a.Tensor, a.Subscripts, false, false)
		}
		for _, w := range c.Writes {
			add(w.Tensor, w.Subscripts, true, len(ein.Reduced(c)) > len(c.ByKind(ein.Scan)))
		}
		o.accesses = append(o.accesses, list)
	}
}

// walk runs loops.
func (o *oracle) walk(items []transform.Item, before []turn, env map[string]int64) error {
	for k, item := range items {
		for _, text := range item.Places {
			var name string
			fmt.Sscan(text, &name)
			o.placed[name] = true
		}
		when := append(slices.Clip(before), turn{at: int64(k)})
		if item.Loop == nil {
			if err := o.visit(item, when, env); err != nil {
				return err
			}
			continue
		}
		first, err := item.Loop.Lower.Eval(env)
		if err != nil {
			return err
		}
		end, err := item.Loop.Upper.Eval(env)
		if err != nil {
			return err
		}
		for v := first; v <= end; v++ {
			t := turn{at: v - first, parallel: item.Loop.Parallel}
			switch l := item.Loop; {
			case l.Reverse:
				t.at = end - v
			case l.Vector && l.Lanes > 0:
				t.vector = l.Lanes
			case l.Vector:
				t.vector, o.vectors = machineLanes, true
			}
			env[item.Loop.Name] = v
			if err := o.walk(item.Body, append(slices.Clip(when), t), env); err != nil {
				return err
			}
		}
		delete(env, item.Loop.Name)
	}
	return nil
}

// visit notes a point, if there is one, and what it touches.
func (o *oracle) visit(item transform.Item, when []turn, env map[string]int64) error {
	for _, g := range item.Guards {
		if n, err := g.Eval(env); err != nil || n < 0 {
			return err
		}
	}
	v := &visit{statement: item.Statement, when: when}
	point := map[string]int64{}
	for k, i := range o.f.Body[item.Statement].Indices {
		n, err := item.Values[k].Eval(env)
		if err != nil {
			return err
		}
		v.point = append(v.point, n)
		point[i.Name] = n
	}
	o.visits = append(o.visits, *v)
	for _, a := range o.accesses[item.Statement] {
		e := element{tensor: a.tensor}
		for d, s := range a.subscripts {
			n, err := s.Eval(point)
			if err != nil {
				return err
			}
			e.at[d] = n
		}
		if a.tensor.Role != ein.Input {
			o.touches[e] = append(o.touches[e], touch{v, a.writes, a.folds})
		}
	}
	return nil
}

// pairs is about how many pairs of points there are to look at.
func (o *oracle) pairs() int {
	n := 0
	for _, list := range o.touches {
		n += len(list) * len(list)
	}
	return n
}

// lanes lists what vectors may be: none, since a mark may have no effect, and those that
// there are, or as many as the machine has.
func (o *oracle) lanes() []int {
	if !o.vectors {
		return []int{1, 0}
	}
	return []int{1, 2, 4, 8, 16, 32, 64}
}

// An order is that of two points.
type order uint8

const (
	before   order = iota
	after          // or the same point
	together       // lanes of one vector
	unordered
)

// orderOf compares two points; lanes is 1 for no vectors, else those of the machine.
func orderOf(x, y *visit, lanes int) order {
	lanesApart := false
	for k := range min(len(x.when), len(y.when)) {
		a, b := x.when[k], y.when[k]
		switch {
		case a.at == b.at:
			continue
		case a.parallel:
			return unordered
		case a.vector != 0 && lanes != 1:
			n := int64(a.vector)
			if a.vector == machineLanes {
				n = int64(lanes)
			}
			if a.at/n == b.at/n {
				lanesApart = true
				continue
			}
		}
		if a.at < b.at {
			return before
		}
		return after
	}
	if lanesApart {
		return together
	}
	return after
}

// broken looks for a dependence that is not kept if results of reductions grow where they
// are written, and for one that is not kept in any case.
func (o *oracle) broken(lanes int) (strict, any string) {
	strict, any = o.disorder(lanes)
	for e, list := range o.touches {
		for k := range list {
			for m := range list {
				x, y := list[k], list[m]
				if !(x.writes || y.writes) || x.statement > y.statement || x.statement == y.statement && (x.writes || !y.writes || x.visit == y.visit) {
					continue
				}
				found := orderOf(x.visit, y.visit, lanes)
				if found == before || found == together && x.statement == y.statement {
					continue
				}
				why := fmt.Sprintf("S%d%v must come before S%d%v, for %s%v", x.statement, x.point, y.statement, y.point, e.tensor.Name, e.at[:len(e.tensor.Dims)])
				strict = why
				switch {
				case any != "":
				case y.writes && o.placed[e.tensor.Name] && e.tensor.Role == ein.Temp: // may have storage for each block
				case y.folds: // may be written later
				default:
					any = why
				}
				if any != "" {
					return strict, any
				}
			}
		}
	}
	return strict, any
}

// disorder looks for points that are not reduced in their order where it is fixed. Where
// neighbouring indices may change places it is enough that some order of these is kept.
func (o *oracle) disorder(lanes int) (strict, any string) {
	for s, c := range o.f.Body {
		if _, free := ein.ReductionOperator(c); free {
			continue
		}
		least, certain := "", ""
		for n, order := range orders(schedule.OrderRuns(c), nil) {
			wrong, sure := o.outOfOrder(s, order, lanes)
			if n == 0 || wrong == "" || sure == "" && least != "" {
				least, certain = wrong, sure
			}
		}
		if certain != "" {
			return certain, certain
		}
		strict = cmp.Or(strict, least)
	}
	return strict, ""
}

// orders lists the orders of indices in which those of one run are in any.
func orders(runs [][]*ein.Index, chosen []*ein.Index) (list [][]*ein.Index) {
	if len(runs) == 0 {
		return [][]*ein.Index{chosen}
	}
	if len(runs[0]) == 0 {
		return orders(runs[1:], chosen)
	}
	for k, i := range runs[0] {
		rest := append([][]*ein.Index{slices.Delete(slices.Clone(runs[0]), k, k+1)}, runs[1:]...)
		list = append(list, orders(rest, append(slices.Clip(chosen), i))...)
	}
	return list
}

// outOfOrder looks for points of a statement that are not combined in one order of what is reduced.
func (o *oracle) outOfOrder(s int, order []*ein.Index, lanes int) (strict, any string) {
	c := o.f.Body[s]
	_, _, scan := ein.ScanOperator(c)
	at := func(v *visit, i *ein.Index) int64 { return v.point[slices.Index(c.Indices, i)] }
	groups := map[string][]*visit{}
	for k := range o.visits {
		v := &o.visits[k]
		if v.statement != s {
			continue
		}
		var result []int64
		for _, i := range c.ByKind(ein.Concat) {
			result = append(result, at(v, i))
		}
		groups[fmt.Sprint(result)] = append(groups[fmt.Sprint(result)], v)
	}
	for _, list := range groups {
		slices.SortFunc(list, func(x, y *visit) int {
			for _, i := range order {
				if d := cmp.Compare(at(x, i), at(y, i)); d != 0 {
					return d
				}
			}
			return 0
		})
		for k := range len(list) - 1 {
			x, y := list[k], list[k+1]
			found := orderOf(x, y, lanes)
			if found == before || scan && found == together && orderOf(x, y, 1) == before {
				continue
			}
			strict = fmt.Sprintf("S%d%v must be combined before S%d%v", x.statement, x.point, y.statement, y.point)
			if !scan || found == after {
				return strict, strict
			}
		}
	}
	return strict, ""
}
