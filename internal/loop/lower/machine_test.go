package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestLines lowers trees that ask for lines, and write them past the caches, for machines whose lines have other lengths,
// powers of two and others: rows begin at the boundaries of these, fewer or more lines are asked for, and the results are the same.
func TestLines(t *testing.T) {
	texts := map[string]map[float64]string{}
	for _, name := range []string{"lead", "lead_halves", "chain", "strips"} {
		archive, err := txtar.ParseFile("testdata/golden/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		program := string(archive.Files[0].Data)
		if name == "lead" { // longer rows
			program = strings.NewReplacer("81", "301", "82", "302").Replace(program)
		}
		p := readProgram(t, program)
		tree, err := schedule.Parse(string(archive.Files[1].Data))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = map[float64]string{}
		for _, bytes := range []float64{16, 64, 96, 128} {
			m := (&machine.Processor{L1: 32 << 10}).WithValue(machine.Line, bytes)
			f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{Machine: m})
			if err != nil {
				t.Fatal(err)
			}
			if err := loop.Verify(f); err != nil {
				t.Errorf("%s, lines of %g bytes: %v", name, bytes, err)
			}
			texts[name][bytes] = loop.Print(f)
			if len(p.f.Sizes) == 0 && name != "strips" { // which takes seconds
				same(t, p, f, fmt.Sprintf("%s, lines of %g bytes", name, bytes))
			}
		}
	}
	for bytes, lanes := range map[float64]string{16: "4", 64: "16", 96: "16", 128: "32"} {
		if text := texts["lead"][bytes]; !strings.Contains(text, "lead(Y[p * 301], "+lanes+")") {
			t.Errorf("rows of floats have no head of %s elements at most, where lines have %g bytes:\n%s", lanes, bytes, text)
		}
	}
	for bytes, ask := range map[float64]string{64: "i / 6 % 2 * 16 + j + k * 5477", 96: "i / 6 % 2 * 24 + j + k * 5477", 128: "j + k * 5477"} {
		if text := texts["strips"][bytes]; !strings.Contains(text, "prefetch B["+ask+"; ahead 32]") {
			t.Errorf("the tiles of a strip of 32 floats do not share its lines of %g bytes:\n%s", bytes, text)
		}
	}
}

// same compares what loops compute with the evaluator.
func same(t *testing.T, p program, f *loop.Func, what string) {
	t.Helper()
	e := p.expect(t)
	got, _ := evaluate(t, p, f, e.args)
	for name := range e.want {
		if compared, err := ein.Compare(got[name], e.want[name], e.bounds[name]); err != nil || !compared.OK() {
			t.Errorf("%s: %s: %v %v", what, name, err, compared.Worst)
		}
	}
}

// TestSharedPacking packs an operand of 320 x 320 numbers before all loops, which threads share but where they start slowly.
func TestSharedPacking(t *testing.T) {
	p := readProgram(t, `
func product {
  in A: float32[8, 320]
  in B: float32[320, 320]
  out C: float32[8, 320]
  for i in 0:8, j in 0:320, k in 0:320 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	tree, err := schedule.Parse(`domain S0[i, j, k]
band S0.j tile 32
  place B workspace
    band S0.i tile 4
      accumulate S0 register
        band S0.k | S0.i unroll | S0.j vector 16 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	for factor, want := range map[float64]bool{0.5: true, 1: true, 2: false} {
		m := (&machine.Processor{}).WithValue(machine.Fork, factor*(&machine.Processor{}).Value(machine.Fork))
		f, err := lower.Lower(p.f, tree, lower.Options{Machine: m, Constant: []string{"B"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(f); !strings.Contains(text, "B_packed") || strings.Contains(text, "parallel") != want {
			t.Errorf("threads that start in %g times the usual: packing is shared is %t, want %t\n%s", factor, !want, want, text)
		}
	}
}

// TestInLocal: what makers of schedules think that buffers take of local memory is what they take.
func TestInLocal(t *testing.T) {
	for _, length := range []int64{1, 4, 5, 63} {
		b := &loop.Buffer{Type: loop.Scalar(tensor.Float32), Length: length, Region: loop.Local}
		if got, want := (&loop.Grid{Local: []*loop.Buffer{b, b}}).LocalBytes(), 2*machine.InLocal(4*length); got != want {
			t.Errorf("two buffers of %d floats take %d bytes, and makers think %d", length, got, want)
		}
	}
}
