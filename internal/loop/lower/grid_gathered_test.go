package lower_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// lookups are trees in which items wait for each other, of a function that looks rows up in a table.
var lookups = map[string]string{
	"index array": "place I local\n    band S0.b items 2 | S0.d items 4\n      accumulate S0 register\n        band S0.l",
	"gathered":    "accumulate S0 register\n    band S0.l tile 3\n      place T local gathered\n        band S0.b items 2 | S0.d items 4\n          band S0.l",
	"both":        "accumulate S0 register\n    band S0.l tile 3 pad\n      place I local\n        place T local gathered vector 2\n          band S0.b items 2 | S0.d items 4\n            band S0.l",
	"ahead":       "accumulate S0 register\n    band S0.l tile 3\n      place T local double async gathered\n        band S0.b tile 2 items 2 | S0.d items 4\n          band S0.b | S0.l",
	"vectors":     "accumulate S0 register\n    band S0.l tile 3\n      place I local\n        band S0.b items 2 | S0.d tile 2 items 4\n          band S0.l | S0.d vector 2",
	"lanes":       "place I local\n    accumulate S0 register\n      band S0.b tile 2 items 2 | S0.d items 4\n        band S0.l | S0.b vector 2",
	"together":    "band S0.d\n    accumulate S0 local\n      band S0.b items 4 | S0.l items 2",
}

// TestLookups looks rows up whose numbers begin at 7: nothing that only fills a block is taken for a subscript. One subscript is wrong in turn, and that is
// what is reported, whatever the other items wait for.
func TestLookups(t *testing.T) {
	f, err := ein.ParseFunc("lookups", `func lookups {
  in T: float32[9, 6]
  in I: int32[11, 7]
  out O: float32[11, 6]
  for b in 0:11, d in 0:6, l in 0:7 reduce + { O[b, d] = T![int64(I[b, l]) - 7i64, d] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for name, below := range lookups {
		tree, err := schedule.Parse("domain S0[b, d, l]\nband S0.b tile 4 groups pad | S0.d groups tile 4 pad\n  " + below + "\n")
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := loop.Verify(kernel); err != nil {
			t.Errorf("%s: %v\n%s", name, err, loop.Print(kernel))
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for wrong := -1; wrong < 77; wrong += 1 + wrong/3 {
			at := 0
			for o := range args["I"].Offsets() {
				args["I"].SetIntAt(o, 7+int64(at%9))
				if at == wrong {
					args["I"].SetIntAt(o, int64(16-10*(at%2)))
				}
				at++
			}
			output := newTensor(t, args["T"].DType(), []int64{11, 6})
			fault, err := loop.EvaluateInOrder(context.Background(), kernel, words(newProgram(f, nil), kernel, args, map[string]*tensor.Tensor{"O": output}), nil, uint64(at))
			want, bounds, wantErr := ein.EvaluateWithBounds(f, args, ein.EvalOptions{})
			switch {
			case err != nil:
				t.Fatalf("%s: %v\n%s", name, err, loop.Print(kernel))
			case wantErr == nil && fault != nil || wantErr != nil && (fault == nil || !strings.Contains(wantErr.Error(), fmt.Sprintf("T is read at %d in dimension 0", fault.Value))):
				t.Fatalf("%s: %v is reported, expected %v\n%s", name, fault, wantErr, loop.Print(kernel))
			case wantErr == nil:
				if compared, err := ein.Compare(output, want["O"], bounds["O"]); err != nil || !compared.OK() {
					t.Fatalf("%s: %v %v\n%s", name, err, compared, loop.Print(kernel))
				}
			}
		}
	}
}
