package doctest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

func TestFuzzTargetsAreListed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		directory, err := filepath.Rel(root, filepath.Dir(path))
		for _, match := range fuzzTarget.FindAllStringSubmatch(string(text), -1) {
			line := fmt.Sprintf("go test ./%s -run '^$' -fuzz \"^%s$\"", filepath.ToSlash(directory), match[1])
			if !strings.Contains(string(page), line) {
				t.Errorf("docs/architecture.md does not list\n%s -fuzztime 1m", line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
