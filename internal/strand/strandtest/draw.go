// Package strandtest draws programs of strands for tests.
package strandtest

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A program is right by construction: temporaries are read where they have a value, loops end, and each strand becomes
// stable or dies after some steps. Strands take different ways through conditions, loops and exits, and probe an image
// inside, near its borders and beyond. Only functions whose results have no freedom are called, so that all ways to run a
// program agree bit by bit. Strands of Steps count each other, and see globals; nothing else communicates.

// A Source makes choices: a math/rand Rand, or an adapter of a property test.
type Source interface{ IntN(n int) int }

type drawer struct {
	source          Source
	p               *strand.Program
	real            []*ein.Local // that may be read
	integer         []*ein.Local
	bools           []*ein.Local
	set             []*ein.Local       // that may be assigned, besides new temporaries
	lists, setLists []*strand.Variable // sequences of pairs that may be read, and set
	canBear         bool               // strands create others
	canLook         bool               // strands have places and may ask who is near
	names           int
	loops           int
}

// Program draws a program, with what it is to be given.
func Program(source Source) (*strand.Program, strand.Given) { return draw(source, false) }

// Steps draws a program whose strands count each other, and whose blocks of the world change globals by what strands are.
func Steps(source Source) (*strand.Program, strand.Given) { return draw(source, true) }

func draw(source Source, steps bool) (*strand.Program, strand.Given) {
	p := &strand.Program{Name: "drawn", Real: tensor.Float32, Int: tensor.Int32}
	d := &drawer{source: source, p: p}
	if d.chance(50) {
		p.Real = tensor.Float64
	}
	if d.chance(20) {
		p.Int = tensor.Int64
	}
	given := d.image()
	factor := d.variable("factor", strand.Input, strand.Type{Elem: strand.Real})
	factor.Default = []*ein.Const{ein.FloatConst(p.Real, 0.75)}
	list := d.variable("list", strand.Input, strand.Type{Elem: strand.Real, Fixed: []int{3}})
	list.Default = []*ein.Const{ein.FloatConst(p.Real, 1), ein.FloatConst(p.Real, -2), ein.FloatConst(p.Real, 2.5)}
	open := d.variable("open", strand.Input, strand.Type{Elem: strand.Real, Shape: []int{2}, Dynamic: true})
	d.lists = append(d.lists, open)
	for k := range 2 * d.pick(4) {
		open.Default = append(open.Default, ein.FloatConst(p.Real, float64(k)-1.5))
	}
	if steps {
		d.globals()
	}
	row := d.variable("row", strand.Temporary, strand.Type{Elem: strand.Int}).Parts[0]
	column := d.variable("column", strand.Temporary, strand.Type{Elem: strand.Int}).Parts[0]
	n := d.variable("n", strand.Parameter, strand.Type{Elem: strand.Int}).Parts[0]
	x := d.variable("x", strand.Parameter, strand.Type{Elem: strand.Real}).Parts[0]
	p.Create = strand.Create{Collection: d.chance(50), Iterators: []strand.Iterator{
		{Variable: p.Variable("row"), Low: d.number(-1), High: d.number(int64(d.pick(3)))},
		{Variable: p.Variable("column"), Low: d.number(2), High: d.number(int64(2 + d.pick(6)))},
	}}
	cast := func(l *ein.Local) ein.Expr { return &ein.Cast{To: p.Real, X: ref(l)} }
	p.Create.Arguments = []ein.Expr{
		binary(ein.Add, binary(ein.Mul, ref(row), d.number(8)), ref(column)),
		binary(ein.Sub, binary(ein.Mul, cast(column), ein.FloatConst(p.Real, 0.625)), cast(row)),
	}
	age := d.variable("age", strand.State, strand.Type{Elem: strand.Int}).Parts[0]
	value := d.variable("value", strand.State, strand.Type{Elem: strand.Real, Shape: []int{2}})
	count := d.variable("count", strand.State, strand.Type{Elem: strand.Int})
	flag := d.variable("flag", strand.State, strand.Type{Elem: strand.Bool})
	value.Output, count.Output, flag.Output = true, true, true
	var trail *strand.Variable
	if d.chance(50) {
		trail = d.sequence("trail", strand.State)
		trail.Output = d.chance(80)
	}
	d.real = append(append(d.real, x, factor.Parts[0]), list.Parts...)
	d.integer = append(d.integer, n)
	p.Begin = d.block(2)
	p.Begin = append(p.Begin, assign(age, d.number(0)), assign(value.Parts[0], d.expr(p.Real, 2)), assign(value.Parts[1], d.expr(p.Real, 2)),
		assign(count.Parts[0], d.expr(p.Int, 2)), assign(flag.Parts[0], d.expr(tensor.Bool, 1)))
	d.real, d.integer, d.bools = append(d.real, value.Parts...), append(d.integer, age, count.Parts[0]), append(d.bools, flag.Parts[0])
	if trail != nil {
		p.Begin = append(p.Begin, &strand.Build{To: trail, Items: d.items(trail, false)})
		d.lists, d.setLists = append(d.lists, trail), append(d.setLists, trail)
	}
	d.set = append(append(d.set, value.Parts...), count.Parts[0], flag.Parts[0])
	if steps && d.chance(60) {
		p.Begin = append(p.Begin, d.position(n)...)
		d.canLook = true
	}
	d.canBear = steps && p.Create.Collection && d.chance(70)
	if d.chance(40) {
		p.Start = d.withExits(2)
	}
	known, counts := len(d.integer), strand.Block{}
	if steps && d.chance(70) {
		counts = d.counts()
	}
	last := binary(ein.Gt, ref(age), binary(ein.Add, d.number(2), binary(ein.Mod, ref(n), d.number(4))))
	p.Update = append(append(counts, assign(age, binary(ein.Add, ref(age), d.number(1))),
		&strand.If{Cond: last, Then: strand.Block{d.exit(50)}}), d.withExits(4)...)
	if d.integer = d.integer[:known]; d.chance(60) {
		p.Stabilize = d.block(2)
	}
	if d.canLook && d.chance(60) {
		look := d.within(func() strand.Block { return d.near(true) })
		if d.chance(50) { // the place from which it looks is that at the start of the step
			look = append(d.move(), look...)
		}
		p.Update = append(append(look, d.move()...), p.Update...)
	}
	if d.chance(30) {
		p.Update = append(p.Update, d.within(d.message)...)
	}
	if d.canBear && d.chance(60) {
		p.Update = append(d.bear(), p.Update...)
	}
	if steps {
		d.world()
	}
	return p, given
}

func (d *drawer) pick(n int) int          { return d.source.IntN(n) }
func (d *drawer) chance(percent int) bool { return d.pick(100) < percent }

func (d *drawer) number(v int64) ein.Expr { return ein.IntConst(d.p.Int, v) }

func ref(l *ein.Local) ein.Expr { return &ein.LocalRef{Local: l} }

func binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }

func assign(l *ein.Local, e ein.Expr) strand.Stmt { return &strand.Assign{To: l, Value: e} }

// variable declares a variable.
func (d *drawer) variable(name string, role strand.Role, t strand.Type) *strand.Variable {
	v := &strand.Variable{Name: name, Role: role, Type: t}
	for k := range t.Width() {
		if t.Dynamic {
			break
		}
		part := name
		if !t.IsScalar() {
			part = fmt.Sprintf("%s.%d", name, k)
		}
		v.Parts = append(v.Parts, &ein.Local{Name: part, DType: d.p.DType(t.Elem)})
	}
	d.p.Variables = append(d.p.Variables, v)
	return v
}

// temporary declares a new one.
func (d *drawer) temporary(elem strand.Elem) *strand.Variable {
	d.names++
	return d.variable(fmt.Sprintf("t%d", d.names), strand.Temporary, strand.Type{Elem: elem})
}

// image declares an image of one to three axes, and fills it.
func (d *drawer) image() strand.Given {
	i := &strand.Image{Name: "img", Dim: 1 + d.pick(3)}
	if d.chance(50) {
		i.Shape = []int{2}
	}
	local := func(name string, t tensor.DType) *ein.Local { return &ein.Local{Name: name, DType: t} }
	data := &strand.ImageData{Components: i.Components()}
	total := data.Components
	for a := range i.Dim {
		i.Sizes = append(i.Sizes, local(fmt.Sprintf("img.size.%d", a), d.p.Int))
		i.Shift = append(i.Shift, local(fmt.Sprintf("img.shift.%d", a), d.p.Real))
		for b := range i.Dim {
			i.Matrix = append(i.Matrix, local(fmt.Sprintf("img.matrix.%d", a*i.Dim+b), d.p.Real))
			data.Directions = append(data.Directions, map[bool]float64{true: 0.5}[a == b])
		}
		data.Origin = append(data.Origin, float64(a))
		data.Sizes = append(data.Sizes, 1+d.pick(9))
		total *= data.Sizes[a]
	}
	for range total {
		data.Samples = append(data.Samples, float64(d.pick(64)-20)/4)
	}
	d.p.Images = []*strand.Image{i}
	for _, k := range field.Kernels() {
		d.p.Kernels = append(d.p.Kernels, &strand.Kernel{Name: k.Name, Support: k.Support, Pieces: k.Pieces})
	}
	return strand.Given{Images: map[string]*strand.ImageData{"img": data}}
}

// sample draws a probe. The position is near the image mostly.
func (d *drawer) sample() strand.Block {
	i := d.p.Images[0]
	s := &strand.Sample{Image: i, Border: strand.Border(d.pick(5)), Kernel: d.p.Kernels[d.pick(len(d.p.Kernels))]}
	var b strand.Block
	for range i.Dim {
		at := d.temporary(strand.Real).Parts[0]
		e := d.expr(d.p.Real, 2)
		if !d.chance(3) { // brought to where images are
			lo, hi := ein.FloatConst(d.p.Real, 2.5), ein.FloatConst(d.p.Real, 3.75)
			if s.Border != strand.NoBorder {
				lo, hi = ein.FloatConst(d.p.Real, -30), ein.FloatConst(d.p.Real, 40)
			}
			e = binary(ein.Max, lo, binary(ein.Min, hi, e))
		}
		b = append(b, assign(at, e))
		s.At = append(s.At, at)
	}
	for range outsideOf(s) {
		outside := d.temporary(strand.Real).Parts[0]
		b = append(b, assign(outside, d.expr(d.p.Real, 1)))
		s.Outside = append(s.Outside, outside)
	}
	for range 1 + d.pick(3) {
		c := strand.Component{To: d.temporary(strand.Real).Parts[0], Voxel: d.pick(i.Components())}
		for range i.Dim {
			c.Orders = append(c.Orders, max(0, d.pick(4)-1)%3)
		}
		s.Wanted = append(s.Wanted, c)
	}
	for _, c := range s.Wanted {
		d.real = append(d.real, c.To)
	}
	return append(b, s)
}

// real numbers where arithmetic has its corners are among these.
var reals = []float64{0, 1, -1, 0.5, 2, 3.25, -7, 100, 1e10, math.Inf(1)}

var exact = []string{"fabs", "floor", "ceil", "trunc", "sqrt"}

// expr draws an expression.
func (d *drawer) expr(t tensor.DType, depth int) ein.Expr {
	pool := d.integer
	switch {
	case t == tensor.Bool:
		pool = d.bools
	case t.IsFloat():
		pool = d.real
	}
	if depth == 0 || d.chance(15) {
		switch {
		case len(pool) > 0 && d.chance(75):
			return ref(pool[d.pick(len(pool))])
		case t == tensor.Bool:
			return ein.IntConst(t, int64(d.pick(2)))
		case t.IsFloat():
			return ein.FloatConst(t, reals[d.pick(len(reals))])
		}
		return ein.IntConst(t, int64(d.pick(12)-4))
	}
	depth--
	if d.chance(12) {
		return &ein.Select{Cond: d.expr(tensor.Bool, depth), Then: d.expr(t, depth), Else: d.expr(t, depth)}
	}
	switch {
	case t == tensor.Bool && d.chance(30):
		return binary([]ein.BinaryOp{ein.And, ein.Or}[d.pick(2)], d.expr(t, depth), d.expr(t, depth))
	case t == tensor.Bool && d.chance(20):
		return &ein.Unary{Op: ein.Not, X: d.expr(t, depth)}
	case t == tensor.Bool:
		of := []tensor.DType{d.p.Real, d.p.Int}[d.pick(2)]
		return binary([]ein.BinaryOp{ein.Lt, ein.Le, ein.Gt, ein.Ge, ein.Eq, ein.Ne}[d.pick(6)], d.expr(of, depth), d.expr(of, depth))
	case t.IsFloat() && d.chance(15):
		f, _ := ein.LookupBuiltin(exact[d.pick(len(exact))])
		return &ein.Call{Func: f, Args: []ein.Expr{d.expr(t, depth)}}
	case d.chance(10):
		return &ein.Unary{Op: ein.Neg, X: d.expr(t, depth)}
	case d.chance(10):
		return &ein.Cast{To: t, X: d.expr(map[bool]tensor.DType{true: d.p.Int, false: d.p.Real}[t.IsFloat()], depth)}
	}
	ops := []ein.BinaryOp{ein.Add, ein.Sub, ein.Mul, ein.Div, ein.Min, ein.Max}
	if t.IsInteger() {
		ops = append(ops, ein.Mod)
	}
	return binary(ops[d.pick(len(ops))], d.expr(t, depth), d.expr(t, depth))
}
