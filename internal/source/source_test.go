package source

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md")

func TestPositions(t *testing.T) {
	f := NewFile("a.tc", "ab\r\ncd\n")
	for offset, want := range []Position{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 1}, {2, 2}, {2, 3}, {3, 1}} {
		if got := f.Position(offset); got != want {
			t.Errorf("offset %d: got %v, want %v", offset, got, want)
		}
	}
	if got := f.Line(1); got != "ab" {
		t.Errorf("line 1 is %q", got)
	}
	if got := f.Position(-5); got != (Position{1, 1}) {
		t.Errorf("before the text: %v", got)
	}
	if got := f.Position(99); got != (Position{3, 1}) {
		t.Errorf("after the text: %v", got)
	}
}

func TestSpans(t *testing.T) {
	f := NewFile("a.tc", "abcdef")
	a, b := Span{f, 1, 2}, Span{f, 4, 5}
	if got := a.Join(b).Text(); got != "bcde" {
		t.Errorf("joined text is %q", got)
	}
	if got := (Span{}).Join(b); got != b {
		t.Errorf("a zero span is ignored, got %v", got)
	}
	if got := (Span{}).String(); got != "-" {
		t.Errorf("a zero span prints as %q", got)
	}
}

func TestRender(t *testing.T) {
	f := NewFile("m.tc", "def f() {\n\tC(i) = A(i) + Bx(i)\n}\n")
	var ds Diagnostics
	ds.Errorf("E0201", Span{f, 25, 30}, "unknown name Bx").
		WithNote(Span{f, 11, 15}, "in this statement").
		WithNote(Span{}, "nothing is called Bx").
		WithHelp("did you mean B?\nB is an input")
	ds.Warnf("E0202", Span{}, "no place")
	var b strings.Builder
	RenderAll(&b, ds.List, RenderOptions{})
	want := strings.Join([]string{
		"m.tc:2:16: error[E0201]: unknown name Bx",
		"  2 | \tC(i) = A(i) + Bx(i)",
		"    | \t              ^^^^^",
		"  note: m.tc:2:2: in this statement",
		"  2 | \tC(i) = A(i) + Bx(i)",
		"    | \t----",
		"  note: nothing is called Bx",
		"  help: did you mean B?",
		"        B is an input",
		"warning[E0202]: no place", ""}, "\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRenderCountsCharacters(t *testing.T) {
	f := NewFile("m.tc", "# μ → x\n# ü é\n")
	var b strings.Builder
	Render(&b, &Diagnostic{Code: "E0101", Span: Span{f, 5, 10}, Message: "m"}, RenderOptions{})
	if want := "m.tc:1:6: error[E0101]: m\n  1 | # μ → x\n    |     ^^^\n"; b.String() != want {
		t.Errorf("got\n%s, want\n%s", b.String(), want)
	}
}

func TestErrorsAsFindsTheDiagnostic(t *testing.T) {
	var ds Diagnostics
	ds.Warnf("E0202", Span{}, "only a warning")
	if err := ds.Err(); err != nil {
		t.Fatalf("warnings are not errors: %v", err)
	}
	ds.Errorf("E0201", Span{}, "broken")
	var d *Diagnostic
	if !errors.As(ds.Err(), &d) || d.Code != "E0201" {
		t.Errorf("got %v", d)
	}
}

func TestRecoverInternal(t *testing.T) {
	f := func() (err error) {
		defer RecoverInternal("test stage", &err)
		panic("boom")
	}
	var internal *InternalError
	if err := f(); !errors.As(err, &internal) || internal.Stage != "test stage" {
		t.Errorf("got %v", err)
	}
}

func TestCodesAreDocumented(t *testing.T) {
	form := regexp.MustCompile(`^E(0[1-9]|1[0-9])\d\d$`)
	seen := map[Code]bool{}
	for _, info := range Codes() {
		if !form.MatchString(string(info.Code)) {
			t.Errorf("%s is not of the form Exxxx of a stage", info.Code)
		}
		if seen[info.Code] {
			t.Errorf("%s is used twice", info.Code)
		}
		seen[info.Code] = true
		if info.Title == "" || info.Explanation == "" || info.Fix == "" {
			t.Errorf("%s lacks a title, an explanation or a fix", info.Code)
		}
	}
}

func TestErrorIndexIsCurrent(t *testing.T) {
	const path = "../../docs/errors.md"
	if *update {
		if err := os.WriteFile(path, []byte(ErrorIndex()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ErrorIndex(), string(got)); diff != "" {
		t.Errorf("docs/errors.md is old; run go test ./internal/source -update\n%s", diff)
	}
}

// A line of a megabyte is shown around the place.
func TestRenderLongLine(t *testing.T) {
	f := NewFile("long", strings.Repeat("é", 1<<19)+"wrong"+strings.Repeat("é", 1<<19))
	var b strings.Builder
	Render(&b, &Diagnostic{Code: "E0101", Span: Span{f, 1 << 20, 1<<20 + 5}, Message: "m"}, RenderOptions{})
	lines := strings.Split(b.String(), "\n")
	if b.Len() > 1000 || len(lines) < 3 || !utf8.ValidString(b.String()) {
		t.Fatalf("%d bytes:\n%.2000s", b.Len(), b.String())
	}
	text, marks := []rune(lines[1]), []rune(lines[2])
	if at := strings.IndexByte(string(marks), '^'); string(text[at:at+5]) != "wrong" || string(marks[at:]) != "^^^^^" {
		t.Errorf("the marks are in the wrong place:\n%s", b.String())
	}
}

// TestLongText quotes what has no end, and shows what has one.
func TestLongText(t *testing.T) {
	zeros := strings.Repeat("\x00", 1_000_000)
	if got := Excerpt(zeros); len(got) > 100 {
		t.Errorf("%d bytes are quoted", len(got))
	}
	if got := Excerpt(strings.Repeat("é", 70)); !utf8.ValidString(got) || !strings.HasSuffix(got, "é…") {
		t.Errorf("cut to %q", got)
	}
	d := &Diagnostic{Code: ScheduleSyntax, Message: fmt.Sprintf("found %q here", zeros), Help: "write " + zeros}
	var drawn strings.Builder
	Render(&drawn, d, RenderOptions{})
	for _, text := range []string{d.Error(), drawn.String()} {
		if len(text) > 400 || !strings.Contains(text, "… here") {
			t.Errorf("%d bytes: %.500s", len(text), text)
		}
	}
	if sentence := strings.Repeat("as it is ", 1000); Shorten(sentence) != sentence {
		t.Error("a long sentence is changed")
	}
}
