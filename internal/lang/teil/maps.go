package teil

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// An indexMap says which place of a dimension of size n the place p of the new one reads; both
// count from 0. These are the maps of proofs/Maps.v, which shows that each is total.
type indexMap func(b maker, p ein.Expr, n affine.Expr, args []syntax.Size) ein.Expr

// A maker makes nodes with the span of an operation.
type maker struct{ *syntax.Operation }

func (b maker) binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr {
	return &ein.Binary{Pos: b.Pos, Op: op, X: x, Y: y}
}

func (b maker) size(n affine.Expr) ein.Expr { return sizeValue(n, b.Pos) }

// indexMaps has the operations Remap of proofs/Syntax.v.
var indexMaps = map[string]indexMap{
	"clamp": func(b maker, p ein.Expr, n affine.Expr, args []syntax.Size) ein.Expr {
		moved := b.binary(ein.Sub, p, b.size(args[0].Value))
		return b.binary(ein.Max, b.size(affine.Expr{}), b.binary(ein.Min, moved, b.size(n.AddConst(-1))))
	},
	"mirror": func(b maker, p ein.Expr, n affine.Expr, args []syntax.Size) ein.Expr {
		period := n.Scale(2)
		around := b.binary(ein.Mod, b.binary(ein.Sub, p, b.size(args[0].Value)), b.size(period))
		return b.binary(ein.Min, around, b.binary(ein.Sub, b.size(period.AddConst(-1)), around))
	},
	"wrap": func(b maker, p ein.Expr, n affine.Expr, args []syntax.Size) ein.Expr {
		return b.binary(ein.Mod, b.binary(ein.Sub, p, b.size(args[0].Value)), b.size(n))
	},
	"repeat": func(b maker, p ein.Expr, _ affine.Expr, args []syntax.Size) ein.Expr {
		return b.binary(ein.Div, p, b.size(args[0].Value))
	},
	"step": func(b maker, p ein.Expr, _ affine.Expr, args []syntax.Size) ein.Expr {
		return b.binary(ein.Mul, b.size(args[0].Value), p)
	},
}

// step is T-Step: N becomes n ≥ 1 places, each d ≥ 0 behind the one before: (n − 1)·d + 1 ≤ N.
func step(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, d, n := j.e.Position(0), j.e.Args[1].Value, j.e.Args[2].Value
	size, end := j.operands[0].at(i), n.AddConst(-1).Mul(d).AddConst(1)
	switch {
	case !j.require(d, j.e.Args[1].Pos, fmt.Sprintf("T-Step: the distance %s is not negative", d)):
		return nil, j.refuse([]int{i}, []affine.Expr{d}, "flip turns a dimension around", "the distance %s is negative", d)
	case !j.require(n.AddConst(-1), j.e.Args[2].Pos, fmt.Sprintf("T-Step: the size %s is at least 1", n)):
		return nil, j.refuse([]int{i}, []affine.Expr{n}, "there are no empty dimensions", "the dimension gets size %s", n)
	case !j.require(size.Sub(end), j.e.Pos, fmt.Sprintf("T-Step: dimension %d of size %s has %s places", i, size, end)):
		return nil, j.refuse([]int{i}, []affine.Expr{end, size}, fmt.Sprintf("%s places, each %s behind the one before, end with place %s", n, d, end), "dimension %d of size %s has no place %s", i, size, end)
	}
	return j.operands[0].replaced(i, n), nil
}

// repeat is T-Repeat: N becomes N·s, with s ≥ 1.
func repeat(j *judgement) (Shape, *Refusal) {
	if r := j.positions(1); r != nil {
		return nil, r
	}
	i, s := j.e.Position(0), j.e.Args[1].Value
	if !j.require(s.AddConst(-1), j.e.Args[1].Pos, fmt.Sprintf("T-Repeat: every place is read %s times, at least once", s)) {
		return nil, j.refuse([]int{i}, []affine.Expr{s}, "there are no empty dimensions", "every place of dimension %d is read %s times", i, s)
	}
	return j.operands[0].replaced(i, j.operands[0].at(i).Mul(s)), nil
}
