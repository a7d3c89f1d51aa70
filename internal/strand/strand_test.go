package strand_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/tensor"
)

// parse reads a program that must be one, and whose text must be what is printed.
func parse(t interface {
	Helper()
	Fatal(...any)
}, text string) *strand.Program {
	t.Helper()
	p := strandtest.Parse(t, text)
	again, err := strand.Parse(source.NewFile("printed", strand.Print(p)))
	if err != nil {
		t.Fatal(err, strand.Print(p))
	}
	if diff := cmp.Diff(strand.Print(p), strand.Print(again)); diff != "" {
		t.Fatal(diff)
	}
	return again
}

// backward and shuffled are orders in which the strands of a step may run.
func backward(n int) []int {
	order := make([]int, n)
	for k := range order {
		order[k] = n - 1 - k
	}
	return order
}

func shuffled(seed uint64) func(n int) []int {
	return func(n int) []int { return rand.New(rand.NewPCG(seed, 1)).Perm(n) }
}

// run returns all that can be seen of a run.
func run(p *strand.Program, given strand.Given, limit int, o strand.Options) string {
	var out bytes.Buffer
	o.Print = &out
	result, err := strand.Evaluate(context.Background(), p, given, limit, o)
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
		return out.String()
	}
	fmt.Fprintf(&out, "%d steps\n", result.Steps)
	for _, o := range result.Outputs {
		fmt.Fprintf(&out, "%s %s %v %v\n", o.Name, o.Data.DType(), o.Data.Shape(), o.Kinds)
		if err := tensor.Format(&out, o.Data, tensor.DefaultFormat()); err != nil {
			fmt.Fprintln(&out, err)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// same runs a program in every way that must give the same, and returns what it gives.
func same(t interface {
	Helper()
	Errorf(string, ...any)
}, p *strand.Program, given strand.Given, limit int) string {
	t.Helper()
	want := run(p, given, limit, strand.Options{ForceBSP: true})
	for name, o := range map[string]strand.Options{
		"to completion": {}, "backward": {Order: backward}, "backward, super-steps": {Order: backward, ForceBSP: true},
		"shuffled": {Order: shuffled(7), ForceBSP: true}, "brute force": {BruteForce: true},
	} {
		if diff := cmp.Diff(want, run(p, given, limit, o)); diff != "" {
			t.Errorf("%s: -super-steps +here:\n%s", name, diff)
		}
	}
	return want
}

// TestRun runs whole programs and records what they print and write.
func TestRun(t *testing.T) {
	goldentest.Run(t, "testdata/run/*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		p := parse(t, inputs[0])
		limit := 0
		if _, rest, ok := strings.Cut(inputs[0], "# limit "); ok {
			_, _ = fmt.Sscan(rest, &limit)
		}
		return same(t, p, strand.Given{}, limit)
	})
}
