package sourcetest

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

func TestCompare(t *testing.T) {
	file := source.NewFile("f", "good\nbad ### \"E0105.*wrong\" `help: do`\nbad\n")
	at := func(start int) source.Span { return source.Span{File: file, Start: start, End: start + 1} }
	var ds source.Diagnostics
	ds.Errorf("E0105", at(5), "wrong")
	if got := Compare(file, ds.List); len(got) != 1 || !strings.Contains(got[0], "f:2: missing") {
		t.Errorf("one expectation is open: %q", got)
	}
	ds.Errorf("E0106", at(6), "other").WithHelp("do it")
	if got := Compare(file, ds.List); len(got) != 0 {
		t.Errorf("all expectations are met: %q", got)
	}
	ds.Warnf("E0106", at(strings.LastIndex(file.Text, "bad")), "more")
	if got := Compare(file, ds.List); len(got) != 1 || !strings.Contains(got[0], "f:3: unexpected warning[E0106]: more") {
		t.Errorf("the third line expects nothing: %q", got)
	}
	for _, text := range []string{"x ### wrong", "x ### \"(\""} {
		if got := Compare(source.NewFile("f", text), nil); len(got) != 1 {
			t.Errorf("%s: %q", text, got)
		}
	}
}
