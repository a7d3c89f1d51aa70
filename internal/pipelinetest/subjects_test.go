package pipelinetest_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A subject is a program for random scripts.
type subject struct {
	name, text string
	f          *ein.Func
}

// subjects reads the programs of testdata/scripts, each def of them.
func subjects(t testing.TB) (list []subject) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "scripts", "programs.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		text := string(file.Data)
		for _, f := range defs(t, file.Name, text) {
			list = append(list, subject{file.Name, text, f})
		}
	}
	return list
}

// defs compiles a program of any notation, or of ein.
func defs(t testing.TB, name, text string) []*ein.Func {
	t.Helper()
	list, err := compiled(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func compiled(name, text string) ([]*ein.Func, error) {
	if filepath.Ext(name) == ".ein" {
		f, err := ein.ParseFunc(name, text)
		return []*ein.Func{f}, err
	}
	unit, diagnostics := notations.Of(name).Compile(source.NewFile(name, text), lang.Options{})
	if err := diagnostics.Err(); err != nil {
		return nil, err
	}
	return unit.Program.Funcs, nil
}

var (
	wholeNumbers = strings.NewReplacer("0.25", "7", "0.5", "3", ".0", "")
	sums         = regexp.MustCompile(`\+=!`)
)

// varied is a program of TC with another element type and other operators of reductions, where
// that is a program; any other is as it was.
func (s subject) varied(from *pipelinetest.Choices) subject {
	if filepath.Ext(s.name) != ".tc" {
		return s
	}
	text := s.text
	if element := pipelinetest.Pick(from, "", "", "double", "half", "bfloat16", "int8", "uint8", "int16", "int32", "int64"); element != "" {
		text = strings.ReplaceAll(text, "float(", element+"(")
		if strings.Contains(element, "int") {
			text = wholeNumbers.Replace(text)
		}
	}
	if from.OneIn(3) {
		text = sums.ReplaceAllStringFunc(text, func(string) string { return pipelinetest.Pick(from, "+=!", "max=!", "min=!", "*=!") })
	}
	list, err := compiled(s.name, text)
	if k := slices.IndexFunc(list, func(f *ein.Func) bool { return f.Name == s.f.Name }); err == nil && k >= 0 {
		return subject{s.name, text, list[k]}
	}
	return s
}

// chain draws passes of a stencil one behind the other, each losing points at the border:
// the time steps of a Jacobi iteration.
func chain(t testing.TB, from *pipelinetest.Choices) subject {
	steps, twoDimensions := from.Between(8, 16), from.OneIn(2)
	element := pipelinetest.Pick(from, "float", "float", "double", "int32")
	half := pipelinetest.Pick(from, " * 2", "")
	var body strings.Builder
	before := "A"
	for n := range steps {
		name := fmt.Sprintf("T%d", n)
		if n == steps-1 {
			name = "O"
		}
		if twoDimensions {
			fmt.Fprintf(&body, "  %[1]s(y,x) = %[2]s(y,x+1) - %[2]s(y+1,x)%[3]s + %[2]s(y+2,x+2)\n", name, before, half)
		} else {
			fmt.Fprintf(&body, "  %[1]s(x) = %[2]s(x) - %[2]s(x+1)%[3]s + %[2]s(x+2)\n", name, before, half)
		}
		before = name
	}
	dims := "N"
	if twoDimensions {
		dims = "N,M"
	}
	text := fmt.Sprintf("def f(%s(%s) A) -> (O) {\n%s}\n", element, dims, body.String())
	return subject{"chain", text, defs(t, "chain.tc", text)[0]}
}

// extents says how large the sizes of subjects are.
type extents struct {
	list []int
	// chains says how many points more than the steps take away the rows of chains have, at most.
	chains  int
	known   bool // none stays symbolic
	dynamic bool // all stay symbolic
	large   bool // some programs have results of more than 64 KiB, or long reductions
}

// drawSubject draws a program with sizes and arguments; nil where these do not fit.
func drawSubject(t testing.TB, from *pipelinetest.Choices, seed uint64, list []subject, e extents) *pipelinetest.Case {
	t.Helper()
	switch from.Below(10) {
	case 0: // any construct of ein
		one := &pipelinetest.Case{}
		one.Func = rapid.Custom(func(t *rapid.T) *ein.Func {
			f := eintest.FuncWith(t, eintest.Options{Statements: from.Between(1, 4)})
			one.Sizes = eintest.Sizes(t)
			return f
		}).Example(int(seed))
		var err error
		if one.Args, err = eintest.Arguments(seed, one.Func, one.Sizes); err != nil {
			t.Fatal(err)
		}
		return one
	case 1: // what a user of TC might write
		p := pipelinetest.DrawProgram(from)
		if f := compile(t, p); f != nil {
			return bind(t, from, p, f)
		}
		return nil
	case 2:
		s := chain(t, from)
		least := 2*strings.Count(s.text, "=") + 1
		return s.sized(t, seed, func(string) int { return least + from.Below(e.chains) })
	}
	s := pipelinetest.Pick(from, list...).varied(from)
	switch from.Below(12) {
	case 10:
		if sizes := s.large(from); e.large && sizes != nil {
			return s.sized(t, seed, func(name string) int { return sizes[name] })
		}
	case 11:
		if e.large {
			long := pipelinetest.Pick(from, s.f.Sizes...).Name
			return s.sized(t, seed, func(name string) int {
				if name == long {
					return pipelinetest.Pick(from, 24, 25, 32, 33, 48, 100)
				}
				return pipelinetest.Pick(from, e.list...)
			})
		}
	}
	return s.sized(t, seed, func(string) int { return pipelinetest.Pick(from, e.list...) })
}

// large draws sizes for which a tensor that is computed has more than 64 KiB, where vectors may
// stream and fetch what they write, and the evaluator takes a moment only; nil if it finds none.
func (s subject) large(from *pipelinetest.Choices) map[string]int {
	const near, most = 64 << 10, 1 << 18 // bytes, points
	sizes := map[string]int64{}
	for _, x := range s.f.Sizes {
		sizes[x.Name] = int64(from.Between(2, 5))
	}
	for range 40 {
		shapes, err := s.f.Shapes(sizes)
		if err != nil || points(s.f, sizes) > most {
			return nil
		}
		for _, x := range s.f.ByRole(ein.Temp, ein.Output, ein.InOut) {
			bytes := int64(x.Type.Size())
			for _, n := range shapes[x.Name] {
				bytes *= n
			}
			if bytes > near {
				list := map[string]int{}
				for name, n := range sizes {
					list[name] = int(n)
				}
				return list
			}
		}
		name := pipelinetest.Pick(from, s.f.Sizes...).Name
		sizes[name] += sizes[name]/2 + int64(from.Below(8))
	}
	return nil
}

// points is how many points the statements of a function have.
func points(f *ein.Func, sizes map[string]int64) (sum int64) {
	for _, c := range f.Body {
		n := int64(1)
		for _, i := range c.Indices {
			extent, _ := i.Extent.Eval(sizes)
			n *= max(extent, 0)
		}
		sum += n
	}
	return sum
}

// sized gives a subject sizes and arguments.
func (s subject) sized(t testing.TB, seed uint64, size func(name string) int) *pipelinetest.Case {
	t.Helper()
	one := &pipelinetest.Case{Text: s.text, Func: s.f, Sizes: map[string]int64{}, Args: map[string]*tensor.Tensor{}}
	for _, x := range s.f.Sizes {
		one.Sizes[x.Name] = int64(size(x.Name))
	}
	if s.f.CheckSizes(one.Sizes) != nil {
		return nil
	}
	shapes, err := s.f.Shapes(one.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range s.f.ByRole(ein.Input, ein.InOut) {
		one.Args[x.Name] = argument(t, x, shapes[x.Name], seed+uint64(n))
	}
	return one
}
