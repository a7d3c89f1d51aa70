package schedule_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

const narrowGemm = `
func narrow {
  in A: uint8[8, 64]
  in B: int8[64, 96]
  in W: int16[64, 96]
  out C: int32[8, 96]
  for i in 0:8, j in 0:96, k in 0:64 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }
}`

// TestGroups has loops over groups where they may stand, and where not.
func TestGroups(t *testing.T) {
	for _, test := range []struct{ name, tree, want string }{
		{"packed operand", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k group 4 | S0.j vector 16 unroll`, ""},
		{"groups inside of blocks", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k tile 8
        band S0.k group 4 | S0.j vector 16 unroll`, ""},
		{"blocks that end inside of a group", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k tile 6
        band S0.k group 4 | S0.j vector 16 unroll`, "does not consist of groups of 4"},
		{"groups of another size", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k group 2 | S0.j vector 16 unroll`, "4 elements of 8 bits, 2 of 16, or one of float32"},
		{"operand in its own layout", `
band S0.i | S0.j tile 32
  accumulate S0 register
    band S0.k group 4 | S0.j vector 16 unroll`, "B is read by groups of 4"},
		{"operand with a given layout", `
place B private layout 2 1
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k group 4 | S0.j vector 16 unroll`, "B is read by groups of 4"},
		{"flipped operands of different signs", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k group 4 flip | S0.j vector 16 unroll`, "for two operands of the same type"},
		{"a flipped loop", `
place B private
  band S0.i | S0.j tile 32
    accumulate S0 register
      band S0.k flip | S0.j vector 16 unroll`, "groups are flipped, other loops are not"},
		{"matrix unit", `
place B private
  band S0.i tile 8 | S0.j tile 32
    accumulate S0 register
      band S0.k group 4 matrix | S0.i | S0.j vector 16`, ""},
		{"blocks below the accumulators of a matrix unit", `
place B private
  band S0.j tile 32
    accumulate S0 register
      band S0.i tile 4 | S0.k group 4 matrix | S0.i | S0.j vector 16`, "loops over points only"},
		{"a place below the accumulators of a matrix unit", `
band S0.j tile 32
  accumulate S0 register
    place B private
      band S0.k group 4 matrix | S0.i | S0.j vector 16`, "something else than loops"},
		{"a matrix unit with flipped operands", `
place B private
  band S0.j tile 32
    accumulate S0 register
      band S0.k group 4 flip matrix | S0.i | S0.j vector 16`, "leave 'flip' out"},
		{"a matrix unit without groups", `
place B private
  band S0.j tile 32
    accumulate S0 register
      band S0.k matrix | S0.i | S0.j vector 16`, "'matrix' needs 'group' beside it"},
		{"no vector", `
place B private
  band S0.i | S0.j
    accumulate S0 register
      band S0.k group 4`, "the results are no vector"},
		{"groups of results", `
place B private
  band S0.i | S0.j group 4
    accumulate S0 register
      band S0.k`, "S0.j is not reduced"},
		{"partial results in the output", `
place B private
  accumulate S0 output
    band S0.i | S0.k group 4 | S0.j vector 16`, "groups along a reduced index have partial results of their own"},
	} {
		t.Run(test.name, func(t *testing.T) { checkGroups(t, narrowGemm, test.tree, test.want) })
	}
}

// TestGroupsOfOne has loops over groups of float32, whose results may be in the output.
func TestGroupsOfOne(t *testing.T) {
	program := strings.NewReplacer("uint8", "float32", "int8", "float32", "int32(A[i, k])", "A[i, k]", "int32(B[k, j])", "B[k, j]", "C: int32", "C: float32").Replace(narrowGemm)
	for _, test := range []struct{ name, tree, want string }{
		{"in the output", `
accumulate S0 output
  band S0.k group 1 matrix | S0.i | S0.j vector 16`, ""},
		{"in registers", `
band S0.i | S0.j tile 16
  accumulate S0 register
    band S0.k group 1 matrix | S0.j vector 16`, ""},
		{"of two in the output", `
accumulate S0 output
  band S0.k group 2 matrix | S0.i | S0.j vector 16`, "4 elements of 8 bits, 2 of 16, or one of float32"},
		{"without the unit", `
accumulate S0 output
  band S0.k group 1 | S0.i | S0.j vector 16`, "those of floats are for the matrix unit"},
		{"in an array", `
accumulate S0 shared
  band S0.k group 1 matrix | S0.i | S0.j vector 16`, "groups along a reduced index have partial results of their own"},
	} {
		t.Run(test.name, func(t *testing.T) { checkGroups(t, program, test.tree, test.want) })
	}
}

func checkGroups(t *testing.T, program, text, want string) {
	t.Helper()
	f, err := ein.ParseFunc("narrow", program)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schedule.Parse("domain S0[i, j, k]" + text + "\n")
	if err != nil {
		t.Fatal(err)
	}
	err = schedule.Check(f, tree)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("got %v, want %q", err, want)
	}
}
