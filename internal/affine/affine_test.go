package affine

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func sym(s string) Expr { return Symbol(s) }

func TestCanonicalText(t *testing.T) {
	n, m := sym("N"), sym("M")
	for _, test := range []struct {
		e    Expr
		want string
	}{
		{n.Sub(n), "0"},
		{m.Add(n).AddConst(1).Sub(n), "M + 1"},
		{Const(2).Sub(n), "2 - N"},
		{n.Add(m).Mul(n.Sub(m)), "N*N - M*M"},
		{Div(n.Scale(6).AddConst(7), Const(3)), "2*N + 2"},
		{Rem(n.Scale(6).AddConst(7), Const(3)), "1"},
		{Div(n.AddConst(-1), Const(2)).AddConst(1), "(N + 1)/2"},
		{MinOf(n, n.AddConst(3)), "N"},
		{MaxOf(n, m), "max(M, N)"},
		{Div(Const(-7), Const(2)), "-4"},
		{Rem(Const(-7), Const(2)), "1"},
	} {
		if got := test.e.String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestDeepNestingIsFast(t *testing.T) {
	e := sym("i")
	for range 200 {
		e = MinOf(sym("N").AddConst(-1), MaxOf(Const(0), e.AddConst(1)))
	}
	if n := len(e.String()); n > 10000 {
		t.Errorf("the text has %d bytes", n)
	}
}

func TestOverflowIsNotSilent(t *testing.T) {
	huge := Const(math.MaxInt64)
	for _, e := range []Expr{huge.AddConst(1), huge.Scale(2), sym("N").Scale(math.MaxInt64).Mul(Const(4)), Const(math.MinInt64).Scale(-1)} {
		if v, err := e.Eval(map[string]int64{"N": 1}); err == nil {
			t.Errorf("%s evaluates to %d", e, v)
		}
	}
	if v, err := sym("N").Mul(sym("N")).Eval(map[string]int64{"N": math.MaxInt64}); err == nil {
		t.Errorf("N*N evaluates to %d", v)
	}
}

func TestSign(t *testing.T) {
	f := NewFacts()
	for _, s := range []string{"N", "M", "K"} {
		f.AtLeast(s, 1)
	}
	f.Assume(sym("H").Sub(sym("K"))) // H >= K
	n, m, h, k := sym("N"), sym("M"), sym("H"), sym("K")
	for _, test := range []struct {
		e    Expr
		want Verdict
	}{
		{n.AddConst(-1), Always},
		{n.Scale(-1), Never},
		{n.Sub(m), Sometimes},
		{h.Sub(k).AddConst(1), Always},
		{h, Always},
		{h.AddConst(-1), Always},
		{k.Sub(h).AddConst(-1), Never},
		{n.Mul(m).Sub(n), Always},
		{n.Sub(Div(n, Const(2)).Scale(2)), Always},
		{Div(n.AddConst(-1), Const(2)), Always},
		{n.Sub(MinOf(n, m)), Always},
		{MaxOf(n, m).Sub(m), Always},
		{Rem(sym("x"), n), Always},
		{n.AddConst(-1).Sub(Rem(sym("x"), n)), Always},
		{sym("x"), Sometimes},
		{n.Sub(Div(n.AddConst(-1), Const(3)).Scale(3)).AddConst(-1), Always},
		{Div(n.AddConst(2), Const(3)).Scale(3).AddConst(-3), Always}, // q >= 1, not N >= 3
		{Div(h.Sub(k), Const(2)).Scale(2).Add(k).AddConst(-1), Always},
		{Div(n.AddConst(1), Const(2)).Scale(2).Add(k).AddConst(-3), Always}, // the padded image of a layer with a step of 2
		{n.Scale(2).AddConst(-3), Sometimes},
		{n.AddConst(-1).Sub(MinOf(sym("x"), n.Scale(2).AddConst(-1).Sub(sym("x")))), Always}, // a reflection
	} {
		if got := f.Sign(test.e); got != test.want {
			t.Errorf("%s >= 0: got %s, want %s", test.e, got, test.want)
		}
	}
}

func TestSolveIntervalOfThePaper(t *testing.T) {
	f := NewFacts()
	for _, s := range []string{"N", "H", "KH", "sh"} {
		f.AtLeast(s, 1)
	}
	x := func(extent Expr) Range { return Range{Symbol: "x", Extent: extent} }
	for _, test := range []struct {
		e, extent Expr
		box       []Range
		lo, hi    string
	}{
		{sym("i").Add(sym("x")), sym("H"), []Range{x(sym("KH"))}, "0", "H - KH"},
		{sym("i").Scale(2).Add(sym("x")), sym("H"), []Range{x(sym("KH"))}, "0", "(H - KH)/2"},
		{sym("i").Scale(123), sym("N"), nil, "0", "(N + 122)/123 - 1"},
		{sym("i").AddConst(-1), sym("N"), nil, "1", "N"},
		{sym("i").Sub(sym("x")), sym("H"), []Range{x(sym("KH"))}, "KH - 1", "H - 1"},
		{Div(sym("i"), Const(2)), sym("N"), nil, "0", "2*N - 1"},
		{sym("sh").Mul(sym("i")).Add(sym("x")), sym("H"), []Range{x(sym("KH"))}, "0", "(H - KH)/sh"},
	} {
		lo, hi, ok := f.SolveInterval(test.e, "i", test.extent, test.box)
		if !ok || lo.String() != test.lo || hi.String() != test.hi {
			t.Errorf("%s < %s: got [%s, %s] %v, want [%s, %s]", test.e, test.extent, lo, hi, ok, test.lo, test.hi)
		}
	}
}

// drawExpr makes an expression over the symbols; divisors are positive numbers.
func drawExpr(t *rapid.T, symbols []string, depth int) Expr {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		if rapid.Bool().Draw(t, "constant") {
			return Const(int64(rapid.IntRange(-4, 4).Draw(t, "n")))
		}
		return Symbol(rapid.SampledFrom(symbols).Draw(t, "symbol"))
	}
	x, y := drawExpr(t, symbols, depth-1), drawExpr(t, symbols, depth-1)
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0, 1:
		return x.Add(y)
	case 2:
		return x.Sub(y)
	case 3:
		return x.Scale(int64(rapid.IntRange(-3, 3).Draw(t, "scale")))
	case 4:
		return Div(x, Const(int64(rapid.IntRange(1, 4).Draw(t, "divisor"))))
	case 5:
		return Rem(x, Const(int64(rapid.IntRange(1, 4).Draw(t, "modulus"))))
	}
	return MinOf(x, y)
}

func TestProofsHoldEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		symbols := []string{"N", "M", "x"}
		f := NewFacts()
		f.AtLeast("N", 1)
		f.AtLeast("M", 0)
		if rapid.Bool().Draw(t, "assume") {
			f.Assume(drawExpr(t, symbols, 1))
		}
		e := drawExpr(t, symbols, 3)
		verdict := f.Sign(e)
		for n := int64(1); n < 6; n++ {
			for m := int64(0); m < 6; m++ {
				for x := int64(-5); x < 6; x++ {
					env := map[string]int64{"N": n, "M": m, "x": x}
					v, err := e.Eval(env)
					if err != nil || !f.holds(env) {
						continue
					}
					if verdict == Always && v < 0 || verdict == Never && v >= 0 {
						t.Fatalf("%s >= 0 is %s, but it is %d at %v", e, verdict, v, env)
					}
				}
			}
		}
	})
}

func TestExtremesContainEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, []string{"i", "j", "N"}, 3)
		box := []Range{
			{Symbol: "i", Min: Const(int64(rapid.IntRange(-2, 2).Draw(t, "min"))), Extent: Symbol("N")},
			{Symbol: "j", Extent: Const(int64(rapid.IntRange(1, 4).Draw(t, "extent")))},
		}
		f := NewFacts()
		f.AtLeast("N", 1)
		lo, hi, ok := f.Extremes(e, box)
		if !ok {
			return
		}
		for n := int64(1); n < 5; n++ {
			env := map[string]int64{"N": n}
			each(box, env, func() {
				v, _ := e.Eval(env)
				l, _ := lo.Eval(env)
				h, _ := hi.Eval(env)
				if v < l || v > h {
					t.Fatalf("%s = %d at %v outside [%s, %s] = [%d, %d]", e, v, env, lo, hi, l, h)
				}
			})
		}
	})
}

func TestSolveIntervalIsTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factor := rapid.SampledFrom([]int64{-3, -2, -1, 1, 2, 3})
		e := Symbol("i").Scale(factor.Draw(t, "factor"))
		if rapid.Bool().Draw(t, "quotient") {
			q := Div(e.Add(drawExpr(t, []string{"j"}, 0)), Const(rapid.Int64Range(2, 4).Draw(t, "divisor")))
			e = q.Scale(factor.Draw(t, "outer factor")).Add(drawExpr(t, []string{"k"}, 0))
		} else {
			e = e.Add(drawExpr(t, []string{"j", "k"}, 1))
		}
		box := []Range{{Symbol: "j", Extent: Const(3)}, {Symbol: "k", Min: Const(-1), Extent: Const(4)}}
		extent := Const(int64(rapid.IntRange(1, 20).Draw(t, "extent")))
		f := NewFacts()
		lo, hi, ok := f.SolveInterval(e, "i", extent, box)
		if !ok {
			return
		}
		l, _ := lo.IsConst()
		h, _ := hi.IsConst()
		n, _ := extent.IsConst()
		for i := int64(-120); i < 200; i++ {
			env := map[string]int64{"i": i}
			inside := true
			each(box, env, func() {
				v, _ := e.Eval(env)
				inside = inside && 0 <= v && v < n
			})
			if inside != (l <= i && i <= h) {
				t.Fatalf("%s in [0,%d): i = %d, but the interval is [%d, %d]", e, n, i, l, h)
			}
		}
	})
}

// each visits every point of the box.
func each(box []Range, env map[string]int64, visit func()) {
	if len(box) == 0 {
		visit()
		return
	}
	lo, _ := box[0].Min.Eval(env)
	extent, _ := box[0].Extent.Eval(env)
	for v := lo; v < lo+extent; v++ {
		env[box[0].Symbol] = v
		each(box[1:], env, visit)
	}
}

func ExampleFacts_Sign() {
	f := NewFacts()
	f.AtLeast("KH", 1)
	f.Assume(Symbol("H").Sub(Symbol("KH")))
	fmt.Println(f.Sign(Symbol("H").AddConst(-1)))
	// Output: always
}
