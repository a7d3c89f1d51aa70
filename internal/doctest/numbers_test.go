package doctest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/tensor"
)

// numerals are numbers that documents write as words.
var numerals = strings.Fields("zero one two three four five six seven eight nine ten")

// counts are the numbers in documents that count what the code has: a sentence, and what it counts.
var counts = []struct {
	document, sentence string
	count              func() int
}{
	{"README.md", `docs/builtins.md\) \| all (\w+) \|`, func() int { return len(ein.Builtins()) }},
	{"README.md", `(\w+) element types`, func() int { return len(tensor.DTypes()) }},
	{"README.md", `from (\w+) notations`, func() int { return len(notations.All()) }},
	{"docs/teml.md", `\b(\w+) kernels of the paper's Table 1`, func() int { return len(kernels) }},
}

// TestCounts: numbers that count something are those of the code.
func TestCounts(t *testing.T) {
	for _, c := range counts {
		text, err := os.ReadFile(filepath.Join(root, c.document))
		if err != nil {
			t.Fatal(err)
		}
		match := regexp.MustCompile(c.sentence).FindStringSubmatch(string(text))
		if match == nil {
			t.Errorf("%s has no sentence like %q", c.document, c.sentence)
			continue
		}
		if want := c.count(); match[1] != strconv.Itoa(want) && (want >= len(numerals) || match[1] != numerals[want]) {
			t.Errorf("%s says %q, but there are %d", c.document, match[0], want)
		}
	}
}

// TestMeasurements: a page of measured numbers says on which machine, when, and by which commands
// they were made; and nothing is kept that no document names.
func TestMeasurements(t *testing.T) {
	pages := 0
	for _, name := range repository(t) {
		if path.Dir(name) != "bench" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if page := string(text); strings.HasSuffix(name, ".md") {
			pages++
			for what, pattern := range map[string]string{"the machine": `Machine: .*cores|virtual machine with two .* cores`, "the date": `20\d\d-\d\d-\d\d`, "the command": `(?m)^    ricci bench `} {
				if !regexp.MustCompile(pattern).MatchString(page) {
					t.Errorf("%s does not say %s", name, what)
				}
			}
		}
		if !contains(t, "docs/benchmarks.md", name) && !contains(t, "bench/teml-2026-11-21.md", path.Base(name)) {
			t.Errorf("no document names %s", name)
		}
	}
	if pages == 0 {
		t.Error("there are no pages")
	}
}

func contains(t *testing.T, file, text string) bool {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), text)
}

// TestAnchors: a link to a heading finds it.
func TestAnchors(t *testing.T) {
	for _, name := range handWritten(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`\]\(([^)#:\s]*)#([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
			target := name
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(name), match[1])
			}
			page, err := os.ReadFile(filepath.Join(root, target))
			if err != nil || !strings.HasSuffix(target, ".md") {
				continue // TestLinks says so
			}
			if !anchors(string(page))[match[2]] {
				t.Errorf("%s links to %s#%s, and there is no such heading", name, target, match[2])
			}
		}
	}
}

var dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// anchors are the names of the headings of a page, as GitHub makes them.
func anchors(page string) map[string]bool {
	list := map[string]bool{}
	for line := range strings.Lines(page) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			list[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")] = true
		}
	}
	return list
}
