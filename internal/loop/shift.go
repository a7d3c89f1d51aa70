package loop

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Shift moves lanes: lane l is lane l−By of X, or Fill where X has no such lane.
// By may be negative. Scans and folds within a vector are made of it.
type Shift struct {
	X    Expr
	By   int
	Fill Expr // a scalar
}

// A Lane is one lane of a vector, as a scalar.
type Lane struct {
	X      Expr
	Number int
}

func (*Shift) expr() {}
func (*Lane) expr()  {}

// Type returns the type of the value.
func (e *Shift) Type() Type { return e.X.Type() }
func (e *Lane) Type() Type  { return Scalar(e.X.Type().Elem) }

// shift checks a Shift; masks have no lanes that move.
func (v *verifier) shift(e *Shift) {
	t := v.expr(e.X)
	v.require(t.Lanes > 1 && t.Elem != tensor.Bool, "a shift of %s", t)
	v.require(e.By != 0 && e.By < t.Lanes && -e.By < t.Lanes, "a shift of %s by %d", t, e.By)
	v.require(v.expr(e.Fill) == Scalar(t.Elem), "a shift of %s is filled with %s", t, e.Fill.Type())
}

func (v *verifier) lane(e *Lane) {
	t := v.expr(e.X)
	v.require(t.Lanes > 1 && t.Elem != tensor.Bool && e.Number >= 0 && e.Number < t.Lanes, "lane %d of %s", e.Number, t)
}

func (ev *evaluator) shift(e *Shift) []uint64 {
	x, fill := ev.expr(e.X), ev.expr(e.Fill)[0]
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = fill
		if from := l - e.By; from >= 0 && from < len(x) {
			result[l] = x[from]
		}
	}
	return result
}

// FoldLanes combines the lanes of a vector, by halves, with any operator that is
// associative and commutative: combine gets the earlier lanes first.
func FoldLanes(list, fill []Expr, combine func(left, right []Expr) []Expr) []Expr {
	for half := list[0].Type().Lanes / 2; half > 0; half /= 2 {
		upper := make([]Expr, len(list))
		for k, x := range list {
			upper[k] = &Shift{X: x, By: -half, Fill: fill[k]}
		}
		list = combine(list, upper)
	}
	folded := make([]Expr, len(list))
	for k, x := range list {
		folded[k] = &Lane{X: x}
	}
	return folded
}

// ScanLanes replaces every lane by the combination of the lanes up to it, for an associative operator with the
// identity fill. Unless fill is neutral to all values, lanes without earlier ones stay as they are: the identity of a
// product beside an infinite one may make a NaN of it.
func ScanLanes(list, fill []Expr, neutral bool, combine func(left, right []Expr) []Expr) []Expr {
	lanes := list[0].Type().Lanes
	for by := 1; by < lanes; by *= 2 {
		earlier := make([]Expr, len(list))
		for k, x := range list {
			earlier[k] = &Shift{X: x, By: by, Fill: fill[k]}
		}
		combined := combine(earlier, list)
		if !neutral {
			first := &Binary{Op: ein.Lt, X: &Ramp{Base: Int(0), Stride: 1, Lanes: lanes}, Y: &Broadcast{X: Int(int64(by)), Lanes: lanes}}
			for k, x := range combined {
				combined[k] = &Select{Cond: first, Then: list[k], Else: x}
			}
		}
		list = combined
	}
	return list
}
