package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
)

// TestAccepted runs the small programs that the original compiler accepted, for five super-steps, and
// compares the output o with the numbers that it wrote.
func TestAccepted(t *testing.T) {
	dir := goldentest.Recordings(t)
	table, err := os.ReadFile(filepath.Join(dir, "ACCEPT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(string(table)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) < 4 || c[2] != "accept" || c[1] != "-" {
			continue
		}
		_, numbers, ok := strings.Cut(c[3], "o = ")
		// There the count falls while the strands of a step run; here it is that at the start of the step.
		if !ok || c[0] == "num-in-strand" || c[0] == "slice-range-index" {
			continue
		}
		numbers, _, _ = strings.Cut(numbers, ";")
		compared++
		t.Run(c[0], func(t *testing.T) { runAccepted(t, dir, c[0], strings.Fields(numbers)) })
	}
	if compared < 30 {
		t.Errorf("%d programs were compared", compared)
	}
}

func runAccepted(t *testing.T, dir, name string, want []string) {
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "in"), filepath.Join(work, "in")); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("ricci", "run", filepath.Join(dir, "accept", name+".diderot"), "--", "-l", "5")
	command.Dir = work
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := readArray(filepath.Join(work, "o.nrrd"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.numbers) != len(want) {
		t.Fatalf("%d numbers, expected %d", len(got.numbers), len(want))
	}
	for k, text := range want {
		w, err := strconv.ParseFloat(text, 64)
		if err != nil || !(apart(got.numbers[k], w) <= 2e-5*max(1, math.Abs(w))) {
			t.Errorf("number %d is %g, expected %s", k, got.numbers[k], text)
		}
	}
}
