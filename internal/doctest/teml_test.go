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
