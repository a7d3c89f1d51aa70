package bench

import (
	_ "embed" // for the programs
	"fmt"
)

//go:embed operator.teil
var operatorPrograms string

// operators are the defs of operator.teil, with their numbers of tensor products.
var operators = []struct {
	def      string
	products int64
}{{"interpolation", 1}, {"gradient", 3}, {"helmholtz", 4}, {"inverse_helmholtz", 2}}

// nestedPoints is how many points of a nested contraction a row computes at most,
// elementsMost how many elements.
const (
	nestedPoints = 1 << 27
	elementsMost = 4096
)

// operatorRows are the operators with n points in each direction, beside the same
// program with nested contractions; and alone for thousands of elements where
// those would take minutes.
func operatorRows() []Row {
	var rows []Row
	row := func(def string, n, elements int64) Row {
		return Row{
			Name: fmt.Sprintf("operator/%s/%d-%d", def, n, elements), Group: "operator", File: "operator.teil", Text: operatorPrograms,
			Def: def, Sizes: map[string]int64{"n": n, "E": elements},
		}
	}
	for _, o := range operators {
		def := o.def
		for n := int64(2); n <= 20; n += 2 {
			elements := min(max(nestedPoints/(o.products*n*n*n*n*n*n), 1), elementsMost)
			nested := row(def, n, elements)
			nested.Others = []Other{{Name: "nested", Def: def + "_nested"}}
			rows = append(rows, nested.with(Goal{}, def == "interpolation" && n == 8))
			if elements < elementsMost {
				rows = append(rows, row(def, n, elementsMost).with(Goal{}, false))
			}
		}
	}
	return rows
}
