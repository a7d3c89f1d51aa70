package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestMoved runs blocks that stream: those that are only transposed go straight to the
// result, of all sizes, in two and more dimensions and from a part of the input.
func TestMoved(t *testing.T) {
	for name, test := range map[string]struct {
		program, tree string
		straight      bool
	}{
		"plane": {`# sizes n=37 m=50
func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  out Y: float32[m, n]
  for j in 0:m, i in 0:n { Y[j, i] = X[i, j] }
}`, `domain S0[j, i]
band S0.j tile 20 | S0.i tile 16
  place X private
    band S0.j | S0.i vector 16 stream
`, true},
		"three dimensions, shifted": {`# sizes n=37 m=50
func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float64[n, 5, m]
  out Y: float64[m, 4, n]
  for j in 0:m - 3, k in 0:4, i in 0:n - 2 { Y[j + 1i64, k, i] = X[i + 2i64, k + 1i64, j + 3i64] }
  for k in 0:4, i in 0:n { Y[0i64, k, i] = 0f64 }
  for j in m - 2:m, k in 0:4, i in 0:n { Y[j, k, i] = 1f64 }
  for j in 1:m - 2, k in 0:4, i in n - 2:n { Y[j, k, i] = 2f64 }
}`, `domain S0[j, k, i]; S1[k, i]; S2[j, k, i]; S3[j, k, i]
sequence
  filter S0
    band S0.i tile 16 | S0.k tile 3 | S0.j tile 32
      place X private
        band S0.j | S0.k | S0.i vector 8 stream
  filter S1
    band S1.k | S1.i
  filter S2
    band S2.j | S2.k | S2.i
  filter S3
    band S3.j | S3.k | S3.i
`, true},
		"more than moved": {`# sizes n=37 m=50
func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  out Y: float32[m, n]
  for j in 0:m, i in 0:n { Y[j, i] = X[i, j] + 1f32 }
}`, `domain S0[j, i]
band S0.j tile 20 | S0.i tile 16
  place X private
    band S0.j | S0.i vector 16 stream
`, false},
		"parts of lines": {`# sizes n=37 m=50
func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: int16[n, m]
  out Y: int16[m, n]
  for j in 0:m, i in 0:n { Y[j, i] = X[i, j] }
}`, `domain S0[j, i]
band S0.j tile 20 | S0.i tile 16
  place X private
    band S0.j | S0.i vector 16 stream
`, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := readProgram(t, test.program)
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, tree, nil, evaluate)
			verify(t, p, tree, nil, execute)
			g, err := p.f.Specialise(p.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(g, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := loop.Print(f); test.straight == strings.Contains(text, "X_block") {
				t.Errorf("straight is %v:\n%s", test.straight, text)
			}
		})
	}
}
