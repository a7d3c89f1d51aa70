package eintest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/tensor"
)

// checked returns a copy in which every access is checked.
func checked(f *ein.Func) *ein.Func {
	g := f.Clone()
	for _, c := range g.Body {
		for _, a := range c.Accesses() {
			a.Checked = true
		}
	}
	return g
}

func evaluate(t *rapid.T, f *ein.Func, sizes map[string]int64) map[string]*tensor.Tensor {
	args, err := eintest.Arguments(7, f, sizes)
	if err != nil {
		t.Fatal(err)
	}
	results, err := ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return results
}

func sameResults(t *rapid.T, f, g *ein.Func, sizes map[string]int64) {
	want, got := evaluate(t, f, sizes), evaluate(t, g, sizes)
	for _, x := range f.Outputs() {
		if want[x.Name] == nil || !tensor.Equal(want[x.Name], got[x.Name]) {
			t.Fatalf("%s is %v, expected %v in\n%s\nand\n%s", x.Name, got[x.Name], want[x.Name], f, g)
		}
	}
}

// Whatever is drawn stays in bounds, and means the same when its sizes are
// numbers and when it has been printed and read.
func TestDrawnFunctionsRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.FuncWith(t, eintest.Options{Exact: rapid.Bool().Draw(t, "exact")})
		sizes := eintest.Sizes(t)
		sameResults(t, f, checked(f), sizes)
		special, err := f.Specialise(sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := evaluate(t, f, sizes)
		args, err := eintest.Arguments(7, f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ein.Evaluate(special, args, ein.EvalOptions{})
		if err != nil {
			t.Fatalf("%v\n%s", err, special)
		}
		for name := range want {
			if !tensor.Equal(want[name], got[name]) {
				t.Fatalf("%s is %v, expected %v in\n%s", name, got[name], want[name], special)
			}
		}
		read, err := ein.ParseFunc("printed", ein.Print(f))
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, f, read, sizes)
	})
}

// Exact functions have small integers in every float.
func TestExactFunctionsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.FuncWith(t, eintest.Options{Exact: true})
		sizes := eintest.Sizes(t)
		for name, result := range evaluate(t, f, sizes) {
			if !result.DType().IsFloat() {
				continue
			}
			for offset := range result.Offsets() {
				if v := result.FloatAt(offset); math.IsNaN(v) || math.Abs(v) >= 1<<24 || v != math.Trunc(v) {
					t.Fatalf("%s holds %v in\n%s", name, v, f)
				}
			}
		}
	})
}

// constructs names everything that a function is made of.
func constructs(f *ein.Func) map[string]bool {
	found := map[string]bool{}
	expr := func(e ein.Expr) {
		ein.Walk(e, func(e ein.Expr) bool {
			found[fmt.Sprintf("%T", e)] = true
			switch e := e.(type) {
			case *ein.Binary:
				found["operator "+e.Op.String()] = true
			case *ein.Access:
				found[fmt.Sprintf("checked %t", e.Checked)] = true
			case *ein.Const:
				found["literal "+e.DType.String()] = true
			}
			return true
		})
	}
	for _, x := range f.Tensors {
		found["role "+x.Role.String()] = true
		found["type "+x.Type.String()] = true
	}
	for _, c := range f.Body {
		found[fmt.Sprintf("%d values", len(c.Values))] = true
		found[fmt.Sprintf("accumulates %t", c.Accumulate != nil)] = true
		for _, i := range c.Indices {
			found[fmt.Sprintf("combine %d", i.Combine.Kind)] = true
			found[fmt.Sprintf("may be empty %t", i.MayBeEmpty)] = true
			if o := i.Combine.Op; o != nil {
				found["combine "+o.Kind.String()+" "+map[bool]string{true: o.Name}[o.Kind == ein.UserDefined]] = true
			}
		}
		for _, v := range c.Values {
			expr(v)
		}
	}
	return found
}

func TestEveryConstructIsDrawn(t *testing.T) {
	found := map[string]bool{}
	for seed := range 800 {
		for name := range constructs(rapid.Custom(eintest.Func).Example(seed)) {
			found[name] = true
		}
	}
	want := []string{"1 values", "2 values", "accumulates true", "may be empty true", "checked true", "checked false",
		"combine 0", "combine 1", "combine 2", "role in", "role out", "role inout", "role temp",
		"*ein.Const", "*ein.IndexRef", "*ein.SizeRef", "*ein.LocalRef", "*ein.Access", "*ein.Unary", "*ein.Binary",
		"*ein.Call", "*ein.Select", "*ein.Cast", "*ein.Let", "combine + ", "combine * ", "combine min ", "combine max ",
		"combine && ", "combine || ", "combine argmin ", "combine argmax ", "combine op xor", "combine op last",
		"combine op less", "combine op apart", "combine op hash", "combine op both", "combine op compose"}
	for _, x := range tensor.DTypes() {
		want = append(want, "type "+x.String())
		if !x.IsHalf() {
			want = append(want, "literal "+x.String())
		}
	}
	for op := ein.Add; op <= ein.Or; op++ {
		want = append(want, "operator "+op.String())
	}
	for _, name := range want {
		if !found[name] {
			t.Errorf("no function has %q", name)
		}
	}
}

func TestOptionsLeaveOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := eintest.Options{NoScans: true, NoUserOperators: true, NoHalf: true, Exact: rapid.Bool().Draw(t, "exact"), Statements: 2}
		f := eintest.FuncWith(t, options)
		if err := ein.Verify(f); err != nil {
			t.Fatal(err)
		}
		for name := range constructs(f) {
			if name == "combine 2" || name == "type float16" || name == "type bfloat16" || strings.HasPrefix(name, "combine op") {
				t.Fatalf("%s in\n%s", name, f)
			}
		}
	})
}
