package field

import (
	"fmt"

	"math/big"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// components calls visit with the indices of all components of a shape.
func components(shape []int, visit func([]int)) {
	var each func(list []int)
	each = func(list []int) {
		if len(list) == len(shape) {
			visit(list)
			return
		}
		for v := range shape[len(list)] {
			each(append(list[:len(list):len(list)], v))
		}
	}
	each(nil)
}

// TestNormaliseExactly draws field expressions and compares their values before and after normalisation in rational
// numbers: what has a value before has the same after. The values are by Taylor arithmetic, which knows no rule.
func TestNormaliseExactly(t *testing.T) {
	compared, undefined := 0, 0
	smallest, reason := "", ""
	for seed := range sweep.Draws(t, 300, 10000) {
		d := newDrawer(uint64(seed), true)
		before := d.probed(3 + seed%3)
		after, _, err := d.Normalise(before, NormaliseOptions{})
		wrong := ""
		switch {
		case err != nil:
			wrong = err.Error()
		case !Normal(after):
			wrong = "it is not normal"
		default:
			components(before.Shape, func(alpha []int) {
				want, err := Evaluate(Exact{}, polynomials[*big.Rat]{Exact{}}, before, alpha...)
				if err != nil {
					undefined++
					return
				}
				compared++
				got, err := Evaluate(Exact{}, polynomials[*big.Rat]{Exact{}}, after, alpha...)
				if err != nil || got.Cmp(want) != 0 {
					wrong = fmt.Sprintf("component %v is %v (%v), want %s", alpha, got, err, want.RatString())
				}
			})
		}
		if text := before.String(); wrong != "" && (smallest == "" || len(text) < len(smallest)) {
			smallest, reason = text, fmt.Sprintf("draw %d, normal form\n%v\n%s", seed, after, wrong)
		}
	}
	if smallest != "" {
		t.Errorf("%s\n%s", smallest, reason)
	}
	t.Logf("%d components compared, %d undefined", compared, undefined)
	if compared < 2*undefined {
		t.Errorf("%d components were compared and %d have no value: the draws say little", compared, undefined)
	}
}
