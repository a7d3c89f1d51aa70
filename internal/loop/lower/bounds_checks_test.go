package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestTestedLanes draws vectors along subscripts that are data, some of which are out of
// bounds: in all lanes, in those of a condition, and in a last vector that is not full. What is
// reported is what the evaluator reports, which goes from point to point.
func TestTestedLanes(t *testing.T) {
	failed := 0
	rapid.Check(t, func(t *rapid.T) {
		below := func(n int, what string) int64 { return int64(rapid.IntRange(0, n-1).Draw(t, what)) }
		n, m, rows := 1+below(3, "n"), 1+below(20, "m"), 1+below(5, "rows")
		value := []string{"X![%s, j]", "K[j] > 1i32 ? X![%s, j] : 0f32", "K[i] > 1i32 ? X![%s, j] : 0f32", "K[j] > 1i32 ? X![int64(K[i]), j] + X![%s, j] : 0f32",
			"K[j] > 1i32 ? X![int64(K[i]), i] : 0f32"}[below(5, "value")]
		value = strings.ReplaceAll(value, "%s", []string{"int64(I[i, j])", "int64(I[i, j] + 1i32)", "int64(K[j])"}[below(3, "subscript")])
		reads := map[bool]string{true: "O[i] = " + value, false: "O[i, j] = " + value}
		reduced := below(2, "reduced") == 1
		shape, along := fmt.Sprintf("%d, %d", n, m), ""
		if reduced {
			shape, along = fmt.Sprint(n), " reduce +"
		}
		f, err := ein.ParseFunc("test", fmt.Sprintf("func f {\n  in X: float32[%d, %d]\n  in I: int32[%d, %d]\n  in K: int32[%d]\n  out O: float32[%s]\n  for i in 0:%d, j in 0:%d%s { %s }\n}",
			rows, max(n, m), n, m, max(n, m), shape, n, m, along, reads[reduced]))
		if err != nil {
			t.Fatal(err)
		}
		lanes := 2 << below(3, "lanes")
		nest := "domain S0[i, j]\nband S0.i\n%[1]sband S0.j tile %[2]d\n%[1]s  band S0.j vector %[2]d\n"
		if reduced {
			nest = strings.Replace(nest, "%[1]s", "  accumulate S0 register\n%[1]s", 1)
		}
		text := fmt.Sprintf(nest, map[bool]string{true: "    ", false: "  "}[reduced], lanes)
		tree, err := schedule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := schedule.Check(f, tree); err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, text)
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, text)
		}
		if err := loop.Verify(kernel); err != nil {
			t.Fatalf("verify: %v\n%s\n%s", err, f, text)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"I", "K"} {
			a := args[name]
			for at := range a.Offsets() {
				a.SetIntAt(at, below(int(rows), "inside"))
				if below(40, "outside") == 0 {
					a.SetIntAt(at, -1+below(2, "end")*(rows+1))
				}
			}
		}
		compare(t, f, f, tree, kernel, args, nil)
		if strings.Count(value, "!") == 1 {
			failed += sameFault(t, f, kernel, args)
		}
	})
	t.Logf("%d of them out of bounds", failed)
}

// sameFault compares what is reported, and returns 1 where there is something.
func sameFault(t *rapid.T, f *ein.Func, kernel *loop.Func, args map[string]*tensor.Tensor) int {
	_, wantErr := ein.Evaluate(f, args, ein.EvalOptions{})
	if wantErr == nil {
		return 0
	}
	shapes, err := f.Shapes(nil)
	if err != nil {
		t.Fatal(err)
	}
	output, err := tensor.New(tensor.Float32, ints(shapes["O"])...)
	if err != nil {
		t.Fatal(err)
	}
	fault, err := loop.Evaluate(kernel, words(newProgram(f, nil), kernel, args, map[string]*tensor.Tensor{"O": output}))
	if err != nil || fault == nil {
		t.Fatalf("%v, no fault but %v", err, wantErr)
	}
	if site := kernel.Sites[fault.Site]; !strings.Contains(wantErr.Error(), fmt.Sprintf("%s is read at %d in dimension %d", site.Tensor, fault.Value, site.Dim)) {
		t.Fatalf("%s is read at %d in dimension %d, evaluator %v\n%s", site.Tensor, fault.Value, site.Dim, wantErr, f)
	}
	return 1
}

// TestTestedPositions: where a subscript that is tested is no data, a copy of a block has the points
// that it names, and no other for lanes that are not used. So it takes no vector.
func TestTestedPositions(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in X: float32[5, 3]
  out Y: float32[3, 3:6]
  for i in 0:3, j in 3:6 { Y[i, j] = j + 1i64 >= {0} && j + 1i64 <= 4i64 ? X![j + 1i64, j + -3i64] : 0f32 }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ loops, why string }{{"band S0.j", ""}, {"band S0.j vector 2", "the tested access to X depends on it"}} {
		tree, err := schedule.Parse("domain S0[i, j]\nband S0.i\n  place X register\n    " + row.loops + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := schedule.Check(f, tree); (err == nil) != (row.why == "") || err != nil && !strings.Contains(err.Error(), row.why) {
			t.Errorf("%s: %v", row.loops, err)
		}
	}
}
