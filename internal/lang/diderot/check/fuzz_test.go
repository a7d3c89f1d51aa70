package check

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
)

const wrongPrograms, examples = "testdata/errors/*.diderot", "../../../../examples/diderot/*.diderot"

// survives checks any text: the checker never panics, places lie in the text, and the tree of a program without errors is
// whole. It reports whether the syntax was right.
func survives(t *testing.T, text string) bool {
	t.Helper()
	f, diagnostics := syntax.Parse(source.NewFile("fuzz.diderot", text))
	if diagnostics.HasErrors() {
		return false
	}
	program, diagnostics := Program(f, Options{})
	for _, d := range diagnostics.List {
		if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) || !d.Span.IsValid() || d.Message == "" {
			t.Fatalf("%v is not in the text\n%s", d, text)
		}
	}
	if !diagnostics.HasErrors() {
		verify(t, program)
		written(t, program)
	}
	return true
}

// TestSpliced exchanges, doubles and drops words of wrong programs and examples.
func TestSpliced(t *testing.T) {
	var programs [][]string
	for _, pattern := range []string{wrongPrograms, examples} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal("no programs", err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for program := range strings.SplitSeq(string(text), "// ----\n") {
				version, rest, _ := strings.Cut(program, "\n")
				programs = append(programs, append([]string{version + "\n"}, words(rest)...))
			}
		}
	}
	draw := rand.New(rand.NewPCG(13, 10))
	pick := func(list []string) int { return 1 + draw.IntN(len(list)-1) }
	right := 0
	for range 6000 {
		program := slices.Clone(programs[draw.IntN(len(programs))])
		other := programs[draw.IntN(len(programs))]
		for range 1 + draw.IntN(3) {
			n := pick(program)
			switch draw.IntN(4) {
			case 0:
				program = slices.Delete(program, n, n+1)
			case 1:
				program = slices.Insert(program, n, program[pick(program)])
			case 2:
				program[n] = other[pick(other)]
			case 3:
				m := pick(program)
				program[n], program[m] = program[m], program[n]
			}
		}
		if survives(t, strings.Join(program, "")) {
			right++
		}
	}
	if right < 500 {
		t.Errorf("only %d programs had the right syntax", right)
	}
}

// words splits a text into words, numbers, single signs, and what is blank.
func words(text string) []string {
	kind := func(r rune) int {
		switch {
		case r == ' ' || r == '\n':
			return 1
		case r == '_' || r == '\'' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			return 2
		}
		return 3
	}
	var list []string
	last := 0
	for _, r := range text {
		k := kind(r)
		if k != last || k == 3 {
			list = append(list, "")
		}
		list[len(list)-1] += string(r)
		last = k
	}
	return list
}

func FuzzProgram(f *testing.F) {
	langtest.Seeds(f, "E13", wrongPrograms, examples)
	f.Fuzz(func(t *testing.T, text string) { survives(t, text) })
}
