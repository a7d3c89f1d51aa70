package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
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

// unlike returns a tensor whose elements differ, so that a wrong order shows.
func unlike(t *rapid.T, x *ein.Tensor) *tensor.Tensor {
	var shape []int
	for _, d := range x.Dims {
		n, _ := d.Extent.IsConst()
		shape = append(shape, int(n))
	}
	a, err := tensor.New(x.Type, shape...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillRandom(a, 1)
	return a
}

// drawSteps applies random transformations, of which those that do not fit are skipped.
func drawSteps(t *rapid.T, n *Nest, names []string) *Nest {
	for range rapid.IntRange(1, 9).Draw(t, "steps") {
		name, depth := rapid.SampledFrom(names).Draw(t, "transformation"), len(n.Loops())
		if name == "tile" {
			if len(n.from) == 0 { // else some level may not be cut
				n = inTiles(t, n, int64(rapid.IntRange(1, 4).Draw(t, "v")))
			}
			continue
		}
		tr, _ := Lookup(name)
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
	names := []string{"interchange", "interchange", "skew", "skew", "tile", "tile", "stripmine", "reverse", "vectorize", "parallelize", "unroll", "shift"}
	noneIsRefused(t, func(t *rapid.T, n *Nest) *Nest { return drawSteps(t, n, names) })
}

// TestChainsOfSkews does the same for levels, or their blocks, that are skewed by one another in
// both directions.
func TestChainsOfSkews(t *testing.T) {
	noneIsRefused(t, func(t *rapid.T, n *Nest) *Nest {
		if rapid.Bool().Draw(t, "of blocks") {
			n = inTiles(t, n, int64(rapid.IntRange(1, 3).Draw(t, "v")))
		}
		try := func(name string, args ...int64) {
			tr, _ := Lookup(name)
			if next, err := tr.Apply([]*Nest{n}, Ints(args...), Call{}); err == nil {
				n = next
			}
		}
		level := func(from, to int) int64 { return int64(rapid.IntRange(from, to).Draw(t, "level")) }
		for range rapid.IntRange(2, 5).Draw(t, "skews") {
			a := level(1, 2)
			b := level(int(a)+1, 3)
			if rapid.IntRange(0, 3).Draw(t, "interchange") > 0 {
				try("interchange", a, b)
			}
			try("skew", a, b, rapid.SampledFrom([]int64{-2, -1, 1, 1, 2}).Draw(t, "factor"))
		}
		return drawSteps(t, n, []string{"interchange", "stripmine", "reverse", "vectorize", "parallelize", "unroll"})
	})
}

// noneIsRefused is TestNoneIsRefused for scripts of some kind.
func noneIsRefused(t *testing.T, draw func(t *rapid.T, n *Nest) *Nest) {
	legal, illegal := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawInPlace(t)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		n := draw(t, Build(f, 0))
		tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small})
		s := scheduletest.Subject{F: f, G: f, Args: map[string]*tensor.Tensor{"U": unlike(t, f.Tensors[0])}}
		var list source.ErrorList
		switch {
		case err == nil:
			legal++
			got, gotErr := s.Loops(t, tree)
			s.Matches(t, got, gotErr, schedule.Print(tree))
		case errors.As(err, &list) && list[0].Code == source.ScheduleIllegal:
			illegal++
			if slices.ContainsFunc(levelsIn(n.body), func(l *level) bool { return l.Parallel }) {
				return // the evaluator of loops is one thread
			}
			tree, idle, err := Tree(f, []*Nest{n}, Options{Machine: small, Unchecked: true})
			if err != nil {
				t.Fatalf("refused otherwise where it is unchecked: %v\n%s\n%s", err, text, n)
			}
			if len(idle) > 0 {
				return // vectors that would be wrong have no effect
			}
			got, gotErr := s.Loops(t, tree)
			if gotErr != nil || s.Same(t, got) {
				t.Fatalf("refused, but right: %v\n%s\n%s\n%s", list[0], text, n, schedule.Print(tree))
			}
		default:
			t.Fatalf("refused, and not as illegal: %v\n%s\n%s", err, text, n)
		}
	})
	t.Logf("%d legal, %d illegal, none refused", legal, illegal)
}
