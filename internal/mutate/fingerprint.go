package mutate

import (
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

// mostCases is how many cases of the corpus a mutant is tried on, of those that meet it.
const mostCases = 40

// A fingerprinter compares what the mutants make of the corpus with what is made without.
type fingerprinter struct {
	binary string
	cases  map[int][]string // the numbers of the cases that meet a mutant
}

func newFingerprinter(ctx context.Context, root, directory, overlay string) (*fingerprinter, error) {
	p := &fingerprinter{binary: filepath.Join(directory, "fingerprint")}
	file := filepath.Join(directory, "cases")
	if _, err := os.Stat(file); err == nil { // of the same mutants
		p.cases, err = casesOf(file)
		return p, err
	}
	if err := goTool(root, "build", "-overlay", overlay, "-o", p.binary, "./internal/mutate/fingerprint"); err != nil {
		return nil, err
	}
	partial := file + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return nil, err
	}
	o, err := run{command: []string{p.binary}, record: partial, limit: 10 * time.Minute}.do(ctx)
	if err == nil && o.failed {
		err = fmt.Errorf("the fingerprint fails without a mutation: %s", tail(o.output))
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(partial, file); err != nil {
		return nil, err
	}
	p.cases, err = casesOf(file)
	return p, err
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
		} else if current != "" {
			cases[n] = append(cases[n], current)
		}
	}
	return cases, nil
}

// differs says what a mutant changes in the cases that meet it; empty: nothing.
func (p *fingerprinter) differs(ctx context.Context, m Mutant) (string, error) {
	cases := spread(p.cases[m.Number], mostCases)
	if len(cases) == 0 {
		return "", nil
	}
	r := run{command: append([]string{p.binary}, cases...), limit: time.Minute}
	without, err := r.do(ctx)
	if err != nil {
		return "", err
	}
	r.mutant, r.limit = m.Number, time.Duration((3+5*without.seconds)*float64(time.Second))
	with, err := r.do(ctx)
	if err != nil {
		return "", err
	}
	return compared(without, with), nil
}

// compared says in which steps two runs differ.
func compared(without, with outcome) string {
	switch {
	case with.late:
		return "does not end"
	case with.failed:
		return "fails: " + shorten(tail(with.output))
	}
	before, after := strings.Split(without.output, "\n"), strings.Split(with.output, "\n")
	changed := map[string]int{}
	for k, line := range after {
		if k >= len(before) || line != before[k] {
			stage, _, _ := strings.Cut(line, " ")
			changed[stage]++
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
