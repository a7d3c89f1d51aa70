package ricci_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestConstant: inputs that a call may leave packed give the same results, also
// after another array took their place.
func TestConstant(t *testing.T) {
	ctx := context.Background()
	program, err := ricci.Parse("layers.tc", `
def fc(float(B, I) X, float(I, O) W) -> (Y) { Y(b, o) +=! X(b, i) * W(i, o) }
def nt(float(B, I) X, float(O, I) W) -> (Y) { Y(b, o) +=! X(b, i) * W(o, i) }
def conv(float(N, C, H, W) X, float(F, C, KH, KW) K) -> (Y) {
  Y(n, f, h, w) +=! X(n, c, h + kh, w + kw) * K(f, c, kh, kw)
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		def    string
		shapes map[string][]int
		weight string
	}{
		{"fc", map[string][]int{"X": {64, 300}, "W": {300, 200}}, "W"},
		{"nt", map[string][]int{"X": {70, 256}, "W": {130, 256}}, "W"},
		{"conv", map[string][]int{"X": {1, 40, 9, 9}, "K": {70, 40, 3, 3}}, "K"},
		{"conv", map[string][]int{"X": {2, 64, 7, 7}, "K": {128, 64, 3, 3}}, "K"},
	} {
		t.Run(fmt.Sprint(test.def, test.shapes), func(t *testing.T) {
			d, err := program.Def(test.def)
			if err != nil {
				t.Fatal(err)
			}
			args := map[string]*tensor.Tensor{}
			for name, shape := range test.shapes {
				args[name] = random(t, tensor.Float32, uint64(len(name)+shape[0]), shape...)
			}
			kernel, err := d.CompileFor(ctx, args, ricci.Options{Constant: []string{test.weight}, NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			defer kernel.Close()
			for round := range 4 {
				if round == 2 {
					args[test.weight] = random(t, tensor.Float32, 99, test.shapes[test.weight]...)
				}
				args["X"] = random(t, tensor.Float32, uint64(round), test.shapes["X"]...)
				got, err := kernel.RunNamed(ctx, args)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Check(ctx, args, got, nil); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
	fc, err := program.Def("fc")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{"X": random(t, tensor.Float32, 1, 2, 2), "W": random(t, tensor.Float32, 2, 2, 2)}
	if _, err := fc.CompileFor(ctx, args, ricci.Options{Constant: []string{"V"}}); err == nil || !strings.Contains(err.Error(), "no input named V") {
		t.Error(err)
	}
}

// TestCall: a bound call computes what Run does, allocates nothing, and outlives
// the wish to close the kernel.
func TestCall(t *testing.T) {
	ctx := context.Background()
	program, err := ricci.Parse("mm.tc", `def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k)*B(k,j) }`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := program.Def("mm")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{"A": random(t, tensor.Float32, 1, 20, 30), "B": random(t, tensor.Float32, 2, 30, 40)}
	c, err := tensor.New(tensor.Float32, 20, 40)
	if err != nil {
		t.Fatal(err)
	}
	for _, options := range []ricci.Options{{}, {Target: ricci.Eval}, {Constant: []string{"B"}}} {
		kernel, err := d.CompileFor(ctx, args, options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kernel.Bind(args["A"]); err == nil {
			t.Error("too few arguments are bound")
		}
		call, err := kernel.Bind(args["A"], args["B"], c)
		if err != nil {
			t.Fatal(err)
		}
		if err := kernel.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			tensor.FillConst(c, 7)
			if err := call.Run(); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Check(ctx, args, map[string]*tensor.Tensor{"C": c}, nil); err != nil {
				t.Error(err)
			}
		}
		if kernel.Target() == ricci.C {
			if n := testing.AllocsPerRun(100, func() { _ = call.Run() }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		}
		if err := errors.Join(call.Close(), call.Close()); err != nil {
			t.Error(err)
		}
		if err := call.Run(); !errors.Is(err, ricci.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}
