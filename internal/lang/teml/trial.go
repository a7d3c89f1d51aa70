package teml

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// trialSizes lists values for n sizes with which a program is checked whose sizes are
// symbolic. What transformations ask of sizes is that they are equal or not, that
// blocks divide them or not, that one is smaller than another, or that they differ by
// little, as the ranges of a stencil do: some of the lists have each of these.
func trialSizes(n int) [][]int64 {
	list := func(value func(k int64) int64) []int64 {
		values := make([]int64, n)
		for k := range values {
			values[k] = value(int64(k))
		}
		return values
	}
	lists := [][]int64{
		list(func(int64) int64 { return 64 }),
		list(func(int64) int64 { return 7 }),
		list(func(int64) int64 { return 160 }),
	}
	for _, values := range [][]int64{
		list(func(k int64) int64 { return 96 * (k + 1) }), // of 2, 3, 4, 6, 8, 12, 16, 24, 32 and 48
		list(func(k int64) int64 { return 64 + k }),
		list(func(k int64) int64 { return 5 + 3*k }),
	} {
		backwards := slices.Clone(values)
		slices.Reverse(backwards)
		lists = append(lists, values, backwards)
	}
	return lists
}

// inTrials yields the function with each of some numbers for its sizes, and says which.
func (c *codegen) inTrials() iter.Seq2[string, *ein.Func] {
	return func(yield func(string, *ein.Func) bool) {
		f := c.def.Func
		if len(f.Sizes) == 0 {
			return
		}
		for _, values := range trialSizes(len(f.Sizes)) {
			sizes, texts := map[string]int64{}, []string{}
			for k, s := range f.Sizes {
				sizes[s.Name] = values[k]
				texts = append(texts, fmt.Sprintf("%s = %d", s.Name, values[k]))
			}
			if f.CheckSizes(sizes) != nil {
				continue
			}
			specialised, err := f.Specialise(sizes, nil)
			if err == nil && !yield(strings.Join(texts, ", "), specialised) {
				return
			}
		}
	}
}

// trials attempts something with the function: with symbolic sizes, then with each of
// some numbers for them, until it succeeds. The error is that of the first numbers.
func (c *codegen) trials(attempt func(*ein.Func) error) error {
	failure := attempt(c.def.Func)
	if failure == nil || len(c.def.Func.Sizes) == 0 {
		return failure
	}
	tried := false
	for sizes, f := range c.inTrials() {
		err := attempt(f)
		if err == nil {
			return nil
		}
		if !tried && err.Error() != failure.Error() {
			failure = withSizes(err, sizes)
		}
		tried = true
	}
	if !tried {
		return nil // no sizes are known for which it could be said
	}
	return failure
}

// withSizes says for which sizes an error was found.
func withSizes(err error, sizes string) error {
	var list source.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	said := make(source.ErrorList, len(list))
	for n, d := range list {
		c := *d
		c.Message += fmt.Sprintf(" (with %s; other sizes fail, too)", sizes)
		said[n] = &c
	}
	return said
}
