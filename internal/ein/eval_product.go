package ein

import "math"

// How products are bounded in any order
//
// The roundings of a product are as many in any order, and none where one order has none:
// the odd parts of the factors multiply to that of every partial product. What differs are
// partial products that leave the range of the type. All of them lie between the product of
// the factors below 1 and that of the others; where these leave the range, one order may give
// a number and another ±∞, 0 or NaN.

// factors are those of an open product.
type factors struct {
	of            *precision
	number        float64 // how many
	least, most   float64 // between these lie all partial products but 0 and ∞
	zero, endless bool    // some factor is, or may be, 0; some is ±∞
	none          bool    // some is not a number
}

// joinFactors multiplies two partial products.
func (p *precision) joinFactors(a, b cell) cell {
	x, y := p.factorsOf(a), p.factorsOf(b)
	return cell{value: p.multiply(a.value, b.value), factors: &factors{
		p, x.number + y.number, x.least * y.least, x.most * y.most, x.zero || y.zero, x.endless || y.endless, x.none || y.none,
	}}
}

func (p *precision) factorsOf(c cell) factors {
	if c.factors != nil {
		return *c.factors
	}
	v := c.closed()
	f := factors{of: p, number: 1, least: 1, most: 1}
	switch size := math.Abs(v.f); {
	case size != size:
		f.none = true
	case math.IsInf(size, 0):
		f.endless = true
	case size <= v.e:
		f.zero, f.most = true, max(1, size+v.e)
	default:
		f.least, f.most = min(1, size-v.e), max(1, size+v.e)
	}
	return f
}

// closed bounds the product, which is v in one order.
func (f *factors) closed(v value) value {
	p := f.of
	smallest := p.tiny / p.unit / 2 // of the numbers with all digits
	switch {
	case f.none || f.endless && (f.zero || f.least >= p.tiny):
		return v
	case f.endless || f.most > p.largest:
		return value{f: v.f, e: unbounded}
	case f.zero || f.least >= smallest:
		return v
	}
	return p.settle(v.f, v.e+f.number*p.tiny*f.most)
}
