package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/mdh/syntax"
)

// adopt completes chains of one computation that do not say all of its parameters: sum :=
// reduce(+) has the types and sizes of reduce (Definition 22, partial application), and
// sums := reduce<int32>(+) its sizes.
func adopt(f *syntax.File) {
	byName := map[string]*syntax.Computation{}
	for _, k := range f.Computations {
		byName[k.Name.Name] = k
	}
	isType := func(e syntax.Expr) bool {
		r, ok := e.(*syntax.Ref)
		if !ok {
			return false
		}
		_, isScalar := scalarType(r.Name)
		return isScalar || slices.ContainsFunc(f.Records, func(r2 *syntax.Record) bool { return r2.Name.Name == r.Name })
	}
	done := map[*syntax.Computation]bool{}
	var complete func(k *syntax.Computation)
	complete = func(k *syntax.Computation) {
		if done[k] {
			return
		}
		done[k] = true
		if k.Composition == nil || !k.Composition.IsChain || len(k.Composition.Steps) > 1 || len(k.Types)+len(k.Sizes) > 0 {
			return
		}
		a := k.Composition.Steps[0].Apply
		if a == nil || byName[a.Name.Name] == nil {
			return
		}
		whole := byName[a.Name.Name]
		complete(whole)
		if a.HasArguments && a.Types == nil && len(a.Sizes) == len(whole.Types) && !slices.ContainsFunc(a.Sizes, func(e syntax.Expr) bool { return !isType(e) }) {
			for _, e := range a.Sizes {
				a.Types = append(a.Types, syntax.Name{Pos: e.Span(), Name: e.(*syntax.Ref).Name})
			}
			a.Sizes = nil
		}
		switch {
		case !a.HasArguments:
			k.Types = whole.Types
			for _, t := range k.Types {
				a.Types = append(a.Types, t.Name)
			}
		case a.Types == nil || len(a.Sizes) > 0:
			return
		}
		k.Sizes = whole.Sizes
		for _, s := range k.Sizes {
			a.Sizes = append(a.Sizes, &syntax.Ref{Pos: a.Name.Pos, Name: s.Name})
		}
		a.HasArguments = true
	}
	for _, k := range f.Computations {
		complete(k)
	}
}
