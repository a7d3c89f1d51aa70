package integer

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSearch compares trying values with eliminating variables, for systems in a box.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problem{variables: rapid.IntRange(1, 6).Draw(t, "variables")}
		side := rapid.Int64Range(0, 20).Draw(t, "side")
		for v := range p.variables {
			unit, minus := make([]int64, p.variables), make([]int64, p.variables)
			unit[v], minus[v] = 1, -1
			p.least = append(p.least, row{unit, 3}, row{minus, side})
		}
		draw := func(label string) (rows []row) {
			for range rapid.IntRange(0, 4).Draw(t, label) {
				r := row{make([]int64, p.variables), rapid.Int64Range(-40, 40).Draw(t, "constant")}
				for v := range r.coefficients {
					r.coefficients[v] = rapid.Int64Range(-9, 9).Draw(t, "coefficient")
				}
				rows = append(rows, r)
			}
			return rows
		}
		p.equal, p.least = draw("equations"), append(p.least, draw("inequalities")...)
		want, _ := limited((*work).solve, p)
		got, values := limited((*work).search, p)
		if got == Unknown || want == Unknown { // many values, or rows
			return
		}
		if got != want {
			t.Fatalf("%v: the search says %v, not %v", p, got, want)
		}
		for _, r := range p.equal {
			if got == Found && r.value(values) != 0 {
				t.Fatalf("%v is no solution of %v", values, p)
			}
		}
		for _, r := range p.least {
			if got == Found && r.value(values) < 0 {
				t.Fatalf("%v is no solution of %v", values, p)
			}
		}
	})
}

// A variable without bounds is not searched for ever, and one that does not occur is no reason to stop.
func TestSearchWithoutBounds(t *testing.T) {
	least := []row{{[]int64{3, -2, 0}, 0}, {[]int64{-3, 2, 0}, 0}}
	if got, _ := limited((*work).search, problem{variables: 3, least: least}); got != Unknown {
		t.Errorf("a line is %v", got)
	}
	least = []row{{[]int64{2, 0, 0}, -3}, {[]int64{-1, 0, 0}, 2}}
	if got, values := limited((*work).search, problem{variables: 3, least: least}); got != Found || values[0] != 2 {
		t.Errorf("a point: %v %v", got, values)
	}
}
