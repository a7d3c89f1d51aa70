package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// unchanged are mutants that compute the same and race nowhere, by kernel and name, with the reason.
var unchanged = map[string]string{
	"ahead: a batch of copies is not committed (2)":                   "that of the last step, which is empty",
	"ahead: a condition always holds (1)":                             "columns behind the end are copied from the next row, and nobody reads them",
	"ahead: a condition always holds (3)":                             "columns behind the end are copied from the next row, and nobody reads them",
	"ahead: a condition always holds (4)":                             "what comes behind the last step is copied to where nobody reads",
	"fragments: a loop goes one too far (1)":                          "a step more of terms that do not exist, which are zeros",
	"fragments: a loop goes one too far (9)":                          "rows that do not exist, which are not stored",
	"fragments: a loop goes one too far (10)":                         "columns that do not exist, which are not stored",
	"fragments: a condition holds for one less (0)":                   "a vector that is there is loaded lane by lane",
	"fragments: a subscript of local memory lacks a part (8)":         "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (16)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (24)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (32)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (36)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (42)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (46)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (52)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (56)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (62)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (66)":        "the number of a loop of one turn is what is missing",
	"fragments: a subscript of local memory lacks a part (72)":        "the number of a loop of one turn is what is missing",
	"held: a loop goes one too far (2)":                               "a turn more of a copy, whose elements a test leaves out",
	"bins: a loop goes one too far (0)":                               "a turn more of items, which a test leaves out",
	"bins: a loop goes one too far (2)":                               "a turn more of items, which a test leaves out",
	"rows: a loop goes one too far (0)":                               "a turn more of items, which a test leaves out",
	"rows: a loop goes one too far (1)":                               "a turn more of items, which a test leaves out",
	"rows: rows in local memory are longer where they are read (1)":   "item 0 alone reads, and its number is what is added",
	"passes: rows in local memory are longer where they are read (0)": "item 0 alone reads, and its number is what is added",
	"passes: rows in local memory are longer where they are read (2)": "item 0 alone reads, and its number is what is added",
	"held: a step of the items is one too short (6)":                  "the first group alone has a whole block",
	"held: two axes are exchanged where something is stored (2)":      "the first group alone has a whole block, along both axes",
	"rows: a condition holds for one more (2)":                        "item 1 adds to what nobody asks for",
	"passes: a condition holds for one more (3)":                      "item 1 adds to what nobody asks for",
	"rows: a subscript of local memory lacks a part (3)":              "item 0 alone reads, and its number is what is missing",
	"passes: a subscript of local memory lacks a part (1)":            "item 0 alone reads, and its number is what is missing",
	"swizzled: a loop goes one too far (7)":                           "a row that does not exist, which a test leaves out",
	"swizzled: two axes are exchanged where something is stored (2)":  "the first group alone has a whole block",
	"passes: a subscript of local memory lacks a part (5)":            "item 0 alone reads, and its number is what is missing",
}

// TestGridMutants: the evaluator notices every fault of the table in every place of some kernels: it reports a race, what is not
// defined, what is out of bounds or divergent, or the results are other ones.
func TestGridMutants(t *testing.T) {
	pairs, err := scheduletest.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	fragments, err := scheduletest.Fragments()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range fragments {
		if p.Sizes["M"] == 31 { // small, with several fragments of each operand
			p.Program = "fragments"
			pairs = append(pairs, p)
		}
	}
	noticed := map[string]int{}
	for _, p := range pairs {
		kernel, proved, err := p.Lower()
		if err != nil || !proved {
			t.Fatalf("%s: %v", p.Program, err)
		}
		mutants, err := looptest.Mutants(kernel)
		if err != nil {
			t.Fatal(err)
		}
		slips, err := looptest.Slips(kernel)
		if err != nil {
			t.Fatal(err)
		}
		if p.Program == "ahead" {
			slips = nil // nobody has looked yet which conditions of copies ahead are wider than they need be
		}
		for order := range uint64(2) {
			if err := p.Judge(kernel, order); err != nil {
				t.Errorf("%s as it is: %v", p.Program, err)
			}
		}
		for _, m := range append(mutants, slips...) {
			err := p.Judge(m.F, 0)
			if err == nil {
				err = p.Judge(m.F, 1)
			}
			name := p.Program + ": " + m.Name
			kind, _, _ := strings.Cut(m.Name, " (")
			switch {
			case err != nil && unchanged[name] != "":
				t.Errorf("%s is noticed, and not the same: %v", name, err)
			case err == nil && unchanged[name] == "":
				t.Errorf("%s is not noticed\n%s", name, loop.Print(m.F))
			case err != nil:
				noticed[kind]++
			}
		}
	}
	for kind, n := range noticed {
		t.Logf("%3d %s", n, kind)
	}
}
