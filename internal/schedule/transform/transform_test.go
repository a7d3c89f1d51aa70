package transform_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// A script is lines such as "b = tile a 32", "show b" and "codegen b c".
type script struct {
	t     *testing.T
	f     *ein.Func
	nests map[string]*transform.Nest
	out   strings.Builder
}

func (s *script) run(text string) {
	file := source.NewFile("script", text)
	at := 0
	for line := range strings.Lines(text) {
		span := source.Span{File: file, Start: at, End: at + len(strings.TrimRight(line, "\n"))}
		at += len(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "show":
			fmt.Fprintf(&s.out, "%s:\n%s\n", words[1], s.nests[words[1]])
		case words[0] == "codegen", words[0] == "unchecked":
			var list []*transform.Nest
			for _, name := range words[1:] {
				list = append(list, s.nests[name])
			}
			tree, _, err := transform.Tree(s.f, list, transform.Options{Machine: transform.Small, Pos: span, Unchecked: words[0] == "unchecked"})
			if err != nil {
				s.report(err)
				continue
			}
			fmt.Fprintf(&s.out, "%s%s\n", line, schedule.Print(tree))
		case words[2] == "build":
			n, _ := strconv.Atoi(words[3])
			s.nests[words[0]] = transform.Build(s.f, n)
		default:
			s.assign(words, span)
		}
	}
}

// assign applies the transformation of a line "name = transformation nest … argument …".
func (s *script) assign(words []string, span source.Span) {
	tr, ok := transform.Lookup(words[2])
	if !ok {
		s.t.Fatalf("no transformation %s", words[2])
	}
	var nests []*transform.Nest
	var args []transform.Argument
	for _, w := range words[3:] {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			args = append(args, transform.Int(n))
		} else if nest := s.nests[w]; nest != nil {
			nests = append(nests, nest)
		} else {
			args = append(args, transform.Argument{Name: w})
		}
	}
	n, err := teml.Apply(tr, nests, args, transform.Call{Pos: span})
	if err != nil {
		s.report(err)
		return
	}
	s.nests[words[0]] = n
}

func (s *script) report(err error) {
	var list source.ErrorList
	if !errors.As(err, &list) {
		s.t.Fatal(err)
	}
	source.RenderAll(&s.out, list, source.RenderOptions{})
	s.out.WriteString("\n")
}

// TestGolden runs the scripts in testdata.
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "out", 2, func(t *testing.T, inputs []string) string {
		f, err := ein.ParseFunc("test", inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		s := &script{t: t, f: f, nests: map[string]*transform.Nest{}}
		s.run(inputs[1])
		return s.out.String()
	})
}
