package field

import (
	"errors"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Expand turns operators in normal form into scalar definitions. Indices of operators and sums are unrolled, ε and δ become
// literals, products with 0 vanish, and what is equal is computed once. Constants are exact until they meet a variable, where
// they are rounded once. All numbers of one image at one place are wanted from one Sample, derivatives along the axes of the
// image; those in world space, ∂_j = Σ_i Matrix[i,j] ∂/∂x_i, are definitions. Division by zero and roots of negative numbers
// give what IEEE says.
func Expand(operators []*Operator, b *Binding) (*Expansion, error) {
	return nil, errors.New("to come")
}

// A Domain says where an image can be probed by kernels up to a support.
type Domain struct {
	Grid    *Grid
	Support int
}

// Domains are the images of an operator, in the order of its parameters, each with the largest support of the kernels that it
// is convolved with. It is asked before Normalise, which may find that an image does not matter.
func Domains(o *Operator, b *Binding) ([]Domain, error) {
	return nil, errors.New("to come")
}

// Inside is the test whether all images of an operator can be probed at the position: Support−1 < x_a < size_a − Support on
// all axes of all domains, which holds for no NaN. Its places are computed first.
func Inside(o *Operator, position *Param, b *Binding) (places []Definition, test ein.Expr, err error) {
	return nil, nil, errors.New("to come")
}
