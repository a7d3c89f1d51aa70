// Package active is what mutated sources call: it knows which mutation of a program is switched
// on, and records which ones a run meets. Only overlays that package mutate writes import it.
package active

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// Number is the environment variable with the number of the mutation that is on; none is 0.
const Number = "RICCI_MUTANT"

// Record is the environment variable with the file that gets a line for each mutation that a run
// meets where it would make a difference at once: a condition that is weakened is met where it
// is false, a sum that becomes a difference where the two differ.
const Record = "RICCI_MUTANTS_MET"

// Every value here is set once, before anything else of a program is, and then only read.
var (
	number    = numberOf(os.Getenv(Number))
	recording = os.Getenv(Record)
	met       [1 << 13]atomic.Bool // by number; those behind are written every time
)

func numberOf(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("%s is %q, expected a number", Number, text))
	}
	return n
}

// Is reports whether mutation n is on.
func Is(n int) bool {
	if recording != "" && (n >= len(met) || !met[n].Load()) {
		meet(n)
	}
	return n == number
}

// Begin writes a line to the file of the record, and forgets what was met before it.
func Begin(line string) {
	if recording != "" {
		for n := range met {
			met[n].Store(false)
		}
		write(line)
	}
}

// meet appends a line to the file of the record, once in a process or after Begin. Lines of several processes
// do not mix: each is one short write at the end.
func meet(n int) {
	if n < len(met) && met[n].Swap(true) {
		return
	}
	write(strconv.Itoa(n))
}

func write(line string) {
	f, err := os.OpenFile(recording, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	_, err = f.WriteString(line + "\n")
	if err := f.Close(); err != nil {
		panic(err)
	}
	if err != nil {
		panic(err)
	}
}

// Of returns changed where mutation n is on, else value.
func Of[T any](n int, value, changed T) T {
	if Is(n) {
		return changed
	}
	return value
}

// Equal is Of for values that can be told apart: equal ones do not meet the mutation.
func Equal[T comparable](n int, value, changed T) T {
	if value == changed {
		return value
	}
	return Of(n, value, changed)
}

// Zero returns the value, or the zero of its type.
func Zero[T any](n int, value T) T {
	var zero T
	return Of(n, value, zero)
}

// Not returns the condition, or its negation.
func Not[T ~bool](n int, condition T) T { return condition != T(Is(n)) }

// Replace returns the text, or one with a part of it, which begins at a byte, replaced. A text
// that has no such part there is returned as it is.
func Replace[T ~string](n int, text T, at int, part, by T) T {
	if at+len(part) > len(text) || text[at:at+len(part)] != part {
		panic(fmt.Sprintf("mutation %d: %q is not at byte %d of a text", n, part, at))
	}
	return Of(n, text, text[:at]+by+text[at+len(part):])
}
