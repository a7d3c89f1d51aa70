package lift

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A probe is a sample that is being written.
type probe struct {
	*lifter
	*strand.Sample
	grid    *grid
	support int
	key     string          // of the image, the border, the support and the place
	place   *ein.Tensor     // position in index space, [a,n]
	sums    map[string]*sum // along the first axes, by what is summed
	outside []*node         // of the border Constant
}

// sample computes numbers of an image at places.
func (l *lifter) sample(s *strand.Sample) error {
	nodes, err := l.locals(s.At, s)
	if err != nil {
		return err
	}
	p := &probe{lifter: l, Sample: s, grid: l.find(s.Image), support: s.Kernel.Support, sums: map[string]*sum{}}
	if p.grid == nil {
		return &NotPure{s.Pos, "the image " + s.Image.Name + ", which is not given,"}
	}
	p.key = s.Image.Name
	for _, n := range nodes {
		p.key += fmt.Sprintf(" %p", n)
	}
	p.place = l.placed[p.key]
	if p.place == nil {
		p.place = l.keep("x", nodes)
		l.placed[p.key] = p.place
	}
	if p.outside, err = l.locals(s.Outside, s); err != nil {
		return err
	}
	if kept := slices.DeleteFunc(slices.Clone(p.outside), func(n *node) bool { return n.value == nil || n.tensor != nil || !computes(n.value) }); len(kept) > 0 {
		l.keep("outside", kept)
	}
	if s.Border == strand.NoBorder {
		for _, size := range p.grid.sizes {
			l.require(size.AddConst(int64(-2*p.support)), fmt.Sprintf("%s needs %d samples on each axis of %s", s.Kernel.Name, 2*p.support, s.Image.Name), s.Pos)
		}
	}
	for _, c := range s.Wanted {
		s := p.sum(c.Voxel, c.Orders, len(c.Orders))
		l.now[c.To] = l.stored(l.p.Real, s.tensor, true, s.part(c.Voxel, p.Image)...)
	}
	return nil
}

func (l *lifter) require(e affine.Expr, reason string, pos source.Span) {
	if !slices.ContainsFunc(l.f.Requires, func(c *ein.Condition) bool { return c.Expr.Equal(e) }) {
		l.f.Requires = append(l.f.Requires, &ein.Condition{Pos: pos, Expr: e, Reason: reason})
	}
}

// A sum is what is summed along the first axes: of one component of the voxels, or of all of them, which have axes of their own
// behind that of the point.
type sum struct {
	tensor *ein.Tensor
	isAll  bool
}

// part is where a component of the voxel stands in a sum.
func (s *sum) part(voxel int, i *strand.Image) []int {
	if !s.isAll {
		return nil
	}
	return componentOf(voxel, i.Shape)
}

// wantsAll reports whether derivatives along the first axes are wanted of all components of the voxels: then one statement
// computes them. What stands outside of a border Constant is another for each.
func (p *probe) wantsAll(orders []int) bool {
	wanted := map[int]bool{}
	for _, c := range p.Wanted {
		if slices.Equal(c.Orders[:len(orders)], orders) {
			wanted[c.Voxel] = true
		}
	}
	return len(wanted) > 1 && len(wanted) == p.Image.Components() && p.Border != strand.Constant
}

// sum is what is summed along the first axes, of derivatives along them. It has an index of the support for each other axis,
// that of the slowest first.
func (p *probe) sum(voxel int, orders []int, axes int) *sum {
	s := &sum{isAll: p.wantsAll(orders[:axes])}
	key := fmt.Sprint(orders[:axes])
	if !s.isAll {
		key = fmt.Sprint(voxel, key)
	}
	if known := p.sums[key]; known != nil {
		return known
	}
	p.sums[key] = s
	axis := axes - 1
	i := p.index("n", p.number)
	var component []*ein.Index
	var shape []int
	if s.isAll {
		shape = p.Image.Shape
		for n, size := range shape {
			component = append(component, p.index(fmt.Sprint("c", n), affine.Const(int64(size))))
		}
	}
	var outer []*ein.Index // of the axes behind this one, the slowest first
	for a := len(orders) - 1; a > axis; a-- {
		outer = append(outer, p.index(fmt.Sprint("k", a), affine.Const(int64(2*p.support))))
	}
	k := p.summed(fmt.Sprint("k", axis), 2*p.support, p.p.Real)
	indices := slices.Concat(component, outer, []*ein.Index{i, k})
	part := refs(component)
	if !s.isAll {
		part = literals(componentOf(voxel, p.Image.Shape))
	}
	var of ein.Expr
	if axis == 0 {
		of = p.voxel(voxel, part, i, append(slices.Clone(outer), k))
	} else {
		inner := p.sum(voxel, orders, axis)
		if !inner.isAll {
			part = nil
		}
		at := ofPoint(inner.tensor, ref(i), slices.Concat(part, refs(outer), []ein.Expr{ref(k)})...)
		of = &ein.Access{Pos: p.Pos, Tensor: inner.tensor, Subscripts: at}
	}
	w := p.weights(orders[axis])
	weight := &ein.Access{Pos: p.Pos, Tensor: w, Subscripts: ofPoint(w, ref(i), whole(axis), ref(k))}
	s.tensor = p.perPoint("s", p.p.Real, ein.Temp, slices.Concat(shape, slices.Repeat([]int{2 * p.support}, len(outer)))...)
	p.statement(indices, s.tensor, binary(ein.Mul, weight, of), ofPoint(s.tensor, ref(i), refs(slices.Concat(component, outer))...)...)
	return s
}

func refs(list []*ein.Index) (exprs []ein.Expr) {
	for _, i := range list {
		exprs = append(exprs, ref(i))
	}
	return exprs
}

// at is the position along an axis.
func (p *probe) at(i, axis ein.Expr) ein.Expr {
	return &ein.Access{Pos: p.Pos, Tensor: p.place, Subscripts: ofPoint(p.place, i, axis)}
}

// below is the index of the sample at or below a position, as far as an int32 goes.
func below(x ein.Expr) ein.Expr {
	return &ein.Cast{To: tensor.Int64, X: &ein.Cast{To: tensor.Int32, X: builtin("floor", x)}}
}

func builtin(name string, x ein.Expr) ein.Expr {
	f, _ := ein.LookupBuiltin(name)
	return &ein.Call{Func: f, Args: []ein.Expr{x}}
}

// clamp moves the sample below a place to where its support is inside.
func (p *probe) clamp(n ein.Expr, size ein.Expr) ein.Expr {
	return binary(ein.Max, whole(p.support-1), binary(ein.Min, n, binary(ein.Sub, size, whole(p.support+1))))
}

func (p *probe) size(axis int) ein.Expr { return &ein.SizeRef{Pos: p.Pos, Size: p.grid.sizes[axis]} }

// voxel is a part of the sample at indices of the support, that of the slowest axis first.
func (p *probe) voxel(voxel int, part []ein.Expr, i *ein.Index, support []*ein.Index) ein.Expr {
	var at []ein.Expr
	var inside ein.Expr // of the border Constant
	for k, x := range support {
		axis := len(support) - 1 - k
		n := below(p.at(ref(i), whole(axis)))
		size := p.size(axis)
		if p.Border == strand.NoBorder {
			n = p.clamp(n, size)
		}
		n = binary(ein.Add, n, binary(ein.Sub, ref(x), whole(p.support-1)))
		at = append(at, p.border(n, size))
		if p.Border == strand.Constant {
			test := binary(ein.And, binary(ein.Le, whole(0), n), binary(ein.Lt, n, size))
			if inside != nil {
				test = binary(ein.And, inside, test)
			}
			inside = test
		}
	}
	at = append(at, part...)
	value := cast(p.p.Real, &ein.Access{Pos: p.Pos, Tensor: p.grid.tensor, Subscripts: at})
	if inside != nil {
		value = &ein.Select{Pos: p.Pos, Cond: inside, Then: value, Else: p.expr(p.outside[voxel], i)}
	}
	return value
}

// border maps an index into an axis.
func (p *probe) border(n, size ein.Expr) ein.Expr {
	last := binary(ein.Sub, size, whole(1))
	switch p.Border {
	case strand.Clamp, strand.Constant:
		return binary(ein.Max, whole(0), binary(ein.Min, n, last))
	case strand.Wrap:
		return binary(ein.Mod, n, size)
	case strand.Mirror: // the image and its mirror image, again and again: the lesser of both distances
		r := &ein.Local{Name: "r", DType: tensor.Int64}
		there := &ein.LocalRef{Local: r}
		twice := binary(ein.Mul, whole(2), size)
		back := binary(ein.Sub, binary(ein.Sub, twice, whole(1)), there)
		return &ein.Let{Var: r, Value: binary(ein.Mod, n, twice), Body: binary(ein.Min, there, back)}
	}
	return n
}

// weights are those of the samples of the support, for each axis: [a,k,n].
func (p *probe) weights(order int) *ein.Tensor {
	key := fmt.Sprint(p.key, " ", p.Kernel.Name, p.support, " ", p.Border == strand.NoBorder, " ", order)
	if t := p.placed[key]; t != nil {
		return t
	}
	dim := len(p.At)
	t := p.perPoint("w", p.p.Real, ein.Temp, dim, 2*p.support)
	i, a, k := p.index("n", p.number), p.index("a", affine.Const(int64(dim))), p.index("k", affine.Const(int64(2*p.support)))
	g := &ein.Local{Name: "g", DType: p.p.Real}
	q := &ein.Local{Name: "q", DType: p.p.Real}
	taps := (&field.Kernel{Support: p.support, Pieces: p.Kernel.Pieces}).Taps(order)
	even, odd := p.horner(taps, 0, k, q), p.horner(taps, 1, k, q)
	if even == nil { // the derivative of a kernel that has none of that order
		even = ein.FloatConst(p.p.Real, 0)
	}
	value := even
	if odd != nil {
		value = binary(ein.Add, even, binary(ein.Mul, &ein.LocalRef{Local: g}, odd))
	}
	square := binary(ein.Mul, &ein.LocalRef{Local: g}, &ein.LocalRef{Local: g})
	value = &ein.Let{Var: g, Value: p.fraction(i, a), Body: &ein.Let{Var: q, Value: square, Body: value}}
	p.statement([]*ein.Index{a, k, i}, t, value, ofPoint(t, ref(i), ref(a), ref(k))...)
	p.placed[key] = t
	return t
}

// fraction is how far a position is from the middle of its interval; outside of an image without a border it is no number.
func (p *probe) fraction(i, a *ein.Index) ein.Expr {
	real := p.p.Real
	x := &ein.Local{Name: "x", DType: real}
	at := &ein.LocalRef{Local: x}
	value := binary(ein.Sub, binary(ein.Sub, at, builtin("floor", at)), ein.FloatConst(real, 0.5))
	if p.Border == strand.NoBorder {
		var size ein.Expr = p.size(0)
		for axis := 1; axis < len(p.At); axis++ {
			size = &ein.Select{Cond: binary(ein.Eq, ref(a), whole(axis)), Then: p.size(axis), Else: size}
		}
		n := below(at)
		value = &ein.Select{Cond: binary(ein.Eq, n, p.clamp(n, size)), Then: value, Else: ein.FloatConst(real, math.NaN())}
	}
	return &ein.Let{Var: x, Value: p.at(ref(i), ref(a)), Body: value}
}

// horner adds up the even or the odd powers of taps, of which there is one for each k.
func (p *probe) horner(taps [][]*big.Rat, parity int, k *ein.Index, q *ein.Local) ein.Expr {
	var total ein.Expr
	for power := len(taps[0]) - 1; power >= 0; power-- {
		if power%2 != parity {
			continue
		}
		c := p.coefficient(taps, power, k)
		if total == nil {
			total = c
		} else {
			total = binary(ein.Add, binary(ein.Mul, total, &ein.LocalRef{Local: q}), c)
		}
	}
	return total
}

// coefficient is that of tap k.
func (p *probe) coefficient(taps [][]*big.Rat, power int, k *ein.Index) ein.Expr {
	literal := func(v *big.Rat) ein.Expr {
		f, _ := v.Float64()
		if p.p.Real == tensor.Float32 {
			narrow, _ := v.Float32()
			f = float64(narrow)
		}
		return ein.FloatConst(p.p.Real, f)
	}
	value := literal(taps[len(taps)-1][power])
	for m := len(taps) - 2; m >= 0; m-- {
		value = &ein.Select{Cond: binary(ein.Eq, ref(k), whole(m)), Then: literal(taps[m][power]), Else: value}
	}
	return value
}
