package bench

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestSuite checks that every row is a program with these sizes, and that names
// are unique: results are compared by name.
func TestSuite(t *testing.T) {
	seen := map[string]bool{}
	quick := map[string]bool{}
	programs := map[string]*ricci.Program{}
	for _, row := range Suite() {
		if seen[row.Name] {
			t.Errorf("two rows are called %s", row.Name)
		}
		seen[row.Name] = true
		quick[row.Group] = quick[row.Group] || row.Quick
		program := programs[row.Text]
		if program == nil {
			var err error
			if program, err = ricci.Parse(row.File, row.Text); err != nil {
				t.Fatalf("%s: %v", row.Name, err)
			}
			programs[row.Text] = program
		}
		def, err := program.Def(row.Def)
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		w, err := workOf(t.Context(), def, row.Sizes)
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		if w.read <= 0 && len(def.Inputs()) > 0 || w.written <= 0 {
			t.Errorf("%s reads %d and writes %d bytes", row.Name, w.read, w.written)
		}
		if want := 2 * row.Sizes["M"] * row.Sizes["N"] * row.Sizes["K"]; row.Group == "byte gemm" && (w.operations != want || w.dtype != tensor.Int8) {
			t.Errorf("%s has %d operations on %s, want %d on int8", row.Name, w.operations, w.dtype, want)
		}
		for _, p := range row.Paths {
			if p.C != "" && !strings.Contains(p.C, "int run(const i64 *args)") {
				t.Errorf("%s: the text of the %s has no function run", row.Name, p.Name)
			}
			if p.Def == "" {
				continue
			}
			if program, err := ricci.Parse(p.File, p.Text); err != nil {
				t.Errorf("%s: %v", row.Name, err)
			} else if _, err := program.Def(p.Def); err != nil {
				t.Errorf("%s: %v", row.Name, err)
			}
		}
		for dialect, text := range row.Peers {
			if !strings.Contains(text, "int run(const i64 *args)") {
				t.Errorf("%s: the text for %s has no function run", row.Name, dialect)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d rows", len(seen))
	}
}
