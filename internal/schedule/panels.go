package schedule

// TileOfPanels returns the member that cuts an index into vectors' tiles above the
// accumulators of its statement, if no other cuts it: the panels of a block that is copied have its size.
func TileOfPanels(statement int, index string, n Node) *Member {
	var found *Member
	for n != nil {
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				if lp, ok := m.IndexOf(statement); !ok || lp.Index != index {
					continue
				}
				if found != nil || m.Vector > 0 || m.Tile < 2 || m.concurrent() != "" {
					return nil
				}
				found = m
			}
		}
		children := Children(n)
		if a, ok := n.(*Accumulate); ok && a.Statement == statement || len(children) != 1 {
			break
		}
		n = children[0]
	}
	if found == nil || VectorBelow(statement, index, n) == 0 {
		return nil
	}
	return found
}
