package ein

import "github.com/ricci-lang/ricci/internal/affine"

// FindOrigins finds for every size the argument that determines it: a dimension of an
// argument with contents that is the size, or from whose extent it can be computed
// because it is the only unknown there; else a dimension of an output. A size without
// an origin must be given with the call. One that is the value of an argument stays that.
func (f *Func) FindOrigins() {
	found := map[string]bool{}
	for _, s := range f.Sizes {
		found[s.Name] = s.Tensor != nil && s.Dim == ScalarValue
	}
	arguments, outputs := f.ByRole(Input, InOut), f.ByRole(Output)
	for progress := true; progress; {
		progress = false
		for _, exact := range []bool{true, false} {
			for _, s := range f.Sizes {
				if !found[s.Name] && s.findOrigin(arguments, exact, found) {
					found[s.Name], progress = true, true
				}
			}
		}
	}
	for _, s := range f.Sizes {
		if !found[s.Name] {
			s.findOrigin(outputs, true, found)
		}
	}
}

func (s *Size) findOrigin(tensors []*Tensor, exact bool, found map[string]bool) bool {
	for _, t := range tensors {
		for d, dim := range t.Dims {
			name, isSymbol := dim.Extent.IsSymbol()
			if isSymbol && name == s.Name || !exact && solvable(dim.Extent, s.Name, found) {
				s.Tensor, s.Dim = t, d
				return true
			}
		}
	}
	return false
}

// solvable reports whether an extent determines a size when others are known.
func solvable(e affine.Expr, size string, known map[string]bool) bool {
	coefficient, rest, ok := e.Linear(size)
	if !ok || coefficient == 0 {
		return false
	}
	used := map[string]bool{}
	rest.Symbols(used)
	for name := range used {
		if !known[name] {
			return false
		}
	}
	return true
}
