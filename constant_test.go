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
}
def steps(float(N, C, H, W) X, float(F, C, KH, KW) K) -> (Y) {
  Y(n, f, h, w) +=! X(n, c, 2 * h + kh, 2 * w + kw) * K(f, c, kh, kw) where h in 0:(H - KH) / 2 + 1, w in 0:(W - KW) / 2 + 1
  Y(n, f, h, w) = fmax(Y(n, f, h, w), 0) where h in 0:(H - KH) / 2 + 1, w in 0:(W - KW) / 2 + 1
}
def grouped(float(N, G, C, H, W) X, float(G, F, C, KH, KW) K) -> (Y) {
  Y(n, g, f, h, w) +=! X(n, g, c, h + kh, w + kw) * K(g, f, c, kh, kw)
}
def volume(float(N, C, D, H, W) X, float(F, C, KD, KH, KW) K) -> (Y) {
  Y(n, f, d, h, w) +=! X(n, c, d + kd, h + kh, w + kw) * K(f, c, kd, kh, kw)
}
def transposed(float(N, C, H, W) X, float(C, F, 4, 4) K) -> (Y) {
  Y(n, f, h, a, w, b) +=! X(n, c, h + a + 1 - u, w + b + 1 - v) * K(c, f, 1 - a + 2 * u, 1 - b + 2 * v)
    where n in 0:N, h in 0:H - 2, w in 0:W - 2, a in 0:2, b in 0:2, u in 0:2, v in 0:2
}`)
	if err != nil {
		t.Fatal(err)
	}
	packs := 0
	for k, test := range []struct {
		def    string
		sizes  map[string]int64
		weight string
	}{
		{"fc", map[string]int64{"B": 30, "I": 50, "O": 70}, "W"},
		{"nt", map[string]int64{"B": 40, "I": 64, "O": 72}, "W"},
		{"conv", map[string]int64{"N": 1, "C": 8, "H": 7, "W": 8, "F": 40, "KH": 3, "KW": 3}, "K"},
		{"conv", map[string]int64{"N": 1, "C": 16, "H": 6, "W": 7, "F": 70, "KH": 3, "KW": 3}, "K"},
		{"conv", map[string]int64{"N": 1, "C": 40, "H": 4, "W": 7, "F": 64, "KH": 1, "KW": 1}, "K"},
		{"steps", map[string]int64{"N": 2, "C": 16, "H": 9, "W": 9, "F": 64, "KH": 1, "KW": 1}, "K"},
		{"steps", map[string]int64{"N": 1, "C": 16, "H": 9, "W": 9, "F": 64, "KH": 3, "KW": 3}, "K"},
		{"grouped", map[string]int64{"N": 1, "G": 3, "C": 8, "H": 7, "W": 7, "F": 16, "KH": 3, "KW": 3}, "K"},
		{"volume", map[string]int64{"N": 1, "C": 512, "D": 3, "H": 4, "W": 6, "F": 49, "KD": 3, "KH": 3, "KW": 3}, "K"}, // panels are cut
		{"transposed", map[string]int64{"N": 1, "C": 64, "H": 7, "W": 8, "F": 50}, "K"},
	} {
		t.Run(fmt.Sprint(test.def, test.sizes), func(t *testing.T) {
			d, err := program.Def(test.def)
			if err != nil {
				t.Fatal(err)
			}
			options := ricci.Options{Target: ricci.C, Constant: []string{test.weight}, NoCache: true, Threads: 1 + k%2}
			text, err := d.Stage(ctx, ricci.StageSchedule, test.sizes, options)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, "workspace") {
				packs++
			}
			constantCalls(t, d, test.sizes, test.weight, options)
		})
	}
	if packs < 4 {
		t.Errorf("%d schedules pack weights: too little was tested", packs)
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

// constantCalls compares repeated calls with the evaluator, in all the ways to call,
// with the weights of before and with others that may lie where those did.
func constantCalls(t *testing.T, d *ricci.Def, sizes map[string]int64, weight string, options ricci.Options) {
	ctx := context.Background()
	args := randomArguments(t, d, sizes)
	signature, err := d.SignatureForSizes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := d.Compile(ctx, signature, options)
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Close()
	shapes, err := d.OutputShapes(signature.Shapes, sizes)
	if err != nil {
		t.Fatal(err)
	}
	y := random(t, tensor.Float32, 1, shapes["Y"]...)
	bind := func() *ricci.Call {
		call, err := kernel.Bind(args[d.Inputs()[0].Name], args[d.Inputs()[1].Name], y)
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	var verified *tensor.Tensor // of these arguments: the bits of all calls are equal
	check := func(what string, run func() error) {
		t.Helper()
		tensor.FillConst(y, 7)
		err := run()
		if err == nil && verified == nil {
			if _, err = d.Check(ctx, args, map[string]*tensor.Tensor{"Y": y}, nil); err == nil {
				verified, err = y.Clone()
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !equal(floats(t, y), floats(t, verified)) {
			t.Fatalf("%s: other results than the verified ones", what)
		}
	}
	var first *ricci.Call
	for round := range 3 {
		call := bind()
		if round == 0 {
			first = call
		}
		check(fmt.Sprintf("round %d, a first call", round), call.Run)
		check(fmt.Sprintf("round %d, a second call", round), call.Run)
		check(fmt.Sprintf("round %d, Run", round), func() error {
			return kernel.Run(ctx, args[d.Inputs()[0].Name], args[d.Inputs()[1].Name], y)
		})
		check(fmt.Sprintf("round %d, RunNamed", round), func() error {
			got, err := kernel.RunNamed(ctx, args)
			if err != nil {
				return err
			}
			return y.CopyFrom(got["Y"])
		})
		if round == 0 {
			continue // the weights stay, and a second state packs them
		}
		if err := errors.Join(call.Close(), first.Close(), args[weight].Close()); err != nil {
			t.Fatal(err)
		}
		verified = nil
		args[weight] = random(t, tensor.Float32, uint64(round)+99, signature.Shapes[weight]...)
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
