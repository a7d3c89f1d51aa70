package strand

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// eigen2 solves [[m0, m1], [m1, m2]]. The first vector is above the x axis, or on it to the right;
// the second one is a quarter of a turn further.
func (f *formulas) eigen2(m []ein.Expr) ([]ein.Expr, []vector) {
	half := f.number(0.5)
	mean := f.let("mean", f.add(f.mul(m[0], half), f.mul(m[2], half)))
	d := f.let("d", f.sub(f.mul(m[0], half), f.mul(m[2], half)))
	scale := f.let("scale", f.largest(d, m[1]))
	by := f.divisor(scale)
	p := f.let("p", f.div(d, by))
	_, far, x, y := f.rotation(p, f.let("b", f.div(m[1], by)), f.neg(p))
	far = f.let("far", f.mul(far, scale))
	down := f.let("down", binary(ein.Or, binary(ein.Lt, y, f.number(0)), binary(ein.And, f.isZero(y), binary(ein.Lt, x, f.number(0)))))
	x, y = f.let("x", f.choose(down, f.neg(x), x)), f.let("y", f.choose(down, f.neg(y), y))
	return []ein.Expr{f.add(mean, far), f.sub(mean, far)}, []vector{{x, y}, {f.neg(y), x}}
}

// A deviator is a symmetric matrix without its mean, scaled so that its largest entry is 1.
type deviator struct {
	mean, scale      ein.Expr
	p, q, r, u, v, w ein.Expr // [[p, u, v], [u, q, w], [v, w, r]]
}

func (f *formulas) deviator(m []ein.Expr) *deviator {
	a := &deviator{}
	a.mean = f.let("mean", f.div(f.add(f.add(m[0], m[3]), m[5]), f.number(3)))
	p, q, r := f.let("p", f.sub(m[0], a.mean)), f.let("q", f.sub(m[3], a.mean)), f.let("r", f.sub(m[5], a.mean))
	a.scale = f.largest(p, q, r, m[1], m[2], m[4])
	by := f.divisor(a.scale)
	scaled := func(x ein.Expr) ein.Expr { return f.let("scaled", f.div(x, by)) }
	a.p, a.q, a.r, a.u, a.v, a.w = scaled(p), scaled(q), scaled(r), scaled(m[1]), scaled(m[2]), scaled(m[4])
	return a
}

// times is the product with a vector.
func (f *formulas) times(a *deviator, x vector) vector {
	rows := [3]vector{{a.p, a.u, a.v}, {a.u, a.q, a.w}, {a.v, a.w, a.r}}
	return f.each("product", func(k int) ein.Expr { return f.dot(rows[k], x) })
}

// eigen3 solves [[m0, m1, m2], [m1, m3, m4], [m2, m4, m5]].
func (f *formulas) eigen3(m []ein.Expr) ([]ein.Expr, []vector) {
	a := f.deviator(m)
	root, last := f.farthest(a)
	far := f.orientation(f.null(a, root), false)
	value := f.let("value", f.dot(far, f.times(a, far)))

	// The plane perpendicular to far, whose last coordinate is not negative, has this basis.
	t := f.let("t", f.div(f.number(-1), f.add(f.number(1), far[2])))
	b := f.let("b", f.mul(f.mul(far[0], far[1]), t))
	one := f.number(1)
	u := vector{f.let("u", f.add(one, f.mul(f.square(far[0]), t))), b, f.let("u", f.neg(far[0]))}
	w := vector{b, f.let("w", f.add(one, f.mul(f.square(far[1]), t))), f.let("w", f.neg(far[1]))}
	au, aw := f.times(a, u), f.times(a, w)
	middle, half, x, y := f.rotation(f.let("p", f.dot(u, au)), f.let("b", f.dot(u, aw)), f.let("r", f.dot(w, aw)))

	// The middle root is the smaller one of the plane where far has the least of all, else the larger one.
	more, less := f.let("more", f.add(middle, half)), f.let("less", f.sub(middle, half))
	x, y = f.let("x", f.choose(last, f.neg(y), x)), f.let("y", f.choose(last, x, y))
	between := f.orientation(f.each("between", func(k int) ein.Expr { return f.add(f.mul(x, u[k]), f.mul(y, w[k])) }), true)
	third := f.chosen(last, f.cross(between, far), f.cross(far, between))

	isotropic := f.let("isotropic", f.isZero(a.scale))
	vectors := []vector{f.chosen(last, third, far), between, f.chosen(last, far, third)}
	for n, v := range vectors {
		vectors[n] = f.each("vector", func(k int) ein.Expr {
			identity := 0.0
			if k == n {
				identity = 1
			}
			return f.choose(isotropic, f.number(identity), v[k])
		})
	}
	back := func(x ein.Expr) ein.Expr {
		return f.choose(isotropic, a.mean, f.add(a.mean, f.mul(a.scale, x)))
	}
	return []ein.Expr{back(f.choose(last, more, value)), back(f.choose(last, less, more)), back(f.choose(last, value, less))}, vectors
}

// farthest is the root that is farthest from the others, and whether it is the least. The roots are
// 2√Q cos(θ + 2πk/3) with cos 3θ = R/√Q³; that with θ ≤ π/6 for |R| is the one, and the cosine of a
// third of an angle is the root c of 4c³ - 3c = cos 3θ between √3/2 and 1, found by Newton's method
// from a line.
func (f *formulas) farthest(a *deviator) (root, last ein.Expr) {
	squares := f.add(f.add(f.square(a.p), f.square(a.q)), f.square(a.r))
	beside := f.add(f.add(f.square(a.u), f.square(a.v)), f.square(a.w))
	q := f.let("Q", f.div(f.add(f.mul(squares, f.number(0.5)), beside), f.number(3)))
	r := f.let("R", f.mul(f.number(0.5), f.add(f.sub(
		f.mul(a.p, f.sub(f.mul(a.q, a.r), f.square(a.w))),
		f.mul(a.u, f.sub(f.mul(a.u, a.r), f.mul(a.w, a.v)))),
		f.mul(a.v, f.sub(f.mul(a.u, a.w), f.mul(a.q, a.v))))))
	g := f.let("g", f.call("sqrt", q))
	cosine := f.let("cosine", binary(ein.Min, f.div(f.call("fabs", r), f.mul(q, g)), f.number(1)))
	start := math.Sqrt(3) / 2
	c := f.let("c", f.add(f.number(start), f.mul(f.number(1-start), cosine)))
	rounds := 3 // each doubles the digits, of which there are two to begin with
	if f.real == tensor.Float32 {
		rounds = 2
	}
	for range rounds {
		square := f.let("square", f.square(c))
		value := f.sub(f.mul(c, f.sub(f.mul(f.number(4), square), f.number(3))), cosine)
		c = f.let("c", f.sub(c, f.div(value, f.sub(f.mul(f.number(12), square), f.number(3)))))
	}
	last = f.let("last", binary(ein.Lt, r, f.number(0)))
	root = f.let("root", f.mul(f.number(2), f.mul(g, c)))
	return f.let("root", f.choose(last, f.neg(root), root)), last
}

// null is the vector of a root that is simple: the longest row of the adjugate of a - root, whose
// rows are all multiples of it.
func (f *formulas) null(a *deviator, root ein.Expr) vector {
	p, q, r := f.let("p", f.sub(a.p, root)), f.let("q", f.sub(a.q, root)), f.let("r", f.sub(a.r, root))
	minor := func(x, y, z, w ein.Expr) ein.Expr { return f.let("minor", f.sub(f.mul(x, y), f.mul(z, w))) }
	n00, n11, n22 := minor(q, r, a.w, a.w), minor(p, r, a.v, a.v), minor(p, q, a.u, a.u)
	n01, n02, n12 := minor(a.w, a.v, a.u, r), minor(a.u, a.w, a.v, q), minor(a.u, a.v, a.w, p)
	second := f.let("second", binary(ein.Ge, n11, n22))
	first := f.let("first", binary(ein.And, binary(ein.Ge, n00, n11), binary(ein.Ge, n00, n22)))
	n := f.chosen(first, vector{n00, n01, n02}, f.chosen(second, vector{n01, n11, n12}, vector{n02, n12, n22}))
	length := f.let("length", f.call("sqrt", f.dot(n, n)))
	return f.each("null", func(k int) ein.Expr { return f.div(n[k], length) })
}

// orientation turns a vector as the original does, which adds up products of rows of the matrix
// without the root: up, if it is level backward, and along the second axis if it is neither; the
// middle one against that.
func (f *formulas) orientation(v vector, middle bool) vector {
	zero := f.number(0)
	below, above := ein.Lt, ein.Gt
	if middle {
		below, above = above, below
	}
	and := func(x, y ein.Expr) ein.Expr { return binary(ein.And, x, y) }
	level := and(f.isZero(v[2]), binary(ein.Or, binary(above, v[0], zero), and(f.isZero(v[0]), binary(below, v[1], zero))))
	turn := f.let("turn", binary(ein.Or, binary(below, v[2], zero), level))
	return f.each("turned", func(k int) ein.Expr { return f.choose(turn, f.neg(v[k]), v[k]) })
}
