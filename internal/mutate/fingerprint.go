package mutate

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A fingerprinter compares what the mutants make of the corpus with what is made without.
type fingerprinter struct {
	binary  string
	lines   []string
	seconds float64
	meets   map[int]bool
}

func newFingerprinter(ctx context.Context, root, directory, overlay string) (*fingerprinter, error) {
	p := &fingerprinter{binary: filepath.Join(directory, "fingerprint")}
	if err := goTool(root, "build", "-overlay", overlay, "-o", p.binary, "./internal/mutate/fingerprint"); err != nil {
		return nil, err
	}
	o, met, err := record(ctx, run{command: []string{p.binary}, dir: root, limit: 5 * time.Minute})
	if err == nil && o.failed {
		err = fmt.Errorf("the fingerprint fails without a mutation: %s", tail(o.output))
	}
	p.lines, p.seconds, p.meets = strings.Split(o.output, "\n"), o.seconds, met
	return p, err
}

// differs says what a mutant changes; empty: nothing.
func (p *fingerprinter) differs(ctx context.Context, m Mutant) (string, error) {
	if !p.meets[m.Number] {
		return "", nil
	}
	limit := time.Duration((3 + 5*p.seconds) * float64(time.Second))
	o, err := run{command: []string{p.binary}, mutant: m.Number, limit: limit}.do(ctx)
	if err != nil {
		return "", err
	}
	changed := map[string]int{}
	lines := strings.Split(o.output, "\n")
	for k, line := range lines {
		if k >= len(p.lines) || line != p.lines[k] {
			stage, _, _ := strings.Cut(line, " ")
			changed[stage]++
		}
	}
	var words []string
	for _, stage := range slices.Sorted(maps.Keys(changed)) {
		words = append(words, fmt.Sprintf("%s %d", stage, changed[stage]))
	}
	switch {
	case o.late:
		return "does not end", nil
	case o.failed:
		return "fails: " + shorten(tail(o.output)), nil
	case len(lines) != len(p.lines) && len(words) == 0:
		return "fewer lines", nil
	}
	return strings.Join(words, ", "), nil
}
