package ricci_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

const rowSums = `def rows(float(N,M) A, float(K) w) -> (B) { B(i) +=! A(i,k) * w(0) }`

// runRows compares a call of rowSums with its sums.
func runRows(t *testing.T, d *ricci.Def, n, m int, options ricci.Options) {
	t.Helper()
	a, w := random(t, tensor.Float32, 1, n, m), newTensor(t, []float32{1, 2, 3}, 3)
	out, err := d.RunWith(context.Background(), tensors{"A": a, "w": w}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	want, err := d.Evaluate(context.Background(), tensors{"A": a, "w": w}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok, where := tensor.AllClose(out["B"], want["B"], 1e-4, 1e-4); !ok {
		t.Errorf("%d × %d: another value at %v", n, m, where)
	}
}

// Calls of one def with many shapes from many goroutines.
func TestShapesAtOnce(t *testing.T) {
	d := parse(t, rowSums)
	options := ricci.Options{Target: ricci.C, OwnKernels: 2}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 40 {
				runRows(t, d, 1+(g*i)%7, 5, options)
			}
		})
	}
	all.Wait()
}

// RunInto writes where it is told, through views, too, and into what it reads.
func TestRunInto(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, scaled)
		ctx := context.Background()
		x, s := newTensor(t, []float32{1, 2, 3, 4}, 4), tensor.Scalar(float32(2))
		big := newTensor(t, make([]float32, 8), 4, 2)
		column, err := big.Slice(1, 1, 2, 1)
		view(t, column, err)
		column, err = column.Reshape(4)
		view(t, column, err)
		for range 2 {
			if err := d.RunIntoWith(ctx, nil, options, x, s, column); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(column); got != "[2. 4. 6. 8.]" {
				t.Errorf("a column: %s", got)
			}
		}
		for _, want := range []string{"2. 4. 6. 8.", "4. 8. 12. 16.", "8. 16. 24. 32."} {
			if err := d.RunIntoWith(ctx, nil, options, x, s, x); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(x), "[]")), " "); got != want {
				t.Errorf("in place: %s, expected %s", got, want)
			}
		}
		for name, args := range map[string][]*tensor.Tensor{
			"E0625": {x, s}, "E0626": {x, nil, column}, "E0605": {x, s, newTensor(t, []float32{1}, 1)}, "E0621": {x, tensor.Scalar(2.0), column},
		} {
			if err := d.RunIntoWith(ctx, nil, options, args...); diagnostic(err) != ricci.Code(name) {
				t.Errorf("%v, expected %s", err, name)
			}
		}
		if _, err := d.RunWith(ctx, tensors{"A": x, "s": s, "B": column}, nil, options); diagnostic(err) != "E0626" {
			t.Errorf("an output for Run: %v", err)
		}
		if _, err := d.RunWith(ctx, tensors{"A": x, "s": s, "C": column}, nil, options); diagnostic(err) != "E0603" {
			t.Errorf("a name that is not there: %v", err)
		}
	})
}

// Calls allocate nothing once their kernel is there, whatever the way.
func TestCallsAllocateNothing(t *testing.T) {
	d := parse(t, scaled)
	ctx := context.Background()
	options := ricci.Options{Target: ricci.C}
	typed := ricci.MustTyped[scaledArguments](d, options)
	x, s, y := random(t, tensor.Float32, 1, 4), tensor.Scalar(float32(2)), random(t, tensor.Float32, 3, 4)
	slices := scaledArguments{A: []float32{1, 2, 3, 4}, S: 2, B: make([]float32, 4)}
	dynamic := compile(t, d, tensors{"A": x, "s": s}, ricci.Options{Target: ricci.C, Dynamic: []string{"N"}})
	for name, call := range map[string]func() error{
		"RunInto":        func() error { return d.RunIntoWith(ctx, nil, options, x, s, y) },
		"Typed":          func() error { return typed.Run(ctx, &slices) },
		"dynamic kernel": func() error { return dynamic.Run(ctx, x, s, y) },
	} {
		if n := testing.AllocsPerRun(200, func() {
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
