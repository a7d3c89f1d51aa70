package loop

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Transpose copies Rows × Cols elements of Src, whose rows lie side by side, to
// Dst, where its columns do:
//
//	Dst[At + c·Stride + r] = Src[SrcAt + r·SrcStride + c]
//
// Both buffers have the same scalar element type, and are not the same. It means
// what Loops says; a target moves it through vector registers.
type Transpose struct {
	Dst, Src          *Buffer
	At, SrcAt         Expr
	Stride, SrcStride Expr
	Rows, Cols        Expr
	Stream            bool // whole vectors are written past the caches, where they are aligned
	Ahead             bool // the rows of the next square are asked for
}

func (*Transpose) stmt() {}

// Loops returns the same copy as a nest of loops, over new variables.
func (s *Transpose) Loops() *For {
	index := func(name string) *Var { return &Var{Name: name, Type: Scalar(tensor.Int64)} }
	row, column := index("row"), index("column")
	at := func(base Expr, far *Var, stride Expr, near *Var) Expr {
		product := &Binary{Op: ein.Mul, X: &VarRef{Var: far}, Y: stride}
		return &Binary{Op: ein.Add, X: &Binary{Op: ein.Add, X: base, Y: product}, Y: &VarRef{Var: near}}
	}
	load := &Load{Buffer: s.Src, Index: at(s.SrcAt, row, s.SrcStride, column), Lanes: 1}
	store := &Store{Buffer: s.Dst, Index: at(s.At, column, s.Stride, row), Value: load}
	inner := &For{Var: column, Lo: Int(0), Hi: s.Cols, Step: 1, Kind: Serial, Body: []Stmt{store}}
	return &For{Var: row, Lo: Int(0), Hi: s.Rows, Step: 1, Kind: Serial, Body: []Stmt{inner}}
}
