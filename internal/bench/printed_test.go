package bench

import (
	"path/filepath"
	"slices"
	"strings"
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

// TestPrintedProducts is TestPrintedSchedules for products of a matrix unit of each kind; cut in another way, which is
// written into what is printed, they have other loops and another C text.
func TestPrintedProducts(t *testing.T) {
	program, err := ricci.Parse("products.tc", `
def groups(int8(M,K) A, int8(K,N) B) -> (C) { C(i,j) +=! int32(A(i,k)) * int32(B(k,j)) }
def parts(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }
def windows(float(C,M,N) I, float(F,C,3,3) W) -> (O) { O(f,y,x) +=! I(c,y+r,x+s) * W(f,c,r,s) }`)
	if err != nil {
		t.Fatal(err)
	}
	processor, ok := ricci.MachineText("sapphire-rapids")
	if !ok {
		t.Fatal("there is no such machine")
	}
	for name, other := range map[string][2]string{
		"groups":  {"tiles 16/16/16", "tiles 8/16/8"},
		"parts":   {"panels 32", "panels 3 keep B"},
		"windows": {"chunks 64", "depth 2 chunks 64"},
	} {
		t.Run(name, func(t *testing.T) {
			def, err := program.Def(name)
			if err != nil {
				t.Fatal(err)
			}
			sizes := map[string]int64{"M": 300, "N": 300, "K": 300, "C": 64, "F": 64}
			for _, s := range []string{"M", "N", "K", "C", "F"} {
				if !slices.ContainsFunc(def.Sizes(), func(size ricci.Size) bool { return size.Name == s }) {
					delete(sizes, s)
				}
			}
			given := func(schedule string, stage ricci.Stage) string {
				text, err := def.Stage(t.Context(), stage, sizes, ricci.Options{Machine: processor, Untuned: true, NoCache: true, Threads: 2, Schedule: schedule})
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			printed := given("", ricci.StageSchedule)
			edited := strings.Replace(printed, other[0], other[1], 1)
			for _, stage := range []ricci.Stage{ricci.StageLoop, ricci.StageC} {
				usual := given("", stage)
				if given(printed, stage) != usual {
					t.Errorf("the %s of what is printed is another one:\n%s", stage, printed)
				}
				if edited == printed || given(edited, stage) == usual {
					t.Errorf("%s for %s changes no %s of\n%s", other[1], other[0], stage, printed)
				}
			}
		})
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
