package doctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
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
//	PATH               a file of a directory that a row names
//	row of TABLE       lines "import …" and "after NAME", then an element for a table that a row names
//	commands.md        the document

// A walk is an archive on its way into the tree.
type walk struct {
	path    string
	archive *txtar.Archive
	places  []place
	files   map[string][]byte // what is new or changed, by the path in the tree
}

// A place is a directory or a table that a row of the document names.
type place struct {
	table string // such as targets.All; empty for a directory
	path  string
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
	for _, match := range directoryIn.FindAllStringSubmatch(row, -1) {
		list = append(list, place{path: match[1]})
	}
	for _, match := range rowOf.FindAllStringSubmatch(row, -1) {
		list = append(list, place{table: match[1], path: match[2]})
	}
	return list
}

var (
	directoryIn = regexp.MustCompile("directory in `([^`]+)`")
	rowOf       = regexp.MustCompile("row (?:of|in) `([^`]+)` (?:in|of) `([^`]+)`")
)

// newWalk reads an archive, and goes by the rows of some changes.
func newWalk(t *testing.T, name string, changes ...string) *walk {
	t.Helper()
	w := &walk{path: filepath.Join("testdata/walks", name), files: map[string][]byte{}}
	archive, err := txtar.ParseFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	w.archive = archive
	for _, change := range changes {
		w.places = append(w.places, places(t, change)...)
	}
	for _, f := range archive.Files {
		table, isRow := strings.CutPrefix(f.Name, "row of ")
		switch {
		case isRow:
			w.addRow(t, table, string(f.Data))
		case f.Name != "commands.md":
			w.addFile(t, f.Name, f.Data)
		}
	}
	return w
}

func (w *walk) addFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if !slices.ContainsFunc(w.places, func(p place) bool { return p.table == "" && strings.HasPrefix(path, p.path+"/") }) {
		t.Fatalf("%s adds %s, and the rows name no such directory: %v", w.path, path, w.places)
	}
	if formatted, err := format.Source(data); err != nil || !bytes.Equal(formatted, data) {
		t.Errorf("%s: %s is not formatted: %v", w.path, path, err)
	}
	w.files[path] = data
}

// addRow adds an element to the composite literal of a table.
func (w *walk) addRow(t *testing.T, table, text string) {
	t.Helper()
	at := slices.IndexFunc(w.places, func(p place) bool { return p.table == table })
	if at < 0 {
		t.Fatalf("%s adds a row to %s, and the rows of the document name no such table: %v", w.path, table, w.places)
	}
	path := w.places[at].path
	data := w.files[path]
	if data == nil {
		var err error
		if data, err = os.ReadFile(filepath.Join(root, path)); err != nil {
			t.Fatalf("the row of the document names %s: %v", path, err)
		}
	}
	_, name, isQualified := strings.Cut(table, ".")
	if !isQualified {
		name = table
	}
	changed, err := withElement(string(data), name, text)
	if err != nil {
		t.Fatalf("%s: %s: %v", path, table, err)
	}
	w.files[path] = changed
}

// withElement returns a Go file with an element added to the last composite literal in the declaration of a name, at its end or
// behind the element that mentions the literal of a line "after".
func withElement(file, name, text string) ([]byte, error) {
	var imported, after string
	element := strings.TrimSpace(text)
	for {
		line, rest, _ := strings.Cut(element, "\n")
		if value, found := strings.CutPrefix(line, "import "); found {
			imported, element = value, rest
		} else if value, found := strings.CutPrefix(line, "after "); found {
			after, element = value, rest
		} else {
			break
		}
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", file, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var table *ast.CompositeLit
	for _, d := range parsed.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return n.Name.Name == name
			case *ast.ValueSpec:
				return n.Names[0].Name == name
			case *ast.CompositeLit:
				table = n
				return false
			}
			return true
		})
	}
	if table == nil {
		return nil, fmt.Errorf("there is no table %s", name)
	}
	offset := files.Position(table.Rbrace).Offset
	before, separator := strings.TrimRight(file[:offset], " \t\n"), ", "
	if strings.HasSuffix(before, ",") {
		separator = "\n"
	}
	if after != "" {
		at := slices.IndexFunc(table.Elts, func(e ast.Expr) bool {
			return strings.Contains(file[files.Position(e.Pos()).Offset:files.Position(e.End()).Offset], after)
		})
		if at < 0 {
			return nil, fmt.Errorf("no element mentions %s", after)
		}
		offset = files.Position(table.Elts[at].End()).Offset
		before, separator = file[:offset]+",", "\n"
		offset++ // the comma
	}
	changed := before + separator + element + map[bool]string{true: ",\n"}[separator == "\n"] + file[offset:]
	if imported != "" {
		changed = strings.Replace(changed, "import (\n", "import (\n\t"+imported+"\n", 1)
	}
	return format.Source([]byte(changed))
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

// TestWalkBuiltin adds a function. All packages but a few are compiled anew, so that a quick run only asks whether the tables are there.
func TestWalkBuiltin(t *testing.T) {
	w := newWalk(t, "builtin.txtar", "a builtin function")
	if _, err := exec.LookPath("cc"); err != nil || !sweep.Long(t) {
		t.Skip("runs in a sweep, with a C compiler")
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
}
