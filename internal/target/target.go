// Package target is the door to what turns loop programs into text or bytes: C today, other languages and machine code
// behind the same interface. package targets is their table.
package target

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A target decides nothing: what a loop program says it prints or encodes, and what it has no words for it refuses by
// name (Check), so that a new kind of node breaks no target in silence. What it makes is a Module: the code, the names of
// its functions, and what its code asks of whoever compiles it. Who that is, a device knows (package device); a target knows
// no device, and one target may serve several.
//
// A target is a directory beside this file and a row of package targets; nothing else names it.

// A Target prints or encodes loop programs.
type Target interface {
	// Name is what --target and --stage call it, such as "c".
	Name() string
	// About says in a few words what it makes.
	About() string
	// Extension is that of files with its code, such as ".c".
	Extension() string
	// Expresses reports whether programs may be made of a kind of node.
	Expresses(kind loop.Kind) bool
	// Flags are what a compiler needs to be told to make code for a level of instructions; none for the empty one, which
	// is the machine at hand.
	Flags(level string) []string
	// Print makes the module of a program. What the target cannot express is an error of Check.
	Print(f *loop.Func, options Options) (*Module, error)
}

// Options say how a program is printed.
type Options struct {
	Name     string             // of the function; empty: made of that of the program
	Machine  *machine.Processor // whose vectors the code has
	Numerics numerics.Mode
}

// A Module is the code of a kernel.
type Module struct {
	Code   string
	Symbol string // of the function
	// Dynamic is how much local memory launches give groups of a kernel, by its symbol, where the code does not declare it.
	Dynamic map[string]int64
}

// Check returns an error that names what a target cannot express of a program, nil where there is nothing.
func Check(t Target, f *loop.Func) error {
	for _, k := range loop.KindsOf(f) {
		if !t.Expresses(k) {
			return CannotExpress(t, string(k))
		}
	}
	return nil
}

// RunsItems reports whether the code of a target is that of devices whose programs run in groups of items, and nowhere else: it has
// words for grids, and none for the lines of a processor's caches.
func RunsItems(t Target) bool { return t.Expresses("grid") && !t.Expresses("endrow") }

// CannotExpress is the error of Check, for what is no kind of node: a function that the language of a target does not have, or more
// loops one in the other than it takes.
func CannotExpress(t Target, what string) error {
	d := &source.Diagnostic{Code: source.NotExpressed, Message: "the target " + t.Name() + " has no way to express " + what + ", which the loops are made of"}
	return source.ErrorList{d.WithHelp("give another schedule, or a machine without it: --schedule, --machine; or another target or device: 'ricci devices'; 'ricci show --stage loop' has the loops")}
}
