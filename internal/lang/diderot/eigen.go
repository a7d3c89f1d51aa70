package diderot

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/strand"
)

// eigen lowers the eigenvalues or vectors of a symmetric matrix, of which the upper triangle is read.
func (l *lowering) eigen(e *typed.Apply, m value) value {
	dim := m.typ.Shape[0]
	var upper []ein.Expr
	for row := range dim {
		upper = append(upper, m.parts[row*dim+row:(row+1)*dim]...)
	}
	v := l.temp(e.Pos, e.Row.Name, typeOf(e.T))
	s := &strand.Eigen{Pos: e.Pos, Dim: dim, Of: upper, Values: v.Parts}
	if e.Row.With == "vectors" {
		s.Values, s.Vectors = nil, v.Parts
	}
	l.emit(s)
	return of(v)
}
