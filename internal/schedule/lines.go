package schedule

// How marks say what goes by lines of memory
//
// A store past the caches takes whole lines. So the rows of a loop with `stream` are cut at lines: points are peeled off up to the
// first one, and behind the last. That pays where enough vectors are between: `whole-lines n` says how many. A pipeline whose stages
// go over several rows piece by piece asks for the next piece in time, and for its first lines at once, as the pages of rows are far
// from each other: `first-lines n`. Trees that do not say so mean what is usual.

const (
	usualWholeLines = 4 // vectors; of shorter rows too little would be whole
	usualFirstLines = 8
	mostFirstLines  = 64 // each is asked for by an instruction of its own
)

// CutFrom is from how many vectors on the rows of a loop that streams are cut at lines.
func (m *Member) CutFrom() int {
	if m.WholeLines == 0 {
		return usualWholeLines
	}
	return m.WholeLines
}

// FirstLinesAsked is how many lines of the next piece of a row a pipeline asks for at once.
func (m *Member) FirstLinesAsked() int64 {
	if m.FirstLines == 0 {
		return usualFirstLines
	}
	return m.FirstLines
}

// CutFromBelow is CutFrom of the next vector loop over an index of a statement in a subtree.
func CutFromBelow(statement int, index string, n Node) int {
	return markBelow(statement, index, n, func(m *Member) int {
		if m.Vector == 0 {
			return 0
		}
		return m.CutFrom()
	})
}
