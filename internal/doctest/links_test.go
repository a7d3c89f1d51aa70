package doctest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// quotedCode is what is no link, whatever is in it.
var quotedCode = regexp.MustCompile("`[^`\n]*`")

// handWritten are the documents that link to files of the repository.
func handWritten(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "examples/*.md", "proofs/*.md", "internal/lang/*/*.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	return list
}

func TestLinks(t *testing.T) {
	for _, name := range handWritten(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, match := range link.FindAllStringSubmatch(quotedCode.ReplaceAllString(string(text), ""), -1) {
			target := filepath.Join(root, filepath.Dir(name), match[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, match[1])
			}
		}
	}
}

// Every example and every example's data stand in the list of examples.
func TestExamplesAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "examples/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"tc/*.tc", "mdh/*.mdh", "teml/*.teml", "teil/*.teil", "calls/*.*", "data/*.png", "data/*.np[yz]"} {
		files, err := filepath.Glob(filepath.Join(root, "examples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			if !strings.Contains(string(text), filepath.Base(file)) {
				t.Errorf("examples/README.md does not list %s", filepath.Base(file))
			}
		}
	}
}
