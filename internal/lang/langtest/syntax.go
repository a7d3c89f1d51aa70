package langtest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// A Syntax has the functions of a notation that the tests of its syntax are about; F is its file.
type Syntax[F any] struct {
	Extension string
	Parse     func(*source.File) (F, *source.Diagnostics)
	Format    func(F) string
	Tree      func(*strings.Builder, F) error
	Print     func(F) string // nil if there is none
}

// Read parses a text that has no errors.
func (s *Syntax[F]) Read(t testing.TB, text string) F {
	t.Helper()
	file, diagnostics := s.Parse(source.NewFile("test"+s.Extension, text))
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

// Dump returns the tree of a file.
func (s *Syntax[F]) Dump(t testing.TB, f F) string {
	t.Helper()
	var b strings.Builder
	if err := s.Tree(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Forms checks that formatting changes no tree and nothing the second time, and that what is
// printed is read back and is formatted. It returns the formatted text.
func (s *Syntax[F]) Forms(t testing.TB, f F) string {
	t.Helper()
	same := func(what, want, got string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	formatted := s.Format(f)
	again := s.Read(t, formatted)
	same("formatting twice differs", formatted, s.Format(again))
	same("formatting changes the tree", s.Dump(t, f), s.Dump(t, again))
	if s.Print == nil {
		return formatted
	}
	printed := s.Print(f)
	same("formatting changes what is printed", printed, s.Print(again))
	back := s.Read(t, printed)
	same("printing changes the tree", s.Dump(t, f), s.Dump(t, back))
	same("printing twice differs", printed, s.Print(back))
	same("what is printed is not formatted", printed, s.Format(back))
	return formatted
}

// TestFormat compares the programs in testdata/format with their standard layout; -update records it.
func (s *Syntax[F]) TestFormat(t *testing.T) {
	goldentest.Run(t, "testdata/format/*.txtar", "formatted"+s.Extension, 1, func(t *testing.T, inputs []string) string {
		return s.Forms(t, s.Read(t, inputs[0]))
	})
}

// TestDump compares the programs in testdata/dump with their trees, in sections of this name.
func (s *Syntax[F]) TestDump(t *testing.T, section string) {
	goldentest.Run(t, "testdata/dump/*.txtar", section, 1, func(t *testing.T, inputs []string) string {
		f := s.Read(t, inputs[0])
		s.Forms(t, f)
		return s.Dump(t, f)
	})
}

// TestExamples reads the files of a pattern, which have one layout; each, if it is not nil, asks more of one
// and of its layout.
func (s *Syntax[F]) TestExamples(t *testing.T, pattern string, each func(t *testing.T, f F, text, formatted string)) {
	for path, text := range Texts(t, pattern) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := s.Read(t, text)
			if formatted := s.Forms(t, f); each != nil {
				each(t, f, text, formatted)
			}
		})
	}
}

// TestErrors compares the diagnostics of the parser with the expectations in the comments of the
// programs in testdata/errors.
func (s *Syntax[F]) TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*"+s.Extension, func(_ *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := s.Parse(file)
		return diagnostics
	})
}

// Fuzz parses any text: the parser never panics, places lie in the text, and what is accepted has
// one layout. It begins with the examples of the codes with a prefix, and other texts.
func (s *Syntax[F]) Fuzz(f *testing.F, codes string, texts ...string) {
	Seeds(f, codes)
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, diagnostics := s.Parse(source.NewFile("fuzz"+s.Extension, text))
		for _, d := range diagnostics.List {
			if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
				t.Fatalf("the place %d:%d is outside of the text", d.Span.Start, d.Span.End)
			}
		}
		if !diagnostics.HasErrors() {
			s.Forms(t, file)
		}
	})
}
