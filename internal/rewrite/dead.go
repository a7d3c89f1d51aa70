package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// dropDead removes a statement that only writes temporaries nobody reads, and
// temporaries nobody uses. A statement with tested accesses stays: it may fail.
func dropDead(f *ein.Func) bool {
	for at, c := range f.Body {
		if !contains(c, isChecked) && !slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return needed(f, c, w.Tensor) }) {
			f.Body = slices.Delete(f.Body, at, at+1)
			return true
		}
	}
	before := len(f.Tensors)
	f.Tensors = slices.DeleteFunc(f.Tensors, func(t *ein.Tensor) bool {
		return t.Role == ein.Temp && !used(f, t) && !slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Tensor == t })
	})
	return len(f.Tensors) < before
}

// needed reports whether what c writes to t can be seen.
func needed(f *ein.Func, c *ein.Comprehension, t *ein.Tensor) bool {
	if t.Role != ein.Temp {
		return true
	}
	return slices.ContainsFunc(f.Body, func(other *ein.Comprehension) bool { return other != c && reads(other, t) > 0 })
}

func used(f *ein.Func, t *ein.Tensor) bool {
	return slices.ContainsFunc(f.Body, func(c *ein.Comprehension) bool { return writes(c, t) || reads(c, t) > 0 })
}
