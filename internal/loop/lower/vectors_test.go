package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// drawSteps makes two or three statements, of ranges that differ, each of which reads what
// the one before computes; some of them are sums.
func drawSteps(t *rapid.T, n, m string) string {
	var text strings.Builder
	below := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	fmt.Fprintf(&text, "  in X: float32[%s + 9, %s + 9]\n  in Y: float32[%s + %s + 12]\n", n, m, n, m)
	steps := 2 + below(2)
	for s := range steps {
		role := "temp"
		if s == steps-1 {
			role = "out"
		}
		fmt.Fprintf(&text, "  %s T%d: float32[%s + %d, %s + %d]\n", role, s, n, 6-2*s, m, 6-2*s)
	}
	source := "X"
	for s := range steps {
		sum, value := "", fmt.Sprintf("%s[i + %di64, j + %di64]", source, below(3), below(3))
		switch below(4) {
		case 0:
			sum, value = ", k in 0:3 reduce +", value+fmt.Sprintf(" * %s[i, j + k]", "X")
		case 1:
			value += " + float32(i + 2i64 * j)"
		case 2:
			value += " + Y[i + j]"
		}
		fmt.Fprintf(&text, "  for i in 0:%s + %d, j in 0:%s + %d%s { T%d[i, j] = %s }\n", n, 6-2*s, m, 6-2*s, sum, s, value)
		source = fmt.Sprintf("T%d", s)
	}
	return text.String() + "}"
}

// vectorNest draws loops over i and j with vectors along one of them, the outer ones shared
// by all statements, with skews and shifts.
func vectorNest(t *rapid.T, f *ein.Func) schedule.Node {
	below := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	skewed, factor := below(3, "skewed"), int64([]int{-2, -1, 1, 2}[below(4, "factor")])
	shift := int64(below(3, "shift"))
	coordinate := func(d, s int) schedule.Loop {
		l := schedule.Loop{Statement: s, Index: []string{"i", "j"}[d], Shift: shift * int64(s)}
		if d == skewed {
			l.By = []schedule.Term{{Index: []string{"j", "i"}[d], Factor: factor}}
		}
		return l
	}
	var members []*schedule.Member
	add := func(d int, m schedule.Member) {
		for s := range f.Body {
			m.Loops = append(m.Loops, coordinate(d, s))
		}
		members = append(members, &m)
	}
	along, first := below(2, "along"), below(2, "first")
	lanes := 2 << below(2, "lanes")
	for _, d := range []int{first, 1 - first} {
		if below(3, "tiled") == 0 {
			add(d, schedule.Member{Tile: int64(lanes * (1 + below(2, "tile"))), Parallel: below(3, "parallel") == 0})
		}
	}
	for _, d := range rapid.Permutation([]int{0, 1}).Draw(t, "order") {
		m := schedule.Member{Tile: 1}
		if d == along {
			m.Vector = lanes
		}
		add(d, m)
	}
	shared := below(len(members)+1, "shared")
	sequence := &schedule.Sequence{}
	for s, c := range f.Body {
		var rest schedule.Node = &schedule.Leaf{}
		if len(ein.Reduced(c)) > 0 {
			rest = &schedule.Accumulate{Statement: s, Child: &schedule.Band{Members: []*schedule.Member{{Loops: []schedule.Loop{{Statement: s, Index: "k"}}, Tile: 1}}, Child: rest}}
		}
		if shared < len(members) {
			b := &schedule.Band{Child: rest}
			for _, m := range members[shared:] {
				own := *m
				own.Loops = m.Loops[s : s+1]
				b.Members = append(b.Members, &own)
			}
			rest = b
		}
		sequence.Children = append(sequence.Children, &schedule.Filter{Statements: []int{s}, Child: rest})
	}
	if shared == 0 {
		return sequence
	}
	return &schedule.Band{Members: members[:shared], Child: sequence}
}

// TestVectorsOverCoordinates draws nests with vectors along loops that are skewed, or
// shared by statements whose ranges differ, and compares the legal ones with the evaluator.
func TestVectorsOverCoordinates(t *testing.T) {
	accepted, refused, guarded := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.Int64Range(1, 13).Draw(t, "n"), rapid.Int64Range(1, 13).Draw(t, "m")
		text, sizes := "func f {\n"+drawSteps(t, fmt.Sprint(n), fmt.Sprint(m)), map[string]int64(nil)
		symbolic := rapid.IntRange(0, 3).Draw(t, "symbolic") == 0
		if symbolic {
			text = "func f {\n  size n = dim 0 of Z\n  in Z: float32[n]\n" + drawSteps(t, "n", "n")
			sizes = map[string]int64{"n": n}
		}
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		tree := schedule.Canonical(f)
		tree.Root = vectorNest(t, f)
		if schedule.Check(f, tree) != nil {
			refused++
			return
		}
		accepted++
		if frames := schedule.FramesOf(f, tree); frames.Guarded(0, f.Body[0]) || frames.Guarded(1, f.Body[1]) {
			guarded++
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, schedule.Print(tree))
		}
		if !symbolic {
			if err := loop.Verify(kernel); err != nil {
				t.Fatalf("verify: %v\n%s\n%s", err, f, schedule.Print(tree))
			}
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f, f, tree, kernel, args, sizes)
	})
	t.Logf("%d nests accepted, %d of them with values that are no points; %d refused", accepted, guarded, refused)
}

// TestLanesOfOneElement stores vectors along a diagonal of a matrix with one column: all
// lanes would write one element, but one of them at most is a point.
func TestLanesOfOneElement(t *testing.T) {
	p := readProgram(t, `
func f {
  in A: float32[5, 1]
  out P: float32[5, 1]
  for i in 0:5, j in 0:1 { P[i, j] = A[i, j] * A[i, j] }
}`)
	tree, err := schedule.Parse(`domain S0[i, j]
band S0.i tile 2 | S0.j+1*i tile 2 | S0.i vector 2 | S0.j+1*i
`)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, tree, nil, evaluate)
}

// TestLanesOfNothing stores vectors to an array without elements, all strides of which are 0.
func TestLanesOfNothing(t *testing.T) {
	p := readProgram(t, `
func f {
  in A: float32[2, 2]
  out P: float32[2, 2, 0]
  for i in 0:0 or empty, j in 0:2, k in 0:2 { P[k, j, i] = A[j, k] }
}`)
	tree, err := schedule.Parse(`domain S0[i, j, k]
band S0.i tile 4 | S0.j tile 4 skew 1*i/4 | S0.i | S0.j | S0.k vector 2
`)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, tree, nil, evaluate)
}
