package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// kinds writes tokens as kind:text, for the kinds that are easily confused.
func kinds(t *testing.T, text string) string {
	t.Helper()
	diagnostics := &source.Diagnostics{}
	tokens, _ := language.Scan(source.NewFile("in.tc", text), 0, len(text), diagnostics)
	if err := diagnostics.Err(); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	var words []string
	for _, found := range tokens[:len(tokens)-1] {
		kind := map[token.Kind]string{token.Word: "w:", token.Number: "n:", tokenAssign: "a:", tokenKey: "k:", tokenScalar: "t:"}[found.Kind]
		words = append(words, kind+found.Text)
	}
	return strings.Join(words, " ")
}

func TestScan(t *testing.T) {
	cases := []struct{ text, want string }{
		{"3 0 007 0x1F 0XaB", "n:3 n:0 n:007 n:0x1F n:0XaB"},
		{"1.5 .5 1. 1.0f 1.F 1e5 1E5 3e-5 3E+5f 1.5e3 1e5f", "n:1.5 n:.5 n:1. n:1.0f n:1.F n:1e5 n:1E5 n:3e-5 n:3E+5f n:1.5e3 n:1e5f"},
		{"2LUT 1f 1e 3E-x 0x 0xG _1 1_000 e5", "w:2LUT w:1f w:1e w:3E - w:x w:0x w:0xG w:_1 w:1_000 w:e5"},
		{"A.0 A . 1 2LUT.0+1", "w:A . n:0 w:A . n:1 w:2LUT . n:0 + n:1"},
		{"A.0-1 A.10.5", "w:A . n:0 - n:1 w:A . n:10 . n:5"},
		{"A(.5)+.5*x", "w:A ( n:.5 ) + n:.5 * w:x"},
		{"min=! min= min=x min==y max(a) min (b)", "a:min=! a:min= a:min= w:x k:min == w:y k:max ( w:a ) k:min ( w:b )"},
		{"argmin=!x argmax = y argmin==z", "a:argmin=! w:x w:argmax a:= w:y w:argmin == w:z"},
		{"a+=!b a+= !b a=!b a!=b a*=!b", "w:a a:+=! w:b w:a a:+= ! w:b w:a a:= ! w:b w:a != w:b w:a a:*=! w:b"},
		{"a<=>b a<=b a<-b a--b → ->", "w:a <=> w:b w:a <= w:b w:a < - w:b w:a - - w:b -> ->"},
		{"i in 0:N-2 floats float int32", "w:i k:in n:0 : w:N - n:2 w:floats t:float t:int32"},
		{"\uFEFFa\r\n\tb#c\r\nd", "w:a w:b w:d"},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, kinds(t, c.text)); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

// TestDeep checks that hostile nesting gives one diagnostic and no overflow.
func TestDeep(t *testing.T) {
	const n = 1 << 14
	deep := map[string]string{
		"parentheses": strings.Repeat("(", n),
		"calls":       strings.Repeat("f(", n),
		"casts":       strings.Repeat("float(", n),
		"signs":       strings.Repeat("-", n) + "1",
		"conditions":  strings.Repeat("a ? ", n),
		"else":        strings.Repeat("a ? b : ", n),
		"operators":   strings.Repeat("1+", n) + "1",
	}
	for name, text := range deep {
		_, diagnostics := Parse(source.NewFile("deep.tc", "def f(float A) -> (B) { B = "+text+" }"))
		if len(diagnostics.List) == 0 || diagnostics.List[0].Code != source.CodeTooDeep || len(diagnostics.List) > 2 {
			t.Errorf("%s: %v", name, diagnostics.List)
		}
	}
	_, diagnostics := Parse(source.NewFile("noise.tc", strings.Repeat("@\x00$", n)))
	if len(diagnostics.List) > 200 {
		t.Errorf("noise gives %d diagnostics", len(diagnostics.List))
	}
}

// TestLineEnds checks that line ends, tabs and a byte order mark change nothing.
func TestLineEnds(t *testing.T) {
	const text = "def f(float(N) A) -> (B) { # c\n  B(i) = A(i) # d\n}\n# e\n"
	want := Format(parseClean(t, text))
	for _, variant := range []string{"\uFEFF" + text, strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, " ", "\t")} {
		variant = strings.ReplaceAll(variant, "#\t", "# ")
		if got := Format(parseClean(t, variant)); got != want {
			t.Errorf("%q: %s", variant, cmp.Diff(want, got))
		}
	}
	spread := strings.Join(strings.Fields("def f ( float ( N ) A ) -> ( B ) { B ( i ) = A ( i ) where i in 0 : N }"), "\n")
	if got := Format(parseClean(t, spread)); got != "def f(float(N) A) -> (B) {\n  B(i) = A(i) where i in 0:N\n}\n" {
		t.Error(got)
	}
}
