package c

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
)

// PrintUnit returns one translation unit with several functions, named by Symbol,
// so that one run of the compiler serves them all. Options.Name does not apply.
func PrintUnit(list []*loop.Func, options Options) (text string, err error) {
	defer source.RecoverInternal(stage, &err)
	u := newUnit(options)
	for _, f := range list {
		u.kernel(f, Symbol(f.Name), "")
	}
	return u.String(), nil
}
