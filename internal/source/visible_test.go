package source

import (
	"strings"
	"testing"
)

// What a program holds never commands the terminal on which its excerpt is shown, and the marks
// stay under what they mark.
func TestRenderShowsControlCharacters(t *testing.T) {
	f := NewFile("a\x1b[31m.tc", "A \x1b]0;title\x07 \u202e\xff x\n")
	var b strings.Builder
	Render(&b, &Diagnostic{
		Code: "E0101", Span: Span{f, 2, 12}, Message: "found \x1b[2J", Help: "\x9b no \u200b\nline",
		Notes: []Note{{Span: Span{f, 13, 17}, Message: "\x07"}},
	}, RenderOptions{})
	want := strings.Join([]string{
		`a\x1b[31m.tc:1:3: error[E0101]: found \x1b[2J`,
		`  1 | A \x1b]0;title\x07 \u202e\xff x`,
		`    |   ^^^^^^^^^^^^^^^^`,
		`  note: a\x1b[31m.tc:1:14: \x07`,
		`  1 | A \x1b]0;title\x07 \u202e\xff x`,
		`    |                    ----------`,
		`  help: \x9b no \u200b`,
		`        line`, ""}, "\n")
	if b.String() != want {
		t.Errorf("got\n%s, want\n%s", b.String(), want)
	}
}

func TestCheckText(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"def f() → x # ünïcode\r\n\t":    "",
		"# one \x1b escape in a comment": "",
		"def\x00":                        "byte 3 has the value 0",
		"\xff\xfed\x00e\x00":             "UTF-16",
		"\xfe\xff\x00d":                  "UTF-16",
		"\x89PNG\r\n\x1a\n\xff\xfe\x01":  "5 of 11 bytes",
	} {
		d := CheckText(NewFile("f.tc", text))
		switch {
		case d == nil && want != "":
			t.Errorf("%q counts as text", text)
		case d != nil && (want == "" || !strings.Contains(d.Message, want)):
			t.Errorf("%q: %v, expected %q", text, d, want)
		}
	}
}
