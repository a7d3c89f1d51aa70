package c

import (
	"runtime"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/target"
)

// Target prints kernels for the thread pool of a device.
type Target struct{}

// Name returns "c".
func (Target) Name() string { return "c" }

// About says what it makes.
func (Target) About() string { return "GNU C11 for gcc and clang" }

// Extension returns ".c".
func (Target) Extension() string { return ".c" }

// inexpressible has the kinds of nodes that C cannot say: processors have threads, and no groups of items.
var inexpressible = map[loop.Kind]bool{"grid": true, "barrier": true, "shuffle": true, "atomic": true, "fragments": true, "copy": true, "commit": true, "wait": true, "swizzle": true}

// Expresses reports whether C has words for a kind of node.
func (Target) Expresses(kind loop.Kind) bool { return !inexpressible[kind] }

// Flags are those by which gcc and clang make code for a level of the architecture that Ricci runs on.
func (Target) Flags(name string) []string {
	l, known := machine.InstructionLevelNamed(name)
	if !known {
		return nil
	}
	flags := []string{map[string]string{"amd64": "-march=x86-64", "arm64": "-march=armv8-a"}[runtime.GOARCH]}
	for _, b := range spelled(l).below() {
		for _, name := range strings.FieldsFunc(b.target, func(r rune) bool { return r == ',' }) {
			flags = append(flags, "-m"+name)
		}
	}
	return flags
}

// Print returns a C translation unit with one function, as the function Print does.
func (t Target) Print(f *loop.Func, options target.Options) (*target.Module, error) {
	if err := target.Check(t, f); err != nil {
		return nil, err
	}
	printing := Options{Name: options.Name, Numerics: options.Numerics}
	if options.Machine != nil {
		printing.VectorBytes = options.Machine.VectorBytes
	}
	if printing.Name == "" {
		printing.Name = Symbol(f.Name)
	}
	text, err := Print(f, printing)
	return &target.Module{Code: text, Symbol: printing.Name}, err
}
