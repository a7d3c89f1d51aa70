// Package targets is the table of all targets. Nothing else knows one by name.
package targets

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/internal/target/cuda"
	"github.com/ricci-lang/ricci/internal/target/looptext"
	"github.com/ricci-lang/ricci/internal/target/opencl"
)

// All lists the targets, the best first.
func All() []target.Target {
	return []target.Target{c.Target{}, looptext.Target{}, opencl.Target{}, cuda.Target{}}
}

// Named finds a target; ok is false where there is none of that name.
func Named(name string) (t target.Target, ok bool) {
	list := All()
	at := slices.IndexFunc(list, func(t target.Target) bool { return t.Name() == name })
	if at < 0 {
		return nil, false
	}
	return list[at], true
}
