package transform

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestBorders fuses two passes over a line of which the second reads its neighbours, beyond a border the
// nearest or the mirrored element: it has to be behind by as much as the subscripts reach, and no more.
func TestBorders(t *testing.T) {
	const text = `func f {
  in A: int32[20]
  temp B: int32[20]
  out C: int32[20]
  for i in 0:20 { B[i] = A[i] * 2i32 }
  for i in 0:20 { C[i] = B[LEFT] + B[RIGHT] }
}`
	clamped := func(e string) string { return "max(0i64, min(" + e + ", 19i64))" }
	mirrored := func(e string) string { return "min((" + e + ") % 40i64, 39i64 - (" + e + ") % 40i64)" }
	for _, test := range []struct {
		name        string
		left, right string
		behind      int64 // what is just legal
	}{
		{"clamped", clamped("i - 1i64"), clamped("i + 1i64"), 1},
		{"clamped, twice as far", clamped("i - 3i64"), clamped("i + 2i64"), 2},
		{"mirrored", mirrored("i - 1i64"), mirrored("i + 2i64"), 2},
		{"mirrored at the first element only", mirrored("i - 3i64"), "i", 2}, // element 2 at 0
		{"the smaller of two", "min(i, 2i64 * i)", "min(i + 2i64, 19i64 - i)", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := ein.ParseFunc("test", strings.NewReplacer("LEFT", test.left, "RIGHT", test.right).Replace(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, behind := range []int64{test.behind, test.behind - 1} {
				n := Build(f, 1)
				for _, step := range []called{{"shift", []int64{1, behind}}, {"fuse_union", []int64{1}}} {
					tr, _ := Lookup(step.name)
					nests := []*Nest{n}
					if tr.Nests == 2 {
						nests = []*Nest{Build(f, 0), n}
					}
					if n, err = tr.Apply(nests, Ints(step.args...), Call{}); err != nil {
						t.Fatal(err)
					}
				}
				tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small})
				var list source.ErrorList
				switch {
				case behind == test.behind && err != nil:
					t.Errorf("%d behind: %v", behind, err)
				case behind == test.behind:
					checkMeaning(t, f, tree)
				case !errors.As(err, &list) || list[0].Code != source.ScheduleIllegal || !strings.Contains(list[0].Notes[0].Message, "for example"):
					t.Errorf("%d behind: %v, expected a broken dependence with an example", behind, err)
				}
			}
		})
	}
}
