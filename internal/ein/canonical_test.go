package ein_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
)

// renamed gives everything another name, in another alphabetical order.
func renamed(f *ein.Func) *ein.Func {
	env, count := map[string]affine.Expr{}, 1000
	fresh := func(prefix string) string {
		count--
		return fmt.Sprintf("%s%03d", prefix, count)
	}
	names := map[string]string{}
	for _, s := range f.Sizes {
		names[s.Name] = fresh("size")
		env[s.Name] = affine.Symbol(names[s.Name])
	}
	g := f.Substitute(env)
	g.Name = fresh("function")
	for _, s := range g.Sizes {
		s.Name = names[s.Name]
	}
	for _, x := range g.Tensors {
		x.Name = fresh("tensor")
	}
	for _, r := range g.Requires {
		r.Reason = fresh("reason")
	}
	seen := map[any]bool{}
	local := func(l *ein.Local) {
		if !seen[l] {
			seen[l] = true
			l.Name = fresh("local")
		}
	}
	lets := func(list []ein.Expr) {
		for _, e := range list {
			ein.Walk(e, func(e ein.Expr) bool {
				if let, ok := e.(*ein.Let); ok {
					local(let.Var)
				}
				return true
			})
		}
	}
	operator := func(o *ein.Operator) {
		if o == nil || seen[o] {
			return
		}
		seen[o] = true
		o.Name = fresh("operator")
		for k := range o.Left {
			local(o.Left[k])
			local(o.Right[k])
		}
		lets(o.Body)
	}
	for _, c := range g.Body {
		for _, i := range c.Indices {
			i.Name = fresh("index")
			operator(i.Combine.Op)
		}
		operator(c.Accumulate)
		lets(c.Values)
	}
	return g
}

func TestCanonicalIgnoresNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		g := renamed(f)
		want, got := ein.Canonical(f), ein.Canonical(g)
		if want != got {
			t.Fatalf("%s\nrenamed\n%s\nhas the form\n%s\ninstead of\n%s", f, g, got, want)
		}
		parsed, err := ein.ParseFunc("canonical", want)
		if err != nil || ein.Canonical(parsed) != want {
			t.Fatalf("the canonical form changes when read back: %v\n%s", err, want)
		}
	})
}

const base = `func f {
  size N = dim 0 of A
  size M = dim 1 of A
  in A: float32[N, M]
  in B: float32[M]
  out C: float32[N]
  require N - M >= 0 because "r"
  op o(a: float32 | b: float32) = (a + b) identity (0f32) associative
  for i in 0:N, j in 0:M reduce o {
    C[i] = let x = A[i, j] in x * B[j] + 1f32
  }
}
`

func TestCanonicalSeesChanges(t *testing.T) {
	changes := []struct{ old, new string }{
		{"dim 1 of A", "dim 0 of B"},
		{"dim 1 of A", "dim 1 of A or zero"},
		{"in A: float32[N, M]", "in A: float32[M, N]"},
		{"in A: float32[N, M]", "in A: float16[N, M]"},
		{"in A: float32[N, M]", "inout A: float32[N, M]"},
		{"in B: float32[M]", "in B: float32[1:M + 1]"},
		{"require N - M", "require N - M + 1"},
		{"(a + b)", "(b + a)"},
		{"identity (0f32) ", ""},
		{"associative", "associative commutative"},
		{"reduce o", "reduce +"},
		{"reduce o", "scan o"},
		{"0:N, j in 0:M reduce o", "0:N, j in 0:M reduce o or empty"},
		{"0:M reduce", "1:M reduce"},
		{"for i in 0:N, j in 0:M reduce o", "for j in 0:M reduce o, i in 0:N"},
		{"reduce o {", "reduce o accumulate o {"},
		{"A[i, j] in", "A![i, j] in"},
		{"A[i, j] in", "A[j, i] in"},
		{"1f32", "2f32"},
		{"1f32", "float32(1i64)"},
		{"1f32", "float32({1})"},
		{"x * B[j] + 1f32", "(x + 1f32) * B[j]"},
		{"x * B[j]", "x * exp(B[j])"},
	}
	canonical := func(text string) string {
		f, err := ein.ParseFunc("f", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return ein.Canonical(f)
	}
	seen := map[string]string{canonical(base): "nothing"}
	for _, change := range changes {
		text := strings.Replace(base, change.old, change.new, 1)
		if text == base {
			t.Errorf("%q does not occur", change.old)
			continue
		}
		form := canonical(text)
		if before, ok := seen[form]; ok {
			t.Errorf("%q gives the same form as %s", change, before)
		}
		seen[form] = change.new
	}
}

func TestWork(t *testing.T) {
	tests := []struct {
		text         string
		flops, bytes int64
	}{
		{"in A: float32[2, 3] in B: float32[3, 4] out C: float32[2, 4] for i in 0:2, j in 0:4, k in 0:3 reduce + { C[i, j] = A[i, k] * B[k, j] }", 2 * 24, 4 * (6 + 12 + 8)},
		{"in A: float64[5, 6] out S: float64[] for i in 0:5 reduce +, j in 0:6 reduce + { S[] = A[i, j] }", 30, 31 * 8},
		{"in A: float64[5, 6] out S: float64[] for i in 0:5 reduce +, j in 0:6 reduce max { S[] = A[i, j] }", 35, 31 * 8},
		{"inout A: float32[5] for i in 0:5 accumulate + { A[i] = A[i] > 0f32 ? exp(A[i]) : A[i] * 2f32 - 1f32 }", 20, 40},
		{"in A: int32[5] out B: int32[5] for i in 0:5 scan + { B[i] = A[i] * 2i32 }", 10, 40},
		// Where terms are the identity but where keys are equal, each key is looked up once.
		{"in A: int32[5] in B: int32[3] out C: int32[3] for j in 0:3, i in 0:5 reduce + { C[j] = A[i] == B[j] ? 1i32 : 0i32 }", 10, 44},
		{"in A: int32[5] in B: int32[3] out C: int32[3] for j in 0:3, i in 0:5 reduce + { C[j] = A[i] == B[j] ? 1i32 : 2i32 }", 30, 44},
		{"in A: int32[5] out C: int32[3] for j in 0:3, i in 0:5 reduce + { C[j] = int64(A[i]) == j ? 1i32 : 0i32 }", 10, 32},
		{"in A: int32[6] out B: int32[3] for j in 0:3 { B[j] = A[2i64 * j] }", 0, 36},
		{"in A: int32[5] out V: int32[] out P: int64[] for i in 0:5 reduce argmin { V[] = A[i] P[] = i }", 5, 32},
		{"in A: float32[5] out B: float32[5] for i in 0:5 scan + { B[i] = -A[i] }", 10, 40},
		{"in A: float32[5] out V: float32[] out P: int64[] for i in 0:5 reduce argmin { V[] = A[i] P[] = i }", 5, 32},
		// What does not change with an index is computed once.
		{"in a: float32[] in A: float32[20, 30] in B: float32[30, 40] out C: float32[20, 40] for i in 0:20, j in 0:40, k in 0:30 reduce + { C[i, j] = a[] * A[i, k] * B[k, j] }", 2*24000 + 600, 4 * (1 + 600 + 1200 + 800)},
		// Of a diagonal the lines, of rows that an index chooses the elements.
		{"in A: float32[100, 100] out B: float32[100] for i in 0:100 { B[i] = A[i, i] }", 0, 64*100 + 400},
		{"in A: float32[1000, 16] in I: int64[10] out B: float32[10, 16] for i in 0:10, j in 0:16 { B[i, j] = A[I[i], j] }", 0, 640 + 80 + 640},
		{"inout A: float32[100, 16] for j in 0:16 accumulate + { A[7i64, j] = 1f32 }", 16, 128},
	}
	for _, test := range tests {
		f, err := ein.ParseFunc("work", "func f { "+test.text+" }")
		if err != nil {
			t.Fatal(err)
		}
		if flops, bytes := f.Work(nil); flops != test.flops || bytes != test.bytes {
			t.Errorf("%s: got %d flops, %d bytes, expected %d and %d", test.text, flops, bytes, test.flops, test.bytes)
		}
	}
}
