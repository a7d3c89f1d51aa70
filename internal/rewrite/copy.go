package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// copyInPlace finds a statement that reads another element of a tensor than the
// one it is about to write, such as A(i,j) = A(j,i), and splits it: the values go
// to a temporary over the index space, and from there to the tensor.
func copyInPlace(f *ein.Func) bool {
	for at, c := range f.Body {
		if readsElsewhere(c) {
			f.Body = slices.Insert(f.Body, at+1, splitWrites(f, c))
			return true
		}
	}
	return false
}

func readsElsewhere(c *ein.Comprehension) bool {
	for _, w := range c.Writes {
		elsewhere := contains(c, func(e ein.Expr) bool {
			a, ok := e.(*ein.Access)
			return ok && a.Tensor == w.Tensor && !samePlace(a.Subscripts, w.Subscripts)
		})
		// A fold or scan reads its points at different times.
		early := len(c.ByKind(ein.Scan)) > 0 && reads(c, w.Tensor) > 0
		if elsewhere || early {
			return true
		}
	}
	return false
}

// splitWrites makes c write temporaries and returns the statement that moves
// them to the tensors.
func splitWrites(f *ein.Func, c *ein.Comprehension) *ein.Comprehension {
	move := &ein.Comprehension{Pos: c.Pos, Accumulate: c.Accumulate}
	c.Accumulate = nil
	var dims []ein.Dim
	var inside, outside []ein.Expr // subscripts of the temporaries in c and in move
	moved := map[*ein.Index]ein.Expr{}
	for _, i := range c.Indices {
		if i.Combine.Kind == ein.Reduce {
			continue
		}
		j := &ein.Index{Pos: i.Pos, Name: i.Name, Min: i.Min, Extent: i.Extent, MayBeEmpty: i.MayBeEmpty}
		move.Indices = append(move.Indices, j)
		dims = append(dims, ein.Dim{Min: i.Min, Extent: i.Extent})
		inside = append(inside, &ein.IndexRef{Pos: i.Pos, Index: i})
		outside = append(outside, &ein.IndexRef{Pos: j.Pos, Index: j})
		moved[i] = outside[len(outside)-1]
	}
	for k, w := range c.Writes {
		t := &ein.Tensor{Pos: w.Pos, Name: freshName(f, w.Tensor.Name+"_new"), Type: c.Values[k].Type().Compute(), Dims: dims, Role: ein.Temp}
		f.Tensors = append(f.Tensors, t)
		move.Writes = append(move.Writes, &ein.Write{Pos: w.Pos, Tensor: w.Tensor, Subscripts: substituteAll(w.Subscripts, moved)})
		move.Values = append(move.Values, &ein.Access{Pos: w.Pos, Tensor: t, Subscripts: outside})
		c.Writes[k] = &ein.Write{Pos: w.Pos, Tensor: t, Subscripts: inside}
	}
	return move
}

func substituteAll(list []ein.Expr, env map[*ein.Index]ein.Expr) []ein.Expr {
	result := make([]ein.Expr, len(list))
	for i, e := range list {
		result[i] = substitute(e, env)
	}
	return result
}

// substitute replaces indices by expressions.
func substitute(e ein.Expr, env map[*ein.Index]ein.Expr) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		if r, ok := e.(*ein.IndexRef); ok {
			if replacement, ok := env[r.Index]; ok {
				return replacement
			}
		}
		return e
	})
}
