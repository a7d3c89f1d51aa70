package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How the marks of ways of computing are followed
//
// Some vectors are computed in one of two ways that have the same results, and of which machines know which is faster
// (machine.Ratios). The tree says which: `words` and `singly` hold for all that a statement computes by vectors, its
// sums, too, when they are delivered.

// marks reports whether a vector loop of a statement has a mark, wherever it stands in the tree.
func (l *lowerer) marks(s int, has func(*schedule.Member) bool) bool {
	for _, m := range l.vectors[s] {
		if has(m) {
			return true
		}
	}
	return false
}

// vectorMembers lists the vector loops of a tree by statement.
func vectorMembers(n schedule.Node, list map[int][]*schedule.Member) map[int][]*schedule.Member {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			for _, l := range m.Loops {
				if m.Vector > 0 {
					list[l.Statement] = append(list[l.Statement], m)
				}
			}
		}
	}
	for _, child := range schedule.Children(n) {
		vectorMembers(child, list)
	}
	return list
}

// cast converts a value, a vector to bytes by way of 16 bits where that is marked.
func (x *context) cast(to tensor.DType, v loop.Expr) loop.Expr {
	c := &loop.Cast{To: to, X: v}
	if from := v.Type(); x.words && from.Lanes > 1 && to.IsInteger() && to.Size() == 1 && (from.Elem.IsFloat() || from.Elem.IsInteger()) && from.Elem.Size() >= 4 {
		c.By = tensor.Int16
	}
	return c
}

// fewLanes returns how many lanes of a vector are stored, where that is known and they are stored one by one.
func (x *context) fewLanes(s *loop.Store, f form) (n int64, few bool) {
	if !x.singly || x.lanes < 2 || f != consecutive || s.Mask == nil || x.points != nil || s.Row != nil || s.Value.Type().Elem == tensor.Bool || s.Buffer.Type.Lanes > 1 {
		return 0, false
	}
	n, known := x.valid.IsConst()
	return n, known && n > 0 && n <= int64(x.lanes)
}

// storedSingly stores the first lanes of a vector one by one.
func (x *context) storedSingly(s *loop.Store, n int64) (list []loop.Stmt) {
	value := x.bind("v", s.Value)
	for k := range n {
		index := s.Index
		if k > 0 {
			index = &loop.Binary{Op: ein.Add, X: index, Y: int64Const(k)}
		}
		list = append(list, &loop.Store{Buffer: s.Buffer, Index: index, Value: &loop.Lane{X: value, Number: int(k)}})
	}
	return list
}
