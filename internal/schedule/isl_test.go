package schedule

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/affine/isltest"
)

// TestDependencesISL compares the sets of dependent points with those of the
// integer set library, for ranges that depend on open sizes and are too large to
// try all points: is there a pair that touches one element and is so far apart?
func TestDependencesISL(t *testing.T) {
	lib := isltest.Open(t)
	rapid.Check(t, func(r *rapid.T) {
		subscript := func() string {
			var parts []string
			for _, name := range []string{"i", "j"} {
				if c := rapid.Int64Range(-2, 3).Draw(r, "coefficient"); c != 0 {
					parts = append(parts, fmt.Sprintf("%di64 * %s", c, name))
				}
			}
			text := strings.Join(append(parts, fmt.Sprintf("%di64", rapid.Int64Range(-20, 20).Draw(r, "constant"))), " + ")
			switch rapid.IntRange(0, 4).Draw(r, "form") {
			case 0:
				return fmt.Sprintf("(%s) / %di64", text, rapid.IntRange(2, 5).Draw(r, "divisor"))
			case 1:
				return fmt.Sprintf("(%s) %% %di64", text, rapid.IntRange(2, 5).Draw(r, "divisor"))
			}
			return text
		}
		lo := rapid.Int64Range(0, 9).Draw(r, "lo")
		text := fmt.Sprintf(`func f {
  size N = dim 0 of T
  size M = dim 1 of T
  inout T: float32[N, M]
  for i in %d:N, j in 0:M { T[i, j] = 1f32 }
  for i in 0:N - %d, j in 0:2*M { T[%s, %s] = 2f32 }
}`, lo, rapid.Int64Range(0, 5).Draw(r, "less"), subscript(), subscript())
		f := parseFunc(t, text)
		list := Accesses(f)
		x, y := list[0], list[1]
		c := newChecker(f, Canonical(f))
		s := newInstancePairs(c, x, y)
		index := rapid.SampledFrom([]string{"i", "j"}).Draw(r, "index")
		tile := rapid.Int64Range(1, 9).Draw(r, "tile")
		d := s.position("y", index, tile, nil).Sub(s.position("x", index, tile, nil))
		apart := rapid.Int64Range(-9, 9).Draw(r, "apart")
		_, got := s.possible(d.AddConst(-apart), affine.Const(apart).Sub(d))

		set := islText(x, y, f.Body[0].Indices[0].Min, f.Body[1].Indices[0].Extent, index, tile, apart)
		empty, ok := lib.Empty(set)
		if !ok {
			r.Fatalf("isl does not read %s", set)
		}
		if got == empty {
			r.Fatalf("%s\n%s: possible is %v", text, set, got)
		}
	})
}

// islText writes the set of pairs as isl reads it.
func islText(x, y Access, lo, rows affine.Expr, index string, tile, apart int64) string {
	equal := func(d int) string {
		e := strings.ReplaceAll(printISL(y, d), "i64", "")
		for _, name := range []string{"i", "j"} {
			e = strings.ReplaceAll(e, name, "y"+name)
		}
		return fmt.Sprintf("x%c = %s", "ij"[d], e)
	}
	offset := map[string]affine.Expr{"i": lo}[index]
	return fmt.Sprintf("[N, M] -> { [xi, xj, yi, yj] : N >= 1 and M >= 1 and %s <= xi < N and 0 <= xj < M and 0 <= yi < %s and 0 <= yj < 2M and %s and %s and floor(y%s/%d) - floor((x%s - (%s))/%d) = %d }",
		lo, rows, equal(0), equal(1), index, tile, index, offset, tile, apart)
}

// printISL writes a subscript in isl's notation.
func printISL(a Access, d int) string {
	text := strings.TrimPrefix(a.element(), "T(")
	text = text[:strings.LastIndex(text, ")")]
	part := strings.Split(text, ", ")[d]
	if k := strings.LastIndex(part, " / "); k >= 0 {
		return "floor((" + part[:k] + ")/" + part[k+3:] + ")"
	}
	if k := strings.LastIndex(part, " % "); k >= 0 {
		return fmt.Sprintf("(%s) - %s*floor((%s)/%s)", part[:k], part[k+3:], part[:k], part[k+3:])
	}
	return part
}
