package sketch

import (
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// swizzled exchanges what is in the rows of blocks in local memory, where they are longer than they have to be: by units of as many
// elements as they are longer, in all banks or a part of them, row by row or for some rows at once. The blocks are smaller then, so that more groups
// have room in a core, and what goes to columns may meet less in banks; addresses take more instructions.
func swizzled(p *machine.Processor, n schedule.Node) (list []schedule.Node) {
	if !has(n, func(m *schedule.Member) bool { return m.Items > 0 }) {
		return nil
	}
	for _, part := range []int64{1, 2, 4} {
		for _, rows := range []int64{1, 2, 4} {
			some := false
			x := changed(n, func(n schedule.Node) {
				if place, ok := n.(*schedule.Place); ok && place.Region == schedule.Local && place.Pad > 0 {
					units := p.Whole(machine.Banks) / place.Pad / part
					if units > 1 && place.Pad&(place.Pad-1) == 0 && units&(units-1) == 0 && units*place.Pad <= mostSwizzled {
						place.Swizzle = schedule.Swizzle{Unit: place.Pad, Units: units, Rows: rows}
						place.Pad, some = 0, true
					}
				}
			})
			if some {
				list = append(list, x)
			}
		}
	}
	return list
}

// mostSwizzled is in how many elements units are exchanged, at most.
const mostSwizzled = 64

// lessMeets reports whether less meets in banks, or more groups have room in a core.
func lessMeets(before, after *estimate.Launch) bool {
	return after.Conflicts < before.Conflicts || after.Together > before.Together
}
