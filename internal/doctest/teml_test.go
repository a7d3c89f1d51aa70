package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule/transform"
)

// TestTransformationsInTeML keeps the list of transformations in docs/teml.md that of
// the table; -update writes it.
func TestTransformationsInTeML(t *testing.T) {
	var b strings.Builder
	b.WriteString("| transformation | equation | what it does |\n|---|---|---|\n")
	for _, row := range transform.Table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Signature(), row.Equation, row.Summary)
	}
	generated(t, "docs/teml.md", "transformations", b.String())
}

// kernels is Table 1 of the TeML paper. The number of lines of coars is not readable
// there.
var kernels = []struct{ name, domain, tensorFlow, lines string }{
	{"mm", "linear algebra", "3", "3"},
	{"tmm", "linear algebra", "3", "4"},
	{"bmm", "deep learning", "3", "3"},
	{"gconv", "deep learning", "–", "5"},
	{"mttkrp", "data analytics", "4", "5"},
	{"sddmm", "machine learning", "4", "6"},
	{"interp", "fluid dynamics", "3", "5"},
	{"helm", "fluid dynamics", "–", "9"},
	{"blur", "image processing", "–", "9"},
	{"coars", "image processing", "6", "?"},
}

var called = regexp.MustCompile(`\b([a-z_]+)\(`)

// TestLinesOfTeML makes the paper's Table 1 from the examples: the lines of the tensor
// program, which end where loops begin.
func TestLinesOfTeML(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kernel | domain | lines | operations | lines in the paper | TensorFlow there |\n|---|---|---:|---|---:|---:|\n")
	for _, k := range kernels {
		text, err := os.ReadFile(filepath.Join(root, "examples/teml", k.name+".teml"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		var operations []string
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			names := called.FindAllStringSubmatch(line, -1)
			if slices.ContainsFunc(names, func(m []string) bool { return m[1] == "build" }) || strings.HasPrefix(line, "codegen") {
				break
			}
			for _, m := range names {
				if m[1] != "tensor" && !slices.Contains(operations, m[1]) {
					operations = append(operations, m[1])
				}
			}
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		fmt.Fprintf(&b, "| [%s](../examples/teml/%[1]s.teml) | %s | %d | %s | %s | %s |\n", k.name, k.domain, lines, strings.Join(operations, ", "), k.lines, k.tensorFlow)
	}
	generated(t, "docs/teml.md", "lines", b.String())
}

// conditions has a program for each row of the table of conditions, which package teml's
// tests compile: its first line says which condition of which equations it breaks, and its
// expectations which diagnostics tell so.
const conditions = "internal/lang/teml/testdata/errors/conditions.teml"

var (
	heading  = regexp.MustCompile(`^# ((?:\(\d+\)(?:, )?)+): (.+)$`)
	equation = regexp.MustCompile(`\((\d+)\)`)
	expected = regexp.MustCompile(`### "(.*)"$`)
	code     = regexp.MustCompile(`^E\d{4}\b`)
)

// TestConditionsOfTeML makes the table of conditions in docs/teml.md of the programs that
// break them. Each of the paper's equations of expressions has one, but for those that ask
// for nothing.
func TestConditionsOfTeML(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, conditions))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| equation | condition | error |\n|---|---|---|\n")
	seen, last := map[string]bool{"12": true, "26": true}, ""
	for program := range strings.SplitSeq(string(text), "# ----\n") {
		lines := strings.Split(program, "\n")
		title := heading.FindStringSubmatch(lines[0])
		if title == nil {
			t.Fatalf("%q is no heading: # (EQUATION): CONDITION", lines[0])
		}
		var codes []string
		for _, line := range lines {
			if e := expected.FindStringSubmatch(line); e != nil {
				c := code.FindString(e[1])
				if c == "" {
					t.Errorf("the expectation %q does not begin with a code", e[1])
				} else if !slices.Contains(codes, c) {
					codes = append(codes, c)
				}
			}
		}
		if len(codes) == 0 {
			t.Errorf("nothing is expected of the program %q", lines[0])
		}
		for _, n := range equation.FindAllStringSubmatch(title[1], -1) {
			seen[n[1]] = true
		}
		slices.Sort(codes)
		equations := title[1]
		if equations == last {
			equations = ""
		}
		last = title[1]
		fmt.Fprintf(&b, "| %s | %s | %s |\n", equations, title[2], strings.Join(codes, ", "))
	}
	for n := 10; n <= 35; n++ {
		if !seen[fmt.Sprint(n)] {
			t.Errorf("no program breaks a condition of equation (%d)", n)
		}
	}
	generated(t, "docs/teml.md", "conditions", b.String())
}

// generated compares the part of a document between the comments "<!-- NAME: … -->"
// and "<!-- end -->" with a text, or writes it with -update.
func generated(t *testing.T, document, name, text string) {
	t.Helper()
	path := filepath.Join(root, document)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), "<!-- "+name+":")
	comment, rest, okComment := strings.Cut(rest, "\n")
	_, tail, okEnd := strings.Cut(rest, "<!-- end -->")
	if !ok || !okComment || !okEnd {
		t.Fatalf("%s has no part %s", document, name)
	}
	want := head + "<!-- " + name + ":" + comment + "\n\n" + text + "\n<!-- end -->" + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("%s, %s, is not up to date; go test ./internal/doctest -update", document, name)
	}
}
