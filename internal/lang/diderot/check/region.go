package check

import "github.com/ricci-lang/ricci/internal/source"

// may is a set of what a part of a program may do.
type may uint16

const (
	assignsGlobals may = 1 << iota
	assignsState
	makesStrands // new
	ends         // stabilize and die, of the strand
	endsAll      // stabilize and die, of all strands
	continues
	returns
	seesStrands // queries, and states of other strands
	counts      // numActive and the others
	seesSets    // reductions over sets of strands
)

// A region is a part of a program.
type region struct {
	name   string
	allows may
}

type regionNumber int

const (
	inGlobals regionNumber = iota
	inInitialize
	inFunction
	inState
	inStrandInitialize
	inStrandStart
	inUpdate
	inStabilize
	inGlobalStart
	inGlobalUpdate
	inCreate
)

// regions is read only.
var regions = [...]region{
	inGlobals:          {"the values of globals", 0},
	inInitialize:       {"the global initialize", assignsGlobals},
	inFunction:         {"a function", returns},
	inState:            {"the initial values of state variables", 0},
	inStrandInitialize: {"the initialize of the strand", assignsState},
	inStrandStart:      {"the start of the strand", assignsState | makesStrands | ends | continues | seesStrands | counts},
	inUpdate:           {"the update of the strand", assignsState | makesStrands | ends | continues | seesStrands | counts},
	inStabilize:        {"the stabilize of the strand", assignsState | seesStrands | counts},
	inGlobalStart:      {"the global start", assignsGlobals | endsAll | counts | seesSets},
	inGlobalUpdate:     {"the global update", assignsGlobals | endsAll | counts | seesSets},
	inCreate:           {"the creation of strands", 0},
}

// only reports what stands in a region that does not allow it.
func (c *checker) only(allowed may, pos source.Span, what, where string) bool {
	if c.region.allows&allowed != 0 {
		return true
	}
	c.errorf(source.CodeDiderotPlace, pos, "%s cannot stand in %s", what, c.region.name).WithHelp("%s", where)
	return false
}

// in runs f in a region, with a flow of its own, and returns how that ends.
func (c *checker) in(n regionNumber, from flow, f func()) flow {
	region, flow := c.region, c.flow
	c.region, c.flow = &regions[n], from.clone()
	c.inScope(f)
	end := c.flow
	c.region, c.flow = region, flow
	return end
}
