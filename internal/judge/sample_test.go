package judge

import (
	"context"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Samples have different positions inside of the shape, the corners first, and small shapes in full.
func TestSamples(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {7}, {2, 3}, {0, 4}, {1, 1, 5}, {300, 400}, {3, 50000}, {1000, 1000, 1000}, {2, 2, 2, 2, 2, 2, 2, 2}} {
		total := 1
		for _, n := range shape {
			total *= n
		}
		for seed := range uint64(3) {
			lists := [][]int64{sample(shape, seed)}
			if want := min(total, mostElements); len(lists[0]) != want {
				t.Errorf("%v has %d positions, expected %d", shape, len(lists[0]), want)
			}
			for d := range shape {
				if total > 0 {
					lists = append(lists, line(shape, d, seed))
				}
			}
			for _, list := range lists {
				seen := map[int64]bool{}
				for _, at := range list {
					if at < 0 || at >= int64(total) || seen[at] {
						t.Fatalf("%v: the position %d is outside or there twice", shape, at)
					}
					seen[at] = true
				}
				if total > 0 && len(shape) > 0 && len(list) == min(total, mostElements) && (!seen[0] || !seen[int64(total-1)]) {
					t.Errorf("%v: a corner is missing", shape)
				}
			}
		}
	}
}

// Rows of a product of products share what they hang on: eight of them are not too dear.
func TestDearElements(t *testing.T) {
	f, err := ein.ParseFunc("products", `func f { in A: float32[64, 200] in B: float32[200, 300] in C: float32[300, 70] temp T: float32[64, 300] out D: float32[64, 70]
		for i in 0:64, j in 0:300, k in 0:200 reduce + { T[i, j] = A[i, k] * B[k, j] }
		for i in 0:64, j in 0:70, k in 0:300 reduce + { D[i, j] = T[i, k] * C[k, j] } }`)
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{}
	for n, x := range f.Inputs() {
		shapes, err := f.Shapes(nil)
		if err != nil {
			t.Fatal(err)
		}
		if args[x.Name], err = tensor.New(x.Type, int(shapes[x.Name][0]), int(shapes[x.Name][1])); err != nil {
			t.Fatal(err)
		}
		tensor.FillRandom(args[x.Name], uint64(n))
	}
	outputs, err := ein.Evaluate(f, args, ein.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for points, elements := range map[int64]int{1 << 17: 70, 1 << 13: 0} {
		found, err := Values(context.Background(), Case{Func: f, Args: args, Outputs: outputs}, Options{Points: points})
		if got := found["D"].Elements; got != elements || (err == nil) != (elements > 0) {
			t.Errorf("%d points are enough for %d elements, expected %d: %v", points, got, elements, err)
		}
	}
}
