package schedule_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestPlacedType has statements that convert what they read, and others.
func TestPlacedType(t *testing.T) {
	const group = `
place A private
  band S0.i
    accumulate S0 register
      band S0.k group 4`
	for _, test := range []struct {
		name, in, out, body, tree string
		want                      tensor.DType
	}{
		{"half in a sum", "bfloat16", "float32", "for i in 0:8, k in 0:8 reduce + { C[i] = A[i, k] }", "", tensor.Float32},
		{"half moved", "float16", "float16", "for i in 0:8 { C[i] = A[i, i] }", "", tensor.Float16},
		{"half computed with", "float16", "float16", "for i in 0:8 { C[i] = A[i, i] + A[0i64, i] }", "", tensor.Float32},
		{"half in double", "float16", "float64", "for i in 0:8 { C[i] = float64(A[i, i]) }", "", tensor.Float64},
		{"byte", "int8", "float32", "for i in 0:8 { C[i] = float32(A[i, i]) }", "", tensor.Float32},
		{"narrowing", "float64", "float32", "for i in 0:8 { C[i] = float32(A[i, i]) }", "", tensor.Float32},
		{"as it is and converted", "int32", "int64", "for i in 0:8 { C[i] = int64(A[i, i]) + int64(A[0i64, i] + A[i, 0i64]) }", "", tensor.Int32},
		{"two types", "int8", "int64", "for i in 0:8 { C[i] = int64(A[i, i]) + int64(int32(A[0i64, i]) * int32(A[i, 0i64])) }", "", tensor.Int8},
		{"bool", "int8", "bool", "for i in 0:8 { C[i] = bool(A[i, i]) }", "", tensor.Int8},
		{"groups", "int8", "int32", "for i in 0:8, k in 0:8 reduce + { C[i] = int32(A[i, k]) * int32(A[k, i]) }", group, tensor.Int8},
		{"subscript", "uint8", "int8", "for i in 0:8 { C[i] = int8(A[int64(A[i, i]) % 8i64, i]) }", "", tensor.Uint8},
		{"subscript of the same type", "uint8", "int64", "for i in 0:8 { C[i] = int64(A[int64(A[i, i]) % 8i64, i]) }", "", tensor.Uint8},
		{"no groups", "int8", "int32", "for i in 0:8, k in 0:8 reduce + { C[i] = int32(A[i, k]) * int32(A[k, i]) }", "", tensor.Int32},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := ein.ParseFunc("placed", "func placed {\n  in A: "+test.in+"[8, 8]\n  out C: "+test.out+"[8]\n  "+test.body+"\n}")
			if err != nil {
				t.Fatal(err)
			}
			tree := schedule.Canonical(f)
			if test.tree != "" {
				if tree, err = schedule.Parse("domain S0[i, k]" + test.tree + "\n"); err != nil {
					t.Fatal(err)
				}
			}
			if got := schedule.PlacedType(tree.Root, f, f.Tensor("A"), []int{0}); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got := schedule.PlacedType(tree.Root, f, f.Tensor("C"), []int{0}); got != f.Tensor("C").Type {
				t.Errorf("an output has type %s", got)
			}
		})
	}
}
