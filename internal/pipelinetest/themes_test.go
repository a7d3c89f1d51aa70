package pipelinetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// subscripts are the names of the arrays whose elements are subscripts, and of the sizes that
// these stay below.
var subscripts = map[string]string{"J": "N", "L": "N", "I": "M"}

// themeCase draws a program of a theme; nil when nothing can be run.
func themeCase(t testing.TB, seed uint64, number int) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	text, sizes := pipelinetest.DrawTheme(from, number)
	defer reportPanic(t, text)
	one := templateCase(t, from, seed, text, sizes)
	if one == nil {
		return nil
	}
	one.Name = fmt.Sprintf("%s%d", pipelinetest.Themes()[number], seed)
	drawSubscripts(from, one, sizes)
	if err := one.DrawSetting(from); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	if from.OneIn(2) {
		one.Strides = nil // rows of views are not joined
	}
	m := *machine.Host()
	if from.OneIn(4) { // so that what is small goes past the caches
		m.L1, m.L2, m.L3, m.Peaks = pipelinetest.Pick(from, int64(1<<12), 1<<15), pipelinetest.Pick(from, int64(1<<14), 1<<15), 1<<15, nil
	}
	m.Cores = pipelinetest.Pick(from, 1, 2, 2, 8)
	m.VectorBytes = pipelinetest.Pick(from, m.VectorBytes, m.VectorBytes, 32, 16)
	one.Machine = &m
	prepare := one.PrepareDefault
	if from.OneIn(3) {
		prepare = func() error { return one.Prepare(from) }
	}
	if err := prepare(); err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}

// drawSubscripts fills the arrays of subscripts, once in a while with one that is out of range.
func drawSubscripts(from *pipelinetest.Choices, one *pipelinetest.Case, sizes map[string]int64) {
	stray := from.OneIn(5)
	for _, x := range one.Func.ByRole(ein.Input) {
		size, found := subscripts[x.Name]
		if !found {
			continue
		}
		a, limit := one.Args[x.Name], sizes[size]
		for o := range a.Offsets() {
			a.SetIntAt(o, int64(from.Below(int(limit))))
			if stray && from.Below(a.Len()) == 0 {
				a.SetIntAt(o, pipelinetest.Pick(from, -1, limit, 1<<31-1, -1<<31, 5_000_000))
			}
		}
	}
}

// TestThemes takes programs that parts of the compiler treat in special ways to native code, most of
// them with the default schedule.
func TestThemes(t *testing.T) {
	runUnits(t, len(pipelinetest.Themes()), func(seed uint64, number int) *pipelinetest.Case {
		return themeCase(t, seed, number)
	})
}

// TestThemesAreAccepted keeps an eye on the templates, of which a few choices do not fit together.
func TestThemesAreAccepted(t *testing.T) {
	const drawn, most = 100, 10
	for number, name := range pipelinetest.Themes() {
		var refused []string
		for seed := range uint64(drawn) {
			text, _ := pipelinetest.DrawTheme(pipelinetest.Seeded(seed), number)
			if compile(t, pipelinetest.Program{Text: text}) == nil {
				refused = append(refused, text)
			}
		}
		if len(refused) > most {
			t.Errorf("%s: %d of %d are refused\n%s", name, len(refused), drawn, strings.Join(refused, "\n"))
		}
	}
}

// TestBounds takes programs whose accesses only boundary functions and conditions keep in bounds to
// native code, many of them with sizes that stay symbolic.
func TestBounds(t *testing.T) {
	first := len(pipelinetest.Themes()) - pipelinetest.BoundsThemes()
	runUnits(t, perUnit, func(seed uint64, number int) *pipelinetest.Case {
		return themeCase(t, seed, first+number%pipelinetest.BoundsThemes())
	})
}
