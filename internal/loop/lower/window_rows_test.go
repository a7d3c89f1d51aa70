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

// TestWindowRows filters images by tiles of drawn sizes whose sums read each row once, among them windows with
// steps, maxima without a filter, and tiles at the edges.
func TestWindowRows(t *testing.T) {
	draw := rand.New(rand.NewPCG(23, 11))
	shared, programs := 0, 80
	for range programs {
		program, order, gaps := drawWindow(draw)
		p := readProgram(t, program)
		tree, err := schedule.Parse(order)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(p.f, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(f); strings.Contains(text, "; kept]") {
			shared++
			if gaps {
				t.Errorf("rows that no window reaches are read:\n%s", text)
			}
		}
		verify(t, p, tree, nil, evaluate)
	}
	if shared < programs/2 {
		t.Errorf("of %d programs %d read rows once", programs, shared)
	}
	t.Logf("of %d programs %d read rows once", programs, shared)
}

// drawWindow draws a filter and a tree whose tiles have several windows; gaps says that there are rows which none reaches.
func drawWindow(draw *rand.Rand) (program, order string, gaps bool) {
	between := func(least, most int) int { return least + draw.IntN(most-least+1) }
	step, elements, columns := between(1, 2), between(2, 9), between(1, 5)
	if draw.IntN(5) == 0 {
		step = 3
	}
	rows, width, points, vectors := between(2, 20), between(4, 40), between(2, 6), between(1, 3)
	operator, value := "+", "X[%di64 * i + r, j + s] * F[r, s]"
	switch draw.IntN(4) {
	case 0:
		operator, value = "max", "X[%di64 * i + r, j + s]"
	case 1:
		value = "X[%[1]di64 * i + r, j + s] * F[r, s] + X[%[1]di64 * i + r, j + s]"
	}
	program = fmt.Sprintf(`
func filter {
  in X: %[1]s[%[2]d, %[3]d]
  in F: %[1]s[%[4]d, %[5]d]
  out Y: %[1]s[%[6]d, %[7]d]
  for i in 0:%[6]d, j in 0:%[7]d, r in 0:%[4]d reduce %[8]s, s in 0:%[5]d reduce %[8]s { Y[i, j] = %[9]s }
}`, []string{"float32", "float64", "int32"}[draw.IntN(3)], step*(rows-1)+elements, width+columns-1, elements, columns, rows, width, operator, fmt.Sprintf(value, step))
	order = fmt.Sprintf(`domain S0[i, j, r, s]
band S0.i tile %d
  band S0.j tile %d
    accumulate S0 register
      band S0.s%s | S0.r unroll | S0.i unroll | S0.j vector 4 unroll
`, points, 4*vectors, []string{"", " unroll"}[draw.IntN(2)])
	return program, order, step > elements
}

// TestWindowRowsAtBorders filters an image whose rows beyond its border do not exist: no row is read for all points
// that a condition leaves out for some.
func TestWindowRowsAtBorders(t *testing.T) {
	p := readProgram(t, `
func filter {
  in X: float32[7, 20]
  in F: float32[5, 3]
  out Y: float32[7, 18]
  for i in 0:7, j in 0:18, r in 0:5 reduce +, s in 0:3 reduce + { Y[i, j] = i + r >= 2i64 && i + r < 9i64 ? X[i + r - 2i64, j + s] * F[r, s] : 0f32 }
}`)
	tree, err := schedule.Parse(`domain S0[i, j, r, s]
band S0.i tile 4
  band S0.j tile 8
    accumulate S0 register
      band S0.s | S0.r unroll | S0.i unroll | S0.j vector 4 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, tree, nil, evaluate)
}
