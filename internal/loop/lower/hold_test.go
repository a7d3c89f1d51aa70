package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestHold runs products of drawn sizes whose tiles hold what they read, with tails, padded blocks, copied operands,
// and vectors along rows, columns and what is reduced.
func TestHold(t *testing.T) {
	draw := rand.New(rand.NewPCG(29, 4))
	held, programs := 0, 60
	for range programs {
		program, text := drawHeld(draw)
		p := readProgram(t, program)
		tree, err := schedule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.f.Specialise(p.sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if strings.Contains(loop.Print(f), "= hold(") {
			held++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if held < programs/2 {
		t.Errorf("%d of %d programs hold something", held, programs)
	}
}

// drawHeld draws a product and a tree whose tiles hold what they read.
func drawHeld(draw *rand.Rand) (program, order string) {
	between := func(least, most int) int { return least + draw.IntN(most-least+1) }
	rows, columns, steps := between(1, 13), between(4, 40), between(1, 20)
	value, copied, points, vectors := "X[k, j] * W[i, k]", draw.IntN(2) == 0, between(2, 4), between(1, 3)
	pad := []string{"", " pad"}[draw.IntN(2)]
	tiles := fmt.Sprintf("S0.i tile %d%s | S0.j tile %d%s", points, pad, 4*vectors, pad)
	inside := "S0.k | S0.i unroll | S0.j vector 4 unroll hold"
	switch draw.IntN(4) {
	case 0:
		value = "X[k, j] * W[i, k] + X[k, j]"
	case 1:
		value, copied = "W[i, k] * V[j, k]", false
		tiles, inside = fmt.Sprintf("S0.i tile %d | S0.j tile %d", points, vectors+1), "S0.k vector 4 hold | S0.i unroll | S0.j unroll"
	}
	program = fmt.Sprintf(`
func product {
  in X: float32[%[3]d, %[2]d]
  in W: float32[%[1]d, %[3]d]
  in V: float32[%[2]d, %[3]d]
  out Y: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { Y[i, j] = %[4]s }
}`, rows, columns, steps, value)
	order = fmt.Sprintf("domain S0[i, j, k]\nband %s\n  accumulate S0 register\n    band %s\n", tiles, inside)
	if copied {
		order = fmt.Sprintf("domain S0[i, j, k]\nband %s\n  place X private\n    accumulate S0 register\n      band %s\n", tiles, inside)
	}
	return program, order
}
