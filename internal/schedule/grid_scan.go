package schedule

import "github.com/ricci-lang/ricci/internal/ein"

// How grids scan
//
// A scan is cut as a reduction is, into pieces of groups, and these into pieces of items: "accumulate S workspace" right above groups and
// "accumulate S local" right above items, of which one loop is over what is scanned.
//
//	accumulate S0 workspace tree 128
//	  band S0.i tile 4096 groups
//	    accumulate S0 local
//	      band S0.i tile 4 items 256
//	        accumulate S0 register
//	          band S0.i
//
// Groups need three launches: the first one has the total of each piece, the second one goes through these, in order, and leaves what is
// carried into each piece, and the third one writes the prefixes. Items go from round to round of as many pieces as there are items, each
// twice: for the total of its piece, and, when the items have scanned these together, for the prefixes. Where only a total is asked for,
// they go through them once.

// scanOver returns the index that a statement scans, or nil.
func scanOver(comp *ein.Comprehension) *ein.Index {
	if index, _, scan := ein.ScanOperator(comp); scan {
		return index
	}
	return nil
}

// scanInGrid checks the carries of a scan that items have together.
func (c *checker) scanInGrid(n *Accumulate, st state) {
	outer, _ := st.accumulators[n.Statement].(*Accumulate)
	if n.Region == Local && outer != nil && outer.Region != Workspace {
		c.misfit(n, "items that scan together start with nothing, or with what is carried into the piece of their group: the carries further up are in %s, expected in workspace", outer.Region).advise("write 'accumulate %s workspace' there, right above groups over what is scanned, or scan in one group", c.words.Statement(n.Statement))
	}
}
