package field

import "testing"

// TestOperators has the text of some generic operators for given types, and what a mistake says.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		name    string
		types   []Type
		numbers []int
		want    string
	}{
		{"inner", []Type{TensorOf(3), TensorOf(3)}, nil, "λ a:tensor[3], b:tensor[3] ⟨ Σ_{i:3} a[i]*b[i] ⟩"},
		{"inner", []Type{TensorOf(2, 3), FieldOf(2, 3, 3)}, nil, "λ a:tensor[2,3], b:field#2(3)[3] ⟨ Σ_{j:3} b[j]*lift(a[i,j]) ⟩_{i:2}"},
		{"cross", []Type{TensorOf(2), TensorOf(2)}, nil, "λ a:tensor[2], b:tensor[2] ⟨ Σ_{i:2,j:2} ε[i,j]*a[i]*b[j] ⟩"},
		{"∇×", []Type{FieldOf(2, 3, 3)}, nil, "λ a:field#2(3)[3] ⟨ Σ_{j:3,k:3} ε[i,j,k]*∂[j] ⋄ a[k] ⟩_{i:3}"},
		{"∇⊗", []Type{FieldOf(Smooth, 2, 3)}, nil, "λ a:field(2)[3] ⟨ ∂[j] ⋄ a[i] ⟩_{i:3,j:2}"},
		{"slice", []Type{TensorOf(3, 4)}, []int{1, -1}, "λ a:tensor[3,4] ⟨ a[1,i] ⟩_{i:4}"},
		{"norm", []Type{TensorOf(2)}, nil, "λ a:tensor[2] ⟨ sqrt(Σ_{i:2} a[i]*a[i]) ⟩"},
		{"det", []Type{TensorOf(2, 2)}, nil, "λ a:tensor[2,2] ⟨ -a[0,1]*a[1,0] + a[0,0]*a[1,1] ⟩"},
		{"conv", []Type{ImageOf(3, 2), KernelOf(4)}, nil, "λ a:image(3)[2], b:kernel#4 ⟨ a[i] ⊛ b ⟩_{i:2}"},
		{"∇", []Type{FieldOf(0, 2)}, nil, ""},
		{"∇", []Type{FieldOf(2, 2, 2)}, nil, ""},
		{"cross", []Type{TensorOf(3), TensorOf(2)}, nil, ""},
		{"det", []Type{TensorOf(4, 4)}, nil, ""},
		{"add", []Type{TensorOf(3), TensorOf(2)}, nil, ""},
		{"nothing", nil, nil, ""},
	} {
		o, err := NewStore().Generic(c.name, c.types, c.numbers...)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s of %v is %s", c.name, c.types, o)
		case c.want != "" && (err != nil || o.String() != c.want):
			t.Errorf("%s of %v is %v, want %s: %v", c.name, c.types, o, c.want, err)
		}
	}
}
