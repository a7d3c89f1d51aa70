package schedule

import "github.com/ricci-lang/ricci/internal/source"

// In which order groups come
//
// Devices begin groups in the order of their numbers, in which the last axis runs fastest, and as many run at the same time as there
// is room for. Those of a product that run at the same time share the rows of one operand and the columns of the other in the last
// cache: the fewest of both, if what they compute is about square. In the usual order it is some rows, as long as
// they are. With "strips 8" on the loop over blocks of rows, groups go down 8 of them before they go on to the next column; behind the last column
// come the next 8 rows. At the end a strip has the rows that are left. The tree means the same: nothing orders groups.

// stripsAsked checks a loop over groups that is gone through in strips.
func (c *checker) stripsAsked(b *Band, at int, m *Member) {
	if m.Strips > 0 && (!m.Groups || at+1 == len(b.Members) || !b.Members[at+1].Groups) {
		c.misfit(on(b, m, "strips"), "groups come in strips along two axes: the loop %s and the next one, which has to be over groups, too", c.words.Loop(m)).
			advise("leave out 'strips', or write it before another axis of groups: %s groups strips %d | … groups", m.plain(), m.Strips)
	}
}

// groupMarks are those of loops over groups, besides 'groups' itself.
func groupMarks() []markOf[Member] {
	strips := number(0, func(m *Member) *int64 { return &m.Strips })
	return []markOf[Member]{
		strips.as("strips", "n", "lets groups come in another order: n of this loop one after the other for each of the next axis, and then the next n, so that those that run at the same time share more in the last cache",
			"with `groups`, right before another loop over groups; of no effect where it is not known how many groups both have", []source.Code{source.ScheduleMisfit}),
	}
}
