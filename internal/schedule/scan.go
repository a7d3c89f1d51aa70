package schedule

// How scans are scheduled
//
// A scan has one carry per Concat point: the combination of the values so far. An
// accumulate starts carries of the block below with those further up, and gives
// them back, so that a scan is cut like any reduction as long as its pieces come in
// order. Inside of a vector along the scan the lanes are combined with those before
// them in log₂ steps. Below "accumulate workspace" the pieces run in parallel. A thread
// goes through each of its pieces twice: for the total, and, when it has learnt the sum of
// those before, for the prefixes. The second time finds the data in the cache, and fetches
// those of the thread's next piece meanwhile, so that the memory always has work (2^24
// floats take 11.5 instead of 12.6 ms on one thread, 6.2 instead of 7.5 on two, with two
// parallel loops for every sixteen pieces; a copy takes 11.5 and 6.2).

// scan checks where the carries of a scan are kept.
func (c *checker) scan(n *Accumulate, st state) {
	c.scanInGrid(n, st)
	outer, _ := st.accumulators[n.Statement].(*Accumulate)
	switch {
	case n.Region == Output || n.Region == Early:
		c.misfit(n, "the carries of a scan are kept in register, private, shared or workspace, or, by items, in local")
	case n.Region == Shared && outer != nil:
		c.misfit(n, "shared carries are the outermost ones")
	case n.Region == Workspace && outer != nil && outer.Region == Workspace:
		c.misfit(n, "the pieces of a scan that run in parallel are cut once")
	case n.Region == Workspace && st.vectors[n.Statement] != nil:
		c.misfit(n, "the totals of a scan's pieces are scalars, and %s is a vector here", c.words.Index(n.Statement, st.vectors[n.Statement].Name))
	case n.Region == Workspace && vectorAcross(n.Child) != nil:
		c.misfit(n, "the totals of a scan's pieces are scalars, and %s below are vectors across it", c.words.Loop(vectorAcross(n.Child)))
	}
}

// vectorAcross returns a vector loop above the next accumulate of a subtree, or nil.
func vectorAcross(n Node) *Member {
	switch n := n.(type) {
	case *Accumulate:
		return nil
	case *Band:
		for _, m := range n.Members {
			if m.Vector > 0 {
				return m
			}
		}
	}
	for _, child := range Children(n) {
		if m := vectorAcross(child); m != nil {
			return m
		}
	}
	return nil
}
