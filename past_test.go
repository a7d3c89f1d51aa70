package ricci_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestPastCaches calls kernels whose rows stream with arrays that begin anywhere, on one thread
// and on two, with sizes that are constants and with others.
func TestPastCaches(t *testing.T) {
	d := parse(t, `def cross(float(N,M) X) -> (Y) { Y(i,j) = X(i,j+1) + X(i+1,j) + X(i+1,j+2) + X(i+2,j+1) where i in 0:N-2, j in 0:M-2 }`)
	const rows, columns = 11, 203
	for _, threads := range []int{1, 2} {
		for _, dynamic := range [][]string{nil, {"N", "M"}} {
			for _, members := range []string{"S0.i parallel | S0.j vector 16 stream", "S0.i parallel | S0.j tile 96 parallel | S0.j vector 8 stream ahead 2048", "S0.i tile 4 parallel\n  band S0.j tile 48\n    band S0.i unroll | S0.j vector 16 unroll stream"} {
				t.Run(fmt.Sprintf("%d threads, %v, %s", threads, dynamic, members), func(t *testing.T) {
					example := tensors{"X": random(t, tensor.Float32, 1, rows, columns)}
					k := compile(t, d, example, ricci.Options{Target: ricci.C, Threads: threads, Dynamic: dynamic, Schedule: "domain S0[i, j]\nband " + members + "\n"})
					for by := range 16 {
						x := placed(t, rows, columns, 15-by)
						if err := x.CopyFrom(example["X"]); err != nil {
							t.Fatal(err)
						}
						y := placed(t, rows-2, columns-2, by)
						if err := k.Run(context.Background(), x, y); err != nil {
							t.Fatal(err)
						}
						if _, err := d.Check(context.Background(), tensors{"X": x}, tensors{"Y": y}, nil); err != nil {
							t.Errorf("%d elements behind a line: %v", by, err)
						}
					}
				})
			}
		}
	}
}

// placed makes a matrix that begins so many elements behind the beginning of an array.
func placed(t *testing.T, rows, columns, by int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.Wrap(make([]float32, rows*columns+by)[by:], rows, columns)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
