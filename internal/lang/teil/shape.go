package teil

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
)

// A Shape is the type of an expression: the sizes of its dimensions. A scalar has
// none. Positions count from 1, as in the paper.
type Shape []affine.Expr

// String writes a shape as in an allocation: [m, n].
func (s Shape) String() string {
	words := make([]string, len(s))
	for k, n := range s {
		words[k] = n.String()
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// Equal reports whether two shapes are the same expressions.
func (s Shape) Equal(t Shape) bool { return slices.EqualFunc(s, t, affine.Expr.Equal) }

// at returns the size at a position.
func (s Shape) at(i int) affine.Expr { return s[i-1] }

// without returns the shape with some positions removed.
func (s Shape) without(positions ...int) Shape { return removed(s, positions...) }

// inserted returns the shape with a new dimension at a position.
func (s Shape) inserted(i int, n affine.Expr) Shape {
	return slices.Insert(slices.Clone(s), i-1, n)
}

// replaced returns the shape with another size at a position.
func (s Shape) replaced(i int, n affine.Expr) Shape {
	s = slices.Clone(s)
	s[i-1] = n
	return s
}

// swapped returns the shape with two dimensions exchanged.
func (s Shape) swapped(i, j int) Shape {
	s = slices.Clone(s)
	s[i-1], s[j-1] = s[j-1], s[i-1]
	return s
}

// removed returns a list without the elements at some positions.
func removed[T any](list []T, positions ...int) []T {
	kept := make([]T, 0, len(list))
	for k, x := range list {
		if !slices.Contains(positions, k+1) {
			kept = append(kept, x)
		}
	}
	return kept
}
