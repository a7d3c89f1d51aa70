package sketch

import (
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// inStrips lets groups along the last two axes come in strips, so that those that run at the same time read less of what
// memory has: about as many rows as columns, and not some rows as long as they are.
func inStrips(_ *machine.Processor, n schedule.Node) (list []schedule.Node) {
	for _, rows := range []int64{2, 4, 8, 16, 32} {
		some := false
		x := changed(n, func(n schedule.Node) {
			b, ok := n.(*schedule.Band)
			if !ok {
				return
			}
			last := -1
			for k, m := range b.Members {
				if m.Groups {
					last = k
				}
			}
			if last > 0 && b.Members[last-1].Groups {
				b.Members[last-1].Strips, some = rows, true
			}
		})
		if some {
			list = append(list, x)
		}
	}
	return list
}
