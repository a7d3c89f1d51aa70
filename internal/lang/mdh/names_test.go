package mdh

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestNamesOfFunctions gives the names of functions to everything that has a name.
func TestNamesOfFunctions(t *testing.T) {
	const view = " o inp_view<float32>(x: (i) -> (i))"
	for _, name := range []string{"concat", "pad", "clamp", "mirror", "wrap", "y0", "y1", "j0", "j1", "abs", "len", "old", "popcount", "clz"} {
		for use, program := range map[string]string{
			"computation":    "NAME<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x + 1.0, (++))" + view,
			"input":          "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> x + 1.0, (++)) o inp_view<float32>(NAME: (i) -> (i))",
			"output":         "f<N> := out_view<float32>(NAME: (i) -> (i)) o md_hom<N>((x) -> x + 1.0, (++))" + view,
			"parameter":      "f<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((NAME) -> NAME + 1.0, (++))" + view,
			"index":          "f<N> := out_view<float32>(y: (NAME) -> (NAME)) o md_hom<N>((x | NAME) -> x + 1.0, (++)) o inp_view<float32>(x: (NAME) -> (NAME))",
			"size":           "f<NAME> := out_view<float32>(y: (i) -> (i)) o md_hom<NAME>((x) -> x + 1.0, (++))" + view,
			"function":       "fun NAME(a) = a + 1.0\nf<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>((x) -> NAME(x), (++))" + view,
			"function alone": "fun NAME(a) = a + 1.0\nf<N> := out_view<float32>(y: (i) -> (i)) o md_hom<N>(NAME, (++))" + view,
			"operator":       "op NAME(l, r) = l + r identity 0\nf<N> := out_view<int32>(y: (i) -> ()) o md_hom<N>((x) -> x, (pw(NAME))) o inp_view<int32>(x: (i) -> (i))",
			"field":          "record P { NAME: float32, b: int32 }\nf<N> := out_view<P>(y: (i) -> (i)) o md_hom<N>((x) -> P(x, 1), (++))" + view,
			"record":         "record NAME { a: float32, b: int32 }\nf<N> := out_view<NAME>(y: (i) -> (i)) o md_hom<N>((x) -> NAME(x, 1), (++))" + view,
		} {
			if _, diagnostics := compileFile(t, source.NewFile("test.mdh", strings.ReplaceAll(program, "NAME", name))); len(diagnostics.List) > 0 {
				t.Errorf("%s as %s: %v", name, use, diagnostics.List[0])
			}
		}
	}
}
