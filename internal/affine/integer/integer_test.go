package integer_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine/integer"
)

// A constraint is Σ coefficients[i]·x_i + constant, = 0 or ≥ 0.
type constraint struct {
	coefficients []int64
	constant     int64
	equation     bool
}

func (c constraint) holds(point []int64) bool {
	sum := c.constant
	for i, a := range c.coefficients {
		sum += a * point[i]
	}
	return sum == 0 || !c.equation && sum > 0
}

func (c constraint) String() string {
	text := ""
	for i, a := range c.coefficients {
		text += fmt.Sprintf("%d*x%d + ", a, i)
	}
	if c.equation {
		return fmt.Sprintf("%s%d = 0", text, c.constant)
	}
	return fmt.Sprintf("%s%d >= 0", text, c.constant)
}

func system(variables int, constraints []constraint) *integer.System {
	s := &integer.System{}
	for i := range variables {
		s.Var(fmt.Sprintf("x%d", i))
	}
	for _, c := range constraints {
		sum := integer.Sum{Coefficients: map[int]int64{}, Constant: c.constant}
		for i, a := range c.coefficients {
			sum.Coefficients[i] = a
		}
		if c.equation {
			s.Equal(sum)
		} else {
			s.AtLeast(sum)
		}
	}
	return s
}

func drawConstraint(t *rapid.T, variables int) constraint {
	c := constraint{constant: rapid.Int64Range(-40, 40).Draw(t, "constant"), equation: rapid.IntRange(0, 3).Draw(t, "equation") == 0}
	for range variables {
		c.coefficients = append(c.coefficients, rapid.Int64Range(-9, 9).Draw(t, "coefficient"))
	}
	return c
}

func allHold(constraints []constraint, point []int64) bool {
	for _, c := range constraints {
		if !c.holds(point) {
			return false
		}
	}
	return true
}

// search looks for a solution in the box [0, side)^variables.
func search(variables int, side int64, constraints []constraint) bool {
	point := make([]int64, variables)
	for {
		if allHold(constraints, point) {
			return true
		}
		v := 0
		for v < variables && point[v] == side-1 {
			point[v] = 0
			v++
		}
		if v == variables {
			return false
		}
		point[v]++
	}
}

// TestBox compares with trying all points of a box.
func TestBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const side = 7
		variables := rapid.IntRange(1, 4).Draw(t, "variables")
		var constraints []constraint
		for range rapid.IntRange(0, 5).Draw(t, "constraints") {
			constraints = append(constraints, drawConstraint(t, variables))
		}
		bounded := append([]constraint(nil), constraints...)
		for i := range variables {
			unit := make([]int64, variables)
			unit[i] = 1
			minus := make([]int64, variables)
			minus[i] = -1
			bounded = append(bounded, constraint{coefficients: unit}, constraint{coefficients: minus, constant: side - 1})
		}
		want := integer.Empty
		if search(variables, side, constraints) {
			want = integer.Found
		}
		got, values := system(variables, bounded).Solve()
		if got != want {
			t.Fatalf("%v: got %v, want %v", bounded, got, want)
		}
		verify(t, variables, bounded, got, values)
	})
}

func verify(t *rapid.T, variables int, constraints []constraint, got integer.Answer, values map[string]int64) {
	if got != integer.Found {
		return
	}
	point := make([]int64, variables)
	for i := range point {
		point[i] = values[fmt.Sprintf("x%d", i)]
	}
	if !allHold(constraints, point) {
		t.Fatalf("%v is no solution of %v", point, constraints)
	}
}

// TestUnbounded checks that what is found is a solution, and that what a box has
// is found, when the variables are free.
func TestUnbounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		variables := rapid.IntRange(1, 3).Draw(t, "variables")
		var constraints []constraint
		for range rapid.IntRange(1, 6).Draw(t, "constraints") {
			constraints = append(constraints, drawConstraint(t, variables))
		}
		got, values := system(variables, constraints).Solve()
		verify(t, variables, constraints, got, values)
		if got == integer.Empty && search(variables, 12, constraints) {
			t.Fatalf("%v: called empty", constraints)
		}
		if got == integer.Unknown {
			t.Fatalf("%v: unknown", constraints)
		}
	})
}

// TestTiles: two points of one tile of 6 in a block of 60 are less than 6 apart.
func TestTiles(t *testing.T) {
	build := func(distance int64) *integer.System {
		s := &integer.System{}
		x, y, n := s.Var("x"), s.Var("y"), s.Var("N")
		block, tile := s.Var("block"), s.Var("tile")
		for _, v := range []int{x, y} {
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: 1}})
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: -1, n: 1}, Constant: -1})
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: 1, block: -60, tile: -6}})
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: -1, block: 60, tile: 6}, Constant: 5})
		}
		s.Equal(integer.Sum{Coefficients: map[int]int64{y: 1, x: -1}, Constant: -distance})
		return s
	}
	if got, values := build(5).Solve(); got != integer.Found || values["y"]-values["x"] != 5 {
		t.Errorf("distance 5: %v %v", got, values)
	}
	if got, _ := build(6).Solve(); got != integer.Empty {
		t.Errorf("distance 6: %v", got)
	}
}

func TestLimits(t *testing.T) {
	s := &integer.System{}
	x, y := s.Var("x"), s.Var("y")
	s.AtLeast(integer.Sum{Coefficients: map[int]int64{x: 1 << 61, y: -3}, Constant: 1 << 61})
	s.AtLeast(integer.Sum{Coefficients: map[int]int64{x: -5, y: 1 << 61}, Constant: -(1 << 61)})
	s.AtLeast(integer.Sum{Coefficients: map[int]int64{x: -(1 << 60), y: 7}})
	if got, _ := s.Solve(); got != integer.Unknown {
		t.Errorf("numbers beyond 64 bits: %v", got)
	}
}
