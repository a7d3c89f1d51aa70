package schedule

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestMarks has for each mark, of accumulates and places behind their word, and each of its codes a legal tree that is refused with what is in
// brackets, which is the mark and what it needs.
func TestMarks(t *testing.T) {
	const diagonal = `
func diagonal {
  in X: float32[16, 16]
  temp t: float32[16, 16]
  out Y: float32[15, 15]
  for i in 0:16, j in 0:16 { t[i, j] = X[i, j] * 2f32 }
  for i in 1:16, j in 0:15 { Y[i - 1i64, j] = t[i - 1i64, j + 1i64] }
}`
	const product = `
func product {
  in A: uint8[8, 16]
  in B: uint8[16, 16]
  out C: int32[8, 16]
  for i in 0:8, j in 0:16, k in 0:16 reduce + { C[i, j] = int32(A[i, k]) * int32(B[k, j]) }
}`
	const double = `
func double {
  in X: float32[16, 512]
  out Y: float32[16, 512]
  for i in 0:16, j in 0:512 { Y[i, j] = X[i, j] * 2f32 }
}`
	const masked = `
func masked {
  in M: int32[16]
  in X: float32[16, 100]
  out Y: float32[16]
  for i in 0:16, j in 0:100 reduce + { Y[i] = M[i] == 0i32 ? X[i, j] : 0f32 }
}`
	const histogram = `
func histogram {
  in X: int32[100]
  out H: int32[16]
  for v in 0:16, i in 0:100 reduce + { H[v] = X[i] == int32(v) ? 1i32 : 0i32 }
}`
	const carried = `
func carried {
  in X: float32[16]
  temp t: float32[16]
  out Y: float32[16]
  for i in 0:16 { t[i] = X[i] * 2f32 }
  for i in 1:16 { Y[i] = t[i - 1i64] + t[i] }
}`
	const floats = `
func floats {
  in A: float32[8, 16]
  in B: float32[16, 16]
  out C: float32[8, 16]
  for i in 0:8, j in 0:16, k in 0:16 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`
	reduced := strings.Replace(product, "product", "reduced", 1)
	copied := strings.Replace(product, "product", "copied", 1)
	shapes := map[string]struct{ head, tail string }{
		carried:   {"domain S0[i]; S1[i]\nband ", "\n  sequence\n    filter S0\n    filter S1\n"},
		double:    {"domain S0[i, j]\nband ", ""},
		diagonal:  {"domain S0[i, j]; S1[i, j]\nband ", "\n  sequence\n    filter S0\n    filter S1\n"},
		masked:    {"domain S0[i, j]\nband S0.i\n  accumulate S0 register\n    band ", ""},
		histogram: {"domain S0[v, i]\naccumulate S0 private\n  band ", ""},
		reduced:   {"domain S0[i, j, k]\nband S0.i\n  accumulate S0 ", "\n    band S0.k | S0.j vector 16\n"},
		copied:    {"domain S0[i, j, k]\nplace B ", "\n  band S0.i\n    accumulate S0 register\n      band S0.k | S0.j vector 16\n"},
		floats:    {"domain S0[i, j, k]\naccumulate S0 output\n  band S0.k group 1 matrix", " | S0.i | S0.j vector 16\n"},
		product:   {"domain S0[i, j, k]\nplace B private\n  band S0.i\n    accumulate S0 register\n      band ", ""},
	}
	bracket := regexp.MustCompile(`\[(.*?)\]`)
	codes := map[string][]source.Code{}
	for _, test := range []struct {
		mark       string
		code       source.Code
		f, members string
	}{
		{"tile", source.ScheduleMisfit, double, "S0.i tile 4[ | S0.i tile 4] | S0.i | S0.j"},
		{"tile", source.ScheduleIllegal, diagonal, "S0.i S1.i[ tile 4] | S0.j S1.j[ | S0.i S1.i]"},
		{"skew", source.ScheduleMisfit, double, "S0.i[ skew 1*j/8] | S0.j"},
		{"skew", source.ScheduleIllegal, diagonal, "S0.i S1.i[ skew 2*j/1] | S0.j S1.j"},
		{"vector", source.ScheduleMisfit, double, "S0.i | S0.j[ vector 3]"},
		{"vector", source.ScheduleIllegal, diagonal, "S0.i S1.i[ vector 4] | S0.j S1.j"},
		{"group", source.ScheduleMisfit, product, "S0.k[ group 2] | S0.j vector 16"},
		{"parallel", source.ScheduleMisfit, double, "S0.i parallel | S0.j tile 4 | S0.j[ parallel]"},
		{"parallel", source.ScheduleIllegal, diagonal, "S0.i S1.i[ parallel] | S0.j S1.j"},
		{"groups", source.ScheduleMisfit, double, "S0.i groups | S0.j tile 4 | S0.j[ groups]"},
		{"groups", source.ScheduleIllegal, diagonal, "S0.i S1.i[ groups] | S0.j S1.j"},
		{"strips", source.ScheduleMisfit, double, "S0.i tile 4 groups | S0.j groups[ strips 2] | S0.i"},
		{"items", source.ScheduleMisfit, double, "S0.i | S0.j[ items 4]"},
		{"items", source.ScheduleIllegal, carried, "S0.i S1.i tile 16 groups | S0.i S1.i[ items 4]"},
		{"flip", source.ScheduleMisfit, product, "S0.k[ flip] | S0.j vector 16"},
		{"matrix", source.ScheduleMisfit, product, "S0.k[ matrix] | S0.j vector 16"},
		{"unroll", source.ScheduleMisfit, double, "S0.i unroll | S0.j[ unroll]"},
		{"reverse", source.ScheduleMisfit, double, "S0.i | S0.j vector 4[ reverse]"},
		{"reverse", source.ScheduleIllegal, diagonal, "S0.i S1.i[ reverse] | S0.j S1.j"},
		{"pad", source.ScheduleMisfit, double, "S0.i[ pad] | S0.j"},
		{"stream", source.ScheduleMisfit, double, "S0.i | S0.j[ stream]"},
		{"whole-lines", source.ScheduleMisfit, double, "S0.i | S0.j vector 4[ whole-lines 8]"},
		{"hold", source.ScheduleMisfit, double, "S0.i | S0.j[ hold]"},
		{"words", source.ScheduleMisfit, double, "S0.i | S0.j[ words]"},
		{"singly", source.ScheduleMisfit, double, "S0.i | S0.j[ singly]"},
		{"coincident", source.ScheduleMisfit, product, "S0.k[ coincident] | S0.j vector 16"},
		{"coincident", source.ScheduleIllegal, diagonal, "S0.i S1.i[ coincident] | S0.j S1.j"},
		{"pipeline", source.ScheduleMisfit, double, "S0.i[ pipeline] | S0.j"},
		{"pipeline", source.ScheduleIllegal, carried, "S0.i S1.i[ pipeline]"},
		{"first-lines", source.ScheduleMisfit, double, "S0.i[ first-lines 4] | S0.j"},
		{"determined", source.ScheduleMisfit, histogram, "S0.v[ determined] | S0.i"},
		{"apart", source.ScheduleMisfit, histogram, "S0.i tile 4 | S0.i[ apart] | S0.v"},
		{"partial", source.ScheduleMisfit, product, "S0.k[ partial 1] | S0.j vector 16"},
		{"guarded", source.ScheduleMisfit, masked, "S0.j tile 4 | S0.j vector 4[ guarded]"},
		{"ahead", source.ScheduleMisfit, double, "S0.i | S0.j[ ahead 64]"},
		{"prefetch", source.ScheduleMisfit, double, "S0.i | S0.j[ prefetch i]"},
		{"fetch", source.ScheduleMisfit, product, "S0.k | S0.j vector 16[ fetch B+4]"},
		{"fetch-tile", source.ScheduleMisfit, product, "S0.k[ fetch-tile C/32] | S0.j vector 16"},
		{"fetch-rows", source.ScheduleMisfit, product, "S0.k | S0.j vector 16[ fetch-rows A]"},
		{"fetch-run", source.ScheduleMisfit, product, "S0.k | S0.j vector 16[ fetch-run A]"},
		{"tiles", source.ScheduleMisfit, floats, "[ tiles 8/8/8]"},
		{"pass", source.ScheduleMisfit, product, "S0.k group 4 matrix[ pass 8/2] | S0.j vector 16"},
		{"panels", source.ScheduleMisfit, product, "S0.k group 4 matrix[ panels 8] | S0.j vector 16"},
		{"depth", source.ScheduleMisfit, floats, "[ depth 8]"},
		{"weigh", source.ScheduleMisfit, floats, "[ weigh 1/1/1/1]"},
		{"chunks", source.ScheduleMisfit, floats, "[ chunks 8]"},
		{"asks", source.ScheduleMisfit, floats, "[ asks 64/1]"},
		{"tries", source.ScheduleMisfit, product, "S0.k group 4 matrix[ tries 8] | S0.j vector 16"},
		{"near", source.ScheduleMisfit, product, "S0.k group 4 matrix[ near 8] | S0.j vector 16"},
		{"lines", source.ScheduleMisfit, product, "S0.k group 4[ lines 4] | S0.j vector 16"},
		{"room", source.ScheduleMisfit, floats, "[ room 4096]"},
		{"keep", source.ScheduleMisfit, floats, "[ keep C]"},
		{"accumulate items", source.ScheduleMisfit, reduced, "private[ items 8]"},
		{"accumulate tree", source.ScheduleMisfit, reduced, "private[ tree 8]"},
		{"accumulate shuffle", source.ScheduleMisfit, reduced, "private[ shuffle 8]"},
		{"accumulate atomic", source.ScheduleMisfit, reduced, "private[ atomic]"},
		{"accumulate fetch", source.ScheduleMisfit, reduced, "private[ fetch 24]"},
		{"accumulate ahead", source.ScheduleMisfit, reduced, "private[ ahead 1024]"},
		{"accumulate spread", source.ScheduleMisfit, reduced, "register[ spread]"},
		{"place fetch", source.ScheduleMisfit, copied, "workspace[ fetch 1536/16384]"},
		{"place fill", source.ScheduleMisfit, copied, "workspace[ fill 6]"},
		{"place next-strip", source.ScheduleMisfit, copied, "workspace[ next-strip]"},
		{"place next-panel", source.ScheduleMisfit, copied, "workspace[ next-panel]"},
		{"place double", source.ScheduleMisfit, copied, "workspace[ double]"},
		{"place stages", source.ScheduleMisfit, copied, "workspace[ stages 3]"},
		{"place async", source.ScheduleMisfit, copied, "workspace[ async]"},
		{"place gathered", source.ScheduleMisfit, copied, "workspace[ gathered]"},
		{"place pad", source.ScheduleMisfit, copied, "workspace[ pad 1]"},
		{"place swizzle", source.ScheduleMisfit, copied, "workspace[ swizzle 4*8/2]"},
		{"place vector", source.ScheduleMisfit, copied, "workspace[ vector 4]"},
	} {
		codes[test.mark] = append(codes[test.mark], test.code)
		f, shape := parseFunc(t, test.f), shapes[test.f]
		check := func(members string) error {
			tree, err := Parse(shape.head + members + shape.tail)
			if err != nil {
				t.Fatal(err)
			}
			return Check(f, tree)
		}
		if err := check(bracket.ReplaceAllString(test.members, "")); err != nil {
			t.Errorf("%s: without the mark: %v", test.members, err)
		}
		var list source.ErrorList
		if err := check(bracket.ReplaceAllString(test.members, "$1")); !errors.As(err, &list) || list[0].Code != test.code {
			t.Errorf("%s: got %v, expected %s", test.members, err, test.code)
		}
	}
	for _, k := range Marks() {
		mark := strings.TrimPrefix(k.Of+" "+k.Word, "band ")
		if !slices.Equal(codes[mark], k.Codes) {
			t.Errorf("%s has the codes %v, and trees above that break %v", mark, k.Codes, codes[mark])
		}
	}
}
