package field_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/tensor"
)

// given is a binding in which every number is a local of its name: x0, V_M01, V_t0.
func given(o ...*field.Operator) *field.Binding {
	b := &field.Binding{Real: tensor.Float32, Tensors: map[*field.Param][]ein.Expr{}, Grids: map[*field.Param]*field.Grid{}, Kernels: map[*field.Param]*field.Kernel{}}
	numbers := func(name string, t tensor.DType, shape ...int) (list []ein.Expr) {
		for n := range size(shape) {
			digits := strings.Trim(strings.ReplaceAll(fmt.Sprint(indices(n, shape)), " ", ""), "[]")
			list = append(list, &ein.LocalRef{Local: &ein.Local{Name: name + digits, DType: t}})
		}
		return list
	}
	for _, operator := range o {
		for _, p := range operator.Params {
			switch {
			case p.Kind == field.TensorParam && b.Tensors[p] == nil:
				b.Tensors[p] = numbers(p.Name, tensor.Float32, p.Shape...)
			case p.Kind == field.ImageParam && b.Grids[p] == nil:
				b.Grids[p] = &field.Grid{Image: p, Matrix: numbers(p.Name+"_M", tensor.Float32, p.Dim, p.Dim), Shift: numbers(p.Name+"_t", tensor.Float32, p.Dim),
					Sizes: numbers(p.Name+"_n", tensor.Int32, p.Dim)}
			case p.Kind == field.KernelParam:
				b.Kernels[p] = field.LookupKernel(p.Name)
			}
		}
	}
	return b
}

// text writes an expansion for people.
func text(x *field.Expansion) string {
	var b strings.Builder
	define := func(list []field.Definition) {
		for _, d := range list {
			fmt.Fprintf(&b, "%s = %s\n", d.To.Name, strings.ReplaceAll(ein.PrintExpr(d.Value), "f32", ""))
		}
	}
	for _, stage := range x.Stages {
		define(stage.Places)
		for _, s := range stage.Samples {
			fmt.Fprintf(&b, "%s at", s.Kernel.Name)
			for _, l := range s.At {
				b.WriteString(" " + l.Name)
			}
			for _, w := range s.Wanted {
				fmt.Fprintf(&b, ", %s = %d%v", w.To.Name, w.Voxel, w.Orders)
			}
			b.WriteString("\n")
		}
	}
	define(x.Definitions)
	for _, list := range x.Results {
		for n, e := range list {
			if n > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.ReplaceAll(ein.PrintExpr(e), "f32", ""))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestExpansion has what some operators become, and how many operations.
func TestExpansion(t *testing.T) {
	for _, c := range []struct {
		operators string
		want      string
	}{
		// ε picks the terms, signs stand outside.
		{"λ a:tensor[2], b:tensor[2] ⟨ Σ_{i:2,j:2} ε[i,j]*a[i]*b[j] ⟩", "t1 = a0 * b1 - a1 * b0\nt1\n"},
		// δ of constants, and a constant that is rounded once, where it meets a variable.
		{"λ a:tensor[2] ⟨ (1÷3)*2*(a[i] + a[i]*δ[i,0]) ⟩_{i:2}", "t1 = 1.3333334 * a0\nt2 = 0.6666667 * a1\nt1, t2\n"},
		// What is equal is computed once; what cancels vanishes.
		{"λ a:tensor[2] ⟨ exp(a[0]) + 2*exp(a[0]) - a[1] + a[1] ⟩", "t1 = 3 * exp(a0)\nt1\n"},
		{"λ a:tensor[] ⟨ a^5 + a*a*a*a ⟩", "t1 = a * a\nt2 = t1 * t1\nt3 = t2 * a + t2\nt3\n"},
		// 0 and constants have no operations; functions have exact values where these are rational.
		{"λ a:tensor[] ⟨ 0*a + sqrt(9÷4) ⟩", "1.5\n"},
		{"λ a:tensor[] ⟨ a/0 ⟩", "t1 = a / 0\nt1\n"},
		{"λ a:tensor[] ⟨ sgn(-2*a) ⟩", "t1 = -(a > 0 ? 1 : a < 0 ? -1 : a)\nt1\n"},
		// Value and derivatives are of one sample, and symmetric ones are one.
		{"λ V:image(1)[], ctmr:kernel#1, x:tensor[]! ⟨ V ⊛ ctmr @ x ⟩; λ V:image(1)[], ctmr:kernel#1, x:tensor[]! ⟨ V ⊛ ctmr^{0} @ x ⟩",
			"x1 = x * V_M00 + V_t0\nctmr at x1, s1 = 0[0], s2 = 0[1]\nt1 = V_M00 * s2\ns1\nt1\n"},
		{"λ V:image(2)[], tent:kernel#0, x:tensor[2]! ⟨ ((V ⊛ tent)*pos2[i]) @ x ⟩_{i:2}",
			"x1 = x0 * V_M00 + x1 * V_M01 + V_t0\nx2 = x0 * V_M10 + x1 * V_M11 + V_t1\ntent at x1 x2, s1 = 0[0 0]\nt1 = x0 * s1\nt2 = x1 * s1\nt1, t2\n"},
		// A field that is composed is sampled at a place that is computed, once for the value and the derivative. What its place
		// depends on is computed once, and sampled before.
		{"λ V:image(1)[], ctmr:kernel#1, x:tensor[]! ⟨ V ⊛ ctmr @ [x + 1] ⟩; λ V:image(1)[], ctmr:kernel#1, x:tensor[]! ⟨ V ⊛ ctmr^{0} @ [x + 1] ⟩",
			"p1 = x + 1\nx1 = p1 * V_M00 + V_t0\nctmr at x1, s1 = 0[0], s2 = 0[1]\nt1 = V_M00 * s2\ns1\nt1\n"},
		{"λ V:image(1)[], W:image(1)[], tent:kernel#0, x:tensor[]! ⟨ (V ⊛ tent @ x)^2 + W ⊛ tent @ [(V ⊛ tent @ x)^2] ⟩",
			"x1 = x * V_M00 + V_t0\ntent at x1, s1 = 0[0]\np1 = s1 * s1\nx2 = p1 * W_M00 + W_t0\ntent at x2, s2 = 0[0]\nt1 = p1 + s2\nt1\n"},
		{"λ V:image(1)[], W:image(1)[], tent:kernel#0, x:tensor[]! ⟨ V ⊛ tent @ [2*x] + 0*(W ⊛ tent @ [V ⊛ tent @ [x + 1]]) ⟩",
			"p1 = 2 * x\nx1 = p1 * V_M00 + V_t0\ntent at x1, s1 = 0[0]\ns1\n"},
		// An image that does not matter is not sampled.
		{"λ V:image(1)[], tent:kernel#0, x:tensor[]! ⟨ (V ⊛ tent - V ⊛ tent + 1) @ x ⟩", "1\n"},
	} {
		s := field.NewStore()
		var operators []*field.Operator
		for _, text := range strings.Split(c.operators, "; ") {
			o, err := s.ParseOperator(text)
			if err != nil {
				t.Fatal(err)
			}
			operators = append(operators, o)
		}
		x, err := field.Expand(operators, given(operators...))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(x); got != c.want {
			t.Errorf("%s becomes\n%sexpected\n%s", c.operators, got, c.want)
		}
	}
}

// TestHessian counts what value, gradient and Hessian of an image cost together.
func TestHessian(t *testing.T) {
	s := field.NewStore()
	var operators []*field.Operator
	for _, body := range []string{"V ⊛ bspln3 @ x ⟩", "V ⊛ bspln3^{i} @ x ⟩_{i:3}", "V ⊛ bspln3^{i,j} @ x ⟩_{i:3,j:3}"} {
		o, err := s.ParseOperator("λ V:image(3)[], bspln3:kernel#2, x:tensor[3]! ⟨ " + body)
		if err != nil {
			t.Fatal(err)
		}
		operators = append(operators, o)
	}
	b := given(operators...)
	x, err := field.Expand(operators, b)
	if err != nil {
		t.Fatal(err)
	}
	// 3 and 9 dot products of 3, and 6 of the symmetric Hessian.
	if len(x.Samples()) != 1 || len(x.Samples()[0].Wanted) != 10 || x.Shared != 18*5 || x.Trees != 3*5+9*(5+3*5) {
		t.Errorf("%d samples with %d numbers, %d operations, %g as trees", len(x.Samples()), len(x.Samples()[0].Wanted), x.Shared, x.Trees)
	}
	if local := func(n int) *ein.Local { return x.Results[2][n].(*ein.LocalRef).Local }; local(1) != local(3) || local(1) == local(2) {
		t.Error("the Hessian is not symmetric")
	}
	// A second time the place is known.
	b.Places = field.NewPlaces()
	first, err := field.Expand(operators[:1], b)
	again, err2 := field.Expand(operators[1:], b)
	if err != nil || err2 != nil || len(first.Stages[0].Places) != 3 || len(again.Stages[0].Places) != 0 || again.Samples()[0].At[2] != first.Samples()[0].At[2] {
		t.Errorf("places are %v, then %v: %v, %v", first.Stages[0].Places, again.Stages[0].Places, err, err2)
	}
}

// TestAlike: axes that the operator has twice are exchanged whatever the laws make of it, so that one of equal components is
// computed. The chain rule goes along one axis after the other, and a Hessian looks different along i and j.
func TestAlike(t *testing.T) {
	s := field.NewStore()
	for _, c := range []struct {
		operator  string
		alike     int // pairs of axes
		different int // components
	}{
		{"λ V:image(2)[], c4hexic:kernel#4, x:tensor[2]! ⟨ ∂[i,j] ⋄ (V ⊛ c4hexic ∘ [pos2[0]*pos2[1], sin(pos2[0])]) @ x ⟩_{i:2,j:2}", 1, 3},
		{"λ V:image(2)[], c4hexic:kernel#4, x:tensor[3]! ⟨ ∂[i,j,k] ⋄ (V ⊛ c4hexic ∘ [pos3[0]*pos3[1], sin(pos3[2])]) @ x ⟩_{i:3,j:3,k:3}", 3, 10},
		{"λ V:image(2)[2], c4hexic:kernel#4, x:tensor[2]! ⟨ ∂[j] ⋄ (V[i] ⊛ c4hexic ∘ [pos2[0]*pos2[1], pos2[0]]) @ x ⟩_{i:2,j:2}", 0, 4},
		{"λ a:tensor[2], b:tensor[2] ⟨ a[i]*b[j] + a[j]*b[i] ⟩_{i:2,j:2}", 1, 3},
	} {
		o, err := s.ParseOperator(c.operator)
		if err != nil {
			t.Fatal(err)
		}
		normal, _, err := s.Normalise(o, field.NormaliseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := field.Expand([]*field.Operator{normal}, given(normal))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, e := range x.Results[0] {
			seen[ein.PrintExpr(e)] = true
		}
		if len(normal.Alike) != c.alike || len(seen) != c.different {
			t.Errorf("%s has %v, and %d components that differ", c.operator, normal.Alike, len(seen))
		}
	}
}

// TestNotNormal: what is no number yet is refused.
func TestNotNormal(t *testing.T) {
	for _, text := range []string{
		"λ V:image(1)[], tent:kernel#1, x:tensor[]! ⟨ ∂[0] ⋄ (V ⊛ tent) @ x ⟩",
		"λ V:image(1)[], tent:kernel#1 ⟨ V ⊛ tent ⟩",
		"λ F:field(1)[], x:tensor[]! ⟨ F @ x ⟩",
	} {
		o, err := field.NewStore().ParseOperator(text)
		if err != nil {
			t.Fatal(err)
		}
		var not *field.NotNormal
		if _, err := field.Expand([]*field.Operator{o}, given(o)); !errors.As(err, &not) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestInside: the largest support of each image counts, borders do not, and a field that is closed is everywhere. A field that
// is composed is asked at its place, behind the samples that this needs.
func TestInside(t *testing.T) {
	s := field.NewStore()
	for _, c := range []struct{ operator, want string }{
		{"λ V:image(1)[], W:image(1)[], ctmr:kernel#1, bspln5:kernel#1, tent:kernel#1 ⟨ 0*(V ⊛ ctmr) + V ⊛ bspln5*(W ⊛ tent) ⟩",
			"x1 = x * V_M00 + V_t0\nx2 = x * W_M00 + W_t0\n2 < x1 && x1 < float32(V_n0) - 3 && 0 < x2 && x2 < float32(W_n0) - 1\n"},
		{"λ ⟨ pos1[0] ⟩", ""},
		{"λ V:image(1)[], tent:kernel#1 ⟨ V ⊛ tent + V ⊛ tent ∘ [2*pos1[0] + 1] ⟩",
			"p1 = 2 * x + 1\nx1 = x * V_M00 + V_t0\nx2 = V_t0 + V_M00 * p1\n0 < x1 && x1 < float32(V_n0) - 1 && 0 < x2 && x2 < float32(V_n0) - 1\n"},
		{"λ V:image(1)[], W:image(1)[], tent:kernel#1, ctmr:kernel#1 ⟨ W ⊛ tent ∘ [V ⊛ ctmr*(V ⊛ ctmr)] + V ⊛ tent ⟩",
			"x1 = x * V_M00 + V_t0\n1 < x1 && x1 < float32(V_n0) - 2\n" +
				"x1 = x * V_M00 + V_t0\nctmr at x1, s1 = 0[0]\np1 = s1 * s1\nx2 = p1 * W_M00 + W_t0\n0 < x2 && x2 < float32(W_n0) - 1\n"},
	} {
		o, err := s.ParseOperator(c.operator)
		if err != nil {
			t.Fatal(err)
		}
		x := s.FixedParam("x", field.TensorOf())
		o.Params = append(o.Params, x)
		tests, err := s.Inside(o, x, given(o))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, test := range tests {
			got += text(&field.Expansion{Stages: test.Stages}) + strings.ReplaceAll(ein.PrintExpr(test.Holds), "f32", "") + "\n"
		}
		if got != c.want {
			t.Errorf("inside of %s is\n%s\nexpected\n%s", c.operator, got, c.want)
		}
	}
	o, _ := s.ParseOperator("λ V:image(1)[], W:image(1)[], ctmr:kernel#1, tent:kernel#1 ⟨ V ⊛ ctmr + W ⊛ tent ⟩")
	x := s.FixedParam("x", field.TensorOf())
	o.Params = append(o.Params, x)
	b := given(o)
	b.Grids[o.Params[1]].Image = b.Grids[o.Params[0]].Image // one image with two borders
	if tests, err := s.Inside(o, x, b); err != nil || strings.Count(ein.PrintExpr(tests[0].Holds), "<") != 2 {
		t.Errorf("tests are %v: %v", tests, err)
	}
}
