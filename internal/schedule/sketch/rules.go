package sketch

import "github.com/ricci-lang/ricci/internal/schedule"

// A Rule makes launches for a subject; none where it is not about such subjects.
type Rule struct {
	Name, About string
	together    bool // also for several statements
	make        func(*subject) []schedule.Node
}

// rules is the table of rules: of equal candidates the first one's are taken.
func rules() []Rule {
	return []Rule{
		{"results", "each result is that of an item, and neighbours in memory are neighbours in a sub-group", true, results},
		{"gathers", "what is read through index arrays is staged in local memory: the values of these, the rows to which they lead, or small tables", true, gathers},
		{"exchange", "blocks that are read along one index and written along another go through local memory", true, exchange},
		{"fragments", "the sub-groups of a group multiply blocks of results by matrix units, from what is staged in local memory", true, fragments},
		{"tiles", "an item has a tile of results in registers, and what is read for several of them is staged in local memory", true, tiles},
		{"together", "the items of a group reduce a result together, along one index or two, or those of each sub-group do", false, together},
		{"parts", "long reductions are cut into parts of several groups, which a second launch combines", false, parts},
		{"bins", "what each point of a reduction determines is found, and not looked for: the items of a group update one array, or each has one of its own", false, bins},
		{"rows", "a group goes through several statements for some rows, which its items share", true, rows},
		{"chain", "a group goes through products and other statements for a block of rows, and reads what all rows need once for several", true, chain},
	}
}

// Rules lists the rules for documents.
func Rules() []Rule {
	return append(rules(), Rule{Name: oneItem, About: "the loops of the program, for what no other rule finds a launch"})
}
