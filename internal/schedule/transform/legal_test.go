package transform

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
)

// drawInPlace draws a statement in place over three indices whose order matters, and that
// the loops in the order of the indices compute: what it reads is written later.
func drawInPlace(t *rapid.T) string {
	var text strings.Builder
	size := func(what string) int { return rapid.IntRange(1, 7).Draw(t, what) }
	const margin = 2
	n := []int{size("n"), size("m"), size("l")}
	fmt.Fprintf(&text, "func f {\n  inout U: float64[%d, %d, %d]\n", n[0]+2*margin, n[1]+2*margin, n[2]+2*margin)
	names := []string{"i", "j", "k"}
	access := func(offset []int) string {
		parts := make([]string, len(names))
		for d, name := range names {
			parts[d] = fmt.Sprintf("%s + %di64", name, offset[d]+margin)
		}
		return "U[" + strings.Join(parts, ", ") + "]"
	}
	var reads []string
	for range rapid.IntRange(1, 3).Draw(t, "reads") {
		offset := make([]int, len(names))
		later := false
		for d := range offset {
			least := -margin
			if !later {
				least = 0
			}
			offset[d] = rapid.IntRange(least, margin).Draw(t, "offset")
			later = later || offset[d] > 0
		}
		reads = append(reads, fmt.Sprintf("%df64 * %s", len(reads)+2, access(offset)))
	}
	fmt.Fprintf(&text, "  for i in 0:%d, j in 0:%d, k in 0:%d { %s = 0.25f64 * (%s) }\n}", n[0], n[1], n[2], access(make([]int, len(names))), strings.Join(reads, " + "))
	return text.String()
}

// drawSteps applies random transformations, of which those that do not fit are skipped.
func drawSteps(t *rapid.T, n *Nest, names []string) *Nest {
	for range rapid.IntRange(1, 9).Draw(t, "steps") {
		tr, _ := Lookup(rapid.SampledFrom(names).Draw(t, "transformation"))
		depth := len(n.Loops())
		var args []Argument
		for _, p := range tr.Parameters {
			switch {
			case p.Name == "lanes":
				args = append(args, Int(2<<rapid.IntRange(0, 1).Draw(t, "lanes")))
			case p.Optional:
			case p.Kind == Level:
				args = append(args, Int(int64(rapid.IntRange(1, max(1, depth)).Draw(t, p.Name))))
			case p.Name == "f":
				args = append(args, Int(rapid.SampledFrom([]int64{-1, 1, 1, 2}).Draw(t, "factor")))
			default:
				args = append(args, Int(int64(rapid.IntRange(1, 4).Draw(t, p.Name))))
			}
		}
		if next, err := tr.Apply([]*Nest{n}, args, Call{}); err == nil {
			n = next
		}
	}
	return n
}

// TestNoneIsRefused draws scripts for a statement in place. The loops of those that are
// accepted compute what the statement means, those of the others, unchecked, something
// else: what is refused is illegal, and everything else has code.
func TestNoneIsRefused(t *testing.T) {
	legal, illegal := 0, 0
	refused := map[string]int{}
	names := []string{"interchange", "interchange", "skew", "skew", "tile", "stripmine", "reverse", "vectorize", "unroll", "shift"}
	rapid.Check(t, func(t *rapid.T) {
		text := drawInPlace(t)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		n := drawSteps(t, Build(f, 0), names)
		tree, err := Tree(f, []*Nest{n}, Options{Machine: small})
		args, argsErr := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if argsErr != nil {
			t.Fatal(argsErr)
		}
		s := scheduletest.Subject{F: f, G: f, Args: args}
		var list source.ErrorList
		switch {
		case err == nil:
			legal++
			got, gotErr := s.Loops(t, tree)
			s.Matches(t, got, gotErr, schedule.Print(tree))
		case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
			illegal++
			tree, err := Tree(f, []*Nest{n}, Options{Machine: small, Unchecked: true})
			if err != nil {
				t.Fatalf("refused otherwise where it is unchecked: %v\n%s\n%s", err, text, n)
			}
			got, gotErr := s.Loops(t, tree)
			if gotErr != nil || s.Same(t, got) {
				t.Fatalf("refused, but right: %v\n%s\n%s\n%s", list[0], text, n, schedule.Print(tree))
			}
		default:
			message := list[0].Message
			refused[message[strings.LastIndex(message, ": ")+2:]]++
		}
	})
	t.Logf("%d legal, %d illegal, refused: %v", legal, illegal, refused)
}
