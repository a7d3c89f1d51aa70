package bench

import "slices"

// Join puts the rows of several runs into one, in their order: measured in pieces, a
// long suite leaves a shared machine to others in between. Of a row that is there
// twice for the same number of threads the later counts. What is said about the
// machine is that of the last run.
func Join(list ...*Results) *Results {
	joined := new(Results)
	for _, r := range list {
		rows, left := joined.Rows, joined.LeftOut
		*joined = *r
		for _, row := range r.Rows {
			same := func(other RowResult) bool { return other.Name == row.Name && other.Threads == row.Threads }
			if n := slices.IndexFunc(rows, same); n >= 0 {
				rows[n] = row
			} else {
				rows = append(rows, row)
			}
		}
		joined.Rows, joined.LeftOut = rows, slices.Clone(left)
		for _, l := range r.LeftOut {
			joined.leaveOut(l.Name, l.Reason)
		}
		joined.LeftOut = slices.DeleteFunc(joined.LeftOut, func(l LeftOut) bool {
			return slices.ContainsFunc(rows, func(row RowResult) bool { return row.Name == l.Name })
		})
	}
	return joined
}
