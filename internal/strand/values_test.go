package strand_test

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
)

func integers(list ...int64) strand.Value {
	var v strand.Value
	for _, n := range list {
		v.Numbers = append(v.Numbers, ein.Number{Int: n})
	}
	return v
}

func reals(list ...float64) strand.Value {
	var v strand.Value
	for _, x := range list {
		v.Numbers = append(v.Numbers, ein.Number{Float: x})
	}
	return v
}
