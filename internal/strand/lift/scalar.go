package lift

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// Scalar is the computation of one point of scalars, without images and what is common to all points, as an expression of them;
// ok is false of others.
func Scalar(p *Points) (params []*ein.Local, value ein.Expr, ok bool) {
	if len(p.Images)+len(p.Common) > 0 || len(p.Results) != 1 || !p.Results[0].Type.IsScalar() {
		return nil, nil, false
	}
	l := newLifter(p)
	for _, v := range p.Given {
		if !v.Type.IsScalar() {
			return nil, nil, false
		}
		local := &ein.Local{Name: v.Name, DType: v.Parts[0].DType}
		params = append(params, local)
		l.now[v.Parts[0]] = l.add(&node{size: &ein.LocalRef{Local: local}}, local.DType)
	}
	if l.run(p.Body) != nil || l.now[p.Results[0].Parts[0]] == nil {
		return nil, nil, false
	}
	return params, l.expr(l.now[p.Results[0].Parts[0]], nil), true
}
