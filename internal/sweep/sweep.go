// Package sweep says how much the tests draw.
//
// # How it works
//
// A random test has two numbers of draws: the one that every change pays for, and the one of
// a sweep, which scripts/test --long runs. Both run the same checks, and a sweep begins with
// the draws of the quick run. The variable RICCI_LONG carries the choice to the test binaries
// and the processes that they start: unset or 0 for the quick numbers, 1 for those of a
// sweep, n for n times as many, "all" for a sweep that tries everything where all can be
// counted (the numbers of float32), which takes hours.
package sweep

import (
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that asks for a sweep.
const Variable = "RICCI_LONG"

// Draws returns how many cases a test draws: quick of them, or as many as a sweep asks for.
func Draws(t testing.TB, quick, sweep int) int {
	t.Helper()
	if factor := factor(t); factor > 0 {
		return factor * sweep
	}
	return quick
}

// Long reports whether this is a sweep, which runs what a quick run leaves out: further
// members of a family of which the quick run has some.
func Long(t testing.TB) bool {
	t.Helper()
	return factor(t) > 0
}

// Some returns all of a list in a sweep, else every step-th, the first one included.
func Some[T any](t testing.TB, list []T, step int) []T {
	t.Helper()
	if Long(t) {
		return list
	}
	var some []T
	for n := 0; n < len(list); n += step {
		some = append(some, list[n])
	}
	return some
}

// All reports whether a sweep is to try everything that can be counted.
func All(t testing.TB) bool {
	t.Helper()
	return Long(t) && os.Getenv(Variable) == all
}

const all = "all"

func factor(t testing.TB) int {
	t.Helper()
	text := os.Getenv(Variable)
	switch text {
	case "":
		return 0
	case all:
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q; expected a number: 0 for a quick run, 1 for a sweep, more for a longer one, all for everything", Variable, text)
	}
	return n
}
