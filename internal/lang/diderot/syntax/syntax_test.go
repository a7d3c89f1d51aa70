package syntax

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

var tested = langtest.Syntax[*File]{
	Extension: ".diderot", Parse: Parse, Format: Format,
	Tree: func(b *strings.Builder, f *File) error { return Dump(b, f) },
}

func TestFormat(t *testing.T) { tested.TestFormat(t) }
func TestDump(t *testing.T)   { tested.TestDump(t, "tree") }
func TestErrors(t *testing.T) { tested.TestErrors(t) }

// TestCodes reads the example of every code of the syntax and its fix.
func TestCodes(t *testing.T) {
	sourcetest.Codes(t, []string{"E130"}, func(_ *testing.T, text string) *source.Diagnostics {
		_, diagnostics := Parse(source.NewFile("test.diderot", text))
		return diagnostics
	})
}

func TestExamples(t *testing.T) {
	tested.TestExamples(t, "../../../../examples/diderot/*.diderot", func(t *testing.T, f *File, text, formatted string) {
		checkSpans(t, reflect.ValueOf(f.Program), f.Program.Pos)
		if formatted != text {
			t.Error("it is not formatted")
		}
	})
}

// checkSpans checks that the place of every node lies in that of the node around it.
func checkSpans(t *testing.T, v reflect.Value, outer source.Span) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			checkSpans(t, v.Elem(), outer)
		}
	case reflect.Slice:
		for n := range v.Len() {
			checkSpans(t, v.Index(n), outer)
		}
	case reflect.Struct:
		pos := v.FieldByName("Pos").Interface().(source.Span)
		if pos.Start < outer.Start || pos.End > outer.End || pos.Start >= pos.End && v.Type().Name() != "Name" {
			t.Errorf("the place of %s, %q, is not in %q", v.Type(), pos.Text(), outer.Text())
		}
		for n := range v.NumField() {
			if name := v.Type().Field(n).Name; name != "Pos" {
				inner := pos
				if v.Type().Name() == "Name" {
					return
				}
				checkSpans(t, v.Field(n), inner)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/dump/v1.txtar", "testdata/dump/v2.txtar", "testdata/format/v2.txtar", "testdata/errors/programs.diderot"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimPrefix(string(text), "-- in.diderot --\n"))
	}
	tested.Fuzz(f, "E13", "#version 2.0\nstrand s(){}create_array{s()|i in -1..2}", "#version 1\nstrand s(){update{}}initially{s()|i in 1 .. 2};")
}
