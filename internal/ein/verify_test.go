package ein_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func expectInternal(t *testing.T, f *ein.Func, want string) {
	t.Helper()
	err := ein.Verify(f)
	var internal *source.InternalError
	if !errors.As(err, &internal) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, expected an internal error with %q", err, want)
	}
}

// TestVerifyText has one violation per line, in a function with the declarations
// of the header.
func TestVerifyText(t *testing.T) {
	const header = `func f { size N = dim 0 of A in A: float32[N] in H: float16[N] in I: int64[N] out O: float32[N] out P: int64[N] temp T: float32[N] `
	const outputs = " for i in 0:N { O[i] = A[i] } for i in 0:N { P[i] = i } }"
	tests := []struct{ text, want string }{
		{"for i in 0:N { T[i] = A[i] }", ""},
		{"for i in 0:N { T[i] = 1f64 }", "writes a float64 to T"},
		{"for i in 0:N { A[i] = 1f32 }", "writes the input A"},
		{"for i in 0:N { T[i] = T[i] }", "reads T before it is written"},
		{"for i in 0:N { T[i] = O[i] }", "reads O before it is written"},
		{"for i in 0:N accumulate + { T[i] = A[i] }", "reads T before it is written"},
		{"for i in 0:N { T[i] = A[i] T[i] = A[i] }", "writes T twice"},
		{"for i in 0:N { T[0i64] = A[i] }", "the points along i write the same elements"},
		{"for i in 0:N reduce + { T[i] = A[i] }", "the reduced index i is a subscript"},
		{"for i in 0:N, j in 0:2 { T[i + j] = A[i] }", "the points (i=0, j=1) and (i=1, j=0) write the same element"},
		{"for i in 0:N, j in 0:3 { T[3i64 * i + j] = A[i] }", ""},
		{"temp R: float32[N, N] for i in 0:N, j in 0:N { R[i + j, j] = A[i] }", ""},
		{"for i in 0:N { T[i / 2i64] = A[i] }", "write the same element"},
		{"for i in 0:N { T[I[i]] = A[i] }", "not affine"},
		{"for i in 0:N { T[i / {N}] = A[i] }", "write the same element"},
		{"temp R: float32[N, N] for i in 0:N*N { R[i / {N}, i % {N}] = A[i % {N}] }", ""},
		{"for i in 0:N { T[i % {N - 1}] = A[i] }", "not affine"},
		{"for i in 0:N { T[i, i] = A[i] }", "1 dimensions and 2 subscripts"},
		{"for i in 0:N { T[i] = A[] }", "1 dimensions and 0 subscripts"},
		{"for i in 0:N { T[i] = A[2i32] }", "a subscript of A is a int32"},
		{"for i in 0:N { T[i] = H[i] }", "computes with a float16"},
		{"for i in 0:N { T[i] = float32(H[i] + H[i]) }", "computes with a float16"},
		{"for i in 0:N { T[i] = float32(float16(A[i])) }", "computes with a float16"},
		{"for i in 0:N { T[i] = float32(1f16) }", "no float16"},
		{"for i in 0:N { T[i] = A[i] + 1f64 }", "applied to a float32 and a float64"},
		{"for i in 0:N { T[i] = A[i] && A[i] }", "applied to float32s"},
		{"for i in 0:N { T[i] = float32(true + true) }", "applied to bools"},
		{"for i in 0:N { T[i] = float32(-true) }", "negates a bool"},
		{"for i in 0:N { T[i] = float32(!i) }", "applies ! to a int64"},
		{"for i in 0:N { T[i] = i ? A[i] : A[i] }", "chooses by a int64"},
		{"for i in 0:N { T[i] = true ? A[i] : 1f64 }", "chooses between"},
		{"for i in 0:N { T[i] = float32(exp(i)) }", "exp takes a int64"},
		{"for i in 0:N { T[i] = pow(A[i], 1f64) }", "pow takes a float64"},
		{"for i in 0:N { T[i] = A[i] } for N in 0:3 { T[N] = 1f32 }", "the index N has the name of a size"},
		{"for i in 0:N { T[i] = A[i] } op o(a: float32 | b: float64) = (a) for i in 0:N, k in 0:N reduce o { T[i] = A[k] }", "parameters of o"},
		{"op o(a: float32 | b: float32) = (1i8) for i in 0:N, k in 0:N reduce o { T[i] = A[k] }", "the result of the operator o is a int8"},
		{"op o(a: float32 | b: float32) = (a) identity (1i8) for i in 0:N, k in 0:N reduce o { T[i] = A[k] }", "the identity of the operator o is a int8"},
		{"op o(a: float32 | b: float32) = (A[0i64]) for i in 0:N, k in 0:N reduce o { T[i] = A[k] }", "reads a tensor"},
		{"op o(a: float64 | b: float64) = (a) for i in 0:N, k in 0:N reduce o { T[i] = A[k] }", "takes a float64"},
		{"for i in 0:N, k in 0:N reduce argmin { T[i] = A[k] }", "combines 2 values"},
		{"size Z = dim 3 of A", "dimension 3 of A, which has 1"},
		{"size Z = dim 0 of T", "comes from the temporary T"},
		{"size Z = value of A", "no integer scalar"},
	}
	for _, test := range tests {
		f, err := ein.ParseFunc("verify", header+test.text+outputs)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if test.want != "" {
			expectInternal(t, f, test.want)
		} else if err := ein.Verify(f); err != nil {
			t.Error(err)
		}
	}
}

// TestVerifyTree breaks what no text can express.
func TestVerifyTree(t *testing.T) {
	access := func(f *ein.Func) *ein.Access { return f.Body[0].Accesses()[0] }
	tests := []struct {
		name   string
		breaks func(f *ein.Func)
		want   string
	}{
		{"nothing", func(*ein.Func) {}, ""},
		{"size twice", func(f *ein.Func) { f.Sizes[1].Name = "N" }, "the size N is declared twice"},
		{"size name", func(f *ein.Func) { f.Sizes[0].Name = "a b" }, "no name of a size"},
		{"tensor twice", func(f *ein.Func) { f.Tensors[1].Name = "X" }, "the tensor X is declared twice"},
		{"tensor name", func(f *ein.Func) { f.Tensors[1].Name = "a`" }, "no name of a tensor"},
		{"tensor type", func(f *ein.Func) { f.Tensors[1].Type = tensor.Invalid }, "no element type"},
		{"size of extent", func(f *ein.Func) { f.Tensors[0].Dims[0].Extent = sym("Q") }, "uses Q, which is no size"},
		{"size of range", func(f *ein.Func) { f.Body[0].Indices[0].Min = sym("i") }, "index i uses i, which is no size"},
		{"size of value", func(f *ein.Func) { f.Body[1].Values[0] = &ein.SizeRef{Size: sym("Q")} }, "a value uses Q"},
		{"size of condition", func(f *ein.Func) { f.Requires[0].Expr = sym("Q") }, "condition of X(s) uses Q"},
		{"foreign size tensor", func(f *ein.Func) { f.Sizes[0].Tensor = &ein.Tensor{Name: "X"} }, "the undeclared tensor X"},
		{"foreign tensor", func(f *ein.Func) { access(f).Tensor = &ein.Tensor{Name: "X"} }, "reads an undeclared tensor"},
		{"foreign write", func(f *ein.Func) { f.Body[0].Writes[0].Tensor = &ein.Tensor{Name: "Y"} }, "writes an undeclared tensor"},
		{"foreign index", func(f *ein.Func) { f.Body[1].Values[0] = &ein.IndexRef{Index: f.Body[0].Indices[0]} }, "an index of another comprehension"},
		{"index twice", func(f *ein.Func) { f.Body[0].Indices[1].Name = "i" }, "the index i is declared twice"},
		{"unbound local", func(f *ein.Func) {
			f.Body[1].Values[0] = &ein.LocalRef{Local: &ein.Local{Name: "x", DType: tensor.Int64}}
		}, "a local outside its scope"},
		{"local in its own value", func(f *ein.Func) {
			x := &ein.Local{Name: "x", DType: tensor.Int64}
			f.Body[1].Values[0] = &ein.Let{Var: x, Value: &ein.LocalRef{Local: x}, Body: ein.IntConst(tensor.Int64, 1)}
		}, "a local outside its scope"},
		{"local of another type", func(f *ein.Func) {
			x := &ein.Local{Name: "x", DType: tensor.Int8}
			f.Body[1].Values[0] = &ein.Let{Var: x, Value: ein.IntConst(tensor.Int64, 1), Body: ein.IntConst(tensor.Int64, 1)}
		}, "the local x is a int8, its value a int64"},
		{"literal", func(f *ein.Func) {
			f.Body[1].Values[0] = &ein.Cast{To: tensor.Int64, X: ein.IntConst(tensor.Int8, 200)}
		}, "is no int8"},
		{"float literal", func(f *ein.Func) {
			f.Body[1].Values[0] = &ein.Cast{To: tensor.Int64, X: &ein.Const{DType: tensor.Float32, Bits: ein.FloatConst(tensor.Float64, 0.1).Bits}}
		}, "is no float32"},
		{"no operator", func(f *ein.Func) { f.Body[0].Indices[1].Combine.Op = nil }, "the index k has no operator"},
		{"operator of ++", func(f *ein.Func) { f.Body[0].Indices[0].Combine.Op = ein.BuiltinOperator(ein.SumOp, tensor.Float32) }, "the concatenated index i has an operator"},
		{"false built-in", func(f *ein.Func) { f.Body[0].Indices[1].Combine.Op.Kind = ein.MaxOp }, "is not the built-in max"},
		{"values", func(f *ein.Func) { f.Body[0].Values = nil }, "1 writes and 0 values"},
		{"nil value", func(f *ein.Func) { f.Body[0].Values[0] = nil }, "an expression is a <nil>"},
		{"no output", func(f *ein.Func) { f.Body = f.Body[:1] }, "the output Z is never written"},
		{"no function", func(f *ein.Func) { f.Body[0].Values[0] = &ein.Call{} }, "a builtin function has 0 arguments"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := convolution()
			f.Sizes = append(f.Sizes, &ein.Size{Name: "extra"})
			f.Sizes[len(f.Sizes)-1], f.Sizes[1] = f.Sizes[1], f.Sizes[len(f.Sizes)-1]
			test.breaks(f)
			if test.want == "" {
				if err := ein.Verify(f); err != nil {
					t.Error(err)
				}
				return
			}
			expectInternal(t, f, test.want)
		})
	}
}

func TestSubstitute(t *testing.T) {
	f := convolution()
	g := f.Substitute(map[string]affine.Expr{"N": sym("K").Scale(2)})
	if got := g.Tensor("Y").Dims[0].Extent.String(); got != "K + 1" {
		t.Errorf("extent %s", got)
	}
	if got := f.Tensor("Y").Dims[0].Extent.String(); got != "N - K + 1" {
		t.Errorf("the original changed to %s", got)
	}
	if err := ein.Verify(g); err != nil {
		t.Error(err)
	}
}
