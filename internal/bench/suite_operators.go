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

// nestedOperations is how many operations of nested contractions a row has at most,
// which take about 20 s; elementsMost how many elements.
const (
	nestedOperations = 600e9
	elementsMost     = 4096
)

// operatorRows are the operators with n points in each direction, beside the same
// programs with nested contractions.
func operatorRows() []Row {
	var rows []Row
	for _, o := range operators {
		for n := int64(2); n <= 20; n += 2 {
			elements := min(nestedOperations/(o.products*3*n*n*n*n*n*n), elementsMost)
			row := Row{
				Name: fmt.Sprintf("operator/%s/%d-%d", o.def, n, elements), Group: "operator", File: "operator.teil", Text: operatorPrograms,
				Def: o.def, Sizes: map[string]int64{"n": n, "E": elements}, Others: []Other{{Name: "nested", Def: o.def + "_nested"}},
			}
			rows = append(rows, row.with(Goal{}, o.def == "interpolation" && n == 8))
		}
	}
	return rows
}
