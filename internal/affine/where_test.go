package affine

import (
	"testing"

	"pgregory.net/rapid"
)

// TestProvesWhere has goals that hold at all points of a box with some property, and such that do not.
func TestProvesWhere(t *testing.T) {
	facts := NewFacts()
	for _, s := range []string{"N", "M", "W", "H"} {
		facts.AtLeast(s, 1)
	}
	box := []Range{{Symbol: "i", Extent: Symbol("N")}, {Symbol: "j", Extent: Symbol("M")}, {Symbol: "p", Extent: Symbol("H").Mul(Symbol("W"))}}
	for _, c := range []struct {
		goal, where string
		want        bool
	}{
		{"i - 1", "i - 1", true},
		{"i - 1", "i", false},
		{"i - 1", "i % 2 - 1", true},
		{"i - 1", "i % 2", false},
		{"i - 2", "i / 2 - 1", true},
		{"i - 3", "i / 2 - 1", false},
		{"N - 1 - 2*i", "N/2 - 1 - i", true},
		{"N - 2 - 2*i", "N/2 - 1 - i", true},
		{"N - 3 - 2*i", "N/2 - 1 - i", false},
		{"i - 1", "min(i, j) - 1", true},
		{"i - 1", "max(i, j) - 1", false},
		{"i + j - 1", "max(i, j) - 1", true},
		{"N - 1 - i - j", "N - 1 - i - j", true},
		{"p - 1", "p % W - 1", true},
		{"p - W", "p / W - 1", true},
		{"p - W - 1", "p / W - 1", false},
		{"i - j - 5", "0 - 1", true}, // nowhere
		{"N - 1 - max(i - 1, 0)", "i", true},
		{"N - 2 - max(i - 1, 0)", "i", false},
	} {
		goal, err := Parse(c.goal)
		where, err2 := Parse(c.where)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got := facts.ProvesWhere(goal, []Expr{where}, box); got != c.want {
			t.Errorf("%s >= 0 where %s >= 0: %t, want %t", c.goal, c.where, got, c.want)
		}
	}
}

// TestProvesWhereIsSound draws goals and conditions: what is proved holds at all points.
func TestProvesWhereIsSound(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		facts := NewFacts()
		facts.AtLeast("N", 1)
		box := []Range{{Symbol: "i", Extent: Symbol("N")}, {Symbol: "j", Min: Const(-2), Extent: Symbol("N").AddConst(3)}}
		var conditions []Expr
		for range rapid.IntRange(1, 3).Draw(t, "conditions") {
			conditions = append(conditions, drawn(t, 2))
		}
		goal := drawn(t, 2)
		if !facts.ProvesWhere(goal, conditions, box) {
			return
		}
		proved++
		for n := int64(1); n <= 7; n++ {
			for i := int64(0); i < n; i++ {
				for j := int64(-2); j < n+1; j++ {
					env := map[string]int64{"N": n, "i": i, "j": j}
					holds := true
					for _, c := range conditions {
						v, err := c.Eval(env)
						holds = holds && err == nil && v >= 0
					}
					if v, err := goal.Eval(env); holds && (err != nil || v < 0) {
						t.Fatalf("%s is %d (%v) at %v, where %v", goal, v, err, env, conditions)
					}
				}
			}
		}
	})
	t.Logf("%d proved", proved)
}

// drawn draws an expression over i, j and N.
func drawn(t *rapid.T, depth int) Expr {
	if depth == 0 {
		return rapid.SampledFrom([]Expr{Symbol("i"), Symbol("j"), Symbol("N"), Const(0), Const(1), Const(3)}).Draw(t, "leaf")
	}
	x, y := drawn(t, depth-1), drawn(t, depth-1)
	switch rapid.IntRange(0, 7).Draw(t, "operation") {
	case 0, 1:
		return x.Add(y)
	case 2, 3:
		return x.Sub(y)
	case 4:
		return MinOf(x, y)
	case 5:
		return MaxOf(x, y)
	case 6:
		return Div(x, Const(rapid.Int64Range(1, 4).Draw(t, "divisor")))
	}
	return Rem(x, Const(rapid.Int64Range(1, 4).Draw(t, "divisor"))).Sub(Const(1))
}

// TestProvesAssumed: what is assumed is proved, and what follows by a constant, with functions in it
// whose defining inequalities say less.
func TestProvesAssumed(t *testing.T) {
	facts := NewFacts()
	for _, e := range []string{"G - 1", "S - (K - 1)/G - 1", "2*S - 2*(K % M) - 1"} {
		facts.Assume(parsed(t, e))
	}
	for e, want := range map[string]bool{
		"S - (K - 1)/G - 1": true, "S - (K - 1)/G + 3": true, "S - (K - 1)/G - 2": false, "3*S - 3*((K - 1)/G) - 1": true,
		"S - K % M - 1": true, "S - K % M - 2": false, "S - K/G - 1": false,
	} {
		if got := facts.Proves(parsed(t, e)); got != want {
			t.Errorf("%s ≥ 0: got %v", e, got)
		}
	}
}

func parsed(t *testing.T, text string) Expr {
	e, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
