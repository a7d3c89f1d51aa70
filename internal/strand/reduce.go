package strand

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// combiners are the operators of folds; a mean and a variance are sums first.
var combiners = [...]ein.BinaryOp{FoldSum: ein.Add, FoldProduct: ein.Mul, FoldMin: ein.Min, FoldMax: ein.Max,
	FoldMean: ein.Add, FoldVariance: ein.Add, FoldAll: ein.And, FoldExists: ein.Or}

// A folder folds values of one type.
type folder struct {
	r        *runner
	x, y     int // the places of operands
	combine  func() ein.Number
	identity ein.Number
}

func (r *runner) folder(fold Fold, t tensor.DType) *folder {
	x, y := &ein.Local{Name: "x", DType: t}, &ein.Local{Name: "y", DType: t}
	return &folder{r: r, x: r.scalar.Slot(x), y: r.scalar.Slot(y), identity: identity(fold, t),
		combine: r.expr(&ein.Binary{Op: combiners[fold], X: &ein.LocalRef{Local: x}, Y: &ein.LocalRef{Local: y}})}
}

// identity is what no strand at all gives.
func identity(fold Fold, t tensor.DType) ein.Number {
	least, largest := int64(math.MinInt64), int64(math.MaxInt64)
	if t == tensor.Int32 {
		least, largest = math.MinInt32, math.MaxInt32
	}
	return [...]ein.Number{FoldSum: {}, FoldProduct: {Int: 1, Float: 1}, FoldMin: {Int: largest, Float: math.Inf(1)},
		FoldMax: {Int: least, Float: math.Inf(-1)}, FoldMean: {}, FoldVariance: {}, FoldAll: {Int: 1}, FoldExists: {}}[fold]
}

func (f *folder) apply(x, y ein.Number) ein.Number {
	f.r.scalar.Set(f.x, x)
	f.r.scalar.Set(f.y, y)
	return f.combine()
}

// fold folds blocks of values, and what is left of the blocks.
func (f *folder) fold(list []ein.Number) ein.Number {
	total := f.identity
	for k := 0; k < len(list); k += ReduceBlock {
		part := f.identity
		for _, v := range list[k:min(k+ReduceBlock, len(list))] {
			part = f.apply(part, v)
		}
		total = f.apply(total, part)
	}
	return total
}

// reduce compiles a fold over strands.
func (r *runner) reduce(s *Reduce) code {
	to, who, body, value := r.scalar.Slot(s.To), r.scalar.Slot(s.Strand.Parts[0]), r.block(s.Body), r.expr(s.Value)
	f := r.folder(s.Fold, s.Value.Type())
	var mean, square func(list []ein.Number) ein.Number
	if s.Fold == FoldMean || s.Fold == FoldVariance {
		divide, minus, times := r.real(ein.Div), r.real(ein.Sub), r.real(ein.Mul)
		mean = func(list []ein.Number) ein.Number {
			return divide.apply(f.fold(list), ein.Number{Float: roundTo(r.w.program.Real, float64(len(list)))})
		}
		square = func(list []ein.Number) ein.Number {
			center := mean(list)
			for k, v := range list {
				apart := minus.apply(v, center)
				list[k] = times.apply(apart, apart)
			}
			return mean(list)
		}
	}
	return func() flow {
		var list []ein.Number
		for k, other := range r.w.strands {
			if !other.has(s.Set) {
				continue
			}
			r.scalar.Set(who, ein.Number{Int: int64(k)})
			if body() == failed {
				return failed
			}
			list = append(list, value())
		}
		result := f.fold
		switch s.Fold {
		case FoldMean:
			result = mean
		case FoldVariance:
			result = square
		}
		r.scalar.Set(to, result(list))
		return onward
	}
}

// real is an operator on reals.
func (r *runner) real(op ein.BinaryOp) *folder {
	x, y := &ein.Local{Name: "x", DType: r.w.program.Real}, &ein.Local{Name: "y", DType: r.w.program.Real}
	return &folder{r: r, x: r.scalar.Slot(x), y: r.scalar.Slot(y),
		combine: r.expr(&ein.Binary{Op: op, X: &ein.LocalRef{Local: x}, Y: &ein.LocalRef{Local: y}})}
}

// roundTo rounds to a float type.
func roundTo(t tensor.DType, x float64) float64 {
	if t == tensor.Float32 {
		return float64(float32(x))
	}
	return x
}
