package doctest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
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
	sources := map[string]string{} // of the rooms, without tests
	for _, path := range goFiles(t, "internal", "tune") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		sources[strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")] += string(text)
	}
	var b strings.Builder
	b.WriteString("| fact | of | usual | meaning | read by |\n|---|---|---|---|---|\n")
	for n, f := range machine.QuantityFacts() {
		var readers []string
		asks := regexp.MustCompile(`\bmachine\.` + quantityNames(t)[n] + `\b`)
		for _, room := range slices.Sorted(maps.Keys(sources)) {
			if asks.MatchString(sources[room]) {
				readers = append(readers, room)
			}
		}
		readers = append(readers, readersOf(t, quantityNames(t)[n], sources)...)
		slices.Sort(readers)
		if readers = slices.Compact(readers); len(readers) == 0 {
			t.Errorf("nothing reads %s: it is no fact of a machine that anybody could want", f.Form)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", f.Form, f.Layer, f.Usual, f.Meaning, strings.Join(readers, ", "))
	}
	generated(t, "docs/machines.md", "quantities", b.String())
}

// readersOf are those of a quantity by way of the methods of package machine that read it: the rooms that call these, and what is
// guessed where no speeds are known.
func readersOf(t *testing.T, quantity string, sources map[string]string) (readers []string) {
	guesses, err := os.ReadFile(filepath.Join(root, "internal/machine/guess.go"))
	if err != nil {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`\b(Value|Whole)\(` + quantity + `\)`)
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
			if !is || !asks.Match(text[f.Pos()-1:f.End()-1]) {
				continue
			}
			calls := "." + f.Name.Name + "()"
			if filepath.Base(path) == "guess.go" || strings.Contains(string(guesses), calls) {
				readers = append(readers, "speeds that are guessed")
			}
			for room, source := range sources {
				if room != "machine" && strings.Contains(source, calls) {
					readers = append(readers, room)
				}
			}
		}
	}
	return readers
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
