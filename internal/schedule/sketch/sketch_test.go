package sketch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
)

func function(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("function", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func processor(t testing.TB, name string) *machine.Processor {
	t.Helper()
	p, err := machine.Named(name).Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestChoices records what is chosen for functions, by which rules, and how many candidates there were: each costs time.
func TestChoices(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "choices", 1, func(t *testing.T, inputs []string) string {
		var b strings.Builder
		for _, name := range []string{"opencl", "cuda+wrp", "a100"} {
			c, err := Choose(function(t, inputs[0]), processor(t, name), nil)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s: %d candidates, %d trees checked", name, c.Judged, c.Checked)
			for _, l := range c.Launches {
				fmt.Fprintf(&b, "; S%d-S%d %s", l.First, l.Last, l.Rule)
			}
			b.WriteString("\n" + schedule.Print(c.Tree))
		}
		return b.String()
	})
}

// TestSpace: the default is the origin of the space and the first tree; all points that a search begins with are trees of their own, and
// a search meets them again.
func TestSpace(t *testing.T) {
	f := function(t, `func softmax {
  in X: float32[128, 1000]
  temp m: float32[128]
  temp e: float32[128, 1000]
  temp s: float32[128]
  out Y: float32[128, 1000]
  for i in 0:128, j in 0:1000 reduce max { m[i] = X[i, j] }
  for i in 0:128, j in 0:1000 { e[i, j] = exp(X[i, j] - m[i]) }
  for i in 0:128, j in 0:1000 reduce + { s[i] = e[i, j] }
  for i in 0:128, j in 0:1000 { Y[i, j] = e[i, j] / s[i] }
}`)
	x, err := NewSpace(f, processor(t, "cuda"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := space.New(x.Groups()...)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for k, p := range append([]space.Point{x.Origin()}, x.Starts()...) {
		if points.Key(points.Repair(p)) != points.Key(p) {
			t.Errorf("%v is no point", p)
		}
		tree, err := x.Tree(p)
		if err != nil {
			t.Errorf("%v: %v", p, err)
			continue
		}
		text := schedule.Print(tree)
		if k == 0 && text != schedule.Print(x.Choice.Tree) {
			t.Errorf("the origin is\n%s", text)
		}
		if seen[text] {
			t.Errorf("%v is another point's tree", p)
		}
		seen[text] = true
	}
	if len(seen) != 1+starts {
		t.Errorf("%d points to begin with", len(seen))
	}
	if _, err := NewSpace(function(t, "func f {\n  size N\n  in X: float32[N]\n  out Y: float32[N]\n  for i in 0:N { Y[i] = X[i] }\n}"), processor(t, "cuda")); err == nil {
		t.Error("a space of open sizes")
	}
}

// TestFallback: of very many statements, and where no sizes are supposed that it may have, the plain default is taken.
func TestFallback(t *testing.T) {
	var b strings.Builder
	b.WriteString("func many {\n  in X: float32[100]\n")
	for n := range mostStatements + 1 {
		fmt.Fprintf(&b, "  out Y%d: float32[100]\n", n)
	}
	for n := range mostStatements + 1 {
		fmt.Fprintf(&b, "  for i in 0:100 { Y%d[i] = X[i] + %df32 }\n", n, n)
	}
	for _, text := range []string{b.String() + "}", "func f {\n  size N\n  in X: float32[N]\n  out Y: float32[N]\n  require N - 5000 >= 0 because \"long\"\n  for i in 0:N { Y[i] = X[i] }\n}", "func f {\n}"} {
		c, err := Choose(function(t, text), processor(t, "opencl"), nil)
		if err != nil || c.Judged > 0 || c.Tree == nil {
			t.Errorf("%.40s: %+v, %v", text, c, err)
		}
	}
}
