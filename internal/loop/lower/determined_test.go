package lower_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/tensor"
)

// indicatorForms are functions whose terms are the identity but where equalities hold. KEY is a type
// of integers, VALUE one of numbers, OP an operator with the identity ZERO; the others are sizes.
var indicatorForms = map[string]string{
	"histogram": `
  in K: KEY[E]
  in W: VALUE[E]
  out H: VALUE[B]
  for v in 0:B, e in 0:E reduce OP { H[v] = K[e] == KEY(v) ? W[e] : ZERO }`,
	"shifted and reversed": `
  in K: KEY[E]
  in W: VALUE[E]
  out H: VALUE[B]
  for e in 0:E reduce OP, v in -3:B - 3 { H[v + 3i64] = 5i64 - v != int64(K[e]) ? ZERO : W[e] }`,
	"shifted keys": `
  in K: KEY[E]
  in W: VALUE[E]
  out H: VALUE[B]
  for v in 0:B, e in 0:E reduce OP { H[v] = K[e] == KEY(2i64) * KEY(e) - KEY(v) + KEY(3i64) ? W[e] : ZERO }`,
	"accumulated": `
  in K: KEY[E]
  in W: VALUE[E]
  inout H: VALUE[B]
  for v in 0:B, e in 0:E reduce OP accumulate OP { H[v] = KEY(v) == K[e] ? W[e] : ZERO }`,
	"two dimensions": `
  in K: KEY[E]
  in L: int32[E]
  out H: VALUE[B, D]
  for u in 0:D, v in 0:B, e in 0:E reduce OP { H[v, u] = int64(L[e]) == u && K[e] == KEY(v) ? VALUE(e) : ZERO }`,
	"rows": `
  in K: KEY[D, E]
  in W: VALUE[E]
  out H: VALUE[D, B]
  for d in 0:D, v in 0:B, e in 0:E reduce OP { H[d, v] = K[d, e] == KEY(v) && W[e] != VALUE(1i32) ? W[e] : ZERO }`,
	"gradient of an embedding": `
  in K: KEY[E, 2]
  in G: VALUE[E, 2, D]
  out T: VALUE[B, D]
  for v in 0:B, d in 0:D, e in 0:E reduce OP, p in 0:2 reduce OP { T[v, d] = K[e, p] == KEY(v) ? G[e, p, d] : ZERO }`,
	"embedding": `
  in K: KEY[E]
  in T: VALUE[B, D]
  out Y: VALUE[E, D]
  for e in 0:E, d in 0:D, v in 0:B reduce OP { Y[e, d] = K[e] == KEY(v) ? T[v, d] : ZERO }`,
	"diagonal": `
  in K: KEY[E]
  in A: VALUE[E, E]
  out Y: VALUE[]
  for i in 0:E reduce OP, j in 0:E reduce OP { Y[] = i == j ? A[i, j] : ZERO }`,
	"sums beside": `
  in K: KEY[E]
  in W: VALUE[E, D]
  out H: VALUE[B]
  for v in 0:B, e in 0:E reduce OP, d in 0:D reduce OP { H[v] = K[e] == KEY(v) ? W[e, d] : ZERO }`,
	"bins": `
  in K: KEY[E]
  in G: KEY[B]
  in W: VALUE[E]
  out H: VALUE[B]
  for e in 0:E reduce OP, b in 0:B { H[b] = K[e] == G[b] ? W[e] : ZERO }`,
	"bins of rows": `
  in K: KEY[E]
  in G: KEY[2, B]
  in W: VALUE[E, 2]
  inout H: VALUE[2, B]
  for r in 0:2, e in 0:E reduce OP, b in 0:B accumulate OP { H[r, b] = G[r, b] != K[e] ? ZERO : W[e, r] }`,
	"never": `
  in W: VALUE[E]
  out H: VALUE[B, D]
  for v in 1:B + 1, e in 0:E reduce OP, d in 0:D { H[v - 1i64, d] = -9223372036854775808i64 == v ? W[e] : ZERO }`,
	"mask": `
  in K: KEY[E]
  in W: VALUE[E, D]
  out H: VALUE[E]
  for e in 0:E, d in 0:D reduce OP { H[e] = K[e] == KEY(1i64) ? W[e, d] : ZERO }`,
}

// TestIndicators compares reductions of indicators, by default schedules and others, with the evaluator:
// all kinds of keys, in range and out of it, operators and numbers that have NaNs and infinities.
func TestIndicators(t *testing.T) {
	for name, form := range indicatorForms {
		t.Run(name, func(t *testing.T) {
			marked, drawn := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				drawn++
				s := indicators(t, form, strings.HasPrefix(name, "bins"))
				tree, err := standard.Default(s.G, scheduletest.Machine(t))
				if err != nil || tree.Fallback != nil {
					t.Fatalf("%v %v\n%s", err, tree.Fallback, s.G)
				}
				if rapid.Bool().Draw(t, "canonical") {
					tree = schedule.Canonical(s.G)
					mark(t, s.G, tree, tree.Root)
				}
				if text := schedule.Print(tree); strings.Contains(text, " determined") || strings.Contains(text, " guarded") {
					marked++
				}
				got, err := s.Loops(t, tree)
				s.Matches(t, got, err, schedule.Print(tree))
			})
			if marked < drawn*3/100 { // of 20 with -short perhaps none
				t.Errorf("%d of %d schedules leave terms out", marked, drawn)
			}
		})
	}
}

// mark marks loops as determined, or guarded, where that is legal.
func mark(t *rapid.T, f *ein.Func, tree *schedule.Tree, n schedule.Node) {
	if a, ok := n.(*schedule.Accumulate); ok {
		before := a.Region
		a.Region = rapid.SampledFrom([]schedule.Region{schedule.Register, schedule.Private, schedule.Output, schedule.Shared}).Draw(t, "region")
		if schedule.Check(f, tree) != nil {
			a.Region = before
		}
	}
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			for _, flag := range []*bool{&m.Determined, &m.Guarded} {
				if *flag = rapid.Bool().Draw(t, "mark"); *flag && schedule.Check(f, tree) != nil {
					*flag = false
				}
			}
		}
	}
	if b, ok := n.(*schedule.Band); ok && rapid.Bool().Draw(t, "apart") {
		for k, m := range b.Members {
			before, point := b.Members, *m
			tile := *m
			tile.Tile, point.Unroll, point.Apart = int64(rapid.IntRange(2, 5).Draw(t, "tile")), true, true
			b.Members = slices.Concat(before[:k:k], []*schedule.Member{&tile, &point}, before[k+1:])
			if schedule.Check(f, tree) == nil {
				break
			}
			b.Members = before
		}
	}
	for _, child := range schedule.Children(n) {
		mark(t, f, tree, child)
	}
}

// indicators draws types, sizes and arguments for a form; many makes it worth a table of keys.
func indicators(t *rapid.T, form string, many bool) scheduletest.Subject {
	value := rapid.SampledFrom([]string{"float32", "float64", "int32", "int64"}).Draw(t, "value")
	key := rapid.SampledFrom([]string{"int32", "int64", "uint8", "int8", "uint64", "uint16"}).Draw(t, "key")
	op := rapid.SampledFrom([]string{"+", "*", "max", "min"}).Draw(t, "operator")
	suffix := map[string]string{"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}[value]
	zeros := map[string]string{"+": "0" + suffix, "*": "1" + suffix}
	size := func(what string, most int) string { return fmt.Sprint(rapid.IntRange(1, most).Draw(t, what)) }
	sizes := []string{"E", size("E", 40), "B", size("B", 30), "D", size("D", 20)}
	if many && rapid.IntRange(0, 11).Draw(t, "many") == 11 { // 250,000 points, which take a second
		sizes = []string{"E", fmt.Sprint(rapid.IntRange(500, 520).Draw(t, "E")), "B", fmt.Sprint(rapid.IntRange(490, 510).Draw(t, "B"))}
	}
	zero := zeros[op]
	if zero == "" {
		kind := map[string]ein.OperatorKind{"max": ein.MaxOp, "min": ein.MinOp}[op]
		types := map[string]tensor.DType{"float32": tensor.Float32, "float64": tensor.Float64, "int32": tensor.Int32, "int64": tensor.Int64}
		zero = ein.PrintExpr(ein.BuiltinOperator(kind, types[value]).Identity[0])
	}
	text := strings.NewReplacer(append([]string{"KEY", key, "VALUE", value, "OP", op, "ZERO", zero}, sizes...)...).Replace(form)
	f, err := ein.ParseFunc("indicators", "func f {"+text+"\n}")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	g, err := rewrite.Optimise(f, numerics.Default)
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*tensor.Tensor{}
	for _, x := range f.ByRole(ein.Input, ein.InOut) {
		args[x.Name] = keysOrNumbers(t, x)
	}
	return scheduletest.Subject{F: f, G: g, Sizes: map[string]int64{}, Args: args}
}

// keysOrNumbers draws the elements of an argument: keys are mostly in the ranges of indices, sometimes
// anywhere; of floats some are NaN, infinite or −0.
func keysOrNumbers(t *rapid.T, x *ein.Tensor) *tensor.Tensor {
	shape := make([]int, len(x.Dims))
	for d, dim := range x.Dims {
		n, _ := dim.Extent.IsConst()
		shape[d] = int(n)
	}
	a, err := tensor.New(x.Type, shape...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillRandom(a, rapid.Uint64().Draw(t, "seed"))
	odd := rapid.Bool().Draw(t, "odd")
	scale := int64(rapid.SampledFrom([]int{1, 3, 40, 200}).Draw(t, "scale"))
	at := 0
	for offset := range a.Offsets() {
		at++
		switch {
		case x.Type.IsInteger():
			a.SetIntAt(offset, int64(at*at)%23*scale-4)
			if odd && at%17 == 3 {
				a.SetIntAt(offset, int64(-1)<<(at%64))
			}
		case odd && at%13 == 5:
			a.SetFloatAt(offset, []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[at/13%4])
		}
	}
	return a
}
