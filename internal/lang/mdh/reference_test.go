package mdh

import (
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
)

// How the reference works
//
// It follows the definitions of the paper to the letter, over int64 and explicit
// index sets, and shares nothing with the compiler but the tree. An MDA is a map
// from points to values (Definition 1). A homomorphism on index sets I₁ … I_D splits
// one of them in two at random, computes both parts and joins them with the combine
// operator of that dimension (Definitions 2 to 4): a result that depends on how the
// sets were split would show. The views are those of Definitions 8 and 10, ⊥ being a
// missing entry.

// An object is an int64, a bool, an instance of a record, or a list of objects.
type object any

type instanceOf struct {
	record *syntax.Record
	fields []object
}

// A reference interprets one computation.
type reference struct {
	file  *syntax.File
	c     *syntax.Computation
	sizes map[string]int64
	t     *rapid.T // decides how index sets are split
	// inputs holds the cells of each input buffer.
	inputs []map[string]object
}

type scopeOf map[string]object

func (r *reference) static(e syntax.Expr, at scopeOf) int64 {
	env := scopeOf{}
	for name, n := range r.sizes {
		env[name] = n
	}
	for name, v := range at {
		env[name] = v
	}
	return r.eval(e, env).(int64)
}

// subscripts applies an index function.
func (r *reference) subscripts(f *syntax.IndexFunction, point []int64) []int64 {
	at := scopeOf{}
	for n, p := range f.Params {
		at[p.Name] = point[n]
	}
	list := make([]int64, len(f.Results))
	for n, e := range f.Results {
		list[n] = r.static(e, at)
	}
	return list
}

func key(list []int64) string { return fmt.Sprint(list) }

// an mda is Definition 1 without its type.
type mda struct {
	points map[string][]int64
	values map[string]object
}

func newMDA() *mda { return &mda{map[string][]int64{}, map[string]object{}} }

func (a *mda) set(point []int64, v object) {
	a.points[key(point)], a.values[key(point)] = slices.Clone(point), v
}

// hom is md_hom on index sets, by random decomposition.
func (r *reference) hom(sets [][]int64) *mda {
	var splittable []int
	for d, set := range sets {
		if len(set) > 1 {
			splittable = append(splittable, d)
		}
	}
	if len(splittable) == 0 {
		return r.singleton(sets)
	}
	d := rapid.SampledFrom(splittable).Draw(r.t, "dimension")
	p, q := r.split(sets[d], r.c.Hom.Combine[d].Kind == "ps")
	left, right := slices.Clone(sets), slices.Clone(sets)
	left[d], right[d] = p, q
	return r.combine(d, r.hom(left), r.hom(right), p)
}

// split divides a set in two that are not empty; of ps, one below the other.
func (r *reference) split(set []int64, ordered bool) (p, q []int64) {
	if ordered {
		at := rapid.IntRange(1, len(set)-1).Draw(r.t, "split")
		return set[:at], set[at:]
	}
	for len(p) == 0 || len(q) == 0 {
		p, q = nil, nil
		for _, i := range set {
			if rapid.Bool().Draw(r.t, "left") {
				p = append(p, i)
			} else {
				q = append(q, i)
			}
		}
	}
	return p, q
}

func (r *reference) singleton(sets [][]int64) *mda {
	point := make([]int64, len(sets))
	for d, set := range sets {
		point[d] = set[0]
	}
	v := r.apply(point)
	a := newMDA()
	a.set(r.image(point), v)
	return a
}

// image is the point in the results: what the index set functions make of singletons
// (Definition 2).
func (r *reference) image(point []int64) []int64 {
	moved := slices.Clone(point)
	for d, k := range r.c.Hom.Combine {
		switch {
		case k.Image != nil:
			moved[d] = r.subscripts(k.Image, point[d:d+1])[0]
		case k.Kind == "pw":
			moved[d] = 0
		}
	}
	return moved
}

// combine joins two parts along a dimension; p is the index set of the left one.
func (r *reference) combine(d int, left, right *mda, p []int64) *mda {
	result, k := newMDA(), r.c.Hom.Combine[d]
	for name, point := range left.points {
		result.set(point, left.values[name])
	}
	for name, point := range right.points {
		v := right.values[name]
		switch other, meet := left.values[name]; {
		case k.Kind == "pw" && meet:
			v = r.operate(k.Op, other, v)
		case k.Kind == "ps":
			last := slices.Clone(point)
			last[d] = slices.Max(p)
			v = r.operate(k.Op, left.values[key(last)], v)
		}
		result.set(point, v)
	}
	return result
}

func (r *reference) operate(o *syntax.OperatorRef, x, y object) object {
	if o.Parts != nil {
		list := make([]object, len(o.Parts))
		for n, p := range o.Parts {
			list[n] = r.operate(p, x.([]object)[n], y.([]object)[n])
		}
		return list
	}
	for _, op := range r.file.Operators {
		if op.Name.Name == o.Name {
			env := scopeOf{}
			bindObject(op.Left.Pattern, x, env)
			bindObject(op.Right.Pattern, y, env)
			return r.eval(op.Body, env)
		}
	}
	if record, ok := x.(instanceOf); ok { // a built-in operator works field by field
		fields := make([]object, len(record.fields))
		for n := range fields {
			fields[n] = arithmetic(o.Name, record.fields[n], y.(instanceOf).fields[n])
		}
		return instanceOf{record.record, fields}
	}
	return arithmetic(o.Name, x, y)
}

func bindObject(p *syntax.Pattern, v object, env scopeOf) {
	env[p.Name] = v
	for n, part := range p.Parts {
		bindObject(part, v.([]object)[n], env)
	}
}

// apply is inp_view and the scalar function at a point.
func (r *reference) apply(point []int64) object {
	f, env := r.c.Hom.Function, scopeOf{}
	for n, b := range r.c.Inp.Buffers {
		var items []object
		for _, a := range b.Accesses {
			items = append(items, r.part(0, n, a, point))
		}
		var v object = items
		if len(items) == 1 {
			v = items[0]
		}
		bindObject(f.Params[n].Pattern, v, env)
	}
	for n, i := range f.Indices {
		env[i.Name] = point[n]
	}
	return r.eval(f.Body, env)
}

// part is the element of which the input is made at a point (Definition 26): under ps(+) the
// one by which its prefixes differ.
func (r *reference) part(d, buffer int, a *syntax.IndexFunction, point []int64) object {
	for d < len(r.c.Hom.Down) && r.c.Hom.Down[d].Kind == "++" {
		d++
	}
	if d >= len(r.c.Hom.Down) {
		return r.inputs[buffer][key(r.subscripts(a, point))]
	}
	here := r.part(d+1, buffer, a, point)
	if point[d] == 0 {
		return here
	}
	back := slices.Clone(point)
	back[d]--
	return minus(here, r.part(d+1, buffer, a, back))
}

func minus(x, y object) object {
	if record, ok := x.(instanceOf); ok {
		fields := make([]object, len(record.fields))
		for n := range fields {
			fields[n] = minus(record.fields[n], y.(instanceOf).fields[n])
		}
		return instanceOf{record.record, fields}
	}
	return x.(int64) - y.(int64)
}

func (r *reference) eval(e syntax.Expr, env scopeOf) object {
	switch e := e.(type) {
	case *syntax.Number:
		n, err := strconv.ParseInt(e.Text, 0, 64)
		if err != nil {
			panic(err)
		}
		return n
	case *syntax.Ref:
		for _, k := range r.file.Constants {
			if k.Name.Name == e.Name {
				return r.eval(k.Value, env)
			}
		}
		return env[e.Name]
	case *syntax.Table:
		return r.list(e.Items, env)
	case *syntax.Unary:
		return -r.eval(e.X, env).(int64)
	case *syntax.Binary:
		return arithmetic(e.Op, r.eval(e.X, env), r.eval(e.Y, env))
	case *syntax.Tuple:
		return r.list(e.Parts, env)
	case *syntax.Numbered:
		n := r.eval(e.Number, env).(int64)
		if name, ok := e.X.(*syntax.Ref); ok && env[name.Name] == nil {
			n++ // tables count from 0
		}
		return r.eval(e.X, env).([]object)[n-1]
	case *syntax.Select:
		v := r.eval(e.X, env).(instanceOf)
		for n, f := range v.record.Fields {
			if f.Name.Name == e.Field.Name {
				return v.fields[n]
			}
		}
	case *syntax.If:
		if r.eval(e.Cond, env).(bool) {
			return r.eval(e.Then, env)
		}
		return r.eval(e.Else, env)
	case *syntax.Let:
		inner := scopeOf{}
		for name, v := range env {
			inner[name] = v
		}
		bindObject(e.Pattern, r.eval(e.Value, env), inner)
		return r.eval(e.Body, inner)
	case *syntax.Call:
		return r.call(e, env)
	}
	panic(fmt.Sprintf("%T", e))
}

func (r *reference) list(parts []syntax.Expr, env scopeOf) []object {
	list := make([]object, len(parts))
	for n, p := range parts {
		list[n] = r.eval(p, env)
	}
	return list
}

func (r *reference) call(e *syntax.Call, env scopeOf) object {
	args := r.list(e.Args, env)
	for _, record := range r.file.Records {
		if record.Name.Name == e.Name.Name {
			return instanceOf{record, args}
		}
	}
	return arithmetic(e.Name.Name, args[0], args[1])
}

func arithmetic(op string, x, y object) object {
	if a, ok := x.(bool); ok {
		return map[string]bool{"&&": a && y.(bool), "||": a || y.(bool)}[op]
	}
	a, b := x.(int64), y.(int64)
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b // neither is negative
	case "%":
		return a % b
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "<<":
		return a << uint64(b)
	case ">>":
		return a >> uint64(b)
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	case "==":
		return a == b
	}
	panic("unknown operation " + op)
}

// sets are the index sets [0, N_d) of md_hom.
func (r *reference) sets() [][]int64 {
	var sets [][]int64
	for _, e := range r.c.Hom.Sizes {
		sets = append(sets, r.indexSet(e))
	}
	return sets
}

// indexSet is that of a dimension: what is listed, or [0, N).
func (r *reference) indexSet(e syntax.Expr) (set []int64) {
	if listed, ok := r.eval(e, scopeOf{}).([]object); ok {
		for _, i := range listed {
			set = append(set, i.(int64))
		}
		return set
	}
	for i := range r.static(e, nil) {
		set = append(set, i)
	}
	return set
}

// accessesOf lists the index functions of all buffers of a name.
func (r *reference) accessesOf(name string) *syntax.Buffer {
	all := &syntax.Buffer{}
	for _, b := range r.c.Inp.Buffers {
		if b.Name.Name == name {
			all.Accesses = append(all.Accesses, b.Accesses...)
		}
	}
	return all
}

// extents is the size of a buffer by Definitions 8 and 10: one more than the
// greatest subscript over the points.
func (r *reference) extents(b *syntax.Buffer, points [][]int64) []int64 {
	extents := make([]int64, len(b.Accesses[0].Results))
	for _, a := range b.Accesses {
		for _, point := range points {
			for d, s := range r.subscripts(a, point) {
				extents[d] = max(extents[d], s+1)
			}
		}
	}
	return extents
}

// points lists the points of index sets.
func points(sets [][]int64) [][]int64 {
	list := [][]int64{nil}
	for _, set := range sets {
		var next [][]int64
		for _, p := range list {
			for _, i := range set {
				next = append(next, append(slices.Clone(p), i))
			}
		}
		list = next
	}
	return list
}

// outputs is out_view: the cells of each output buffer.
func (r *reference) outputs(a *mda) []map[string]object {
	var list []map[string]object
	number, several := 0, 0
	for _, b := range r.c.Out.Buffers {
		several += len(b.Accesses)
	}
	for _, b := range r.c.Out.Buffers {
		cells := map[string]object{}
		for _, f := range b.Accesses {
			for name, point := range a.points {
				v := a.values[name]
				if several > 1 {
					v = v.([]object)[number]
				}
				cells[key(r.subscripts(f, point))] = v
			}
			number++
		}
		list = append(list, cells)
	}
	return list
}

// flat lists the numbers of an object.
func flat(v object) []int64 {
	switch v := v.(type) {
	case int64:
		return []int64{v}
	case instanceOf:
		var list []int64
		for _, f := range v.fields {
			list = append(list, flat(f)...)
		}
		return list
	}
	panic(fmt.Sprintf("%T", v))
}
