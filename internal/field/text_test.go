package field

import (
	"strings"
	"testing"
)

// TestText: what is printed parses to the same operator in the same store, and terms that differ in names of bound indices
// and in the order of factors are one.
func TestText(t *testing.T) {
	for _, text := range []string{
		"λ T:tensor[3], U:tensor[3] ⟨ Σ_{i:3} T[i]*U[i] ⟩",
		"λ F:field#2(3)[3] ⟨ Σ_{j:3,k:3} ε[i,j,k]*∂[j] ⋄ F[k] ⟩_{i:3}",
		"λ F:field(3)[3], x:tensor[3]! ⟨ ∂[i,j] ⋄ F[k] @ x ⟩_{i:3,j:3,k:3}",
		"λ H:kernel#4, V:image(2)[2] ⟨ V[j] ⊛ H^{0,i} ⟩_{i:2,j:2}",
		"λ T:tensor[] ⟨ (-3)*T + (1÷2)/T - T*T/(T + 1)^-2 ⟩",
		"λ T:tensor[2] ⟨ -(3)*(-T[0]) - min(T[0], T[1]) ⟩",
		"λ F:field(1)[], T:tensor[] ⟨ sqrt(pos1[0]*F + lift(T)) ⟩",
		"λ F:field#2(2)[2], G:field(3)[] ⟨ ∂[j] ⋄ (∂[1] ⋄ F[i] ∘ [G*2 + pos3[1], -lift(3)]) + G ⟩_{i:2,j:3}",
		"λ F:field(2)[], x:tensor[3]! ⟨ F ∘ [pos1[0]^2, pos1[0] + 1] ∘ [pos3[2]] @ x ⟩",
		"λ F:field(2)[], T:tensor[2] ⟨ (F + F) @ [T[0]/T[1], F @ [1, T[1]]] ⟩",
		"λ a:tensor[3], b:tensor[3] ⟨ Σ_{i:3} (Σ_{j:3} a[j]*b[i])*b[i] ⟩",
	} {
		s := NewStore()
		o, err := s.ParseOperator(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := s.ParseOperator(o.String())
		if err != nil || again.Body != o.Body || again.String() != o.String() {
			t.Errorf("%s is printed as %s, which is another operator: %v", text, o, err)
		}
	}
	s := NewStore()
	for composed, plain := range map[string]string{ // what is one by construction
		"λ F:field(2)[] ⟨ F ∘ [pos2[0], pos2[1]] ⟩":         "λ F:field(2)[] ⟨ F ⟩",
		"λ F:field(2)[], x:tensor[2]! ⟨ F @ [x[0], x[1]] ⟩": "λ F:field(2)[], x:tensor[2]! ⟨ F @ x ⟩",
		"λ F:field(1)[], x:tensor[]! ⟨ F @ [x] ⟩":           "λ F:field(1)[], x:tensor[]! ⟨ F @ x ⟩",
	} {
		a, err := s.ParseOperator(composed)
		b, err2 := s.ParseOperator(plain)
		if err != nil || err2 != nil || a.Body != b.Body {
			t.Errorf("%s is not %s: %v, %v", a, b, err, err2)
		}
	}
	one, _ := s.ParseOperator("λ a:tensor[3], b:tensor[3] ⟨ Σ_{k:3} b[k]*a[k] ⟩")
	two, _ := s.ParseOperator("λ a:tensor[3], b:tensor[3] ⟨ Σ_{m:3} a[m]*b[m] ⟩")
	if one.Body != two.Body {
		t.Errorf("%s and %s are two terms", one, two)
	}
}

// TestMistakes: texts and sorts that are wrong are refused, with what is wrong.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"λ T:tensor[3] ⟨ T[i] ⟩", "an index, not i"},
		{"λ T:tensor[3] ⟨ T[3] ⟩", "outside of 0 … 2"},
		{"λ T:tensor[3] ⟨ T[i] ⟩_{i:2}", "its place has 3"},
		{"λ T:tensor[3] ⟨ T ⟩", "0 indices; expected 1"},
		{"λ T:tensor[] ⟨ ∂[i] ⋄ T ⟩_{i:2}", "a tensor is differentiated"},
		{"λ F:field#0(2)[] ⟨ ∂[i] ⋄ F ⟩_{i:2}", "1 derivatives of what has 0"},
		{"λ F:field(2)[], T:tensor[] ⟨ F*T ⟩", "mixed without lift"},
		{"λ F:field(2)[], G:field(3)[] ⟨ F*G ⟩", "over 2 and 3 dimensions"},
		{"λ F:field(2)[] ⟨ lift(F) ⟩", "a field is lifted"},
		{"λ F:field(2)[], x:tensor[3] ⟨ F @ x ⟩", "the position x"},
		{"λ F:field(2)[] ⟨ min(F, F) ⟩", "no derivative"},
		{"λ V:image(2)[], H:kernel#1 ⟨ V ⊛ H^{i,j} ⟩_{i:2,j:2}", "2 derivatives of a kernel"},
		{"λ ⟨ ε[i,j] ⟩_{i:2,j:3}", "its place has 2"},
		{"λ ⟨ δ[i,j] ⟩_{i:2,j:3}", "ranges 2 and 3"},
		{"λ F:field(2)[], G:field(2)[] ⟨ F ∘ [G] ⟩", "composed with 1 coordinates"},
		{"λ F:field(1)[], G:field(2)[2] ⟨ F ∘ [G[i]] ⟩_{i:2}", "has a free index"},
		{"λ F:field(2)[], G:field(2)[], H:field(1)[] ⟨ F ∘ [G, H] ⟩", "over 2 and 1 dimensions are mixed"},
		{"λ F:field(1)[], T:tensor[] ⟨ F ∘ [T] ⟩", "a tensor is composed"},
		{"λ F:field(1)[], T:tensor[] ⟨ T ∘ [F] ⟩", "a tensor is composed"},
		{"λ F:field#1(1)[], G:field(2)[] ⟨ ∂[0,0] ⋄ (F ∘ [G]) ⟩", "2 derivatives of what has 1"},
		{"λ F:field(1)[], G:field(2)[] ⟨ ∂[2] ⋄ (F ∘ [G]) ⟩", "outside of 0 … 1"},
		{"λ F:field(1)[] ⟨ F @ [F] ⟩", "at a place that is a field"},
		{"λ F:field(2)[], T:tensor[] ⟨ F @ [T] ⟩", "probed at 1 coordinates"},
		{"λ T:tensor[] ⟨ T @ [T] ⟩", "a tensor is probed"},
		{"λ F:field(1)[], T:tensor[] ⟨ F @ [T, T, T, T] ⟩", "a place of 4 coordinates"},
		{"λ T:tensor[] ⟨ T + ⟩", "a name"},
		{"λ T:thing[] ⟨ T ⟩", "tensor, field, image or kernel"},
	} {
		if _, err := NewStore().ParseOperator(c.text); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.text, err, c.reason)
		}
	}
}
