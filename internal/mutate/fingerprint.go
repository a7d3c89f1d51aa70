package mutate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostCases is how many cases of the corpus a mutant is tried on, of those that meet it. The first ones,
// all builtins and drawn loops, are quick.
const (
	mostCases  = 40
	quickCases = 240
)

// A fingerprinter compares what the mutants make of the corpus with what is made without.
type fingerprinter struct {
	binary string
	cases  map[int][]string    // the numbers of the cases that meet a mutant; "" for before all
	plain  map[string][]string // the lines of each case without a mutation
}

func newFingerprinter(ctx context.Context, root, directory, overlay string) (*fingerprinter, error) {
	p := &fingerprinter{binary: filepath.Join(directory, "fingerprint")}
	met, lines := filepath.Join(directory, "cases"), filepath.Join(directory, "lines")
	if _, err := os.Stat(lines); err == nil { // of the same mutants
		return p, p.read(met, lines)
	}
	if err := goTool(root, "build", "-overlay", overlay, "-o", p.binary, "./internal/mutate/fingerprint"); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(met); err != nil {
		return nil, err
	}
	o, err := run{command: []string{p.binary}, record: met, limit: 10 * time.Minute}.do(ctx)
	if err == nil && o.failed {
		err = fmt.Errorf("the fingerprint fails without a mutation: %s", tail(o.output))
	}
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(lines, []byte(o.output), 0o644); err != nil {
		return nil, err
	}
	return p, p.read(met, lines)
}

func (p *fingerprinter) read(met, lines string) (err error) {
	if p.cases, err = casesOf(met); err != nil {
		return err
	}
	text, err := os.ReadFile(lines)
	p.plain = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		number, _, _ := strings.Cut(line, " ")
		p.plain[number] = append(p.plain[number], strings.TrimSpace(line))
	}
	return err
}

// casesOf reads a record in which the mutants stand behind the cases that meet them.
func casesOf(file string) (map[int][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cases, current := map[int][]string{}, ""
	for line := range strings.Lines(string(text)) {
		if number, begins := strings.CutPrefix(strings.TrimSpace(line), "case "); begins {
			current = number
		} else if n, err := strconv.Atoi(strings.TrimSpace(line)); err != nil {
			return nil, err
		} else {
			cases[n] = append(cases[n], current)
		}
	}
	return cases, nil
}

// differs says what a mutant changes in the cases that meet it; empty: nothing.
func (p *fingerprinter) differs(ctx context.Context, m Mutant) (string, error) {
	cases := p.cases[m.Number]
	if len(cases) == 0 {
		return "", nil
	}
	if cases[0] == "" { // in a table that is made before all cases
		cases = slices.SortedFunc(maps.Keys(p.plain), func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
		cases = append(cases[:quickCases:quickCases], spread(cases[quickCases:], mostCases/2)...)
	} else {
		cases = spread(cases, mostCases)
	}
	var without []string
	for _, number := range cases {
		without = append(without, p.plain[number]...)
	}
	with, err := run{command: append([]string{p.binary}, cases...), mutant: m.Number, limit: time.Minute}.do(ctx)
	if err != nil {
		return "", err
	}
	return compared(without, with), nil
}

// compared says in which steps a run differs from the lines without a mutation.
func compared(before []string, with outcome) string {
	switch {
	case with.late:
		return "does not end"
	case with.failed:
		return "fails: " + shorten(tail(with.output))
	}
	after := strings.Split(strings.TrimSpace(with.output), "\n")
	expected := map[string]int{}
	for _, line := range before {
		expected[line]++
	}
	changed := map[string]int{}
	for _, line := range after {
		if expected[line]--; expected[line] < 0 {
			changed[stageOf(line)]++
		}
	}
	var words []string
	for _, stage := range slices.Sorted(maps.Keys(changed)) {
		words = append(words, fmt.Sprintf("%s %d", stage, changed[stage]))
	}
	if len(words) == 0 && len(after) < len(before) {
		return "fewer lines"
	}
	return strings.Join(words, ", ")
}

// stageOf is the step that a line of the fingerprint is about.
func stageOf(line string) string {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return "words"
	}
	return fields[1]
}

// spread takes so many of a list, from all over it.
func spread(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	var some []string
	for k := range most {
		some = append(some, list[k*len(list)/most])
	}
	return some
}
