package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A Group is a run of statements that may share loops: every dependence between them
// has distance 0 along every column. A column has one Concat index of each statement.
type Group struct {
	Statements []int
	Columns    [][]*ein.Index
}

// Fuse partitions the statements of a function greedily, in their order. keep decides
// whether a statement joins the group before it, whose columns are then those of joined.
func Fuse(f *ein.Func, keep func(before, joined Group) bool) []Group {
	mk := &maker{f: f, accesses: make([][]schedule.Access, len(f.Body)), insides: map[*ein.Comprehension]*ein.Comprehension{}}
	for _, a := range schedule.Accesses(f) {
		mk.accesses[a.Statement] = append(mk.accesses[a.Statement], a)
	}
	var list []*group
	for s, c := range f.Body {
		if n := len(list); n > 0 {
			if joined := mk.link(list[n-1], s, false); joined != nil && keep(list[n-1].public(), joined.public()) {
				list[n-1] = joined
				continue
			}
		}
		list = append(list, single(s, c))
	}
	groups := make([]Group, len(list))
	for i, g := range list {
		groups[i] = g.public()
	}
	return groups
}

func (g *group) public() Group { return Group{g.statements, g.columns} }
