package ein_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
)

func TestText(t *testing.T) {
	goldentest.Run(t, "testdata/text_*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		in := inputs[0]
		program, err := ein.Parse(source.NewFile("in", in))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range program.Funcs {
			if err := ein.Verify(f); err != nil {
				t.Error(err)
			}
		}
		out := ein.PrintProgram(program)
		again, err := ein.Parse(source.NewFile("out", out))
		if err != nil {
			t.Fatalf("the printed text does not parse: %v\n%s", err, out)
		}
		if diff := cmp.Diff(out, ein.PrintProgram(again)); diff != "" {
			t.Error(diff)
		}
		return out
	})
}

func TestTextErrors(t *testing.T) {
	goldentest.Run(t, "testdata/errors_*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		in := inputs[0]
		_, err := ein.Parse(source.NewFile("in", in))
		var list source.ErrorList
		if !errors.As(err, &list) {
			t.Fatalf("got %v, expected diagnostics", err)
		}
		var out strings.Builder
		source.RenderAll(&out, list, source.RenderOptions{})
		return out.String()
	})
}
