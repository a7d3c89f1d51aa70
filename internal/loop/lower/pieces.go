package lower

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// inPieces reports whether the tiles of a member may be visited in pieces of some points,
// the rest of the tree once for each, together with the tiles that may be already: any of
// them may be whole where others are in pieces.
func (l *lowerer) inPieces(m *schedule.Member, piece int64) bool {
	if kept, known := l.kept[m]; known {
		return kept
	}
	others := slices.Collect(maps.Keys(l.cutTiles))
	kept := len(others) < loop.MostInPieces
	for subset := 0; kept && subset < 1<<len(others); subset++ {
		pieces := map[*schedule.Member]int64{m: piece}
		for k, other := range others {
			if subset>>k&1 == 1 {
				pieces[other] = l.cutTiles[other]
			}
		}
		kept = schedule.KeptInPieces(l.f, l.tree, pieces)
	}
	if l.kept[m] = kept; kept {
		l.cutTiles[m] = piece
	}
	return kept
}
