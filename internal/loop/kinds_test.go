package loop

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKinds compares the table of kinds with the types that are nodes, as the sources say.
func TestKinds(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	isNode := regexp.MustCompile(`(?m)^func \(\*(\w+)\) (?:stmt|expr)\(\)`)
	var declared []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range isNode.FindAllStringSubmatch(string(text), -1) {
			declared = append(declared, strings.ToLower(m[1]))
		}
	}
	var known []string
	for _, k := range Kinds() {
		if k != Vectors {
			known = append(known, string(k))
		}
	}
	slices.Sort(declared)
	slices.Sort(known)
	if !slices.Equal(declared, known) {
		t.Errorf("the nodes are %v, the table has %v", declared, known)
	}
}
