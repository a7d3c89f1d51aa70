// Package looptext is the target whose code is the text form of loop programs: what the evaluator of loops runs.
package looptext

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/target"
)

// Target prints loop programs as package loop does; loop.Parse reads them back.
type Target struct{}

// Name returns "loop".
func (Target) Name() string { return "loop" }

// About says what it makes.
func (Target) About() string { return "the text form of loop programs, for the evaluator of loops" }

// Extension returns ".loop".
func (Target) Extension() string { return ".loop" }

// Expresses reports that every kind of node has a text form.
func (Target) Expresses(loop.Kind) bool { return true }

// Flags returns nothing: there is no compiler.
func (Target) Flags(string) []string { return nil }

// Print returns the text of a program. The name is that of the program, whatever the options say.
func (Target) Print(f *loop.Func, _ target.Options) (*target.Module, error) {
	return &target.Module{Code: loop.Print(f), Symbol: f.Name}, nil
}
