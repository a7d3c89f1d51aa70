package ricci_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

const manyKinds = `def kinds(float(2,3) M, int32 n, bool flag, double(N) v) -> (out, total, double s) {
  out(i,j) = flag ? M(i,j) * float(n) : 0.0
  total +=! v(i)
  s = s + double(n)
}`

type manyKindsArguments struct {
	Matrix *[2][3]float32 `ricci:"M"`
	N      int32
	Flag   bool
	V      *tensor.Tensor
	S      *float64
	Out    *[2][3]float32
	Total  *float64
}

func TestTyped(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		kinds := ricci.MustTyped[manyKindsArguments](ricci.MustParse("kinds.tc", manyKinds).MustDef("kinds"), options)
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range 20 {
					v := tensor.Must(tensor.FromSlice([]float64{1, 2, float64(g)}, 3))
					s, total := 0.5, 0.0
					a := manyKindsArguments{Matrix: &[2][3]float32{{1, 2, 3}, {4, 5, 6}}, N: int32(i), Flag: i%2 == 0, V: v, S: &s, Out: new([2][3]float32), Total: &total}
					if err := kinds.Run(context.Background(), &a); err != nil {
						t.Error(err)
						return
					}
					want := [2][3]float32{}
					if a.Flag {
						f := float32(i)
						want = [2][3]float32{{f, 2 * f, 3 * f}, {4 * f, 5 * f, 6 * f}}
					}
					if *a.Out != want || total != 3+float64(g) || s != 0.5+float64(i) {
						t.Errorf("%d: %v, %v, %v", i, *a.Out, total, s)
					}
					runtime.Gosched()
				}
			})
		}
		all.Wait()
		if err := kinds.Run(context.Background(), &manyKindsArguments{}); diagnostic(err) != "E0626" {
			t.Errorf("nothing: %v", err)
		}
	})
}

// Slices of other lengths are found out.
func TestTypedLengths(t *testing.T) {
	f := ricci.MustTyped[scaledArguments](parse(t, scaled), ricci.Options{Target: ricci.Eval})
	for n := 1; n < 5; n++ {
		a := scaledArguments{A: make([]float32, n), S: 2, B: make([]float32, 3)}
		a.A[n-1] = 4
		err := f.Run(context.Background(), &a)
		if (n == 3) != (err == nil) || n == 3 && a.B[2] != 8 {
			t.Errorf("%d: %v, %v", n, a.B, err)
		}
		if n != 3 && diagnostic(err) != "E0605" {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestTypedMisfits(t *testing.T) {
	d := parse(t, scaled)
	constant := ricci.Options{Constant: []string{"A"}}
	for want, err := range map[string]error{
		"is not a struct":                    second(ricci.TypedOf[int](d, ricci.Options{})),
		"no field for the argument B":        second(ricci.TypedOf[struct{ A, S *tensor.Tensor }](d, ricci.Options{})),
		"C belongs to no argument":           second(ricci.TypedOf[struct{ C []float32 }](d, ricci.Options{})),
		"type []float64, expected []float32": second(ricci.TypedOf[struct{ A []float64 }](d, ricci.Options{})),
		"expected []float32 or *tensor.Tensor for the output float32(N) B": second(ricci.TypedOf[struct{ B float32 }](d, ricci.Options{})),
		"expected float32 or *tensor.Tensor for the input float32 s":       second(ricci.TypedOf[struct{ S []float32 }](d, ricci.Options{})),
		"a second one for the argument A": second(ricci.TypedOf[struct {
			A []float32
			X []float32 `ricci:"A"`
		}](d, ricci.Options{})),
		"a is not exported":       second(ricci.TypedOf[struct{ a []float32 }](d, ricci.Options{})),
		"for a constant argument": second(ricci.TypedOf[struct{ A []float32 }](d, constant)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestMust(t *testing.T) {
	for name, f := range map[string]func(){
		"MustParse": func() { ricci.MustParse("f.tc", "def") },
		"MustDef":   func() { ricci.MustParse("f.tc", scaled).MustDef("other") },
		"MustTyped": func() { ricci.MustTyped[int](parse(t, scaled), ricci.Options{}) },
		"Must":      func() { tensor.Must(tensor.New(tensor.Invalid, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

// A kernel that is called with other sizes says how to call the def with them.
func TestOtherSizesHelp(t *testing.T) {
	d := parse(t, matmul)
	a, b, c := random(t, tensor.Float32, 1, 2, 3), random(t, tensor.Float32, 2, 3, 4), random(t, tensor.Float32, 3, 2, 4)
	k := compile(t, d, tensors{"A": a, "B": b}, ricci.Options{Target: ricci.Eval})
	err := k.Run(context.Background(), a, random(t, tensor.Float32, 2, 3, 5), c)
	var e *ricci.Diagnostic
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if text := e.Help; !strings.Contains(text, `call Def.RunInto with the same arguments`) || !strings.Contains(text, `Options{Dynamic: []string{"N"}}`) {
		t.Errorf("%s", text)
	}
}
