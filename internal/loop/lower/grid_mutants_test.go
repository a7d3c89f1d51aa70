package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// unchanged are mutants that compute the same and race nowhere: some numbers of a kind, of a kernel, with the reason.
var unchanged = []struct {
	kernel, kind string
	numbers      []int
	reason       string
}{
	{"ahead", "a batch of copies is not committed", []int{2}, "that of the last step, which is empty"},
	{"ahead", "a condition always holds", []int{1, 3}, "columns behind the end are copied from the next row, and nobody reads them"},
	{"ahead", "a condition always holds", []int{4}, "what comes behind the last step is copied to where nobody reads"},
	{"fragments", "a loop goes one too far", []int{1}, "a step more of terms that do not exist, which are zeros"},
	{"fragments", "a loop goes one too far", []int{9}, "rows that do not exist, which are not stored"},
	{"fragments", "a loop goes one too far", []int{10}, "columns that do not exist, which are not stored"},
	{"fragments", "a condition holds for one less", []int{0}, "a vector that is there is loaded lane by lane"},
	{"fragments", "a subscript of local memory lacks a part", []int{8, 16, 24, 32, 36, 42, 46, 52, 56, 62, 66, 72}, "the number of a loop of one turn is what is missing"},
	{"held", "a loop goes one too far", []int{2}, "a turn more of a copy, whose elements a test leaves out"},
	{"bins", "a loop goes one too far", []int{0, 2}, "a turn more of items, which a test leaves out"},
	{"rows", "a loop goes one too far", []int{0, 1}, "a turn more of items, which a test leaves out"},
	{"rows", "rows in local memory are longer where they are read", []int{1}, "item 0 alone reads, and its number is what is added"},
	{"passes", "rows in local memory are longer where they are read", []int{0, 2}, "item 0 alone reads, and its number is what is added"},
	{"held", "a step of the items is one too short", []int{6}, "the first group alone has a whole block"},
	{"held", "two axes are exchanged where something is stored", []int{2}, "the first group alone has a whole block, along both axes"},
	{"swizzled", "a loop goes one too far", []int{7}, "a row that does not exist, which a test leaves out"},
	{"swizzled", "two axes are exchanged where something is stored", []int{2}, "the first group alone has a whole block"},
	{"swizzled", "a subscript of global memory lacks a part", []int{14}, "the first group alone has a whole block"},
	{"swizzled", "a subscript of global memory lacks a part", []int{18}, "the last group has rows of item 0 alone"},
	{"strips", "a number by which groups are ordered is one too large", []int{1}, "the first group behind whole strips is numbered otherwise"},
	{"rows", "a condition holds for one more", []int{2}, "item 1 adds to what nobody asks for"},
	{"passes", "a condition holds for one more", []int{3}, "item 1 adds to what nobody asks for"},
	{"rows", "a subscript of local memory lacks a part", []int{3}, "item 0 alone reads, and its number is what is missing"},
	{"passes", "a subscript of local memory lacks a part", []int{1, 5}, "item 0 alone reads, and its number is what is missing"},
	{"ahead", "a condition holds for one more", []int{0, 3, 4, 7}, "always holds, of blocks that are smaller than the tensor"},
	{"ahead", "a condition holds for one more", []int{2, 6}, "columns behind the end are copied from the next row, and nobody reads them"},
	{"ahead", "a condition holds for one more", []int{8}, "what comes behind the last step is copied to where nobody reads"},
	{"ahead", "a condition holds for one less", []int{0, 3, 4, 7}, "always holds, of blocks that are smaller than the tensor"},
	{"ahead", "a condition holds for one less", []int{1, 2, 5, 6, 9, 10, 11, 12}, "what is there is stored at once, and not copied ahead"},
	{"ahead", "a condition holds for one less", []int{8}, "steps begin at even numbers"},
	{"ahead", "two axes are exchanged where something is stored", []int{2}, "the first group alone has a whole block, along both axes"},
	{"ahead", "a barrier comes one statement later", []int{0}, "behind an empty batch"},
	{"ahead", "a mask is left out", []int{1, 3}, "columns behind the end are copied from the next row, and nobody reads them"},
	{"ahead", "a block in local memory is one element too short", []int{1}, "the padding of the last row"},
	{"fragments", "a block in local memory is one element too short", []int{0, 1}, "the padding of the last row"},
	{"ahead", "a subscript of global memory lacks a part", []int{4, 5, 6, 7, 12, 13, 14, 15, 22, 23, 24, 25, 26, 27, 34, 35, 36, 37, 38, 39, 48, 49, 50, 51, 52, 53, 54, 55, 64, 65, 66, 67, 68, 69, 70, 71}, "nothing is there: what is there is copied ahead, in the branch beside"},
	{"ahead", "a subscript of global memory lacks a part", []int{72, 79}, "the first group alone has a whole block, along both axes"},
	{"held", "a subscript of global memory lacks a part", []int{12, 20}, "the first group alone has a whole block, along both axes"},
	{"fragments", "a subscript of global memory lacks a part", []int{2}, "the first step alone has whole vectors"},
	{"fragments", "a subscript of global memory lacks a part", []int{7}, "the last step has one vector, of which some lanes are there"},
	{"bins", "a barrier is of local memory alone", []int{0, 1}, "all that the items pass on is in local memory"},
}

// samePrograms lists mutants that are the same program, with the reason.
func samePrograms() map[string]string {
	names := map[string]string{}
	for _, u := range unchanged {
		for _, n := range u.numbers {
			names[fmt.Sprintf("%s: %s (%d)", u.kernel, u.kind, n)] = u.reason
		}
	}
	return names
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
	noticed, same := map[string]int{}, samePrograms()
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
		moves, err := looptest.Moves(kernel)
		if err != nil {
			t.Fatal(err)
		}
		for order := range uint64(2) {
			if err := p.Judge(kernel, order); err != nil {
				t.Errorf("%s as it is: %v", p.Program, err)
			}
		}
		for _, m := range slices.Concat(mutants, slips, moves) {
			err := p.Judge(m.F, 0)
			if err == nil {
				err = p.Judge(m.F, 1)
			}
			name := p.Program + ": " + m.Name
			kind, _, _ := strings.Cut(m.Name, " (")
			switch {
			case err != nil && same[name] != "":
				t.Errorf("%s is noticed, and not the same: %v", name, err)
			case err == nil && same[name] == "":
				t.Errorf("%s is not noticed\n%s", name, loop.Print(m.F))
			case err != nil:
				noticed[kind]++
			}
			delete(same, name)
		}
	}
	for name := range same {
		t.Errorf("there is no mutant %s", name)
	}
	for kind, n := range noticed {
		t.Logf("%3d %s", n, kind)
	}
}
