package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// drawChain writes a chain of stencils with two results; every tensor starts at its
// own minimum, and reads up to two tensors before it.
func drawChain(t *rapid.T) string {
	rank := rapid.IntRange(1, 3).Draw(t, "rank")
	temporaries := rapid.IntRange(1, 3).Draw(t, "temporaries")
	extent := make([]int, rank)
	for d := range extent {
		extent[d] = rapid.IntRange(1, []int{0, 60, 24, 9}[rank]).Draw(t, "extent")
	}
	const reach = 2
	names := []string{"X"}
	lo := map[string]int{"X": -reach * (temporaries + 1)} // in all dimensions
	dims := func(name string) string {
		var list []string
		for d := range extent {
			list = append(list, fmt.Sprintf("%d:%d", lo[name], extent[d]-lo[name]))
		}
		return strings.Join(list, ", ")
	}
	var declared, body strings.Builder
	fmt.Fprintf(&declared, "  in X: float32[%s]\n", dims("X"))
	statement := func(name string, result bool) {
		var indices, plain []string
		for d := range extent {
			i := string(rune('i' + d))
			indices = append(indices, fmt.Sprintf("%s in %d:%d", i, lo[name], extent[d]-lo[name]))
			plain = append(plain, i)
		}
		value := fmt.Sprintf("%df32", rapid.IntRange(1, 3).Draw(t, "constant"))
		for n := range rapid.IntRange(1, 3).Draw(t, "reads") {
			from := names[len(names)-1]
			if n > 0 {
				from = names[rapid.IntRange(max(0, len(names)-3), len(names)-1).Draw(t, "from")]
			}
			subscripts := make([]string, rank)
			for d := range subscripts {
				subscripts[d] = fmt.Sprintf("%s + %di64", plain[d], rapid.IntRange(-1, 1).Draw(t, "offset"))
			}
			value = fmt.Sprintf("(%s * 2f32 + %s[%s])", value, from, strings.Join(subscripts, ", "))
		}
		fmt.Fprintf(&body, "  for %s { %s[%s] = %s }\n", strings.Join(indices, ", "), name, strings.Join(plain, ", "), value)
		role := "temp"
		if result {
			role = "out"
		}
		fmt.Fprintf(&declared, "  %s %s: float32[%s]\n", role, name, dims(name))
	}
	for k := range temporaries {
		name := fmt.Sprintf("t%d", k)
		lo[name] = -reach * (temporaries - k)
		statement(name, false)
		names = append(names, name)
	}
	for _, name := range []string{"Y", "Z"}[:rapid.IntRange(1, 2).Draw(t, "results")] {
		lo[name] = 0
		statement(name, true)
	}
	return "func chain {\n" + declared.String() + body.String() + "}\n"
}

// TestStrips compares random chains before and after they are cut.
func TestStrips(t *testing.T) {
	cuts := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawChain(t)
		f, err := ein.ParseFunc("chain", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		limits := rewrite.StripLimits{Least: 1, Block: rapid.Int64Range(50, 1000).Draw(t, "block"), Row: rapid.Int64Range(1, 8).Draw(t, "row")}
		g := limits.Strips(f)
		if err := ein.Verify(g); err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, g)
		}
		if len(g.Body) != len(f.Body) || strings.Contains(ein.Print(g), "_strip") {
			cuts++
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, f, g, args, nil)
	})
	if cuts == 0 {
		t.Error("no chain was cut")
	}
	t.Log(cuts, "chains were cut")
}
