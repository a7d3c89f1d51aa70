package lower

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// prefetch asks for what a vector reads side by side from memory that outlives the
// block, for the next value of the index that the vector loop names. For the last one
// it asks again for what is there.
func (x *context) prefetch(s int) {
	name := ""
	for _, i := range x.c.Indices {
		if b := x.sc.blocks[point{s, i.Name}]; b.lanes > 1 {
			name = b.fetch
		}
	}
	if name == "" {
		return
	}
	index := x.l.index(point{s, name})
	next := *x
	next.env = maps.Clone(x.env)
	next.env[name] = affine.MinOf(x.env[name].AddConst(1), index.Min.Add(index.Extent).AddConst(-1))
	asked := map[string]bool{}
	for _, a := range x.c.Accesses() {
		region := x.sc.storage[a.Tensor].buffer.Region
		if region == loop.Private || region == loop.Register || !x.alwaysInBounds(a) || !x.affine(a) {
			continue
		}
		now, _ := x.linear(a.Tensor, a.Subscripts)
		at, form := next.linear(a.Tensor, a.Subscripts)
		line := a.Tensor.Name + loop.ExprText(at)
		if form == consecutive && line != a.Tensor.Name+loop.ExprText(now) && !asked[line] {
			asked[line] = true
			x.before = append(x.before, &loop.Prefetch{Buffer: x.sc.storage[a.Tensor].buffer, Index: at})
		}
	}
}

// affine reports whether all subscripts of an access are.
func (x *context) affine(a *ein.Access) bool {
	for _, sub := range a.Subscripts {
		if _, ok := ein.AffineOf(sub); !ok {
			return false
		}
	}
	return true
}
