package loop

import "slices"

// ShareSites gives functions that compute the same one list of sites, so that a fault has
// the same number whichever of them runs.
func ShareSites(functions []*Func) {
	var sites []Site
	for _, f := range functions {
		numbers := make([]int, len(f.Sites))
		for i, site := range f.Sites {
			if numbers[i] = slices.Index(sites, site); numbers[i] < 0 {
				numbers[i] = len(sites)
				sites = append(sites, site)
			}
		}
		Walk(f.Body, Visitor{Stmt: func(s Stmt) {
			if check, ok := s.(*Check); ok {
				check.Site = numbers[check.Site]
			}
		}})
	}
	for _, f := range functions {
		f.Sites = slices.Clone(sites)
	}
}
