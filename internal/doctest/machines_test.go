package doctest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestFactsInMachines keeps the table of facts in docs/machines.md that of the code; -update writes it.
func TestFactsInMachines(t *testing.T) {
	var b strings.Builder
	b.WriteString("| fact | of | meaning |\n|---|---|---|\n")
	for _, f := range machine.Facts() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Form, f.Of, f.Meaning)
	}
	generated(t, "docs/machines.md", "facts", b.String())
}

// TestQuantitiesInMachines keeps the table of quantities in docs/machines.md that of the code, with the rooms whose files
// ask for each; -update writes it.
func TestQuantitiesInMachines(t *testing.T) {
	asked, called := map[string]map[string]bool{}, map[string]map[string]bool{} // by rooms: names behind "machine.", and calls of methods without arguments
	for _, path := range goFiles(t, "internal", "tune") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
		note(asked, room, machineName, text)
		note(called, room, methodCall, text)
	}
	methods := readingMethods(t)
	var b strings.Builder
	b.WriteString("| fact | of | usual | meaning | read by |\n|---|---|---|---|---|\n")
	names := quantityNames(t)
	for n, f := range machine.QuantityFacts() {
		var readers []string
		for room, words := range asked {
			if words[names[n]] {
				readers = append(readers, room)
			}
		}
		for _, m := range methods {
			if m.reads[names[n]] {
				readers = append(readers, m.readers(called)...)
			}
		}
		slices.Sort(readers)
		if readers = slices.Compact(readers); len(readers) == 0 {
			t.Errorf("nothing reads %s: it is no fact of a machine that anybody could want", f.Form)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", f.Form, f.Layer, f.Usual, f.Meaning, strings.Join(readers, ", "))
	}
	generated(t, "docs/machines.md", "quantities", b.String())
}

var (
	machineName = regexp.MustCompile(`\bmachine\.(\w+)`)
	methodCall  = regexp.MustCompile(`\.(\w+)\(\)`)
	quantity    = regexp.MustCompile(`\b(?:Value|Whole)\((\w+)\)`)
)

// note adds what an expression finds in a text to the words of a room.
func note(words map[string]map[string]bool, room string, of *regexp.Regexp, text []byte) {
	if words[room] == nil {
		words[room] = map[string]bool{}
	}
	for _, match := range of.FindAllSubmatch(text, -1) {
		words[room][string(match[1])] = true
	}
}

// A readingMethod is a method of package machine with the quantities that it reads.
type readingMethod struct {
	name    string
	reads   map[string]bool
	guesses bool // it stands in guess.go
}

// readers are the rooms that call it, and what is guessed where no speeds are known.
func (m *readingMethod) readers(called map[string]map[string]bool) (readers []string) {
	if m.guesses {
		readers = append(readers, "speeds that are guessed")
	}
	for room, words := range called {
		if room != "machine" && words[m.name] {
			readers = append(readers, room)
		}
	}
	return readers
}

// readingMethods are the functions of package machine that read quantities.
func readingMethods(t *testing.T) (list []*readingMethod) {
	guesses, err := os.ReadFile(filepath.Join(root, "internal/machine/guess.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range goFiles(t, "internal/machine") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			words := map[string]map[string]bool{}
			note(words, "", quantity, text[f.Pos()-1:f.End()-1])
			if len(words[""]) > 0 {
				inGuesses := filepath.Base(path) == "guess.go" || strings.Contains(string(guesses), "."+f.Name.Name+"()")
				list = append(list, &readingMethod{f.Name.Name, words[""], inGuesses})
			}
		}
	}
	return list
}

// goFiles lists the Go files of directories that are no tests.
func goFiles(t *testing.T, directories ...string) (list []string) {
	for _, directory := range directories {
		err := fs.WalkDir(os.DirFS(root), directory, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// quantityNames are the identifiers of quantities, in their order.
func quantityNames(t *testing.T) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal/machine/quantities.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if block, ok := d.(*ast.GenDecl); ok && block.Tok == token.CONST && block.Lparen.IsValid() {
			for _, s := range block.Specs {
				names = append(names, s.(*ast.ValueSpec).Names[0].Name)
			}
			return names[:len(names)-1] // the last one is their number
		}
	}
	t.Fatal("quantities.go has no block of constants")
	return nil
}

// TestNamesInMachines keeps the table of machines in docs/machines.md that of the files; -update writes it.
func TestNamesInMachines(t *testing.T) {
	var b strings.Builder
	b.WriteString("| name | layers | programs |\n|---|---|---|\n")
	for _, name := range machine.Names() {
		m := machine.Named(name)
		programs := ""
		if m.Trees {
			programs = "trees"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(m.String(), "|", "\\|"), programs)
	}
	generated(t, "docs/machines.md", "machines", b.String())
}
