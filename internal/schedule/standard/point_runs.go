package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How long runs of point-wise statements are fused
//
// A formula that was taken apart into hundreds of named numbers, as the derivatives of fields are, is a run of statements over the
// same points, of which each reads what some before it have left at its point. Pair by pair only neighbours that share a tensor
// are fused (fusion.go), so that most of these would have loops of their own, and arrays as long as the list of points. A run of
// leastRun statements is one group whether neighbours have something in common or not: temporaries that nobody else uses are as long
// as a vector. The third derivative of the mode of a tensor has 290 of them: C
// of 5,400 lines instead of 20,000, and gcc takes 0.6 of the time (measured on a loaded machine).

// leastRun is how many statements are worth to be fused though they share nothing.
const leastRun = 16

// pointRun returns the group of the run of point-wise statements that begins with statement s, or nil.
func (mk *maker) pointRun(s int) *group {
	r := &pointRun{mk: mk, uses: map[*ein.Tensor]*use{}}
	n := s
	for n < len(mk.f.Body) && r.add(n) {
		n++
	}
	if n-s < leastRun || len(r.columns) == 0 {
		return nil
	}
	g := &group{columns: r.columns}
	for k := s; k < n; k++ {
		g.statements = append(g.statements, k)
	}
	return g
}

// A pointRun is a run that grows.
type pointRun struct {
	mk      *maker
	columns [][]*ein.Index
	uses    map[*ein.Tensor]*use
}

// A use says where a tensor is read and written: at the places of the first access, and whether elsewhere, too.
type use struct {
	places          []place
	isMixed, writes bool
}

// A place is a dimension of a tensor along which a column runs.
type place struct {
	column, dim int
	shift       int64
}

// add takes a statement over the same points; what one of the run writes all of them read and write at their own points only.
func (r *pointRun) add(s int) bool {
	c := r.mk.f.Body[s]
	indices := c.ByKind(ein.Concat)
	if len(indices) != len(c.Indices) || len(indices) == 0 || c.Accumulate != nil || r.mk.isAlone(s) {
		return false
	}
	if len(r.columns) > 0 && !r.isOver(indices) {
		return false
	}
	for _, a := range r.mk.accesses[s] {
		mine := placesOf(c, a, indices)
		u := r.uses[a.Tensor]
		if u == nil {
			u = &use{places: mine}
			r.uses[a.Tensor] = u
		}
		u.writes = u.writes || a.Writes
		u.isMixed = u.isMixed || len(mine) < len(indices) || !slices.Equal(mine, u.places)
		if u.writes && u.isMixed {
			return false
		}
	}
	if len(r.columns) == 0 {
		r.columns = make([][]*ein.Index, len(indices))
	}
	for k, i := range indices {
		r.columns[k] = append(r.columns[k], i)
	}
	return true
}

// isOver reports whether indices have the ranges of the columns.
func (r *pointRun) isOver(indices []*ein.Index) bool {
	return slices.EqualFunc(r.columns, indices, func(column []*ein.Index, i *ein.Index) bool {
		return column[0].Min.Equal(i.Min) && column[0].Extent.Equal(i.Extent)
	})
}

// placesOf lists the dimensions of an access along which indices run, each once.
func placesOf(c *ein.Comprehension, a schedule.Access, indices []*ein.Index) (list []place) {
	seen := map[int]bool{}
	for d, e := range a.Subscripts {
		i, shift, ok := schedule.IndexPlusConstant(c, e)
		if column := slices.Index(indices, i); ok && column >= 0 && !seen[column] {
			seen[column] = true
			list = append(list, place{column, d, shift})
		}
	}
	return list
}
