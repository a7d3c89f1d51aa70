package mutate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestToy plants every fault that there is in a small package, and runs its tests: nothing is wrong
// with none of them on, those of what is tested are noticed, and those of the rest are not met.
func TestToy(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const folder = "internal/mutate/testdata/toy"
	rooms := []Room{{Name: "toy", Package: folder, Judges: []string{folder}}}
	var operators, how []string
	directory := t.TempDir()
	d, err := Draw(root, directory, rooms, 1000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := build(root, directory, folder, d.Overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.measure(context.Background(), root, ".", 2, t.Errorf); err != nil {
		t.Fatal(err)
	}
	court := court{root: root}
	for _, m := range d.Mutants {
		operators = append(operators, m.Operator)
		v, err := court.judge(context.Background(), m, j.Tests, 60)
		if err != nil {
			t.Fatal(err)
		}
		if v.Noticed {
			how = append(how, v.How)
		}
		switch {
		case m.Function == "Alone" && v.Meet != 0:
			t.Errorf("%s: no test calls it, and %d meet it", m, v.Meet)
		case m.Function != "Alone" && !v.Noticed:
			t.Errorf("%s: survives %d of %d tests", m, v.Ran, v.Meet)
		}
	}
	for _, want := range []string{"arithmetic", "comparison", "condition", "constant", "dropped statement", "early return", "field dropped", "result"} {
		if !slices.Contains(operators, want) {
			t.Errorf("no mutant of the kind %s", want)
		}
	}
	if !slices.Contains(how, "does not end") || !slices.Contains(how, "fails") {
		t.Errorf("mutants were noticed by %v", how)
	}
}

// TestRender nests edits, as the mutants of nested expressions are.
func TestRender(t *testing.T) {
	const text = "f(a + b*c)"
	at := func(part string) span {
		k := strings.Index(text, part)
		return span{k, k + len(part)}
	}
	made := func(outer string, pattern string, parts ...string) edit {
		e := edit{from: at(outer).from, to: at(outer).to, pattern: pattern}
		for _, p := range parts {
			e.parts = append(e.parts, at(p))
		}
		return e
	}
	for _, test := range []struct {
		edits []edit
		want  string
	}{
		{nil, text},
		{[]edit{made("b*c", "[$0|$1]", "b", "c"), made("a + b*c", "<$1, $0, $1>", "a", "b*c")}, "f(<[b|c], a, [b|c]>)"},
		{[]edit{made("c", "(c+1)"), made("b", "-$0", "b")}, "f(a + -b*(c+1))"},
		{[]edit{made("b*c", "{$0}", "b*c"), made("b*c", "$1*$0", "b", "c")}, "f(a + {c*b})"},
		{[]edit{{from: 2, to: 2, pattern: "x, "}, made("a", "A")}, "f(x, A + b*c)"},
	} {
		if got := render(text, test.edits); got != test.want {
			t.Errorf("got %s, expected %s", got, test.want)
		}
	}
}
