package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestBuiltinsPage keeps docs/builtins.md the table of the functions; -update
// writes it.
func TestBuiltinsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(builtinsHead)
	for _, f := range ein.Builtins() {
		arguments := []string{"x", "y", "z", "w"}[:f.Arity]
		accuracy := "exact"
		if !f.IsExact() {
			accuracy = fmt.Sprint(f.Ulps())
		}
		if near := f.AbsoluteNear(); near != "" {
			accuracy += ", " + near
		}
		fmt.Fprintf(&b, "| `%s(%s)` | %s | %s |\n", f.Name, strings.Join(arguments, ", "), strings.ReplaceAll(f.Doc, "|", "\\|"), accuracy)
	}
	b.WriteString(builtinsTail)
	path := filepath.Join(root, "docs/builtins.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != b.String() {
		t.Errorf("%s is not the table of the functions (%v); go test ./internal/doctest -update", path, err)
	}
}

const builtinsHead = "# Builtin functions\n\nGenerated from internal/ein/builtin.go by `go test ./internal/doctest -update`.\n\n" +
	"They take floats and give a float of the same type; an integer argument becomes float32 (float64 for 64-bit integers). Of float16 and bfloat16 they are those of float32, rounded.\n\n" +
	"The error is the greatest one that any computation of a function has, in ulps of the type (the distance of its numbers beside the value): the evaluator's, and that of the C code as scalar and as vector, for every level of instructions. " +
	"*Exact* values are the same everywhere. Where only an absolute error is promised near the zeros of a function, the ulps are those of the magnitude that is named. NaN is the value outside of the domain. " +
	"`TestAccuracy` of internal/target/c compares all of them with 113 bits, beside zeros, poles, limits of the range, denormals, multiples of π/2 and large arguments, and `RICCI_LONG=64 go test ./internal/target/c -run 'Accuracy|AllFloats'` many more, all of float32 among them.\n\n" +
	"With `--numerics strict` each function has one body of Ricci's own ([own.go](../internal/target/c/own.go)), without the C library: its results have the same bits for scalars and vectors of any width, on all processors and with all compilers ([recorded](../internal/target/c/testdata/strict_bits.txt)). " +
	"All NaNs count as the same there.\n\n" +
	"| function | value | error in ulps |\n|---|---|---|\n"

const builtinsTail = "\n## Absolute values\n\n" +
	"`abs(x)` is |x| of any number, and has the type of x: of floats it is `fabs(x)`; of signed integers the larger of x and -x, so that it wraps where -x does: " +
	"of the int8 -128 it is -128, and so of the least number of each signed type; where that occurs, convert before: `abs(int32(x))`. Unsigned integers stay as they are; in TC a bool counts as int32. " +
	"The difference of two uint8 wraps before its absolute value is taken; `abs(int32(a) - b)` is meant. " +
	"In subscripts, ranges and conditions of TC `abs(i-j)` is known to the proofs, as minima and maxima are. MDH has the function, also alone as a scalar function, and TeIL the operation `abs e`; TeML, which has no functions of one number, takes vmax of a tensor and its negative.\n" +
	"\n## Minima and maxima\n\n" +
	"-0 is less than 0.\n\n" +
	"| | NaN | -0 and 0 |\n|---|---|---|\n" +
	"| `fmin(x, y)`, `fmax(x, y)` | is ignored on both sides; of two NaNs the result is one | by the rule, in all modes of numerics |\n" +
	"| the operators `min`, `max` of all notations | on the right it is ignored, on the left it stays | by the rule with strict numerics; otherwise the left one of scalars, and either where a compilation reorders |\n" +
	"| reductions and scans: `min=`, `max=`, `redmin`, `redmax`, `pw(min)`, `ps(max)`, … | they start from ±∞, so all are ignored in any order; of nothing but NaNs the result is the ±∞ they start from. An old value that is a NaN stays | by the rule with strict numerics, in any order; otherwise either |\n" +
	"| `argmin`, `argmax` | a NaN loses against numbers | are equal: the smaller position wins |\n"
