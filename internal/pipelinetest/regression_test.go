package pipelinetest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestRegressions takes the programs in testdata, each of which went wrong once,
// through many settings. Their names say what they show.
func TestRegressions(t *testing.T) {
	k := compiler(t)
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	var cases []*pipelinetest.Case
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := read(t, file, string(text))
		for seed := range uint64(6) {
			one := regression(t, f, string(text), seed)
			one.Name = fmt.Sprintf("%s_%d", strings.Split(filepath.Base(file), ".")[0], seed)
			if err := one.Prepare(pipelinetest.Seeded(seed)); err != nil {
				t.Errorf("%v\n%s", err, one)
				continue
			}
			cases = append(cases, one)
		}
	}
	runFixed(t, k, cases)
}

func read(t *testing.T, file, text string) *ein.Func {
	t.Helper()
	if strings.HasSuffix(file, ".ein") {
		f, err := ein.ParseFunc(file, text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	unit, diags := tc.Compile(source.NewFile(file, text), tc.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return unit.Program.Func("f")
}

var sizePattern = regexp.MustCompile(`(\w+)=(-?\d+)`)

// regression makes the case of a program with the sizes of its second comment.
func regression(t *testing.T, f *ein.Func, text string, seed uint64) *pipelinetest.Case {
	t.Helper()
	one := &pipelinetest.Case{Text: text, Func: f, Sizes: map[string]int64{}, Args: map[string]*tensor.Tensor{}}
	line := regexp.MustCompile(`(?m)^# sizes.*$`).FindString(text)
	for _, m := range sizePattern.FindAllStringSubmatch(line, -1) {
		one.Sizes[m[1]], _ = strconv.ParseInt(m[2], 10, 64)
	}
	shapes, err := f.Shapes(one.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range f.ByRole(ein.Input, ein.InOut) {
		one.Args[x.Name] = argument(t, x, shapes[x.Name], seed+uint64(n))
	}
	if err := one.DrawSetting(pipelinetest.Seeded(seed)); err != nil {
		t.Fatal(err)
	}
	return one
}
