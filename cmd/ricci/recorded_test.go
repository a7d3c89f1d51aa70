package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
)

// A recorded row of CASES.tsv is one output of a run of a program by the original compiler.
type recorded struct {
	name, program      string
	flags, inputs, run string
	file, kind, within string
}

// TestRecorded runs the programs that the original compiler ran, with its command line, and compares
// what they write and print: see README.md there.
func TestRecorded(t *testing.T) {
	dir := goldentest.Recordings(t)
	table, err := os.ReadFile(filepath.Join(dir, "CASES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]recorded{}
	for line := range strings.Lines(string(table)) {
		w := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(w) < 9 {
			continue
		}
		for k := range w {
			if w[k] == "-" {
				w[k] = ""
			}
		}
		cases[w[0]] = append(cases[w[0]], recorded{w[0], w[1], w[2], w[3], w[4], w[6], w[7], w[8]})
	}
	if len(cases) < 17 {
		t.Fatalf("%d cases are recorded", len(cases))
	}
	for name, rows := range cases {
		t.Run(name, func(t *testing.T) { runRecorded(t, dir, rows) })
	}
}

// runRecorded runs one case in a directory of its own, and compares all its rows.
func runRecorded(t *testing.T, dir string, rows []recorded) {
	work, first := t.TempDir(), rows[0]
	if err := os.Symlink(filepath.Join(dir, "in"), filepath.Join(work, "in")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, first.program))
	if err == nil {
		err = os.WriteFile(filepath.Join(work, first.program), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"run", first.program}, strings.Fields(first.flags)...), "--")
	for input := range strings.SplitSeq(first.inputs, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(input), "="); ok {
			args = append(args, "-"+name)
			if whole, isOne := strings.CutPrefix(value, "~"); isOne {
				args = append(args, whole)
			} else {
				args = append(args, strings.Fields(value)...)
			}
		}
	}
	command := exec.Command("ricci", append(args, strings.Fields(first.run)...)...)
	command.Dir = work
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	status := 0
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		status = exit.ExitCode()
	}
	if err := os.WriteFile(filepath.Join(work, "stdout.txt"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		want, isStatus := strings.CutPrefix(r.kind, "exit:")
		if !isStatus {
			want = "0"
		}
		if strconv.Itoa(status) != want {
			t.Fatalf("%v: the status is %d, expected %s\n%s", args, status, want, &problems)
		}
		if isStatus {
			continue
		}
		p := pair{want: filepath.Join(dir, "out", r.name), got: work}
		if err := p.compare(r); err != nil {
			t.Errorf("%s (%s %s): %v", r.file, r.kind, r.within, err)
		}
	}
}

// A pair is the directories of what is recorded, and of what was made.
type pair struct{ want, got string }

// compare compares a file as the row says.
func (p pair) compare(r recorded) error {
	kind, rest, _ := strings.Cut(r.kind, ":")
	within, fraction := 0.0, 0.0
	if r.within != "" {
		var err error
		if within, err = strconv.ParseFloat(r.within, 64); err != nil {
			return err
		}
	}
	switch kind {
	case "text":
		return p.texts(r.file, -1)
	case "textnum":
		return p.texts(r.file, within)
	case "rows":
		return p.rows(strings.Split(rest, "+"))
	case "bound":
		a, err := readArray(filepath.Join(p.got, r.file))
		if err != nil {
			return err
		}
		if k := slices.IndexFunc(a.numbers, func(v float64) bool { return !(v <= within && v >= -within) }); k >= 0 {
			return fmt.Errorf("number %d is %g", k, a.numbers[k])
		}
		return nil
	case "absfrac":
		fraction, _ = strconv.ParseFloat(rest, 64)
	case "abs", "exact":
	default:
		return fmt.Errorf("nobody knows how to compare %s", r.kind)
	}
	return p.arrays(r.file, within, fraction)
}
