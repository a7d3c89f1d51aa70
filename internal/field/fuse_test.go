package field

import "testing"

// TestApply: arguments are put in for parameters, indices are renamed, and no sum catches another's variable.
func TestApply(t *testing.T) {
	s := NewStore()
	must := func(o *Operator, err error) *Operator {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	vector, matrix, field := TensorOf(3), TensorOf(3, 3), FieldOf(2, 3)
	u, v := s.Variable(s.Param("b", vector)), s.Variable(s.Param("a", vector)) // names of the rows' parameters, crossed
	outer := must(s.Apply(must(s.Generic("outer", []Type{vector, vector})), u, v))
	trace := must(s.Apply(must(s.Generic("trace", []Type{matrix})), outer))
	dot := must(s.Apply(must(s.Generic("inner", []Type{vector, vector})), u, v))
	if trace.Body != dot.Body {
		t.Errorf("trace(u⊗v) is %s, u•v is %s", trace, dot)
	}
	square := must(s.Apply(must(s.Generic("scale", []Type{TensorOf(), TensorOf()})), dot, dot))
	if want := "λ b:tensor[3], a:tensor[3] ⟨ (Σ_{i:3} a[i]*b[i])*(Σ_{i:3} a[i]*b[i]) ⟩"; square.String() != want {
		t.Errorf("(u•v)(u•v) is %s, want %s", square, want)
	}
	gradient := must(s.Apply(must(s.Generic("∇", []Type{field})), s.Variable(s.Param("F", field))))
	curl := must(s.Apply(must(s.Generic("∇×", []Type{FieldOf(1, 3, 3)})), gradient))
	if want := "λ F:field#2(3)[] ⟨ Σ_{j:3,k:3} ε[i,j,k]*∂[j,k] ⋄ F ⟩_{i:3}"; curl.String() != want {
		t.Errorf("∇×∇F is %s, want %s", curl, want)
	}
	probe := must(s.Generic("probe", []Type{field, vector}))
	if _, err := s.Apply(probe, s.Variable(s.Param("F", field)), must(s.Apply(must(s.Generic("neg", []Type{vector})), u))); err == nil {
		t.Error("an expression became the position of a probe")
	}
	if _, err := s.Apply(probe, u, u); err == nil {
		t.Error("a tensor became a field")
	}
}
