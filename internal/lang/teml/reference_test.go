package teml

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
)

// How the judge works
//
// It executes the trees of a program as the C text that the paper prints for them:
// for all points of the iterators, one after the other, the left side is set to the
// value of the right side. Ranges are found by trying numbers, sums are loops inside of
// the expression, and an accumulator is just a tensor that is read and written. Nothing
// of infer.go, assignment.go and lower.go is used.

// memory holds the elements of real tensors, by subscripts written as text.
type memory map[string]map[string]int64

// judge is one execution.
type judge struct {
	t     *testing.T
	reals map[string]*real
	cells memory
}

const longest = 12 // values of an iterator that are tried

// execute runs the assignments on initial contents of the tensors.
func execute(t *testing.T, in *interpreter, initial memory) memory {
	j := &judge{t: t, reals: in.reals, cells: memory{}}
	for name, cells := range initial {
		j.cells[name] = maps.Clone(cells)
	}
	helpers := map[*assignment]bool{}
	for _, a := range in.assignments {
		for _, b := range a.before {
			helpers[b] = true
		}
	}
	initialised := map[string]bool{}
	for _, a := range in.assignments {
		switch {
		case helpers[a]:
		case a.fill != nil:
			j.fill(a)
			initialised[a.real.name] = true
		default:
			j.assign(a.tree, initialised[a.real.name])
			initialised[a.real.name] = false
		}
	}
	return j.cells
}

func key(subscripts []int64) string { return fmt.Sprint(subscripts) }

// points calls visit for all points of a box.
func points(extents []int64, visit func(point []int64)) {
	point := make([]int64, len(extents))
	var from func(d int)
	from = func(d int) {
		if d == len(extents) {
			visit(point)
			return
		}
		for point[d] = 0; point[d] < extents[d]; point[d]++ {
			from(d + 1)
		}
	}
	from(0)
}

func (j *judge) fill(a *assignment) {
	place := int64(0)
	points(j.shape(a.real), func(p []int64) {
		v := place
		if f, ok := asFloat(a.fill.value); a.fill.value != nil && ok {
			v = int64(f)
		}
		j.cells[a.real.name][key(p)] = v
		place++
	})
}

func (j *judge) shape(r *real) []int64 {
	var shape []int64
	for _, e := range r.shape {
		n, ok := e.IsConst()
		if !ok {
			j.t.Fatalf("the size %s of %s is symbolic", e, r.name)
		}
		shape = append(shape, n)
	}
	return shape
}

// assign executes (=, [left, right]).
func (j *judge) assign(t *Tree, initialised bool) {
	left, right := t.children[0], t.children[1]
	if j.cells[left.real.name] == nil {
		j.cells[left.real.name] = map[string]int64{}
	}
	ranges := j.ranges(t)
	names := slices.Sorted(maps.Keys(ranges))
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(left.free, name) && !slices.Contains(right.free, name) })
	if sign := j.startsFresh(right); sign != "" && !initialised {
		neutral := map[string]int64{"*": 1, "max": -1 << 63, "min": 1<<63 - 1}[sign]
		j.loop(names, ranges, map[string]int64{}, func(env map[string]int64) {
			j.cells[left.real.name][key(at(left.iters.list, env))] = neutral
		})
	}
	j.loop(names, ranges, map[string]int64{}, func(env map[string]int64) {
		v := j.value(right, env, ranges)
		j.cells[left.real.name][key(at(left.iters.list, env))] = v
	})
}

// startsFresh returns the operation of an accumulator that starts anew.
func (j *judge) startsFresh(right *Tree) string {
	for _, c := range right.children {
		if c.isLeaf() && c.fresh {
			if right.op == "-" {
				return "+"
			}
			return right.op
		}
	}
	return ""
}

// loop runs through the values of iterators.
func (j *judge) loop(names []string, ranges map[string][]int64, env map[string]int64, visit func(map[string]int64)) {
	if len(names) == 0 {
		visit(env)
		return
	}
	for _, v := range ranges[names[0]] {
		env[names[0]] = v
		j.loop(names[1:], ranges, env, visit)
	}
}

func at(subscripts []affine.Expr, env map[string]int64) []int64 {
	var out []int64
	for _, e := range subscripts {
		n, err := e.Eval(env)
		if err != nil {
			panic(err)
		}
		out = append(out, n)
	}
	return out
}

// ranges finds the values of all iterators: those that keep the subscripts in which an
// iterator is alone in bounds; then, for the others, those that do so with all values
// of the iterators beside them.
func (j *judge) ranges(t *Tree) map[string][]int64 {
	type use struct {
		e      affine.Expr
		extent int64
		names  []string
	}
	var uses []use
	t.walk(func(n *Tree) {
		if n.isLeaf() && n.real != nil && (n != t.children[0] || n.real.declared) {
			for d, e := range n.iters.list {
				set := map[string]bool{}
				e.Symbols(set)
				uses = append(uses, use{e, j.shape(n.real)[d], slices.Sorted(maps.Keys(set))})
			}
		}
	})
	found := map[string][]int64{}
	for round := 0; round < 8; round++ {
		next := map[string][]int64{}
		for _, u := range uses {
			var unknown []string
			for _, name := range u.names {
				if found[name] == nil {
					unknown = append(unknown, name)
				}
			}
			if len(unknown) != 1 || round == 0 && len(u.names) != 1 {
				continue
			}
			name := unknown[0]
			others := slices.DeleteFunc(slices.Clone(u.names), func(other string) bool { return other == name })
			var values []int64
			for v := int64(0); v < longest; v++ {
				inside := true
				j.loop(others, found, map[string]int64{name: v}, func(env map[string]int64) {
					n := at([]affine.Expr{u.e}, env)[0]
					inside = inside && n >= 0 && n < u.extent
				})
				if inside {
					values = append(values, v)
				}
			}
			if old, ok := next[name]; ok {
				values = slices.DeleteFunc(values, func(v int64) bool { return !slices.Contains(old, v) })
			}
			next[name] = values
		}
		for name, values := range next {
			found[name] = values
		}
	}
	return found
}

// value evaluates an expression at a point.
func (j *judge) value(t *Tree, env map[string]int64, ranges map[string][]int64) int64 {
	switch {
	case t.constant != nil:
		f, _ := asFloat(t.constant.value)
		return int64(f)
	case t.isLeaf():
		v, ok := j.cells[t.real.name][key(at(t.iters.list, env))]
		if !ok {
			j.t.Fatalf("%s has no element %v", t.real.name, at(t.iters.list, env))
		}
		return v
	case t.op == sumOp:
		sum := int64(0)
		inner := maps.Clone(env)
		j.loop(t.bound, ranges, inner, func(env map[string]int64) { sum += j.value(t.children[0], env, ranges) })
		return sum
	}
	x, y := j.value(t.children[0], env, ranges), j.value(t.children[1], env, ranges)
	switch t.op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "<<":
		return x << uint64(y)
	case ">>":
		return x >> uint64(y)
	case "max":
		return max(x, y)
	case "min":
		return min(x, y)
	}
	j.t.Fatalf("the judge has no operation %s", t.op)
	return 0
}
