package sketch

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How sizes that are open are scheduled
//
// Rules and model look at the function with supposed sizes, which are of medium length, no multiples of anything, and differ, so that
// no two indices are taken for the same. So all tiles are padded, nothing is a vector of a row that may end within it, and what fits
// into local memory for these sizes has tiles of constants or is refused. The check sees the function with its open sizes: what is legal
// for the supposed ones only is no candidate.

// The sizes that rules and model see for open ones, in the order of the function: of windows, and of all others.
var (
	supposedWindows = [...]int64{3, 5, 7}
	supposedSizes   = [...]int64{1021, 1019, 1013, 1031, 1009, 1033, 997, 1039, 991, 1049, 983, 1051}
)

// suppose makes the function of supposed sizes. Nil: it cannot have these, or has too many.
func suppose(f *ein.Func) *ein.Func {
	if len(f.Sizes) == 0 {
		return f
	}
	sizes := supposition(f)
	if sizes == nil {
		return nil
	}
	known, err := f.Specialise(sizes, nil)
	if err != nil || len(known.Body) != len(f.Body) || hasEmpty(known) {
		return nil
	}
	return known
}

// supposition is what the sizes of a function are supposed to be; nil: they are too many.
func supposition(f *ein.Func) map[string]int64 {
	sizes := map[string]int64{}
	windows := 0
	for _, size := range f.Sizes {
		if isWindow(f, size.Name) {
			sizes[size.Name] = supposedWindows[windows%len(supposedWindows)]
			windows++
			continue
		}
		if len(sizes)-windows == len(supposedSizes) {
			return nil
		}
		sizes[size.Name] = supposedSizes[len(sizes)-windows]
	}
	return sizes
}

// isWindow reports whether a size makes a range shorter where it grows: so those of windows do, and steps.
func isWindow(f *ein.Func, size string) bool {
	env := map[string]int64{}
	for k, s := range f.Sizes {
		env[s.Name] = supposedSizes[k%len(supposedSizes)]
	}
	for _, c := range f.Body {
		for _, i := range c.Indices {
			env[size] = 5
			small, err := i.Extent.Eval(env)
			env[size] = 50
			large, errLarge := i.Extent.Eval(env)
			if err == nil && errLarge == nil && large < small {
				return true
			}
		}
	}
	return false
}

// hasEmpty reports whether an index has no values: so it is with windows that are wider than what they look at.
func hasEmpty(f *ein.Func) bool {
	for _, c := range f.Body {
		for _, i := range c.Indices {
			if n, known := i.Extent.IsConst(); !known || n < 1 {
				return true
			}
		}
	}
	return false
}

// assumption says in words for which sizes a function was judged; "" where none is open.
func assumption(f *ein.Func) string {
	if len(f.Sizes) == 0 {
		return ""
	}
	sizes, words := supposition(f), []string{}
	for _, size := range f.Sizes {
		words = append(words, fmt.Sprintf("%s = %d", size.Name, sizes[size.Name]))
	}
	return " for sizes that are open, supposed to be " + strings.Join(words, ", ")
}
