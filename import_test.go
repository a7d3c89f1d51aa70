package ricci

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeTree writes files below a directory.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// Imports reach what is below the program and below the import path, and nothing else.
func TestImportTrees(t *testing.T) {
	dir := t.TempDir()
	const one = "def one(float(N) A) -> (B) { B(i) = A(i) + 1 }\n"
	writeTree(t, dir, map[string]string{
		"secret.tc": one, "library/one.tc": one, "library/two.tc": "import \"one.tc\"\n", "library/up.tc": "import \"../secret.tc\"\n",
		"project/lib/one.tc": one, "project/lib/up.tc": "import \"../lib/one.tc\"\n", "project/lib/far.tc": "import \"../../secret.tc\"\n",
		"project/lib/far.mdh": "import \"../../secret.tc\"\n", "project/lib/one.teil": "import \"far.mdh\"\n", "project/lib/near.mdh": "import \"one.tc\"\n", "secret.mdh": "\n",
	})
	for link, target := range map[string]string{"out.tc": "../secret.tc", "absolute.tc": filepath.Join(dir, "secret.tc"), "in.tc": "lib/one.tc", "tree": "../library", "loop.tc": "loop.tc"} {
		if err := os.Symlink(target, filepath.Join(dir, "project", link)); err != nil {
			t.Skip(err)
		}
	}
	library := []string{filepath.Join(dir, "library")}
	const outside, link, allows = "not below the directory of the program", "a symbolic link leads out", "--import-path DIR"
	for _, test := range []struct {
		path string
		more []string // the import path
		want []string // in the error; none: it is accepted
	}{
		{"lib/one.tc", nil, nil},
		{"lib/up.tc", nil, nil},
		{"in.tc", nil, nil},
		{"../project/lib/one.tc", nil, nil},
		{filepath.Join(dir, "project", "lib", "one.tc"), nil, nil},
		{"../secret.tc", nil, []string{outside, allows}},
		{"lib/../../secret.tc", nil, []string{outside, allows}},
		{"lib/far.tc", nil, []string{outside, allows, "far.tc:1"}},
		{"lib/far.mdh", nil, []string{outside, allows, "far.mdh:1"}},
		{"lib/one.teil", nil, []string{outside, allows, "far.mdh:1"}},
		{"lib/near.mdh", nil, nil},
		{"../secret.mdh", nil, []string{outside, allows}},
		{filepath.Join(dir, "secret.tc"), nil, []string{outside, allows}},
		{"out.tc", nil, []string{link, allows}},
		{"absolute.tc", nil, []string{link, allows}},
		{"tree/one.tc", nil, []string{link, allows}},
		{"loop.tc", nil, []string{"cannot be imported"}},
		{"/dev/zero", nil, []string{outside}},
		{"/dev/zero", []string{"/"}, []string{"a device"}},
		{"lib/none.tc", nil, []string{"no such file", "relative to the directory"}},
		{"../library/two.tc", library, nil},
		{"two.tc", library, nil},
		{"up.tc", library, []string{outside, allows}},
		{"../secret.tc", library, []string{outside}},
		{"../secret.tc", []string{dir}, nil},
		{"out.tc", library, []string{link}},
	} {
		text := "import \"" + filepath.ToSlash(test.path) + "\"\ndef f(float(N) A) -> (B) { B = one(A) }\n"
		writeTree(t, dir, map[string]string{"project/main.tc": text})
		_, err := ParseOptions{ImportPath: test.more}.ParseFile(filepath.Join(dir, "project", "main.tc"))
		if test.want == nil {
			if err != nil {
				t.Errorf("%s with %q: %v", test.path, test.more, err)
			}
			continue
		}
		for _, words := range test.want {
			if err == nil || !strings.Contains(allOf(err), words) {
				t.Errorf("%s with %q: %v, expected %q", test.path, test.more, err, words)
			}
		}
	}
}

// allOf is all that is said of errors: messages, places and help.
func allOf(err error) string {
	text := err.Error()
	var list ErrorList
	if errors.As(err, &list) {
		for _, d := range list {
			text += "\n" + d.Error() + "\n" + d.Help
		}
	}
	return text
}
