package scheduletest

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Features names what a pair has, so that a test sees what its draws are made of.
func (p Pair) Features(kernel *loop.Func) []string {
	set := map[string]bool{"program " + p.Program: true, "tree " + p.How: true}
	markedIn(p.Tree.Root, set)
	for _, c := range p.G.Body {
		featuresOf(c, set)
	}
	for _, g := range loop.Grids(kernel) {
		set["kernel with local memory"] = set["kernel with local memory"] || len(g.Local) > 0
	}
	set["kernel with several grids"] = len(loop.Grids(kernel)) > 1
	set["kernel with faults"] = len(kernel.Sites) > 0
	loop.Walk(kernel.Body, loop.Visitor{Stmt: func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Barrier:
			set["kernel with barriers"] = true
		case *loop.Shuffle:
			set["kernel with shuffles"] = true
		case *loop.Atomic:
			set["kernel with atomic updates"] = true
		}
	}})
	var list []string
	for name, has := range set {
		if has {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// featuresOf notes how a statement combines, and sizes that are seldom.
func featuresOf(c *ein.Comprehension, set map[string]bool) {
	for _, i := range c.Indices {
		if n, known := i.Extent.IsConst(); known {
			set["size 0"] = set["size 0"] || n <= 0
			set["size 1"] = set["size 1"] || n == 1
			set["size 7 and more"] = set["size 7 and more"] || n >= 7
		}
		switch i.Combine.Kind {
		case ein.Reduce:
			set["reduction by "+i.Combine.Op.Name] = true
		case ein.Scan:
			set["scan"] = true
		}
	}
}

// markedIn notes the marks of a subtree.
func markedIn(n schedule.Node, set map[string]bool) {
	note := func(name string, has bool) { set[name] = set[name] || has }
	switch n := n.(type) {
	case *schedule.Place:
		note("place "+n.Region.String(), true)
		note("place twice, in turns", n.Stages == 2)
		note("place several times, in turns", n.Stages > 2)
		note("place ahead", n.Async)
		note("place swizzled", n.Swizzle.Units > 0)
		note("place gathered", n.Gathered)
		note("place above items", n.IsHeld())
	case *schedule.Accumulate:
		note("accumulate "+n.Region.String(), true)
		note("accumulate "+n.Region.String()+" shuffle", n.Shuffle > 0)
		note("accumulate "+n.Region.String()+" atomic", n.Atomic)
		note("accumulate above items", schedule.HasItems(n) && n.Region < schedule.Workspace)
	case *schedule.Band:
		for k, m := range n.Members {
			again := k > 0
			note("groups", m.Groups)
			note("groups along several axes", m.Groups && again && n.Members[k-1].Groups)
			note("items", m.Items > 0)
			note("items along several axes", m.Items > 0 && again && n.Members[k-1].Items > 0)
			note("items over several statements", m.Items > 0 && len(m.Loops) > 1)
			note("blocks of items", m.Items > 0 && m.Tile > 1)
			note("padded groups", m.Groups && m.Pad)
			note("groups in strips", m.Strips > 0)
			note("vectors", m.Vector > 0)
		}
	case *schedule.Sequence:
		note("sequence", true)
	}
	for _, child := range schedule.Children(n) {
		markedIn(child, set)
	}
}
