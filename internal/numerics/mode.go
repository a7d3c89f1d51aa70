// Package numerics says what may happen to floating-point numbers on their way from a
// program's text to machine code: the modes that a user chooses, and the table of all
// steps that may change a bit.
package numerics

import (
	"fmt"
	"strings"
)

// How it works
//
// The table Steps lists every step of the pipeline after which a float may be another one
// than the reference evaluator's, with what it does in each mode. The places that take such a step ask the
// mode, which travels with the options of a compilation: rewrite.Optimise chooses its passes
// by it, and leaves in the function what later rooms may do (the laws of its operators);
// the printer says what a compiler may do. docs/numerics.md is the page for users, whose table
// is made from this one.

// A Mode is a contract about floating-point numbers. The zero value is Default.
type Mode uint8

// The modes.
const (
	// Default keeps every product, quotient and function as it is written but for fused
	// multiplication and addition, and adds sums in any order.
	Default Mode = iota
	// Strict gives the bits of the reference evaluator for + − × ÷ sqrt and comparisons, on all
	// processors and any number of threads.
	Strict
	// Fast applies the laws of real numbers.
	Fast
)

// names are what users write.
var names = [...]string{Default: "default", Strict: "strict", Fast: "fast"}

// Modes lists the modes from the strictest to the freest.
func Modes() []Mode { return []Mode{Strict, Default, Fast} }

// Names lists the names of the modes in the order of Modes.
func Names() []string {
	var list []string
	for _, m := range Modes() {
		list = append(list, m.String())
	}
	return list
}

// String returns the name of the mode.
func (m Mode) String() string { return names[m] }

// Parse reads the name of a mode; the empty one is that of Default.
func Parse(name string) (Mode, error) {
	if name == "" {
		return Default, nil
	}
	for m, n := range names {
		if n == name {
			return Mode(m), nil
		}
	}
	return Default, fmt.Errorf("there is no mode of numerics %q; the modes are %s", name, strings.Join(Names(), ", "))
}
