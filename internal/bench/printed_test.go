package bench

import (
	"path/filepath"
	"testing"

	ricci "github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// levels are those of the machines for which printed schedules are given back.
var levels = []string{"avx512vnni", "avx2", "amx", "neon"}

// TestPrintedSchedules gives the default schedules of rows back as they are printed: they make the same loops and the same C
// text, bit by bit. So nothing is decided after the tree, or beside it.
func TestPrintedSchedules(t *testing.T) {
	for k, row := range sweep.Some(t, Suite(), 43) {
		p, err := ricci.Parse(row.File, row.Text)
		if err != nil {
			t.Fatal(err)
		}
		def, err := p.Def(row.Def)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(row.Name, func(t *testing.T) { givenBack(t, def, row.Sizes, levels[k%len(levels)]) })
	}
}

// TestPrintedSchedulesOfExamples is TestPrintedSchedules for the examples, at sizes that no block divides.
func TestPrintedSchedulesOfExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.t*")
	if err != nil {
		t.Fatal(err)
	}
	for n, file := range files {
		program, err := ricci.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for k, def := range sweep.Some(t, program.Defs(), 9) {
			sizes := map[string]int64{}
			for i, s := range def.Sizes() {
				sizes[s.Name] = []int64{39, 21, 11, 5, 3, 9, 37}[i%7]
			}
			t.Run(def.Name(), func(t *testing.T) { givenBack(t, def, sizes, levels[(n+k)%len(levels)]) })
		}
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	}
}

// givenBack compares what is made of a def by its default schedule and by what is printed of that, where there are such
// sizes.
func givenBack(t *testing.T, def *ricci.Def, sizes map[string]int64, level string) {
	given := func(schedule string, stage ricci.Stage) (string, error) {
		return def.Stage(t.Context(), stage, sizes, ricci.Options{Level: level, Untuned: true, NoCache: true, Threads: 2, Schedule: schedule})
	}
	printed, err := given("", ricci.StageSchedule)
	if err != nil {
		return
	}
	for _, stage := range []ricci.Stage{ricci.StageLoop, ricci.StageC} {
		want, err := given("", stage)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := given(printed, stage); err != nil || got != want {
			t.Errorf("for %s the %s of the default schedule and of what is printed of it differ (%v):\n%s", level, stage, err, printed)
		}
	}
}
