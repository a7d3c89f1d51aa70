package doctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// How a walk works
//
// A walk does what a newcomer does who has nothing but a row of "Where does a change go?" of docs/architecture.md. Its archive in
// testdata/walks has files for the directories that the rows name, elements for the tables that they name, and a document with
// commands. The test adds the files and elements by go build -overlay, so that nothing is written into the tree, and runs the
// commands of the document with the command that was built. What a row does not name the walk cannot touch.
//
// The sections of an archive:
//
//	PATH                       a file of a directory that a row names
//	row of TABLE               lines "import …" and "after NAME", then an element for a table that a row names
//	field of STRUCT            a field of a structure that a row names
//	begin of FUNCTION in FILE  statements for the beginning of a function, in a file or directory that a row names
//	end of FUNCTION in FILE    statements for its end, before the last one
//	commands.md                the document

// A walk is an archive on its way into the tree.
type walk struct {
	path    string
	archive *txtar.Archive
	places  []place
	files   map[string][]byte // what is new or changed, by the path in the tree
}

// A place is what a row of the document names: a path, a directory for new ones, or with a name a table or a structure.
type place struct {
	kind string // "", "directory", "row" or "field"
	name string // of a row's table, such as targets.All, or of a field's structure
	path string
}

// places finds the places in the row of a change: directories, and tables with their files.
func places(t *testing.T, change string) (list []place) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n| "+change+" | ")
	if !found {
		t.Fatalf("docs/architecture.md has no row for %s", change)
	}
	row, _, _ := strings.Cut(rest, "\n")
	for _, match := range pathIn.FindAllStringSubmatch(row, -1) {
		list = append(list, place{path: match[1]})
	}
	for _, match := range directoryIn.FindAllStringSubmatch(row, -1) {
		list = append(list, place{"directory", "", match[1]})
	}
	for _, match := range nameIn.FindAllStringSubmatch(row, -1) {
		list = append(list, place{match[1], match[2], match[3]})
	}
	return list
}

var (
	pathIn      = regexp.MustCompile("`(internal/[^`]+)`")
	directoryIn = regexp.MustCompile("directory in `([^`]+)`")
	nameIn      = regexp.MustCompile("(row|field) of `([^`]+)` in `([^`]+)`")
	edit        = regexp.MustCompile(`^(begin|end) of (\S+) in (\S+)$`)
)

// newWalk reads an archive, and goes by the rows of some changes.
func newWalk(t *testing.T, name string, changes ...string) *walk {
	t.Helper()
	w := &walk{path: filepath.Join("testdata/walks", name)}
	archive, err := txtar.ParseFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		w.places = append(w.places, places(t, change)...)
	}
	if err := w.follow(archive); err != nil {
		t.Fatalf("%s: %v", w.path, err)
	}
	return w
}

// follow makes the changes of an archive. What the rows do not name is an error.
func (w *walk) follow(archive *txtar.Archive) error {
	w.archive, w.files = archive, map[string][]byte{}
	for _, f := range archive.Files {
		if err := w.section(f.Name, string(f.Data)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// section makes the change of a section.
func (w *walk) section(name, text string) error {
	kind, object, _ := strings.Cut(name, " of ")
	words := edit.FindStringSubmatch(name)
	switch {
	case name == "commands.md":
		return nil
	case kind == "row":
		return w.change(w.file(kind, object), func(file string) (string, error) { return withElement(file, object, text) })
	case kind == "field":
		return w.change(w.file(kind, object), func(file string) (string, error) { return withField(file, object, text) })
	case words != nil && w.names("", words[3]):
		return w.change(words[3], func(file string) (string, error) { return withStatements(file, words[2], words[1], text) })
	case words == nil && w.names("directory", name):
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			return errors.Join(errors.New("it is not formatted"), err)
		}
		w.files[name] = []byte(text)
		return nil
	}
	return w.unnamed()
}

// unnamed is the error of what the rows do not name.
func (w *walk) unnamed() error {
	return fmt.Errorf("the rows of the document name no such place, only %v", w.places)
}

// names reports whether a row names a path, or a directory that it is in.
func (w *walk) names(kind, path string) bool {
	return slices.ContainsFunc(w.places, func(p place) bool {
		return p.kind == kind && (kind == "" && p.path == path || strings.HasPrefix(path, p.path+"/"))
	})
}

// file is the one that the rows name for a table or a structure; empty where they do not.
func (w *walk) file(kind, name string) string {
	at := slices.IndexFunc(w.places, func(p place) bool { return p.kind == kind && p.name == name })
	if at < 0 {
		return ""
	}
	return w.places[at].path
}

// change changes a file of the tree, or what became of it.
func (w *walk) change(path string, change func(string) (string, error)) (err error) {
	if path == "" {
		return w.unnamed()
	}
	data := w.files[path]
	if data == nil {
		if data, err = os.ReadFile(filepath.Join(root, path)); err != nil {
			return err
		}
	}
	changed, err := change(string(data))
	if err != nil {
		return err
	}
	w.files[path], err = format.Source([]byte(changed))
	return err
}

// overlay writes what is new for the flag -overlay.
func (w *walk) overlay(t *testing.T) string {
	t.Helper()
	directory, replace := t.TempDir(), map[string]string{}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range w.files {
		file := filepath.Join(directory, strings.ReplaceAll(path, "/", "!"))
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(top, filepath.FromSlash(path))] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// goTool runs the go command in the tree, with what the walk adds.
func (w *walk) goTool(t *testing.T, verb string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{verb, "-overlay", w.overlay(t)}, arguments...)...)
	cmd.Dir = root
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s %s: %v\n%s", verb, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// run builds the command, runs the document, and compares.
func (w *walk) run(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	w.goTool(t, "build", "-o", filepath.Join(bin, "ricci"), "./cmd/ricci")
	at := slices.IndexFunc(w.archive.Files, func(f txtar.File) bool { return f.Name == "commands.md" })
	if at < 0 {
		t.Fatalf("%s has no commands.md", w.path)
	}
	d, directory, outputs := Parse(string(w.archive.Files[at].Data)), workplace(t), map[int]string{}
	for i, s := range d.Steps {
		if s.File != "" {
			if err := os.WriteFile(filepath.Join(directory, s.File), []byte(d.Text(s)+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		output, err := run(t, directory, s.Command, bin)
		if fails := ExpectsFailure(output); fails != (err != nil) {
			t.Errorf("%s: %s\nthe command ends with %v, and its output is\n%s", w.path, s.Command, err, output)
		} else if !Matches(d.Text(s), output) {
			if outputs[i] = output; !*update {
				t.Errorf("%s: %s\n(-document +real output; go test ./internal/doctest -run Walk -update writes the real ones)\n%s", w.path, s.Command, cmp.Diff(normal(d.Text(s)), normal(output)))
			}
		}
	}
	if *update && len(outputs) > 0 {
		w.archive.Files[at].Data = []byte(d.WithOutputs(outputs))
		if err := os.WriteFile(w.path, txtar.Format(w.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// test runs the tests of a package that the walk adds.
func (w *walk) test(t *testing.T, path string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "walk.test")
	w.goTool(t, "test", "-c", "-vet=off", "-o", program, path) // vet wants the directory
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir = t.TempDir() // that of the package is not there
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the tests of %s: %v\n%s", path, err, output)
	}
}

// TestWalkBuiltin adds a function. All packages but a few are compiled anew, so that a quick run only asks whether the tables are there.
func TestWalkBuiltin(t *testing.T) {
	w := newWalk(t, "builtin.txtar", "a builtin function")
	if _, err := exec.LookPath("cc"); err != nil || !sweep.Long(t) {
		t.Skip("runs in a sweep, with a C compiler")
	}
	w.run(t)
}

// TestWalkMark adds a mark of loops, which like a function only a sweep builds.
func TestWalkMark(t *testing.T) {
	w := newWalk(t, "mark.txtar", "a mark of loops in trees")
	if !sweep.Long(t) {
		t.Skip("runs in a sweep")
	}
	w.run(t)
}

// TestWalkPython adds a target that prints Python, and a device on which an interpreter runs it.
func TestWalkPython(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	w := newWalk(t, "python.txtar", "a target", "a device")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the device of the walk needs python3")
	}
	w.run(t)
	w.test(t, "./internal/device/python")
}

// TestWalkKeepsToRows: what a row does not name is refused, and what it names has to be there.
func TestWalkKeepsToRows(t *testing.T) {
	w := &walk{places: append(places(t, "a target"), places(t, "a mark of loops in trees")...)}
	for _, test := range []struct{ name, text, want string }{
		{"internal/target/other/other.go", "package other\n", ""},
		{"row of targets.All", "other.Target{}", ""},
		{"field of Member", "Other bool", ""},
		{"begin of marks in internal/schedule/check_loop.go", "_ = m", ""},
		{"end of segmentLoop in internal/loop/lower/nest.go", "_ = m", ""},
		{"internal/target/other/other.go", "package  other\n", "not formatted"},
		{"internal/device/other/other.go", "package other\n", "no such place"},
		{"run.go", "package ricci\n", "no such place"},
		{"row of devices.All", "other.Driver()", "no such place"},
		{"row of targets.All", "(", "expected"},
		{"row of memberMarks", "after nothing like it\nx", "no element of memberMarks mentions nothing like it"},
		{"field of Band", "Other bool", "no such place"},
		{"begin of marks in internal/schedule/tree.go", "_ = m", "there is no marks"},
		{"begin of run in run.go", "_ = m", "no such place"},
		{"end of segmentLoop in internal/loop/evaluate.go", "_ = m", "no such place"},
	} {
		err := w.follow(&txtar.Archive{Files: []txtar.File{{Name: test.name, Data: []byte(test.text)}}})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %q: %v, expected %q", test.name, test.text, err, test.want)
		}
		if err == nil && len(w.files) != 1 {
			t.Errorf("%s changes %d files", test.name, len(w.files))
		}
	}
}
