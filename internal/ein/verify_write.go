package ein

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
)

// The sizes and the number of points at which a write is tried.
const (
	trialSize   = 3
	trialPoints = 512
)

// injective checks that no two points of the kept indices write one element. A
// write whose subscripts can be solved for the indices one after the other is
// injective; any other is tried at small sizes.
func (v *verifier) injective(c *Comprehension, w *Write, subscripts []affine.Expr) {
	open := map[string]*Index{}
	for _, i := range c.Indices {
		if i.Combine.Kind != Reduce {
			open[i.Name] = i
		}
	}
	for solved := true; solved; {
		solved = false
		for _, s := range subscripts {
			if i := onlyOpen(s, open); i != nil {
				delete(open, i.Name)
				solved = true
			}
		}
	}
	if len(open) == 0 {
		return
	}
	if first, second, ok := v.collision(c, subscripts); ok {
		v.check(false, w.Pos, "with all sizes %d, the points (%s) and (%s) write the same element of %s", trialSize, first, second, w.Tensor.Name)
	}
}

// onlyOpen returns the index that s determines when all others are known.
func onlyOpen(s affine.Expr, open map[string]*Index) *Index {
	used := map[string]bool{}
	s.Symbols(used)
	var only *Index
	for name := range used {
		if i := open[name]; i != nil {
			if only != nil {
				return nil
			}
			only = i
		}
	}
	if only == nil {
		return nil
	}
	if coefficient, _, ok := s.Linear(only.Name); !ok || coefficient == 0 {
		return nil
	}
	return only
}

// collision looks for two points with the same subscripts where every size is
// trialSize. It gives up where that is no valid call or has too many points.
func (v *verifier) collision(c *Comprehension, subscripts []affine.Expr) (first, second string, found bool) {
	env := map[string]int64{}
	for name := range v.sizes {
		env[name] = trialSize
	}
	for _, r := range v.f.Requires {
		if n, err := r.Expr.Eval(env); err != nil || n < 0 {
			return "", "", false
		}
	}
	var kept []*Index
	for _, i := range c.Indices {
		if i.Combine.Kind != Reduce {
			kept = append(kept, i)
		}
	}
	seen, points := map[string]string{}, 0
	var walk func(n int, point string) bool
	walk = func(n int, point string) bool {
		if n < len(kept) {
			lo, errMin := kept[n].Min.Eval(env)
			extent, errExtent := kept[n].Extent.Eval(env)
			for x := lo; errMin == nil && errExtent == nil && x-lo < extent && points < trialPoints; x++ {
				env[kept[n].Name] = x
				if walk(n+1, point+separator(n)+fmt.Sprintf("%s=%d", kept[n].Name, x)) {
					return true
				}
			}
			return false
		}
		points++
		place := ""
		for _, s := range subscripts {
			x, err := s.Eval(env)
			if err != nil {
				return false
			}
			place += fmt.Sprint(x, ",")
		}
		first, found = seen[place]
		seen[place], second = point, point
		return found
	}
	walk(0, "")
	return first, second, found
}
