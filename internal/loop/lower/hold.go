package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How the mark `hold` is followed
//
// The loops of a band that are written out get the mark, too. What they hold is found when all loops are there (pass hold
// of package passes).

// holds reports whether vectors of a band hold what they read.
func (l *lowerer) holds(b *schedule.Band, sc *scope) bool {
	return slices.ContainsFunc(b.Members, func(m *schedule.Member) bool {
		return m.Hold && slices.ContainsFunc(m.Loops, func(lp schedule.Loop) bool { return slices.Contains(sc.statements, lp.Statement) })
	})
}

// markHeld marks the outermost loops that are written out, among statements and all that is inside of them.
func markHeld(list []loop.Stmt) {
	for _, s := range list {
		if f, isLoop := s.(*loop.For); isLoop && f.FromZero() {
			f.Hold = true
			continue
		}
		for _, body := range loop.StmtBodies(s) {
			markHeld(body)
		}
	}
}
