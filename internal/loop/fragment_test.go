package loop_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestFragments: programs that load fragments by the layouts print, parse and verify, and have the product; every element is one lane's.
func TestFragments(t *testing.T) {
	for n, c := range looptest.FragmentCases() {
		f, err := c.Program()
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(f); err != nil {
			t.Fatal(err)
		}
		text := loop.Print(f)
		again, err := loop.Parse(source.NewFile("again.loop", text))
		if err != nil || loop.Print(again) != text {
			t.Fatalf("%v\n%s\nis not\n%s", err, loop.Print(again), text)
		}
		for _, whole := range []bool{true, false} {
			args := c.Arguments(rand.New(rand.NewPCG(1, uint64(n))), f, whole)
			x, y, z := looptest.Numbers(c.X, args[0].Bytes), looptest.Numbers(c.Y, args[1].Bytes), looptest.Numbers(c.Shape.Sum, args[2].Bytes)
			if fault, err := loop.Evaluate(f, args); fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			depth, got := int(c.Shape.Depth), looptest.Numbers(c.Shape.Sum, args[2].Bytes)
			for at := range z {
				want, size := z[at], math.Abs(z[at])
				for k := range depth {
					term := x[at/8*depth+k] * y[k*8+at%8]
					want, size = want+term, size+math.Abs(term)
				}
				tolerance := 0.0
				if !whole && c.Shape.Sum.IsFloat() {
					tolerance = size * 0x1p-10 // tf32 has 11 digits
				}
				if !(math.Abs(got[at]-want) <= tolerance) {
					t.Fatalf("%s × %s over %d: element %d is %v, and should be %v", c.X, c.Y, depth, at, got[at], want)
				}
			}
		}
	}
}

// TestFragmentsRefused: what is wrong about fragments is an error of the verifier, or of the evaluator.
func TestFragmentsRefused(t *testing.T) {
	c := looptest.FragmentCases()[0]
	right, err := c.Program()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ old, new, want string }{
		{"width 32", "width 16", "sub-groups of 16"},
		{"depth 16", "depth 12", "no matrix unit multiplies"},
		{"fragments z[0 by 2]", "fragments z[1 by 2]", "a fragment of z[1 + 3]"},
		{"* y[0]", "* y[1]", "a fragment of y"},
		{"fragments z[0 by 2]", "fragments z[0 by 1]", "are 1 apart"},
		{"fragments z[0 by 2] += x[0] * y[0] depth 16", "if n < 16 {\nfragments z[0 by 2] += x[0] * y[0] depth 16\n}", "not all items of a sub-group meet"},
		{"store y[3] = ", "store y[2] = ", loop.ErrUndefined.Error()},
		{"fragments z[0 by 2] += x[0] * y[0] depth 16", "fragments Z[0 by 2] += x[0] * y[0] depth 16", "not an item's own"},
	} {
		text := loop.Print(right)
		changed := strings.Replace(text, wrong.old, wrong.new, 1)
		if changed == text {
			t.Fatalf("there is no %q in\n%s", wrong.old, text)
		}
		f, err := loop.Parse(source.NewFile("wrong.loop", changed))
		if err != nil {
			t.Fatal(err)
		}
		if err = loop.Verify(f); err == nil {
			_, err = loop.Evaluate(f, c.Arguments(rand.New(rand.NewPCG(1, 2)), f, true))
		}
		if err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%q: %v, expected %q", wrong.new, err, wrong.want)
		}
	}
}
