package mdh

import "github.com/ricci-lang/ricci/internal/lang/mdh/syntax"

// adopt completes chains of one computation that say nothing of parameters: sum :=
// reduce(+) has the types and sizes of reduce (Definition 22, partial application).
func adopt(f *syntax.File) {
	byName := map[string]*syntax.Computation{}
	for _, k := range f.Computations {
		byName[k.Name.Name] = k
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
		if a == nil || a.HasArguments || byName[a.Name.Name] == nil {
			return
		}
		whole := byName[a.Name.Name]
		complete(whole)
		k.Types, k.Sizes = whole.Types, whole.Sizes
		for _, t := range k.Types {
			a.Types = append(a.Types, t.Name)
		}
		for _, s := range k.Sizes {
			a.Sizes = append(a.Sizes, &syntax.Ref{Pos: a.Name.Pos, Name: s.Name})
		}
		a.HasArguments = true
	}
	for _, k := range f.Computations {
		complete(k)
	}
}
