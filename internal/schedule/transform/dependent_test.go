package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// drawDependent draws statements over n by m points in which almost any change of the
// order breaks something: they read what others write beside the same point, and write
// what they read.
func drawDependent(t *rapid.T) *ein.Func {
	n, m := rapid.IntRange(1, 7).Draw(t, "n"), rapid.IntRange(1, 7).Draw(t, "m")
	var text strings.Builder
	fmt.Fprintf(&text, "func f {\n  in X: float32[%d, %d]\n  inout A: float32[%d]\n  inout B: float32[%d, %d]\n  inout C: float32[%d, %d]\n", n, m, n+2, n+2, m+2, n+2, m+2)
	draw := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "choice") }
	i := func() string { return draw("i", "i + 1i64", "i + 1i64", "i + 2i64") }
	j := func() string { return draw("j", "j + 1i64", "j + 1i64", "j + 2i64") }
	value := func() string {
		return draw("A["+i()+"]", "B["+i()+", "+j()+"]", "C["+i()+", "+j()+"]", "B["+i()+", "+j()+"] * A["+i()+"]")
	}
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		before := draw("", "", "accumulate + ")
		if target := draw("A", "B", "B", "C", "C"); target != "A" {
			fmt.Fprintf(&text, "  for i in 0:%d, j in 0:%d %s{ %s[i + 1i64, j + 1i64] = %s + X[i, j] }\n", n, m, before, target, value())
		} else {
			fmt.Fprintf(&text, "  for i in 0:%d, j in 0:%d reduce + %s{ A[i + 1i64] = %s }\n", n, m, before, value())
		}
	}
	f, err := ein.ParseFunc("test", text.String()+"}")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDependences applies random transformations to statements that depend on each other:
// what is accepted computes what the evaluator does. Left out of schedule.Check by hand,
// the dependences of reads on writes, writes on reads, writes on writes, and those within
// a statement were noticed after 233, 5, 485 and 0 programs; those that parallel loops and
// vectors carry after 48 and 299.
func TestDependences(t *testing.T) {
	legal, illegal, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawDependent(t)
		nests := drawNests(t, f)
		if rapid.IntRange(0, 3).Draw(t, "order of the nests") == 0 {
			nests = rapid.Permutation(nests).Draw(t, "order")
		}
		tree, _, err := Tree(f, nests, Options{Machine: scheduletest.Machine(t)})
		var list source.ErrorList
		switch {
		case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
			illegal++
			return
		case errors.As(err, &list):
			if !slices.ContainsFunc(refusals, func(r *regexp.Regexp) bool { return r.MatchString(list[0].Message) }) {
				t.Fatalf("%v\n%s\n%v", err, f, nests)
			}
			refused++
			return
		case err != nil:
			t.Fatal(err)
		}
		legal++
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		got, gotErr := s.Loops(t, tree)
		s.Matches(t, got, gotErr, schedule.Print(tree))
	})
	t.Logf("%d legal, %d illegal, %d refused", legal, illegal, refused)
}
